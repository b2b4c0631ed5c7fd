//! What goes into the commit of a merge, and what stays out.

use serde_json::Value;

use super::common::Tolls;
use super::{SLUG, index_without, tolls, touched};

const MARKER: &str = "logos/changes/car-price/SPEC_MERGED";

#[test]
fn the_commit_holds_the_documents_and_the_marker_and_tells_its_base() {
    let tolls = tolls();
    let base = tolls.git(["rev-parse", "HEAD"]);
    tolls.spec(["merge", SLUG]).exits(0);
    assert_eq!(
        touched(&tolls),
        [format!("A {MARKER}"), format!("M {}", Tolls::DOCUMENT)]
    );
    let message = tolls.git(["log", "-1", "--format=%B"]);
    assert_eq!(
        message.trim_end(),
        format!(
            "docs(car-price): merge spec deltas\n\nSpec-Change: car-price\nSpec-Base: {}",
            base.trim()
        )
    );
    let trailers = tolls.git(["log", "-1", "--format=%(trailers:only,unfold)"]);
    assert_eq!(
        trailers.trim(),
        format!("Spec-Change: car-price\nSpec-Base: {}", base.trim())
    );
    let marker: Value = serde_json::from_str(&tolls.git(["show", &format!("HEAD:{MARKER}")])).expect("JSON");
    assert_eq!(
        marker,
        serde_json::json!({
            "type": "spec_merged",
            "completed_at": "2026-01-02T03:04:05.000Z",
            "base": base.trim(),
            "documents": [Tolls::DOCUMENT],
        })
    );
    assert_eq!(tolls.git(["status", "--porcelain"]), "");
    tolls.fsck();
}

#[test]
fn a_second_merge_says_so_and_does_nothing() {
    let tolls = tolls();
    tolls.spec(["merge", SLUG]).exits(0);
    let before = tolls.snapshot();
    let out = tolls.spec(["merge", SLUG]).exits(0);
    assert!(out.stdout.contains("merged already"), "{}", out.stdout);
    assert_eq!(out.stderr, "");
    assert_eq!(tolls.snapshot(), before);
}

#[test]
fn a_task_list_that_is_put_back_is_part_of_the_commit() {
    let tolls = tolls();
    let tasks = "# Tasks\r\n\r\n## [delta] Spec\r\n- [x] deltas/test/core-01-test-cases.md\r\n\r\n## [code] Code\r\n- [x] change it\r\n";
    tolls.write("logos/changes/car-price/tasks.md", tasks);
    tolls.commit("Real tasks");
    tolls.spec(["merge", SLUG]).exits(0);
    let reset = "M logos/changes/car-price/tasks.md";
    let log = "A logos/changes/car-price/CODE_AUTORESET";
    let document = format!("M {}", Tolls::DOCUMENT);
    assert_eq!(touched(&tolls), [log, &format!("A {MARKER}"), reset, &document]);
    let reset = tolls.read("logos/changes/car-price/tasks.md");
    assert!(
        reset.ends_with("## [code] Code\r\n\r\n- [ ] Implement code changes"),
        "{reset:?}"
    );
}

#[test]
fn unrelated_work_is_untouched() {
    for command in [&["merge", SLUG][..], &["archive", SLUG, "--force"]] {
        let tolls = tolls();
        tolls
            .write("staged.txt", "old\n")
            .write("half.txt", "1\n2\n3\n4\n5\n6\n7\n");
        tolls
            .write("unstaged.txt", "old\n")
            .write("gone.txt", "old\n")
            .write("renamed.txt", "a long enough text\n");
        tolls.commit("Other files");
        tolls.write("stashed.txt", "stashed\n");
        tolls.git(["stash", "-q", "-u"]);
        tolls
            .write("staged.txt", "new\n")
            .write("new.txt", "new\n")
            .write("half.txt", "one\n2\n3\n4\n5\n6\n7\n");
        tolls.git(["add", "staged.txt", "new.txt", "half.txt"]);
        tolls.git(["mv", "renamed.txt", "moved.txt"]);
        tolls.git(["rm", "-q", "gone.txt"]);
        tolls
            .write("half.txt", "one\n2\n3\n4\n5\n6\nseven\n")
            .write("unstaged.txt", "new\n");
        tolls
            .write("untracked.txt", "untracked\n")
            .write("announced.txt", "text\n");
        tolls.git(["add", "-N", "announced.txt"]);
        let state = || {
            let porcelain = tolls.git(["status", "--porcelain=v2", "--untracked-files=all"]);
            let index = index_without(&tolls, &[]);
            let index: Vec<String> = index.into_iter().filter(|l| !l.contains("\tlogos/")).collect();
            let names = [
                "staged.txt",
                "half.txt",
                "unstaged.txt",
                "moved.txt",
                "untracked.txt",
                "announced.txt",
                "new.txt",
            ];
            let files: Vec<String> = names.iter().map(|n| tolls.read(n)).collect();
            (
                porcelain,
                index,
                files,
                tolls.git(["stash", "list"]),
                tolls.git(["rev-parse", "stash@{0}"]),
            )
        };
        let before = state();
        tolls.spec(command).exits(0);
        assert_eq!(state(), before, "{command:?}");
        assert!(
            touched(&tolls).iter().all(|l| l.contains(" logos/")),
            "{:?}",
            touched(&tolls)
        );
        assert!(!tolls.exists("gone.txt"));
        tolls.fsck();
    }
}

#[test]
fn a_dirty_document_is_refused_and_may_be_merged_without_a_commit() {
    type Dirt = fn(&Tolls);
    let dirty = format!("{}\n## Own work\nWords.\n", Tolls::CONTENT);
    let kinds: [(&str, Dirt); 3] = [
        ("in the work tree", |t| {
            t.write(
                Tolls::DOCUMENT,
                format!("{}\n## Own work\nWords.\n", Tolls::CONTENT),
            );
        }),
        ("in the index", |t| {
            t.write(
                Tolls::DOCUMENT,
                format!("{}\n## Own work\nWords.\n", Tolls::CONTENT),
            );
            t.git(["add", "-A"]);
        }),
        ("in the index only", |t| {
            t.write(
                Tolls::DOCUMENT,
                format!("{}\n## Own work\nWords.\n", Tolls::CONTENT),
            );
            t.git(["add", "-A"]);
            t.write(Tolls::DOCUMENT, Tolls::CONTENT);
        }),
    ];
    for (kind, dirt) in kinds {
        let tolls = tolls();
        dirt(&tolls);
        let before = tolls.snapshot();
        for more in [&[][..], &["--dry-run"]] {
            let out = tolls.spec(["merge", SLUG].iter().chain(more)).exits(1);
            let line = format!("conflict: dirty_document {}", Tolls::DOCUMENT);
            assert!(out.stderr.lines().any(|l| l == line), "{kind}: {}", out.stderr);
            assert!(out.stderr.contains("--no-commit"), "{kind}: {}", out.stderr);
            assert_eq!(tolls.snapshot(), before, "{kind}");
        }
        let (head, index) = (tolls.git(["rev-parse", "HEAD"]), tolls.git(["ls-files", "-s"]));
        let was = tolls.read(Tolls::DOCUMENT);
        tolls.spec(["merge", SLUG, "--no-commit"]).exits(0);
        let merged = tolls.read(Tolls::DOCUMENT);
        assert!(merged.contains("| car | 6 |"), "{kind}: {merged}");
        assert_eq!(merged.contains("## Own work"), was == dirty, "{kind}");
        assert_eq!(tolls.git(["rev-parse", "HEAD"]), head, "{kind}");
        assert_eq!(tolls.git(["ls-files", "-s"]), index, "{kind}");
    }
}

#[test]
fn an_untracked_target_is_dirty_too() {
    let tolls = Tolls::new();
    tolls.change("new", &[("scenario/core-09.md", "## ADDED — New\nWords.\n")]);
    tolls.write("logos/resources/scenario/core-09.md", "# Mine\n");
    let before = tolls.snapshot();
    let out = tolls.spec(["merge", "new"]).exits(1);
    assert!(out.stderr.contains("conflict: dirty_document"), "{}", out.stderr);
    assert_eq!(tolls.snapshot(), before);
}

#[test]
fn a_dry_run_shows_the_diff_and_writes_nothing() {
    let tolls = tolls();
    let before = tolls.snapshot();
    let out = tolls.spec(["merge", SLUG, "--dry-run"]).exits(0);
    assert_eq!(tolls.snapshot(), before);
    assert!(!tolls.exists(".git/spec"));
    assert_eq!(out.stderr, "");
    // What it shows is a diff that git applies.
    tolls.write("shown.diff", &out.stdout);
    tolls.git(["apply", "shown.diff"]);
    let applied = tolls.read(Tolls::DOCUMENT);
    tolls.git(["checkout", "-q", "--", "."]);
    tolls.spec(["merge", SLUG]).exits(0);
    assert_eq!(tolls.read(Tolls::DOCUMENT), applied);
    let out = tolls.spec(["archive", SLUG, "--dry-run"]).exits(0);
    assert!(out.stdout.contains("20260102-0304-car-price"), "{}", out.stdout);
    assert!(tolls.exists("logos/changes/car-price"));
}

#[test]
fn a_named_base_decides_what_was_changed() {
    let tolls = tolls();
    tolls.write(Tolls::DOCUMENT, Tolls::CONTENT.replace("| 5 |", "| 8 |"));
    tolls.commit("Raise the price by hand");
    tolls.spec(["merge", SLUG]).exits(1);
    // Against what the document is now, the delta is a change of 8 to 6.
    tolls.spec(["merge", SLUG, "--base", "HEAD"]).exits(0);
    assert!(tolls.read(Tolls::DOCUMENT).contains("| car | 6 |"));
    let base = tolls.git(["rev-parse", "HEAD~1"]);
    let trailer = tolls.git(["log", "-1", "--format=%(trailers:key=Spec-Base,valueonly)"]);
    assert_eq!(trailer.trim(), base.trim());
}

#[test]
fn a_merge_of_git_in_progress_is_told_and_left_alone() {
    for command in [&["merge", SLUG][..], &["archive", SLUG, "--force"]] {
        let tolls = tolls();
        tolls.git(["checkout", "-q", "-b", "side"]);
        tolls.write("other.txt", "side\n");
        tolls.commit("Side");
        tolls.git(["checkout", "-q", "main"]);
        tolls.write("third.txt", "main\n");
        tolls.commit("Main");
        tolls.git(["merge", "-q", "--no-commit", "--no-ff", "side"]);
        let head = tolls.read(".git/MERGE_HEAD");
        let before = tolls.snapshot();
        let out = tolls.spec(command).exits(1);
        assert!(out.stderr.contains("merge"), "{}", out.stderr);
        assert_eq!(tolls.snapshot(), before, "{command:?}");
        assert_eq!(tolls.read(".git/MERGE_HEAD"), head);
        assert!(!tolls.exists(".git/spec"));
        tolls.git(["commit", "-q", "--no-edit"]);
        tolls.spec(command).exits(0);
        tolls.fsck();
    }
}

#[test]
fn a_change_without_deltas_is_marked_and_committed() {
    let tolls = Tolls::new();
    tolls.change("pure", &[]);
    tolls.spec(["merge", "pure"]).exits(0);
    assert_eq!(touched(&tolls), ["A logos/changes/pure/SPEC_MERGED"]);
    assert_eq!(
        tolls.read("logos/changes/pure/SPEC_MERGED"),
        "{\n  \"type\": \"no_delta_spec_complete\",\n  \"reason\": \"pure-code proposal has no spec delta\",\n  \"completed_at\": \"2026-01-02T03:04:05.000Z\"\n}\n"
    );
}
