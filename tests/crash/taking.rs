//! `worktree apply` and `rescue restore`, killed and failing at every step: all comes in, or nothing does.

use super::said;
use super::worktree::{World, all_contents, at_every_step};

#[test]
fn work_is_applied_whole_whenever_it_dies() {
    for diverged in [false, true] {
        let template = World::with_work();
        if diverged {
            template.repo.write("theirs.txt", "theirs\n");
            template.repo.commit("Theirs");
        }
        template.repo.write("here.txt", "staged here\n");
        template.repo.git(["add", "here.txt"]);
        for (mode, expected) in [
            (
                "--patch",
                "M  a.txt\nA  here.txt\nA  own.txt\nA  staged.txt\nA  u.txt\n",
            ),
            ("--commits", "A  here.txt\n"),
        ] {
            let apply = ["worktree", "apply", "c1", mode];
            for kind in ["GIT_SPEC_ABORT_AT", "GIT_SPEC_FAIL_AT"] {
                let steps = at_every_step(&template, &apply, kind, &|world, out, at| {
                    assert_eq!(world.contents(), all_contents(), "{at}: {}", said(out));
                    // Any command that changes work trees ends it, one way or the other.
                    let other = world.run(&["worktree", "prune"], None);
                    assert!(other.status.success(), "{at}: {}", said(&other));
                    let all_or_nothing = [expected, "A  here.txt\n"];
                    let status = world.repo.git(["status", "--porcelain"]);
                    assert!(all_or_nothing.contains(&status.as_str()), "{at}: {status}");
                    world.is_whole(at);
                    let again = world.run(&apply, None);
                    // Whoever died behind the last step has done it all.
                    let done = again.status.success() || said(&again).contains("WORKTREE_TARGET_DIRTY");
                    assert!(done, "{at}: {}", said(&again));
                    assert_eq!(
                        world.repo.git(["status", "--porcelain"]),
                        expected,
                        "{at}: {}",
                        said(&again)
                    );
                    assert_eq!(world.repo.read("own.txt"), "committed\n", "{at}");
                    assert_eq!(world.contents(), all_contents(), "{at}");
                    world.is_whole(at);
                });
                // A failure behind the commit of a merge is none.
                assert!(steps >= 6, "{apply:?}: only {steps} steps were found");
            }
        }
    }
}

#[test]
fn a_rescue_comes_back_whole_whenever_it_dies() {
    let template = World::with_work();
    let removed = template.run(&["worktree", "remove", "c1", "--force"], None);
    assert!(removed.status.success(), "{}", said(&removed));
    let rescue = template
        .repo
        .git(["for-each-ref", "--format=%(refname)", "refs/spec"]);
    let rescue = rescue.trim();
    let restore = ["worktree", "rescue", "restore", rescue, "--to", "."];
    for kind in ["GIT_SPEC_ABORT_AT", "GIT_SPEC_FAIL_AT"] {
        let steps = at_every_step(&template, &restore, kind, &|world, out, at| {
            let other = world.run(&["worktree", "prune"], None);
            assert!(other.status.success(), "{at}: {}", said(&other));
            let status = world.repo.git(["status", "--porcelain"]);
            if status.is_empty() {
                let again = world.run(&restore, None);
                assert!(again.status.success(), "{at}: {}", said(&again));
            }
            let status = world.repo.git(["status", "--porcelain"]);
            assert_eq!(
                status,
                " M a.txt\nA  own.txt\nA  staged.txt\n?? u.txt\n",
                "{at}: {}",
                said(out)
            );
            world.is_whole(at);
        });
        assert!(steps >= 8, "only {steps} steps were found");
    }
}

#[test]
fn a_rescue_comes_back_into_a_new_work_tree_whole_whenever_it_dies() {
    let template = World::with_work();
    let removed = template.run(&["worktree", "remove", "c1", "--force"], None);
    assert!(removed.status.success(), "{}", said(&removed));
    let rescue = template
        .repo
        .git(["for-each-ref", "--format=%(refname)", "refs/spec"]);
    let restore = ["worktree", "rescue", "restore", rescue.trim()];
    for kind in ["GIT_SPEC_ABORT_AT", "GIT_SPEC_FAIL_AT"] {
        let steps = at_every_step(&template, &restore, kind, &|world, _, at| {
            // What is there afterwards is what was committed, or all of the rescue.
            let other = world.run(&["worktree", "prune"], None);
            assert!(other.status.success(), "{at}: {}", said(&other));
            let first = world.trees().join("c1-rescue");
            let whole = " M a.txt\nA  staged.txt\n?? u.txt\n";
            if first.exists() {
                let status = world.status(&first);
                assert!(["", whole].contains(&status.as_str()), "{at}: {status}");
            }
            let again = world.run(&restore, None);
            assert!(again.status.success(), "{at}: {}", said(&again));
            let second = world.trees().join("c1-rescue-2");
            let place = if second.exists() { second } else { first };
            assert_eq!(world.status(&place), whole, "{at}");
            assert!(!world.repo.exists(".git/spec"), "{at}: .git/spec is left");
            world.repo.fsck();
        });
        assert!(steps >= 12, "only {steps} steps were found");
    }
}

#[test]
fn what_is_written_between_a_kill_and_the_next_run_is_kept_beside() {
    let template = World::with_work();
    for mode in ["--patch", "--commits"] {
        let apply = ["worktree", "apply", "c1", mode];
        at_every_step(&template, &apply, "GIT_SPEC_ABORT_AT", &|world, _, at| {
            for name in ["own.txt", "a.txt"] {
                world.repo.write(name, "mine\n");
            }
            let other = world.run(&["worktree", "prune"], None);
            assert!(other.status.success(), "{at}: {}", said(&other));
            for name in ["own.txt", "a.txt"] {
                let is_kept = [name.to_owned(), format!("{name}.kept")]
                    .iter()
                    .any(|place| world.repo.exists(place) && world.repo.read(place) == "mine\n");
                assert!(is_kept, "{at}: {name}");
            }
            world.is_whole(at);
        });
    }
}
