//! An adopted project whose baseline is being drawn: the system map of an earlier run, and what a new run brings.

#![allow(dead_code, reason = "every test program uses its own part of it")]

use crate::common::Repo;

pub(crate) const RUNS: &str = "logos/resources/verify/baseline-seed-runs";
pub(crate) const RUN: &str = "seed-core-0001";
pub(crate) const MAP: &str = "logos/resources/reference/core-system-map.md";
pub(crate) const SCENARIOS: &str = "logos/resources/reference/core-scenario-candidates.md";
pub(crate) const REGISTRY: &str = "logos/logos-project.yaml";
pub(crate) const EVENTS: &str = "logos/resources/verify/baseline-events.jsonl";
pub(crate) const LOCK: &str = "logos/resources/verify/baseline-seed-runs/core.commit.lock";

/// What readers take for the baseline.
pub(crate) const WHAT_COUNTS: [&str; 4] = [MAP, SCENARIOS, REGISTRY, EVENTS];

pub(crate) const BEGIN: [&str; 6] = [
    "baseline-seed",
    "begin",
    "--module",
    "core",
    "--manifest",
    "manifest.json",
];
pub(crate) const COMMIT: [&str; 6] = ["baseline-seed", "commit", "--module", "core", "--run-id", RUN];
pub(crate) const STATUS: [&str; 4] = ["baseline-seed", "status", "--module", "core"];

/// A document with one candidate for each key and anchor.
pub(crate) fn document(title: &str, candidates: &[(&str, &str)]) -> String {
    let entry = |(key, anchor): &(&str, &str)| {
        format!("  - key: {key}\n    anchor: \"{anchor}\"\n    state: active\n    verified: false\n")
    };
    let entries: String = candidates.iter().map(entry).collect();
    format!("# {title}\n\n## 逆向基线来源\n```yaml\ncandidates:\n{entries}```\n\n## After\nkept\n")
}

/// A project of adopted code, and the manifest of a run.
pub(crate) fn adopted(repo: Repo) -> Repo {
    repo.write("logos/logos.config.json", "{\"name\":\"harbor\",\"locale\":\"en\"}\n")
        .write(
            REGISTRY,
            "modules: # all\n  - id: core\n    name: Core # mine\n    lifecycle: launched\n    bootstrap: adopted\n    \
             product_type: api\n    baseline_seed_state: required\n",
        )
        .write(
            "manifest.json",
            format!(
                "{{\"expected\":[{{\"kind\":\"system-map\",\"target_path\":\"{MAP}\",\"candidate_keys\":[\"core::df2b13627dee\"]}},\
                 {{\"kind\":\"scenario-candidates\",\"target_path\":\"{SCENARIOS}\",\"candidate_keys\":[\"core::9191ae63427e\"]}}]}}"
            ),
        )
        .write(
            MAP,
            document(
                "Old",
                &[
                    ("core::df2b13627dee", "cli: login"),
                    ("core::c7ace9463a2c", "cli: gone"),
                ],
            ),
        );
    repo
}

/// Puts everything into staging that the manifest names.
pub(crate) fn stage(repo: &Repo) {
    let map = document("Map", &[("core::df2b13627dee", "cli: login")]);
    let scenarios = document("Scenarios", &[("core::9191ae63427e", "POST /berths")]);
    for (path, content) in [(MAP, map), (SCENARIOS, scenarios)] {
        repo.write(&format!("{RUNS}/{RUN}/staging/{path}"), content);
    }
}

/// What readers take for the baseline, as it is; none for a file that is not there.
pub(crate) fn what_counts(repo: &Repo) -> Vec<Option<String>> {
    let read = |path: &&str| repo.exists(path).then(|| repo.read(path));
    WHAT_COUNTS.iter().map(read).collect()
}
