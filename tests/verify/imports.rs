//! Reports of test frameworks as the results of a run (verify.md 15).

use serde_json::{Value, json};

use crate::common::Tolls;
use crate::{LEDGER, all_pass, project, verify};

/// A `JUnit` report with these names, those that begin with `-` failing.
fn report(names: &[&str]) -> String {
    let case = |name: &&str| match name.strip_prefix('-') {
        Some(name) => format!("<testcase name='{name}'><failure message='no'/></testcase>"),
        None => format!("<testcase name='{name}'/>"),
    };
    let cases: Vec<String> = names.iter().map(case).collect();
    format!(
        "<testsuites><testsuite name='s'>{}</testsuite></testsuites>",
        cases.concat()
    )
}

const ALL: [&str; 3] = ["UT-S01-01 car", "ut_s01_02_lorry", "x (UT-S01-03)"];

/// A project that imports `out/junit.xml`, whose command writes it.
fn importing(names: &[&str], more: &Value) -> Tolls {
    let mut verify = json!({
        "imports": [{"format": "auto", "path": "out/*.xml"}],
        "pre_run_command": format!("mkdir -p out; printf \"%s\" \"{}\" > out/junit.xml", report(names)),
    });
    for (key, value) in more.as_object().expect("settings") {
        verify[key] = value.clone();
    }
    project(&verify)
}

#[test]
fn a_report_is_all_that_a_project_needs() {
    for mode in ["off", "auto"] {
        let tolls = importing(&ALL, &json!({"sandbox_mode": mode, "sandbox_root": "../boxes"}));
        let found = verify(&tolls);
        assert_eq!(found["gate"]["result"], "PASS", "{found}");
        assert_eq!(tolls.read(LEDGER).lines().count(), 3);
        if mode == "auto" {
            // It is read where the command wrote it, and no change beside the results.
            assert_eq!(found["sandbox"]["isolated"], true, "{found}");
            assert!(
                !found["sandbox"]["diagnostics"].to_string().contains("junit.xml"),
                "{found}"
            );
            assert!(!tolls.exists("out/junit.xml"));
        }
        // Again, with the report of before in place.
        assert_eq!(verify(&tolls)["gate"]["result"], "PASS");
        assert_eq!(tolls.read(LEDGER).lines().count(), 3);
    }
}

#[test]
fn a_failing_test_without_a_case_counts_as_the_project_says() {
    let names = [ALL[0], ALL[1], ALL[2], "-stray"];
    for (word, result, told) in [
        ("warn", "PASS", true),
        ("ignore", "PASS", false),
        ("fail", "FAIL", true),
    ] {
        let found = verify(&importing(&names, &json!({"unmapped_failures": word})));
        assert_eq!(found["gate"]["result"], result, "{word}: {found}");
        assert_eq!(
            found["pre_run"]["diagnostics"].to_string().contains("stray"),
            told,
            "{word}"
        );
    }
    let found = verify(&importing(&names, &json!({"unmapped_failures": "fail"})));
    assert_eq!(found["gate"]["reason"], "unmapped_failures");
}

#[test]
fn yesterdays_report_never_passes_today() {
    // The command writes none: that of before is gone.
    let tolls = importing(&ALL, &json!({"pre_run_command": "true"}));
    tolls.write("out/junit.xml", report(&ALL));
    let out = tolls.spec(["verify", "--format", "json"]).exits(1);
    assert!(out.stderr.contains("\"IMPORT_FILE_MISSING\""), "{out:?}");
    assert!(!tolls.exists("out/junit.xml"));
    // Nor one that is put back with its old time.
    let tolls = importing(
        &ALL,
        &json!({"pre_run_command": "mkdir -p out; cp -p keep out/junit.xml"}),
    );
    tolls.write("keep", report(&ALL));
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    let file = std::fs::File::options()
        .write(true)
        .open(tolls.path("keep"))
        .expect("it is there");
    file.set_modified(old).expect("a time can be set");
    let out = tolls.spec(["verify", "--format", "json"]).exits(1);
    assert!(out.stderr.contains("\"IMPORT_STALE\""), "{out:?}");
}

#[test]
fn what_git_tracks_is_not_removed_as_an_old_report() {
    let tolls = importing(
        &ALL,
        &json!({"imports": [{"format": "auto", "path": "**/*.xml"}]}),
    );
    tolls.write("src/layout.xml", "<layout/>");
    tolls.commit("Layout");
    tolls.write("out/old.xml", "<old/>");
    let before = tolls.snapshot();
    let out = tolls.spec(["verify", "--format", "json"]).exits(1);
    assert!(out.stderr.contains("\"IMPORT_TRACKED\""), "{out:?}");
    assert_eq!(tolls.snapshot(), before);
}

#[test]
fn what_is_no_import_is_told_before_anything_runs() {
    for entry in [
        json!({"format": "xunit", "path": "x.xml"}),
        json!({"format": "junit"}),
        json!({"format": "junit", "path": "x.xml", "stage": "later"}),
        json!("x.xml"),
    ] {
        let tolls = importing(&ALL, &json!({"imports": [entry]}));
        let out = tolls.spec(["verify", "--format", "json"]).exits(1);
        assert!(
            out.stderr.contains("\"CONFIG_IMPORT_INVALID\""),
            "{entry}: {out:?}"
        );
        assert!(!tolls.exists("out"));
    }
}

#[test]
fn without_a_command_reports_are_taken_as_they_are() {
    let tolls = project(&json!({"imports": [{"format": "junit", "path": "junit.xml"}]}));
    tolls.write("junit.xml", report(&["-UT-S01-01"]));
    tolls.write(LEDGER, all_pass());
    let found = verify(&tolls);
    assert_eq!(found["gate"]["reason"], "failed_cases", "{found}");
    assert_eq!(found["failed_cases"][0]["id"], "UT-S01-01");
}

/// Tests of this very program, for [`our_own_tests_are_a_report`].
mod own {
    #[test]
    fn ut_s01_01_is_said_by_its_name() {}

    mod ut_s01_02 {
        #[test]
        fn is_said_by_its_module() {}
    }

    #[test]
    #[ignore = "it is to be skipped"]
    fn ut_s01_03_is_skipped() {}
}

#[test]
fn our_own_tests_are_a_report() {
    let this = std::env::current_exe().expect("a test has a program");
    let this = this.display();
    let tolls = project(&json!({
        "imports": [{"format": "auto", "path": "out/*.json"}],
        "pre_run_command": format!(
            "mkdir -p out; RUSTC_BOOTSTRAP=1 '{this}' imports::own -Z unstable-options --format json > out/own.json"
        ),
    }));
    let found = verify(&tolls);
    assert_eq!(
        found["gate"],
        json!({"result": "PASS", "reason": null}),
        "{found}"
    );
    assert_eq!(found["skipped_cases"], json!(["UT-S01-03"]));
    assert_eq!(found["summary"]["passed_count"], 2);
}
