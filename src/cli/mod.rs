//! Arguments, the order of steps of every command, and how an answer leaves the process.

mod archive;
mod baseline_seed;
mod blame;
mod change;
mod check;
mod check_ui;
mod ci;
mod confined;
mod context;
mod demo;
mod deploy_done;
mod detect;
mod doctor;
mod ending;
mod feature;
mod feature_backfill;
mod flow;
mod flow_error;
mod guard;
mod history;
mod hook;
mod hooks;
mod impact;
mod import;
mod index;
mod init;
mod launch;
mod lint;
mod lint_fix;
mod log;
mod loops;
mod merge;
mod merge_driver;
mod module;
mod module_locks;
mod next;
mod page;
mod radar;
mod rebase;
mod renumber;
mod schema;
mod show;
mod silly;
mod smoke;
mod state;
mod status;
mod statusline;
mod sync;
mod trouble;
mod trust;
mod uninitialised;
mod usage;
mod verification;
mod verify;
mod watch;
mod words;
mod worktree;

pub use context::{Context, Env, Place};

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};

use clap::{CommandFactory, Parser, Subcommand};
use serde::Serialize;

use crate::clock::Timestamp;
use crate::files::RepoPath;
use crate::report::{self, Answer, Exit, Screen};
use crate::text::{self, without_runner_commands};
use crate::voice::{Fail, Voice};

/// The git-native toolchain for spec-driven development.
///
/// A change is a folder of Markdown: lint it, merge its deltas into the documents as a commit, archive it as a commit.
#[derive(Parser)]
#[command(
    name = "git-spec",
    bin_name = "git spec",
    version,
    disable_version_flag = true,
    max_term_width = 100
)]
struct Cli {
    #[command(flatten)]
    globals: Globals,
    #[command(subcommand)]
    command: Command,
}

/// What may stand before the command.
#[derive(clap::Args)]
struct Globals {
    /// Run as if started in this folder
    #[arg(short = 'C', value_name = "DIR")]
    dir: Vec<OsString>,
    /// Name the project by its folder from the top level of the repository
    #[arg(long, value_name = "PREFIX", global = true)]
    project: Option<String>,
    /// When to colour text: auto, always or never
    #[arg(long, value_name = "WHEN", global = true)]
    color: Option<String>,
    /// Print the version
    #[arg(short = 'v', long = "version", action = clap::ArgAction::Version)]
    version: Option<bool>,
}

#[derive(Subcommand)]
enum Command {
    Adopt(init::Adopt),
    Archive(archive::Archive),
    #[command(name = "baseline-seed")]
    BaselineSeed(baseline_seed::BaselineSeed),
    Blame(blame::Blame),
    Change(change::Change),
    #[command(visible_alias = "lint")]
    ChangeLint(lint::Lint),
    Check(check::Check),
    #[command(name = "check-ui-hash-match")]
    CheckUiHashMatch(check_ui::HashMatch),
    #[command(name = "check-ui-prototype")]
    CheckUiPrototype(check_ui::Prototype),
    #[command(name = "deploy-done")]
    DeployDone(deploy_done::DeployDone),
    Detect(detect::Detect),
    Demo(demo::Demo),
    Doctor(doctor::Doctor),
    Feature(feature::Feature),
    Flow(flow::Flow),
    #[command(name = "feature-backfill")]
    FeatureBackfill(feature_backfill::FeatureBackfill),
    Guard(guard::GuardCommand),
    Hook(hook::Hook),
    Hooks(hooks::Hooks),
    Impact(impact::Impact),
    Import(import::Import),
    Index(index::Index),
    Init(init::Init),
    Install(hooks::InstallAll),
    Launch(launch::Launch),
    Log(log::Log),
    Loop(loops::Loop),
    Merge(merge::Merge),
    #[command(name = "merge-driver")]
    MergeDriver(merge_driver::MergeDriver),
    Module(module::Module),
    Next(next::Next),
    Radar(radar::Radar),
    Rebase(rebase::Rebase),
    Renumber(renumber::Renumber),
    Schema(schema::Schema),
    Show(show::Show),
    Silly(silly::Silly),
    Smoke(smoke::Smoke),
    State(state::State),
    Status(status::Status),
    Statusline(statusline::Statusline),
    Trust(trust::Trust),
    Verify(verify::Verify),
    Watch(watch::Watch),
    Sync(sync::Sync),
    Worktree(worktree::Worktree),
}

impl Command {
    fn run(self, context: &Context) -> Exit {
        match self {
            Self::Adopt(command) => command.run(context),
            Self::Archive(command) => command.run(context),
            Self::BaselineSeed(command) => command.run(context),
            Self::Blame(command) => command.run(context),
            Self::Change(command) => command.run(context),
            Self::ChangeLint(command) => command.run(context),
            Self::Check(command) => command.run(context),
            Self::CheckUiHashMatch(command) => command.run(context),
            Self::CheckUiPrototype(command) => command.run(context),
            Self::DeployDone(command) => command.run(context),
            Self::Detect(command) => command.run(context),
            Self::Doctor(command) => command.run(context),
            Self::Demo(command) => command.run(context),
            Self::Feature(command) => command.run(context),
            Self::Flow(command) => command.run(context),
            Self::FeatureBackfill(command) => command.run(context),
            Self::Guard(command) => command.run(context),
            Self::Hook(command) => command.run(context),
            Self::Hooks(command) => command.run(context),
            Self::Impact(command) => command.run(context),
            Self::Import(command) => command.run(context),
            Self::Index(command) => command.run(context),
            Self::Init(command) => command.run(context),
            Self::Install(command) => command.run(context),
            Self::Launch(command) => command.run(context),
            Self::Log(command) => command.run(context),
            Self::Loop(command) => command.run(context),
            Self::Merge(command) => command.run(context),
            Self::MergeDriver(command) => command.run(context),
            Self::Module(command) => command.run(context),
            Self::Next(command) => command.run(context),
            Self::Radar(command) => command.run(context),
            Self::Rebase(command) => command.run(context),
            Self::Renumber(command) => command.run(context),
            Self::Schema(command) => command.run(context),
            Self::Show(command) => command.run(context),
            Self::Silly(command) => command.run(context),
            Self::Smoke(command) => command.run(context),
            Self::State(command) => command.run(context),
            Self::Status(command) => command.run(context),
            Self::Statusline(command) => command.run(context),
            Self::Trust(command) => command.run(context),
            Self::Verify(command) => command.run(context),
            Self::Watch(command) => command.run(context),
            Self::Sync(command) => command.run(context),
            Self::Worktree(command) => command.run(context),
        }
    }
}

/// How a command's answer is to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Text,
    Json,
    Sarif,
    Github,
}

impl Format {
    /// `json`, `sarif` and `github`; anything else is text and no error (logos-project.md part 1).
    fn of(value: Option<&str>) -> Self {
        match value {
            Some("json") => Self::Json,
            Some("sarif") => Self::Sarif,
            Some("github") => Self::Github,
            Some(_) | None => Self::Text,
        }
    }
}

/// Runs the program on its arguments, the first of them its own name. Returns the exit code.
pub fn run(argv: Vec<OsString>) -> u8 {
    let env = Env::of_process();
    crate::fault::arm(env.number("GIT_SPEC_ABORT_AT"), env.number("GIT_SPEC_FAIL_AT"));
    let mut argv = argv.into_iter();
    let program = words::program_name(argv.next().as_deref());
    let words: Vec<OsString> = argv.collect();
    if let Some(code) = confined::run(&words) {
        return code;
    }
    let (now, clock_fault) = match env.now() {
        Ok(now) => (now, None),
        Err(fault) => (Timestamp::now(), Some(fault)),
    };
    let definition = Cli::command();
    let (parsed, name, json) = match words::normalise(&definition, &words) {
        words::Asked::Help(path) => return help(&definition, &path, Exit::Done),
        words::Asked::Version => {
            return say_out(&format!("git-spec {}\n", env!("CARGO_PKG_VERSION")), Exit::Done);
        }
        words::Asked::Unknown(word) => {
            complain(&format!(
                "git-spec: `{}` is no command of this program",
                text::escape(&word)
            ));
            return help(&definition, &[], Exit::Failed);
        }
        words::Asked::Incomplete { path, unknown } => {
            if let Some(word) = unknown {
                let (name, word) = (path.join(" "), text::escape(&word));
                complain(&format!("git-spec: `{word}` is no command of `{name}`"));
            }
            // Programs of such projects print what there is as an answer (silly.md 8).
            if path.first().is_some_and(|first| first == "silly") {
                return help(&definition, &path, Exit::Failed);
            }
            complain(help_text(&definition, &path).trim_end());
            return Exit::Failed.code();
        }
        words::Asked::Command { argv, name, json } => (Cli::try_parse_from(argv), name, json),
    };
    let misused = |message: &str| {
        if json {
            complain_in_json(&report::failure(&name, now, "USAGE", message));
        } else {
            complain(message);
        }
        Exit::Failed.code()
    };
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return misused(error.render().to_string().trim_end()),
    };
    if let Some(fault) = clock_fault {
        return misused(&format!("git-spec: {fault}"));
    }
    match Context::new(&cli.globals, env, now, &program) {
        Ok(context) => cli.command.run(&context).code(),
        // It answers where there is no folder, too.
        Err(_) if matches!(cli.command, Command::Statusline(_)) => {
            cli.command.run(&Context::nowhere(env, now, program)).code()
        }
        Err(message) => misused(&format!("git-spec: {message}")),
    }
}

fn help(definition: &clap::Command, path: &[String], exit: Exit) -> u8 {
    say_out(&help_text(definition, path), exit)
}

fn help_text(definition: &clap::Command, path: &[String]) -> String {
    let mut command = definition.clone();
    command.build();
    let mut found = &mut command;
    for name in path {
        let Some(next) = found.find_subcommand(name).map(|c| c.get_name().to_owned()) else {
            break;
        };
        found = found.find_subcommand_mut(&next).expect("just found");
    }
    let text = if path.is_empty() {
        found.render_help()
    } else {
        found.render_long_help()
    };
    text.to_string()
}

/// Prints to stdout. A reader that has gone away is no error (engineering.md 7).
fn say_out(text: &str, exit: Exit) -> u8 {
    settle(io::stdout().lock().write_all(text.as_bytes()), exit).code()
}

fn complain(text: &str) {
    complain_in_json(&without_runner_commands(text));
}

/// As [`complain`], what must stay as it is to be read by a program.
fn complain_in_json(line: &str) {
    // With stderr gone there is nobody left to tell.
    let _unheard = writeln!(io::stderr().lock(), "{line}");
}

fn settle(written: io::Result<()>, exit: Exit) -> Exit {
    match written {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("git-spec: the answer cannot be written: {e}"));
            Exit::Failed
        }
        _ => exit,
    }
}

/// Prints an answer or an error in the format asked for; returns the exit code that goes with it.
fn finish<A: Answer, E: Fail>(
    context: &Context,
    command: &str,
    format: Format,
    result: Result<A, E>,
) -> Exit {
    let voice = context.voice();
    match result {
        Ok(answer) => {
            let exit = answer.exit();
            let written = match format {
                Format::Json => print_line(&json(command, context.now, answer.data(voice))),
                Format::Text | Format::Sarif | Format::Github => print_text(context, &answer),
            };
            settle(written, exit)
        }
        Err(error) => fail(context, command, format, &error),
    }
}

/// Tells an error: one envelope on stderr in JSON, else `Error [code]: message`.
fn fail(context: &Context, command: &str, format: Format, error: &dyn Fail) -> Exit {
    let message = error.say(context.voice());
    if format == Format::Json {
        complain_in_json(&report::failure(command, context.now, error.code(), &message));
    } else {
        complain(&format!("Error [{}]: {message}", error.code()));
    }
    Exit::Failed
}

fn json(command: &str, now: Timestamp, data: impl Serialize) -> String {
    report::success(command, now, data)
}

fn print_line(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(line.as_bytes())?;
    out.write_all(b"\n")?;
    out.flush()
}

fn print_text(context: &Context, answer: &impl Answer) -> io::Result<()> {
    with_screen(context, |screen| answer.print(screen))
}

/// Prints an answer that has findings: also as SARIF and as workflow annotations.
fn finish_findings(
    context: &Context,
    command: &str,
    format: Format,
    prefix: &RepoPath,
    answer: &impl Answer,
) -> Exit {
    let voice = context.voice();
    let written = match format {
        Format::Json => print_line(&json(command, context.now, answer.data(voice))),
        Format::Text => print_text(context, answer),
        Format::Sarif => print_line(&report::sarif::log(answer, prefix, voice)),
        Format::Github => io::stdout()
            .lock()
            .write_all(report::github::annotations(&answer.findings(), prefix, voice).as_bytes()),
    };
    settle(written, answer.exit())
}

/// Lends the terminal to something that prints.
fn with_screen(context: &Context, print: impl FnOnce(&mut Screen<'_>) -> io::Result<()>) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut err = io::stderr().lock();
    let color = context.color(io::stdout().is_terminal());
    let voice: &Voice = context.voice();
    print(&mut Screen {
        out: &mut out,
        err: &mut err,
        voice,
        color,
    })?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_consistent() {
        Cli::command().debug_assert();
    }
}
