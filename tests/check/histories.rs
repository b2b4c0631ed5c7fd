//! Histories made only of our own commands and of git's merges have no finding; one character more or less in a merge has
//! (git.md 10.1).

use std::fmt::Write as _;

use crate::check;
use crate::common::{Out, Tolls};

/// Numbers that look random and are the same at every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits are left") % n
    }
}

const ROWS: usize = 8;

/// The table of cases, the price of one changed.
fn section(document: &str, row: usize, price: usize) -> String {
    let wanted = format!("| UT-S01-{row:02} |");
    let rows = document.lines().filter(|line| line.starts_with('|'));
    let rows = rows.map(|line| match line.starts_with(&wanted) {
        true => format!("{wanted} vehicle {row} | {price} |\n"),
        false => format!("{line}\n"),
    });
    format!("## MODIFIED — Unit cases\n{}", rows.collect::<String>())
}

struct History {
    tolls: Tolls,
    path: String,
    start: String,
    changes: usize,
}

impl History {
    fn new() -> Self {
        let tolls = Tolls::new();
        let mut document =
            "# Toll tests\n\nAll of them.\n\n## Unit cases\n\n| ID | Title | Expected |\n|---|---|---|\n"
                .to_owned();
        for row in 1..=ROWS {
            writeln!(document, "| UT-S01-{row:02} | vehicle {row} | {row} |").expect("a text takes it");
        }
        tolls.write(Tolls::DOCUMENT, document + "\n## Notes\n\n- one\n- two\n");
        let start = tolls.commit("More rows");
        tolls.spec(["merge-driver", "--install"]).exits(0);
        let program = std::path::Path::new(env!("CARGO_BIN_EXE_git-spec"));
        let folder = program.parent().expect("in a folder").display().to_string();
        let path = format!("{folder}:{}", std::env::var("PATH").expect("it is set"));
        Self {
            tolls,
            path,
            start,
            changes: 0,
        }
    }

    fn git(&self, args: &[&str]) -> Out {
        let mut command = self.tolls.command("git");
        crate::common::out(command.env("PATH", &self.path).args(args), b"")
    }

    /// A change of one price: proposed, perhaps merged, perhaps archived.
    fn change(&mut self, random: &mut Random) {
        self.changes += 1;
        let slug = format!("change-{}", self.changes);
        let document = self.tolls.read(Tolls::DOCUMENT);
        let delta = section(&document, 1 + random.below(ROWS), 100 * self.changes);
        self.tolls.change(&slug, &[(Tolls::DELTA, &delta)]);
        if random.below(4) > 0 && self.tolls.spec(["merge", &slug]).code == 0 && random.below(2) > 0 {
            self.tolls.spec(["archive", &slug]).exits(0);
        }
    }

    /// Steps on two branches, which are taken into each other now and then.
    fn go(&mut self, random: &mut Random, steps: usize) {
        self.git(&["branch", "side"]).exits(0);
        for _ in 0..steps {
            match random.below(5) {
                0 => {
                    let other = if random.below(2) == 0 { "main" } else { "side" };
                    self.git(&["switch", "-q", other]).exits(0);
                }
                1 => {
                    let now = self.git(&["branch", "--show-current"]).stdout;
                    let other = if now.trim() == "main" { "side" } else { "main" };
                    if self.git(&["merge", "-q", "--no-edit", other]).code != 0 {
                        self.git(&["merge", "--abort"]).exits(0);
                    }
                }
                _ => self.change(random),
            }
        }
    }
}

#[test]
fn our_own_commands_and_gits_merges_leave_no_finding() {
    for seed in 0..4 {
        let mut random = Random(seed);
        let mut history = History::new();
        history.go(&mut random, 12);
        for branch in ["main", "side"] {
            for more in [&[][..], &["--first-parent"]] {
                let range = format!("{}..{branch}", history.start);
                let mut args = vec![
                    range.as_str(),
                    "--rule",
                    "lint=off",
                    "--rule",
                    "merge-warnings=off",
                ];
                args.extend(more);
                let answer = check(&history.tolls, &args).json();
                assert_eq!(
                    answer["data"]["findings"],
                    serde_json::json!([]),
                    "{seed} {branch} {more:?}"
                );
            }
        }
        history.tolls.fsck();
    }
}

#[test]
fn one_character_that_no_delta_brings_is_found() {
    let mut random = Random(7);
    let mut history = History::new();
    history.git(&["branch", "side"]).exits(0);
    let document = history.tolls.read(Tolls::DOCUMENT);
    let commits = [("one", 2, "main"), ("two", 5, "side")].map(|(slug, row, branch)| {
        history.git(&["switch", "-q", branch]).exits(0);
        history
            .tolls
            .change(slug, &[(Tolls::DELTA, &section(&document, row, 77))]);
        history.tolls.spec(["merge", slug]).exits(0);
        history.git(&["rev-parse", "HEAD"]).stdout.trim().to_owned()
    });
    history.git(&["switch", "-q", "main"]).exits(0);
    history.git(&["merge", "-q", "--no-edit", "side"]).exits(0);
    let merge = history.git(&["rev-parse", "HEAD"]).stdout.trim().to_owned();
    history.changes = 1;
    for commit in commits.iter().chain([&merge]) {
        let text = history
            .git(&["show", &format!("{commit}:{}", Tolls::DOCUMENT)])
            .stdout;
        let places: Vec<usize> = text
            .char_indices()
            .filter(|(_, c)| c.is_ascii() && !c.is_whitespace())
            .map(|(at, _)| at)
            .collect();
        for _ in 0..25 {
            let at = places[random.below(places.len())];
            let with = b"x7#|-:*"[random.below(7)];
            if text.as_bytes()[at] == with {
                continue;
            }
            let mut changed = text.clone().into_bytes();
            changed[at] = with;
            history.git(&["read-tree", commit]).exits(0);
            history.tolls.write("changed", &changed);
            let blob = history.git(&["hash-object", "-w", "changed"]).stdout;
            let entry = format!("100644,{},{}", blob.trim(), Tolls::DOCUMENT);
            history.git(&["update-index", "--cacheinfo", &entry]).exits(0);
            let tree = history.git(&["write-tree"]).stdout;
            let parents = history.git(&["show", "-s", "--format=%P", commit]).stdout;
            let mut words = vec![
                "commit-tree".to_owned(),
                tree.trim().to_owned(),
                "-m".to_owned(),
                "x".to_owned(),
            ];
            for parent in parents.split_whitespace() {
                words.extend(["-p".to_owned(), parent.to_owned()]);
            }
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let forged = history.git(&words).exits(0).stdout;
            let range = format!("{commit}^..{}", forged.trim());
            let answer = check(&history.tolls, &[&range, "--rule", "lint=off"]).json();
            let found = answer["data"]["findings"].as_array().expect("a list");
            assert!(
                !found.is_empty(),
                "{commit}: `{}` at {at} for `{}`",
                char::from(with),
                &text[at..=at]
            );
        }
    }
}
