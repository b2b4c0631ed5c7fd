//! Every form of the three commands: repositories of all kinds, revisions, errors, hostile names.

use serde_json::Value;

use super::common::{Repo, Tolls, out};
use super::{data, json};

const CASES: &str = "logos/resources/test/core-01-test-cases.md";

/// The code and the message of a run that must fail.
#[track_caller]
fn error(repo: &Repo, args: &[&str]) -> (String, String) {
    let out = json(repo, args).exits(1);
    assert_eq!(out.stdout, "");
    let line: Value = serde_json::from_str(&out.stderr).expect("one line of JSON");
    let text = |key: &str| line["error"][key].as_str().expect("text").to_owned();
    (text("code"), text("message"))
}

fn merged() -> Tolls {
    let tolls = Tolls::new();
    tolls.change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    tolls.spec(["merge", "car-price"]).exits(0);
    tolls
}

#[test]
fn show_tells_place_text_and_the_change_that_last_touched_it() {
    let tolls = merged();
    let told = data(&tolls, &["show", "UT-S01-01"]);
    assert_eq!(told["schema_version"], "git-spec-show.v1");
    assert_eq!(told["rev"], tolls.git(["rev-parse", "HEAD"]).trim());
    let found = &told["found"][0];
    assert_eq!((&found["document"], &found["line"]), (&CASES.into(), &6.into()));
    assert_eq!(found["anchor"], "Toll tests > Unit cases");
    assert_eq!(
        (&found["text"], &found["change"]),
        (&"| UT-S01-01 | car | 6 |".into(), &"car-price".into())
    );
    let before = data(&tolls, &["show", "UT-S01-01@HEAD~1"]);
    assert_eq!(before["found"][0]["text"], "| UT-S01-01 | car | 5 |");
    assert_eq!(before["found"][0]["change"], Value::Null);
    tolls.write(
        CASES,
        tolls
            .read(CASES)
            .replace("| 6 |", "| 8 |")
            .replace("| 12 |", "|  12 |"),
    );
    let edited = data(&tolls, &["show", "UT-S01-01", "--worktree"]);
    assert_eq!(edited["rev"], Value::Null);
    assert_eq!(edited["found"][0]["text"], "| UT-S01-01 | car | 8 |");
    assert_eq!(edited["found"][0]["change"], Value::Null);
    let text = tolls.spec(["show", "UT-S01-01"]).exits(0).stdout;
    assert!(
        text.contains(&format!("{CASES}:6")) && text.contains("last touched by change car-price"),
        "{text}"
    );
}

#[test]
fn several_definitions_are_all_shown_by_document() {
    let tolls = Tolls::new();
    tolls.write("logos/resources/test/core-00-a.md", Tolls::CONTENT);
    tolls.commit("Again");
    let told = data(&tolls, &["show", "UT-S01-02"]);
    let documents: Vec<&Value> = told["found"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|f| &f["document"])
        .collect();
    assert_eq!(documents, ["logos/resources/test/core-00-a.md", CASES]);
}

#[test]
fn an_unknown_id_is_told_with_those_that_are_near() {
    let tolls = merged();
    for command in ["log", "show", "blame"] {
        let (code, message) = error(&tolls, &[command, "UT-S01-0"]);
        assert_eq!(code, "ID_NOT_FOUND", "{command}");
        assert!(
            message.contains("`UT-S01-01`, `UT-S01-02`, `UT-S01-03`"),
            "{message}"
        );
        let mut chinese = tolls.program();
        let out = chinese
            .env("GIT_SPEC_LANG", "zh")
            .args([command, "UT-S01-0"])
            .output()
            .expect("it starts");
        let text = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(text.contains("文档定义") && text.contains("UT-S01-02"), "{text}");
    }
    assert_eq!(
        data(&tolls, &["log", "UT-S01-01", "--limit", "0"])["events"],
        Value::Array(Vec::new())
    );
}

#[test]
fn what_is_gone_is_told_with_the_commit_that_removed_it() {
    let tolls = merged();
    tolls.write(
        CASES,
        tolls.read(CASES).replace("| UT-S01-03 | bicycle | 0 |\n", ""),
    );
    let commit = tolls.commit("Remove\n\nSpec-Change: no-bicycles\n");
    tolls.commit("Later");
    let (code, message) = error(&tolls, &["show", "UT-S01-03"]);
    assert_eq!(code, "ID_NOT_FOUND");
    assert!(
        message.contains(&commit[..12]) && message.contains("no-bicycles"),
        "{message}"
    );
    data(&tolls, &["show", "UT-S01-03@HEAD~2"]);
    let told = data(&tolls, &["log", "UT-S01-03"]);
    assert_eq!(told["events"][0]["event"], "removed");
}

#[test]
fn what_is_gone_by_a_merge_is_told_though_the_other_side_is_newer() {
    let tolls = merged();
    let row = "| UT-S01-03 | bicycle | 0 |\n";
    let content = tolls.read(CASES);
    tolls.git(["checkout", "-q", "-b", "side"]);
    tolls.write(CASES, content.replace(row, ""));
    let mut older = tolls.command("git");
    older.env("GIT_COMMITTER_DATE", "2020-01-01T00:00:00Z");
    out(older.args(["commit", "-qam", "Remove"]), b"").exits(0);
    let removed = tolls.git(["rev-parse", "HEAD"]);
    tolls.git(["checkout", "-q", "main"]);
    tolls.write(CASES, content.replace(row, "| UT-S01-03 | bicycle | 1 |\n"));
    // So that the merge is equal to neither side.
    tolls.write(
        "logos/resources/test/core-00.md",
        "| ID | Title |\n|---|---|\n| UT-S00-01 | a |\n",
    );
    let changed = tolls.commit("Change");
    tolls.git(["merge", "-q", "--no-commit", "-s", "ours", "side"]);
    tolls.git(["checkout", "-q", "side", "--", CASES]);
    tolls.commit("Merge");
    let (_, message) = error(&tolls, &["show", "UT-S01-03"]);
    assert!(
        message.contains(&removed[..12]) && !message.contains(&changed[..12]),
        "{message}"
    );
}

#[test]
fn revisions_like_options_are_refused_and_unknown_ones_are_told() {
    let tolls = merged();
    for (args, code) in [
        (&["show", "UT-S01-01@--output=x"][..], "SHOW_INPUT_INVALID"),
        (&["show", "UT-S01-01@"], "SHOW_INPUT_INVALID"),
        (&["show", "UT-S01-01@HEAD", "--worktree"], "SHOW_INPUT_INVALID"),
        (&["show", "UT-S01-01@nowhere"], "SHOW_GIT_FAILED"),
        (&["log", "UT-S01-01", "nowhere"], "LOG_GIT_FAILED"),
        (&["log", "UT-S01-01", "HEAD~99"], "LOG_GIT_FAILED"),
        (&["log", "UT-S01-01", "--limit", "x"], "LOG_INPUT_INVALID"),
        (&["blame", "UT-S01-01", "nowhere"], "BLAME_GIT_FAILED"),
        (&["log", "@{-1}"], "ID_NOT_FOUND"),
        (&["log", "../../etc/passwd"], "ID_NOT_FOUND"),
        (&["blame", "../../etc/passwd"], "ID_NOT_FOUND"),
    ] {
        let (found, message) = error(&tolls, args);
        assert_eq!(found, code, "{args:?}");
        // Grafts are off for every question, and git has much to say about that.
        assert!(!message.contains("hint:"), "{message}");
    }
    assert!(!tolls.exists("x"));
    let outside = Repo::without_git();
    assert_eq!(error(&outside, &["log", "UT-S01-01"]).0, "NOT_A_REPOSITORY");
    let unborn = Repo::new();
    assert_eq!(error(&unborn, &["log", "UT-S01-01"]).0, "LOG_GIT_FAILED");
}

#[test]
fn bare_repositories_answer_alike_and_with_several_projects_for_all() {
    let tolls = merged();
    let here = data(&tolls, &["log", "UT-S01-01"]);
    tolls.git(["clone", "-q", "--bare", ".", "bare.git"]);
    for command in [
        &["log", "UT-S01-01"][..],
        &["show", "UT-S01-01"],
        &["blame", CASES],
    ] {
        let mut args = command.to_vec();
        args.extend(["--format", "json"]);
        let bare = tolls.spec_in("bare.git", &args).exits(0).json();
        assert_eq!(bare["data"], data(&tolls, command), "{command:?}");
    }
    assert_eq!(here["events"].as_array().map(Vec::len), Some(2));

    let both = Repo::new();
    for (project, car) in [("a", "5"), ("b/c", "6")] {
        both.write(&format!("{project}/logos/logos.config.json"), "{}\n");
        both.write(
            &format!("{project}/{CASES}"),
            Tolls::CONTENT.replace("| 5 |", &format!("| {car} |")),
        );
    }
    both.commit("Two projects");
    both.git(["clone", "-q", "--bare", ".", "bare.git"]);
    let show = |args: &[&str]| {
        let out = both.spec_in("bare.git", args).exits(0).json();
        let found = out["data"]["found"].as_array().expect("a list");
        found
            .iter()
            .map(|f| f["document"].as_str().expect("text").to_owned())
            .collect::<Vec<_>>()
    };
    let all = ["show", "UT-S01-01", "--format", "json"];
    assert_eq!(show(&all), [format!("a/{CASES}"), format!("b/c/{CASES}")]);
    let one = ["--project", "b/c", "show", "UT-S01-01", "--format", "json"];
    assert_eq!(show(&one), [format!("b/c/{CASES}")]);
    let below = both
        .spec_in("b/c/logos", ["show", "UT-S01-01", "--format", "json"])
        .exits(0)
        .json();
    assert_eq!(below["data"]["found"][0]["text"], "| UT-S01-01 | car | 6 |");
}

#[test]
fn sha256_repositories_answer_too() {
    let repo = Repo::without_git();
    repo.git(["init", "-q", "-b", "main", "--object-format=sha256"]);
    repo.write("logos/logos.config.json", "{}\n")
        .write(CASES, Tolls::CONTENT);
    repo.commit("Lay down");
    repo.write(CASES, Tolls::CONTENT.replace("| 5 |", "| 6 |"));
    let commit = repo.commit("Edit");
    let told = data(&repo, &["log", "UT-S01-01"]);
    assert_eq!(told["events"][0]["commit"], commit);
    assert_eq!(commit.len(), 64);
    assert_eq!(data(&repo, &["blame", "UT-S01-01"])["units"][0]["commit"], commit);
}

#[test]
fn every_way_into_a_repository_gives_the_same_answer() {
    let tolls = merged();
    let here = data(&tolls, &["log", "UT-S01-01"]);
    tolls.git(["worktree", "add", "-q", "--detach", "../linked"]);
    let args = ["log", "UT-S01-01", "--format", "json"];
    for dir in ["logos/resources", "../linked", "../linked/logos/changes"] {
        assert_eq!(tolls.spec_in(dir, args).exits(0).json()["data"], here, "{dir}");
    }
    // What the linked one works out lies where all find it.
    assert!(tolls.exists(".git/spec/cache/v1/steps") && !tolls.exists(".git/worktrees/linked/spec"));

    let reftable = Repo::without_git();
    reftable.git(["init", "-q", "-b", "main", "--ref-format=reftable"]);
    reftable.git(["fetch", "-q", &tolls.root().display().to_string(), "main"]);
    reftable.git(["reset", "-q", "--hard", "FETCH_HEAD"]);
    assert_eq!(data(&reftable, &["log", "UT-S01-01", "--all"]), here);
}

#[test]
fn grafts_and_replace_refs_change_no_answer() {
    let tolls = merged();
    let here = data(&tolls, &["log", "UT-S01-01"]);
    let ids = tolls.git(["rev-list", "HEAD"]);
    let ids: Vec<&str> = ids.lines().collect();
    tolls.git(["replace", ids[0], ids[2]]);
    tolls.write(".git/info/grafts", format!("{}\n", ids[0]));
    for _ in 0..2 {
        assert_eq!(data(&tolls, &["log", "UT-S01-01"]), here);
        tolls.remove(".git/spec");
    }
}

#[test]
fn what_a_partial_clone_lacks_is_told_and_never_fetched() {
    let tolls = merged();
    tolls.git(["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", tolls.root().display());
    let clone = Repo::without_git();
    clone.git(["clone", "-q", "--bare", "--filter=blob:none", &url, "."]);
    let objects = clone.git(["count-objects", "-v"]);
    let (code, message) = error(&clone, &["log", "UT-S01-01"]);
    assert_eq!(code, "LOG_GIT_FAILED");
    assert!(message.contains("git fetch"), "{message}");
    assert_eq!(clone.git(["count-objects", "-v"]), objects);
}

#[test]
fn where_a_shallow_clone_ends_the_answer_is_truncated() {
    let tolls = merged();
    tolls.write(CASES, tolls.read(CASES).replace("| 6 |", "| 7 |"));
    tolls.commit("Edit");
    let url = format!("file://{}", tolls.root().display());
    let clone = Repo::without_git();
    clone.git(["clone", "-q", "--depth", "2", &url, "."]);
    let told = data(&clone, &["log", "UT-S01-01"]);
    assert_eq!(
        (&told["truncated"], told["events"].as_array().map(Vec::len)),
        (&true.into(), Some(1))
    );
    let untouched = data(&clone, &["log", "UT-S01-02"]);
    assert_eq!(
        (&untouched["truncated"], &untouched["events"]),
        (&true.into(), &Value::Array(Vec::new()))
    );
    assert!(
        clone
            .spec(["log", "UT-S01-01"])
            .exits(0)
            .stdout
            .contains("shallow")
    );
    assert_eq!(error(&clone, &["log", "UT-S09-01"]).0, "ID_NOT_FOUND");
    let blamed = data(&clone, &["blame", CASES]);
    let commits: Vec<bool> = blamed["units"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|u| u["commit"].is_null())
        .collect();
    assert_eq!(commits, [true, true, true, false, true, true]);
    assert_eq!(data(&tolls, &["log", "UT-S01-01"])["truncated"], false);
}

#[test]
fn with_all_other_branches_are_walked_too() {
    let tolls = Tolls::new();
    tolls.git(["checkout", "-q", "-b", "side"]);
    tolls.write(CASES, Tolls::CONTENT.replace("| 5 |", "| 6 |"));
    tolls.commit("Side");
    tolls.git(["checkout", "-q", "main"]);
    let count = |args: &[&str]| data(&tolls, args)["events"].as_array().map(Vec::len);
    assert_eq!(count(&["log", "UT-S01-01"]), Some(1));
    assert_eq!(count(&["log", "UT-S01-01", "--all"]), Some(2));
    assert_eq!(count(&["log", "UT-S01-01", "--all", "--limit", "1"]), Some(1));
    assert_eq!(count(&["log", "UT-S01-01", "side"]), Some(2));
}

#[test]
fn blame_follows_each_piece_to_the_commit_that_brought_it() {
    let tolls = Tolls::new();
    let first = tolls.git(["rev-parse", "HEAD"]).trim().to_owned();
    tolls.change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    tolls.spec(["merge", "car-price"]).exits(0);
    let second = tolls.git(["rev-parse", "HEAD"]).trim().to_owned();
    let renamed = "logos/resources/test/core-02-test-cases.md";
    tolls.git(["mv", CASES, renamed]);
    tolls.write(renamed, tolls.read(renamed) + "\nA note\nof two lines.\n");
    let third = tolls.commit("Rename and add a note");
    let told = data(&tolls, &["blame", renamed]);
    assert_eq!(told["document"], renamed);
    let units: Vec<(String, &Value, &Value, &Value)> = told["units"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|u| {
            let lines = format!(
                "{} {}-{}",
                u["kind"].as_str().expect("text"),
                u["first_line"],
                u["last_line"]
            );
            (lines, &u["commit"], &u["change"], &u["ids"])
        })
        .collect();
    let none = Value::Array(Vec::new());
    let id = |id: &str| Value::Array(vec![id.into()]);
    let (one, two, three) = (id("UT-S01-01"), id("UT-S01-02"), id("UT-S01-03"));
    let (first, second, third) = (first.into(), second.into(), third.into());
    let change: Value = "car-price".into();
    let expected = [
        ("heading 1-1", &first, &Value::Null, &none),
        ("heading 2-2", &first, &Value::Null, &none),
        ("row 4-5", &first, &Value::Null, &none),
        ("row 6-6", &second, &change, &one),
        ("row 7-7", &first, &Value::Null, &two),
        ("row 8-8", &first, &Value::Null, &three),
        ("paragraph 10-11", &third, &Value::Null, &none),
    ];
    assert_eq!(
        units,
        expected.map(|(lines, commit, change, ids)| (lines.to_owned(), commit, change, ids))
    );
    let of_id = data(&tolls, &["blame", "UT-S01-01"]);
    assert_eq!(of_id["units"].as_array().map(Vec::len), Some(1));
    assert_eq!(of_id["units"][0], told["units"][3]);
    assert_eq!(data(&tolls, &["blame", "UT-S01-01", "HEAD~1"])["document"], CASES);
    let below = tolls
        .spec_in("logos/resources/test", ["blame", "core-02-test-cases.md"])
        .exits(0);
    assert!(
        below.stdout.contains("car-price") && below.stdout.lines().count() == 7,
        "{}",
        below.stdout
    );
}

#[test]
fn blame_takes_documents_and_nothing_else() {
    let tolls = Tolls::new();
    let api = "logos/resources/api/core-01.yaml";
    tolls
        .write(api, "openapi: 3.1.0\n\npaths: {}\n")
        .write("README.md", "# Tolls\n");
    tolls.commit("An interface");
    tolls.write(api, "openapi: 3.1.0\n\npaths: []\n");
    let commit = tolls.commit("Edit");
    let told = data(&tolls, &["blame", api]);
    let commits: Vec<&Value> = told["units"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|u| &u["commit"])
        .collect();
    assert_eq!(commits.len(), 2);
    assert_eq!((commits[0] == &commit, commits[1] == &commit), (false, true));
    for other in [
        "README.md",
        "logos/logos-project.yaml",
        "logos",
        "logos/resources/test",
        "nowhere.md",
    ] {
        assert_eq!(error(&tolls, &["blame", other]).0, "ID_NOT_FOUND", "{other}");
    }
}

#[test]
fn a_hostile_tree_is_read_as_objects() {
    let tolls = merged();
    // A file in the place of the archive, a folder in that of a marker.
    tolls.remove("logos/changes/car-price/SPEC_MERGED");
    tolls
        .write("logos/changes/archive", "a file")
        .write("logos/changes/car-price/SPEC_MERGED/x", "");
    tolls.write(CASES, tolls.read(CASES).replace("| 6 |", "| 9 |"));
    tolls.commit("Odd\n\nSpec-Change: gone\n");
    let told = data(&tolls, &["log", "UT-S01-01"]);
    assert_eq!(
        (&told["events"][0]["change"], &told["events"][0]["change_path"]),
        (&"gone".into(), &Value::Null)
    );
    // A link out of the tree in the place of the project.
    tolls.git(["rm", "-q", "-r", "--cached", "logos"]);
    tolls.remove("logos");
    std::os::unix::fs::symlink("/etc", tolls.path("logos")).expect("a link");
    tolls.commit("Link");
    assert_eq!(
        data(&tolls, &["log", "UT-S01-01"])["events"][0]["event"],
        "removed"
    );
    assert_eq!(error(&tolls, &["show", "UT-S01-01"]).0, "ID_NOT_FOUND");
}

#[test]
fn foreign_text_neither_acts_on_a_terminal_nor_forges_a_line() {
    let tolls = Tolls::new();
    let text = Tolls::CONTENT.replace("| car |", "| \u{1b}[31m\u{202e}::error:: |");
    tolls.write(CASES, text);
    let mut commit = tolls.command("git");
    let author = "\u{1b}[1m::warning::<x>";
    commit
        .args(["commit", "-qam", "x\n\nSpec-Change: \u{1b}[31mred\n"])
        .env("GIT_AUTHOR_NAME", author);
    assert!(commit.status().expect("git starts").success());
    let hostile = "logos/resources/test/core-\u{202e}\u{1b}[2J%0A.md";
    tolls.write(hostile, Tolls::CONTENT.replace("UT-S01", "UT-S07"));
    tolls.commit("Hostile path");
    for args in [
        &["log", "UT-S01-01"][..],
        &["log", "UT-S07-01"],
        &["show", "UT-S01-01"],
        &["show", "UT-S07-01"],
        &["blame", CASES],
        &["blame", "UT-S07-01"],
        &["log", "\u{1b}[31m"],
        &["show", "a\n::error::b"],
        &["blame", "\u{202e}x"],
    ] {
        let out = tolls.spec(args);
        let said = out.stdout.clone() + &out.stderr;
        assert!(!said.contains(['\u{1b}', '\u{202e}']), "{said:?}");
        assert!(
            said.lines()
                .all(|line| !line.starts_with("::") && !line.starts_with("##[")),
            "{said:?}"
        );
        json(&tolls, args);
    }
    let told = data(&tolls, &["log", "UT-S01-01"]);
    assert_eq!(told["events"][0]["change"], "\u{1b}[31mred");
}

#[test]
fn links_and_submodules_in_the_place_of_documents_define_nothing() {
    let tolls = Tolls::new();
    tolls.write("secret.md", Tolls::CONTENT.replace("UT-S01", "UT-S08"));
    tolls.remove(CASES);
    std::os::unix::fs::symlink("../../../secret.md", tolls.path(CASES)).expect("a link");
    tolls.commit("Link");
    assert_eq!(error(&tolls, &["log", "UT-S08-01"]).0, "ID_NOT_FOUND");
    assert_eq!(
        data(&tolls, &["log", "UT-S01-01"])["events"][0]["event"],
        "removed"
    );
    assert_eq!(error(&tolls, &["blame", CASES]).0, "ID_NOT_FOUND");
}
