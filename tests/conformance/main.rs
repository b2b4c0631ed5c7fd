//! The conformance cases of `testdata/conformance`, run against the built program: one test per area.
//!
//! `GIT_SPEC_CASE=word` runs only the cases whose `area/name` holds the word, `GIT_SPEC_BIN=path` another program.
//! The rules of comparing are those of `testdata/conformance/README.md`; JSON is also judged by the schemas of `schema/`.

mod child;
mod compare;
mod disputed;
mod flow_pairs;
mod merge;
mod normal;
mod packed;
mod pairs;
#[path = "../common/schemas.rs"]
mod schemas;
mod steps;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rayon::prelude::*;

use packed::Packed;

const SHOWN: usize = 12;

/// Runs one case and returns what differs; nothing is a pass.
type Check = fn(&Packed, &Path) -> Result<Vec<String>, String>;

#[test]
fn change() {
    judge("change", steps::check);
}

#[test]
fn ci() {
    judge("ci", steps::check);
}

/// Cases of our own: the packed corpus has no symbolic links.
#[test]
fn links() {
    judge("links", steps::check);
}

#[test]
fn flow() {
    judge("flow", steps::check);
}

#[test]
fn logos_project() {
    judge("logos-project", steps::check);
}

#[test]
fn merge() {
    judge("merge", merge::check);
}

fn loop_pairs(case: &Packed, program: &Path) -> Result<Vec<String>, String> {
    pairs::check("loop", case, program)
}

#[test]
fn loop_guard() {
    judge("loop-guard", loop_pairs);
}

#[test]
fn loop_route() {
    judge("loop-route", loop_pairs);
}

#[test]
fn loop_summary() {
    judge("loop-summary", loop_pairs);
}

#[test]
fn loop_validate() {
    judge("loop-validate", loop_pairs);
}

fn silly_pairs(case: &Packed, program: &Path) -> Result<Vec<String>, String> {
    pairs::check("silly", case, program)
}

#[test]
fn silly_change_list() {
    judge("silly-change-list", silly_pairs);
}

#[test]
fn silly_guard() {
    judge("silly-guard", silly_pairs);
}

#[test]
fn silly_knowledge() {
    judge("silly-knowledge", silly_pairs);
}

#[test]
fn silly_local() {
    judge("silly-local", silly_pairs);
}

#[test]
fn silly_modules() {
    judge("silly-modules", silly_pairs);
}

#[test]
fn silly_plan() {
    judge("silly-plan", silly_pairs);
}

#[test]
fn silly_tasks() {
    judge("silly-tasks", silly_pairs);
}

#[test]
fn silly_flow() {
    judge("silly-flow", flow_pairs::check);
}

#[test]
fn silly_init() {
    judge("silly-init", steps::check_silly);
}

#[test]
fn silly_quicklog() {
    judge("silly-quicklog", flow_pairs::check);
}

#[test]
fn silly_worktree() {
    judge("silly-worktree", steps::check_silly);
}

#[test]
fn state() {
    judge("state", steps::check);
}

#[test]
fn verify() {
    judge("verify", steps::check);
}

#[test]
fn every_disputed_case_exists() {
    for case in disputed::read(&root().join("DISPUTED.md")).keys() {
        let packed = root().join(format!("{case}.json"));
        assert!(packed.is_file(), "DISPUTED.md names `{case}`, which is no case");
    }
}

fn judge(area: &str, check: Check) {
    let program = program();
    let wanted = std::env::var("GIT_SPEC_CASE").unwrap_or_default();
    let disputed = disputed::read(&root().join("DISPUTED.md"));
    let cases: Vec<Packed> = packed::all(&root().join(area))
        .into_iter()
        .filter(|case| format!("{area}/{}", case.name).contains(&wanted))
        .collect();
    let faults: Vec<Vec<String>> = workers().install(|| {
        cases
            .par_iter()
            .map(|case| check(case, &program).unwrap_or_else(|e| vec![format!("could not run: {e}")]))
            .collect()
    });
    let (mut failed, mut report) = (0, Vec::new());
    for (case, faults) in cases.iter().zip(faults) {
        let name = format!("{area}/{}", case.name);
        match disputed.get(&name) {
            Some(reason) if faults.is_empty() => {
                report.push(format!(
                    "PASS {name}: its line in DISPUTED.md is stale ({reason})"
                ));
            }
            None if !faults.is_empty() => {
                report.push(format!("FAIL {name}: {}", case.title()));
                report.extend(faults.iter().take(SHOWN).map(|fault| format!("     {fault}")));
                if faults.len() > SHOWN {
                    report.push(format!("     … and {} more", faults.len() - SHOWN));
                }
            }
            Some(_) | None => continue,
        }
        failed += 1;
    }
    let passed = cases.len() - failed;
    assert!(
        failed == 0,
        "\n{}\n{area}: {passed} passed, {failed} failed",
        report.join("\n")
    );
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/conformance")
}

fn program() -> PathBuf {
    let given = std::env::var_os("GIT_SPEC_BIN").map(PathBuf::from);
    let program = given.unwrap_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_git-spec")));
    program
        .canonicalize()
        .unwrap_or_else(|e| panic!("{}: {e}", program.display()))
}

/// Two workers for all areas together: a case is a handful of processes, and the tests run side by side.
fn workers() -> &'static rayon::ThreadPool {
    static POOL: OnceLock<rayon::ThreadPool> = OnceLock::new();
    POOL.get_or_init(|| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(2)
            .build()
            .expect("two threads can be had")
    })
}
