//! U03, U04: lint and merge never disagree, whatever they read from.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::common::{Out, Tolls, out};
use super::{codes, conflicts, lint};

/// A delta that is wrong in one way: its path, its content, the code of the contract.
const ROWS: [(&str, &str, &str); 9] = [
    (
        "test/core-01-test-cases.md",
        "## MODIFIED — Unit cases\n| ID | Title | Expected |\n|----|----|----|\n| UT-S01-01 | car | 5 |\n| UT-S01-02 | lorry | 12 |\n",
        "delta_implicit_id_removal",
    ),
    (
        "test/core-01-test-cases.md",
        "## MODIFIED — Unit cases\n| ID | Title | Expected |\n|----|----|----|\n| UT-S01-01 | car | 5 |\n| UT-S01-02 | lorry | 12 |\n| UT-S01-03 | bicycle | 0 |\n\n## REMOVED-ITEMS — Unit cases\n- UT-S01-09 — never was\n",
        "delta_removed_unknown_id",
    ),
    (
        "test/core-01-test-cases.md",
        "## ADDED — Other cases\nWords.\n\n## REMOVED-ITEMS — Unit cases\n- UT-S01-03 — free of charge\n",
        "delta_implicit_id_removal",
    ),
    (
        "test/core-01-test-cases.md",
        "## MODIFIED — Unit case\n| ID | Title | Expected |\n|----|----|----|\n| UT-S01-01 | car | 5 |\n",
        "delta_section_anchor_unresolvable",
    ),
    (
        "test/core-01-test-cases.md",
        "## REMOVED — Twice\ngone\n",
        "delta_section_anchor_unresolvable",
    ),
    (
        "tests/core-01-test-cases.md",
        "## ADDED — X\nWords.\n",
        "delta_path_invalid",
    ),
    ("stray.md", "## ADDED — X\nWords.\n", "delta_path_invalid"),
    (
        "test/core-01-test-cases.md",
        "Words without a marker.\n",
        "delta_missing_section_marker",
    ),
    (
        "test/core-01-test-cases.md",
        "## ADDED — [新增内容标题]\n[新增的完整内容]\n",
        "delta_template_skeleton",
    ),
];

fn tolls_with(path: &str, delta: &str) -> Tolls {
    let tolls = Tolls::new();
    let twice = "## Twice\nA.\n\n## Twice\nB.\n";
    tolls.write(Tolls::DOCUMENT, format!("{}{twice}", Tolls::CONTENT));
    tolls.commit("Two sections of one title");
    let evidence = Tolls::prices("5", "12", "0");
    // A sound delta beside the wrong one, so that nothing else is to be said.
    tolls.write("logos/resources/test/core-02-test-cases.md", Tolls::CONTENT);
    tolls.commit("A second document");
    tolls.change(
        "wrong",
        &[("test/core-02-test-cases.md", &evidence), (path, delta)],
    );
    tolls
}

fn first_code(out: &Out) -> String {
    if let Some((code, _)) = conflicts(out).into_iter().next() {
        return code;
    }
    let rest = out
        .stderr
        .strip_prefix("Error [")
        .unwrap_or_else(|| panic!("{out:?}"));
    rest.split(']').next().expect("a code in brackets").to_owned()
}

#[test]
fn u03_lint_and_merge_give_the_same_first_code_and_merge_writes_nothing() {
    for (path, delta, code) in ROWS {
        let tolls = tolls_with(path, delta);
        let before = tolls.snapshot();
        let verdict = lint(&tolls, "wrong", &[]);
        assert_eq!(verdict["pass"], false, "{code}");
        assert_eq!(verdict["violations"][0]["code"], code, "{verdict:#}");
        for more in [&["--staged"][..], &["--at", "HEAD"]] {
            assert_eq!(lint(&tolls, "wrong", more), verdict, "{code} {more:?}");
        }
        for more in [&[][..], &["--dry-run"], &["--no-commit"], &["--prompt"]] {
            let out = tolls.spec(["merge", "wrong"].iter().chain(more)).exits(1);
            assert_eq!(first_code(&out), code, "{more:?}: {}", out.stderr);
            assert_eq!(out.stdout, "");
        }
        assert_eq!(tolls.snapshot(), before, "{code}");
    }
}

/// The program without root's right to read everything; itself for anyone else. None where that right cannot be given up.
fn as_anyone(tolls: &Tolls, args: &[&str], unreadable: &Path) -> Option<Out> {
    if std::fs::read(unreadable).is_err() {
        return Some(tolls.spec(args));
    }
    let mut command = tolls.command("setpriv");
    command
        .args(["--bounding-set", "-dac_override,-dac_read_search", "--"])
        .arg(env!("CARGO_BIN_EXE_git-spec"))
        .args(args);
    command
        .output()
        .ok()
        .filter(|o| !o.stderr.starts_with(b"setpriv"))?;
    Some(out(&mut command, b""))
}

#[test]
fn u03_an_unreadable_delta_is_an_operation_error_of_both() {
    let tolls = Tolls::new();
    tolls.change("wrong", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    let delta = tolls.path("logos/changes/wrong/deltas/test/core-01-test-cases.md");
    std::fs::set_permissions(&delta, Permissions::from_mode(0o000)).expect("it is ours");
    let asked: [(&[&str], &str); 3] = [
        (
            &["change-lint", "--slug", "wrong", "--format", "json"],
            "\"code\":\"artifact_unreadable\"",
        ),
        (&["merge", "wrong"], "Error [artifact_unreadable]"),
        (&["merge", "wrong", "--dry-run"], "Error [artifact_unreadable]"),
    ];
    for (args, code) in asked {
        let Some(told) = as_anyone(&tolls, args, &delta) else {
            continue;
        };
        let told = told.exits(1);
        assert_eq!(told.stdout, "");
        assert!(told.stderr.contains(code), "{}", told.stderr);
        assert!(
            told.stderr.contains("deltas/test/core-01-test-cases.md"),
            "{}",
            told.stderr
        );
        assert_eq!(told.stderr.matches('\n').count(), 1, "{}", told.stderr);
        assert!(!tolls.exists("logos/changes/wrong/SPEC_MERGED"));
    }
    std::fs::set_permissions(&delta, Permissions::from_mode(0o644)).expect("it is ours");
    tolls.spec(["merge", "wrong"]).exits(0);
}

#[test]
fn u03_a_link_that_leads_out_of_the_change_is_refused_by_both() {
    let tolls = Tolls::new();
    tolls.write("secret.md", Tolls::prices("9", "9", "9"));
    tolls.change("wrong", &[]);
    let folder = tolls.path("logos/changes/wrong/deltas/test");
    std::fs::create_dir_all(&folder).expect("a new folder");
    std::os::unix::fs::symlink("../../../../../secret.md", folder.join("core-01-test-cases.md"))
        .expect("a new link");
    tolls.commit("A link");
    let verdict = lint(&tolls, "wrong", &[]);
    assert!(
        codes(&verdict, "violations").contains(&"delta_path_invalid".to_owned()),
        "{verdict:#}"
    );
    let before = tolls.snapshot();
    let out = tolls.spec(["merge", "wrong"]).exits(1);
    assert_eq!(first_code(&out), "delta_path_invalid");
    assert_eq!(tolls.snapshot(), before);
}

#[test]
fn u04_a_mistyped_title_is_never_taken_for_an_addition() {
    let tolls = Tolls::new();
    let delta = Tolls::prices("6", "12", "0").replace("Unit cases", "Unit case");
    tolls.change("typo", &[(Tolls::DELTA, &delta)]);
    let verdict = lint(&tolls, "typo", &[]);
    assert_eq!(
        codes(&verdict, "violations"),
        ["delta_section_anchor_unresolvable"]
    );
    let hint = verdict["violations"][0]["fix_hint"].as_str().expect("a hint");
    assert!(hint.contains("Unit cases"), "{hint}");
    let before = tolls.snapshot();
    let out = tolls.spec(["merge", "typo"]).exits(1);
    assert_eq!(first_code(&out), "delta_section_anchor_unresolvable");
    assert!(out.stderr.contains("`Unit cases`"), "{}", out.stderr);
    assert_eq!(tolls.snapshot(), before);
}

#[test]
fn what_merge_will_refuse_is_a_warning_of_lint() {
    let tolls = Tolls::new();
    let delta = "## ADDED — More cases\n| ID | Title | Expected |\n|----|-------|----------|\n| UT-S01-02 | bus | 9 |\n";
    tolls.change("bus", &[(Tolls::DELTA, delta)]);
    let verdict = lint(&tolls, "bus", &[]);
    assert_eq!(verdict["pass"], true, "{verdict:#}");
    assert_eq!(codes(&verdict, "warnings"), ["merge_id_taken"]);
    let out = tolls.spec(["merge", "bus"]).exits(1);
    assert_eq!(first_code(&out), "id_taken");
}

#[test]
fn a_tree_with_names_that_no_checkout_makes_is_refused_and_not_walked_into() {
    let tolls = Tolls::new();
    tolls.change("car", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    let head = tolls.git(["rev-parse", "HEAD"]).trim().to_owned();
    let id = |mut command: std::process::Command, input: &[u8]| {
        out(&mut command, input).exits(0).stdout.trim().to_owned()
    };
    for name in ["..", ".", "a/b"] {
        let mut bytes = format!("100644 {name}\0").into_bytes();
        let blob = tolls.git(["rev-parse", &format!("HEAD:{}", Tolls::DOCUMENT)]);
        let digits = blob.trim();
        bytes.extend(
            (0..digits.len())
                .step_by(2)
                .map(|i| u8::from_str_radix(&digits[i..i + 2], 16).expect("hex")),
        );
        let mut git = tolls.command("git");
        git.args(["hash-object", "-t", "tree", "-w", "--literally", "--stdin"]);
        let mut tree = id(git, &bytes);
        // The folder of the test deltas, and those above it.
        for path in [
            "logos/changes/car/deltas/test",
            "logos/changes/car/deltas",
            "logos/changes/car",
            "logos/changes",
            "logos",
        ] {
            let (above, own) = path.rsplit_once('/').unwrap_or(("", path));
            let listed = tolls.git(["ls-tree", &format!("{head}:{above}")]);
            let others = listed.lines().filter(|line| !line.ends_with(&format!("\t{own}")));
            let list = others.fold(String::new(), |list, line| list + line + "\n");
            let mut git = tolls.command("git");
            git.arg("mktree");
            tree = id(git, format!("{list}040000 tree {tree}\t{own}\n").as_bytes());
        }
        let commit = tolls.git(["commit-tree", "-m", "hostile", "-p", &head, &tree]);
        let out = tolls
            .spec([
                "change-lint",
                "--slug",
                "car",
                "--at",
                commit.trim(),
                "--format",
                "json",
            ])
            .exits(1);
        assert!(
            out.stderr.contains("artifact_unreadable") && out.stderr.contains(name),
            "{name}: {}",
            out.stderr
        );
    }
}

#[test]
fn a_change_that_leads_out_of_the_project_is_read_neither_by_name_nor_with_all_others() {
    let tolls = Tolls::new();
    let outside = tolls.root().with_file_name("outside");
    std::fs::create_dir(&outside).expect("a new folder");
    std::fs::write(outside.join("proposal.md"), "> module: core\n").expect("a new file");
    std::fs::create_dir_all(tolls.path("logos/changes")).expect("a folder");
    std::os::unix::fs::symlink(&outside, tolls.path("logos/changes/stray")).expect("a new link");
    for args in [
        &["change-lint", "--slug", "stray"][..],
        &["change-lint", "--all"],
        &["change-lint", "--all", "--fix"],
    ] {
        let out = tolls.spec(args).exits(1);
        assert!(out.stderr.contains("slug_invalid"), "{args:?}: {out:?}");
    }
}
