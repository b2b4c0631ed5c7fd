//! Reports that the config names: globs, links, stale and missing files, stages.

use git_spec::clock::Timestamp;
use git_spec::files::WorkTree;
use git_spec::verify::import::{Entry, Error, Format, KnownCases, Stage, StageImport, clear, import_stage};
use git_spec::voice::Fail as _;

use crate::common::Repo;

const REPORT: &str = "<testsuite><testcase name='UT-1'/></testsuite>";

fn entry(path: &str) -> Entry {
    Entry {
        format: Format::Junit,
        path: path.to_owned(),
        stage: None,
    }
}

/// The rows of an import, or the code of its error.
fn rows(
    repo: &Repo,
    entries: &[Entry],
    stage: Option<Stage>,
    started: Option<Timestamp>,
) -> Result<Option<usize>, String> {
    let imported = import_stage(&StageImport {
        tree: &WorkTree::new(repo.root()),
        entries,
        stage,
        known: &KnownCases::default(),
        started,
        now: Timestamp::from_seconds(0),
    });
    let rows = imported.map(|imported| imported.map(|imported| imported.tests.try_into().expect("few")));
    rows.map_err(|error: Error| error.code().to_owned())
}

fn found(repo: &Repo, glob: &str) -> Result<Option<usize>, String> {
    rows(repo, &[entry(glob)], None, None)
}

fn missing() -> Result<Option<usize>, String> {
    Err("IMPORT_FILE_MISSING".to_owned())
}

#[test]
fn globs_are_of_the_tree() {
    let repo = Repo::without_git();
    for path in [
        "out/a.xml",
        "out/b.xml",
        "out/deep/er/c.xml",
        ".git/x.xml",
        "d.xml",
    ] {
        repo.write(path, REPORT);
    }
    for (glob, files) in [
        ("out/a.xml", 1),
        ("./out/a.xml", 1),
        ("out/*.xml", 2),
        ("out/**/*.xml", 3),
        ("*.xml", 1),
        ("**/*.xml", 4),
        ("out/[ab].xml", 2),
    ] {
        assert_eq!(found(&repo, glob), Ok(Some(files)), "{glob}");
    }
    for glob in ["out", "none.xml", "none/*.xml", "d.xml/*", "out/?"] {
        assert_eq!(found(&repo, glob), missing(), "{glob}");
    }
    for glob in ["/etc/*.xml", "../*.xml", "out/../../x.xml"] {
        assert_eq!(
            found(&repo, glob),
            Err("CONFIG_PATH_INVALID".to_owned()),
            "{glob}"
        );
    }
    assert_eq!(rows(&repo, &[], None, None), Ok(None));
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_the_tree_only() {
    use std::os::unix::fs::symlink;
    let outside = Repo::without_git();
    outside.write("secret.xml", REPORT);
    let repo = Repo::without_git();
    repo.write("real/a.xml", REPORT);
    let link = |to: &std::path::Path, from: &str| symlink(to, repo.path(from)).expect("a link can be made");
    link(outside.root(), "away");
    link(&outside.path("secret.xml"), "secret.xml");
    link(std::path::Path::new("real"), "near");
    link(std::path::Path::new("real/a.xml"), "near.xml");
    link(std::path::Path::new("gone"), "gone.xml");
    for glob in [
        "away/*.xml",
        "away/secret.xml",
        "secret.xml",
        "s*.xml",
        "gone.xml",
    ] {
        assert_eq!(found(&repo, glob), missing(), "{glob}");
    }
    for glob in ["near/*.xml", "near.xml", "*.xml", "**/*.xml"] {
        let files = if glob.starts_with("**") { 2 } else { 1 };
        assert_eq!(found(&repo, glob), Ok(Some(files)), "{glob}");
    }
    clear(
        repo.root(),
        &[entry("**/*.xml"), entry("away/*.xml")],
        Stage::PreRun,
        &|_| false,
    )
    .expect("they can be removed");
    assert_eq!(found(&repo, "**/*.xml"), missing());
    assert!(outside.path("secret.xml").exists());
    assert!(
        repo.path("secret.xml").symlink_metadata().is_ok(),
        "it leads outside, and is no report"
    );
}

#[test]
fn a_report_from_before_the_command_is_stale() {
    let repo = Repo::without_git();
    repo.write("a.xml", REPORT);
    let now = Timestamp::now();
    let entries = [entry("a.xml")];
    let stage = Some(Stage::PreRun);
    assert_eq!(
        rows(&repo, &entries, stage, Some(now)),
        Ok(Some(1)),
        "it is as new as can be measured"
    );
    let later = Timestamp::from_millis(now.millis() + 60_000);
    assert_eq!(
        rows(&repo, &entries, stage, Some(later)),
        Err("IMPORT_STALE".to_owned())
    );
    assert_eq!(
        rows(&repo, &entries, None, None),
        Ok(Some(1)),
        "no command was run"
    );
    clear(repo.root(), &entries, Stage::PreRun, &|_| false).expect("it can be removed");
    assert_eq!(rows(&repo, &entries, stage, Some(now)), missing());
}

#[test]
fn an_entry_belongs_to_its_stage_or_to_all() {
    let repo = Repo::without_git();
    repo.write("a.xml", REPORT);
    repo.write("b.xml", REPORT);
    let of = |path: &str, stage| Entry { stage, ..entry(path) };
    let entries = [of("a.xml", Some(Stage::Regression)), of("b.xml", None)];
    assert_eq!(rows(&repo, &entries, Some(Stage::Regression), None), Ok(Some(2)));
    assert_eq!(rows(&repo, &entries, Some(Stage::Incremental), None), Ok(Some(1)));
    assert_eq!(
        rows(&repo, &entries[..1], Some(Stage::Incremental), None),
        Ok(None)
    );
    clear(repo.root(), &entries, Stage::Incremental, &|_| false).expect("they can be removed");
    assert!(repo.path("a.xml").exists() && !repo.root().join("b.xml").exists());
}
