//! The forms of the command, where policy comes from, what it prints, and repositories of other kinds.

use crate::common::{Repo, Tolls};
use crate::{NONE, car_price, check, codes, last, replaced};

const EDITED: &str = "document_edited logos/resources/test/core-01-test-cases.md";

fn edited() -> Tolls {
    let tolls = Tolls::new();
    tolls.write(Tolls::DOCUMENT, replaced("| 5 |", "| 6 |"));
    tolls.commit("Edit");
    tolls
}

#[test]
fn arguments_that_name_nothing_are_refused() {
    let tolls = Tolls::new();
    for args in [
        &["HEAD"][..],
        &["-x..HEAD"],
        &["--rule", "document_edited"],
        &["--rule", "nonsense=off"],
        &["--rule", "documents=maybe"],
        &["--ci", "HEAD~1..HEAD"],
        &["--staged", "--tree"],
        &["--ci"],
    ] {
        let out = check(&tolls, args).exits(1);
        assert!(out.stdout.is_empty(), "{out:?}");
    }
    let out = check(&tolls, &["HEAD"]);
    assert!(out.stderr.contains("CHECK_INPUT_INVALID"), "{out:?}");
    let out = check(&tolls, &["nowhere..HEAD"]).exits(1);
    assert!(out.stderr.contains("CHECK_GIT_FAILED"), "{out:?}");
    let out = check(&Repo::without_git(), &["HEAD~1..HEAD"]).exits(1);
    assert!(out.stderr.contains("NOT_A_REPOSITORY"), "{out:?}");
}

#[test]
fn ranges_are_named_as_git_names_them() {
    let tolls = edited();
    let zeros = format!("{}..HEAD", "0".repeat(40));
    for (range, found, commits) in [
        ("HEAD~1..HEAD", 1, 1),
        ("HEAD~1..", 1, 1),
        ("HEAD..HEAD", 0, 0),
        (&zeros, 1, 2),
    ] {
        let answer = check(&tolls, &[range]).json();
        assert_eq!(answer["data"]["errors"], found, "{range}: {answer}");
        assert_eq!(answer["data"]["commits"], commits, "{range}: {answer}");
    }
    tolls.git(["switch", "-q", "-c", "side", "HEAD~1"]);
    tolls.write("README.md", "x\n");
    tolls.commit("Side");
    assert_eq!(codes(&tolls, &["main...side"]), NONE);
    // Two dots: the trees differ by the edit, but no commit of the range makes it.
    assert_eq!(codes(&tolls, &["main..side"]), NONE);
    assert_eq!(codes(&tolls, &["side..main", "--merge-base"]), [EDITED]);
}

#[test]
fn without_arguments_what_the_upstream_lacks_is_judged() {
    let tolls = edited();
    assert_eq!(check(&tolls, &[]).json()["data"]["mode"], "tree");
    tolls.git(["branch", "-q", "up", "HEAD~1"]);
    tolls.git(["branch", "-q", "--set-upstream-to=up"]);
    assert_eq!(codes(&tolls, &[]), [EDITED]);
    let unborn = Repo::new();
    assert_eq!(codes(&unborn, &[]), NONE);
    assert_eq!(codes(&unborn, &["--staged"]), NONE);
}

#[test]
fn a_job_says_which_range_it_is_about() {
    let tolls = edited();
    let run = |before: &str, format: &str| {
        let mut command = tolls.program();
        command.args(["check", "--ci", "--format", format]);
        let head = tolls.git(["rev-parse", "HEAD"]);
        for (name, value) in [
            ("CI_COMMIT_SHA", head.trim()),
            ("CI_COMMIT_BRANCH", "main"),
            ("CI_DEFAULT_BRANCH", "main"),
            ("CI_PIPELINE_SOURCE", "push"),
            ("CI_COMMIT_BEFORE_SHA", before),
            ("GITLAB_CI", "true"),
            ("CI_COMMIT_TAG", ""),
            ("CI_MERGE_REQUEST_EVENT_TYPE", ""),
        ] {
            command.env(name, value);
        }
        for other in ["GITEA_ACTIONS", "FORGEJO_ACTIONS", "GITHUB_ACTIONS"] {
            command.env(other, "");
        }
        crate::common::out(&mut command, b"")
    };
    let before = tolls.git(["rev-parse", "HEAD~1"]);
    let answer = run(before.trim(), "json").exits(2).json();
    assert_eq!(
        (&answer["data"]["chosen_by"], &answer["data"]["base"]),
        (&"push".into(), &before.trim().into())
    );
    let zeros = "0".repeat(40);
    let answer = run(&zeros, "json").exits(2).json();
    assert_eq!(
        (&answer["data"]["chosen_by"], &answer["data"]["commits"]),
        (&"first_push".into(), &2.into())
    );
    let text = run(&zeros, "text").exits(2);
    assert!(text.stderr.starts_with("range: (empty tree).."), "{text:?}");
    let missing = run(&"1".repeat(40), "json").exits(1);
    assert!(missing.stderr.contains("CHECK_GIT_FAILED"), "{missing:?}");
}

#[test]
fn the_index_is_judged_and_nothing_else() {
    let tolls = Tolls::new();
    tolls.write(Tolls::DOCUMENT, replaced("| 5 |", "| 6 |"));
    assert_eq!(codes(&tolls, &["--staged"]), NONE);
    tolls.git(["add", "-A"]);
    tolls.write(Tolls::DOCUMENT, Tolls::CONTENT);
    let before = tolls.snapshot();
    assert_eq!(codes(&tolls, &["--staged"]), [EDITED]);
    assert_eq!(tolls.snapshot(), before);
    let tolls = car_price();
    tolls.spec(["merge", "car-price", "--no-commit"]).exits(0);
    tolls.git(["add", "-A"]);
    assert_eq!(codes(&tolls, &["--staged"]), NONE);
}

#[test]
fn a_merge_in_the_index_is_judged_as_a_merge() {
    let tolls = car_price();
    tolls.git(["switch", "-q", "-c", "side", "HEAD~1"]);
    tolls.write("README.md", "x\n");
    tolls.commit("Side");
    tolls.git(["switch", "-q", "main"]);
    tolls.spec(["merge", "car-price"]).exits(0);
    tolls.git(["switch", "-q", "side"]);
    tolls.git(["merge", "-q", "--no-commit", "--no-ff", "main"]);
    assert_eq!(codes(&tolls, &["--staged"]), NONE);
    tolls.write(Tolls::DOCUMENT, Tolls::CONTENT);
    tolls.git(["add", "-A"]);
    assert_eq!(codes(&tolls, &["--staged"]), [EDITED]);
}

#[test]
fn policy_comes_from_command_git_and_the_project_as_it_was() {
    let tolls = Tolls::new();
    let file = "logos/git-spec.config";
    tolls.write(file, "[spec \"rule\"]\n\tdocument-edited = off\n");
    tolls.write(Tolls::DOCUMENT, replaced("| 5 |", "| 6 |"));
    tolls.commit("Turn it off and edit");
    assert_eq!(last(&tolls), [EDITED]);
    tolls.write(Tolls::DOCUMENT, replaced("| 5 |", "| 7 |"));
    tolls.commit("Edit again");
    assert_eq!(last(&tolls), NONE);
    tolls.git(["config", "spec.rule.document-edited", "warn"]);
    assert_eq!(
        check(&tolls, &["HEAD~1..HEAD"]).exits(0).json()["data"]["warnings"],
        1
    );
    check(&tolls, &["HEAD~1..HEAD", "--strict"]).exits(2);
    assert_eq!(
        check(&tolls, &["HEAD~1..HEAD", "--rule", "documents=error"])
            .exits(2)
            .json()["data"]["errors"],
        1
    );
    tolls.git(["config", "spec.rule.document-edited", "perhaps"]);
    let out = tolls.spec(["check", "HEAD~1..HEAD"]).exits(0);
    assert!(
        out.stderr.contains("spec.rule.document-edited") && out.stderr.contains("perhaps"),
        "{out:?}"
    );
}

#[test]
fn documents_may_be_named_by_the_project() {
    let tolls = Tolls::new();
    tolls.write("logos/git-spec.config", "[spec]\n\tdocuments = spec/**\n");
    tolls.write("spec/a.md", "# A\n");
    tolls.commit("Documents elsewhere");
    tolls.write("spec/a.md", "# B\n");
    tolls.write(Tolls::DOCUMENT, replaced("| 5 |", "| 6 |"));
    tolls.commit("Edit");
    assert_eq!(last(&tolls), ["document_edited spec/a.md"]);
}

#[test]
fn every_project_of_a_repository_is_judged() {
    let tolls = Repo::new();
    for project in ["apps/a", "apps/b"] {
        for (path, content) in [
            (
                "logos/logos.config.json",
                "{\"name\":\"x\",\"locale\":\"en\"}\n".to_owned(),
            ),
            (
                "logos/logos-project.yaml",
                "modules:\n  - id: core\n    name: C\n    lifecycle: launched\n".to_owned(),
            ),
            (Tolls::DOCUMENT, Tolls::CONTENT.to_owned()),
        ] {
            tolls.write(&format!("{project}/{path}"), content);
        }
    }
    tolls.commit("Two projects");
    for project in ["apps/a", "apps/b"] {
        tolls.write(
            &format!("{project}/{}", Tolls::DOCUMENT),
            replaced("| 5 |", "| 6 |"),
        );
    }
    tolls.commit("Edit both");
    let at = |project: &str| format!("document_edited {project}/{}", Tolls::DOCUMENT);
    assert_eq!(last(&tolls), [at("apps/a"), at("apps/b")]);
    let answer = check(&tolls, &["HEAD~1..HEAD"]).json();
    assert_eq!(
        answer["data"]["projects"],
        serde_json::json!(["apps/a", "apps/b"])
    );
    assert_eq!(
        codes(&tolls, &["HEAD~1..HEAD", "--project", "apps/b"]),
        [at("apps/b")]
    );
    for args in [&["HEAD~1..HEAD"][..], &["--staged"], &["--tree"]] {
        let mut all = vec!["check", "--format", "json", "--project", "apps/c"];
        all.extend(args);
        let refused = tolls.spec(all).exits(1);
        assert!(refused.stderr.contains("\"CHECK_INPUT_INVALID\""), "{refused:?}");
    }
    // Two folders deep is deeper than one.
    tolls.git(["config", "spec.projectDepth", "1"]);
    assert_eq!(last(&tolls), [""; 0]);
    tolls.git(["config", "spec.projectDepth", "deep"]);
    let refused = tolls.spec(["check", "HEAD~1..HEAD"]).exits(1);
    assert!(
        refused
            .stderr
            .contains("`spec.projectDepth`: `deep` is not a number"),
        "{refused:?}"
    );
}

#[test]
fn a_bare_repository_gives_the_same_answer() {
    let tolls = edited();
    tolls.git(["clone", "-q", "--bare", ".", "../bare.git"]);
    let mut command = tolls.program();
    let bare = tolls.root().with_file_name("bare.git");
    command
        .current_dir(bare)
        .args(["check", "--format", "json", "HEAD~1..HEAD"]);
    let out = crate::common::out(&mut command, b"").exits(2);
    assert_eq!(out.json(), check(&tolls, &["HEAD~1..HEAD"]).json());
}

#[test]
fn sha256_is_no_other_thing() {
    let repo = Repo::without_git();
    repo.git(["init", "-q", "-b", "main", "--object-format=sha256"]);
    repo.write("logos/logos.config.json", "{\"name\":\"x\",\"locale\":\"en\"}\n");
    repo.write(
        "logos/logos-project.yaml",
        "modules:\n  - id: core\n    name: C\n    lifecycle: launched\n",
    );
    repo.write(Tolls::DOCUMENT, Tolls::CONTENT);
    repo.commit("Lay down");
    repo.write(Tolls::DOCUMENT, replaced("| 5 |", "| 6 |"));
    repo.commit("Edit");
    assert_eq!(last(&repo), [EDITED]);
    assert_eq!(codes(&repo, &[&format!("{}..HEAD", "0".repeat(64))]), [EDITED]);
}

#[test]
fn a_history_that_was_cut_off_is_never_clean() {
    let tolls = edited();
    tolls.write("README.md", "x\n");
    tolls.commit("More");
    let from = format!("file://{}", tolls.root().display());
    tolls.git(["clone", "-q", "--depth", "1", &from, "../shallow"]);
    let mut command = tolls.program();
    command.current_dir(tolls.root().with_file_name("shallow"));
    command.args(["check", "--format", "json", &format!("{}..HEAD", "0".repeat(40))]);
    let out = crate::common::out(&mut command, b"").exits(1);
    assert!(
        out.stderr.contains("CHECK_GIT_FAILED") && out.stderr.contains("unshallow"),
        "{out:?}"
    );
}

#[test]
fn text_names_commit_place_and_cure() {
    let tolls = edited();
    let out = tolls.spec(["check", "HEAD~1..HEAD"]).exits(2);
    let commit = tolls.git(["rev-parse", "--short=12", "HEAD"]);
    let lines: Vec<&str> = out.stdout.lines().collect();
    assert!(lines[0].contains(&commit.trim()[..7]), "{out:?}");
    assert!(
        lines[1].starts_with(&format!("  {}:5: error[document_edited] ", Tolls::DOCUMENT)),
        "{out:?}"
    );
    assert!(lines[2].contains("| UT-S01-01 | car | 6 |"), "{out:?}");
    assert!(out.stdout.contains("git spec merge <slug>"), "{out:?}");
    assert!(
        out.stdout
            .ends_with("FAIL 1 errors, 0 warnings; commits: 1, projects touched: 1\n"),
        "{out:?}"
    );
    let github = tolls
        .spec(["check", "HEAD~1..HEAD", "--format", "github"])
        .exits(2);
    let start = format!("::error file={},line=5,title=document_edited::", Tolls::DOCUMENT);
    assert!(github.stdout.starts_with(&start), "{github:?}");
    let sarif = tolls
        .spec(["check", "HEAD~1..HEAD", "--format", "sarif"])
        .exits(2)
        .json();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "document_edited");
}

#[test]
fn replaced_and_grafted_history_changes_nothing() {
    let tolls = edited();
    let clean = tolls.git(["rev-parse", "HEAD~1^{tree}"]);
    let parent = tolls.git(["rev-parse", "HEAD~1"]);
    let harmless = tolls.git(["commit-tree", clean.trim(), "-p", parent.trim(), "-m", "Nothing"]);
    tolls.git(["replace", "HEAD", harmless.trim()]);
    assert_eq!(last(&tolls), [EDITED]);
    let head = tolls.git(["rev-parse", "HEAD"]);
    tolls.write(".git/info/grafts", format!("{}\n", head.trim()));
    assert_eq!(codes(&tolls, &[&format!("{}..HEAD", parent.trim())]), [EDITED]);
}

#[test]
fn names_that_bite_stay_on_their_line() {
    let tolls = Tolls::new();
    let name = "logos/resources/api/core-\n::error::x\u{1b}[31m.md";
    tolls.write(name, "# a\n");
    tolls.commit("Hostile");
    for format in ["text", "json", "sarif", "github"] {
        let out = tolls.spec(["check", "HEAD~1..HEAD", "--format", format]).exits(2);
        assert!(!out.stdout.contains('\u{1b}'), "{format}: {out:?}");
        let forged = |line: &str| line.starts_with("::error::");
        assert!(!out.stdout.lines().any(forged), "{format}: {out:?}");
    }
}
