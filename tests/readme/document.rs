//! The commands in a Markdown document, where each stands, and what the document shows as its output.

use std::ops::Range;

/// A command, possibly of several lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) text: String,
    /// Counted from 1.
    pub(crate) line: usize,
    /// Whether it stands in a `console` block, which shows what it prints.
    pub(crate) is_shown: bool,
    /// The lines of its output, counted from 0.
    pub(crate) output: Range<usize>,
}

/// A Markdown document by lines.
pub(crate) struct Document {
    lines: Vec<String>,
}

impl Document {
    pub(crate) fn read(text: &str) -> Self {
        Self {
            lines: text.lines().map(str::to_owned).collect(),
        }
    }

    /// What the document shows as output of a command.
    pub(crate) fn shown(&self, command: &Command) -> Vec<&str> {
        self.lines[command.output.clone()]
            .iter()
            .map(String::as_str)
            .collect()
    }

    /// All commands, in their order.
    pub(crate) fn commands(&self) -> Vec<Command> {
        let mut commands = Vec::new();
        let mut at = 0;
        while at < self.lines.len() {
            let Some(info) = self.lines[at].strip_prefix("```") else {
                at += 1;
                continue;
            };
            let start = at + 1;
            let length = self.lines[start..]
                .iter()
                .position(|line| line.starts_with("```"));
            let end = length.map_or(self.lines.len(), |length| start + length);
            match info.split_whitespace().next() {
                Some("console") => self.console(start..end, &mut commands),
                Some("sh") => self.script(start..end, &mut commands),
                Some(_) | None => {}
            }
            at = end + 1;
        }
        commands
    }

    /// The document with other outputs in the given places.
    pub(crate) fn with(&self, updates: &[(Range<usize>, Vec<String>)]) -> String {
        let mut lines = self.lines.clone();
        for (place, output) in updates.iter().rev() {
            lines.splice(place.clone(), output.iter().cloned());
        }
        lines.join("\n") + "\n"
    }

    /// Lines after `$ ` are commands, the lines up to the next one their output.
    fn console(&self, block: Range<usize>, out: &mut Vec<Command>) {
        let is_command = |at: usize| self.lines[at].starts_with("$ ");
        let mut at = block.start;
        while at < block.end {
            if !is_command(at) {
                at += 1;
                continue;
            }
            let line = at + 1;
            let (text, next) = self.command(at, block.end);
            let end = (next..block.end)
                .find(|line| is_command(*line))
                .unwrap_or(block.end);
            out.push(Command {
                text,
                line,
                is_shown: true,
                output: next..end,
            });
            at = end;
        }
    }

    /// Every line but comments and empty ones is a command, and no output is shown.
    fn script(&self, block: Range<usize>, out: &mut Vec<Command>) {
        let mut at = block.start;
        while at < block.end {
            let line = self.lines[at].trim();
            if line.is_empty() || line.starts_with('#') {
                at += 1;
                continue;
            }
            let (text, next) = self.command(at, block.end);
            out.push(Command {
                text: without_comment(&text).to_owned(),
                line: at + 1,
                is_shown: false,
                output: next..next,
            });
            at = next;
        }
    }

    /// A command goes on after a backslash, and to the end of its here-document.
    fn command(&self, start: usize, end: usize) -> (String, usize) {
        let first = &self.lines[start];
        let mut text = first.strip_prefix("$ ").unwrap_or(first).to_owned();
        let mut at = start + 1;
        while at < end && text.ends_with('\\') {
            let more = &self.lines[at];
            text = format!("{text}\n{}", more.strip_prefix("> ").unwrap_or(more));
            at += 1;
        }
        if let Some(word) = here_document(&text) {
            let length = self.lines[at..end].iter().position(|line| *line == word);
            let last = length.map_or(end, |length| at + length + 1);
            text = format!("{text}\n{}", self.lines[at..last].join("\n"));
            at = last;
        }
        (text, at)
    }
}

/// The word that ends the here-document which this command begins.
fn here_document(command: &str) -> Option<String> {
    let (_, after) = command.split_once("<<")?;
    let word: String = after
        .trim_start_matches(['-', ' ', '\'', '"'])
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect();
    (!word.is_empty()).then_some(word)
}

/// `cargo test   # what for` is `cargo test`.
fn without_comment(command: &str) -> &str {
    let end = command.find("  #").unwrap_or(command.len());
    command[..end].trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# Title

```sh
# first
cargo test              # everything
git spec lint \\
  --all
```

```text
$ not this
```

```console
$ git spec a
one
two
$ cat >x <<'END'
$ text
END
$ git spec b
```
";

    #[test]
    fn commands_come_from_script_and_console_blocks() {
        let readme = Document::read(TEXT);
        let found: Vec<(String, usize, Vec<&str>)> = readme
            .commands()
            .iter()
            .map(|c| (c.text.clone(), c.line, readme.shown(c)))
            .collect();
        let expected = [
            ("cargo test", 5, vec![]),
            ("git spec lint \\\n  --all", 6, vec![]),
            ("git spec a", 15, vec!["one", "two"]),
            ("cat >x <<'END'\n$ text\nEND", 18, vec![]),
            ("git spec b", 21, vec![]),
        ];
        assert_eq!(
            found,
            expected.map(|(text, line, shown)| (text.to_owned(), line, shown))
        );
    }

    #[test]
    fn outputs_are_replaced_where_they_stand() {
        let readme = Document::read(TEXT);
        let commands = readme.commands();
        let updates = [
            (commands[2].output.clone(), vec!["1".to_owned()]),
            (commands[4].output.clone(), vec!["2".to_owned(), "3".to_owned()]),
        ];
        let expected = TEXT
            .replace("one\ntwo\n", "1\n")
            .replace("git spec b\n", "git spec b\n2\n3\n");
        assert_eq!(readme.with(&updates), expected);
    }

    #[test]
    fn a_document_without_updates_stays_as_it_is() {
        assert_eq!(Document::read(TEXT).with(&[]), TEXT);
    }
}
