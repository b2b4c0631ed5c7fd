//! Repositories of known size, the same at every run.

use std::fmt::Write as _;

use crate::common::{self, Repo, Tolls};

/// The change of every generated project.
pub(crate) const SLUG: &str = "dearer";

const FILES: usize = 100_000;
const CHANGED_EVERY: usize = 10;

/// One document, one delta.
pub(crate) fn small() -> Repo {
    project(&[(Tolls::DELTA.to_owned(), document(1, 1, 10))], 1)
}

/// 500 documents of 200 lines; 200 of them have a delta.
pub(crate) fn large() -> Repo {
    let documents: Vec<(String, String)> = (1..=500)
        .map(|i| (format!("test/core-{i:03}-test-cases.md"), document(i, 4, 45)))
        .collect();
    project(&documents, 200)
}

/// One document of a megabyte.
pub(crate) fn long() -> Repo {
    project(&[(Tolls::DELTA.to_owned(), document(1, 100, 215))], 1)
}

/// 100,000 files, every tenth of them changed by the last commit.
pub(crate) fn wide() -> Repo {
    let repo = project(&[(Tolls::DELTA.to_owned(), document(1, 1, 10))], 1);
    let mut stream = String::new();
    let mut commit = |message: &str, every: usize| {
        stream.push_str("commit refs/heads/main\ncommitter Ada <ada@example.com> 1767323045 +0000\n");
        writeln!(stream, "data <<END\n{message}\nEND").expect("a string takes everything");
        if every == 1 {
            stream.push_str("from refs/heads/main^0\n");
        }
        for i in (0..FILES).step_by(every) {
            let path = format!("src/d{:03}/f{:03}.c", i / 1000, i % 1000);
            writeln!(stream, "M 100644 inline {path}\ndata <<END\n{message} {i}\nEND")
                .expect("a string takes everything");
        }
    };
    commit("first", 1);
    commit("second", CHANGED_EVERY);
    common::out(
        repo.command("git").args(["fast-import", "--quiet"]),
        stream.as_bytes(),
    )
    .exits(0);
    repo.git(["reset", "-q", "--hard"]);
    repo
}

/// 20 modules, half of them launched, with 500 documents, 200 scenarios, a change whose code is being written, and this
/// many finished changes.
pub(crate) fn grown(archived: usize) -> Repo {
    let repo = Repo::new();
    let mut registry = "project:\n  name: tolls\nmodules:\n".to_owned();
    for number in 1..=20 {
        let lifecycle = ["initial", "launched"][number % 2];
        writeln!(
            registry,
            "  - id: m{number:02}\n    name: Module {number}\n    lifecycle: {lifecycle}\n    product_type: cli"
        )
        .expect("a string takes everything");
    }
    registry.push_str("scenarios:\n");
    for number in 1..=200 {
        let module = number % 20 + 1;
        writeln!(
            registry,
            "  - {{id: S{number:03}, name: Scenario {number}, module: m{module:02}}}"
        )
        .expect("a string takes everything");
    }
    repo.write(
        "logos/logos.config.json",
        "{\"name\":\"tolls\",\"locale\":\"en\"}\n",
    )
    .write("logos/logos-project.yaml", registry)
    .write(
        "logos/.openlogos-guard",
        "{\"activeChange\":\"dearer\",\"module\":\"m01\"}\n",
    );
    let folders = [
        "prd/3-technical-plan/2-scenario-implementation",
        "api",
        "test",
        "implementation",
        "prd/1-product-requirements",
    ];
    for number in 1..=500 {
        let (folder, module) = (folders[number % 5], number % 20 + 1);
        let path = format!("logos/resources/{folder}/m{module:02}-S{number:03}-test-cases.md");
        repo.write(&path, document(number, 1, 40));
    }
    write_change(&repo, &format!("logos/changes/{SLUG}"));
    repo.write(
        &format!("logos/changes/{SLUG}/LOOP_ITERS"),
        "{\"module\":\"m01\",\"result\":\"fail\"}\n",
    )
    .write(
        "logos/resources/verify/test-results.jsonl",
        "{\"id\":\"UT-S001-01\",\"status\":\"pass\"}\n{\"id\":\"UT-S001-02\",\"status\":\"fail\"}\n",
    );
    for number in 1..=archived {
        write_change(
            &repo,
            &format!("logos/changes/archive/20260101-0000-old-{number:05}"),
        );
    }
    repo
}

/// A change whose code is being written.
fn write_change(repo: &Repo, folder: &str) {
    let proposal = "# Change\n\n> module: m01\n\n## Reason\nPrices change.\n\n## Change Type\ncode-level\n\n\
                    ## Scope\nLanes.\n\n## Summary\nDearer.\n";
    let tasks = "# Tasks\n\n## [delta] Spec changes\n- [x] write deltas/test/m01-S001-test-cases.md\n\n\
                 ## [code] Implementation\n- [x] first UT-S001-01\n- [ ] second UT-S001-02\n";
    let delta = "## ADDED — 1. Lane\n\n| ID | Title |\n|---|---|\n| UT-S001-02 | car |\n";
    repo.write(&format!("{folder}/proposal.md"), proposal)
        .write(&format!("{folder}/tasks.md"), tasks)
        .write(&format!("{folder}/deltas/test/m01-S001-test-cases.md"), delta)
        .write(&format!("{folder}/SPEC_MERGED"), "")
        .write(&format!("{folder}/SLICES_APPROVED"), "");
}

/// A committed project with these documents; the first `changed` of them have a delta.
fn project(documents: &[(String, String)], changed: usize) -> Repo {
    let repo = Repo::new();
    repo.write(
        "logos/logos.config.json",
        "{\"name\":\"tolls\",\"locale\":\"en\"}\n",
    )
    .write(
        "logos/logos-project.yaml",
        "project:\n  name: tolls\nmodules:\n  - id: core\n    name: Core\n    lifecycle: launched\n",
    );
    for (path, content) in documents {
        repo.write(&format!("logos/resources/{path}"), content);
    }
    repo.commit("Lay down the tolls");
    let folder = format!("logos/changes/{SLUG}");
    let proposal = "# Change: dearer\n\n> module: core\n\n## Why\nPrices change.\n";
    repo.write(&format!("{folder}/proposal.md"), proposal);
    let mut tasks = "# Tasks\n\n## [delta] Spec changes\n".to_owned();
    for (path, content) in &documents[..changed] {
        repo.write(&format!("{folder}/deltas/{path}"), delta(content));
        writeln!(tasks, "- [x] write deltas/{path}").expect("a string takes everything");
    }
    tasks.push_str("\n## [code] Implementation\n- [ ] Implement code changes\n");
    repo.write(&format!("{folder}/tasks.md"), tasks);
    repo.commit("Propose dearer tolls");
    repo
}

/// A document of sections, each a table of test cases.
fn document(number: usize, sections: usize, rows: usize) -> String {
    let mut text = format!("# Toll tests {number}\n");
    for section in 1..=sections {
        write!(
            text,
            "\n## {section}. Lane\n\n| ID | Title | Expected |\n|----|-------|----------|\n"
        )
        .expect("a string takes everything");
        for row in 1..=rows {
            let id = format!("UT-S{number:03}-{:05}", section * 1000 + row);
            writeln!(text, "| {id} | vehicle {row} of lane {section} | {row} |")
                .expect("a string takes everything");
        }
    }
    text
}

/// Replaces the first section of a document, with another value in its first row.
fn delta(document: &str) -> String {
    let body = document.split("\n## 1. Lane\n").nth(1).unwrap_or_default();
    let end = body.find("\n## ").unwrap_or(body.len());
    let body = body[..end].replacen("| 1 |\n", "| 7 |\n", 1);
    format!("## MODIFIED — 1. Lane\n{}\n", body.trim_end())
}
