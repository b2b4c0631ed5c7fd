//! What the reader of XML leaves to us: attributes as text, and content that nobody wants, which is read over without
//! being kept.

use std::io::BufRead;

use quick_xml::escape::unescape;
use quick_xml::events::BytesStart;

use super::error::Reason;
use super::source::{DEEPEST, Source};

/// Hands on the attributes of a tag, their references resolved: those that every document has, and no others.
pub(super) fn each_attribute(
    tag: &BytesStart<'_>,
    mut take: impl FnMut(&str, &str) -> Result<(), Reason>,
) -> Result<(), Reason> {
    // A name that is given twice is looked for by comparing all with all.
    for attribute in tag.attributes().with_checks(false) {
        let attribute = attribute.map_err(|e| Reason::Syntax(e.to_string()))?;
        let value = unescape(&attribute.value).map_err(|e| Reason::Syntax(e.to_string()))?;
        take(attribute.key.as_ref(), &value)?;
    }
    Ok(())
}

/// Reads over the content of an element, whatever its length, up to its end tag.
pub(super) fn skip_content(source: &mut Source<'_>) -> Result<(), Reason> {
    let mut depth = 0;
    loop {
        let is_there = source.skip_to(b"<", false).map_err(|_| Reason::Cut)?;
        if !is_there {
            return Err(Reason::Cut);
        }
        let markup = source.peek(9).map_err(|_| Reason::Cut)?;
        let end: &[u8] = if markup.starts_with(b"</") {
            if depth == 0 {
                return Ok(());
            }
            depth -= 1;
            b">"
        } else if markup.starts_with(b"<!--") {
            b"-->"
        } else if markup == b"<![CDATA[" {
            b"]]>"
        } else if markup.starts_with(b"<?") {
            b"?>"
        } else {
            depth += usize::from(!skip_tag(source)?);
            if depth >= DEEPEST {
                return Err(Reason::TooDeep);
            }
            continue;
        };
        if !source.skip_to(end, true).map_err(|_| Reason::Cut)? {
            return Err(Reason::Cut);
        }
    }
}

/// Reads over a tag. Whether it is of an element without content.
fn skip_tag(source: &mut Source<'_>) -> Result<bool, Reason> {
    let mut quote = None;
    let mut last = 0;
    source.begin_piece();
    loop {
        let read = source.fill_buf().map_err(|_| Reason::Cut)?;
        if read.is_empty() {
            return Err(Reason::Cut);
        }
        for (at, byte) in read.iter().copied().enumerate() {
            match (quote, byte) {
                (Some(open), _) if open == byte => quote = None,
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'>') => {
                    source.consume(at + 1);
                    return Ok(last == b'/');
                }
                (Some(_) | None, _) => {}
            }
            last = byte;
        }
        let len = read.len();
        source.consume(len);
    }
}
