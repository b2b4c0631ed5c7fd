//! Which cases a test stands for: the ids in an explicit property, in its own name, or in the titles around it.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use crate::ids;
use crate::text::is_space;

/// The ids that the specifications define (verify.md 3). Manual ids are not among the defined ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownCases {
    pub defined: BTreeSet<String>,
    pub manual: BTreeSet<String>,
}

/// What stands around a test.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Titles<'a> {
    /// Nearer than all the others, such as a class.
    pub(super) nearest: Option<&'a str>,
    /// The outermost first.
    pub(super) outer: &'a [String],
}

impl<'a> Titles<'a> {
    pub(super) fn of(outer: &'a [String]) -> Self {
        Self { nearest: None, outer }
    }

    fn innermost_first(self) -> impl Iterator<Item = &'a str> {
        let outer = self.outer.iter().rev().map(String::as_str);
        self.nearest
            .into_iter()
            .chain(outer)
            .filter(|title| !is_file_name(title))
    }
}

/// What was found for a test.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found<'a> {
    pub(super) ids: Vec<Cow<'a, str>>,
    /// The same once they are many.
    seen: HashSet<Cow<'a, str>>,
    /// Ids of one folded form, which was mentioned.
    pub(super) ambiguous: Vec<&'a [String]>,
    /// Whether a title gave the ids, and not the test itself.
    pub(super) by_title: bool,
}

/// Looks for ids.
pub(super) struct Finder {
    /// Every known id by its folded form; more than one are ambiguous.
    folded: HashMap<String, Vec<String>>,
    /// The most parts that a folded form has.
    parts: usize,
}

impl Finder {
    pub(super) fn new(known: &KnownCases) -> Self {
        let mut folded: HashMap<String, Vec<String>> = HashMap::new();
        let mut parts = 0;
        for id in known.defined.union(&known.manual) {
            let form = fold(id);
            parts = parts.max(form.split('_').count());
            folded.entry(form).or_default().push(id.clone());
        }
        Self { folded, parts }
    }

    /// The ids of a test. The first candidate that has any decides (verify.md 15).
    pub(super) fn find<'a>(&'a self, explicit: &'a str, name: &'a str, titles: Titles<'a>) -> Found<'a> {
        let mut found = Found::default();
        let given = explicit.split(|c: char| c == ',' || c.is_whitespace() || is_space(c));
        for id in given.filter(|id| !id.is_empty()) {
            found.add(id);
        }
        // A suite that could not be loaded is reported as a test of the file's name.
        if found.ids.is_empty() && !is_file_name(name) {
            self.find_in(name, &mut found);
        }
        if !found.ids.is_empty() {
            return found;
        }
        for title in titles.innermost_first() {
            self.find_in(title, &mut found);
            if !found.ids.is_empty() {
                found.by_title = true;
                break;
            }
        }
        found
    }

    fn find_in<'a>(&'a self, name: &'a str, found: &mut Found<'a>) {
        for id in ids::whole_mentions(name) {
            found.add(id);
        }
        if found.ids.is_empty() && self.parts > 0 {
            self.find_folded(name, found);
        }
    }

    fn find_folded<'a>(&'a self, name: &str, found: &mut Found<'a>) {
        let form = fold(name);
        let mut start = 0;
        while start < form.len() {
            let rest = &form[start..];
            let known = ["UT_", "ST_", "SMOKE_"].iter().any(|kind| rest.starts_with(kind));
            let longest = known.then(|| self.longest_at(rest)).flatten();
            start += match longest {
                Some((len, ids)) => {
                    match ids {
                        [id] => found.add(id.as_str()),
                        several => found.ambiguous.push(several),
                    }
                    len + 1
                }
                None => rest.find('_').map_or(rest.len(), |end| end + 1),
            };
        }
    }

    /// The longest folded form of a known id that stands at the start of `form`.
    fn longest_at(&self, form: &str) -> Option<(usize, &[String])> {
        let ends = form.match_indices('_').map(|(end, _)| end).chain([form.len()]);
        let ends: Vec<usize> = ends.take(self.parts).collect();
        let mut longest_first = ends.into_iter().rev();
        longest_first.find_map(|end| Some((end, self.folded.get(&form[..end])?.as_slice())))
    }
}

impl<'a> Found<'a> {
    fn add(&mut self, id: impl Into<Cow<'a, str>>) {
        const FEW: usize = 16;
        let id = id.into();
        let is_new = if self.ids.len() < FEW {
            !self.ids.contains(&id)
        } else {
            if self.seen.is_empty() {
                self.seen.extend(self.ids.iter().cloned());
            }
            self.seen.insert(id.clone())
        };
        if is_new {
            self.ids.push(id);
        }
    }
}

/// A name as languages can hold it that allow no dashes: upper case, `_` between words and for all that is no ASCII
/// letter or digit.
fn fold(name: &str) -> String {
    let mut form = String::with_capacity(name.len() + 8);
    let (mut after_lower, mut is_divided) = (false, true);
    for byte in name.bytes() {
        let is_word = byte.is_ascii_alphanumeric();
        let divides = !is_word || (after_lower && byte.is_ascii_uppercase());
        if divides && !is_divided {
            form.push('_');
        }
        if is_word {
            form.push(char::from(byte.to_ascii_uppercase()));
        }
        is_divided = !is_word;
        after_lower = byte.is_ascii_lowercase();
    }
    form.truncate(form.trim_end_matches('_').len());
    form
}

/// Whether a title is the name of a source file, as several frameworks call their outermost suites.
fn is_file_name(title: &str) -> bool {
    const SOURCES: [&str; 24] = [
        "c", "cc", "cjs", "cpp", "cs", "cts", "dart", "ex", "exs", "feature", "go", "java", "js", "jsx",
        "kt", "mjs", "mts", "php", "py", "rb", "rs", "swift", "ts", "tsx",
    ];
    let extension = title.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|extension| SOURCES.contains(&extension)) && !title.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(ids: &[&str]) -> KnownCases {
        KnownCases {
            defined: ids.iter().map(|id| (*id).to_owned()).collect(),
            manual: BTreeSet::new(),
        }
    }

    fn ids(defined: &[&str], name: &str) -> Vec<String> {
        let finder = Finder::new(&known(defined));
        let found = finder.find("", name, Titles::default());
        found.ids.into_iter().map(Cow::into_owned).collect()
    }

    #[test]
    fn literal_ids_stand_anywhere_in_a_name() {
        for name in [
            "UT-S01-03: does x",
            "[UT-S01-03] does x",
            "does x (UT-S01-03)",
            "用UT-S01-03.",
            "UT-S01-03-",
        ] {
            assert_eq!(ids(&[], name), ["UT-S01-03"], "{name}");
        }
        assert_eq!(
            ids(&[], "UT-S01-03.2 and ST-1, UT-S01-03.2"),
            ["UT-S01-03.2", "ST-1"]
        );
        assert_eq!(ids(&["UT-S01-03"], "ut-s01-03 is folded"), ["UT-S01-03"]);
        assert_eq!(ids(&["UT-S01-03"], "UT-S01-03_glued"), ["UT-S01-03"]);
        assert_eq!(ids(&["UT-S01-03"], "UT-S01-04 UT_S01_03"), ["UT-S01-04"]);
        assert_eq!(ids(&[], "OUT-S01-03 UT_S01"), [""; 0]);
        let many: Vec<String> = (0..99).map(|n| format!("UT-{n}")).collect();
        assert_eq!(ids(&[], &format!("{0} {0}", many.join(" "))), many);
    }

    #[test]
    fn folded_ids_stand_between_underscores_or_ends() {
        let defined = ["UT-S01-03", "UT-A-1.2", "UT-A-1", "ut-x-9"];
        for name in [
            "test_UT_S01_03_rejects_empty",
            "TestUT_S01_03_RejectsEmpty",
            "ut_s01_03_rejects_empty",
            "tests::ut_s01_03::empty",
        ] {
            assert_eq!(ids(&defined, name), ["UT-S01-03"], "{name}");
        }
        assert_eq!(ids(&defined, "ut_s01_031"), [""; 0]);
        assert_eq!(ids(&defined, "out_s01_03"), [""; 0]);
        assert_eq!(
            ids(&defined, "ut_a_1_2 ut_a_1 UT_X_9"),
            ["UT-A-1.2", "UT-A-1", "ut-x-9"]
        );
    }

    #[test]
    fn two_ids_of_one_folded_form_match_neither() {
        let finder = Finder::new(&known(&["UT-A-1.2", "UT-A-1-2", "UT-A-1"]));
        let found = finder.find("", "ut_a_1_2_x", Titles::default());
        assert_eq!(found.ids, [""; 0]);
        assert_eq!(found.ambiguous, [["UT-A-1-2", "UT-A-1.2"]]);
        let literal = finder.find("", "UT-A-1-2", Titles::default());
        assert_eq!(literal.ids, ["UT-A-1-2"]);
    }

    #[test]
    fn the_first_candidate_with_an_id_decides() {
        let finder = Finder::new(&known(&["UT-1"]));
        let outer = ["ST-3".to_owned(), "UT-5.spec.ts".to_owned()];
        let titles = Titles {
            nearest: Some("class ST-2"),
            outer: &outer,
        };
        let of = |explicit, name, titles| {
            let found = finder.find(explicit, name, titles);
            (found.ids.join(" "), found.by_title)
        };
        assert_eq!(
            of("x-1, y;ST-9\n", "UT-1", titles),
            ("x-1 y;ST-9".to_owned(), false)
        );
        assert_eq!(of(" , ", "ut_1", titles), ("UT-1".to_owned(), false));
        assert_eq!(of("", "none", titles), ("ST-2".to_owned(), true));
        assert_eq!(of("", "none", Titles::of(&outer)), ("ST-3".to_owned(), true));
        assert_eq!(of("", "none", Titles::of(&outer[1..])), (String::new(), false));
    }
}
