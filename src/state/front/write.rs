//! Writing front matter in its one form (state.md 2.3).

use super::{Entry, FrontMatter, OPENING, Value, scalar};

/// A list on one line has at most so many items, …
const SHORT_LIST: usize = 3;
/// … and fewer characters than this when joined.
const SHORT_LINE: usize = 60;

impl FrontMatter {
    /// The block with its dashes, every line ended by LF.
    pub fn write(&self) -> String {
        let mut out = String::new();
        line(&mut out, 0, OPENING);
        for entry in &self.entries {
            write_entry(&mut out, entry, 0);
        }
        for comment in &self.trailing {
            line(&mut out, 0, comment);
        }
        line(&mut out, 0, OPENING);
        out
    }
}

fn write_entry(out: &mut String, entry: &Entry, indent: usize) {
    for comment in &entry.before {
        line(out, 0, comment);
    }
    if let Some(kept) = &entry.kept {
        for kept in kept {
            line(out, 0, kept);
        }
        return;
    }
    let key = &entry.key;
    match &entry.value {
        Value::Text(text) => line(out, indent, &format!("{key}: {}", scalar::write(text))),
        Value::List(items) if is_short(items) => {
            let items: Vec<_> = items.iter().map(|item| list_item(item)).collect();
            line(out, indent, &format!("{key}: [{}]", items.join(", ")));
        }
        Value::List(items) => {
            line(out, indent, &format!("{key}:"));
            for item in items {
                line(out, indent + 2, &format!("- {}", scalar::write(item)));
            }
        }
        Value::Block(entries) => {
            line(out, indent, &format!("{key}:"));
            for entry in entries {
                write_entry(out, entry, indent + 2);
            }
        }
    }
}

fn is_short(items: &[String]) -> bool {
    let joined: usize =
        items.iter().map(|item| item.chars().count()).sum::<usize>() + 2 * items.len().saturating_sub(1);
    // An item that holds nothing would be gone from a list on one line.
    items.len() <= SHORT_LIST && joined < SHORT_LINE && items.iter().all(|item| !item.is_empty())
}

/// An item of a list on one line: a comma and a bracket would end it.
fn list_item(item: &str) -> String {
    match scalar::write(item) {
        bare if *bare == *item && item.contains([',', ']']) => format!("\"{item}\""),
        written => written.into_owned(),
    }
}

fn line(out: &mut String, indent: usize, text: &str) {
    for _ in 0..indent {
        out.push(' ');
    }
    out.push_str(text);
    out.push('\n');
}
