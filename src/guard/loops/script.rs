//! A command line with all the scripts in it: those that shells are given, that are evaluated, or that run for what is
//! found. Folders are followed through `cd`.

use std::path::{Path, PathBuf};

use super::super::programs::{self, SHELLS, git_command};
use super::super::shell::{Command, RedirectKind, Word, parse, program};
use crate::files::plain_path;

/// Scripts inside scripts.
const DEEPEST: usize = 8;

/// Programs whose arguments are text to be shown.
const TALKING: [&str; 4] = ["echo", "printf", "print", "yes"];

/// Programs that change the folder.
const MOVING: [&str; 4] = ["cd", "chdir", "pushd", "popd"];

/// One simple command of a list.
pub(super) struct Step {
    pub(super) command: Command,
    /// The program in lower case, without folder and wrappers; empty if nothing runs.
    pub(super) name: String,
    /// Its arguments.
    pub(super) args: Vec<Word>,
    pub(super) wrappers: Vec<String>,
    /// The folder it runs in; none if that cannot be told.
    pub(super) cwd: Option<PathBuf>,
}

pub(super) type List = [Step];

pub(super) struct Script {
    lists: Vec<Vec<Step>>,
    /// Texts that no shell could read.
    unread: Vec<String>,
    home: Option<PathBuf>,
}

impl Script {
    /// `home` is where `cd` alone leads.
    pub(super) fn read(text: &str, cwd: &Path, home: Option<&Path>) -> Self {
        let mut script = Self {
            lists: Vec::new(),
            unread: Vec::new(),
            home: home.map(Path::to_owned),
        };
        script.add(text, Some(cwd.to_owned()), 0);
        script
    }

    /// Every command, as its list and its place in it.
    pub(super) fn commands(&self) -> impl Iterator<Item = (&List, usize)> {
        let of = |list: &'_ Vec<Step>| 0..list.len();
        self.lists
            .iter()
            .flat_map(move |list| of(list).map(move |at| (list.as_slice(), at)))
    }

    pub(super) fn unread(&self) -> impl Iterator<Item = &str> {
        self.unread.iter().map(String::as_str)
    }

    fn add(&mut self, text: &str, cwd: Option<PathBuf>, depth: usize) {
        let commands = match parse(text) {
            Ok(commands) if depth <= DEEPEST => commands,
            Ok(_) | Err(_) => return self.unread.push(text.to_owned()),
        };
        let mut cwd = cwd;
        let mut list = Vec::new();
        for command in commands {
            let step = Step::new(command, cwd.clone());
            // A folder changed inside a substitution, or in a pipe, is changed there alone.
            if MOVING.contains(&step.name.as_str()) && !step.command.inner && !step.command.piped {
                cwd = step.enters(self.home.as_deref());
            }
            list.push(step);
        }
        let scripts: Vec<(String, Option<PathBuf>)> =
            (0..list.len()).flat_map(|at| inner(&list, at)).collect();
        self.lists.push(list);
        for (text, cwd) in scripts {
            self.add(&text, cwd, depth + 1);
        }
    }
}

impl Step {
    fn new(command: Command, cwd: Option<PathBuf>) -> Self {
        let (mut name, mut args, mut wrappers) = (String::new(), Vec::new(), Vec::new());
        let mut cwd = cwd;
        if let Some(program) = program(&command) {
            for folder in &program.folders {
                cwd = cwd
                    .filter(|_| !folder.dynamic)
                    .map(|cwd| plain_path(&cwd.join(&folder.text)));
            }
            name = program.name.to_lowercase();
            args = program.arguments.to_vec();
            wrappers = program.wrappers.iter().map(|name| (*name).to_owned()).collect();
        }
        if let Some(short) = name.strip_suffix(".exe") {
            name = short.to_owned();
        }
        Self {
            command,
            name,
            args,
            wrappers,
            cwd,
        }
    }

    /// The folder that `cd` leads to.
    fn enters(&self, home: Option<&Path>) -> Option<PathBuf> {
        let to = self
            .args
            .iter()
            .find(|word| !word.text.starts_with('-') || word.text == "-");
        let Some(to) = to else {
            // Without a folder only `cd` knows one.
            return home.filter(|_| self.name == "cd").map(Path::to_owned);
        };
        if to.dynamic || to.text == "-" || self.name == "popd" {
            return None;
        }
        if let Some(rest) = to.text.strip_prefix('~').filter(|_| !to.quoted) {
            let is_own = rest.is_empty() || rest.starts_with('/');
            return home
                .filter(|_| is_own)
                .map(|home| plain_path(&home.join(rest.trim_start_matches('/'))));
        }
        Some(plain_path(&self.cwd.as_ref()?.join(&to.text)))
    }

    pub(super) fn is_shell(&self) -> bool {
        SHELLS.contains(&self.name.as_str())
    }

    /// `python3.11` is python.
    pub(super) fn interpreter(&self) -> Option<&'static str> {
        programs::interpreter(&self.name)
    }

    pub(super) fn talks(&self) -> bool {
        TALKING.contains(&self.name.as_str())
    }

    /// The words as they are written, joined by blanks: for the reason of a refusal.
    pub(super) fn shown(&self) -> String {
        let words: Vec<&str> = self.command.words.iter().map(|word| word.text.as_str()).collect();
        words.join(" ")
    }

    /// Whether an argument is one of these, in lower case.
    pub(super) fn has(&self, wanted: &[&str]) -> bool {
        self.args
            .iter()
            .any(|word| wanted.contains(&word.text.to_lowercase().as_str()))
    }

    /// Letters of its short options, in lower case, and its long options; what stands behind `--` is no option.
    pub(super) fn flags(&self) -> Flags<'_> {
        Flags::of(&self.args)
    }

    /// The command of git, and what follows it.
    pub(super) fn git(&self) -> Option<(String, &[Word])> {
        if self.name != "git" {
            return None;
        }
        git_command(&self.args).map(|(name, rest)| (name.to_lowercase(), rest))
    }

    /// The arguments that are no text: not what is shown, and not a message.
    pub(super) fn spoken(&self) -> Vec<&Word> {
        if self.talks() {
            return Vec::new();
        }
        let is_message = |word: &str| {
            let short = word.starts_with('-') && !word.starts_with("--") && word.ends_with('m');
            short || word == "--message"
        };
        let messages = self.git().is_some_and(|(command, _)| {
            ["commit", "tag", "merge", "notes", "stash", "revert"].contains(&command.as_str())
        });
        let mut out = Vec::new();
        let mut skip = false;
        for word in &self.args {
            let is_text = std::mem::take(&mut skip) || (messages && word.text.starts_with("--message="));
            skip = messages && !is_text && is_message(&word.text);
            if !is_text {
                out.push(word);
            }
        }
        out
    }

    /// Where its output goes: files.
    pub(super) fn writes(&self) -> impl Iterator<Item = &Word> {
        let redirects = self.command.redirects.iter();
        redirects
            .filter(|to| to.kind == RedirectKind::Write)
            .map(|to| &to.target)
    }

    /// Where its input comes from: files.
    pub(super) fn reads(&self) -> impl Iterator<Item = &Word> {
        let redirects = self.command.redirects.iter();
        redirects
            .filter(|from| from.kind == RedirectKind::Read)
            .map(|from| &from.target)
    }

    /// Texts that it reads from the line itself.
    pub(super) fn given(&self) -> impl Iterator<Item = &str> {
        let redirects = self.command.redirects.iter();
        redirects
            .filter(|from| from.kind == RedirectKind::Text)
            .map(|from| from.target.text.as_str())
    }

    /// The code that an interpreter is given as an argument.
    pub(super) fn code(&self) -> Vec<&str> {
        let mut out = Vec::new();
        for (at, word) in self.args.iter().enumerate() {
            let text = word.text.as_str();
            let takes =
                text.starts_with('-') && !text.starts_with("--") && text.ends_with(['c', 'e', 'E', 'p', 'r'])
                    || matches!(text, "--eval" | "--print" | "eval");
            if takes && let Some(next) = self.args.get(at + 1) {
                out.push(next.text.as_str());
            }
        }
        out.extend(self.given());
        out
    }

    /// Whether the program that it runs comes on its standard input.
    pub(super) fn runs_its_input(&self) -> bool {
        let mut operands = self
            .args
            .iter()
            .filter(|word| !word.text.starts_with('-') || word.text == "-");
        let short = |letter: char| self.flags().short.contains(letter);
        let is_input = |word: &Word| INPUTS.contains(&word.text.as_str());
        if self.is_shell() {
            return short('s') || !short('c') && operands.next().is_none_or(is_input);
        }
        if SOURCING.contains(&self.name.as_str()) {
            return operands.next().is_some_and(is_input);
        }
        let Some(interpreter) = self.interpreter() else {
            return false;
        };
        let own = match interpreter {
            "python" => short('m') || short('c'),
            _ => short('e') || short('n') || short('p'),
        };
        if own {
            // Code that runs what it reads is no better than none.
            return self.code().iter().any(|code| {
                let runs = ["exec(", "eval(", "eval ", "system(", "Function("];
                code.contains("stdin") && runs.iter().any(|word| code.contains(word))
            });
        }
        operands.next().is_none_or(is_input)
    }

    /// Whether `xargs` or the like writes the code that it runs.
    pub(super) fn runs_what_it_is_handed(&self) -> bool {
        let handed = self
            .wrappers
            .iter()
            .any(|name| matches!(name.as_str(), "xargs" | "parallel"));
        let takes_code = self.is_shell() || self.interpreter().is_some();
        handed && takes_code && self.flags().short.contains(['c', 'e'])
    }
}

/// Names of the standard input.
const INPUTS: [&str; 4] = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];
/// Programs that run a file in the shell itself.
const SOURCING: [&str; 2] = ["source", "."];

/// The options of a command.
pub(super) struct Flags<'w> {
    pub(super) short: String,
    pub(super) long: Vec<String>,
    pub(super) operands: Vec<&'w Word>,
}

impl<'w> Flags<'w> {
    pub(super) fn of(words: &'w [Word]) -> Self {
        let mut flags = Self {
            short: String::new(),
            long: Vec::new(),
            operands: Vec::new(),
        };
        let mut ended = false;
        for word in words {
            let text = word.text.as_str();
            if ended || !text.starts_with('-') || text == "-" {
                flags.operands.push(word);
            } else if text == "--" {
                ended = true;
            } else if let Some(long) = text.strip_prefix("--") {
                flags
                    .long
                    .push(long.split('=').next().unwrap_or(long).to_lowercase());
            } else {
                flags.short.push_str(&text[1..].to_lowercase());
            }
        }
        flags
    }

    /// A letter, or a long option of which a beginning will do.
    pub(super) fn has(&self, letter: char, long: &str) -> bool {
        let begins = |word: &String| word.len() >= 3 && long.starts_with(word.as_str());
        self.short.contains(letter) || self.long.iter().any(begins)
    }
}

/// The commands that run inside words of a command: those right before it.
pub(super) fn inside(list: &List, at: usize) -> &[Step] {
    let before = &list[..at];
    let from = before
        .iter()
        .rposition(|step| !step.command.inner)
        .map_or(0, |last| last + 1);
    if list[at].command.inner {
        &[]
    } else {
        &before[from..]
    }
}

/// The commands before one in its pipe, the first first; what runs inside their words left out.
pub(super) fn upstream(list: &List, at: usize) -> Vec<&Step> {
    let mut out = Vec::new();
    let mut reads = list[at].command.piped;
    for step in list[..at].iter().rev() {
        if step.command.inner != list[at].command.inner {
            continue;
        }
        if !reads {
            break;
        }
        out.push(step);
        reads = step.command.piped;
    }
    out.reverse();
    out
}

/// The scripts that a command runs, and where.
fn inner(list: &List, at: usize) -> Vec<(String, Option<PathBuf>)> {
    let step = &list[at];
    let mut out: Vec<String> = Vec::new();
    let joined = |words: &[Word]| {
        let words: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        words.join(" ")
    };
    if step.is_shell() {
        if step.flags().short.contains('c') {
            let text = step.args.iter().find(|word| !word.text.starts_with(['-', '+']));
            out.extend(text.map(|word| word.text.clone()));
        }
        out.extend(step.given().map(str::to_owned));
    }
    if SOURCING.contains(&step.name.as_str()) {
        out.extend(step.given().map(str::to_owned));
    }
    let told = |step: &Step| -> Vec<String> {
        let said = step.talks().then(|| joined(&step.args));
        said.into_iter().chain(step.given().map(str::to_owned)).collect()
    };
    if step.runs_its_input() && step.interpreter().is_none() {
        out.extend(upstream(list, at).into_iter().flat_map(told));
    }
    // What runs inside its words writes the script, or a part of it.
    if step.is_shell() || SOURCING.contains(&step.name.as_str()) || step.name == "eval" {
        out.extend(inside(list, at).iter().flat_map(told));
    }
    match step.name.as_str() {
        "eval" | "watch" | "trap" => out.push(joined(&step.args)),
        "su" | "script" | "runuser" | "flock" => {
            let text = step
                .args
                .iter()
                .skip_while(|word| !matches!(word.text.as_str(), "-c" | "--command"));
            out.extend(text.skip(1).take(1).map(|word| word.text.clone()));
        }
        "ssh" => {
            let command = step
                .args
                .iter()
                .position(|word| !word.text.starts_with('-'))
                .map(|host| host + 1);
            out.extend(command.map(|from| joined(&step.args[from..])));
        }
        "cmd" | "powershell" | "pwsh" => {
            let words = step
                .args
                .iter()
                .skip_while(|word| word.text.starts_with(['/', '-']));
            out.push(joined(&words.cloned().collect::<Vec<_>>()));
        }
        "alias" => {
            let texts = step.args.iter().filter_map(|word| word.text.split_once('='));
            out.extend(texts.map(|(_, text)| text.to_owned()));
        }
        "find" | "fd" | "fdfind" => {
            let starts = [
                "-exec",
                "-execdir",
                "-ok",
                "-okdir",
                "-x",
                "-X",
                "--exec",
                "--exec-batch",
            ];
            let from = step
                .args
                .iter()
                .position(|word| starts.contains(&word.text.as_str()));
            out.extend(from.map(|from| {
                let words = step.args[from + 1..].iter();
                let words = words.take_while(|word| !matches!(word.text.as_str(), ";" | "+"));
                joined(&words.cloned().collect::<Vec<_>>())
            }));
        }
        _ => {}
    }
    // What `env -S` is given is a command of its own.
    let words = &step.command.words;
    if words.first().is_some_and(|word| word.text.ends_with("env"))
        && let Some(split) = words
            .iter()
            .position(|word| matches!(word.text.as_str(), "-S" | "--split-string"))
    {
        out.push(joined(&words[split + 1..]));
    }
    out.into_iter()
        .filter(|text| !text.trim().is_empty())
        .map(|text| (text, step.cwd.clone()))
        .collect()
}
