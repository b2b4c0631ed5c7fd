//! Indexes, files and folders that are not as they usually are.

use std::os::unix::fs::PermissionsExt as _;

use super::common::Tolls;
use super::{SLUG, hook, tolls, touched};

const FOLDER: &str = "logos/changes/car-price";
const ARCHIVED: &str = "logos/changes/archive/20260102-0304-car-price";

#[test]
fn a_refusal_is_undone_in_every_kind_of_index() {
    let kinds: [(&str, &[&str]); 4] = [
        (
            "sparse",
            &["sparse-checkout", "set", "--cone", "--sparse-index", "logos"],
        ),
        ("split", &["update-index", "--split-index"]),
        ("version 4", &["update-index", "--index-version", "4"]),
        (
            "with untracked cache",
            &["update-index", "--force-untracked-cache"],
        ),
    ];
    for (kind, make) in kinds {
        let tolls = tolls();
        tolls
            .write("src/a/x.c", "int x;\n")
            .write("src/b/y.c", "int y;\n");
        tolls.commit("Code");
        tolls.git(make);
        tolls.git(["config", "advice.sparseIndexExpanded", "false"]);
        hook(&tolls, ".git/hooks/pre-commit", "exit 1");
        let before = tolls.snapshot();
        for command in [&["merge", SLUG][..], &["archive", SLUG, "--force"]] {
            tolls.spec(command).exits(1);
            assert_eq!(tolls.snapshot(), before, "{kind} {command:?}");
        }
        tolls.remove(".git/hooks/pre-commit");
        tolls.spec(["merge", SLUG]).exits(0);
        tolls.spec(["archive", SLUG]).exits(0);
        assert_eq!(tolls.git(["status", "--porcelain"]), "", "{kind}");
        tolls.fsck();
    }
}

#[test]
fn a_file_that_git_was_told_not_to_look_at_is_archived_too() {
    let tolls = tolls();
    tolls.git([
        "update-index",
        "--assume-unchanged",
        &format!("{FOLDER}/tasks.md"),
    ]);
    tolls.spec(["archive", SLUG, "--force"]).exits(0);
    let tracked = tolls.git(["ls-tree", "-r", "--name-only", "HEAD"]);
    assert!(!tracked.contains(&format!("{FOLDER}/")), "{tracked}");
    assert!(tracked.contains(&format!("{ARCHIVED}/tasks.md")), "{tracked}");
    assert_eq!(tolls.git(["status", "--porcelain"]), "");
}

#[test]
fn a_folder_that_is_not_checked_out_as_a_whole_stays() {
    let tasks = format!("{FOLDER}/tasks.md");
    let skips: [&[&str]; 2] = [
        &["update-index", "--skip-worktree", &tasks],
        &["sparse-checkout", "set", "--no-cone", "/*", &format!("!/{tasks}")],
    ];
    for skip in skips {
        let tolls = tolls();
        tolls.git(skip);
        let before = tolls.snapshot();
        let out = tolls.spec(["archive", SLUG, "--force"]).exits(1);
        assert!(
            out.stderr
                .contains(&format!("`{FOLDER}/tasks.md` is not checked out")),
            "{}",
            out.stderr
        );
        assert_eq!(tolls.snapshot(), before);
    }
}

#[test]
fn an_entry_that_someone_else_announced_stays_announced_after_a_refusal() {
    let tolls = tolls();
    tolls.write(&format!("{FOLDER}/note.md"), "Words.\n");
    tolls.git(["add", "-N", &format!("{FOLDER}/note.md")]);
    hook(&tolls, ".git/hooks/pre-commit", "exit 1");
    let before = tolls.snapshot();
    tolls.spec(["archive", SLUG, "--force"]).exits(1);
    assert_eq!(tolls.snapshot(), before);
    tolls.remove(".git/hooks/pre-commit");
    tolls.spec(["archive", SLUG, "--force"]).exits(0);
    assert_eq!(tolls.git(["status", "--porcelain"]), "");
    assert!(touched(&tolls).contains(&format!("A {ARCHIVED}/note.md")));
}

#[test]
fn an_executable_document_stays_executable() {
    let tolls = Tolls::new();
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(tolls.path(Tolls::DOCUMENT), mode).expect("it is ours");
    tolls.commit("An odd mode");
    tolls.change(SLUG, &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    tolls.spec(["merge", SLUG]).exits(0);
    assert!(
        tolls
            .git(["ls-files", "-s", Tolls::DOCUMENT])
            .starts_with("100755 ")
    );
    assert_eq!(tolls.git(["status", "--porcelain"]), "");
}

#[test]
fn a_new_whole_file_has_the_mode_of_its_delta() {
    let tolls = Tolls::new();
    tolls.change("run", &[("skills/run.sh", "#!/bin/sh\n")]);
    let delta = "logos/changes/run/deltas/skills/run.sh";
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(tolls.path(delta), mode).expect("it is ours");
    tolls.commit("A script");
    tolls.spec(["merge", "run"]).exits(0);
    let listed = tolls.git(["ls-files", "-s", "skills/run.sh"]);
    assert!(listed.starts_with("100755 "), "{listed}");
    assert_eq!(tolls.git(["status", "--porcelain"]), "");
}

#[test]
fn a_document_that_is_a_link_is_not_written_through() {
    for target in ["../../../../outside.md", "core-02-test-cases.md"] {
        let tolls = Tolls::new();
        let outside = tolls.root().with_file_name("outside.md");
        std::fs::write(&outside, Tolls::CONTENT).expect("a new file");
        tolls.write("logos/resources/test/core-02-test-cases.md", Tolls::CONTENT);
        tolls.remove(Tolls::DOCUMENT);
        std::os::unix::fs::symlink(target, tolls.path(Tolls::DOCUMENT)).expect("a new link");
        tolls.commit("A link");
        tolls.change(SLUG, &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
        let before = tolls.snapshot();
        let out = tolls.spec(["merge", SLUG]).exits(1);
        assert!(out.stderr.contains(Tolls::DOCUMENT), "{target}: {}", out.stderr);
        assert_eq!(tolls.snapshot(), before, "{target}");
        assert_eq!(
            std::fs::read_to_string(&outside).expect("it is there"),
            Tolls::CONTENT
        );
        assert!(!tolls.exists(".git/spec"));
    }
}

#[test]
fn a_folder_that_leads_out_of_the_project_is_not_written_into() {
    let tolls = Tolls::new();
    let outside = tolls.root().with_file_name("outside");
    std::fs::create_dir(&outside).expect("a new folder");
    std::os::unix::fs::symlink(&outside, tolls.path("logos/resources/scenario")).expect("a new link");
    tolls.commit("A link");
    tolls.change("new", &[("scenario/core-09.md", "## ADDED — New\nWords.\n")]);
    let before = tolls.snapshot();
    tolls.spec(["merge", "new"]).exits(1);
    assert_eq!(tolls.snapshot(), before);
    assert!(outside.read_dir().expect("a folder").next().is_none());
}

#[test]
fn a_document_that_is_ignored_is_written_and_told() {
    let tolls = Tolls::new();
    tolls.write(".gitignore", "/logos/resources/api/\n");
    tolls.commit("Ignore what is generated");
    tolls.change("api", &[("api/core.json", "{}\n")]);
    let out = tolls.spec(["merge", "api"]).exits(0);
    assert!(
        out.stderr.contains("`logos/resources/api/core.json` is ignored"),
        "{}",
        out.stderr
    );
    assert_eq!(tolls.read("logos/resources/api/core.json"), "{}\n");
    assert_eq!(touched(&tolls), ["A logos/changes/api/SPEC_MERGED"]);
}

#[test]
fn bytes_that_are_no_text_survive_in_documents_and_whole_files() {
    let tolls = Tolls::new();
    let mut bytes = Tolls::CONTENT.as_bytes().to_vec();
    bytes.extend(b"\n## Legacy\nprice in \xa3, \x00 and \xff\xfe\n");
    tolls.write(Tolls::DOCUMENT, &bytes);
    tolls.write("logos/resources/api/logo.bin", [0_u8, 255, 1, 254]);
    tolls.commit("Old bytes");
    tolls.change(SLUG, &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    tolls.write(&format!("{FOLDER}/deltas/api/logo.bin"), [0_u8, 255, 2, 253]);
    tolls.commit("A picture");
    tolls.spec(["merge", SLUG]).exits(0);
    let merged = std::fs::read(tolls.path(Tolls::DOCUMENT)).expect("it is there");
    assert!(merged.ends_with(b"\n## Legacy\nprice in \xa3, \x00 and \xff\xfe\n"));
    let picture = std::fs::read(tolls.path("logos/resources/api/logo.bin")).expect("it is there");
    assert_eq!(picture, [0, 255, 2, 253]);
}

#[test]
fn own_edits_of_a_document_do_not_get_into_a_rebased_delta() {
    let tolls = tolls();
    tolls.write(Tolls::DOCUMENT, Tolls::CONTENT.replace("| 12 |", "| 13 |"));
    tolls.commit("Another row");
    tolls.write(Tolls::DOCUMENT, Tolls::CONTENT.replace("| 12 |", "| 99 |"));
    tolls.spec(["rebase", SLUG]).exits(0);
    let delta = tolls.read(&format!("{FOLDER}/deltas/{}", Tolls::DELTA));
    assert!(
        delta.contains("| lorry | 13 |") && !delta.contains("99"),
        "{delta}"
    );
    assert!(tolls.read(Tolls::DOCUMENT).contains("| 99 |"));
    assert_eq!(
        tolls.git(["status", "--porcelain"]),
        format!(" M {}\n", Tolls::DOCUMENT)
    );
}
