//! The trailers of a message, as `git interpret-trailers --parse` reads them (git.md 1.5). The one reader of trailers;
//! git itself writes them.

use bstr::{BStr, ByteSlice};

use super::Repository;
use crate::text::Bytes;

/// How `git commit -v` and `commit.cleanup = scissors` mark the rest of a message as no part of it.
const SCISSORS: &[u8] = b"------------------------ >8 ------------------------\n";

/// Lines of git's own that make a paragraph trailers, though other text stands among them.
const GENERATED: [&[u8]; 2] = [b"Signed-off-by: ", b"(cherry picked from commit "];

/// What the variables of `trailer.<name>` are called: any of them makes the name known.
const VARIABLES: [&str; 6] = ["key", "command", "cmd", "where", "ifexists", "ifmissing"];

/// One trailer, its value on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trailer {
    pub token: String,
    pub value: String,
}

/// What the configuration says of messages.
pub(super) struct TrailerRules {
    separators: Bytes,
    /// What a comment line starts with.
    comment: Bytes,
    /// Trailers that are configured: name, and what is written for it.
    named: Vec<(Bytes, Option<Bytes>)>,
}

impl Repository {
    /// The trailers of a message, in order.
    pub fn trailers(&self, message: &[u8]) -> Vec<Trailer> {
        self.with(TrailerRules::of).read(message)
    }
}

impl TrailerRules {
    pub(super) fn of(repo: &gix::Repository) -> Self {
        let mut rules = Self {
            separators: b":".to_vec(),
            comment: b"#".to_vec(),
            named: Vec::new(),
        };
        let config = repo.config_snapshot();
        for section in config.plumbing().sections_by_name("core").into_iter().flatten() {
            for (key, value) in section.body() {
                let is_set = ["commentchar", "commentstring"].contains(&key.to_ascii_lowercase().as_str());
                // `auto` chooses one for a message to be written.
                if is_set && !value.is_empty() && !value.eq_ignore_ascii_case(b"auto") {
                    rules.comment = value.into();
                }
            }
        }
        for section in config
            .plumbing()
            .sections_by_name("trailer")
            .into_iter()
            .flatten()
        {
            let name = section.header().subsection_name();
            for (key, value) in section.body() {
                let key = key.to_ascii_lowercase();
                match name {
                    None if key == "separators" => rules.separators = value.into(),
                    Some(name) if VARIABLES.contains(&key.as_str()) => {
                        rules.know(name, (key == "key").then(|| value.into()));
                    }
                    None | Some(_) => {}
                }
            }
        }
        rules
    }

    fn know(&mut self, name: &BStr, key: Option<Bytes>) {
        match self
            .named
            .iter_mut()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
        {
            Some((_, known)) => *known = key.or(known.take()),
            None => self.named.push((name.to_vec(), key)),
        }
    }

    /// The values of a trailer, in order.
    pub(super) fn values(&self, message: &[u8], token: &str) -> Vec<String> {
        values(&self.read(message), token)
    }

    pub(super) fn read(&self, message: &[u8]) -> Vec<Trailer> {
        // To git the message is a text that a NUL ends.
        let mut text = message
            .split_once_str(b"\0")
            .map_or(message, |(text, _)| text)
            .to_vec();
        if text.len() == message.len() && !text.is_empty() && !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        let text = &text[..self.end(&text)];
        // A trailer goes on in the lines after it that begin with a blank; other lines of the paragraph mean nothing.
        let mut found: Vec<Option<Bytes>> = Vec::new();
        for line in text[self.start(text)..].lines_with_terminator() {
            match found.last_mut() {
                Some(Some(open)) if is_blank(line[0]) => open.extend_from_slice(line),
                Some(_) | None => found.push(self.separator(line).is_some().then(|| line.to_vec())),
            }
        }
        let lines = found
            .iter()
            .flatten()
            .filter(|line| !line.starts_with(&self.comment));
        lines.filter_map(|line| self.trailer(line)).collect()
    }

    fn trailer(&self, line: &[u8]) -> Option<Trailer> {
        let at = self.separator(line)?;
        let token = line[..at].trim_with(is_blank_char);
        // As git compares them, even where nothing is left.
        let compared = token.trim_end_with(|c| !c.is_ascii_alphanumeric());
        let named = self.named.iter().find(|named| matches(compared, named));
        let token = named.and_then(|(_, key)| key.as_deref()).unwrap_or(token);
        let value = unfolded(line[at + 1..].trim_with(is_blank_char));
        Some(Trailer {
            token: token.to_str_lossy().into_owned(),
            value: value.trim_with(is_blank_char).to_str_lossy().into_owned(),
        })
    }

    /// Where the separator of a trailer stands: after letters, digits and `-`, and perhaps blanks.
    fn separator(&self, line: &[u8]) -> Option<usize> {
        let at = line.iter().position(|byte| self.separators.contains(byte))?;
        let token = &line[..at];
        let word = token
            .iter()
            .position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'-'));
        let word = word.unwrap_or(at);
        let rest = &token[word..];
        (word > 0 && rest.iter().all(|byte| matches!(byte, b' ' | b'\t'))).then_some(at)
    }

    /// The length of the message: without a patch, what is cut off, and the comments at the end.
    fn end(&self, text: &[u8]) -> usize {
        let mut at = 0;
        for line in text.lines_with_terminator() {
            if line
                .strip_prefix(b"---")
                .is_some_and(|rest| rest.first().copied().is_some_and(is_blank))
            {
                break;
            }
            at += line.len();
        }
        let text = &text[..at];
        let cut = self.scissors(text);
        // Where the run of comments, blank lines and old conflict lists begins that reaches the end. As to git, 0 is none.
        let mut run = 0;
        let mut conflicts = false;
        let mut at = 0;
        for line in text[..cut].lines_with_terminator() {
            let begins_conflicts = line == b"Conflicts:\n";
            if begins_conflicts || line.starts_with(&self.comment) || line == b"\n" {
                conflicts |= begins_conflicts;
                run = if run == 0 { at } else { run };
            } else if !(conflicts && line.starts_with(b"\t")) && run > 0 {
                run = 0;
                conflicts = false;
            }
            at += line.len();
        }
        if run > 0 { run } else { cut }
    }

    fn scissors(&self, text: &[u8]) -> usize {
        let mark = [self.comment.as_slice(), b" ", SCISSORS].concat();
        if text.starts_with(&mark) {
            return 0;
        }
        let within = [b"\n", mark.as_slice()].concat();
        text.find(&within).map_or(text.len(), |at| at + 1)
    }

    /// Where the last paragraph begins, if it is one of trailers: all lines are, or a known one is among them and no more
    /// than three of four lines are something else. Else the length. The first paragraph is the subject.
    fn start(&self, text: &[u8]) -> usize {
        let mut at = 0;
        let mut lines = Vec::new();
        for line in text.lines_with_terminator() {
            lines.push((at, line));
            at += line.len();
        }
        let is_comment = |line: &[u8]| line.starts_with(&self.comment);
        let title = lines
            .iter()
            .position(|(_, line)| !is_comment(line) && is_blank_line(line));
        let Some(title) = title else {
            return text.len();
        };
        let mut tally = Tally::default();
        for (at, line) in lines[title..].iter().rev() {
            if is_comment(line) {
                tally.refuse_continuations();
            } else if !is_blank_line(line) {
                tally.count(self, line);
            } else if !tally.is_empty {
                tally.refuse_continuations();
                return if tally.is_of_trailers() {
                    at + line.len()
                } else {
                    text.len()
                };
            }
        }
        text.len()
    }
}

/// What the lines of a paragraph are, counted from its end.
struct Tally {
    is_empty: bool,
    known: bool,
    trailers: usize,
    others: usize,
    /// Lines that begin with a blank, and belong to whatever stands above them.
    continuations: usize,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            is_empty: true,
            known: false,
            trailers: 0,
            others: 0,
            continuations: 0,
        }
    }
}

impl Tally {
    fn count(&mut self, rules: &TrailerRules, line: &[u8]) {
        self.is_empty = false;
        let generated = GENERATED.iter().any(|prefix| line.starts_with(prefix));
        if generated {
            self.known = true;
        }
        let at = rules.separator(line);
        if let Some(at) = at {
            self.known |= rules.named.iter().any(|named| matches(&line[..at], named));
        }
        if generated || at.is_some() {
            self.trailers += 1;
            self.continuations = 0;
        } else if is_blank(line[0]) {
            self.continuations += 1;
        } else {
            self.others += 1;
            self.refuse_continuations();
        }
    }

    fn refuse_continuations(&mut self) {
        self.others += std::mem::take(&mut self.continuations);
    }

    fn is_of_trailers(&self) -> bool {
        (self.known && self.trailers * 3 >= self.others) || (self.trailers > 0 && self.others == 0)
    }
}

/// The values of those of a token, which is compared without regard to case.
pub(super) fn values(trailers: &[Trailer], token: &str) -> Vec<String> {
    let named = trailers
        .iter()
        .filter(|trailer| trailer.token.eq_ignore_ascii_case(token));
    named.map(|trailer| trailer.value.clone()).collect()
}

/// Whether a token is the beginning of a configured name, or of what is written for it.
fn matches(token: &[u8], (name, key): &(Bytes, Option<Bytes>)) -> bool {
    let begins = |whole: &[u8]| {
        whole
            .get(..token.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(token))
    };
    begins(name) || key.as_deref().is_some_and(begins)
}

/// A value that goes on in further lines, on one.
fn unfolded(value: &[u8]) -> Bytes {
    let mut lines = value.split_str(b"\n");
    let mut out = lines.next().unwrap_or_default().to_vec();
    for line in lines.map(|line| line.trim_start_with(is_blank_char)) {
        if !line.is_empty() {
            out.push(b' ');
            out.extend_from_slice(line);
        }
    }
    out
}

/// What git calls a space.
const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn is_blank_char(c: char) -> bool {
    u8::try_from(c).is_ok_and(is_blank)
}

fn is_blank_line(line: &[u8]) -> bool {
    line.iter().all(|byte| is_blank(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(message: &str) -> Vec<String> {
        let rules = TrailerRules {
            separators: b":".to_vec(),
            comment: b"#".to_vec(),
            named: Vec::new(),
        };
        rules.values(message.as_bytes(), "Spec-Change")
    }

    #[test]
    fn only_the_last_paragraph_holds_trailers() {
        assert_eq!(
            changes("docs(a): merge\n\nSpec-Change: no\n\nSpec-Change: a\nSpec-Base: 12\nspec-change: b\n"),
            ["a", "b"]
        );
        assert_eq!(changes("Spec-Change: subject\n"), [""; 0]);
    }

    #[test]
    fn a_patch_and_comments_are_no_part_of_the_message() {
        for rest in [
            "---\nfoo\n",
            "\n# comment\n",
            "# comment\n",
            "\n---\n x\n\nSpec-Change: b\n",
        ] {
            assert_eq!(changes(&format!("x\n\nSpec-Change: a\n{rest}")), ["a"], "{rest}");
        }
        assert_eq!(changes("x\n\n# c\nSpec-Change: a\n# c\n goes\n on\n"), [""; 0]);
        assert_eq!(changes("x\n\nSpec-Change: a\n goes\n on\n"), ["a goes on"]);
    }
}
