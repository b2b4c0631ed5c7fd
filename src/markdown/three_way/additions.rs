//! Lists that are only ever added to: both sides' new entries, whatever they are next to; nothing clashes by standing at
//! the same place (git.md 6, "STATE.md").

use std::collections::HashMap;

use super::keyed::{self, Entry, Fate, Item};
use super::part::{choose_blanks, key, row_key};
use super::units::{Kind, Unit, blanks_between, cut};
use super::{ClashKind, Three};
use crate::markdown::{Document, Table};
use crate::text::Bytes;

/// What the entries of a list are.
pub struct Listing {
    /// Whether a table with this header is added to; of any other the rows are merged by change.md 6.7.
    pub is_appended: fn(&[String]) -> bool,
    /// What an entry is found again by, if not by its whole text: then it may be changed, by one side.
    pub name: fn(&str) -> Option<String>,
    /// Whether a text only says that there is no entry.
    pub is_placeholder: fn(&str) -> bool,
}

/// Settles three versions of a list, lines ended by LF: what is decided stands in all of them alike; what is not, in each
/// as it was. None if both sides moved entries about, or a table's header is written in two ways.
pub fn settle_additions(versions: [&[u8]; 3], listing: &Listing) -> Option<[Bytes; 3]> {
    let docs = versions.map(Document::scan);
    let [base, ours, theirs] = &docs;
    let lists = Three {
        base: List::of(base, listing),
        ours: List::of(ours, listing),
        theirs: List::of(theirs, listing),
    };
    let entries = keyed::merge(Three {
        base: &lists.base.items,
        ours: &lists.ours.items,
        theirs: &lists.theirs.items,
    })?;
    let is_entry = |unit: &Unit<'_>| {
        let is_listed = matches!(unit.kind, Kind::Item | Kind::Table);
        is_listed && !is_placeholder(unit, listing)
    };
    let has_entries = entries.iter().any(|entry| lists.any(entry).is_some_and(is_entry));
    // What stands first is set off from the heading; what comes to stand first takes that over.
    let lead = choose_blanks(lists.of_each(|list| list.units.first().map(|unit| unit.blanks)));
    let mut out = [Text::new(lead), Text::new(lead), Text::new(lead)];
    for entry in &entries {
        let units = lists.units(entry);
        let Some(one) = lists.any(entry) else { continue };
        if has_entries && is_placeholder(one, listing) {
            continue;
        }
        let settled = match entry.fate {
            Fate::Ours => units[1].map(|unit| unit.text().to_vec()),
            Fate::Theirs => units[2].map(|unit| unit.text().to_vec()),
            Fate::Both | Fate::Clash(ClashKind::AddedTwice) => match rows(units, listing) {
                Rows::Merged(text) => Some(text),
                Rows::Left => None,
                Rows::Apart => return None,
            },
            Fate::Clash(ClashKind::BothChanged | ClashKind::ChangedAndRemoved) => None,
        };
        for (text, own) in out.iter_mut().zip(units) {
            let blanks = lists.blanks(entry, text.last);
            match (&settled, own) {
                (Some(settled), _) => text.push(blanks, one.kind, settled),
                (None, Some(own)) => text.push(blanks, own.kind, own.text()),
                (None, None) => {}
            }
        }
    }
    Some(out.map(|text| text.bytes))
}

fn is_placeholder(unit: &Unit<'_>, listing: &Listing) -> bool {
    std::str::from_utf8(unit.text()).is_ok_and(|text| (listing.is_placeholder)(text.trim()))
}

/// The units of one version, and what each is found again by.
struct List<'d> {
    units: Vec<Unit<'d>>,
    items: Vec<Item>,
}

impl<'d> List<'d> {
    fn of(doc: &'d Document, listing: &Listing) -> Self {
        let units = cut(doc, doc.all_lines());
        let mut seen = HashMap::new();
        let item = |unit: &Unit<'_>| {
            let name = (unit.table.is_none())
                .then(|| (listing.name)(&String::from_utf8_lossy(unit.text())))
                .flatten();
            let key = match name {
                Some(name) => format!("name {name}"),
                None => String::from_utf8_lossy(&unit.identity).into_owned(),
            };
            Item {
                key: numbered(key, &mut seen),
                content: unit.content.clone(),
            }
        };
        let items = units.iter().map(item).collect();
        Self { units, items }
    }
}

/// The key of a thing; further ones of the same key have theirs.
fn numbered(key: String, seen: &mut HashMap<String, usize>) -> String {
    let nth = seen.entry(key.clone()).and_modify(|n| *n += 1).or_insert(1);
    if *nth == 1 {
        key
    } else {
        format!("{key}\u{0}{nth}")
    }
}

impl<'d> Three<List<'d>> {
    fn units(&self, entry: &Entry) -> [Option<&Unit<'d>>; 3] {
        [
            entry.base.map(|at| &self.base.units[at]),
            entry.ours.map(|at| &self.ours.units[at]),
            entry.theirs.map(|at| &self.theirs.units[at]),
        ]
    }

    fn of_each<T>(&self, of: impl Fn(&List<'d>) -> T) -> Three<T> {
        Three {
            base: of(&self.base),
            ours: of(&self.ours),
            theirs: of(&self.theirs),
        }
    }

    /// How many blank lines set an entry off from what stands before it: as many as where it follows something of that
    /// kind already.
    fn blanks(&self, entry: &Entry, last: Option<Kind>) -> usize {
        let of = |list: &List<'_>, at: Option<usize>| {
            let at = at?;
            let before = list.units.get(at.checked_sub(1)?)?;
            (Some(before.kind) == last).then_some(list.units[at].blanks)
        };
        choose_blanks(Three {
            base: of(&self.base, entry.base),
            ours: of(&self.ours, entry.ours),
            theirs: of(&self.theirs, entry.theirs),
        })
    }

    fn any(&self, entry: &Entry) -> Option<&Unit<'d>> {
        let [_, ours, theirs] = self.units(entry);
        ours.or(theirs)
    }
}

enum Rows {
    Merged(Bytes),
    /// This is no table that is added to.
    Left,
    /// The two tables cannot be one.
    Apart,
}

/// The rows of both sides' tables.
fn rows(units: [Option<&Unit<'_>>; 3], listing: &Listing) -> Rows {
    let [base, Some(ours), Some(theirs)] = units else {
        return Rows::Left;
    };
    let (Some(our_table), Some(their_table)) = (&ours.table, &theirs.table) else {
        return Rows::Left;
    };
    if !(listing.is_appended)(&our_table.header) {
        return Rows::Left;
    }
    let head = |unit: &Unit<'_>| unit.lines.start..unit.lines.start + 2;
    let head_key = |unit: &Unit<'_>| key(unit.doc, head(unit));
    let (our_key, their_key) = (head_key(ours), head_key(theirs));
    let base_key = base.map(head_key);
    let from = if our_key == their_key || base_key.as_ref() == Some(&their_key) {
        ours
    } else if base_key.as_ref() == Some(&our_key) {
        theirs
    } else {
        return Rows::Apart;
    };
    let lists = Three {
        base: base
            .and_then(|unit| unit.table.as_ref())
            .map(row_items)
            .unwrap_or_default(),
        ours: row_items(our_table),
        theirs: row_items(their_table),
    };
    let entries = keyed::merge(Three {
        base: &lists.base,
        ours: &lists.ours,
        theirs: &lists.theirs,
    });
    let Some(entries) = entries else {
        return Rows::Apart;
    };
    let mut out = from.doc.slice(head(from)).to_vec();
    for entry in entries {
        // Rows with one key are equal: of two sides one is as good as the other.
        let found = entry
            .ours
            .map(|at| (ours, our_table.rows[at].line))
            .or_else(|| entry.theirs.map(|at| (theirs, their_table.rows[at].line)));
        if let Some((unit, line)) = found {
            out.extend_from_slice(unit.doc.slice(line..line + 1));
        }
    }
    Rows::Merged(out)
}

fn row_items(table: &Table) -> Vec<Item> {
    let mut seen = HashMap::new();
    let item = |cells: &[String]| {
        let content = row_key(cells);
        let key = String::from_utf8_lossy(&content).into_owned();
        Item {
            key: numbered(key, &mut seen),
            content,
        }
    };
    table.rows.iter().map(|row| &row.cells[..]).map(item).collect()
}

/// A text that units are written to.
struct Text {
    bytes: Bytes,
    /// Blank lines before the first unit.
    lead: usize,
    last: Option<Kind>,
}

impl Text {
    fn new(lead: usize) -> Self {
        Self {
            bytes: Bytes::new(),
            lead,
            last: None,
        }
    }

    fn push(&mut self, blanks: usize, kind: Kind, text: &[u8]) {
        let blanks = match self.last {
            Some(_) => blanks_between(self.last, kind, blanks),
            None => self.lead,
        };
        self.bytes.resize(self.bytes.len() + blanks, b'\n');
        self.bytes.extend_from_slice(text);
        if !text.ends_with(b"\n") {
            self.bytes.push(b'\n');
        }
        self.last = Some(kind);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::is_complete;
    use super::*;

    const LISTING: Listing = Listing {
        is_appended: |header| header.first().is_some_and(|cell| cell == "Plan"),
        name: |text| Some(text.strip_prefix("- Total: ").map(|_| "total")?.to_owned()),
        is_placeholder: |text| text == "None yet.",
    };

    fn settled(base: &str, ours: &str, theirs: &str) -> Option<[String; 3]> {
        let texts = settle_additions([base.as_bytes(), ours.as_bytes(), theirs.as_bytes()], &LISTING)?;
        Some(texts.map(|text| String::from_utf8(text).expect("UTF-8 stays UTF-8")))
    }

    /// The one text that all three are, whichever side is ours.
    #[track_caller]
    fn merged(base: &str, ours: &str, theirs: &str) -> String {
        let one = settled(base, ours, theirs).expect("it can be settled");
        assert!(one[0] == one[1] && one[1] == one[2], "{one:?}");
        assert_eq!(
            Some(&one),
            settled(base, theirs, ours).as_ref(),
            "the order shows"
        );
        one[0].clone()
    }

    #[test]
    fn both_sides_entries_follow_those_of_the_base() {
        assert_eq!(
            merged("\n- a\n", "\n- a\n- d\n- b\n", "\n- a\n- c\n"),
            "\n- a\n- c\n- d\n- b\n"
        );
        assert_eq!(
            merged("\n- a\n", "\n- a\n- b\n", "\n- a\n- b\n- c\n"),
            "\n- a\n- b\n- c\n"
        );
        assert_eq!(
            merged("", "\n- [Phase 10]: x\n", "\n- [Phase 9]: y\n"),
            "\n- [Phase 9]: y\n- [Phase 10]: x\n"
        );
    }

    #[test]
    fn what_one_side_removed_or_edited_goes() {
        assert_eq!(
            merged("\n- a\n- b\n", "\n- b\n", "\n- a\n- b\n- c\n"),
            "\n- b\n- c\n"
        );
        assert_eq!(merged("\n- a\n", "\n- A\n", "\n- a\n- c\n"), "\n- A\n- c\n");
        assert_eq!(merged("\n- a\n- a\n", "\n- a\n- a\n", "\n- a\n"), "\n- a\n");
    }

    #[test]
    fn each_side_may_remove_another_of_two_equal_lines() {
        let base = "| 1 | x |\nother\n- a\n| 1 | x |\n";
        assert_eq!(merged(base, "| 1 | x |\nother\n", "| 1 | x |\n"), "");
    }

    #[test]
    fn a_placeholder_gives_way_to_entries() {
        assert_eq!(merged("\nNone yet.\n", "\n- a\n", "\n- b\n"), "\n- a\n- b\n");
        assert_eq!(merged("\n- x\n", "\nNone yet.\n", "\n- x\n- b\n"), "\n- b\n");
        assert_eq!(
            merged("\n- x\n", "\nNone yet.\n", "\nNone yet.\n"),
            "\nNone yet.\n"
        );
    }

    #[test]
    fn rows_are_added_to_tables_even_to_new_ones() {
        let table = |rows: &str| format!("\n**Plans:**\n\n| Plan | t |\n|---|---|\n{rows}");
        assert_eq!(
            merged(
                &table("| 1 | a |\n"),
                &table("| 1 | a |\n| 2 | b |\n"),
                &table("| 1 | a |\n| 2 | c |\n")
            ),
            table("| 1 | a |\n| 2 | b |\n| 2 | c |\n")
        );
        assert_eq!(
            merged("", &table("| 1 | a |\n"), &table("| 2 | b |\n")),
            table("| 1 | a |\n| 2 | b |\n")
        );
    }

    #[test]
    fn what_has_a_name_is_left_where_both_changed_it() {
        let of = |n: u8| format!("\n- Total: {n}\n");
        assert_eq!(merged(&of(1), &of(1), &of(2)), of(2));
        let left = settled(&of(1), &of(2), &of(3)).expect("it can be settled");
        assert_eq!(left, [of(1), of(2), of(3)]);
        let phases = |n: u8| format!("\n| Phase | n |\n|---|---|\n| 1 | {n} |\n");
        let left = settled(&phases(1), &phases(2), &phases(3)).expect("it can be settled");
        assert_eq!(left, [phases(1), phases(2), phases(3)]);
    }

    fn list() -> impl Strategy<Value = String> {
        let line = prop::sample::select(vec![
            "- a",
            "- b",
            "- c",
            "- d",
            "- e\n  more",
            "text",
            "other",
            "",
            "| Plan | t |",
            "|---|---|",
            "| 1 | x |",
            "| 2 | y |",
            "| 2 | z |",
            "```",
        ]);
        prop::collection::vec(line, 0..12).prop_map(|lines| {
            let text = lines.join("\n");
            if text.is_empty() { text } else { text + "\n" }
        })
    }

    /// Of two equal lines each side may have taken away the other one: an account by lines cannot know.
    fn took_equal_lines(base: &str, ours: &str, theirs: &str) -> bool {
        let count = |text: &str, line: &str| text.lines().filter(|other| *other == line).count();
        base.lines().any(|line| {
            let before = count(base, line);
            before > 1 && count(ours, line) < before && count(theirs, line) < before
        })
    }

    proptest! {
        #[test]
        fn nothing_new_is_lost(base in list(), ours in list(), theirs in list()) {
            let Some(texts) = settled(&base, &ours, &theirs) else { return Ok(()) };
            if took_equal_lines(&base, &ours, &theirs) {
                return Ok(());
            }
            let sides = [base.as_bytes(), ours.as_bytes(), theirs.as_bytes()];
            let both = [texts[1].as_bytes(), texts[2].as_bytes()].concat();
            prop_assert!(is_complete(sides, &both, b""), "{texts:?}");
        }
    }
}
