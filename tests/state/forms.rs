//! Where a project may lie: folders, repositories, work trees, links.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::common::{Out, Repo, out};
use super::{BODY, LOCK, STATE, code, data, lay, litter, project, state};

const UPDATE: [&str; 6] = ["state", "update", "Plan", "2 of 2", "--format", "json"];
const NEW_PLAN: &str = "Plan: 2 of 2\n";

fn is_updated(repo: &Repo, path: &str) -> bool {
    repo.read(path).contains(NEW_PLAN)
}

/// The line of `state_head`, if the document has one.
fn head(repo: &Repo, path: &str) -> Option<String> {
    let text = repo.read(path);
    let line = text.lines().find_map(|line| line.strip_prefix("state_head: "));
    line.map(str::to_owned)
}

fn update_in(repo: &Repo, folder: &str) {
    assert_eq!(data(repo.spec_in(folder, UPDATE))["updated"], true, "{folder}");
}

#[test]
fn from_any_folder_below_the_project() {
    for folder in ["", ".planning", ".planning/phases/01-keel", "a/b/c/d/e/f/g/h/i/j"] {
        let repo = project(BODY);
        std::fs::create_dir_all(repo.path(folder)).expect("made");
        update_in(&repo, folder);
        assert!(is_updated(&repo, STATE), "{folder}");
    }
    // Ten steps up, not eleven.
    let repo = project(BODY);
    let deep = "a/b/c/d/e/f/g/h/i/j/k";
    std::fs::create_dir_all(repo.path(deep)).expect("made");
    assert_eq!(code(repo.spec_in(deep, UPDATE)), "STATE_NOT_FOUND");
}

#[test]
fn the_nearest_folder_with_a_memory_is_the_project() {
    let repo = project(BODY);
    lay(&repo, "inner/", BODY);
    std::fs::create_dir_all(repo.path("inner/deep")).expect("made");
    update_in(&repo, "inner/deep");
    assert!(is_updated(&repo, "inner/.planning/STATE.md") && !is_updated(&repo, STATE));
    // A file of that name is no memory.
    repo.write("other/.planning", "a file\n");
    update_in(&repo, "other");
    assert!(is_updated(&repo, STATE));
}

#[test]
fn a_repository_is_not_left() {
    let repo = project(BODY);
    repo.write("vendor/.git", "gitdir: /nowhere\n");
    assert_eq!(code(repo.spec_in("vendor", UPDATE)), "STATE_NOT_FOUND");
    // Neither by a search that begins deeper.
    std::fs::create_dir_all(repo.path("vendor/src")).expect("made");
    assert_eq!(code(repo.spec_in("vendor/src", UPDATE)), "STATE_NOT_FOUND");
}

#[test]
fn a_named_project_lies_below_the_top() {
    let repo = Repo::new();
    lay(&repo, "apps/yard/", BODY);
    repo.write("docs/x.md", "x\n");
    let named = |folder: &str, project: &str| {
        let args = [&["--project", project], &UPDATE[..]].concat();
        repo.spec_in(folder, args)
    };
    assert_eq!(data(named("docs", "apps/yard"))["updated"], true);
    assert!(is_updated(&repo, "apps/yard/.planning/STATE.md"));
    // Named is named: nobody looks above it, or below.
    assert_eq!(code(named("docs", "apps")), "STATE_NOT_FOUND");
    assert_eq!(
        code(named("docs", "apps/yard/.planning/phases")),
        "STATE_NOT_FOUND"
    );
}

#[test]
fn the_commit_is_stamped_where_the_repository_is_the_projects_own() {
    let repo = Repo::new();
    lay(&repo, "", BODY);
    update_in(&repo, "");
    assert_eq!(head(&repo, STATE), None, "before the first commit");
    let first = repo.commit("One");
    repo.spec(["state", "update", "Plan", "1 of 2"]).exits(0);
    assert_eq!(head(&repo, STATE), Some(first.clone()));
    let second = repo.commit("Two");
    // A read shows what a write would stamp, and does not.
    assert_eq!(data(state(&repo, &["json"]))["state_head"], second);
    assert_eq!(head(&repo, STATE), Some(first));
    update_in(&repo, ".planning");
    assert_eq!(head(&repo, STATE), Some(second));
    // It is never carried on.
    repo.write(
        ".planning/config.json",
        "{\"planning\":{\"sub_repos\":[\"api\"]}}",
    );
    repo.spec(["state", "update", "Plan", "1 of 2"]).exits(0);
    assert_eq!(head(&repo, STATE), None);
    for other in ["{\"sub_repos\":[]}", "{\"sub_repos\":\"api\"}", "nonsense", "[1]"] {
        repo.write(".planning/config.json", other);
        assert!(data(state(&repo, &["json"]))["state_head"].is_string(), "{other}");
    }
    repo.write(".planning/config.json", "{\"sub_repos\":[\"api\"]}");
    assert!(data(state(&repo, &["json"]))["state_head"].is_null());
}

#[test]
fn a_foreign_repository_above_stamps_nothing() {
    let repo = Repo::new();
    lay(&repo, "inner/", BODY);
    repo.commit("One");
    update_in(&repo, "inner");
    assert_eq!(head(&repo, "inner/.planning/STATE.md"), None);
}

#[test]
fn a_linked_worktree_has_a_head_of_its_own() {
    let repo = Repo::new();
    lay(&repo, "", BODY);
    let main = repo.commit("One");
    repo.git(["worktree", "add", "-q", "-b", "side", "wt"]);
    repo.git(["-C", "wt", "commit", "-q", "--allow-empty", "-m", "Two"]);
    let side = repo.git(["-C", "wt", "rev-parse", "HEAD"]).trim().to_owned();
    assert_ne!(main, side);
    std::fs::create_dir_all(repo.path("wt/src")).expect("made");
    update_in(&repo, "wt/src");
    assert_eq!(head(&repo, "wt/.planning/STATE.md"), Some(side));
    assert!(!is_updated(&repo, STATE));
    update_in(&repo, "");
    assert_eq!(head(&repo, STATE), Some(main));
}

#[test]
fn ids_of_the_longer_kind_are_stamped_whole() {
    let repo = Repo::without_git();
    repo.git(["init", "-q", "--object-format=sha256"]);
    lay(&repo, "", BODY);
    let id = repo.commit("One");
    assert_eq!(id.len(), 64);
    update_in(&repo, "");
    assert_eq!(head(&repo, STATE), Some(id));
}

#[test]
fn what_a_hook_says_of_another_repository_changes_nothing() {
    let repo = Repo::new();
    lay(&repo, "", BODY);
    let own = repo.commit("One");
    let foreign = Repo::new();
    lay(&foreign, "", BODY);
    foreign.git(["commit", "-q", "--allow-empty", "-m", "Foreign"]);
    let mut command = repo.program();
    command
        .args(UPDATE)
        .env("GIT_DIR", foreign.path(".git"))
        .env("GIT_WORK_TREE", foreign.root())
        .env("GIT_INDEX_FILE", foreign.path(".git/index"));
    data(out(&mut command, b""));
    assert_eq!(head(&repo, STATE), Some(own));
    assert!(!is_updated(&foreign, STATE));
}

/// Runs the program in a folder that nobody may write into, without root's right to do so all the same; none where that right
/// cannot be given up.
fn in_a_read_only_folder(repo: &Repo, args: &[&str]) -> Option<Out> {
    let folder = repo.path(".planning");
    let mode = |bits| std::fs::set_permissions(&folder, PermissionsExt::from_mode(bits)).expect("changed");
    mode(0o555);
    let is_bound = std::fs::write(folder.join("probe"), "").is_err();
    let mut command = if is_bound {
        repo.program()
    } else {
        repo.command("setpriv")
    };
    if !is_bound {
        repo.remove(".planning/probe");
        command
            .args(["--bounding-set", "-dac_override,-dac_read_search", "--"])
            .arg(env!("CARGO_BIN_EXE_git-spec"));
    }
    let told = command.args(args).output();
    mode(0o755);
    let told = told.ok().filter(|told| !told.stderr.starts_with(b"setpriv"))?;
    Some(Out {
        code: told.status.code().expect("no signal ends it"),
        stdout: String::from_utf8_lossy(&told.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&told.stderr).into_owned(),
    })
}

#[test]
fn a_folder_that_may_not_be_written_is_read_all_the_same() {
    let repo = project(BODY);
    let Some(told) = in_a_read_only_folder(&repo, &UPDATE) else {
        return;
    };
    assert_eq!(code(told), "STATE_WRITE_FAILED");
    assert_eq!(repo.read(STATE), BODY);
    let read = in_a_read_only_folder(&repo, &["state", "json", "--format", "json"]);
    assert_eq!(data(read.expect("as before"))["current_phase"], "2");
    assert_eq!(litter(&repo), [""; 0]);
}

#[test]
fn a_folder_in_place_of_the_document_is_told() {
    let repo = project(BODY);
    repo.remove(STATE).write(&format!("{STATE}/x"), "in it");
    for args in [
        &UPDATE[..],
        &["state", "json", "--format", "json"],
        &["state", "sync", "--format", "json"],
    ] {
        assert_eq!(code(repo.spec(args)), "STATE_UNREADABLE", "{args:?}");
    }
    let forced = ["state", "regenerate", "--force", "--format", "json"];
    assert_eq!(code(repo.spec(forced)), "STATE_UNREADABLE");
    assert!(repo.exists(&format!("{STATE}/x")));
    assert_eq!(litter(&repo), [""; 0]);
}

#[test]
fn a_link_in_place_of_the_document_is_never_replaced() {
    let repo = project(BODY);
    repo.remove(STATE).write("elsewhere.md", BODY);
    symlink("../elsewhere.md", repo.path(STATE)).expect("linked");
    let told = repo.spec(UPDATE);
    assert_eq!(told.code, 1, "{told:?}");
    code(told);
    assert_eq!(repo.read("elsewhere.md"), BODY);
    assert!(repo.path(STATE).is_symlink());
    assert_eq!(litter(&repo), [""; 0]);
    // One that leads nowhere makes no file there.
    repo.remove(STATE);
    symlink("../nowhere.md", repo.path(STATE)).expect("linked");
    for args in [
        &UPDATE[..],
        &[
            "state",
            "milestone-switch",
            "--milestone",
            "v2",
            "--format",
            "json",
        ],
        &["state", "regenerate", "--force", "--format", "json"],
    ] {
        code(repo.spec(args));
        assert!(
            !repo.exists("nowhere.md") && repo.path(STATE).is_symlink(),
            "{args:?}"
        );
    }
}

#[test]
fn a_pipe_in_place_of_the_document_is_not_waited_for() {
    let repo = project(BODY);
    repo.remove(STATE);
    let made = repo.command("mkfifo").arg(STATE).status();
    assert!(made.expect("mkfifo can be started").success());
    assert_eq!(code(repo.spec(UPDATE)), "STATE_UNREADABLE");
}

/// `.planning` is a link to a folder.
fn linked(to: &Path) -> Repo {
    let repo = Repo::without_git();
    symlink(to, repo.path(".planning")).expect("linked");
    repo
}

#[test]
fn a_memory_behind_a_link_is_read_and_written_where_it_is() {
    let shared = project(BODY);
    let repo = linked(&shared.path(".planning"));
    update_in(&repo, "");
    assert!(is_updated(&shared, STATE));
    assert!(repo.path(".planning").is_symlink());
    assert_eq!(data(state(&repo, &["json"])), data(state(&shared, &["json"])));
    // Its lock is the lock of all who write there.
    shared.write(LOCK, "999999999");
    data(state(&repo, &["sync"]));
    assert_eq!(litter(&shared), [""; 0]);
}

#[test]
fn a_lock_of_a_living_process_is_waited_for_and_told() {
    let repo = project(BODY);
    repo.write(LOCK, std::process::id().to_string());
    let future = std::time::SystemTime::now() + std::time::Duration::from_secs(3600);
    let lock = std::fs::File::options()
        .write(true)
        .open(repo.path(LOCK))
        .expect("there");
    lock.set_modified(future).expect("set");
    // Reads do not wait.
    data(state(&repo, &["json"]));
    let told = repo.spec(UPDATE);
    assert!(told.stderr.contains(&std::process::id().to_string()), "{told:?}");
    assert_eq!(code(told), "STATE_LOCKED");
    assert!(repo.exists(LOCK));
    assert_eq!(repo.read(STATE), BODY);
}
