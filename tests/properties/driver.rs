//! The merge driver over generated specification documents that two people work on: no edit is lost, the order of the
//! sides does not show, edits of different pieces give what both edit lists give, and fewer merges conflict than git's
//! own (git.md 6 and 10.1).

use std::collections::BTreeSet;
use std::fmt::Write as _;

use git_spec::git::MergeFile;
use git_spec::merge::driver::{Driven, Look, Versions, merge};

use crate::words;

const MERGES: u64 = 2000;
const LOOK: Look<'_> = Look {
    size: 7,
    base_style: None,
};

/// Numbers that look random and are the same at every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits are left") % n
    }
}

/// A document: front matter, and sections with a paragraph or two, a table of cases, and a list.
#[derive(Clone)]
struct Paper {
    keys: Vec<(String, String)>,
    sections: Vec<Part>,
}

#[derive(Clone)]
struct Part {
    title: String,
    paragraphs: Vec<String>,
    rows: Vec<(String, String)>,
    items: Vec<String>,
}

impl Paper {
    fn random(random: &mut Random) -> Self {
        let mut words = 0;
        let mut word = || {
            words += 1;
            format!("b{words}")
        };
        let keys = (0..3 + random.below(3))
            .map(|n| (format!("key_{n}"), word()))
            .collect();
        let sections = (0..2 + random.below(3))
            .map(|s| Part {
                title: format!("Part {}", word()),
                paragraphs: (0..=random.below(2)).map(|_| word()).collect(),
                rows: (0..3 + random.below(5))
                    .map(|r| (format!("UT-S0{s}-{:02}", r + 1), word()))
                    .collect(),
                items: (0..2 + random.below(4)).map(|_| word()).collect(),
            })
            .collect();
        Self { keys, sections }
    }

    fn text(&self) -> String {
        let mut out = "---\n".to_owned();
        for (key, value) in &self.keys {
            writeln!(out, "{key}: {value}").expect("a text grows");
        }
        out.push_str("---\n\n# Paper\n");
        for part in &self.sections {
            write!(out, "\n## {}\n", part.title).expect("a text grows");
            for paragraph in &part.paragraphs {
                write!(out, "\nAll about {paragraph}.\n").expect("a text grows");
            }
            if !part.rows.is_empty() {
                out.push_str("\n| ID | Title |\n|----|-------|\n");
            }
            for (id, title) in &part.rows {
                writeln!(out, "| {id} | {title} |").expect("a text grows");
            }
            if !part.items.is_empty() {
                out.push('\n');
            }
            for item in &part.items {
                writeln!(out, "- {item}").expect("a text grows");
            }
        }
        out
    }
}

/// What somebody does to one piece of the document.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Edit {
    Key(usize, String),
    Paragraph(usize, usize, String),
    Cell(usize, usize, String),
    NewRow(usize, String, String),
    Item(usize, usize, String),
    NewPart(String),
}

impl Edit {
    /// `side` is a letter: it marks the words, and orders new rows.
    fn random(paper: &Paper, random: &mut Random, side: char, n: usize) -> Self {
        let word = format!("{side}{n}");
        let s = random.below(paper.sections.len());
        let part = &paper.sections[s];
        match random.below(10) {
            0 => Self::Key(random.below(paper.keys.len()), word),
            1 => Self::Paragraph(s, random.below(part.paragraphs.len()), word),
            2..=4 => Self::Cell(s, random.below(part.rows.len()), word),
            5..=7 => Self::NewRow(
                s,
                format!("UT-S0{s}-{}{n}", if side == 'k' { 3 } else { 4 }),
                word,
            ),
            8 => Self::Item(s, random.below(part.items.len()), word),
            _ => Self::NewPart(word),
        }
    }

    fn apply(&self, paper: &mut Paper) {
        match self.clone() {
            Self::Key(at, word) => paper.keys[at].1 = word,
            Self::Paragraph(s, at, word) => paper.sections[s].paragraphs[at] = word,
            Self::Cell(s, at, word) => paper.sections[s].rows[at].1 = word,
            Self::NewRow(s, id, word) => paper.sections[s].rows.push((id, word)),
            Self::Item(s, at, word) => paper.sections[s].items[at] = word,
            Self::NewPart(word) => paper.sections.push(Part {
                title: format!("Part {word}"),
                paragraphs: vec![format!("{word}x")],
                rows: Vec::new(),
                items: Vec::new(),
            }),
        }
    }

    /// The piece that it touches; a new one is nobody else's.
    fn piece(&self) -> Option<(u8, usize, usize)> {
        match self {
            Self::Key(at, _) => Some((0, 0, *at)),
            Self::Paragraph(s, at, _) => Some((1, *s, *at)),
            Self::Cell(s, at, _) => Some((2, *s, *at)),
            Self::Item(s, at, _) => Some((3, *s, *at)),
            Self::NewRow(..) | Self::NewPart(_) => None,
        }
    }
}

/// One to three edits of different pieces.
fn edits(paper: &Paper, random: &mut Random, side: char) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    for n in 0..=random.below(3) {
        let edit = Edit::random(paper, random, side, n);
        let taken = edit
            .piece()
            .is_some_and(|piece| edits.iter().any(|e| e.piece() == Some(piece)));
        if !taken {
            edits.push(edit);
        }
    }
    edits
}

fn applied(paper: &Paper, edits: &[Edit]) -> String {
    let mut paper = paper.clone();
    for edit in edits {
        edit.apply(&mut paper);
    }
    paper.text()
}

fn driven(base: &str, ours: &str, theirs: &str) -> Driven {
    let (base, ours, theirs) = (base.as_bytes(), ours.as_bytes(), theirs.as_bytes());
    merge(
        Versions { base, ours, theirs },
        b"logos/resources/test/a.md",
        LOOK,
        None,
    )
}

/// Conflicts of the driver, and of git's own merge, over the whole corpus.
#[test]
#[expect(clippy::print_stdout, reason = "the figures of benches/README.md")]
fn of_two_thousand_merges_none_loses_an_edit_and_few_conflict() {
    let mut random = Random(20_260_102);
    let (mut ours_conflict, mut gits_conflict) = (0, 0);
    for n in 0..MERGES {
        let paper = Paper::random(&mut random);
        let (first, second) = (edits(&paper, &mut random, 'k'), edits(&paper, &mut random, 'm'));
        let base = paper.text();
        let (one, two) = (applied(&paper, &first), applied(&paper, &second));
        assert_eq!(
            driven(&base, &one, &one),
            Driven::Clean(one.clone().into_bytes()),
            "{n}"
        );
        let merged = driven(&base, &one, &two);
        let text = match &merged {
            Driven::Clean(text) => {
                assert_eq!(driven(&base, &two, &one), merged, "{n}: the order shows");
                text
            }
            Driven::Conflicts(text, _) => {
                assert!(matches!(driven(&base, &two, &one), Driven::Conflicts(..)), "{n}");
                ours_conflict += 1;
                text
            }
            Driven::Binary => panic!("{n}: these are texts"),
        };
        let there = words(Some(text));
        let (was, a, b) = (
            words(Some(base.as_bytes())),
            words(Some(one.as_bytes())),
            words(Some(two.as_bytes())),
        );
        for word in a
            .union(&b)
            .filter(|w| !was.contains(*w))
            .chain(a.intersection(&b))
        {
            assert!(
                there.contains(word),
                "{n}: `{word}` is lost\n{}",
                String::from_utf8_lossy(text)
            );
        }
        let pieces: BTreeSet<_> = first.iter().filter_map(Edit::piece).collect();
        if !second
            .iter()
            .filter_map(Edit::piece)
            .any(|piece| pieces.contains(&piece))
        {
            let expected = applied(&paper, &[first, second].concat());
            let found = String::from_utf8_lossy(text);
            assert_eq!(found, expected, "{n}: edits of different pieces");
        }
        let by_lines = MergeFile.merge(base.as_bytes(), one.as_bytes(), two.as_bytes());
        gits_conflict += usize::from(by_lines.expect("git merges texts").1);
    }
    println!("{MERGES} merges: {ours_conflict} conflicts of the driver, {gits_conflict} of git's own merge");
    assert!(
        ours_conflict * 2 <= gits_conflict,
        "{ours_conflict} and {gits_conflict}"
    );
}
