//! Hooks and signing as git is configured; a refusal leaves everything as it was.

use super::common::Tolls;
use super::{SLUG, hook, tolls};

/// Merge and archive, both refused by `cause`: nothing is different afterwards.
#[track_caller]
fn refused(tolls: &Tolls, told: &str) {
    // Files that only the commit would announce to the index.
    tolls.write("logos/changes/car-price/note.md", "Not tracked.\n");
    tolls.write("staged.txt", "staged\n");
    tolls.git(["add", "staged.txt"]);
    let before = tolls.snapshot();
    for command in [&["merge", SLUG][..], &["archive", SLUG, "--force"]] {
        let out = tolls.spec(command).exits(1);
        assert!(out.stderr.contains(told), "{command:?}: {}", out.stderr);
        assert_eq!(out.stdout, "", "{command:?}");
        assert_eq!(tolls.snapshot(), before, "{command:?}");
        assert!(!tolls.exists(".git/spec"), "{command:?}");
        tolls.fsck();
    }
}

#[track_caller]
fn accepted(tolls: &Tolls) {
    tolls.spec(["merge", SLUG]).exits(0);
    tolls.spec(["archive", SLUG]).exits(0);
    assert_eq!(tolls.git(["status", "--porcelain"]), "A  staged.txt\n");
    tolls.fsck();
}

#[test]
fn a_hook_that_refuses_leaves_everything_as_before() {
    for name in ["pre-commit", "prepare-commit-msg", "commit-msg"] {
        let tolls = tolls();
        let path = format!(".git/hooks/{name}");
        hook(&tolls, &path, "echo 'not today' >&2; exit 1");
        refused(&tolls, "not today");
        tolls.remove(&path);
        accepted(&tolls);
    }
}

#[test]
fn hooks_elsewhere_are_run_too() {
    let tolls = tolls();
    hook(&tolls, ".git/own-hooks/pre-commit", "echo 'not today'; exit 1");
    tolls.git(["config", "core.hooksPath", ".git/own-hooks"]);
    refused(&tolls, "not today");
    tolls.git(["config", "--unset", "core.hooksPath"]);
    accepted(&tolls);
}

#[test]
fn a_signature_that_fails_leaves_everything_as_before() {
    let tolls = tolls();
    hook(&tolls, ".git/sign", "echo 'no secret key' >&2; exit 2");
    tolls.git(["config", "commit.gpgSign", "true"]);
    tolls.git([
        "config",
        "gpg.program",
        &tolls.path(".git/sign").display().to_string(),
    ]);
    refused(&tolls, "sign");
    tolls.git(["config", "commit.gpgSign", "false"]);
    accepted(&tolls);
}

#[test]
fn an_identity_that_is_missing_leaves_everything_as_before() {
    let tolls = tolls();
    tolls.git(["config", "user.useConfigOnly", "true"]);
    let before = tolls.snapshot();
    let mut command = tolls.program();
    command.args(["merge", SLUG]);
    for name in [
        "GIT_AUTHOR_NAME",
        "GIT_AUTHOR_EMAIL",
        "GIT_COMMITTER_NAME",
        "GIT_COMMITTER_EMAIL",
    ] {
        command.env_remove(name);
    }
    let out = super::common::out(&mut command, b"").exits(1);
    assert!(
        out.stderr.contains("user.email") || out.stderr.contains("identity"),
        "{}",
        out.stderr
    );
    assert_eq!(tolls.snapshot(), before);
}

#[test]
fn what_hooks_print_is_passed_on_beside_the_answer() {
    let tolls = tolls();
    hook(
        &tolls,
        ".git/hooks/pre-commit",
        "echo 'looked at it'; echo 'and more' >&2",
    );
    hook(&tolls, ".git/hooks/post-commit", "echo 'after it'");
    for command in [["merge", SLUG], ["archive", SLUG]] {
        let out = tolls.spec(command).exits(0);
        for said in ["looked at it", "and more", "after it"] {
            assert!(out.stderr.contains(said), "{}", out.stderr);
            assert!(!out.stdout.contains(said), "{}", out.stdout);
        }
    }
}

#[test]
fn a_hook_sees_what_is_committed_and_our_own_writers_refuse_in_it() {
    let tolls = tolls();
    let program = env!("CARGO_BIN_EXE_git-spec");
    let script = format!(
        "git diff --cached --name-only > .git/seen\n'{program}' change-lint --slug car-price > .git/judged || exit 1\n\
         '{program}' change boat-price 2> .git/refused && exit 1\nexit 0"
    );
    hook(&tolls, ".git/hooks/pre-commit", &script);
    tolls.write("staged.txt", "staged\n");
    tolls.git(["add", "staged.txt"]);
    tolls.spec(["merge", SLUG]).exits(0);
    assert_eq!(
        tolls.read(".git/seen"),
        format!("logos/changes/car-price/SPEC_MERGED\n{}\n", Tolls::DOCUMENT)
    );
    assert!(tolls.read(".git/judged").contains("PASS"));
    assert!(
        tolls.read(".git/refused").contains("commit of git-spec's own"),
        "{}",
        tolls.read(".git/refused")
    );
    assert!(!tolls.exists("logos/changes/boat-price"));
}

#[test]
fn a_message_that_a_hook_changes_stays_changed() {
    let tolls = tolls();
    hook(
        &tolls,
        ".git/hooks/commit-msg",
        "echo 'Reviewed-by: Bob' >> \"$1\"",
    );
    tolls.spec(["merge", SLUG]).exits(0);
    let trailers = tolls.git(["log", "-1", "--format=%(trailers:key=Reviewed-by,valueonly)"]);
    assert_eq!(trailers.trim(), "Bob");
    let trailers = tolls.git(["log", "-1", "--format=%(trailers:key=Spec-Change,valueonly)"]);
    assert_eq!(trailers.trim(), SLUG);
}

#[test]
fn a_template_and_a_cleanup_mode_do_not_reach_the_message() {
    let tolls = tolls();
    tolls.write(".git/template", "Template of the house\n");
    tolls.git(["config", "commit.template", ".git/template"]);
    tolls.git(["config", "commit.verbose", "true"]);
    tolls.git(["config", "commit.status", "true"]);
    tolls.git(["config", "core.commentChar", "d"]);
    tolls.git(["config", "core.editor", "false"]);
    tolls.spec(["merge", SLUG]).exits(0);
    assert_eq!(
        tolls.git(["log", "-1", "--format=%s"]).trim(),
        "docs(car-price): merge spec deltas"
    );
}

#[test]
fn what_a_refusing_hook_made_of_the_files_is_kept_beside_them() {
    let tolls = tolls();
    let tasks = "logos/changes/car-price/tasks.md";
    // An own list, in no commit yet: the merge would put it back to its placeholder.
    tolls.write(
        tasks,
        tolls
            .read(tasks)
            .replace("Implement code changes", "my own slice"),
    );
    let (document, list) = (tolls.read(Tolls::DOCUMENT), tolls.read(tasks));
    hook(
        &tolls,
        ".git/hooks/pre-commit",
        &format!(
            "for f in {} {tasks}; do echo tidied >> $f; done; echo 'files were tidied'; exit 1",
            Tolls::DOCUMENT
        ),
    );
    let out = tolls.spec(["merge", SLUG]).exits(1);
    assert!(out.stderr.contains("files were tidied"), "{}", out.stderr);
    assert_eq!((tolls.read(Tolls::DOCUMENT), tolls.read(tasks)), (document, list));
    for path in [Tolls::DOCUMENT, tasks] {
        let (folder, name) = path.rsplit_once('/').expect("a folder");
        let kept = format!("{folder}/.{name}.git-spec-kept");
        assert!(out.stderr.contains(&kept), "{}", out.stderr);
        assert!(tolls.read(&kept).ends_with("tidied\n"));
        tolls.remove(&kept);
    }
    assert!(!tolls.exists("logos/changes/car-price/CODE_AUTORESET"));
    assert_eq!(tolls.git(["status", "--porcelain"]), format!(" M {tasks}\n"));
    tolls.remove(".git/hooks/pre-commit");
    tolls.spec(["merge", SLUG]).exits(0);
}

#[test]
fn what_goes_back_is_not_written_through_a_link() {
    let tolls = tolls();
    let outside = tolls.root().with_file_name("outside.md");
    std::fs::write(&outside, "mine").expect("a new file");
    let link = "logos/resources/test/.core-01-test-cases.md.git-spec-restore";
    std::os::unix::fs::symlink(&outside, tolls.path(link)).expect("a link can be made");
    tolls.commit("A link in wait");
    hook(&tolls, ".git/hooks/pre-commit", "exit 1");
    tolls.spec(["merge", SLUG]).exits(1);
    assert_eq!(std::fs::read_to_string(&outside).expect("it is there"), "mine");
    assert_eq!(tolls.read(Tolls::DOCUMENT), Tolls::CONTENT);
}
