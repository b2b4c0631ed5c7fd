//! `worktree add` and `remove`, killed and failing at every step: every byte is in the tree or in a rescue, and
//! the next run makes it whole.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;

use super::common::Repo;
use super::said;

/// The kinds of projects, each with its own layout of work trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Logos,
    Silly,
}

/// A repository `repo` and everything beside it, as it is.
pub(super) struct World {
    pub(super) repo: Repo,
    kind: Kind,
}

impl World {
    fn new() -> Self {
        Self::of_kind(Kind::Logos)
    }

    fn of_kind(kind: Kind) -> Self {
        let repo = Repo::in_memory();
        repo.git(["init", "-q", "-b", "main"]);
        match kind {
            Kind::Logos => repo
                .write("logos/logos.config.json", "{}\n")
                .write(".gitignore", "build/\nlogos/.openlogos-guard\n")
                .write("logos/changes/c1/proposal.md", "# C\n\n> module: core\n"),
            Kind::Silly => repo
                .write(".sillyspec/changes/c1/proposal.md", "# C\n")
                .write(".gitignore", "build/\n.sillyspec/.runtime/\n"),
        };
        repo.write("a.txt", "one\n");
        repo.commit("Begin");
        Self { repo, kind }
    }

    /// With a work tree in which there is work of every kind.
    pub(super) fn with_work() -> Self {
        Self::of_kind_with_work(Kind::Logos)
    }

    fn of_kind_with_work(kind: Kind) -> Self {
        let world = Self::of_kind(kind);
        world.run(&["worktree", "add", "c1"], None);
        let tree = world.tree();
        let git = |args: &[&str]| {
            let status = world.repo.command("git").current_dir(&tree).args(args).status();
            assert!(status.expect("git can be started").success(), "{args:?}");
        };
        std::fs::write(tree.join("own.txt"), "committed\n").expect("written");
        git(&["add", "own.txt"]);
        git(&["commit", "-q", "-m", "Own work"]);
        std::fs::write(tree.join("staged.txt"), "staged\n").expect("written");
        git(&["add", "staged.txt"]);
        std::fs::write(tree.join("a.txt"), "modified\n").expect("written");
        std::fs::write(tree.join("u.txt"), "untracked\n").expect("written");
        std::fs::create_dir(tree.join("build")).expect("made");
        std::fs::write(tree.join("build/x.o"), "ignored\n").expect("written");
        world
    }

    pub(super) fn tree(&self) -> PathBuf {
        self.trees().join("c1")
    }

    /// What git says of a work tree.
    pub(super) fn status(&self, place: &Path) -> String {
        let mut git = self.repo.command("git");
        let out = git.current_dir(place).args(["status", "--porcelain"]).output();
        String::from_utf8(out.expect("git can be started").stdout).expect("plain names")
    }

    pub(super) fn trees(&self) -> PathBuf {
        match self.kind {
            Kind::Logos => self.repo.root().with_file_name("repo.worktrees"),
            Kind::Silly => self.repo.path(".sillyspec/.runtime/worktrees"),
        }
    }

    /// The same world elsewhere: git keeps absolute paths, so those are rewritten.
    fn copy(&self) -> Self {
        let copy = Self {
            repo: Repo::in_memory(),
            kind: self.kind,
        };
        let (from, to) = (self.top(), copy.top());
        let done = copy
            .repo
            .command("cp")
            .args(["-a", "--"])
            .arg(from.join("."))
            .arg(&to)
            .status();
        assert!(done.expect("cp can be started").success());
        if copy.tree().exists() {
            let admin = copy.repo.path(".git/worktrees/c1");
            let back = copy.tree().join(".git");
            std::fs::write(&back, format!("gitdir: {}\n", admin.display())).expect("written");
            std::fs::write(admin.join("gitdir"), format!("{}\n", back.display())).expect("written");
        }
        copy
    }

    fn top(&self) -> PathBuf {
        self.repo.root().parent().expect("it lies in a folder").to_owned()
    }

    pub(super) fn run(&self, args: &[&str], fault: Option<(&str, u64)>) -> Output {
        super::run(&self.repo, args, fault)
    }

    /// Nothing of ours is left but what is meant to stay, and git has nothing to say.
    #[track_caller]
    pub(super) fn is_whole(&self, at: &str) {
        assert!(!self.repo.exists(".git/spec"), "{at}: .git/spec is left");
        self.repo.fsck();
        let listed = self.repo.git(["worktree", "list", "--porcelain"]);
        assert!(
            !listed.contains("prunable") && !listed.contains("locked"),
            "{at}: {listed}"
        );
        for entry in std::fs::read_dir(self.trees()).into_iter().flatten() {
            let name = entry.expect("listed").file_name();
            assert_eq!(name, "c1", "{at}");
        }
    }

    /// The contents that somebody wrote, wherever they are now: in the work tree, aside, or in a rescue.
    pub(super) fn contents(&self) -> BTreeMap<String, String> {
        let mut out = BTreeMap::new();
        for entry in std::fs::read_dir(self.trees()).into_iter().flatten() {
            let folder = entry.expect("listed").path();
            for name in ["own.txt", "staged.txt", "a.txt", "u.txt"] {
                if let Ok(text) = std::fs::read_to_string(folder.join(name)) {
                    out.insert(name.to_owned(), text);
                }
            }
        }
        for name in self
            .repo
            .git(["for-each-ref", "--format=%(refname)", "refs/spec/rescue"])
            .lines()
        {
            for (commit, files) in [
                (name.to_owned(), &["own.txt", "staged.txt", "a.txt"][..]),
                (format!("{name}^3"), &["u.txt"]),
            ] {
                for file in files {
                    out.insert(
                        (*file).to_owned(),
                        self.repo.git(["cat-file", "-p", &format!("{commit}:{file}")]),
                    );
                }
            }
        }
        out
    }
}

pub(super) fn all_contents() -> BTreeMap<String, String> {
    [
        ("own.txt", "committed\n"),
        ("staged.txt", "staged\n"),
        ("a.txt", "modified\n"),
        ("u.txt", "untracked\n"),
    ]
    .map(|(name, text)| (name.to_owned(), text.to_owned()))
    .into()
}

/// Runs a command with a fault at its first step, its second, and so on, until none is met.
pub(super) fn at_every_step(
    template: &World,
    args: &[&str],
    kind: &str,
    judge: &dyn Fn(&World, &Output, &str),
) -> u64 {
    for n in 1.. {
        let at = format!("{args:?} with {kind}={n}");
        let world = template.copy();
        let out = world.run(args, Some((kind, n)));
        let met = match kind {
            "GIT_SPEC_ABORT_AT" => out.status.code().is_none(),
            _ => said(&out).contains("a fault was injected here"),
        };
        if !met {
            assert!(out.status.success(), "{at}: {}", said(&out));
            return n - 1;
        }
        judge(&world, &out, &at);
    }
    unreachable!("a command has an end")
}

#[test]
fn a_new_work_tree_is_whole_whenever_it_dies() {
    let template = World::new();
    let add = ["worktree", "add", "c1"];
    let steps = at_every_step(&template, &add, "GIT_SPEC_ABORT_AT", &|world, _, at| {
        let out = world.run(&add, None);
        assert!(out.status.success(), "{at}: {}", said(&out));
        assert!(world.repo.exists(".git/worktrees/c1/spec.json"), "{at}");
        let guard = std::fs::read_to_string(world.tree().join("logos/.openlogos-guard")).unwrap_or_default();
        assert!(guard.contains("\"c1\""), "{at}: {guard}");
        assert!(!world.repo.exists(".git/worktrees/c1/spec"), "{at}");
        world.is_whole(at);
    });
    assert!(steps > 6, "only {steps} steps were found");
}

#[test]
fn a_new_work_tree_that_cannot_be_made_leaves_nothing() {
    let template = World::new();
    let add = ["worktree", "add", "c1"];
    let before = template.repo.snapshot();
    let steps = at_every_step(&template, &add, "GIT_SPEC_FAIL_AT", &|world, out, at| {
        if out.status.success() {
            return;
        }
        let made = world.run(&add, None);
        assert!(made.status.success(), "{at}: {}", said(&made));
        world.is_whole(at);
    });
    assert!(steps > 6, "only {steps} steps were found");
    // Where taking it back meets no fault of its own, nothing is left at once.
    for n in 1..=steps {
        let world = template.copy();
        let out = world.run(&add, Some(("GIT_SPEC_FAIL_AT", n)));
        if out.status.success() || world.repo.exists(".git/spec") {
            continue;
        }
        assert_eq!(world.repo.snapshot(), before, "failing at {n}: {}", said(&out));
        assert!(!world.trees().exists(), "failing at {n}");
        world.is_whole(&format!("failing at {n}"));
    }
}

#[test]
fn one_inside_its_project_is_whole_with_its_record_whenever_it_dies() {
    let template = World::of_kind(Kind::Silly);
    let add = ["worktree", "add", "c1"];
    let steps = at_every_step(&template, &add, "GIT_SPEC_ABORT_AT", &|world, _, at| {
        let out = world.run(&add, None);
        assert!(out.status.success(), "{at}: {}", said(&out));
        let meta = std::fs::read_to_string(world.tree().join("meta.json")).unwrap_or_default();
        let place = format!("\"worktreePath\": \"{}\"\n}}\n", world.tree().display());
        assert!(meta.ends_with(&place), "{at}: {meta}");
        assert!(!world.repo.exists(".git/worktrees/c1/spec.json"), "{at}");
        world.is_whole(at);
    });
    assert!(steps > 6, "only {steps} steps were found");
}

#[test]
fn one_inside_its_project_that_cannot_be_made_leaves_nothing() {
    let template = World::of_kind(Kind::Silly);
    let add = ["worktree", "add", "c1"];
    let before = template.repo.snapshot();
    let taken_back = std::cell::Cell::new(0);
    at_every_step(&template, &add, "GIT_SPEC_FAIL_AT", &|world, out, at| {
        // Where taking it back meets a fault of its own, the next run ends it.
        if !out.status.success() && !world.repo.exists(".git/spec") {
            assert_eq!(world.repo.snapshot(), before, "{at}: {}", said(out));
            taken_back.set(taken_back.get() + 1);
        }
        if !out.status.success() {
            let made = world.run(&add, None);
            assert!(made.status.success(), "{at}: {}", said(&made));
            world.is_whole(at);
        }
    });
    assert!(taken_back.get() > 4, "only {} were taken back", taken_back.get());
}

#[test]
fn a_beginning_of_the_record_is_completed_and_a_file_in_its_place_is_kept() {
    for (content, is_kept) in [
        ("{\n  \"changeName\": \"c1\",\n", false),
        ("{\"mine\": 1}\n", true),
    ] {
        let template = World::of_kind(Kind::Silly);
        let add = ["worktree", "add", "c1"];
        let seen = std::cell::Cell::new(0);
        at_every_step(&template, &add, "GIT_SPEC_ABORT_AT", &|world, _, at| {
            if !world.tree().exists() {
                return;
            }
            seen.set(seen.get() + 1);
            std::fs::write(world.tree().join("meta.json"), content).expect("written");
            let out = world.run(&add, None);
            assert!(out.status.success(), "{at}: {}", said(&out));
            let meta = std::fs::read_to_string(world.tree().join("meta.json")).expect("there");
            assert_eq!(meta == content, is_kept, "{at}: {meta}");
            let listed = world.run(&["worktree", "list"], None);
            assert!(said(&listed).contains("c1"), "{at}: {}", said(&listed));
            world.is_whole(at);
        });
        assert!(seen.get() > 2, "{content}: only {} had a folder", seen.get());
    }
}

#[test]
fn removing_one_inside_its_project_loses_nothing_whenever_it_dies() {
    let template = World::of_kind_with_work(Kind::Silly);
    let remove = ["worktree", "remove", "c1", "--force"];
    let steps = at_every_step(&template, &remove, "GIT_SPEC_ABORT_AT", &|world, out, at| {
        assert_eq!(world.contents(), all_contents(), "{at}: {}", said(out));
        let again = world.run(&remove, None);
        let done = again.status.success() || said(&again).contains("WORKTREE_NOT_FOUND");
        assert!(done, "{at}: {}", said(&again));
        assert_eq!(world.contents(), all_contents(), "{at}: {}", said(&again));
        assert!(!world.tree().exists(), "{at}: {}", said(&again));
        assert_eq!(world.repo.git(["branch", "--list", "sillyspec/*"]), "", "{at}");
        world.is_whole(at);
    });
    assert!(steps > 8, "only {steps} steps were found");
}

#[test]
fn a_removal_loses_nothing_whenever_it_dies() {
    let template = World::with_work();
    for (kind, remove) in [
        ("GIT_SPEC_ABORT_AT", &["worktree", "remove", "c1", "--force"][..]),
        ("GIT_SPEC_FAIL_AT", &["worktree", "remove", "c1", "--force"]),
    ] {
        let steps = at_every_step(&template, remove, kind, &|world, out, at| {
            assert_eq!(world.contents(), all_contents(), "{at}: {}", said(out));
            world.repo.fsck();
            // Asking in between changes nothing.
            let listed = world.run(&["worktree", "list"], None);
            assert!(listed.status.success(), "{at}: {}", said(&listed));
            let again = world.run(remove, None);
            let done = again.status.success() || said(&again).contains("WORKTREE_NOT_FOUND");
            assert!(done, "{at}: {}", said(&again));
            assert_eq!(world.contents(), all_contents(), "{at}: {}", said(&again));
            assert!(!world.tree().exists(), "{at}: {}", said(&again));
            // A branch that could not be deleted is no failure.
            let is_kept = said(out).contains("branch `spec/c1` stays");
            assert_eq!(
                world.repo.git(["branch", "--list", "spec/*"]).is_empty(),
                !is_kept,
                "{at}"
            );
            world.is_whole(at);
        });
        assert!(steps > 8, "only {steps} steps were found");
    }
}

#[test]
fn what_is_written_between_a_kill_and_the_next_run_survives() {
    let template = World::with_work();
    let remove = ["worktree", "remove", "c1", "--force"];
    at_every_step(&template, &remove, "GIT_SPEC_ABORT_AT", &|world, _, at| {
        let folder = std::fs::read_dir(world.trees()).expect("there").next();
        let Some(folder) = folder.map(|entry| entry.expect("listed").path()) else {
            return;
        };
        std::fs::write(folder.join("late.txt"), "late\n").expect("written");
        let again = world.run(&remove, None);
        let is_kept = |path: &Path| std::fs::read_to_string(path).is_ok_and(|text| text == "late\n");
        let rescued = || {
            let names = world
                .repo
                .git(["for-each-ref", "--format=%(refname)", "refs/spec/rescue"]);
            names.lines().any(|name| {
                let shown = world
                    .repo
                    .command("git")
                    .args(["cat-file", "-p", &format!("{name}^3:late.txt")])
                    .output();
                shown.is_ok_and(|shown| shown.stdout == b"late\n")
            })
        };
        assert!(
            is_kept(&folder.join("late.txt")) || rescued(),
            "{at}: {}",
            said(&again)
        );
        assert_eq!(world.contents(), all_contents(), "{at}: {}", said(&again));
        world.repo.fsck();
    });
}

/// A new work tree of which git was killed while it checked out the files.
fn half_made() -> World {
    let world = World::new();
    let mut n = 0;
    loop {
        n += 1;
        let left = world.copy();
        let out = left.run(&["worktree", "add", "c1"], Some(("GIT_SPEC_ABORT_AT", n)));
        assert!(out.status.code().is_none(), "{}", said(&out));
        if left.tree().exists() {
            let tree = left.tree();
            left.repo.git([
                "worktree",
                "lock",
                "--reason",
                "initializing",
                tree.to_str().expect("UTF-8"),
            ]);
            std::fs::remove_file(tree.join("a.txt")).expect("checked out");
            std::fs::write(tree.join(".gitignore"), "build/\nlog").expect("written");
            left.repo.remove(".git/worktrees/c1/index");
            left.repo.write(".git/worktrees/c1/index.lock", "");
            return left;
        }
    }
}

#[test]
fn a_checkout_that_git_did_not_end_is_made_anew_unless_somebody_has_written_there() {
    let world = half_made();
    let out = world.run(&["worktree", "add", "c1"], None);
    assert!(out.status.success(), "{}", said(&out));
    assert!(world.tree().join("a.txt").exists());
    world.is_whole("made anew");

    let world = half_made();
    std::fs::write(world.tree().join("mine.txt"), "mine\n").expect("written");
    let out = world.run(&["worktree", "add", "c1"], None);
    assert!(out.status.success(), "{}", said(&out));
    assert_eq!(
        std::fs::read(world.tree().join("mine.txt")).expect("kept"),
        b"mine\n"
    );
    world.is_whole("finished as it is");
}

#[test]
fn a_journal_that_cannot_be_understood_is_named_and_kept() {
    let world = World::with_work();
    for garbage in [
        "",
        "no JSON",
        "{}",
        "{\"version\":99,\"do\":\"remove\"}",
        "{\"version\":1,\"do\":\"other\"}",
    ] {
        world.repo.write(".git/spec/worktree-journal", garbage);
        for args in [
            &["worktree", "add", "c2"][..],
            &["worktree", "remove", "c1", "--force"],
            &["worktree", "prune"],
        ] {
            let out = world.run(args, None);
            assert_eq!(out.status.code(), Some(1), "{}", said(&out));
            assert!(said(&out).contains("worktree-journal"), "{}", said(&out));
            assert_eq!(world.repo.read(".git/spec/worktree-journal"), garbage);
        }
        assert_eq!(world.contents(), all_contents());
        assert!(world.run(&["worktree", "list"], None).status.success());
    }
}
