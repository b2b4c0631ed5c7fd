use super::*;
use crate::files::MemoryTree;
use crate::yaml;

const CONFIG: (&str, &str) = (layout::CONFIG, r#"{"name":"Harbor"}"#);

fn synced(files: &[(&str, &str)]) -> Sync {
    let tree = MemoryTree::new(files.iter().copied());
    let derived = |_: &Module| Ok(SeedState::Seeded);
    plan(&tree, &derived, &Voice::default(), Timestamp::from_seconds(0)).expect("it can be planned")
}

fn text(sync: &Sync, path: &str) -> Option<String> {
    let found = sync.writes.iter().find(|write| *write.path.text() == *path)?;
    Some(String::from_utf8(found.after.clone()).expect("UTF-8 stays UTF-8"))
}

fn registry(yaml: &str) -> String {
    let sync = synced(&[CONFIG, (layout::REGISTRY, yaml)]);
    text(&sync, layout::REGISTRY).unwrap_or_else(|| yaml.to_owned())
}

#[test]
fn every_step_keeps_what_it_is_not_about() {
    let yaml = "# 头\nproject:\n  name: \"Old\" # x\nmodules: # all\n- {id: a, name: A, bootstrap: adopted, \
        baseline_seed_required: false} # a\nscenarios:\n  - id: S01   # one\nresource_index: []\n# end\n";
    let document = (
        "logos/resources/prd/3-technical-plan/2-scenario-implementation/a-S01-x.md",
        "",
    );
    let sync = synced(&[CONFIG, (layout::REGISTRY, yaml), document]);
    assert_eq!(
        text(&sync, layout::REGISTRY).as_deref(),
        Some(
            "# 头\nproject:\n  name: \"Harbor\" # x\nmodules: # all\n- {id: a, name: A, bootstrap: adopted, \
             baseline_seed_state: seeded} # a\nscenarios:\n  - id: S01   # one\n    module: a\nresource_index:\n  - path: \
             logos/resources/prd/3-technical-plan/2-scenario-implementation/a-S01-x.md\n    desc: Implementation of \
             scenario a-S01-x\n# end\n"
        )
    );
    assert_eq!(text(&sync, layout::REGISTRY_BACKUP).as_deref(), Some(yaml));
}

#[test]
fn a_second_sync_writes_only_its_stamp() {
    let yaml = "modules:\n- {id: a, name: A, lifecycle: launched, product_type: web, bootstrap: adopted}\nscenarios: [{id: S1}]\n";
    let api = ("logos/resources/api/x.yaml", "");
    let first = synced(&[CONFIG, (layout::REGISTRY, yaml), api]);
    let mut tree = MemoryTree::new([CONFIG, api]);
    for write in &first.writes {
        tree.insert(write.path.clone(), write.after.clone());
    }
    let derived = |_: &Module| Ok(SeedState::Partial);
    let second =
        plan(&tree, &derived, &Voice::default(), Timestamp::from_seconds(1)).expect("it can be planned");
    assert_eq!(second.changes, []);
    let paths: Vec<_> = second.writes.iter().map(|w| w.path.text().into_owned()).collect();
    assert_eq!(paths, [layout::SYNC_STAMP]);
}

#[test]
fn the_old_boolean_goes_and_a_written_state_stays() {
    let module = |fields: &str| format!("modules:\n- {{id: a, name: A{fields}}}\n");
    for (before, after) in [
        (
            ", baseline_seed_required: true",
            ", baseline_seed_state: required",
        ),
        (
            ", baseline_seed_required: true, baseline_seed_state: partial",
            ", baseline_seed_state: partial",
        ),
        (
            ", baseline_seed_state: odd, bootstrap: skipped",
            ", baseline_seed_state: seeded, bootstrap: skipped",
        ),
        (", baseline_seed_required: no", ""),
        (", bootstrap: normal", ", bootstrap: normal"),
    ] {
        assert_eq!(registry(&module(before)), module(after));
    }
}

#[test]
fn the_first_quoted_name_is_the_one_of_the_project() {
    assert_eq!(
        registry("a: 1\n# name: \"x\"\nb:\n  name: \"$1\"\n"),
        "a: 1\n# name: \"x\"\nb:\n  name: \"Harbor\"\n"
    );
    for same in [
        "project:\n  name: Old\n",
        "project:\n  name: 'Old'\n",
        "project: {name: \"Old\"}\n",
        "m:\n- name: \"Old\"\n",
        "t: |\n  name: \"Old\"\n",
    ] {
        assert_eq!(registry(same), same);
    }
}

#[test]
fn a_scenario_that_names_a_module_of_any_kind_is_left_alone() {
    assert_eq!(
        registry("scenarios:\n- {id: S1, module: 7}\n- {id: 2}\n- {id: S3, module: ~}\n"),
        "scenarios:\n- {id: S1, module: 7}\n- {id: 2}\n- {id: S3, module: core}\n"
    );
}

#[test]
fn documents_that_are_listed_stay_as_they_are_described() {
    let yaml = "resource_index:\n- path: \"logos/resources/api/x.yaml\"\n  desc: mine\n";
    let sync = synced(&[
        CONFIG,
        (layout::REGISTRY, yaml),
        ("logos/resources/api/x.yaml", ""),
    ]);
    assert_eq!(text(&sync, layout::REGISTRY), None);
}

const WEB: (&str, &str) = (
    layout::REGISTRY,
    "modules: [{id: a, name: A, product_type: web}]\n",
);
const CLI: (&str, &str) = (
    layout::REGISTRY,
    "modules: [{id: a, name: A, product_type: cli}]\n",
);

#[test]
fn a_user_interface_brings_two_nodes_and_takes_them_along() {
    let made = text(&synced(&[CONFIG, WEB]), layout::LAUNCHED_FLOW).expect("it is made");
    let root = yaml::parse(made.as_bytes()).expect("it is YAML");
    let nodes: Vec<_> = root
        .get("overlay")
        .and_then(|o| o.as_list())
        .unwrap_or_default()
        .iter()
        .map(|op| op.get("node").and_then(|n| n.get("done_when")?.as_str()))
        .collect();
    assert_eq!(
        nodes,
        [
            Some("cmd:git spec check-ui-prototype"),
            Some("cmd:git spec check-ui-hash-match")
        ]
    );
    let kept = format!("{made}  - op: skip\n    target: verify # mine\n");
    let left = text(
        &synced(&[CONFIG, CLI, (layout::LAUNCHED_FLOW, &kept)]),
        layout::LAUNCHED_FLOW,
    );
    assert_eq!(
        left.as_deref(),
        Some(
            "version: 1\nflow: launched\nextends: builtin:launched@v1\noverlay:\n  - op: skip\n    target: verify # mine\n"
        )
    );
    assert_eq!(
        text(
            &synced(&[CONFIG, CLI, (layout::LAUNCHED_FLOW, &made)]),
            layout::LAUNCHED_FLOW
        )
        .as_deref(),
        Some("version: 1\nflow: launched\nextends: builtin:launched@v1\noverlay: []\n")
    );
}

#[test]
fn nodes_that_are_there_stay_as_they_are() {
    let mine = "overlay:\n- op: add\n  node: {id: write-ui-prototype, name: Mine}\n  after: write-tasks\n";
    let sync = synced(&[CONFIG, WEB, (layout::LAUNCHED_FLOW, mine)]);
    assert_eq!(
        sync.changes
            .iter()
            .filter(|c| matches!(c, Change::NodeAdded(_)))
            .count(),
        1
    );
    assert!(text(&sync, layout::LAUNCHED_FLOW).is_some_and(|text| text.starts_with(mine)));
    assert_eq!(text(&synced(&[CONFIG, CLI]), layout::LAUNCHED_FLOW), None);
}

#[test]
fn the_old_key_of_the_config_launches_the_only_module_and_goes() {
    let config = (layout::CONFIG, "{\n  \"lifecycle\": \"active\"\n}\n");
    let sync = synced(&[config, (layout::REGISTRY, "modules: [{id: a, name: A}]\n")]);
    assert_eq!(
        text(&sync, layout::REGISTRY).as_deref(),
        Some("modules: [{id: a, name: A, lifecycle: launched}]\n")
    );
    assert_eq!(
        (sync.key_without_module, sync.untyped),
        (false, vec!["a".to_owned()])
    );
    let several = synced(&[
        config,
        (
            layout::REGISTRY,
            "modules: [{id: a, name: A}, {id: b, name: B}]\n",
        ),
    ]);
    assert!(several.key_without_module && text(&several, layout::REGISTRY).is_none());
    assert!(text(&several, layout::CONFIG).is_some_and(|text| !text.contains("lifecycle")));
}

#[test]
fn what_cannot_be_read_is_not_written() {
    let code = |files: &[(&str, &str)]| {
        let tree = MemoryTree::new(files.iter().copied());
        let derived = |_: &Module| Ok(SeedState::Seeded);
        let planned = plan(&tree, &derived, &Voice::default(), Timestamp::from_seconds(0));
        planned.map_err(|e| e.code()).err()
    };
    assert_eq!(code(&[(layout::CONFIG, "{"), WEB]), Some("PROJECT_CONFIG_BROKEN"));
    let damaged = (layout::REGISTRY, "modules: [{id: a, name: A}]\nx: [\n");
    assert_eq!(
        code(&[CONFIG, damaged]),
        Some("PROJECT_YAML_DEGRADED_WRITE_REFUSED")
    );
    assert_eq!(
        code(&[CONFIG, WEB, (layout::LAUNCHED_FLOW, "[")]),
        Some("FLOW_NOT_CHANGED")
    );
}
