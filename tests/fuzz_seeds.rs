//! The fuzz targets on their corpora and on random edits of them, the same at every run.
//!
//! `GIT_SPEC_FUZZ=100000` sets how many edits of each corpus are tried, `GIT_SPEC_FUZZ_SEED=7` which.

#[path = "../fuzz/properties.rs"]
mod properties;

use std::panic::catch_unwind;
use std::path::Path;

/// Enough to find a slip, few enough for every run.
const EDITS: u64 = 3000;
const LONGEST: usize = 4096;

/// What the grammars are made of.
const PIECES: [&str; 58] = [
    "---\n",
    "status: executing\n",
    "progress:\n  percent: 3\n",
    "## Current Position\n",
    "## Session\n",
    "### Decisions\n",
    "## Performance Metrics\n",
    "**Status:** ",
    "Phase: 2 of 3 (Mast)\n",
    "| Plan | 1 of 3 |\n",
    "- [Phase 1]: x\n",
    "Last activity: 2026-01-01\n",
    "\u{1c}",
    "modules:\n",
    "- {id: till, name: Till, lifecycle: launched}\n",
    "overlay:\n",
    "- {op: add, after: code, node: {id: own, name: Own, done_when: 'marker:X'}}\n",
    "- {op: set-loop, subflow: implement, set: {max_iters: 2}}\n",
    "done_when: 'cmd:x'",
    "## [delta]\n",
    "## [deploy]\n",
    "{\"result\":\"fail\"}\n",
    "\n",
    "\r\n",
    "\r",
    "\0",
    "\u{feff}",
    " ",
    "    ",
    "\t",
    "\u{3000}",
    "`",
    "``",
    "```",
    "~~~~",
    "<!--",
    "-->",
    "|",
    "\\|",
    "|---|\n",
    "# ",
    "## ",
    "###### ",
    "## [code]",
    "- [ ] ",
    "- [x] ",
    "## ADDED — ",
    "## MODIFIED — ",
    "## REMOVED — ",
    "## REMOVED-ITEMS — ",
    "UT-S01-01",
    " > ",
    "> module: core",
    "M\0",
    "R100\0",
    "C07\0",
    "logos/changes/",
    "..",
];

#[test]
fn documents() {
    replay("markdown_scan", properties::markdown_scan);
}

#[test]
fn deltas() {
    replay("delta_grammar", properties::delta_grammar);
}

#[test]
fn name_status_streams() {
    replay("name_status", properties::name_status);
}

#[test]
fn states_of_projects() {
    replay("project_state", properties::project_state);
}

#[test]
fn reports_of_tests() {
    replay("test_reports", properties::test_reports);
}

#[test]
fn memories_of_projects() {
    replay("state_document", properties::state_document);
}

#[test]
fn documents_of_sillyspec() {
    replay("silly_documents", properties::silly_documents);
}

#[test]
fn states_of_loops() {
    replay("loop_state", properties::loop_state);
}

#[test]
fn tool_calls() {
    replay("tool_calls", properties::tool_calls);
}

fn replay(target: &str, property: fn(&[u8])) {
    let corpus = corpus(target);
    for seed in &corpus {
        check(target, property, seed);
    }
    let mut random = Random(number("GIT_SPEC_FUZZ_SEED").unwrap_or(1) ^ 0x9e37_79b9_7f4a_7c15);
    for _ in 0..number("GIT_SPEC_FUZZ").unwrap_or(EDITS) {
        let mut data = corpus[random.below(corpus.len())].clone();
        for _ in 0..=random.below(6) {
            edit(&mut data, &corpus, &mut random);
        }
        data.truncate(LONGEST);
        check(target, property, &data);
    }
}

fn check(target: &str, property: fn(&[u8]), data: &[u8]) {
    let held = catch_unwind(|| property(data));
    assert!(held.is_ok(), "{target}: b\"{}\"", data.escape_ascii());
}

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(target);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    paths
        .iter()
        .map(|path| std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
        .collect()
}

fn number(variable: &str) -> Option<u64> {
    let value = std::env::var(variable).ok()?;
    Some(value.parse().unwrap_or_else(|e| panic!("{variable}: {e}")))
}

/// One edit: cut, repeat, insert a piece, change a byte, or take a part of another seed.
fn edit(data: &mut Vec<u8>, corpus: &[Vec<u8>], random: &mut Random) {
    let (from, to) = (random.below(data.len() + 1), random.below(data.len() + 1));
    let (start, end) = (from.min(to), from.max(to));
    match random.below(6) {
        0 => drop(data.drain(start..end)),
        1 => {
            let part = data[start..end].to_vec();
            data.splice(start..start, part);
        }
        2 => {
            let other = &corpus[random.below(corpus.len())];
            let (a, b) = (random.below(other.len() + 1), random.below(other.len() + 1));
            data.splice(start..start, other[a.min(b)..a.max(b)].iter().copied());
        }
        3 if start < data.len() => data[start] = random.byte(),
        _ => {
            let piece = PIECES[random.below(PIECES.len())];
            data.splice(start..start, piece.bytes());
        }
    }
}

/// A small generator with the same numbers everywhere (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32
    }

    /// A number below `limit`.
    fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit).expect("lengths fit");
        usize::try_from(self.next() % limit).expect("it is below a length")
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }
}
