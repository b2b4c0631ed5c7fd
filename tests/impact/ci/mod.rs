//! `--ci` in clones made as providers make them, and with values made to hurt (git.md 4, 10).

mod clones;
mod hostile;

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::repo::{Repo, clean, data, failure, git_in, run};

pub(crate) const ZEROS: &str = "0000000000000000000000000000000000000000";
pub(crate) type Variables<'a> = &'a [(&'a str, &'a str)];

/// Runs `impact --ci` with these variables and no other.
pub(crate) fn impact(dir: &Path, variables: Variables<'_>, more: &[&str]) -> Output {
    let mut command = clean(env!("CARGO_BIN_EXE_git-spec"), dir);
    command.env_clear();
    for kept in ["PATH", "LLVM_PROFILE_FILE"] {
        if let Some(value) = std::env::var_os(kept) {
            command.env(kept, value);
        }
    }
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_SPEC_NOW", "2026-01-05T03:04:05Z")
        .envs(variables.iter().copied())
        .args(["impact", "--ci"])
        .args(more);
    run(command, None)
}

pub(crate) fn judged(dir: &Path, variables: Variables<'_>) -> Value {
    data(&impact(dir, variables, &["--format", "json"]))
}

/// What is told instead of a verdict.
pub(crate) fn refused(dir: &Path, variables: Variables<'_>) -> (String, String) {
    failure(&impact(dir, variables, &["--format", "json"]))
}

pub(crate) fn paths(data: &Value) -> Vec<&str> {
    let files = data["files"].as_array().expect("files");
    files.iter().filter_map(|file| file["path"].as_str()).collect()
}

pub(crate) fn range_of(out: &Output) -> String {
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stderr.clone()).expect("text")
}

/// Main with a tagged start; a branch `side` with a change and code; main one commit ahead of where it began.
pub(crate) struct Story {
    pub(crate) repo: Repo,
    pub(crate) start: String,
    pub(crate) main: String,
    pub(crate) side: String,
}

impl Story {
    pub(crate) fn new() -> Self {
        Self::with_init(&[])
    }

    pub(crate) fn with_init(options: &[&str]) -> Self {
        let repo = Repo::with_init(options);
        let id = |repo: &Repo| repo.git(&["rev-parse", "HEAD"]);
        repo.write("src/a", "1\n").commit("root");
        repo.write("src/a", "2\n").commit("start");
        let start = id(&repo);
        repo.git(&["tag", "-a", "-m", "one", "v1"]);
        repo.git(&["tag", "-a", "-m", "nested", "v1-again", "v1"]);
        repo.git(&["checkout", "-q", "-b", "side"]);
        repo.write("src/code", "1\n").commit("code");
        repo.write("logos/changes/c/proposal.md", "# c\n").commit("docs");
        let side = id(&repo);
        repo.git(&["checkout", "-q", "main"]);
        repo.write("src/b", "1\n").commit("main goes on");
        let main = id(&repo);
        Self {
            repo,
            start,
            main,
            side,
        }
    }

    pub(crate) fn merge(&self) -> String {
        self.repo.git(&["checkout", "-q", "--detach", &self.main]);
        self.repo
            .git(&["merge", "-q", "--no-ff", "-m", "test merge", "side"]);
        let merge = self.repo.git(&["rev-parse", "HEAD"]);
        self.repo.git(&["checkout", "-q", "main"]);
        self.repo.git(&["branch", "-f", "pull", &merge]);
        merge
    }

    /// A clone as `git clone` makes it with these options.
    pub(crate) fn clone(&self, name: &str, options: &[&str]) -> PathBuf {
        let parent = self.repo.dir.parent().expect("a folder");
        let url = format!("file://{}", self.repo.dir.display()).replace(' ', "%20");
        git_in(parent, &[&["clone", "-q"], options, &[&url, name]].concat());
        parent.join(name)
    }

    pub(crate) fn event(&self, text: &str) -> String {
        let path = self.repo.dir.with_file_name("event.json");
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    }

    pub(crate) fn pushed(&self, before: &str, forced: bool) -> String {
        self.event(&format!(
            r#"{{"before": "{before}", "forced": {forced}, "repository": {{"default_branch": "main"}}}}"#
        ))
    }
}

pub(crate) fn github<'a>(
    name: &'a str,
    reference: &'a str,
    sha: &'a str,
    event: &'a str,
) -> [(&'a str, &'a str); 5] {
    [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_EVENT_NAME", name),
        ("GITHUB_REF", reference),
        ("GITHUB_SHA", sha),
        ("GITHUB_EVENT_PATH", event),
    ]
}
