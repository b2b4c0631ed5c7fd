//! Front matter: the lines between `---` at the top and the next `---`, merged by top-level key; no YAML is rewritten
//! (git.md 6).

use crate::markdown::three_way::{Clash, ClashKind, Field, Merged, merge_fields};
use crate::text::{Bytes, lines};
use crate::yaml;

/// A text whose lines end in LF, cut behind its front matter.
struct Cut<'t> {
    /// Between the fences; none without front matter.
    front: Option<&'t [u8]>,
    body: &'t [u8],
}

const FENCE: &[u8] = b"---";

fn cut(text: &[u8]) -> Cut<'_> {
    let all = lines(text);
    let is_fence = |line: &crate::text::Line| line.span.of(text).trim_ascii_end() == FENCE;
    let whole = Cut {
        front: None,
        body: text,
    };
    let Some(first) = all.first().filter(|line| is_fence(line)) else {
        return whole;
    };
    let Some(last) = all[1..].iter().find(|line| is_fence(line)) else {
        return whole;
    };
    Cut {
        front: Some(&text[first.next..last.span.start]),
        body: &text[last.next..],
    }
}

/// Merges front matter by the keys that `keyed` finds in it, and what is below with `body`. `versions` are base, ours,
/// theirs.
pub(super) fn merge(
    versions: [&[u8]; 3],
    keyed: impl Fn(&[u8]) -> Option<Vec<Field>>,
    body: impl Fn(&[u8], &[u8], &[u8]) -> Merged,
) -> Merged {
    let [base, ours, theirs] = versions.map(cut);
    let below = body(base.body, ours.body, theirs.body);
    if base.front.is_none() && ours.front.is_none() && theirs.front.is_none() {
        return below;
    }
    let inside = fields([base.front, ours.front, theirs.front], keyed);
    let gone = |side: &Cut<'_>| side.front.is_none();
    if (gone(&ours) || gone(&theirs)) && inside.clean().is_some_and(|text| text.is_empty()) {
        return below;
    }
    let fence = [FENCE, b"\n"].concat();
    Merged::text(&fence)
        .then(inside)
        .then(Merged::text(&fence))
        .then(below)
}

fn fields(fronts: [Option<&[u8]>; 3], keyed: impl Fn(&[u8]) -> Option<Vec<Field>>) -> Merged {
    let [base, ours, theirs] = fronts.map(Option::unwrap_or_default);
    let by_key = || merge_fields(&keyed(base)?, &keyed(ours)?, &keyed(theirs)?);
    by_key().unwrap_or_else(|| as_one(base, ours, theirs))
}

/// The block as one unit.
fn as_one(base: &[u8], ours: &[u8], theirs: &[u8]) -> Merged {
    if ours == theirs || theirs == base {
        return Merged::text(ours);
    }
    if ours == base {
        return Merged::text(theirs);
    }
    Merged::of_clash(Clash {
        kind: ClashKind::BothChanged,
        item: Some("---".to_owned()),
        base: base.to_vec(),
        ours: ours.to_vec(),
        theirs: theirs.to_vec(),
    })
}

/// The top-level keys with their lines and the comments above; none if this is no mapping with distinct keys.
pub(super) fn keyed(front: &[u8]) -> Option<Vec<Field>> {
    let parsed = yaml::parse(front).ok()?;
    if front.trim_ascii().is_empty() {
        return Some(Vec::new());
    }
    if parsed.is_null() {
        return None;
    }
    let mut starts: Vec<(usize, String)> = Vec::new();
    for (name, _) in &parsed.as_map().filter(|map| !map.flow)?.entries {
        let scalar = name.scalar()?;
        starts.push((scalar.span.start, scalar.text.clone()));
    }
    let mut fields: Vec<Field> = Vec::new();
    let mut waiting = Bytes::new();
    let mut next = starts.into_iter().peekable();
    for line in lines(front) {
        let whole = &front[line.span.start..line.next];
        let text = line.span.of(front);
        if let Some((_, name)) = next.next_if(|(at, _)| (line.span.start..line.next).contains(at)) {
            let mut lines = std::mem::take(&mut waiting);
            lines.extend_from_slice(whole);
            fields.push(Field { name, text: lines });
        } else if text.is_empty() || text.starts_with(b"#") {
            waiting.extend_from_slice(whole);
        } else if let Some(field) = fields.last_mut() {
            // Blank lines and comments in the midst of a value are part of it.
            field.text.append(&mut waiting);
            field.text.extend_from_slice(whole);
        } else {
            return None;
        }
    }
    fields.last_mut()?.text.append(&mut waiting);
    next.next().is_none().then_some(fields)
}
