//! `feature list` and `index` on real folders.

mod common;

use common::Repo;
use serde_json::{Value, json};

const CONFIG: &str = "logos/logos.config.json";
const REGISTRY: &str = "logos/logos-project.yaml";
const PROMPT: &str = "logos/index-prompt.md";
const LOCK: &str = "logos/resources/verify/baseline-seed-runs/tide.commit.lock";

fn project(config: &str, registry: &str) -> Repo {
    let repo = Repo::without_git();
    repo.write(CONFIG, config).write(REGISTRY, registry);
    repo
}

/// One document that is to be indexed.
fn documented(locale: &str) -> Repo {
    let config = json!({"locale": locale, "documents": {"d": {"path": "resources/prd", "pattern": "*.md"}}});
    let repo = project(&config.to_string(), "modules: [{id: tide, name: Tides}]\n");
    repo.write("logos/resources/prd/a.md", "# Berths\n");
    repo
}

fn code_of(repo: &Repo, args: &[&str]) -> String {
    let out = repo.spec([args, &["--format", "json"]].concat()).exits(1);
    assert_eq!(out.stdout, "", "{args:?}");
    let envelope: Value = serde_json::from_str(&out.stderr).expect("one line of JSON");
    let command = if args[0] == "feature" {
        "feature list"
    } else {
        args[0]
    };
    assert_eq!(envelope["command"], command);
    envelope["error"]["code"].as_str().expect("a code").to_owned()
}

#[test]
fn there_must_be_a_project_before_words_are_judged() {
    let nowhere = Repo::without_git();
    let there = project("{}", "");
    for args in [
        &["feature", "list", "--bogus"][..],
        &["feature", "list", "--module"],
        &["index", "x"],
    ] {
        assert_eq!(code_of(&nowhere, args), "PROJECT_NOT_INITIALIZED", "{args:?}");
        assert_eq!(code_of(&there, args), "USAGE", "{args:?}");
    }
}

#[test]
fn a_group_of_commands_alone_shows_its_usage_and_never_an_envelope() {
    let repo = project("{}", "");
    for args in [
        &["feature"][..],
        &["feature", "add"],
        &["feature", "--format", "json"],
    ] {
        let out = repo.spec(args).exits(1);
        assert!(
            out.stdout.is_empty() && out.stderr.contains("Usage: git spec feature"),
            "{args:?}"
        );
    }
    let data = &repo.spec(["feature", "--format", "json", "list"]).exits(0).json()["data"];
    assert_eq!(data, &json!({"modules": []}));
}

#[test]
fn features_of_a_damaged_registry_are_those_that_were_saved() {
    let repo = project(
        "{}",
        "modules: [{id: a, name: A}]\nfeatures: [{id: F01, name: F, module: a}]\nconventions: [\n",
    );
    let answer = repo.spec(["feature", "list", "--format", "json"]).exits(0).json();
    assert_eq!(answer["data"]["modules"][0]["features"][0]["id"], "F01");
    assert_eq!(answer["data"]["yaml_diagnostics"]["parse_status"], "recovered");
    assert_eq!(repo.spec(["feature", "list"]).exits(0).stderr.lines().count(), 3);
    repo.write(REGISTRY, "modules: [\n");
    assert_eq!(code_of(&repo, &["feature", "list"]), "PROJECT_YAML_UNPARSABLE");
    assert_eq!(
        code_of(&repo, &["feature", "list", "--module", "a"]),
        "PROJECT_YAML_UNPARSABLE"
    );
}

#[test]
fn a_module_that_only_scenarios_name_can_be_asked_for() {
    let repo = project("{}", "scenarios: [{id: S01, module: tide}, {id: S02}]\n");
    let answer = repo
        .spec(["feature", "list", "--module", "core", "--format", "json"])
        .exits(0);
    assert_eq!(
        answer.json()["data"]["modules"],
        json!([{"id": "core", "name": "core", "features": [
            {"id": "__ungrouped__", "name": "未分组", "spec": null, "scenarios": [{"id": "S02", "name": "S02"}]}
        ]}])
    );
}

#[test]
fn the_index_prompt_is_written_again_over_the_old_one_in_the_language_of_the_project() {
    let repo = documented("zh");
    repo.write(PROMPT, "old");
    let registry = repo.read(REGISTRY);
    let data = &repo.spec(["index", "--format", "json"]).exits(0).json()["data"];
    assert_eq!(data, &json!({"prompt_path": PROMPT, "files": 1}));
    let prompt = repo.read(PROMPT);
    assert!(
        prompt.contains("`desc` 用一句中文") && prompt.contains("# Berths\n"),
        "{prompt}"
    );
    assert!(prompt.contains("modules: [{id: tide, name: Tides}]\n"));
    assert_eq!(repo.read(REGISTRY), registry);
    repo.spec(["index"]).exits(0);
    assert_eq!(repo.read(PROMPT), prompt);
    assert!(!repo.exists("logos/.runtime"));
}

#[test]
fn an_index_of_nothing_is_no_file() {
    let repo = project("{}", "");
    let data = &repo.spec(["index", "--format", "json"]).exits(0).json()["data"];
    assert_eq!(data, &json!({"prompt_path": null, "files": 0}));
    assert!(!repo.exists(PROMPT));
}

#[test]
fn a_damaged_registry_is_told_of_and_shown_in_the_prompt() {
    let repo = documented("en");
    repo.write(REGISTRY, "modules: [{id: a, name: A}]\nresource_index: [\n");
    assert_eq!(repo.spec(["index"]).exits(0).stderr.lines().count(), 3);
    assert!(
        repo.read(PROMPT)
            .contains("The file is damaged; repair it first: ")
    );
}

#[test]
fn no_index_is_made_while_a_lock_of_a_module_is_held() {
    let repo = documented("en");
    let mine = format!(
        r#"{{"pid":{},"at":"2026-01-02T03:04:05Z","token":"t"}}"#,
        std::process::id()
    );
    for held in [mine.as_str(), "", "{"] {
        repo.write(LOCK, held);
        assert_eq!(
            code_of(&repo, &["index"]),
            "BASELINE_COMMIT_IN_PROGRESS",
            "{held}"
        );
        assert!(!repo.exists(PROMPT) && repo.read(LOCK) == held);
    }
    let mut ended = std::process::Command::new("true").spawn().expect("it starts");
    ended.wait().expect("it ends");
    repo.write(LOCK, format!(r#"{{"pid":{},"token":"t"}}"#, ended.id()));
    repo.spec(["index"]).exits(0);
    assert!(repo.exists(PROMPT));
}

#[test]
fn what_an_index_is_made_of_must_be_readable() {
    let repo = documented("en");
    repo.write(CONFIG, r#"{"documents":{"d":{"path":"../../elsewhere"}}}"#);
    assert_eq!(code_of(&repo, &["index"]), "DOCUMENT_PATH_INVALID");
    repo.write(CONFIG, "{");
    assert_eq!(code_of(&repo, &["index"]), "PROJECT_CONFIG_UNPARSABLE");
    repo.write(CONFIG, "{}").remove(REGISTRY);
    assert_eq!(code_of(&repo, &["index"]), "PROJECT_YAML_MISSING");
}
