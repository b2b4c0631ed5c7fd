//! Where open changes are looked for: branches here and of remotes, work trees and what they hold uncommitted, globs.

use crate::common::{Repo, Tolls, out};
use crate::{NONE, added, answer, changes, data, judged, pairs, propose, radar};

fn bus() -> String {
    added("Buses", "UT-S01-04", "bus")
}

fn tram() -> String {
    added("Trams", "UT-S01-04", "tram")
}

/// `bus` on a branch `a`, `tram` on a branch `b`, each with UT-S01-04.
fn two() -> Tolls {
    let tolls = Tolls::new();
    propose(&tolls, "a", "bus", &[(Tolls::DELTA, &bus())]);
    propose(&tolls, "b", "tram", &[(Tolls::DELTA, &tram())]);
    tolls
}

#[test]
fn branches_of_remotes_count_and_the_default_branch_is_the_target() {
    let tolls = two();
    tolls.git(["clone", "-q", ".", "../clone"]);
    let clone = tolls.root().with_file_name("clone");
    let run = |args: &[&str]| {
        let mut command = tolls.program();
        data(judged(out(
            command
                .current_dir(&clone)
                .args(["radar", "--format", "json"])
                .args(args),
            b"",
        )))
    };
    let git = |args: &[&str]| {
        let mut command = tolls.command("git");
        out(command.current_dir(&clone).args(args), b"").exits(0)
    };
    let found = run(&[]);
    assert_eq!(
        changes(&found),
        [
            "bus clean refs/remotes/origin/a",
            "tram clean refs/remotes/origin/b"
        ]
    );
    assert_eq!(pairs(&found), ["bus tram duplicate_id -"]);
    let main = tolls.git(["rev-parse", "main"]);
    assert_eq!(
        found["target"],
        serde_json::json!({"ref": "refs/remotes/origin/main", "id": main.trim()})
    );
    // A branch of one's own with the same change is no other change.
    git(&["switch", "-q", "-c", "mine", "origin/a"]);
    assert_eq!(
        changes(&run(&[]))[0],
        "bus clean refs/heads/mine refs/remotes/origin/a"
    );
    git(&["config", "spec.defaultBranch", "a"]);
    assert_eq!(run(&[])["target"]["ref"], "refs/remotes/origin/a");
    // The one thing that is not there cannot be the target.
    git(&["config", "spec.defaultBranch", "elsewhere"]);
    assert_eq!(run(&[])["target"]["ref"], "HEAD");
}

#[test]
fn what_a_linked_work_tree_has_not_committed_counts() {
    let tolls = two();
    tolls.git(["worktree", "add", "-q", "../linked", "b"]);
    let linked = "../linked/logos/changes";
    tolls.write(&format!("{linked}/ferry/proposal.md"), "# Change: ferry\n");
    tolls.write(
        &format!("{linked}/ferry/deltas/{}", Tolls::DELTA),
        added("Ferries", "UT-S01-04", "ferry"),
    );
    // The committed `tram` is older than what its work tree makes of it.
    tolls.write(
        &format!("{linked}/tram/deltas/{}", Tolls::DELTA),
        added("Trams", "UT-S01-05", "tram"),
    );
    let before = tolls.snapshot();
    let found = answer(&tolls, &[]);
    assert_eq!(tolls.snapshot(), before);
    assert_eq!(
        changes(&found),
        ["bus clean refs/heads/a", "ferry clean", "tram clean"]
    );
    assert_eq!(pairs(&found), ["bus ferry duplicate_id -"]);
    let path = tolls.root().with_file_name("linked");
    let (b, ferry) = (tolls.git(["rev-parse", "b"]), &found["changes"][1]);
    assert_eq!(ferry["worktree"], path.to_str().expect("a plain path"));
    assert_eq!(ferry["commit"], b.trim());
    assert_eq!(ferry["base"], b.trim(), "what it would be added to");
    assert!(found["changes"][0]["worktree"].is_null());
    // Seen from there it is the same.
    let mut command = tolls.program();
    command.current_dir(&path).args(["radar", "--format", "json"]);
    let from_there = data(judged(out(&mut command, b"")));
    assert_eq!(from_there["changes"], found["changes"]);
    // Both work trees with the same uncommitted folder: one change.
    for file in ["proposal.md", &format!("deltas/{}", Tolls::DELTA)] {
        let content = tolls.read(&format!("{linked}/ferry/{file}"));
        tolls.write(&format!("logos/changes/ferry/{file}"), content);
    }
    assert_eq!(changes(&answer(&tolls, &[]))[1], "ferry clean");
    // Gone from disk, the work tree says nothing any more but where its HEAD is.
    tolls.remove("../linked");
    tolls.remove("logos/changes/ferry");
    assert_eq!(
        changes(&answer(&tolls, &[])),
        ["bus clean refs/heads/a", "tram clean refs/heads/b"]
    );
}

#[test]
fn a_detached_head_is_a_tip() {
    let tolls = two();
    tolls.git(["switch", "-q", "--detach", "b"]);
    tolls.git(["branch", "-q", "-D", "b"]);
    tolls.git(["worktree", "add", "-q", "--detach", "../linked", "a"]);
    tolls.git(["branch", "-q", "-D", "a"]);
    assert_eq!(
        changes(&answer(&tolls, &[])),
        ["bus clean worktrees/linked/HEAD", "tram clean HEAD"]
    );
}

#[test]
fn globs_of_full_names_replace_branches() {
    let tolls = two();
    tolls.git(["tag", "-a", "-m", "x", "v1", "a"]);
    for (globs, found) in [
        (&["--refs", "refs/heads/a"][..], &["bus clean refs/heads/a"][..]),
        (
            &["--refs", "refs/heads/*"],
            &["bus clean refs/heads/a", "tram clean refs/heads/b"],
        ),
        (&["--refs", "refs/heads/[b-z]"], &["tram clean refs/heads/b"]),
        (&["--refs", "refs/tags/v*"], &["bus clean refs/tags/v1"]),
        (
            &["--refs", "refs/tags/*", "refs/heads/b"],
            &["bus clean refs/tags/v1", "tram clean refs/heads/b"],
        ),
        (
            &["--refs", "refs/heads/a", "--refs", "refs/heads/b"],
            &["bus clean refs/heads/a", "tram clean refs/heads/b"],
        ),
        (&["--refs", "refs/heads/nothing"], &[]),
    ] {
        assert_eq!(changes(&answer(&tolls, globs)), found, "{globs:?}");
    }
    for bad in [
        &["--refs", "a"][..],
        &["--refs", "-x"],
        &["--refs", ""],
        &["--project", "../x"],
        &["--project", "apps/nowhere"],
    ] {
        let out = radar(&tolls, bad).exits(1);
        assert!(out.stdout.is_empty(), "{out:?}");
    }
    let out = radar(&tolls, &["--refs", "a"]);
    assert!(out.stderr.contains("RADAR_INPUT_INVALID"), "{out:?}");
}

#[test]
fn our_own_references_are_nobodys_branches() {
    let tolls = two();
    tolls.git(["update-ref", "refs/spec/rescue/bus/20260102T030405Z", "a"]);
    tolls.git(["branch", "-q", "-D", "a"]);
    for args in [&[][..], &["--refs", "refs/**"], &["--refs", "refs/spec"]] {
        let found = changes(&answer(&tolls, args));
        assert!(
            !found.iter().any(|change| change.starts_with("bus ")),
            "{found:?}"
        );
    }
}

#[test]
fn one_change_is_asked_about_by_its_name() {
    let tolls = two();
    propose(
        &tolls,
        "c",
        "cart",
        &[(Tolls::DELTA, &added("Carts", "UT-S01-05", "cart"))],
    );
    let found = answer(&tolls, &["--change", "tram"]);
    assert_eq!(changes(&found), ["tram clean refs/heads/b"]);
    assert_eq!(pairs(&found), ["bus tram duplicate_id -"]);
    assert_eq!(
        pairs(&answer(&tolls, &["--change", "cart", "--all"])),
        ["bus cart clean any", "cart tram clean any"]
    );
    let out = radar(&tolls, &["--change", "trams"]).exits(1);
    assert!(
        out.stderr.contains("CHANGE_NOT_FOUND") && out.stderr.contains("`tram`"),
        "{out:?}"
    );
}

#[test]
fn every_project_has_changes_and_ids_of_its_own() {
    let repo = Repo::new();
    for (project, slug) in [("apps/a", "bus"), ("apps/a", "tram"), ("apps/b", "bus")] {
        repo.write(
            &format!("{project}/logos/logos.config.json"),
            "{\"name\":\"x\",\"locale\":\"en\"}\n",
        );
        repo.write(&format!("{project}/{}", Tolls::DOCUMENT), Tolls::CONTENT);
        let folder = format!("{project}/logos/changes/{slug}");
        repo.write(&format!("{folder}/proposal.md"), format!("# {project} {slug}\n"));
        repo.write(
            &format!("{folder}/deltas/{}", Tolls::DELTA),
            added(&format!("The {slug}"), "UT-S01-04", slug),
        );
    }
    repo.commit("Two projects");
    let found = answer(&repo, &[]);
    let projects: Vec<_> = found["changes"].as_array().expect("a list").iter().collect();
    let projects: Vec<_> = projects
        .iter()
        .map(|change| [&change["project"], &change["id"]])
        .collect();
    assert_eq!(
        projects,
        [["apps/a", "bus"], ["apps/a", "tram"], ["apps/b", "bus"]]
    );
    assert_eq!(pairs(&found), ["bus tram duplicate_id -"]);
    let document = format!("apps/a/{}", Tolls::DOCUMENT);
    assert_eq!(found["pairs"][0]["items"][0]["document"], document.as_str());
    assert_eq!(
        changes(&answer(&repo, &["--project", "apps/b"])),
        ["bus clean refs/heads/main"]
    );
    assert_eq!(pairs(&answer(&repo, &["--project", "apps/b"])), NONE);
}
