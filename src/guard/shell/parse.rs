//! From tokens to simple commands, those inside substitutions too.

use super::lex::{DEEPEST, Token, tokens};
use super::{Command, Redirect, RedirectKind, Unreadable, Word};

/// Words that only lead to a command, where one may stand.
const LEADING: [&str; 14] = [
    "if", "then", "elif", "else", "while", "until", "do", "{", "}", "!", "fi", "done", "coproc", "esac",
];

/// Those that begin something that a closing one ends.
const OPENING: [&str; 7] = ["if", "while", "until", "for", "select", "case", "{"];
const CLOSING: [&str; 4] = ["fi", "done", "esac", "}"];

/// Reads a script: its simple commands in the order in which they stand, those that run inside a word right before it.
pub fn parse(text: &str) -> Result<Vec<Command>, Unreadable> {
    let mut commands = Vec::new();
    read(text, 0, &mut commands)?;
    Ok(commands)
}

fn read(text: &str, depth: usize, out: &mut Vec<Command>) -> Result<(), Unreadable> {
    if depth > DEEPEST {
        return Err(Unreadable);
    }
    let mut current = Command::default();
    let mut expected: Option<RedirectKind> = None;
    let mut groups = Groups::default();
    for token in tokens(text)? {
        match token {
            Token::Word(word, scripts) => {
                run_inside(scripts, depth, out)?;
                if let Some(kind) = expected.take() {
                    let is_file = kind == RedirectKind::Descriptor && !is_descriptor(&word);
                    let kind = if is_file { RedirectKind::Write } else { kind };
                    current.redirects.push(Redirect { kind, target: word });
                } else {
                    add_word(&mut current, word, &mut groups);
                }
            }
            Token::Document(word, scripts) => {
                run_inside(scripts, depth, out)?;
                current.redirects.push(Redirect {
                    kind: RedirectKind::Text,
                    target: word,
                });
            }
            Token::Redirect(operator) if in_condition(&current) => {
                current.words.push(Word {
                    text: operator.to_owned(),
                    quoted: true,
                    ..Word::default()
                });
            }
            Token::Redirect(operator) => {
                if expected.is_some() {
                    return Err(Unreadable);
                }
                expected = Some(match operator {
                    "<" => RedirectKind::Read,
                    "<<<" => RedirectKind::Text,
                    ">&" | "<&" => RedirectKind::Descriptor,
                    _ => RedirectKind::Write,
                });
            }
            Token::Open | Token::Close | Token::Pipe | Token::Separator => {
                if expected.is_some() {
                    return Err(Unreadable);
                }
                if token == Token::Open {
                    groups.open(Bracket::Round, is_empty(&current) && current.piped);
                } else if token == Token::Close {
                    groups.close(Bracket::Round);
                }
                finish(&mut current, out);
                current.piped = token == Token::Pipe || groups.is_piped();
            }
        }
    }
    if expected.is_some() {
        return Err(Unreadable);
    }
    finish(&mut current, out);
    Ok(())
}

/// Between `[[` and `]]` a `>` compares.
fn in_condition(current: &Command) -> bool {
    current
        .words
        .first()
        .is_some_and(|word| word.text == "[[" && !word.quoted)
        && !current.words.iter().any(|word| word.text == "]]")
}

fn run_inside(scripts: Vec<String>, depth: usize, out: &mut Vec<Command>) -> Result<(), Unreadable> {
    for script in scripts {
        let from = out.len();
        read(&script, depth + 1, out)?;
        for command in &mut out[from..] {
            command.inner = true;
        }
    }
    Ok(())
}

/// What a group is closed by: `)`, or a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Round,
    Word,
}

/// The groups around a command, each with whether something is piped into it.
#[derive(Default)]
struct Groups(Vec<(Bracket, bool)>);

impl Groups {
    fn open(&mut self, bracket: Bracket, piped: bool) {
        let around = self.is_piped();
        self.0.push((bracket, piped || around));
    }

    fn close(&mut self, bracket: Bracket) {
        // The `)` of a pattern in `case` closes nothing.
        if self.0.last().is_some_and(|(last, _)| *last == bracket) {
            self.0.pop();
        }
    }

    /// Whether a command here reads what is piped into a group.
    fn is_piped(&self) -> bool {
        self.0.last().is_some_and(|(_, piped)| *piped)
    }
}

fn is_empty(command: &Command) -> bool {
    command.words.is_empty() && command.redirects.is_empty() && command.assignments.is_empty()
}

fn add_word(current: &mut Command, word: Word, groups: &mut Groups) {
    let is_first = current.words.is_empty();
    let text = word.text.as_str();
    let is_plain = !word.quoted && !word.dynamic;
    let is_function = current.words.len() == 2 && current.words[0].text == "function" && text == "{";
    if is_plain && (is_first || is_function) {
        if OPENING.contains(&text) {
            groups.open(Bracket::Word, current.piped);
        } else if CLOSING.contains(&text) {
            groups.close(Bracket::Word);
        }
        if is_function {
            current.words.clear();
            return;
        }
        if LEADING.contains(&text) {
            return;
        }
    }
    if is_first && is_assignment(&word) {
        current.assignments.push(word);
        return;
    }
    current.words.extend(braces(word));
}

fn is_assignment(word: &Word) -> bool {
    word.text.split_once('=').is_some_and(|(name, _)| {
        let name = name.strip_suffix('+').unwrap_or(name);
        let mut chars = name.chars();
        chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// `{a,b}` outside quotes makes several words.
fn braces(word: Word) -> Vec<Word> {
    if word.quoted || !word.text.contains(',') {
        return vec![word];
    }
    let Some(open) = word.text.find('{') else {
        return vec![word];
    };
    let Some(length) = word.text[open..].find('}') else {
        return vec![word];
    };
    let (before, inner, after) = (
        &word.text[..open],
        &word.text[open + 1..open + length],
        &word.text[open + length + 1..],
    );
    if !inner.contains(',') || inner.contains('{') {
        return vec![word];
    }
    inner
        .split(',')
        .map(|part| Word {
            text: format!("{before}{part}{after}"),
            ..word.clone()
        })
        .collect()
}

fn is_descriptor(word: &Word) -> bool {
    let text = word.text.strip_suffix('-').unwrap_or(&word.text);
    text.bytes().all(|b| b.is_ascii_digit())
}

fn finish(current: &mut Command, out: &mut Vec<Command>) {
    let done = std::mem::take(current);
    if !is_empty(&done) {
        out.push(done);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        parse(text)
            .expect("readable")
            .iter()
            .map(|command| {
                let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
                let mut shown = words.join(" ");
                for redirect in &command.redirects {
                    shown.push_str(&format!(
                        " [{:?} {}]",
                        redirect.kind,
                        redirect.target.text.trim_end()
                    ));
                }
                if command.piped {
                    format!("| {shown}")
                } else {
                    shown
                }
            })
            .collect()
    }

    #[test]
    fn commands_are_cut_where_a_shell_cuts_them() {
        for (text, expected) in [
            (
                "ls; rm a & b && c || d\ne",
                &["ls", "rm a", "b", "c", "d", "e"][..],
            ),
            ("a | b |& c", &["a", "| b", "| c"]),
            ("(cd x && rm y)", &["cd x", "rm y"]),
            ("if a; then b; else c; fi", &["a", "b", "c"]),
            ("while read x; do rm $x; done", &["read x", "rm "]),
            ("X=1 Y=2 rm a", &["rm a"]),
            ("echo a # rm b\nls", &["echo a", "ls"]),
            ("echo a#b", &["echo a#b"]),
            ("2>/dev/null rm a", &["rm a [Write /dev/null]"]),
            ("A=1 2>&1 rm a 2 >b", &["rm a 2 [Descriptor 1] [Write b]"]),
            ("a |\nb|# c\n c", &["a", "| b", "| c"]),
            ("a | (b; c); d", &["a", "| b", "| c", "d"]),
            (
                "a | while read x; do b; done | c",
                &["a", "| read x", "| b", "| c"],
            ),
            ("function f { rm a; }; f", &["rm a", "f"]),
            ("case x in a) b;; esac; c", &["case x in a", "b", "c"]),
            ("rm \\\n -rf x", &["rm -rf x"]),
            ("{rm,-rf,x}", &["rm -rf x"]),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn quotes_are_read_as_a_shell_reads_them() {
        for (text, expected) in [
            ("r''m a", "rm a"),
            ("\"r\"m 'a b'", "rm a b"),
            ("\\rm a\\ b", "rm a b"),
            ("$'\\x72\\155' a", "rm a"),
            ("r$@m x", "rm x"),
            ("echo 'rm; x' \"a;b\"", "echo rm; x a;b"),
            ("echo \"a\\\"b\\n\"", "echo a\"b\\n"),
            ("echo $", "echo $"),
        ] {
            assert_eq!(shown(text), [expected], "{text}");
        }
    }

    #[test]
    fn what_runs_inside_a_word_is_a_command() {
        assert_eq!(shown("echo $(rm a)"), ["rm a", "echo "]);
        assert_eq!(shown("echo \"x $(a $(b)) y\""), ["b", "a ", "echo x  y"]);
        assert_eq!(shown("echo `rm \\`x\\``"), ["x", "rm ", "echo "]);
        assert_eq!(shown("echo ${x:-$(rm a)}"), ["rm a", "echo "]);
        assert_eq!(shown("echo $((1 + $(rm a)))"), ["rm a", "echo "]);
        assert_eq!(shown("diff <(rm a) >(rm b)"), ["rm a", "rm b", "diff  "]);
        assert_eq!(shown("echo '$(rm a)'"), ["echo $(rm a)"]);
        assert_eq!(
            shown("git commit -m \"$(cat <<'EOF'\ndon't (\nEOF\n)\""),
            ["cat [Text don't (]", "git commit -m "]
        );
    }

    #[test]
    fn redirections() {
        assert_eq!(
            shown("a >b 2>/dev/null 2>&1"),
            ["a [Write b] [Write /dev/null] [Descriptor 1]"]
        );
        assert_eq!(shown("a &>b < c"), ["a [Write b] [Read c]"]);
        assert_eq!(shown(">x"), [" [Write x]"]);
        assert_eq!(shown("a >& b"), ["a [Write b]"]);
        assert_eq!(
            shown("cat <<E >x\nrm a\n$(rm b)\nE\nls"),
            ["rm b", "cat [Text rm a\n$(rm b)] [Write x]", "ls"]
        );
        assert_eq!(shown("cat <<'E'\n$(rm b)\nE"), ["cat [Text $(rm b)]"]);
        assert_eq!(shown("sh <<< 'rm a'"), ["sh [Text rm a]"]);
        assert_eq!(shown("[[ a > b ]] > c"), ["[[ a > b ]] [Write c]"]);
        assert_eq!(shown("((a > b)); ls"), ["((", "ls"]);
        assert_eq!(shown("((a); (b))"), ["a", "b"]);
    }

    #[test]
    fn what_never_closes_cannot_be_read() {
        for text in [
            "echo 'a", "echo \"a", "echo $(a", "echo `a", "a >", "a > | b", "cat <<",
        ] {
            assert_eq!(parse(text), Err(Unreadable), "{text}");
        }
        let deep = format!("{}x{}", "$(".repeat(100), ")".repeat(100));
        assert_eq!(parse(&deep), Err(Unreadable));
    }
}
