//! Report, markers and the record of a deployment: the old ones or the new ones, never some of each.

use super::common::Tolls;
use super::{SLUG, copy, steps::at_every_step, without_git};

#[test]
fn verify_smoke_and_deploy_done_are_whole_whenever_they_die() {
    let tolls = Tolls::new();
    tolls.change(SLUG, &[]);
    let line = |id: &str, status: &str| format!("{{\"id\":\"{id}\",\"status\":\"{status}\"}}\n");
    let folder = format!("logos/changes/{SLUG}");
    tolls
        .write(
            "logos/resources/verify/test-results.jsonl",
            line("UT-S01-01", "pass") + &line("UT-S01-02", "skip") + &line("UT-S01-03", "pass"),
        )
        .write(
            "logos/resources/verify/smoke-results.jsonl",
            line("SMOKE-car-1", "pass"),
        )
        .write("logos/resources/test/smoke/core.md", "| SMOKE-car-1 |\n")
        .write("logos/resources/verify/deployment-report.md", "# Done\n")
        .write("logos/resources/verify/acceptance-report.md", "# Old\n")
        .write(
            &format!("{folder}/tasks.md"),
            "# Tasks\n\n## [deploy] Deploy\n- [ ] build\n",
        )
        .write(&format!("{folder}/VERIFY_FAIL"), "")
        .write(&format!("{folder}/SMOKE_FAIL"), "")
        // Without a module no loop is counted: a second run leaves the same.
        .write(
            "logos/.openlogos-guard",
            format!("{{\"activeChange\":\"{SLUG}\"}}\n"),
        );
    for command in ["verify", "smoke", "deploy-done"] {
        if command == "deploy-done" {
            tolls.remove(&format!("{folder}/VERIFY_FAIL"));
            tolls.write(&format!("{folder}/VERIFY_PASS"), "");
        }
        let template = copy(&tolls);
        for template in [&template, &without_git(&template)] {
            at_every_step(template, &[command], &[]);
            if command != "deploy-done" {
                at_every_step(template, &[command, "--html", "page.html"], &[]);
            }
        }
    }
}
