//! Random documents and random changes of them, drawn from a tape of bytes: an empty tape gives the plainest ones, so
//! that what fails shrinks.

use std::collections::BTreeSet;

/// Decisions read off random bytes; behind the end all are 0.
pub(crate) struct Tape<'t> {
    bytes: std::slice::Iter<'t, u8>,
    side: char,
    words: usize,
}

impl<'t> Tape<'t> {
    /// `side` marks the words that are made from this tape.
    pub(crate) fn new(bytes: &'t [u8], side: char) -> Self {
        Self {
            bytes: bytes.iter(),
            side,
            words: 0,
        }
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::from(self.bytes.next().copied().unwrap_or(0)) % n
    }

    /// True about once in `n`.
    pub(crate) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    /// A word that no other place has.
    pub(crate) fn word(&mut self) -> String {
        self.words += 1;
        format!("{}{}", self.side, self.words)
    }

    fn number(&mut self) -> usize {
        self.words += 1;
        self.words
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Paragraph(Vec<String>),
    List(Vec<String>),
    Table(Vec<(String, [String; 2])>),
    Fence(Vec<String>),
    Comment(String),
    /// A list item with a table in it.
    Tabled(Vec<String>),
}

#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) level: usize,
    /// With the number of blank lines before each.
    pub(crate) pieces: Vec<(usize, Piece)>,
    pub(crate) kids: Vec<Section>,
    blanks: usize,
}

impl Piece {
    fn random(tape: &mut Tape<'_>) -> Self {
        let count = 1 + tape.below(4);
        let words = |tape: &mut Tape<'_>| (0..count).map(|_| tape.word()).collect::<Vec<_>>();
        match tape.below(9) {
            0..3 => Self::Paragraph(words(tape)),
            3 | 4 => Self::List(words(tape)),
            5 => Self::Fence(words(tape)),
            6 => Self::Comment(tape.word()),
            7 => Self::Tabled(words(tape)),
            _ => Self::Table(
                (0..count)
                    .map(|_| (id(tape), [tape.word(), tape.word()]))
                    .collect(),
            ),
        }
    }

    fn render(&self, out: &mut Vec<String>) {
        match self {
            Self::Paragraph(lines) => out.extend(lines.iter().cloned()),
            Self::List(items) => out.extend(items.iter().map(|i| format!("- {i}\n  and {i}c"))),
            Self::Table(rows) => {
                out.extend(["| ID | Title | Want |".to_owned(), "|---|---|---|".to_owned()]);
                out.extend(rows.iter().map(|(id, [a, b])| format!("| {id} | {a} | {b} |")));
            }
            Self::Fence(lines) => {
                out.push("```text".to_owned());
                out.extend(lines.iter().map(|line| format!("## {line}")));
                out.push("```".to_owned());
            }
            Self::Tabled(rows) => {
                out.extend(["- As follows:", "  | Word | Why |", "  |---|---|"].map(str::to_owned));
                out.extend(rows.iter().map(|word| format!("  | {word} | so |")));
            }
            Self::Comment(word) => out.extend(["<!--".to_owned(), format!("# {word}"), "-->".to_owned()]),
        }
    }

    /// Changes it, more or less.
    fn change(&mut self, tape: &mut Tape<'_>) {
        match self {
            Self::Paragraph(lines) | Self::List(lines) | Self::Fence(lines) | Self::Tabled(lines) => {
                let at = tape.below(lines.len());
                match tape.below(3) {
                    0 => lines[at] = tape.word(),
                    1 => lines.insert(at, tape.word()),
                    _ => lines.push(tape.word()),
                }
            }
            Self::Comment(word) => *word = tape.word(),
            Self::Table(rows) => {
                let at = tape.below(rows.len());
                match tape.below(6) {
                    0 => rows[at].1[0] = tape.word(),
                    1 => rows[at].1[1] = tape.word(),
                    2 => rows.insert(at, (id(tape), [tape.word(), tape.word()])),
                    3 if rows.len() > 1 => drop(rows.remove(at)),
                    4 => {
                        let row = rows.remove(at);
                        rows.insert(tape.below(rows.len() + 1), row);
                    }
                    _ => rows.push((id(tape), [tape.word(), tape.word()])),
                }
            }
        }
    }
}

fn id(tape: &mut Tape<'_>) -> String {
    let side = tape.side.to_ascii_uppercase();
    format!("UT-{side}{:02}-{:02}", tape.below(3), tape.number())
}

impl Section {
    fn random(tape: &mut Tape<'_>, level: usize) -> Self {
        let pieces = tape.below(4);
        let kids = if level < 4 { tape.below(3) } else { 0 };
        Self {
            title: title(tape),
            level,
            pieces: (0..pieces)
                .map(|_| (1 + tape.below(2), Piece::random(tape)))
                .collect(),
            kids: (0..kids).map(|_| Self::random(tape, level + 1)).collect(),
            blanks: 1 + tape.below(3),
        }
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        let mut out = Vec::new();
        self.render(&mut out);
        out
    }

    /// What a block of a new section holds: with its heading where its own text would begin with another.
    fn body(&self) -> Vec<String> {
        let lines = self.lines();
        if self.pieces.is_empty() {
            lines
        } else {
            lines[1..].to_vec()
        }
    }

    fn render(&self, out: &mut Vec<String>) {
        out.push(format!("{} {}", "#".repeat(self.level), self.title));
        for (at, (blanks, piece)) in self.pieces.iter().enumerate() {
            // A list or table may follow its paragraph at once.
            let close = at > 0
                && matches!(
                    (&self.pieces[at - 1].1, piece),
                    (Piece::Paragraph(_), Piece::List(_) | Piece::Table(_))
                );
            // A block without heading puts its text behind one blank line.
            let blanks = if at == 0 {
                1
            } else {
                blanks.saturating_sub(usize::from(close))
            };
            out.extend(std::iter::repeat_n(String::new(), blanks));
            piece.render(out);
        }
        for kid in &self.kids {
            out.extend(std::iter::repeat_n(String::new(), kid.blanks));
            kid.render(out);
        }
    }

    /// Itself and all below it.
    pub(crate) fn all(&self) -> Vec<&Self> {
        let mut out = vec![self];
        for kid in &self.kids {
            out.extend(kid.all());
        }
        out
    }

    fn ids(&self, out: &mut BTreeSet<String>) {
        for section in self.all() {
            for (_, piece) in &section.pieces {
                if let Piece::Table(rows) = piece {
                    out.extend(rows.iter().map(|(id, _)| id.clone()));
                }
            }
        }
    }

    /// Changes that do not undo each other.
    pub(crate) fn change(&mut self, tape: &mut Tape<'_>) {
        let before = self.lines();
        self.change_some(tape);
        if self.lines() == before {
            self.pieces.push((1, Piece::Paragraph(vec![tape.word()])));
        }
    }

    /// One to three changes of its pieces and sub-sections.
    fn change_some(&mut self, tape: &mut Tape<'_>) {
        for _ in 0..=tape.below(3) {
            let pieces = self.pieces.len();
            match tape.below(8) {
                0..3 if pieces > 0 => self.pieces[tape.below(pieces)].1.change(tape),
                3 if pieces > 0 => drop(self.pieces.remove(tape.below(pieces))),
                4 if !self.kids.is_empty() => {
                    let at = tape.below(self.kids.len());
                    self.kids[at].change(tape);
                }
                5 => self.kids.insert(
                    tape.below(self.kids.len() + 1),
                    Self::random(tape, self.level + 1),
                ),
                _ => self
                    .pieces
                    .insert(tape.below(pieces + 1), (1 + tape.below(2), Piece::random(tape))),
            }
        }
    }
}

fn title(tape: &mut Tape<'_>) -> String {
    let word = tape.word();
    match tape.below(5) {
        4 => format!("Part `{word}` of {word}x"),
        3 => format!("节 {word}"),
        _ => format!("Part {word}"),
    }
}

/// A document: sections of level two below a title, with its line ends.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) sections: Vec<Section>,
    pub(crate) crlf: bool,
    mark: bool,
    final_blanks: Option<usize>,
}

impl Text {
    pub(crate) fn random(tape: &mut Tape<'_>) -> Self {
        let sections = 1 + tape.below(4);
        Self {
            sections: (0..sections).map(|_| Section::random(tape, 2)).collect(),
            crlf: tape.once_in(4),
            mark: tape.once_in(8),
            final_blanks: if tape.once_in(4) {
                None
            } else {
                Some(tape.below(3))
            },
        }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut lines = vec!["# Title".to_owned(), String::new(), "Before.".to_owned()];
        for section in &self.sections {
            lines.extend(std::iter::repeat_n(String::new(), section.blanks));
            lines.extend(section.lines());
        }
        let mut text = lines.join("\n");
        if let Some(blanks) = self.final_blanks {
            text.push_str(&"\n".repeat(1 + blanks));
        }
        if self.mark {
            text.insert_str(0, "\u{feff}Marked.\n\n");
        }
        with_ends(&text, self.crlf)
    }

    pub(crate) fn all(&self) -> Vec<&Section> {
        self.sections.iter().flat_map(Section::all).collect()
    }
}

pub(crate) fn with_ends(text: &str, crlf: bool) -> Vec<u8> {
    if crlf {
        text.replace('\n', "\r\n").into_bytes()
    } else {
        text.as_bytes().to_vec()
    }
}

/// A delta of one or two blocks, each for a section of its own.
pub(crate) fn delta(tape: &mut Tape<'_>, text: &Text) -> String {
    let mut out = String::new();
    let mut touched: Vec<String> = Vec::new();
    for _ in 0..=tape.below(2) {
        let all = text.all();
        let section = all[tape.below(all.len())];
        let overlaps = section.all().iter().any(|s| touched.contains(&s.title))
            || all
                .iter()
                .any(|s| touched.contains(&s.title) && s.all().iter().any(|t| t.title == section.title));
        if overlaps {
            continue;
        }
        touched.push(section.title.clone());
        out.push_str(&block(tape, section));
    }
    if tape.once_in(5) {
        out.replace('\n', "\r\n")
    } else {
        out
    }
}

fn block(tape: &mut Tape<'_>, section: &Section) -> String {
    let title = &section.title;
    match tape.below(6) {
        0 => format!("## REMOVED — {title}\n\nNot wanted.\n\n"),
        1 => {
            let new = Section::random(tape, section.level + 1);
            let body = new.body().join("\n");
            format!("## ADDED — {title} > {}\n{body}\n\n", new.title)
        }
        2 => {
            let new = Section::random(tape, 2);
            let body = new.body().join("\n");
            format!("## ADDED — {}\n\n{body}\n\n", new.title)
        }
        _ => {
            let mut new = section.clone();
            new.change(tape);
            let (mut before, mut after) = (BTreeSet::new(), BTreeSet::new());
            section.ids(&mut before);
            new.ids(&mut after);
            let gone: Vec<String> = before
                .difference(&after)
                .map(|id| format!("- {id} — gone\n"))
                .collect();
            let items = if gone.is_empty() {
                String::new()
            } else {
                format!("## REMOVED-ITEMS — {title}\n\n{}\n", gone.concat())
            };
            let lines = new.lines();
            let body = if tape.once_in(3) {
                lines[1..].join("\n")
            } else {
                lines.join("\n")
            };
            format!("## MODIFIED — {title}\n\n{body}\n\n{items}")
        }
    }
}
