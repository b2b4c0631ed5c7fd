//! What the next run does with what is left, and what stops it.

use super::common::{Repo, Tolls};
use super::{SLUG, completed_by_another_run, copy, lint_only_reads, no_litter, rich_change, run, said};

/// A merge that died with its documents written and no commit made.
fn interrupted() -> Repo {
    let repo = rich_change();
    let mut n = 0;
    loop {
        n += 1;
        let left = copy(&repo);
        let died = run(&left, &["merge", SLUG], Some(("GIT_SPEC_ABORT_AT", n)));
        assert!(died.status.code().is_none(), "{}", said(&died));
        // The marker is the last file.
        if left.exists(&format!("logos/changes/{SLUG}/SPEC_MERGED")) {
            return left;
        }
    }
}

#[test]
fn a_recovery_that_dies_is_recovered_from() {
    let template = rich_change();
    let whole = copy(&template);
    assert!(run(&whole, &["merge", SLUG], None).status.success());
    let new = whole.snapshot();
    let left = interrupted();
    for kind in ["GIT_SPEC_ABORT_AT", "GIT_SPEC_FAIL_AT"] {
        // The steps of the recovery come first; those of the merge after it are another test's.
        for n in 1..=12 {
            let at = format!("{kind} at {n} of the recovery");
            let repo = copy(&left);
            let out = run(&repo, &["merge", SLUG], Some((kind, n)));
            assert_ne!(out.status.code(), Some(0), "{at}: {}", said(&out));
            lint_only_reads(&repo, &at);
            completed_by_another_run(&repo, &["merge", SLUG], &[], &new, &at);
        }
    }
}

#[test]
fn a_merge_that_fails_and_dies_while_it_goes_back_is_recovered_from() {
    let template = rich_change();
    let whole = copy(&template);
    assert!(run(&whole, &["merge", SLUG], None).status.success());
    let new = whole.snapshot();
    let fails = 20;
    for dies in fails + 1.. {
        let at = format!("failing at {fails}, killed at {dies}");
        let repo = copy(&template);
        let mut command = repo.program();
        command
            .args(["merge", SLUG])
            .env("GIT_SPEC_FAIL_AT", fails.to_string())
            .env("GIT_SPEC_ABORT_AT", dies.to_string());
        let out = command.output().expect("it starts");
        if out.status.code().is_some() {
            assert!(dies > fails + 3, "{at}: {}", said(&out));
            return;
        }
        completed_by_another_run(&repo, &["merge", SLUG], &[], &new, &at);
    }
}

#[test]
fn a_journal_that_cannot_be_understood_is_named_and_kept() {
    let repo = rich_change();
    for garbage in [
        "",
        "no JSON",
        "{}",
        "{\"version\":99,\"command\":\"merge\",\"prefix\":\"\",\"applying\":true,\"commit\":true,\"steps\":[],\"announced\":[]}",
        "{\"version\":1,\"command\":\"merge\",\"prefix\":\"\",\"applying\":true,\"commit\":false,\"steps\":[{\"do\":\"remove\",\"path\":\"../../etc/passwd\",\"old\":\"00\",\"saved\":\"0\"}],\"announced\":[]}",
        "{\"version\":1,\"command\":\"merge\",\"prefix\":\"..\",\"applying\":false,\"commit\":false,\"steps\":[],\"announced\":[]}",
    ] {
        repo.write(".git/spec/journal", garbage);
        let before = repo.snapshot();
        for args in [
            &["merge", SLUG][..],
            &["archive", SLUG, "--force"],
            &["change", "boat-price"],
        ] {
            let out = repo.spec(args).exits(1);
            assert!(
                out.stderr.contains(".git/spec/journal"),
                "{garbage}: {}",
                out.stderr
            );
            assert_eq!(out.stdout, "");
            assert_eq!(repo.read(".git/spec/journal"), garbage);
        }
        lint_only_reads(&repo, garbage);
        assert_eq!(repo.snapshot(), before, "{garbage}");
        repo.remove(".git/spec");
    }
    repo.spec(["merge", SLUG]).exits(0);
}

#[test]
fn the_journal_of_another_tool_is_named_and_kept() {
    let repo = rich_change();
    let journal = format!("logos/changes/{SLUG}/UI_COMMIT_JOURNAL.json");
    repo.write(&journal, "{}\n");
    let before = repo.snapshot();
    let out = repo.spec(["merge", SLUG]).exits(1);
    assert!(out.stderr.contains(&journal), "{}", out.stderr);
    assert_eq!(repo.snapshot(), before);
}

#[test]
fn a_file_that_someone_changed_since_stops_the_recovery() {
    let repo = interrupted();
    let mine = format!("{}\nMy own line.\n", repo.read(Tolls::DOCUMENT));
    repo.write(Tolls::DOCUMENT, &mine);
    let (before, journal) = (repo.snapshot(), repo.read(".git/spec/journal"));
    for args in [&["merge", SLUG][..], &["change", "boat-price"]] {
        let out = repo.spec(args).exits(1);
        assert!(out.stderr.contains(Tolls::DOCUMENT), "{}", out.stderr);
        assert!(out.stderr.contains(".git/spec/journal"), "{}", out.stderr);
        assert_eq!(repo.snapshot(), before);
        assert_eq!(repo.read(".git/spec/journal"), journal);
    }
    lint_only_reads(&repo, "a changed file");
    // With the document as one of the two runs knows it, the next one goes on.
    repo.git(["checkout", "-q", "--", Tolls::DOCUMENT]);
    repo.spec(["merge", SLUG]).exits(0);
    no_litter(&repo, "after all");
    assert_eq!(repo.git(["status", "--porcelain"]), "");
}

#[test]
fn a_dry_run_leaves_a_pending_journal_alone() {
    let repo = interrupted();
    let (before, journal) = (repo.snapshot(), repo.read(".git/spec/journal"));
    run(&repo, &["merge", SLUG, "--dry-run"], None);
    run(&repo, &["archive", SLUG, "--dry-run", "--force"], None);
    run(&repo, &["detect", "--format", "json"], None);
    run(&repo, &["impact", "--base", "HEAD~1", "--head", "HEAD"], None);
    assert_eq!(repo.snapshot(), before);
    assert_eq!(repo.read(".git/spec/journal"), journal);
}

#[test]
fn a_lock_of_git_left_by_a_kill_is_named_and_nothing_is_undone() {
    let repo = interrupted();
    repo.write(".git/index.lock", "");
    let before = repo.read(Tolls::DOCUMENT);
    let out = repo.spec(["merge", SLUG]).exits(1);
    assert!(out.stderr.contains("index.lock"), "{}", out.stderr);
    assert_eq!(repo.read(Tolls::DOCUMENT), before);
    repo.remove(".git/index.lock");
    repo.spec(["merge", SLUG]).exits(0);
    no_litter(&repo, "after the lock");
}

#[test]
fn what_one_project_left_is_ended_by_a_command_of_its_neighbour() {
    let one = rich_change();
    let both = Repo::new();
    for path in one.git(["ls-files"]).lines() {
        for project in ["apps/tolls", "apps/ferry"] {
            both.write(&format!("{project}/{path}"), one.read(path));
        }
    }
    both.commit("Two projects");
    let both = copy(&both);
    let clean = both.snapshot();
    for n in 1..=30 {
        let repo = copy(&both);
        let mut command = repo.program();
        command
            .current_dir(repo.path("apps/tolls"))
            .args(["merge", SLUG])
            .env("GIT_SPEC_ABORT_AT", n.to_string());
        if command.output().expect("it starts").status.code().is_some() {
            return;
        }
        // Refused by its own guard file, but only after what is left was ended.
        let out = repo.spec_in("apps/ferry", ["change", "boat-price"]);
        assert!(!repo.exists(".git/spec"), "killed at {n}: {out:?}");
        repo.fsck();
        if repo.git(["rev-list", "--count", "HEAD"]) == both.git(["rev-list", "--count", "HEAD"]) {
            assert_eq!(repo.snapshot(), clean, "killed at {n}: {out:?}");
        } else {
            assert_eq!(repo.git(["status", "--porcelain"]), "", "killed at {n}: {out:?}");
        }
    }
}

#[test]
fn a_commit_that_git_made_without_writing_the_index_counts() {
    for (args, again) in [
        (&["merge", SLUG][..], ""),
        (&["archive", SLUG, "--force"], "slug_not_found"),
    ] {
        let template = rich_change();
        let whole = copy(&template);
        assert!(run(&whole, args, None).status.success());
        let new = whole.snapshot();
        let mut n = 0;
        let left = loop {
            n += 1;
            let left = copy(&template);
            run(&left, args, Some(("GIT_SPEC_ABORT_AT", n)));
            if left.git(["rev-list", "--count", "HEAD"]) == whole.git(["rev-list", "--count", "HEAD"]) {
                break left;
            }
        };
        assert!(left.exists(".git/spec/journal"), "{args:?}");
        left.write("mine.txt", "mine\n");
        left.git(["read-tree", "HEAD~1"]);
        left.git(["add", "mine.txt"]);
        let out = run(&left, args, None);
        let told = said(&out);
        assert!(
            out.status.success() || (!again.is_empty() && told.contains(again)),
            "{told}"
        );
        assert_eq!(left.git(["status", "--porcelain"]), "A  mine.txt\n", "{told}");
        left.git(["rm", "-q", "-f", "mine.txt"]);
        assert_eq!(left.snapshot(), new, "{told}");
        no_litter(&left, "after the commit");
    }
}

#[test]
fn a_journal_that_leads_out_of_the_project_is_not_followed() {
    let repo = Repo::without_git();
    let outside = repo.root().with_file_name("outside");
    std::fs::create_dir(&outside).expect("a new folder");
    std::fs::write(outside.join("own.txt"), "mine").expect("a new file");
    repo.write("logos/logos.config.json", "{}\n");
    std::os::unix::fs::symlink(&outside, repo.path("logos/out")).expect("a link can be made");
    repo.write("logos/.runtime/git-spec/saved/0", "theirs");
    let journal = |prefix: &str, step: &str| {
        format!(
            r#"{{"version":1,"command":"x","prefix":"{prefix}","applying":false,"commit":false,"steps":[{step}],"announced":[]}}"#
        )
    };
    let old = "a".repeat(64);
    let remove = |path: &str, saved: &str| {
        format!(r#"{{"do":"remove","path":"{path}","old":"{old}","saved":"{saved}"}}"#)
    };
    for text in [
        journal("", &remove("logos/out/new.txt", "0")),
        journal("logos/out", &remove("new.txt", "0")),
        journal("", &remove("logos/new.txt", "../../../../../outside/own.txt")),
        journal("", r#"{"do":"move-dir","from":"logos/new","to":"logos/out/own"}"#),
    ] {
        repo.write("logos/.runtime/git-spec/journal", &text);
        repo.spec(["change", "boat-price"]).exits(1);
        assert_eq!(repo.read("logos/.runtime/git-spec/journal"), text);
        assert_eq!(outside.read_dir().expect("a folder").count(), 1, "{text}");
        assert!(!repo.exists("logos/new.txt"), "{text}");
    }
}

#[test]
fn a_link_in_the_place_of_our_own_files_is_not_followed() {
    let repo = Repo::without_git();
    let outside = repo.root().with_file_name("outside");
    std::fs::create_dir_all(outside.join("saved")).expect("a new folder");
    for file in ["saved/own.txt", "lock", "journal.new"] {
        std::fs::write(outside.join(file), "mine").expect("a new file");
    }
    let own = "logos/.runtime/git-spec";
    for (link, target) in [
        (own.to_owned(), outside.clone()),
        ("logos/.runtime".to_owned(), outside.clone()),
        (format!("{own}/lock"), outside.join("lock")),
        (format!("{own}/lock"), outside.join("new")),
    ] {
        repo.write("logos/logos.config.json", "{}\n");
        let at = repo.path(&link);
        std::fs::create_dir_all(at.parent().expect("a folder")).expect("folders can be made");
        std::os::unix::fs::symlink(&target, &at).expect("a link can be made");
        let out = repo.spec(["change", "boat-price"]).exits(1);
        assert!(out.stderr.contains("is a link"), "{link}: {}", out.stderr);
        for file in ["saved/own.txt", "lock", "journal.new"] {
            assert_eq!(
                std::fs::read_to_string(outside.join(file)).ok().as_deref(),
                Some("mine"),
                "{link}"
            );
        }
        assert_eq!(outside.read_dir().expect("a folder").count(), 3, "{link}");
        repo.remove("logos");
    }
}
