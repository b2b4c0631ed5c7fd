//! Reading front matter line by line (state.md 2.2).

use std::collections::HashMap;

use super::{Entry, FrontMatter, OPENING, Parts, Value, scalar};
use crate::text::{is_blank, is_space};

/// A byte order mark, which is skipped before the opening line.
const MARK: char = '\u{feff}';

impl<'t> Parts<'t> {
    /// Cuts a text into front matter and body.
    pub fn of(text: &'t str) -> Self {
        let start = text.len() - text.strip_prefix(MARK).unwrap_or(text).len();
        let block = match block(text, start) {
            Block::Closed(block) => block,
            unclosed @ (Block::None | Block::Open { .. }) => {
                let body_start = skip_blank(text, start);
                return Self {
                    front: None,
                    body_start,
                    body: &text[body_start..],
                    open: matches!(unclosed, Block::Open { .. }),
                    unclosed: matches!(unclosed, Block::Open { has_keys: true }),
                };
            }
        };
        let front = FrontMatter::read(&text[block.inner..block.end]);
        let mut body_start = skip_blank(text, block.next);
        // An older release left a second block behind; a rule of the text, with prose below, is none.
        while let Block::Closed(again) = self::block(text, body_start) {
            if !looks_like_keys(text[again.inner..again.end].lines(), 1) {
                break;
            }
            body_start = skip_blank(text, again.next);
        }
        Self {
            front: Some(front),
            body_start,
            body: &text[body_start..],
            open: false,
            unclosed: false,
        }
    }
}

/// The bytes of a block: what its lines span, and where the text goes on.
struct Closed {
    inner: usize,
    end: usize,
    next: usize,
}

enum Block {
    None,
    /// It never closes.
    Open {
        has_keys: bool,
    },
    Closed(Closed),
}

fn block(text: &str, start: usize) -> Block {
    let Some(rest) = text[start..].strip_prefix(OPENING) else {
        return Block::None;
    };
    let Some(rest) = rest.strip_prefix("\n").or_else(|| rest.strip_prefix("\r\n")) else {
        return Block::None;
    };
    let inner = text.len() - rest.len();
    let mut at = inner;
    for line in rest.split_inclusive('\n') {
        if line.starts_with(OPENING) {
            // What else stands in the closing line belongs to the body: nothing of a file is dropped unread.
            return Block::Closed(Closed {
                inner,
                end: at,
                next: at + OPENING.len(),
            });
        }
        at += line.len();
    }
    Block::Open {
        // It would be closed before the first blank line.
        has_keys: looks_like_keys(rest.lines().take_while(|line| !is_blank(line)), 2),
    }
}

/// Whether every line is a key, a list item, a comment or indented, and so many are keys.
fn looks_like_keys<'l>(lines: impl Iterator<Item = &'l str>, keys: usize) -> bool {
    let is_key = |line: &str| key_line(line).is_some_and(|line| line.indent == 0);
    let is_other =
        |line: &str| line.starts_with('#') || line.starts_with("- ") || line.starts_with([' ', '\t']);
    let mut found = 0;
    for line in lines.filter(|line| !is_blank(line)) {
        if is_key(line) {
            found += 1;
        } else if !is_other(line) {
            return false;
        }
    }
    found >= keys
}

/// The key of a line that begins with one in its first column.
pub fn top_key(line: &str) -> Option<&str> {
    key_line(line)
        .filter(|line| line.indent == 0)
        .map(|line| line.key)
}

/// The keys in the first column of the first block of a text, each with its line, counted from 1.
pub fn top_keys(text: &str) -> Vec<(&str, usize)> {
    let start = text.len() - text.strip_prefix(MARK).unwrap_or(text).len();
    let Block::Closed(block) = block(text, start) else {
        return Vec::new();
    };
    let lines = text[block.inner..block.end].lines().enumerate();
    lines
        .filter_map(|(at, line)| Some((top_key(line)?, at + 2)))
        .collect()
}

fn skip_blank(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start_matches(is_space).len()
}

struct KeyLine<'l> {
    indent: usize,
    key: &'l str,
    value: &'l str,
}

fn key_line(line: &str) -> Option<KeyLine<'_>> {
    let rest = line.trim_start_matches([' ', '\t']);
    let (key, value) = rest.split_once(':')?;
    let is_name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    if key.is_empty() || !key.bytes().all(is_name) {
        return None;
    }
    Some(KeyLine {
        indent: line.len() - rest.len(),
        key,
        value: crate::text::trim(value),
    })
}

/// A key that is still open for what is indented deeper.
struct Open {
    entry: Entry,
    indent: usize,
    lines: Vec<String>,
    /// Where its own keys are among its entries.
    places: HashMap<String, usize>,
    /// A line below it was not understood.
    lossy: bool,
    /// Blank lines since the last line that was.
    blank: usize,
}

#[derive(Default)]
struct Reader {
    front: FrontMatter,
    /// Where the keys of the top level are among its entries.
    places: HashMap<String, usize>,
    open: Vec<Open>,
    before: Vec<String>,
}

impl FrontMatter {
    /// Reads the lines between the dashes.
    pub fn read(region: &str) -> Self {
        let mut reader = Reader::default();
        for line in region.split('\n') {
            // More than one would be one less at every write.
            reader.take(line.trim_end_matches('\r'));
        }
        reader.close_down_to(0);
        reader.front.trailing = reader.before;
        reader.front
    }
}

impl Reader {
    fn take(&mut self, line: &str) {
        if is_blank(line) {
            if let Some(open) = self.open.last_mut() {
                open.blank += 1;
            }
            return;
        }
        if self.is_comment(line) {
            self.before.push(line.to_owned());
            return;
        }
        let item = item(line);
        if let (Some(item), Some(open)) = (item, self.open.last_mut())
            && open.take_item(item, line)
        {
            self.attach_comments_to_open();
            return;
        }
        match key_line(line).filter(|_| item.is_none()) {
            Some(key) if key.indent == 0 || self.takes_keys(key.indent) => self.take_key(&key, line),
            _ => self.not_understood(line),
        }
    }

    /// Whether a line is a comment on the key that follows: one in the first column is, an indented one where a key could
    /// stand. Inside texts and lists it is a line of theirs.
    fn is_comment(&self, line: &str) -> bool {
        let rest = line.trim_start_matches([' ', '\t']);
        let indent = line.len() - rest.len();
        rest.starts_with('#') && (indent == 0 || self.takes_keys(indent))
    }

    /// Whether an indented key stands below a block that may hold it.
    fn takes_keys(&self, indent: usize) -> bool {
        self.open
            .iter()
            .rev()
            .find(|open| open.indent < indent)
            .is_none_or(|open| matches!(open.entry.value, Value::Block(_)))
    }

    fn take_key(&mut self, line: &KeyLine<'_>, written: &str) {
        self.close_down_to(line.indent);
        let value = if line.value.is_empty() {
            Value::Block(Vec::new())
        } else if let Some(inner) = line
            .value
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            Value::List(scalar::items(inner))
        } else {
            Value::Text(scalar::read(line.value))
        };
        let mut entry = Entry::new(line.key, value);
        entry.before = std::mem::take(&mut self.before);
        self.open.push(Open {
            entry,
            indent: line.indent,
            lines: vec![written.to_owned()],
            places: HashMap::new(),
            lossy: false,
            blank: 0,
        });
    }

    /// A comment inside a list has no key of its own to go to: its lines stay as they are.
    fn attach_comments_to_open(&mut self) {
        if let (Some(open), false) = (self.open.last_mut(), self.before.is_empty()) {
            let last = open.lines.pop();
            open.lines.append(&mut self.before);
            open.lines.extend(last);
            open.lossy = true;
        }
    }

    fn not_understood(&mut self, line: &str) {
        match self.open.last_mut() {
            Some(open) if line.starts_with([' ', '\t']) || line.starts_with("- ") => {
                let blank = std::mem::take(&mut open.blank);
                open.lines.extend(std::iter::repeat_n(String::new(), blank));
                open.lines.append(&mut self.before);
                open.lines.push(line.to_owned());
                open.lossy = true;
            }
            _ => self.before.push(line.to_owned()),
        }
    }

    /// Closes the keys that a line so far in does not belong to.
    fn close_down_to(&mut self, indent: usize) {
        while let Some(open) = self.open.pop_if(|open| open.indent >= indent) {
            let mut entry = open.entry;
            if open.lossy {
                entry.kept = Some(open.lines.clone());
            }
            let (entries, places) = match self.open.last_mut() {
                None => (&mut self.front.entries, &mut self.places),
                Some(above) => {
                    above.lines.extend(entry.before.iter().cloned());
                    above.lines.extend(open.lines);
                    above.lossy |= open.lossy;
                    match &mut above.entry.value {
                        Value::Block(entries) => (entries, &mut above.places),
                        // Only a block takes keys.
                        Value::Text(_) | Value::List(_) => continue,
                    }
                }
            };
            if let Some(known) = places.get(&entry.key).and_then(|at| entries.get_mut(*at)) {
                // The last one counts, at the place of the first.
                entry.before.splice(0..0, std::mem::take(&mut known.before));
                *known = entry;
            } else {
                places.insert(entry.key.clone(), entries.len());
                entries.push(entry);
            }
        }
    }
}

impl Open {
    /// Adds a list item below a key without a value.
    fn take_item(&mut self, item: &str, line: &str) -> bool {
        match &mut self.entry.value {
            Value::Block(entries) if entries.is_empty() => {
                self.entry.value = Value::List(vec![scalar::read(item)]);
            }
            Value::List(items) if self.lines[0].trim_end().ends_with(':') => items.push(scalar::read(item)),
            Value::Block(_) | Value::List(_) | Value::Text(_) => return false,
        }
        // An item that is a mapping or a list itself says more than its text.
        self.lossy |=
            key_line(item).is_some() || self::item(item).is_some() || item.starts_with(['[', '{', '|', '>']);
        self.lines.push(line.to_owned());
        true
    }
}

fn item(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches([' ', '\t']).strip_prefix('-')?;
    (rest.is_empty() || rest.starts_with(is_space)).then(|| crate::text::trim(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn front(text: &str) -> FrontMatter {
        Parts::of(text).front.expect("front matter")
    }

    fn again(inner: &str) -> String {
        let written = front(&format!("---\n{inner}---\n")).write();
        written["---\n".len()..written.len() - "---\n".len()].to_owned()
    }

    #[test]
    fn the_opening_line_is_exact() {
        for text in [
            "--- \na: b\n---\n",
            "x\n---\na: b\n---\n",
            "",
            "---",
            "----\na: b\n---\n",
        ] {
            let parts = Parts::of(text);
            assert_eq!((parts.front, parts.body), (None, text), "{text}");
        }
        for text in [
            "---\na: b\n---\n\nBody\n",
            "---\r\na: b\r\n---\r\nBody\n",
            "\u{feff}---\na: b\n---\nBody\n",
        ] {
            let parts = Parts::of(text);
            assert_eq!(
                parts.front.and_then(|front| front.text("a").map(str::to_owned)),
                Some("b".to_owned())
            );
            assert_eq!(parts.body, "Body\n");
        }
    }

    #[test]
    fn a_body_begins_with_its_first_word_with_front_matter_or_without() {
        for text in ["---\na: b\n---\n \n  Body\n", " \n\n  Body\n", "\u{feff}  Body\n"] {
            assert_eq!(Parts::of(text).body, "Body\n", "{text:?}");
        }
    }

    #[test]
    fn front_matter_that_never_closes_is_told() {
        assert!(Parts::of("---\na: b\nc: d\n\n# State\n").unclosed);
        assert!(Parts::of("---\na: b\nc:\n  - d\n\n# State\n").unclosed);
        assert!(!Parts::of("---\na: b\n\n# State\n").unclosed);
        assert!(!Parts::of("---\na: b\nc: d\nprose\n").unclosed);
    }

    #[test]
    fn a_second_block_goes_but_a_rule_stays() {
        assert_eq!(Parts::of("---\na: b\n---\n\n---\nc: d\n---\nBody").body, "Body");
        let ruled = "---\nSome prose, no key.\n---\nBody";
        assert_eq!(Parts::of(&format!("---\na: b\n---\n{ruled}")).body, ruled);
    }

    #[test]
    fn values_of_every_shape() {
        let front = front("---\na: x\nb: [1, \"2, 3\"]\nc:\n  - p\n  - 'q'\nd:\n  e: 1\n  f: two\ng:\n---\n");
        let list = |items: &[&str]| Value::List(items.iter().map(|&item| item.to_owned()).collect());
        assert_eq!(front.get("a"), Some(&Value::Text("x".to_owned())));
        assert_eq!(front.get("b"), Some(&list(&["1", "2, 3"])));
        assert_eq!(front.get("c"), Some(&list(&["p", "q"])));
        assert_eq!(front.nested("d", "f"), Some("two"));
        assert_eq!(front.get("g"), Some(&Value::Block(Vec::new())));
    }

    #[test]
    fn the_canonical_form_stays_as_it_is() {
        for inner in [
            "a: x\n",
            "# first\na: x\n# last\n",
            "a: [x, y]\n",
            "a: []\nb:\n",
            "a:\n  - one\n  - two\n  - three\n  - four\n",
            "progress:\n  total: 1\n  done: 2\n",
            "a:\n  b:\n    c: d\n",
            "a:\n# inner\n  b: c\n",
            "a:\n  # inner\n  b: c\n  # between\n  d:\n    # deep\n    e: f\n  # last\ng: h\n",
        ] {
            assert_eq!(again(inner), inner);
        }
        assert_eq!(again("'a': b\na: \"x\"\na: y\n"), "'a': b\na: y\n");
    }

    #[test]
    fn what_is_not_understood_is_kept_as_written() {
        for inner in [
            "note: |\n  two\n\n  lines: here\nb: c\n",
            "people:\n  - name: mira\n    age: 4\n  - name: ida\nb: c\n",
            "a:\n  - x\n# why\n  - y\n",
            "a:\n  - x\n  # why\n  - y\n",
            "a:\n  # why\n  - y\n",
            "note: |\n  # a heading\n  text\nb: c\n",
            "prose without a colon\na: b\n",
            "a: b\n  more of it\n",
        ] {
            assert_eq!(again(inner), inner);
        }
    }
}
