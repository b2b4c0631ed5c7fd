//! `meta.json` (silly.md 8): what others have written is understood, it never counts as work, and nothing that only has its
//! name is taken for it.

use std::path::Path;

use serde_json::{Value, json};

use super::{Kind, Project};

/// A work tree as the other program makes it: the branch, the folder, a look at the remote, the record.
fn made_by_another(project: &Project, change: &str) -> Value {
    let path = project.tree(change);
    let shown = path.to_str().expect("UTF-8");
    let before = project.git(["rev-parse", "HEAD"]).trim().to_owned();
    project.write("upstream.txt", "upstream\n");
    let ahead = project.commit("Upstream");
    project.git(["reset", "-q", "--hard", &before]);
    project.git(["update-ref", "refs/remotes/origin/main", &ahead]);
    let branch = format!("sillyspec/{change}");
    project.git(["worktree", "add", "-q", shown, "-b", &branch, &before]);
    project.git_in(change, ["merge", "-q", "--ff-only", &ahead]);
    let meta = json!({
        "changeName": change, "branch": branch, "baseBranch": "main", "baseHash": before, "actualBaseHash": ahead,
        "createdAt": "2026-05-28T14:00:00.000Z", "worktreePath": shown, "isolation": "native",
    });
    project.write_in(
        change,
        "meta.json",
        serde_json::to_vec_pretty(&meta).expect("JSON"),
    );
    meta
}

#[test]
fn one_that_another_program_made_is_understood() {
    let project = Project::silly();
    let meta = made_by_another(&project, "csv-export");
    let entry = project.entry();
    assert_eq!(
        (
            &entry["change"],
            &entry["project"],
            &entry["base"],
            &entry["base_branch"],
            &entry["created_at"]
        ),
        (
            &json!("csv-export"),
            &json!(""),
            &meta["actualBaseHash"],
            &json!("main"),
            &meta["createdAt"]
        )
    );
    assert_eq!(
        entry["dirty"],
        json!({"staged": 0, "modified": 0, "untracked": 0, "conflicted": 0, "submodules": 0})
    );
    assert_eq!(project.code(["worktree", "add", "csv-export"]), "WORKTREE_EXISTS");
    // Off its branch it is still that change's, and its branch goes with it.
    project.git_in("csv-export", ["checkout", "-q", "--detach"]);
    assert_eq!(project.entry()["branch"], Value::Null);
    let removed = project.data(["worktree", "remove", "csv-export"]);
    assert_eq!(removed["deleted_branch"], "sillyspec/csv-export");
    assert!(!project.tree("csv-export").exists());
    project.is_tidy();
}

#[test]
fn the_record_never_counts_as_work() {
    let nothing = |_: &Project| {};
    let staged = |p: &Project| drop(p.git_in("c1", ["add", "meta.json"]));
    let announced = |p: &Project| drop(p.git_in("c1", ["add", "-N", "meta.json"]));
    let rewritten = |p: &Project| {
        let meta = std::fs::read_to_string(p.tree("c1").join("meta.json")).expect("laid down");
        p.git_in("c1", ["add", "meta.json"]);
        p.write_in("c1", "meta.json", meta.replace('\n', "\r\n"));
    };
    let cases: [&dyn Fn(&Project); 4] = [&nothing, &staged, &announced, &rewritten];
    for (n, prepare) in cases.into_iter().enumerate() {
        let project = Project::of_kind_with_tree(Kind::Silly);
        prepare(&project);
        let status = &project.data(["worktree", "status"])["worktrees"][0];
        for class in ["staged", "modified", "untracked"] {
            assert_eq!(status["paths"][class], json!([]), "case {n}");
        }
        // Nor is it brought, or kept.
        project.write_in("c1", "u.txt", "u\n");
        let before = project.git(["rev-parse", "HEAD"]);
        project.spec(["worktree", "apply", "c1"]).exits(0);
        assert_eq!(project.git(["status", "--porcelain"]), "A  u.txt\n", "case {n}");
        assert_eq!(project.git(["rev-parse", "HEAD"]), before);
        let removed = project.data(["worktree", "remove", "c1", "--force"]);
        let rescue = removed["rescues"][0].as_str().expect("a ref");
        for part in ["", "^2", "^3"] {
            let held = project.git(["ls-tree", "-r", "--name-only", &format!("{rescue}{part}")]);
            assert!(!held.contains("meta.json"), "case {n}{part}: {held}");
        }
        // The one of the new work tree is its own.
        project.git(["reset", "-q", "--hard"]);
        project.spec(["worktree", "rescue", "restore", rescue]).exits(0);
        let entry = project.entry();
        assert_eq!(
            (&entry["change"], &entry["dirty"]["untracked"]),
            (&json!("c1-rescue"), &json!(1)),
            "case {n}"
        );
        // And it does not make another unclean.
        project.spec(["worktree", "add", "c2"]).exits(0);
        let to = project.tree("c2");
        let to = to.to_str().expect("UTF-8");
        project
            .spec(["worktree", "rescue", "restore", rescue, "--to", to])
            .exits(0);
        assert!(project.tree("c2").join("u.txt").exists());
        project.is_tidy();
    }
}

#[test]
fn a_clean_work_tree_is_removed_without_force_though_the_record_lies_in_it() {
    let project = Project::of_kind_with_tree(Kind::Silly);
    let removed = project.data(["worktree", "remove", "c1"]);
    assert_eq!(
        (&removed["rescues"], &removed["deleted_branch"]),
        (&json!([]), &json!("sillyspec/c1"))
    );
    assert!(!project.tree("c1").exists());
    project.is_tidy();
}

#[test]
fn git_can_bring_a_rescue_back_beside_the_record() {
    let project = Project::of_kind_with_tree(Kind::Silly);
    project.write_in("c1", "u.txt", "u\n");
    project.write_in("c1", "a.txt", "mine\n");
    let removed = project.data(["worktree", "remove", "c1", "--force"]);
    let rescue = removed["rescues"][0].as_str().expect("a ref").to_owned();
    project.spec(["worktree", "add", "c1"]).exits(0);
    project.git_in("c1", ["stash", "apply", "-q", "--index", &rescue]);
    assert_eq!(
        project.git_in("c1", ["status", "--porcelain"]),
        " M a.txt\n?? meta.json\n?? u.txt\n"
    );
}

#[test]
fn a_record_that_was_committed_does_not_come_along() {
    let project = Project::of_kind_with_tree(Kind::Silly);
    project.write_in("c1", "own.txt", "own\n");
    project.commit_in("c1", "Everything");
    let before = project.snapshot();
    assert_eq!(
        project.code(["worktree", "apply", "c1", "--commits"]),
        "WORKTREE_RECORD_COMMITTED"
    );
    assert_eq!(project.snapshot(), before);
    let applied = project.data(["worktree", "apply", "c1"]);
    assert_eq!(applied["mode"], "patch");
    assert_eq!(project.git(["status", "--porcelain"]), "A  own.txt\n");
    // Once the rest has come in nothing is left that could be lost.
    assert_eq!(project.code(["worktree", "remove", "c1"]), "WORKTREE_NOT_CLEAN");
    project.git(["commit", "-q", "-m", "Applied"]);
    assert_eq!(project.entry()["merged"], "content");
    let planned = project.data(["worktree", "remove", "c1", "--dry-run"]);
    assert_eq!(planned["deleted_branch"], "sillyspec/c1");
    // Whoever starts from that commit has the record of another work tree, which tells nothing of this one.
    project
        .spec(["worktree", "add", "c2", "--base", "sillyspec/c1"])
        .exits(0);
    assert!(project.exists(".git/worktrees/c2/spec.json"));
    let status = project.data(["worktree", "status", "c2"]);
    assert_eq!(status["worktrees"][0]["change"], "c2");
    assert_eq!(project.git_in("c2", ["status", "--porcelain"]), "");
    project.is_tidy();
}

#[test]
fn a_file_of_that_name_that_git_tracks_stays_the_user_s() {
    let project = Project::silly();
    project.write("meta.json", "{\"mine\": true}\n");
    project.commit("Mine");
    project.spec(["worktree", "add", "c1"]).exits(0);
    let tree = project.tree("c1");
    assert_eq!(
        std::fs::read(tree.join("meta.json")).expect("mine"),
        b"{\"mine\": true}\n"
    );
    assert!(project.exists(".git/worktrees/c1/spec.json"));
    assert_eq!(project.git_in("c1", ["status", "--porcelain"]), "");
    let entry = project.entry();
    assert_eq!(
        (&entry["change"], &entry["base_branch"]),
        (&json!("c1"), &json!("main"))
    );
    project.write_in("c1", "meta.json", "{\"mine\": false}\n");
    let out = project.spec(["worktree", "remove", "c1"]).exits(1);
    assert!(
        out.stderr.contains("modified") && out.stderr.contains("meta.json"),
        "{out:?}"
    );
    project.spec(["worktree", "apply", "c1"]).exits(0);
    assert_eq!(project.read("meta.json"), "{\"mine\": false}\n");
    project.is_tidy();
}

#[test]
fn a_file_of_that_name_that_is_no_record_is_work() {
    for content in [
        &b""[..],
        b"no JSON",
        b"{}",
        b"[]",
b"{\"changeName\": \"c1\", \"branch\": \"sillyspec/c1\"}",
        b"{\"changeName\": \"\", \"branch\": \"sillyspec/c1\", \"baseHash\": \"1111111111111111111111111111111111111111\"}",
    ] {
        let project = Project::of_kind_with_tree(Kind::Silly);
        project.write_in("c1", "meta.json", content);
        let entry = project.entry();
        assert_eq!(
            (
                &entry["change"],
                &entry["base_branch"],
                &entry["dirty"]["untracked"]
            ),
            (&json!("c1"), &json!("main"), &json!(1)),
            "{}",
            content.escape_ascii()
        );
        let out = project.spec(["worktree", "remove", "c1"]).exits(1);
        assert!(out.stderr.contains("meta.json"), "{out:?}");
        let removed = project.data(["worktree", "remove", "c1", "--force"]);
        let rescue = removed["rescues"][0].as_str().expect("a ref");
        let kept = project.git(["cat-file", "-p", &format!("{rescue}^3:meta.json")]);
        assert_eq!(kept.as_bytes(), content);
        project.is_tidy();
    }
}

#[test]
fn a_record_cannot_claim_what_is_not_its_own() {
    let project = Project::of_kind_with_tree(Kind::Silly);
    project.git(["branch", "release"]);
    let base = project.git(["rev-parse", "HEAD"]).trim().to_owned();
    let claim = |change: &str, branch: &str| {
        let meta = json!({
            "changeName": change, "branch": branch, "baseBranch": "-x", "baseHash": base,
            "worktreePath": project.tree("c1").to_str(),
        });
        project.write_in("c1", "meta.json", meta.to_string());
    };
    for (change, branch) in [
        ("../x", "sillyspec/c1"),
        ("a/b", "sillyspec/c1"),
        ("x.lock", "sillyspec/c1"),
    ] {
        claim(change, branch);
        assert_eq!(project.entry()["change"], "c1", "{change}");
    }
    for branch in ["release", "*", "-x"] {
        claim("c1", branch);
        let planned = project.data(["worktree", "remove", "c1", "--dry-run"]);
        assert_eq!(planned["deleted_branch"], "sillyspec/c1", "{branch}");
    }
    // Nor does it make work of one's own what the branch began with.
    project.write_in("c1", "own.txt", "own\n");
    project.git_in("c1", ["add", "own.txt"]);
    project.git_in("c1", ["commit", "-q", "-m", "Own work"]);
    let head = project.git_in("c1", ["rev-parse", "HEAD"]);
    let path = project.tree("c1");
    let meta = json!({
        "changeName": "c1", "branch": "sillyspec/c1", "baseBranch": "main", "baseHash": base,
        "actualBaseHash": head.trim(), "worktreePath": path.to_str(),
    });
    project.write_in("c1", "meta.json", meta.to_string());
    assert_eq!(project.entry()["merged"], Value::Null);
    let out = project.spec(["worktree", "remove", "c1"]).exits(1);
    assert!(
        out.stderr.contains("unmerged_commits") && out.stderr.contains("Own work"),
        "{out:?}"
    );
    project.spec(["worktree", "remove", "c1", "--force"]).exits(0);
    project.git(["rev-parse", "--verify", "release"]);
    // A pipe would hold up whoever reads it.
    project.spec(["worktree", "add", "c1"]).exits(0);
    let meta = project.tree("c1").join("meta.json");
    std::fs::remove_file(&meta).expect("laid down");
    let made = project.command("mkfifo").arg(&meta).status();
    assert!(made.expect("it starts").success());
    assert_eq!(project.entry()["change"], "c1");
}

#[test]
fn whose_it_is_stays_known_when_the_record_goes_with_the_folder() {
    let project = Project::silly();
    let elsewhere = project.root().with_file_name("elsewhere");
    let elsewhere = elsewhere.to_str().expect("UTF-8");
    project
        .spec([
            "worktree", "add", "placed", "--path", elsewhere, "--branch", "own",
        ])
        .exits(0);
    project
        .spec(["worktree", "add", "named", "--branch", "other"])
        .exits(0);
    project.spec(["worktree", "add", "detached"]).exits(0);
    project.git_in("detached", ["checkout", "-q", "--detach"]);
    assert!(Path::new(elsewhere).join("meta.json").exists());
    assert!(!project.exists(".git/worktrees/detached/spec.json"));
    let look = |key: &str| -> Vec<Value> {
        let listed = project.data(["worktree", "list"]);
        let all = listed["worktrees"].as_array().expect("a list");
        all.iter().map(|one| one[key].clone()).collect()
    };
    let changes = look("change");
    assert_eq!(changes, ["detached", "named", "placed"]);
    assert_eq!(
        look("dirty")
            .iter()
            .filter(|dirty| dirty["untracked"] == 0)
            .count(),
        3
    );
    for path in [elsewhere.into(), project.tree("named"), project.tree("detached")] {
        std::fs::remove_dir_all(path).expect("removed by hand");
    }
    assert_eq!(look("change"), changes);
    assert_eq!(look("state"), ["missing", "missing", "missing"]);
    for (change, branch) in [
        ("placed", "own"),
        ("named", "other"),
        ("detached", "sillyspec/detached"),
    ] {
        let removed = project.data(["worktree", "remove", change]);
        assert_eq!(removed["deleted_branch"], branch);
    }
    project.is_tidy();
}

#[test]
fn one_that_was_moved_is_still_known() {
    let project = Project::of_kind_with_tree(Kind::Silly);
    let to = project.root().with_file_name("moved");
    let (from, to) = (project.tree("c1"), to.to_str().expect("UTF-8"));
    project.git(["worktree", "move", from.to_str().expect("UTF-8"), to]);
    let entry = project.entry();
    assert_eq!(
        (
            &entry["change"],
            &entry["path"],
            &entry["dirty"]["untracked"],
            &entry["base_branch"]
        ),
        (&json!("c1"), &json!(to), &json!(0), &json!("main"))
    );
    project.spec(["worktree", "remove", "c1"]).exits(0);
    assert!(!Path::new(to).exists());
}
