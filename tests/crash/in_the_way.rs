//! `worktree remove`, killed, and something else made where the work tree was before the next run.

use super::said;
use super::worktree::{World, all_contents, at_every_step};

#[test]
fn what_is_made_where_the_work_tree_was_holds_up_nothing() {
    let template = World::with_work();
    let remove = ["worktree", "remove", "c1", "--force"];
    let mut told = 0;
    let counted = std::cell::RefCell::new(&mut told);
    at_every_step(&template, &remove, "GIT_SPEC_ABORT_AT", &|world, _, at| {
        if world.tree().exists() {
            return;
        }
        std::fs::create_dir(world.tree()).expect("made");
        std::fs::write(world.tree().join("mine.txt"), "mine\n").expect("written");
        let first = world.run(&["worktree", "prune"], None);
        if !first.status.success() {
            let aside = world.trees().join("c1.kept");
            for part in [
                "WORKTREE_PATH_OCCUPIED",
                &format!("`{}`", world.tree().display()),
                &format!("`{}`", aside.display()),
            ] {
                assert!(said(&first).contains(part), "{at}: {}", said(&first));
            }
            assert!(aside.join("u.txt").exists(), "{at}");
            **counted.borrow_mut() += 1;
        }
        assert_eq!(world.contents(), all_contents(), "{at}: {}", said(&first));
        let second = world.run(&["worktree", "add", "c2"], None);
        assert!(second.status.success(), "{at}: {}", said(&second));
        let mine = std::fs::read_to_string(world.tree().join("mine.txt"));
        assert_eq!(mine.expect("it is there"), "mine\n", "{at}");
    });
    assert!(told > 0);
}
