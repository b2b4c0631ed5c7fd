//! `worktree` with real repositories (git.md 5): what we make is what git makes, what git makes is understood, and
//! nothing that somebody wrote is ever lost.
#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/schemas.rs"]
mod schemas;

mod add;
mod apply;
mod apply_whole;
mod held;
mod list;
mod names;
mod oddities;
mod remove;
mod rescue;
mod scenarios;
mod silly;
mod silly_record;
mod submodules;

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use common::{Out, Repo};
use serde_json::Value;

/// The kinds of projects, each with its own layout of work trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Logos,
    Silly,
}

const BOTH: [Kind; 2] = [Kind::Logos, Kind::Silly];

/// A repository with a project, and room for work trees beside it.
struct Project {
    repo: Repo,
    kind: Kind,
}

impl Project {
    fn new() -> Self {
        Self::made_with("--object-format=sha1")
    }

    fn made_with(option: &str) -> Self {
        Self::of_kind(Kind::Logos, option)
    }

    /// One with `.sillyspec/` only.
    fn silly() -> Self {
        Self::of_kind(Kind::Silly, "--object-format=sha1")
    }

    fn of_kind(kind: Kind, option: &str) -> Self {
        let repo = Repo::without_git();
        repo.git(["init", "-q", "-b", "main", option]);
        match kind {
            Kind::Logos => repo
                .write(
                    "logos/logos.config.json",
                    "{\"name\":\"tolls\",\"locale\":\"en\"}\n",
                )
                .write(
                    "logos/logos-project.yaml",
                    "modules:\n  - id: core\n    name: Core\n    lifecycle: launched\n",
                )
                .write(".gitignore", "build/\nlogos/.openlogos-guard\n"),
            Kind::Silly => repo
                .write(".sillyspec/projects/tolls.yaml", "name: tolls\n")
                .write(".gitignore", "build/\n.sillyspec/.runtime/\n"),
        };
        repo.write("a.txt", "one\ntwo\nthree\n");
        repo.commit("Begin");
        Self { repo, kind }
    }

    /// With the work tree of `c1`, of which git has nothing to say.
    fn with_tree() -> Self {
        Self::of_kind_with_tree(Kind::Logos)
    }

    fn of_kind_with_tree(kind: Kind) -> Self {
        let project = Self::of_kind(kind, "--object-format=sha1");
        project.spec(["worktree", "add", "c1"]).exits(0);
        project
    }

    /// Where the work tree of a change lies.
    fn tree(&self, change: &str) -> PathBuf {
        self.trees().join(change)
    }

    fn trees(&self) -> PathBuf {
        match self.kind {
            Kind::Logos => self.root().with_file_name("repo.worktrees"),
            Kind::Silly => self.path(".sillyspec/.runtime/worktrees"),
        }
    }

    /// The branch of a change.
    fn branch(&self, change: &str) -> String {
        match self.kind {
            Kind::Logos => format!("spec/{change}"),
            Kind::Silly => format!("sillyspec/{change}"),
        }
    }

    /// What somebody has in the work tree of a change: all but its record.
    fn work(&self, change: &str) -> BTreeMap<String, (u32, Vec<u8>)> {
        let mut files = files(&self.tree(change));
        if self.kind == Kind::Silly {
            files.remove("meta.json");
        }
        files
    }

    #[track_caller]
    fn write_in(&self, change: &str, path: &str, content: impl AsRef<[u8]>) {
        let at = self.tree(change).join(path);
        std::fs::create_dir_all(at.parent().expect("below")).expect("folders can be made");
        std::fs::write(&at, content).unwrap_or_else(|e| panic!("{path}: {e}"));
    }

    /// Runs git in the work tree of a change.
    #[track_caller]
    fn git_in<const N: usize>(&self, change: &str, args: [&str; N]) -> String {
        self.git_at(&self.tree(change), args)
    }

    #[track_caller]
    fn git_at<const N: usize>(&self, dir: &Path, args: [&str; N]) -> String {
        let mut command = self.command("git");
        let output = command
            .current_dir(dir)
            .args(args)
            .output()
            .expect("git can be started");
        assert!(
            output.status.success(),
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Commits everything in the work tree of a change.
    #[track_caller]
    fn commit_in(&self, change: &str, message: &str) -> String {
        self.git_in(change, ["add", "-A"]);
        self.git_in(change, ["commit", "-q", "--allow-empty", "-m", message]);
        self.git_in(change, ["rev-parse", "HEAD"]).trim().to_owned()
    }

    /// Runs the program in the work tree of a change.
    #[track_caller]
    fn spec_at<const N: usize>(&self, dir: &Path, args: [&str; N]) -> Out {
        common::out(self.program().current_dir(dir).args(args), b"")
    }

    /// The answer in JSON of a command that did its work, as its schema has it.
    #[track_caller]
    fn data<const N: usize>(&self, args: [&str; N]) -> Value {
        data(&self.spec(args.into_iter().chain(["--format", "json"])).exits(0))
    }

    /// The one entry of `worktree list`.
    #[track_caller]
    fn entry(&self) -> Value {
        let data = self.data(["worktree", "list"]);
        let entries = data["worktrees"].as_array().expect("a list");
        assert_eq!(entries.len(), 1, "{data}");
        entries[0].clone()
    }

    /// The code of a command that refused.
    #[track_caller]
    fn code<const N: usize>(&self, args: [&str; N]) -> String {
        code(&self.spec(args.into_iter().chain(["--format", "json"])).exits(1))
    }

    /// Nothing of ours is left, and git has nothing to say.
    #[track_caller]
    fn is_tidy(&self) {
        assert!(
            !self.exists(".git/spec"),
            "{:?}",
            std::fs::read_dir(self.path(".git/spec"))
        );
        self.fsck();
        let listed = self.git(["worktree", "list", "--porcelain"]);
        assert!(!listed.contains("prunable"), "{listed}");
        if let Ok(entries) = std::fs::read_dir(self.trees()) {
            for entry in entries {
                let name = entry.expect("listed").file_name();
                assert!(
                    !name.to_string_lossy().contains(".removing-"),
                    "{}",
                    name.display()
                );
            }
        }
    }
}

impl Deref for Project {
    type Target = Repo;

    fn deref(&self) -> &Repo {
        &self.repo
    }
}

#[track_caller]
fn data(out: &Out) -> Value {
    assert_eq!(out.stderr, "");
    assert_eq!(schemas::faults(out.stdout.as_bytes(), b""), [""; 0]);
    out.json()["data"].clone()
}

#[track_caller]
fn code(out: &Out) -> String {
    assert_eq!(out.stdout, "");
    assert_eq!(schemas::faults(b"", out.stderr.as_bytes()), [""; 0]);
    let lines = schemas::envelopes(out.stderr.as_bytes());
    assert_eq!(lines.len(), 1, "{out:?}");
    lines[0]["error"]["code"].as_str().expect("it has one").to_owned()
}

/// All files of a work tree but `.git`: bytes and mode; links by their target.
fn files(dir: &Path) -> BTreeMap<String, (u32, Vec<u8>)> {
    use std::os::unix::fs::PermissionsExt;
    let mut out = BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let entry = entry.expect("listed");
            let (path, name) = (entry.path(), entry.file_name());
            let meta = path.symlink_metadata().expect("there");
            let below = path
                .strip_prefix(dir)
                .expect("below")
                .to_string_lossy()
                .into_owned();
            if name == ".git" {
                continue;
            }
            if meta.is_dir() {
                folders.push(path);
            } else if meta.is_symlink() {
                let target = std::fs::read_link(&path).expect("a link");
                out.insert(below, (0o120_000, target.into_os_string().into_encoded_bytes()));
            } else {
                let mode = meta.permissions().mode() & 0o111;
                out.insert(below, (mode, std::fs::read(&path).expect("a file")));
            }
        }
    }
    out
}
