//! The `module` commands on real folders: answers in JSON, confirmation, and what a new id takes along.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use assert_fs::TempDir;
use serde_json::{Value, json};

const REGISTRY: &str = "modules:\n  - id: core\n    name: Core\n  - id: tide # moon\n    name: Tides\n";

fn project() -> TempDir {
    let dir = TempDir::new().expect("a temporary folder");
    write(dir.path(), "logos/logos.config.json", "{}");
    write(dir.path(), "logos/logos-project.yaml", REGISTRY);
    dir
}

fn write(root: &Path, path: &str, content: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
    fs::write(path, content).expect("it can be written");
}

fn read(root: &Path, path: &str) -> String {
    fs::read_to_string(root.join(path)).expect(path)
}

fn run(root: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_git-spec"))
        .args(args)
        .current_dir(root)
        .env_remove("GIT_DIR")
        .env("GIT_CEILING_DIRECTORIES", root.parent().expect("a folder"))
        .stdin(Stdio::null())
        .output()
        .expect("it starts")
}

/// The data of an answer, or the code of an error.
fn answer(root: &Path, args: &[&str]) -> Value {
    let out = run(root, &[args, &["--format", "json"]].concat());
    let (line, field) = if out.status.success() {
        assert!(out.stderr.is_empty(), "{out:?}");
        (&out.stdout, "/data")
    } else {
        assert!(out.stdout.is_empty(), "{out:?}");
        (&out.stderr, "/error/code")
    };
    let envelope: Value = serde_json::from_slice(line).expect("one line of JSON");
    assert_eq!(envelope["command"], args[..2].join(" "));
    envelope.pointer(field).expect(field).clone()
}

#[test]
fn a_module_is_added_typed_and_removed_and_the_file_is_as_before() {
    let dir = project();
    let root = dir.path();
    assert_eq!(
        answer(root, &["module", "add", "quay", "--product-type", "cli"]),
        json!({"module_id": "quay", "product_type": "cli", "created_file": false})
    );
    assert_eq!(answer(root, &["module", "add", "quay"]), "MODULE_EXISTS");
    assert_eq!(
        answer(root, &["module", "add", "quay-"]),
        json!({"module_id": "quay-", "product_type": null, "created_file": false})
    );
    write(root, "logos/resources/test/quay-1.md", "");
    assert_eq!(
        answer(root, &["module", "remove", "quay"]),
        "CONFIRMATION_REQUIRED"
    );
    assert_eq!(
        answer(root, &["module", "remove", "quay", "--yes"]),
        json!({"module_id": "quay", "removed": true, "remaining_files": ["logos/resources/test/quay-1.md"]})
    );
    answer(root, &["module", "remove", "quay-", "--yes"]);
    assert_eq!(read(root, "logos/logos-project.yaml"), REGISTRY);
    assert_eq!(
        answer(root, &["module", "remove", "core", "--yes"]),
        "MODULE_PROTECTED"
    );
    assert_eq!(answer(root, &["module", "remove"]), "MISSING_ARGUMENT");
}

#[test]
fn a_new_id_reaches_the_guard_and_the_header_of_the_proposal_but_not_the_archive() {
    let dir = project();
    let root = dir.path();
    let proposal = "# Change Proposal: x\r\n\r\n> module: tide | created: 2026-01-02\r\nsee tide-1.md\r\n";
    write(
        root,
        "logos/.openlogos-guard",
        "{\"activeChange\": \"x\", \"module\": \"tide\"}",
    );
    write(root, "logos/changes/x/proposal.md", proposal);
    write(root, "logos/changes/archive/1-y/proposal.md", proposal);
    write(root, "logos/resources/test/tide-1.bin", "tide-1");
    assert_eq!(
        answer(root, &["module", "rename", "tide", "swell"]),
        json!({
            "from": "tide", "to": "swell",
            "renamed": [{"from": "logos/resources/test/tide-1.bin", "to": "logos/resources/test/swell-1.bin"}],
            "updated": ["logos/.openlogos-guard", "logos/changes/x/proposal.md", "logos/logos-project.yaml"],
        })
    );
    assert_eq!(
        read(root, "logos/logos-project.yaml"),
        REGISTRY.replace("tide", "swell")
    );
    assert_eq!(
        read(root, "logos/changes/x/proposal.md"),
        proposal.replace("tide", "swell")
    );
    assert_eq!(read(root, "logos/changes/archive/1-y/proposal.md"), proposal);
    assert_eq!(read(root, "logos/resources/test/swell-1.bin"), "tide-1");
    let guard: Value = serde_json::from_str(&read(root, "logos/.openlogos-guard")).expect("JSON");
    assert_eq!(guard, json!({"activeChange": "x", "module": "swell"}));
}

#[test]
fn a_refused_rename_touches_nothing() {
    let dir = project();
    let root = dir.path();
    write(root, "logos/resources/test/tide-1.md", "tide-1");
    write(root, "logos/resources/test/swell-1.md", "mine");
    for (args, code) in [
        (&["module", "rename", "tide", "swell"][..], "TARGET_EXISTS"),
        (&["module", "rename", "tide", "core"], "MODULE_EXISTS"),
        (&["module", "rename", "ebb", "core"], "MODULE_NOT_FOUND"),
        (&["module", "rename", "ebb", "Core"], "INVALID_MODULE_NAME"),
        (&["module", "rename", "ebb"], "MISSING_ARGUMENT"),
    ] {
        assert_eq!(answer(root, args), code);
    }
    assert_eq!(read(root, "logos/resources/test/tide-1.md"), "tide-1");
    assert_eq!(read(root, "logos/resources/test/swell-1.md"), "mine");
    assert_eq!(read(root, "logos/logos-project.yaml"), REGISTRY);
}

#[test]
fn a_launch_names_every_missing_report_and_then_writes_registry_and_config_at_once() {
    let dir = project();
    let root = dir.path();
    write(
        root,
        "logos/logos.config.json",
        "{\n  \"lifecycle\": \"old\",\n  \"name\": \"x\"\n}\n",
    );
    let launch = |args: &[&str]| {
        let out = run(root, &[&["launch"], args, &["--format", "json"]].concat());
        let line = if out.status.success() {
            out.stdout
        } else {
            out.stderr
        };
        serde_json::from_slice::<Value>(&line).expect("one line of JSON")
    };
    assert_eq!(launch(&[])["error"]["code"], "MODULE_AMBIGUOUS");
    let refused = launch(&["tide"]);
    assert_eq!(refused["error"]["code"], "LAUNCH_GATE_NOT_MET");
    let message = refused["error"]["message"].as_str().expect("words");
    for report in ["acceptance-report", "deployment-report", "smoke-report"] {
        assert!(message.contains(report), "{message}");
        write(root, &format!("logos/resources/verify/{report}.md"), "PASS");
    }
    assert_eq!(read(root, "logos/logos-project.yaml"), REGISTRY);
    let done = json!({"module": "tide", "lifecycle": "launched", "changed": true, "missing": []});
    assert_eq!(launch(&["tide"])["data"], done);
    assert_eq!(
        read(root, "logos/logos-project.yaml"),
        format!("{REGISTRY}    lifecycle: launched\n")
    );
    assert_eq!(read(root, "logos/logos.config.json"), "{\n  \"name\": \"x\"\n}\n");
    assert_eq!(launch(&["tide"])["data"]["changed"], false);
}

#[test]
fn adopt_lays_down_a_launched_module_and_refuses_an_unknown_locale() {
    let dir = TempDir::new().expect("a temporary folder");
    let root = dir.path();
    let refused = run(root, &["adopt", "--locale", "fr"]);
    assert!(!refused.status.success() && !root.join("logos").exists());
    assert!(run(root, &["adopt", "Harbor", "--locale", "en"]).status.success());
    assert!(run(root, &["launch"]).status.success());
    assert!(!run(root, &["adopt"]).status.success());
}

#[test]
fn words_that_are_not_understood_come_after_the_look_for_a_project() {
    let none = TempDir::new().expect("a temporary folder");
    let dir = project();
    for args in [
        &["module", "add", "quay", "--product-type"][..],
        &["module", "list", "more"],
        &["module", "rename", "tide", "swell", "more"],
    ] {
        assert_eq!(answer(none.path(), args), "PROJECT_NOT_INITIALIZED", "{args:?}");
        assert_eq!(answer(dir.path(), args), "USAGE", "{args:?}");
    }
    assert_eq!(read(dir.path(), "logos/logos-project.yaml"), REGISTRY);
}

#[test]
fn a_registry_written_in_braces_takes_its_first_module() {
    let dir = project();
    write(dir.path(), "logos/logos-project.yaml", "{project: {name: x}}\n");
    answer(dir.path(), &["module", "add", "quay"]);
    assert_eq!(
        read(dir.path(), "logos/logos-project.yaml"),
        "{project: {name: x}, modules: [{id: quay, name: quay, lifecycle: initial}]}\n"
    );
}

#[cfg(unix)]
#[test]
fn a_renamed_file_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt as _;

    let dir = project();
    let script = "logos/resources/test/tide-run.sh";
    write(dir.path(), script, "#!/bin/sh\n");
    fs::set_permissions(dir.path().join(script), fs::Permissions::from_mode(0o750)).expect("it is ours");
    answer(dir.path(), &["module", "rename", "tide", "swell"]);
    let meta = fs::metadata(dir.path().join("logos/resources/test/swell-run.sh")).expect("it is there");
    assert_eq!(meta.permissions().mode() & 0o777, 0o750);
}
