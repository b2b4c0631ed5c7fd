//! What stands in a repository gives no command to the CI runner that reads our output: in no text answer does a line,
//! blanks cut off, begin with `::`, and none holds `##[` (git.md 10.2).
#![cfg(unix)]

use crate::common::Tolls;

const FORGED: &str = "::error file=x::pwn";
const MARKED: &str = "##[error] pwn";

/// Every kind of text that is shown: paths, titles, names, authors, rows, tasks, lines of documents.
fn hostile() -> Tolls {
    let tolls = Tolls::new();
    let document = Tolls::CONTENT.replace("| car |", &format!("| {FORGED} {MARKED} |"));
    tolls.write(Tolls::DOCUMENT, &document);
    tolls.write(
        "logos/resources/decisions/D01-x.md",
        format!("# D01: {FORGED}\n\n{FORGED}\n  {FORGED}\n{MARKED}\n"),
    );
    for name in ["logos.config.json", "logos-project.yaml"] {
        let content = tolls.read(&format!("logos/{name}"));
        tolls.write(&format!("{FORGED}/logos/{name}"), content);
    }
    tolls.write(&format!("{FORGED}/{}", Tolls::DOCUMENT), Tolls::CONTENT);
    let registry = tolls.read("logos/logos-project.yaml");
    tolls.write(
        "logos/logos-project.yaml",
        format!("{registry}scenarios:\n  - {{id: S01, name: \"{FORGED}\", module: core}}\n")
            .replace("name: Core", &format!("name: \"{FORGED} {MARKED}\"")),
    );
    tolls.git(["config", "user.name", FORGED]);
    tolls.commit(&format!("{FORGED}\n\nSpec-Change: {FORGED}"));
    tolls.change("dearer", &[]);
    let change = "logos/changes/dearer";
    tolls.write(
        &format!("{change}/tasks.md"),
        format!(
            "# Tasks\n\n## [delta] {FORGED}\n- [ ] {FORGED}\n- [ ] {MARKED}\n\n## [code] x\n- [ ] {FORGED}\n"
        ),
    );
    tolls.write(
        &format!("{change}/deltas/test/{FORGED}.md"),
        format!("## MODIFIED — {FORGED}\n\n{FORGED}\n\n## {MARKED} — x\n"),
    );
    tolls.write(
        &format!("{change}/deltas/test/core-01-test-cases.md"),
        format!("## MODIFIED — {FORGED}\n{FORGED}\n\n## ADDED — {FORGED}\n{FORGED}\n{MARKED}\n"),
    );
    tolls.git(["add", "-A"]);
    tolls.git(["commit", "-qm", FORGED, "--author", "::warning::pwn <x@y>"]);
    tolls.write(&format!("{FORGED}/{}", Tolls::DOCUMENT), document);
    tolls.write(
        &format!("logos/resources/test/{FORGED}.md"),
        format!("{FORGED}\n"),
    );
    tolls.commit(FORGED);
    tolls
}

#[test]
fn no_text_answer_gives_a_command_to_a_runner() {
    let tolls = hostile();
    // The commands, and whether hostile text is sure to be in what they say.
    let commands: [(&[&str], bool); 26] = [
        (&["show", "D01"], true),
        (&["show", "UT-S01-01"], true),
        (&["show", FORGED], true),
        (&["show", "D01@::error::x"], true),
        (&["log", "D01"], true),
        (&["log", "UT-S01-01"], true),
        (&["blame", "D01"], true),
        (&["blame", Tolls::DOCUMENT], true),
        (&["check", "HEAD~2..HEAD"], true),
        (&["check", "--tree"], true),
        (&["check", FORGED], true),
        (&["impact", "--base", "HEAD~1", "--head", "HEAD"], true),
        (&["change-lint", "--slug", "dearer"], true),
        (&["change-lint", "--slug", FORGED], true),
        (&["merge", "dearer", "--dry-run"], true),
        (&["radar"], true),
        (&["status"], true),
        (&["next"], false),
        (&["module", "list"], true),
        (&["feature", "list"], true),
        (&["detect"], true),
        (&["flow", "show"], false),
        (&["worktree", "list"], false),
        (&["hooks", "status"], false),
        (&[FORGED], true),
        (&["status", FORGED], true),
    ];
    let mut other = Vec::new();
    for (args, is_told) in commands {
        let out = tolls.spec(args);
        let said = out.stdout + &out.stderr;
        assert!(!said.is_empty(), "{args:?}");
        for line in said.lines().flat_map(|line| line.split('\r')) {
            let obeyed = line.trim_start().starts_with("::") || line.contains("##[");
            assert!(!obeyed, "{args:?}: {line:?}\n{said}");
        }
        if is_told != (said.contains("pwn") || said.contains(":error::x")) {
            other.push((args, said));
        }
    }
    assert!(other.is_empty(), "{other:#?}");
}
