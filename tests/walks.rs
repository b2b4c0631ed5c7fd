//! Whole lives of changes in real repositories, `merge` and `archive` being commits: what `status`, `next` and
//! `next --auto` say at every step. The markers of `verify`, `deploy-done` and `smoke` are put there by hand.

mod common;
#[path = "common/schemas.rs"]
mod schemas;

use std::fmt::Write as _;

use common::Repo;
use serde_json::{Value, json};

const SLUG: &str = "monday-prices";
const TESTS: &str = "logos/resources/test/till-S01-test-cases.md";
const RULES: &str = "logos/resources/prd/1-product-requirements/till-01-prices.md";

/// The path of a file of the change.
fn in_folder(file: &str) -> String {
    format!("logos/changes/{SLUG}/{file}")
}

/// A change on its way.
struct Walk {
    repo: Repo,
}

impl Walk {
    /// A launched project, and the change begun in it.
    fn begin(product: &str) -> Self {
        let repo = Repo::new();
        repo.write("logos/logos.config.json", "{\"name\":\"bakery\",\"locale\":\"en\"}\n")
            .write(
                "logos/logos-project.yaml",
                format!(
                    "project:\n  name: bakery\nmodules:\n  - id: till\n    name: Till\n    lifecycle: launched\n    \
                     product_type: {product}\nscenarios:\n  - id: S01\n    name: Sell\n    module: till\n"
                ),
            )
            .write(TESTS, "# Cases\n\n## Units\n| ID | Title |\n|----|-------|\n| UT-S01-01 | sell |\n")
            .write(RULES, "# Prices\n\n## Bread\nAll days alike.\n");
        repo.commit("Lay down the bakery");
        repo.spec(["change", SLUG]).exits(0);
        Self { repo }
    }

    fn put(&self, file: &str, content: &str) -> &Self {
        self.repo.write(&in_folder(file), content);
        self
    }

    fn commit(&self, message: &str) -> &Self {
        self.repo.commit(message);
        self
    }

    /// A proposal in English that decides about deployment.
    fn propose(&self, deployment: &str, more: &str) -> &Self {
        let text = format!(
            "# Change Proposal: {SLUG}\n\n> module: till | created: 2026-01-02\n\n## Reason\n\nAsked for.\n\n\
             ## Change Type\n\ndesign\n\n## Scope\n\n- prices\n\n## Deployment Impact\n\n{deployment}\n\n\
             ## Summary\n\nMondays are cheaper.\n{more}"
        );
        self.put("proposal.md", &text)
    }

    /// A task list of sections, each a tag and its boxes.
    fn plan(&self, sections: &[(&str, &[&str])]) -> &Self {
        let mut text = "# Tasks\n".to_owned();
        for (tag, boxes) in sections {
            write!(text, "\n## [{tag}] work\n\n").expect("a text grows");
            for one in *boxes {
                writeln!(text, "- {one}").expect("a text grows");
            }
        }
        self.put("tasks.md", &text)
    }

    /// The data of a command, judged by its schema.
    #[track_caller]
    fn data(&self, args: &[&str]) -> Value {
        let out = self.repo.spec([args, &["--format", "json"]].concat()).exits(0);
        assert_eq!(
            schemas::faults(out.stdout.as_bytes(), out.stderr.as_bytes()),
            [""; 0]
        );
        out.json()["data"].clone()
    }

    /// The change stands at a step, and its work goes on with a node; asking changes nothing.
    #[track_caller]
    fn stands(&self, step: &str, node: &str) -> &Self {
        let before = self.repo.snapshot();
        let status = self.data(&["status"]);
        let module = &status["modules"][0];
        assert_eq!(status["proposal_step"], step);
        assert_eq!(module["active_change"]["proposal_step"], step);
        assert_eq!(module["active_change"]["slug"], SLUG);
        assert!(!module["suggestion"].as_str().expect("a text").is_empty());
        let next = self.data(&["next"]);
        assert_eq!(
            (&next["proposal_step"], &next["active_change"]),
            (&json!(step), &json!(SLUG))
        );
        let module = &next["modules"][0];
        assert_eq!(module["proposal_step"], step);
        assert_eq!(module["next_node"]["id"], node, "{next}");
        assert_eq!(self.repo.snapshot(), before, "`status` and `next` write nothing");
        self
    }

    /// `next --auto` passes no gate and writes nothing. Returns its data.
    #[track_caller]
    fn passes_nothing(&self) -> Value {
        let before = self.repo.snapshot();
        let data = self.data(&["next", "--auto"]);
        assert_eq!(
            (&data["gate_auto_passed"], &data["gate_id"]),
            (&json!(false), &Value::Null)
        );
        assert_eq!(self.repo.snapshot(), before);
        data
    }

    /// `next --auto` passes a gate, and tells the audit trail.
    #[track_caller]
    fn passes(&self, gate: &str, step: &str) -> Value {
        let trail = in_folder("GATE_AUTO_PASSED");
        let lines = |walk: &Self| match walk.repo.exists(&trail) {
            true => walk.repo.read(&trail).lines().count(),
            false => 0,
        };
        let before = lines(self);
        let data = self.data(&["next", "--auto"]);
        let told = [&data["gate_auto_passed"], &data["gate_id"], &data["skippable"]];
        assert_eq!(told, [&json!(true), &json!(gate), &json!(true)]);
        assert!(data.get("auto_execute").is_none());
        assert_eq!(lines(self), before + 1);
        let last = self
            .repo
            .read(&trail)
            .lines()
            .last()
            .expect("just written")
            .to_owned();
        let line: Value = serde_json::from_str(&last).expect("a line of JSON");
        assert_eq!(
            (&line["gate_id"], &line["proposal_step"]),
            (&json!(gate), &json!(step))
        );
        data
    }

    /// `next --auto` orders a command.
    #[track_caller]
    fn orders(&self, command: &str) -> &Self {
        let data = self.passes_nothing();
        assert_eq!(data["auto_execute"], true, "{data}");
        assert_eq!(
            (&data["command"], &data["modules"][0]["command"]),
            (&json!(command), &json!(command))
        );
        self
    }

    #[track_caller]
    fn merge(&self) -> &Self {
        let before = self.repo.git(["rev-parse", "HEAD"]);
        self.repo.spec(["merge", SLUG]).exits(0);
        assert_ne!(
            self.repo.git(["rev-parse", "HEAD"]),
            before,
            "a merge is a commit"
        );
        self.repo.fsck();
        self
    }

    /// Archives, and no change is active any more.
    #[track_caller]
    fn archive(&self) {
        self.commit("Tell what was done");
        self.repo.spec(["archive", SLUG]).exits(0);
        self.repo.fsck();
        assert_eq!(self.repo.git(["status", "--porcelain"]), "");
        let status = self.data(&["status"]);
        assert_eq!(
            (
                &status["active_change"],
                &status["proposal_step"],
                &status["active_proposals"]
            ),
            (&Value::Null, &Value::Null, &json!([]))
        );
        let next = self.data(&["next", "--auto"]);
        assert_eq!(next["command"], "git spec change <slug>");
        assert!(next["modules"][0].get("next_node").is_none());
    }
}

const DEPLOYED: &str = "- Deployment required: yes\n- Deployment reason: by hand\n- Affected environments: staging\n\
                        - Data migration involved: no\n- Rollback plan required: no\n- Smoke required: yes";
const NOT_DEPLOYED: &str = "- Deployment required: no\n- Deployment reason: words only\n- Affected environments: none\n\
                            - Data migration involved: no\n- Rollback plan required: no\n- Smoke required: no";
const DELTA: &str = "## MODIFIED — Bread\n## Bread\nMondays are cheaper.\n";

#[test]
fn from_the_draft_to_the_archive() {
    let walk = Walk::begin("cli");
    walk.stands("writing", "write-proposal").passes_nothing();
    walk.propose(DEPLOYED, "\n## Reused test IDs\n\n- UT-S01-01 — stays green\n");
    walk.stands("writing", "write-proposal");
    let open = ["[ ] copy the build", "[ ] restart"];
    walk.plan(&[
        (
            "delta",
            &["[ ] write deltas/prd/1-product-requirements/till-01-prices.md"],
        ),
        ("code", &[]),
        ("deploy", &open),
    ]);
    walk.stands("ready-to-delta", "write-delta").commit("Propose");

    let passed = walk.passes("plan-exit", "ready-to-delta");
    assert_eq!(passed["proposal_step"], "delta-writing");
    assert_eq!(passed["modules"][0]["next_node"]["id"], "write-delta");
    assert_eq!(walk.repo.read(&in_folder("PLAN_APPROVED")), "");
    walk.stands("delta-writing", "write-delta").passes_nothing();

    walk.put("deltas/prd/1-product-requirements/till-01-prices.md", DELTA);
    let delta: (&str, &[&str]) = (
        "delta",
        &["[x] write deltas/prd/1-product-requirements/till-01-prices.md"],
    );
    walk.plan(&[delta, ("code", &[]), ("deploy", &open)]);
    walk.stands("ready-to-merge", "generate-merge-prompt")
        .commit("Write the delta");
    let passed = walk.passes("spec-exit", "ready-to-merge");
    assert_eq!(passed["command"], format!("git spec merge {SLUG}"));
    assert!(passed["modules"][0].get("next_node").is_none());
    walk.passes("spec-exit", "ready-to-merge");

    walk.merge();
    assert!(walk.repo.read(RULES).contains("Mondays are cheaper."));
    walk.stands("ready-to-implement", "plan-slices").passes_nothing();
    let next = walk.data(&["next"]);
    assert_eq!(
        next["modules"][0]["code_planning_diagnostic"]["reason"],
        "slices-not-planned"
    );

    walk.plan(&[
        delta,
        ("code", &["[ ] price table UT-S01-01", "[ ] receipt"]),
        ("deploy", &open),
    ]);
    walk.stands("ready-to-implement", "plan-slices");
    assert_eq!(
        walk.data(&["next"])["modules"][0]["next_node"]["gate_id"],
        "slice-exit"
    );
    let passed = walk.passes("slice-exit", "ready-to-implement");
    assert_eq!(
        passed["modules"][0]["next_node"]["slice"],
        "price table UT-S01-01"
    );
    assert_eq!(passed["modules"][0]["loop_state"]["iteration"], 0);
    walk.stands("coding", "code").passes_nothing();

    walk.plan(&[
        delta,
        ("code", &["[x] price table UT-S01-01", "[x] receipt"]),
        ("deploy", &open),
    ]);
    walk.repo.write(
        "logos/resources/verify/test-results.jsonl",
        "{\"id\":\"UT-S01-01\",\"status\":\"pass\"}\n",
    );
    walk.stands("ready-to-verify", "verify").orders("git spec verify");

    // A red round, then a green one.
    walk.put(
        "LOOP_ITERS",
        "{\"module\":\"till\",\"iter\":1,\"result\":\"fail\"}\n",
    )
    .put("VERIFY_FAIL", "");
    walk.stands("verify-failed", "code").passes_nothing();
    walk.put(
        "LOOP_ITERS",
        "{\"module\":\"till\",\"iter\":1,\"result\":\"fail\"}\n{\"module\":\"till\",\"iter\":2,\"result\":\"pass\"}\n",
    );
    walk.repo.remove(&in_folder("VERIFY_FAIL"));
    walk.put("VERIFY_PASS", "");
    walk.stands("ready-to-deploy", "deploy");
    let passed = walk.passes("deliver-entry", "ready-to-deploy");
    assert_eq!(
        (&passed["command"], &passed["proposal_step"]),
        (&Value::Null, &json!("ready-to-deploy"))
    );

    let done = ["[x] copy the build", "[x] restart"];
    walk.plan(&[
        delta,
        ("code", &["[x] price table UT-S01-01", "[x] receipt"]),
        ("deploy", &done),
    ]);
    walk.put("DEPLOY_DONE", "");
    walk.stands("ready-to-smoke", "smoke").orders("git spec smoke");
    walk.put("SMOKE_FAIL", "");
    walk.stands("smoke-failed", "smoke").passes_nothing();
    walk.repo.remove(&in_folder("SMOKE_FAIL"));
    walk.put("SMOKE_PASS", "");
    walk.stands("smoke-passed", "archive")
        .orders(&format!("git spec archive {SLUG}"));
    walk.archive();
}

#[test]
fn words_only() {
    let walk = Walk::begin("cli");
    walk.propose(NOT_DEPLOYED, "Documentation-only.\n");
    walk.plan(&[(
        "delta",
        &["[ ] write deltas/prd/1-product-requirements/till-01-prices.md"],
    )]);
    walk.commit("Propose");
    walk.passes("plan-exit", "ready-to-delta");
    walk.put("deltas/prd/1-product-requirements/till-01-prices.md", DELTA);
    walk.stands("delta-writing", "write-delta");
    walk.plan(&[(
        "delta",
        &["[x] write deltas/prd/1-product-requirements/till-01-prices.md"],
    )]);
    walk.stands("ready-to-merge", "generate-merge-prompt")
        .commit("Write the delta")
        .merge();
    // No loop is in the way of a change without code.
    walk.stands("ready-to-verify", "verify").orders("git spec verify");
    walk.put("VERIFY_PASS", "");
    walk.stands("verify-passed", "archive")
        .orders(&format!("git spec archive {SLUG}"));
    walk.archive();
}

#[test]
fn code_only() {
    let walk = Walk::begin("cli");
    walk.propose(NOT_DEPLOYED, "");
    walk.plan(&[("code", &[])]);
    walk.stands("spec-complete-required", "apply-merge");
    assert_eq!(walk.data(&["status"])["reason"], "no_delta_spec_marker_missing");
    walk.commit("Propose").passes_nothing();
    walk.put("SPEC_MERGED", "");
    walk.stands("test-id-required", "apply-merge").passes_nothing();
    assert_eq!(
        walk.data(&["status"])["reason"],
        "code_change_requires_real_test_ids"
    );
    walk.propose(
        NOT_DEPLOYED,
        "\n## Reused test IDs\n\n- UT-S01-01 — stays green\n",
    );
    walk.stands("ready-to-implement", "plan-slices");
    walk.plan(&[("code", &["[ ] faster till"])]);
    walk.passes("slice-exit", "ready-to-implement");
    walk.plan(&[("code", &["[x] faster till"])]);
    // Passed before a green round is not passed.
    walk.put("VERIFY_PASS", "");
    walk.stands("ready-to-verify", "verify");
    walk.put(
        "LOOP_ITERS",
        "{\"module\":\"till\",\"iter\":1,\"result\":\"pass\"}\n",
    );
    walk.stands("verify-passed", "archive");
    walk.archive();
}

#[test]
fn rounds_that_are_used_up_are_a_gate_for_a_person() {
    let walk = Walk::begin("cli");
    walk.propose(
        NOT_DEPLOYED,
        "\n## Reused test IDs\n\n- UT-S01-01 — stays green\n",
    );
    walk.plan(&[("code", &["[x] faster till"])])
        .put("SPEC_MERGED", "")
        .put("SLICES_APPROVED", "")
        .commit("Code");
    let overlay = |skippable: bool| {
        format!(
            "overlay:\n- op: set-loop\n  subflow: implement\n  set: {{max_iters: 2, exhausted_gate: {{skippable: {skippable}}}}}\n"
        )
    };
    walk.repo.write("logos/flow/launched.yaml", overlay(false));
    walk.put("VERIFY_FAIL", "")
        .put("LOOP_ITERS", "{\"module\":\"till\",\"result\":\"fail\"}\n");
    walk.stands("verify-failed", "code").passes_nothing();
    walk.put(
        "LOOP_ITERS",
        &"{\"module\":\"till\",\"result\":\"fail\"}\n".repeat(2),
    );
    let gate = "gate:implement:loop-exhausted";
    let data = walk.data(&["next", "--auto"]);
    assert_eq!(
        (&data["gate_id"], &data["skippable"], &data["gate_auto_passed"]),
        (&json!(gate), &json!(false), &json!(false))
    );
    assert!(data["modules"][0].get("next_node").is_none());
    walk.repo.write("logos/flow/launched.yaml", overlay(true));
    let passed = walk.passes(gate, "verify-failed");
    assert_eq!(
        (&passed["proposal_step"], &passed["command"]),
        (&json!("verify-failed"), &Value::Null)
    );
}

#[test]
fn pages_may_be_drawn_before_the_plan_is_approved() {
    let walk = Walk::begin("web");
    let declaration = "\n## UI/UX Change Declaration\n\n```yaml\nui_impact: true\ndesign_system_mode: generated\n\
                       pages:\n  - prototype: till-1-sell.html\n```\n";
    walk.propose(NOT_DEPLOYED, declaration);
    walk.plan(&[(
        "delta",
        &["[ ] write deltas/prd/2-product-design/2-page-design/till-1-sell.html"],
    )]);
    walk.put(
        "deltas/prd/2-product-design/2-page-design/till-1-sell.html",
        "<p>Sell</p>\n",
    );
    walk.stands("ready-to-delta", "write-delta");
    walk.put("deltas/prd/1-product-requirements/till-01-prices.md", DELTA);
    walk.stands("delta-writing", "write-delta");
}
