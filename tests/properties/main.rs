//! What must hold of every document and every change: nothing is lost, nothing else is touched, order does not matter.

mod baseline;
mod driver;
mod generate;
mod state;

use std::collections::{BTreeMap, BTreeSet};

use generate::{Tape, Text, delta, with_ends};
use git_spec::change::delta::SectionDelta;
use git_spec::change::{Change, ChangeFolder, Proposal, Tasks};
use git_spec::files::{MemoryTree, RepoPath};
use git_spec::ids;
use git_spec::markdown::three_way::{merge_sections, same_section};
use git_spec::markdown::{Document, Resolution, SectionAnchor, Table};
use git_spec::merge::{self, LineMerge, MergePlan};
use git_spec::text;
use proptest::prelude::*;

const DOCUMENT: &str = "logos/resources/prd/stock.md";

/// No delta here is a whole file.
struct NoLines;

impl LineMerge for NoLines {
    fn merge(&self, _: &[u8], _: &[u8], _: &[u8]) -> Result<(Vec<u8>, bool), String> {
        Err("only sections are merged here".to_owned())
    }
}

fn tree(document: Option<&[u8]>) -> MemoryTree {
    MemoryTree::new(document.map(|bytes| (DOCUMENT, bytes)))
}

fn plan(delta: &str, base: &[u8], now: Option<&[u8]>) -> MergePlan {
    let change = MemoryTree::new([
        ("logos/changes/one/deltas/prd/stock.md", delta),
        ("logos/changes/one/tasks.md", ""),
    ]);
    let folder = ChangeFolder::find(&change, "one").expect("memory can be read");
    let change = Change::load(&change, folder.expect("it is there")).expect("memory can be read");
    merge::plan(&change, Some(&tree(Some(base))), &tree(now), &NoLines, None).expect("memory can be read")
}

/// The document after a merge, none if it went; an error if the merge conflicts.
fn merged(delta: &str, base: &[u8], now: Option<&[u8]>) -> Result<Option<Vec<u8>>, MergePlan> {
    let mut plan = plan(delta, base, now);
    if !plan.conflicts.is_empty() {
        return Err(plan);
    }
    Ok(match plan.edits.pop() {
        Some(edit) => edit.new,
        None => now.map(<[u8]>::to_vec),
    })
}

/// The words of a text: what must not get lost. Each is made once.
fn words(text: Option<&[u8]>) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(text.unwrap_or_default());
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .filter(|w| w.contains(|c: char| c.is_ascii_digit()))
        .map(str::to_owned)
        .collect()
}

/// How often each of them stands in a text.
fn occurrences(text: Option<&[u8]>) -> BTreeMap<String, usize> {
    let text = String::from_utf8_lossy(text.unwrap_or_default());
    let mut out = BTreeMap::new();
    for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-') {
        *out.entry(word.to_owned()).or_default() += usize::from(word.contains(|c: char| c.is_ascii_digit()));
    }
    out
}

fn without_blank_lines(text: &str) -> String {
    text.lines()
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

fn tape() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..160)
}

fn short_tape() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..60)
}

/// Pieces of structure in any order: more telling than random bytes alone.
fn soup() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "# A",
            "## B",
            "### 1.1 C",
            "#",
            "##  ",
            "\n",
            "\n\n",
            "\r\n",
            "\r",
            "|",
            "| ID | x |",
            "|---|---|",
            "\\|",
            "`",
            "```",
            "~~~~",
            "<!--",
            "-->",
            " > ",
            "    ",
            "\t",
            "- ",
            "- [x] ",
            "1. ",
            "\u{feff}",
            "\u{3000}",
            "\u{2028}",
            "—",
            "## ADDED",
            "## MODIFIED — B",
            "## REMOVED-ITEMS — B",
            "- UT-1 — x",
            "## [delta] t",
            "- [ ] deltas/test/a.md",
            "> module: core",
            "## 部署影响",
            "- 是否需要部署：是",
            "编号",
            "场景名称",
            "场景地图",
            "S01",
            "UT-S01-01",
            "=======",
            "a",
        ])
        .prop_map(|s| s.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_that_is_read_makes_a_reader_fail(bytes in soup()) {
        let doc = Document::scan(bytes.clone());
        let lines: Vec<u8> = doc.all_lines().flat_map(|l| doc.slice(l..l + 1).to_vec()).collect();
        prop_assert_eq!(&lines, &bytes);
        let cut = text::lines(&bytes);
        prop_assert_eq!(cut.last().map_or(0, |l| l.next), bytes.len());
        let tables: Vec<Table> = doc.tables(doc.all_lines());
        prop_assert!(tables.iter().all(|t| t.lines.len() >= 3));
        let _ = ids::of_lines(&doc, doc.all_lines(), None, false);
        let delta = SectionDelta::read(bytes.clone());
        for block in &delta.blocks {
            let _ = delta.named_items(block);
        }
        let _ = Tasks::read(bytes.clone()).reset_code("x");
        let proposal = Proposal::read(bytes.clone());
        let _ = (proposal.module(), proposal.deployment_required());
        for line in doc.all_lines() {
            let _ = doc.fence(line);
        }
    }

    #[test]
    fn no_delta_and_no_document_make_the_planner_fail(delta in soup(), base in soup(), now in soup()) {
        let delta = String::from_utf8_lossy(&delta).into_owned();
        for (base, now) in [(&base, &now), (&base, &base)] {
            let before = Document::scan(now.clone());
            if let Ok(Some(new)) = merged(&delta, base, Some(now)) {
                // A second run finds everything there, or says why not; it never changes more.
                let after = Document::scan(new);
                prop_assert!(after.line_count() + before.line_count() > 0 || now.is_empty());
            }
        }
    }

    #[test]
    fn a_title_path_names_its_section_if_it_is_the_only_one(bytes in soup(), tape in tape()) {
        for bytes in [bytes, Text::random(&mut Tape::new(&tape, 'b')).bytes()] {
            let doc = Document::scan(bytes);
            for h in 0..doc.headings().len() {
                let path = doc.title_path(h);
                let anchor = SectionAnchor::new(&path);
                let above: Vec<&str> = doc.ancestors(h).map(|a| doc.headings()[a].plain.as_str()).collect();
                let plain = doc.headings()[h].plain.as_str();
                let nameable = |t: &&str| !t.is_empty() && !t.contains(" > ") && !t.ends_with(" >") && !t.starts_with("> ");
                if !above.iter().chain([&plain]).all(nameable) {
                    continue;
                }
                match anchor.resolve(&doc) {
                    Resolution::One(found) => prop_assert_eq!(found, h),
                    Resolution::Many(found) => prop_assert!(found.contains(&h)),
                    Resolution::Missing => prop_assert!(false, "{} is missing", path),
                }
            }
        }
    }

    #[test]
    fn a_side_that_changed_nothing_leaves_the_section_to_the_other(tape in tape(), edits in short_tape(), crlf in any::<bool>()) {
        let text = Text::random(&mut Tape::new(&tape, 'b'));
        let all = text.all();
        let mut edits = Tape::new(&edits, 'a');
        let old = all[edits.below(all.len())];
        let mut new = old.clone();
        new.change(&mut edits);
        let eol: &[u8] = if crlf { b"\r\n" } else { b"\n" };
        let whole = |s: &generate::Section| with_ends(&(s.lines().join("\n") + "\n"), crlf);
        let (x, y) = (whole(old), whole(&new));
        let only_ours = merge_sections(&x, &y, &x, eol).clean();
        prop_assert_eq!(only_ours.as_ref(), Some(&y));
        let only_theirs = merge_sections(&x, &x, &y, eol).clean().expect("one side changed");
        if same_section(&x, &y) {
            prop_assert_eq!(&only_theirs, &x);
        } else {
            prop_assert_eq!(&only_theirs, &y);
        }
        prop_assert_eq!(merge_sections(&x, &y, &y, eol).clean(), Some(y));
    }

    #[test]
    fn a_block_writes_its_section_and_nothing_else(tape in tape(), edits in short_tape()) {
        let text = Text::random(&mut Tape::new(&tape, 'b'));
        let base = text.bytes();
        let doc = Document::scan(base.clone());
        let mut edits = Tape::new(&edits, 'a');
        let all = text.all();
        let old = all[edits.below(all.len())];
        let mut new = old.clone();
        new.change(&mut edits);
        let delta = format!("## MODIFIED — {}\n\n{}\n", old.title, new.lines().join("\n"));
        let heading = SectionAnchor::new(&old.title).resolve(&doc).one();
        let span = doc.span(doc.trimmed(doc.section(heading.expect("titles are unique"))));
        match merged(&delta, &base, Some(&base)) {
            Ok(Some(got)) => {
                let written = with_ends(&new.lines().join("\n"), text.crlf);
                let mut want = base[..span.start].to_vec();
                let same = same_section(&with_ends(&(old.lines().join("\n") + "\n"), text.crlf), &written);
                want.extend_from_slice(if same { &base[span.start..span.end] } else { &written });
                if !same && base[span.start..span.end].ends_with(b"\n") {
                    want.extend_from_slice(if text.crlf { b"\r\n" } else { b"\n" });
                }
                want.extend_from_slice(&base[span.end..]);
                prop_assert_eq!(String::from_utf8_lossy(&got), String::from_utf8_lossy(&want));
            }
            Ok(None) => prop_assert!(false, "the document went"),
            // Rows left out without a word.
            Err(plan) => prop_assert!(plan.conflicts.iter().all(|c| c.code.as_str() == "delta_implicit_id_removal"), "{plan:?}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn two_changes_give_the_same_bytes_in_either_order_and_lose_nothing(
        tape in tape(), one in short_tape(), two in short_tape(),
    ) {
        let text = Text::random(&mut Tape::new(&tape, 'b'));
        let base = text.bytes();
        let one = delta(&mut Tape::new(&one, 'k'), &text);
        let two = delta(&mut Tape::new(&two, 'm'), &text);
        let first = merged(&one, &base, Some(&base));
        let second = merged(&two, &base, Some(&base));
        let alone = |plan: MergePlan| TestCaseError::fail(format!("a change that is alone merges cleanly: {:?}", plan.conflicts));
        let (first, second) = (first.map_err(alone)?, second.map_err(alone)?);
        let both = merged(&two, &base, first.as_deref());
        let other_way = merged(&one, &base, second.as_deref());
        match (both, other_way) {
            (Ok(both), Ok(other)) => {
                // A section that goes takes the blank lines behind it along and leaves those before it, so that their
                // number tells what came first; so may the order of what was added before and behind it. All else does not.
                let removes = [&one, &two].iter().any(|delta| delta.contains("## REMOVED —"));
                let show = |text: &Option<Vec<u8>>| text.as_ref().map(|t| {
                    let text = String::from_utf8_lossy(t).into_owned();
                    if removes {
                        let mut lines: Vec<String> = without_blank_lines(&text).lines().map(str::to_owned).collect();
                        lines.sort();
                        lines.join("\n")
                    } else {
                        text
                    }
                });
                prop_assert_eq!(show(&both), show(&other), "{}\n{}", one, two);
                let was = words(Some(&base));
                let (a, b) = (words(first.as_deref()), words(second.as_deref()));
                let there = words(both.as_deref());
                for word in a.union(&b).filter(|w| !was.contains(*w)).chain(a.intersection(&b)) {
                    prop_assert!(there.contains(word), "{} is lost\n{}\n{}", word, one, two);
                }
                let before = [Some(&base), first.as_ref(), second.as_ref()].map(|t| occurrences(t.map(Vec::as_slice)));
                for (word, count) in occurrences(both.as_deref()) {
                    let most = before.iter().filter_map(|counts| counts.get(&word)).max();
                    prop_assert!(most.is_some_and(|most| count <= *most), "{} comes twice\n{}\n{}", word, one, two);
                }
                for gone in was.iter().filter(|w| !a.contains(*w) && !b.contains(*w)) {
                    prop_assert!(!there.contains(gone), "{} is back", gone);
                }
            }
            (Err(_), Err(_)) => {}
            (Ok(_), Err(plan)) | (Err(plan), Ok(_)) => {
                prop_assert!(false, "one order only: {:?}\n{}\n{}", plan.conflicts, one, two);
            }
        }
    }

    #[test]
    fn a_merge_that_was_made_changes_nothing_when_made_again(tape in tape(), edits in short_tape()) {
        let text = Text::random(&mut Tape::new(&tape, 'b'));
        let base = text.bytes();
        let delta = delta(&mut Tape::new(&edits, 'k'), &text);
        let once = merged(&delta, &base, Some(&base)).expect("a change that is alone merges cleanly");
        if let Some(once) = once {
            let again = merged(&delta, &base, Some(&once));
            let got = again.map_err(|plan| TestCaseError::fail(format!("{:?}", plan.conflicts)))?;
            prop_assert_eq!(got.map(|t| String::from_utf8_lossy(&t).into_owned()), Some(String::from_utf8_lossy(&once).into_owned()));
        }
    }
}

#[test]
fn paths_of_these_tests_are_paths() {
    assert!(RepoPath::is_path(DOCUMENT.as_bytes()));
}
