//! Code from elsewhere: what is downloaded or decoded is not run.

use super::super::shell::parse;
use super::script::{Script, Step, inside, upstream};

const DOWNLOADS: [&str; 10] = [
    "curl",
    "wget",
    "fetch",
    "nc",
    "ncat",
    "netcat",
    "aria2c",
    "http",
    "https",
    "lwp-request",
];

/// Words that run what they are given.
const RUNNING: [&str; 4] = ["eval", "source", ".", "exec"];

pub(super) fn find(script: &Script) -> Option<String> {
    let has_shell = script.commands().any(|(list, at)| list[at].is_shell());
    script.commands().find_map(|(list, at)| {
        let step = &list[at];
        let runs = step.is_shell() || step.interpreter().is_some() || is_running(step);
        let from_inside = runs
            && inside(list, at)
                .iter()
                .any(|step| downloads(step) || decodes(step));
        let is_fed = step.runs_its_input() || step.runs_what_it_is_handed();
        let from_pipe = is_fed
            && upstream(list, at).iter().any(|above| {
                let at = list.iter().position(|other| std::ptr::eq(other, *above));
                let within = at.map_or(&[][..], |at| inside(list, at));
                within
                    .iter()
                    .chain([*above])
                    .any(|step| downloads(step) || decodes(step))
            });
        let evaluated = step.name == "eval" && evaluates_download(step);
        let hit = from_inside || from_pipe || evaluated || opens_network(step, has_shell);
        hit.then(|| step.shown())
    })
}

/// The word before the wrappers are dropped counts, too: `exec` is one.
fn is_running(step: &Step) -> bool {
    let first = step.command.words.first().map(|word| word.text.to_lowercase());
    RUNNING.contains(&step.name.as_str()) || first.is_some_and(|first| RUNNING.contains(&first.as_str()))
}

fn downloads(step: &Step) -> bool {
    DOWNLOADS.contains(&step.name.as_str())
}

fn decodes(step: &Step) -> bool {
    let flags = step.flags();
    match step.name.as_str() {
        "base64" | "base32" | "od" | "uudecode" => true,
        "xxd" => flags.short.contains('r'),
        "openssl" => step.has(&["enc", "base64"]) && step.has(&["-d"]),
        _ => false,
    }
}

/// `eval` of a text that downloads.
fn evaluates_download(step: &Step) -> bool {
    let words: Vec<&str> = step.args.iter().map(|word| word.text.as_str()).collect();
    let is_download = |word: &str| DOWNLOADS.contains(&word.to_lowercase().as_str());
    match parse(&words.join(" ")) {
        Ok(commands) => commands
            .iter()
            .any(|command| command.words.first().is_some_and(|word| is_download(&word.text))),
        // What cannot be read is refused if it so much as names one.
        Err(_) => words
            .iter()
            .any(|text| text.split(|c: char| !c.is_alphanumeric()).any(is_download)),
    }
}

/// A shell at the other end of a connection.
fn opens_network(step: &Step, has_shell: bool) -> bool {
    let is_network = |text: &str| {
        let text = text.to_lowercase();
        text.contains("/dev/tcp/") || text.contains("/dev/udp/")
    };
    let redirected = step
        .command
        .redirects
        .iter()
        .any(|to| is_network(&to.target.text));
    let named = has_shell && step.spoken().iter().any(|word| is_network(&word.text));
    let handed = ["nc", "ncat", "netcat", "socat"].contains(&step.name.as_str())
        && step.args.iter().any(|word| {
            let text = word.text.to_lowercase();
            matches!(text.as_str(), "-e" | "-c" | "--exec" | "--sh-exec") || text.contains("exec:")
        });
    redirected || named || handed
}
