//! What a command line writes, as far as its words tell (logos-project.md 13).

use super::programs::{SHELLS, git_command, interpreter};
use super::shell::{Command, Program, RedirectKind, Unreadable, Word, parse, program};

/// What a line does to files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Writes {
    Nothing,
    /// These paths, from the current folder.
    Targets(Vec<String>),
    /// Something that the words do not name.
    Unknown,
}

impl Writes {
    fn add(&mut self, other: Self) {
        *self = match (std::mem::replace(self, Self::Nothing), other) {
            (Self::Nothing, other) => other,
            (own, Self::Nothing) => own,
            (Self::Targets(mut own), Self::Targets(more)) => {
                own.extend(more);
                Self::Targets(own)
            }
            (_, _) => Self::Unknown,
        };
    }

    /// The operands as targets; one that the shell makes another text of names nothing.
    fn to<'w>(words: impl Iterator<Item = &'w Word>) -> Self {
        let mut targets = Vec::new();
        for word in words {
            if word.dynamic || word.text.starts_with('~') {
                return Self::Unknown;
            }
            targets.push(word.text.clone());
        }
        if targets.is_empty() {
            // A writer without an operand writes what it is told elsewhere, as below `xargs`.
            Self::Unknown
        } else {
            Self::Targets(targets)
        }
    }
}

/// Which operands of a writer are what it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operands {
    All,
    /// But the first: a mode, an owner.
    ButFirst,
    /// All of them: a move takes its sources away.
    Last,
    /// Nobody can tell.
    None,
}

/// Programs that write whatever they are given.
const WRITERS: [(&str, Operands); 15] = [
    ("rm", Operands::All),
    ("unlink", Operands::All),
    ("shred", Operands::All),
    ("mv", Operands::All),
    ("cp", Operands::Last),
    ("ln", Operands::Last),
    ("install", Operands::Last),
    ("mkdir", Operands::All),
    ("rmdir", Operands::All),
    ("touch", Operands::All),
    ("chmod", Operands::ButFirst),
    ("chown", Operands::ButFirst),
    ("tee", Operands::All),
    ("truncate", Operands::All),
    ("rsync", Operands::None),
];

const PACKAGE_MANAGERS: [&str; 3] = ["npm", "pnpm", "yarn"];
const PACKAGE_WRITES: [&str; 5] = ["install", "uninstall", "ci", "add", "remove"];
const GIT_WRITES: [&str; 13] = [
    "reset",
    "checkout",
    "switch",
    "restore",
    "rm",
    "mv",
    "merge",
    "rebase",
    "cherry-pick",
    "apply",
    "am",
    "clean",
    "revert",
];
/// Places that are no files.
const NOWHERE: [&str; 4] = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"];

/// Scripts inside scripts.
const DEEPEST: usize = 16;

/// What a line writes.
///
/// # Errors
/// If it cannot be read as a shell script.
pub fn writes(line: &str) -> Result<Writes, Unreadable> {
    at_depth(line, 0)
}

fn at_depth(line: &str, depth: usize) -> Result<Writes, Unreadable> {
    if depth > DEEPEST {
        return Err(Unreadable);
    }
    let commands = parse(line)?;
    let mut found = Writes::Nothing;
    let mut moved = false;
    let mut before: Option<&Command> = None;
    for command in &commands {
        let mut own = of_redirects(command);
        if let Some(program) = program(command) {
            let fed = before.filter(|_| command.piped);
            own.add(of_program(&program, command, fed, depth)?);
            moved |= matches!(program.name, "cd" | "pushd" | "popd");
        }
        if moved && matches!(&own, Writes::Targets(targets) if targets.iter().any(|t| !t.starts_with('/'))) {
            // Somewhere else than the line began.
            own = Writes::Unknown;
        }
        found.add(own);
        before = Some(command);
    }
    Ok(found)
}

fn of_redirects(command: &Command) -> Writes {
    let mut found = Writes::Nothing;
    for redirect in &command.redirects {
        if redirect.kind == RedirectKind::Write && !NOWHERE.contains(&redirect.target.text.as_str()) {
            found.add(Writes::to(std::iter::once(&redirect.target)));
        }
    }
    found
}

fn operands(arguments: &[Word]) -> impl Iterator<Item = &Word> {
    let end = arguments.iter().position(|word| word.text == "--");
    arguments.iter().enumerate().filter_map(move |(at, word)| {
        let is_option = word.text.starts_with('-') && word.text.len() > 1 && !word.quoted;
        match end {
            Some(end) if at == end => None,
            Some(end) if at > end => Some(word),
            _ => (!is_option).then_some(word),
        }
    })
}

fn of_program(
    program: &Program<'_>,
    command: &Command,
    fed: Option<&Command>,
    depth: usize,
) -> Result<Writes, Unreadable> {
    let arguments = program.arguments;
    if let Some((_, which)) = WRITERS.iter().find(|(name, _)| *name == program.name) {
        let through = program
            .wrappers
            .iter()
            .any(|name| matches!(*name, "xargs" | "parallel"));
        return Ok(if through {
            Writes::Unknown
        } else {
            of_writer(arguments, *which)
        });
    }
    Ok(match program.name {
        "dd" => {
            let out = arguments.iter().filter_map(|word| {
                let path = word.text.strip_prefix("of=")?;
                Some(Word {
                    text: path.to_owned(),
                    ..word.clone()
                })
            });
            Writes::to(out.collect::<Vec<_>>().iter())
        }
        "patch" => Writes::Unknown,
        "sed" | "perl" | "ruby" if edits_in_place(arguments) => Writes::Unknown,
        "find" => of_find(arguments, depth)?,
        "git" => of_git(arguments),
        name if PACKAGE_MANAGERS.contains(&name) => {
            let first = operands(arguments).next();
            match first {
                Some(word) if PACKAGE_WRITES.contains(&word.text.as_str()) => Writes::Unknown,
                _ => Writes::Nothing,
            }
        }
        "eval" => {
            let texts: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
            at_depth(&texts.join(" "), depth + 1)?
        }
        name if SHELLS.contains(&name) => of_shell(arguments, command, fed, depth)?,
        name if interpreter(name).is_some() => {
            if arguments.iter().any(|word| writes_files(&word.text)) {
                Writes::Unknown
            } else {
                Writes::Nothing
            }
        }
        _ => Writes::Nothing,
    })
}

fn of_writer(arguments: &[Word], which: Operands) -> Writes {
    let words: Vec<&Word> = operands(arguments).collect();
    match which {
        Operands::All => Writes::to(words.into_iter()),
        Operands::ButFirst => Writes::to(words.into_iter().skip(1)),
        Operands::Last => {
            // With `-t` the last operand is a source.
            let elsewhere = arguments
                .iter()
                .any(|word| word.text.starts_with("-t") || word.text.starts_with("--target-directory"));
            if elsewhere {
                Writes::Unknown
            } else {
                Writes::to(words.last().into_iter().copied())
            }
        }
        Operands::None => Writes::Unknown,
    }
}

/// `-i`, `-i.bak`, `-Ei`, `--in-place`.
fn edits_in_place(arguments: &[Word]) -> bool {
    arguments.iter().any(|word| {
        let text = word.text.as_str();
        if text.starts_with("--in-place") {
            return true;
        }
        // Letters before it in the same word are options without values.
        let flags = text.strip_prefix('-').unwrap_or_default();
        let before = flags.split('i').next().unwrap_or_default();
        flags.contains('i') && before.chars().all(|c| "nErszulpaw0".contains(c))
    })
}

fn of_find(arguments: &[Word], depth: usize) -> Result<Writes, Unreadable> {
    let mut found = Writes::Nothing;
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        at += 1;
        match word.text.as_str() {
            "-delete" | "-fprint" | "-fprint0" | "-fprintf" | "-fls" => found.add(Writes::Unknown),
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let rest = &arguments[at..];
                let end = rest
                    .iter()
                    .position(|word| word.text == ";" || word.text == "+")
                    .unwrap_or(rest.len());
                let inner = Command {
                    words: rest[..end].to_vec(),
                    ..Command::default()
                };
                if let Some(program) = program(&inner)
                    && of_program(&program, &inner, None, depth + 1)? != Writes::Nothing
                {
                    found.add(Writes::Unknown);
                }
                at += end;
            }
            _ => {}
        }
    }
    Ok(found)
}

fn of_git(arguments: &[Word]) -> Writes {
    let Some((name, rest)) = git_command(arguments) else {
        return Writes::Nothing;
    };
    let stash = || operands(rest).next().map(|word| word.text.as_str());
    let is_write =
        GIT_WRITES.contains(&name) || (name == "stash" && matches!(stash(), Some("pop" | "drop" | "apply")));
    if is_write {
        Writes::Unknown
    } else {
        Writes::Nothing
    }
}

/// `sh -c '…'`, `sh <<E`, `echo … | sh`.
fn of_shell(
    arguments: &[Word],
    command: &Command,
    fed: Option<&Command>,
    depth: usize,
) -> Result<Writes, Unreadable> {
    let inline = arguments.iter().position(|word| {
        word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('c')
    });
    if let Some(script) = inline.and_then(|at| {
        arguments[at + 1..]
            .iter()
            .find(|word| !word.text.starts_with('-'))
    }) {
        return at_depth(&script.text, depth + 1);
    }
    let mut found = Writes::Nothing;
    for redirect in command
        .redirects
        .iter()
        .filter(|redirect| redirect.kind == RedirectKind::Text)
    {
        found.add(at_depth(&redirect.target.text, depth + 1)?);
    }
    let said = fed
        .and_then(program)
        .filter(|before| matches!(before.name, "echo" | "printf"));
    if let Some(said) = said.filter(|_| operands(arguments).next().is_none()) {
        let texts: Vec<&str> = said.arguments.iter().map(|word| word.text.as_str()).collect();
        found.add(at_depth(&texts.join(" "), depth + 1)?);
    }
    Ok(found)
}

/// Whether a line that cannot be read names a writer or redirects.
pub fn looks_like_writing(line: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let mut words = line.split(|c| !is_word(c));
    line.contains('>') || words.any(|word| WRITERS.iter().any(|(name, _)| *name == word))
}

/// Whether the text of a program holds a known call that writes.
fn writes_files(text: &str) -> bool {
    if text.contains("writeFile") || text.contains("mkdirSync") || text.contains("appendFile") {
        return true;
    }
    text.match_indices("open(").any(|(at, _)| {
        let call: String = text[at..]
            .chars()
            .take_while(|c| *c != ')')
            .filter(|c| !c.is_whitespace())
            .collect();
        ["'w", "\"w", "'a", "\"a", "'x", "\"x"]
            .iter()
            .any(|mode| call.contains(&format!(",{mode}")) || call.contains(&format!("mode={mode}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(line: &str) -> Writes {
        writes(line).expect("readable")
    }

    #[test]
    fn commands_that_write_nothing() {
        for line in [
            "ls -la",
            "git status",
            "git stash list",
            "git push",
            "npm test",
            "npm run build",
            "make",
            "cargo test 2>&1",
            "cat a 2>/dev/null",
            "sed -n 1,5p a",
            "sed s/i/j/ a",
            "find . -name x -exec grep y {} +",
            "python3 -c 'print(open(\"a\").read())'",
            "echo 'rm x'",
            "command -v rm",
            "bash -c 'ls'",
            "awk '{print > 5}' a",
            "git -C sub log",
            "docker rm x",
        ] {
            assert_eq!(targets(line), Writes::Nothing, "{line}");
        }
    }

    #[test]
    fn commands_that_write_what_nobody_names() {
        for line in [
            "sed -i s/a/b/ x",
            "sed -Ei.bak s/a/b/ x",
            "perl -pi -e 1 x",
            "git -C sub reset --hard",
            "git -c a=b checkout x",
            "git stash pop",
            "find . -delete",
            "find . -exec rm {} ;",
            "xargs rm",
            "ls | xargs -n1 rm -f",
            "rm $X",
            "rm *",
            "npm install",
            "yarn add x",
            "sh -c 'rm *'",
            "bash -lc \"sed -i 1d x\"",
            "eval 'git clean -fd'",
            "cd src && touch a",
            "python3 -c \"open('a','w')\"",
            "node -e \"require('fs').writeFileSync('a','b')\"",
            "echo 'sed -i 1d x' | sh",
            "sh <<E\ngit clean -fd\nE",
            "rm ~/x",
            "patch -p1",
        ] {
            assert_eq!(targets(line), Writes::Unknown, "{line}");
        }
    }

    #[test]
    fn commands_that_name_what_they_write() {
        for (line, expected) in [
            ("rm -rf a b", &["a", "b"][..]),
            ("rm -- -x", &["-x"]),
            ("mv a b", &["a", "b"]),
            ("cp a b", &["b"]),
            ("chmod +x a", &["a"]),
            ("echo x >a", &["a"]),
            ("a | tee b > c", &["c", "b"]),
            ("echo $(rm a)", &["a"]),
            ("sh -c 'touch a'", &["a"]),
            ("dd if=x of=y", &["y"]),
            ("cd /x; touch /a", &["/a"]),
            ("A=1 sudo /bin/rm a", &["a"]),
            ("r''m a", &["a"]),
            ("{rm,a}", &["a"]),
        ] {
            let expected = Writes::Targets(expected.iter().map(|path| (*path).to_owned()).collect());
            assert_eq!(targets(line), expected, "{line}");
        }
    }
}
