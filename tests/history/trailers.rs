//! Trailers are read as git reads them (git.md 1.5): generated messages, compared with `git interpret-trailers --parse`.

use git_spec::git::{Repository, Trailer};
use proptest::prelude::*;

use crate::common::{Repo, out};

/// What messages are made of: every line that means something to git, and its neighbours.
const LINES: [&str; 44] = [
    "\n",
    "\n",
    "\n",
    "  \n",
    "\t\n",
    "subject\n",
    "plain text\n",
    "---\n",
    "--- a/file\n",
    "----\n",
    "---",
    " ---\n",
    "Spec-Change: c1\n",
    "Spec-Change: c2\n",
    "spec-change:c3\n",
    "Spec-Change : c4\n",
    "Spec-Change= c5\n",
    "Spec-Change\t:\n",
    "Spec-Change: c6",
    "Spec-Change: c7\r\n",
    "\r\n",
    "Spec Change: c8\n",
    ": c9\n",
    "Spec-Base: 1234\n",
    " continued\n",
    "\tindented: x\n",
    "  \u{e4}\n",
    "Signed-off-by: a <b>\n",
    "Signed-off-by:a\n",
    "(cherry picked from commit 123)\n",
    "# comment\n",
    "#Spec-Change: c10\n",
    "; Spec-Change: c11\n",
    "// Spec-Change: c12\n",
    "# ------------------------ >8 ------------------------\n",
    "; ------------------------ >8 ------------------------\n",
    "Conflicts:\n",
    "\tlogos/a.md\n",
    "http://a.b: c\n",
    "Fixes: #1\n",
    "Bug #2\n",
    "fix: x\n",
    "B: y\n",
    "a\0b\n",
];

/// Settings, and the character that git prints after a token.
const SETTINGS: [&[(&str, &str)]; 5] = [
    &[],
    &[("trailer.separators", ":=")],
    &[("trailer.separators", "=#"), ("core.commentChar", ";")],
    &[
        ("core.commentString", "//"),
        ("trailer.fix.key", "Fixes"),
        ("trailer.bug.where", "end"),
    ],
    &[
        ("trailer.spec.key", "Spec-Change"),
        ("core.commentChar", "auto"),
        ("trailer.Bug.key", "Bug #"),
    ],
];

fn message() -> impl Strategy<Value = String> {
    let lines = prop::collection::vec(prop::sample::select(&LINES[..]), 0..9);
    // Most begin as messages do, or nothing would be the last paragraph of one.
    (any::<bool>(), lines).prop_map(|(titled, lines)| match titled {
        true => format!("subject\n\n{}", lines.concat()),
        false => lines.concat(),
    })
}

/// As git prints them.
fn printed(trailers: &[Trailer], separators: &str) -> String {
    let line =
        |Trailer { token, value }: &Trailer| match token.trim_end().ends_with(|c| separators.contains(c)) {
            true => format!("{token}{value}\n"),
            false => format!("{token}{} {value}\n", &separators[..1]),
        };
    trailers.iter().map(line).collect()
}

#[test]
fn as_git_reads_them() {
    for settings in SETTINGS {
        let repo = Repo::new();
        for (key, value) in settings {
            repo.git(["config", key, value]);
        }
        let separators = settings.iter().find(|(key, _)| *key == "trailer.separators");
        let separators = separators.map_or(":", |(_, value)| value);
        let opened = Repository::discover(repo.root(), false).expect("it can be opened");
        let opened = opened.expect("it is a repository");
        let config = ProptestConfig {
            cases: 400,
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        proptest!(config, |(message in message())| {
            let git = out(repo.command("git").args(["interpret-trailers", "--parse"]), message.as_bytes()).exits(0);
            prop_assert_eq!(printed(&opened.trailers(message.as_bytes()), separators), git.stdout, "{:?}", settings);
        });
    }
}
