//! `--html`: one page that stands for itself, whatever is written into it.

use std::path::PathBuf;
use std::process::Command;

use serde_json::json;

use crate::common::{Tolls, out};
use crate::html::Page;
use crate::{LEDGER, REPORT, all_pass, configure, data, project, verify};

const SMOKE_LEDGER: &str = "logos/resources/verify/smoke-results.jsonl";
/// What a page must show and never do; hidden characters are shown by their names.
const HOSTILE: [(&str, &str); 5] = [
    ("UT-<script>alert(1)</script>", "UT-<script>alert(1)</script>"),
    (
        "UT-\"'><img src=https://x.example/a onerror='x'>",
        "UT-\"'><img src=https://x.example/a onerror='x'>",
    ),
    ("UT-&amp;&lt;&#60;", "UT-&amp;&lt;&#60;"),
    ("UT-\u{1b}[31m\u{0}\u{85}x", "UT-\\x1B[31m\\x00\\x85x"),
    ("UT-\u{202e}\u{feff}\u{2066}", "UT-\\u{202E}\\u{FEFF}\\u{2066}"),
];

/// A project with a case of each outcome, criteria, a checklist, and a ledger that nobody should trust.
fn hostile() -> Tolls {
    let tolls = project(&json!({}));
    let more = "\n| UT-S01-77 [manual] | by hand | 1 |\n\n## 3. Coverage Validation\n- [ ] <b>all</b> & \u{202e}lanes\n- [x] done\n\n## 4. Acceptance Criteria Traceability\n\n| S01-AC-01 | pays <script>\"a\" | UT-S01-01, UT-S01-02, UT-S01-77 |\n| S01-AC-02 | b | nothing |\n";
    tolls.write(Tolls::DOCUMENT, Tolls::CONTENT.to_owned() + more);
    let mut rows = vec![
        json!({"id": "UT-S01-01", "status": "pass"}),
        json!({"id": "UT-S01-02", "status": "fail", "error": "<script>1</script>\nline two & \u{202e}"}),
        json!({"id": "UT-<skip>", "status": "skip"}),
    ];
    for (id, _) in HOSTILE {
        rows.push(json!({"id": id, "status": "fail", "error": id}));
        rows.push(json!({"id": format!("OK{id}"), "status": "pass"}));
    }
    let rows: Vec<String> = rows.iter().map(|row| format!("{row}\n")).collect();
    tolls.write(LEDGER, rows.concat());
    tolls
}

#[test]
fn a_page_tells_everything_and_lets_nothing_act() {
    let tolls = hostile();
    let without = verify(&tolls);
    let report = tolls.read(REPORT);
    let with = data(&tolls.spec(["verify", "--html", "page.html", "--format", "json"]));
    assert_eq!((&with, tolls.read(REPORT)), (&without, report));
    let html = tolls.read("page.html");
    let page = Page::read(&html);
    page.is_harmless_and_readable("en");
    let lines = page.lines();
    for shown in [
        "Gate 3.5: FAIL (result_ledger_inconsistent)",
        "FAIL (result_ledger_inconsistent)",
        "Coverage",
        "<script>1</script>",
        "line two & \\u{202E}",
        "<b>all</b> & \\u{202E}lanes",
        "pays <script>\"a\"",
        "UT-S01-01: pass",
        "UT-S01-02: fail",
        "UT-S01-77: manual",
        "no linked cases",
        "S01-AC-01",
        "S01-AC-02",
        "1 of 2 ticked",
        // Passed, failed, skipped, uncovered, manual.
        "UT-S01-01",
        "UT-S01-02",
        "UT-<skip>",
        "UT-S01-03",
        "UT-S01-77",
    ] {
        assert!(lines.contains(shown), "{shown}: {}", page.text);
    }
    assert!(lines.contains(format!("{}%", with["summary"]["coverage_pct"]).as_str()));
    for (_, shown) in HOSTILE {
        assert!(lines.contains(shown), "{shown}: {}", page.text);
        assert!(
            lines.contains(format!("OK{shown}").as_str()),
            "{shown}: {}",
            page.text
        );
    }
    // A day has one page.
    let again = tolls
        .program()
        .args(["verify", "--html", "again.html"])
        .env("GIT_SPEC_NOW", "2026-01-02T23:59:59Z")
        .output();
    assert_eq!(again.expect("it runs").status.code(), Some(1));
    assert_eq!(tolls.read("again.html"), html);
}

#[test]
fn a_page_speaks_the_language_of_its_reader() {
    let tolls = hostile();
    let mut program = tolls.program();
    program
        .args(["verify", "--html", "page.html"])
        .env("GIT_SPEC_LANG", "zh");
    out(&mut program, b"").exits(1);
    let page = Page::read(&tolls.read("page.html"));
    page.is_harmless_and_readable("zh");
    let lines = page.lines();
    for shown in [
        "验收报告",
        "覆盖率",
        "失败用例",
        "未覆盖用例",
        "验收条件追溯",
        "UT-S01-02: 失败",
        "UT-S01-77: 人工",
    ] {
        assert!(lines.contains(shown), "{shown}: {}", page.text);
    }
    assert!(page.text.contains("Gate 3.5 门禁: FAIL"), "{}", page.text);
    assert!(
        !page.text.contains("Summary") && !page.text.contains("Failed"),
        "{}",
        page.text
    );
    // The report itself is read back by programs.
    assert!(tolls.read(REPORT).contains("\n## Failed Cases\n"));
}

#[test]
fn an_open_gate_is_shown_as_such() {
    let tolls = project(&json!({}));
    tolls.write(LEDGER, all_pass());
    tolls.spec(["verify", "--html=page.html"]).exits(0);
    let page = Page::read(&tolls.read("page.html"));
    page.is_harmless_and_readable("en");
    let lines = page.lines();
    for shown in ["Gate 3.5: PASS", "100%", "UT-S01-01", "UT-S01-02", "UT-S01-03"] {
        assert!(lines.contains(shown), "{shown}: {}", page.text);
    }
}

fn smoke_project() -> Tolls {
    let tolls = Tolls::new();
    configure(&tolls, &json!({}));
    tolls.write(
        "logos/resources/test/smoke/core.md",
        "| SMOKE-car-1 |\n| SMOKE-car-2 |\n| SMOKE-car-3 |\n",
    );
    let rows = [
        json!({"id": "SMOKE-car-1", "status": "pass"}),
        json!({"id": "SMOKE-car-2", "status": "fail", "error": "<script src='http://x.example'>"}),
    ];
    tolls.write(SMOKE_LEDGER, rows.map(|row| format!("{row}\n")).concat());
    tolls
}

#[test]
fn smoke_has_a_page_too() {
    let tolls = smoke_project();
    let args = ["smoke", "--env", "<i>\u{202e}&", "--format", "json"];
    let without = data(&tolls.spec(args));
    let with = data(&tolls.spec(args.iter().chain(&["--html", "page.html"])));
    assert_eq!(with, without);
    let page = Page::read(&tolls.read("page.html"));
    page.is_harmless_and_readable("en");
    let lines = page.lines();
    for shown in [
        "Gate 3.8: FAIL (failed_cases)",
        "<i>\\u{202E}&",
        "SMOKE-car-1",
        "SMOKE-car-2",
        "SMOKE-car-3",
        "<script src='http://x.example'>",
    ] {
        assert!(lines.contains(shown), "{shown}: {}", page.text);
    }
}

#[test]
fn a_page_lies_where_the_user_wants_it_from_where_he_stands() {
    let tolls = project(&json!({}));
    tolls.write(LEDGER, all_pass()).write("pages/old.html", "old");
    std::os::unix::fs::symlink("old.html", tolls.path("pages/link.html")).expect("a link can be made");
    let outside = tolls.home().join("out.html");
    tolls.spec_in("pages", ["verify", "--html", "new.html"]).exits(0);
    tolls.spec_in("pages", ["verify", "--html", "link.html"]).exits(0);
    tolls
        .spec(["verify".into(), "--html".into(), outside.clone().into_os_string()])
        .exits(0);
    let page = tolls.read("pages/new.html");
    assert_eq!(tolls.read("pages/old.html"), page);
    assert!(tolls.path("pages/link.html").is_symlink());
    assert_eq!(std::fs::read_to_string(outside).expect("it is there"), page);
}

#[test]
fn a_page_that_cannot_be_written_leaves_everything_as_it_was() {
    let tolls = project(&json!({"pre_run_command": "touch ran"}));
    tolls.write(LEDGER, all_pass());
    std::os::unix::fs::symlink("nowhere", tolls.path("dangling.html")).expect("a link can be made");
    let before = tolls.snapshot();
    for file in [
        "missing/page.html",
        "logos",
        "",
        "/dev/null",
        "dangling.html",
        "logos/logos.config.json/x",
    ] {
        let out = tolls
            .spec(["verify", "--format", "json", &format!("--html={file}")])
            .exits(1);
        assert!(
            out.stdout.is_empty() && out.stderr.contains("\"USAGE\""),
            "{file}: {out:?}"
        );
        // Told before any command runs.
        assert_eq!(tolls.snapshot(), before, "{file}");
    }
    tolls.spec(["verify", "--html", "--format", "json"]).exits(1);
    assert_eq!(tolls.snapshot(), before);
}

#[test]
fn a_page_takes_no_file_from_the_run_that_makes_it() {
    let tolls = project(&json!({}));
    tolls.write(LEDGER, all_pass());
    std::os::unix::fs::symlink(REPORT, tolls.path("link.html")).expect("a link can be made");
    tolls.write(REPORT, "old");
    let before = tolls.snapshot();
    for file in [
        REPORT,
        "link.html",
        "./logos/../logos/resources/verify/acceptance-report.md",
    ] {
        let out = tolls.spec(["verify", "--html", file]).exits(1);
        assert!(out.stderr.contains("[USAGE]"), "{out:?}");
        assert_eq!(tolls.snapshot(), before, "{file}");
    }
}

#[test]
fn report_page_and_markers_are_all_old_if_any_step_fails() {
    for (command, ledger, old_page) in [
        ("verify", LEDGER, true),
        ("verify", LEDGER, false),
        ("smoke", SMOKE_LEDGER, true),
    ] {
        let tolls = if command == "smoke" {
            smoke_project()
        } else {
            project(&json!({}))
        };
        tolls.change("car-price", &[]);
        tolls.write(
            "logos/.openlogos-guard",
            json!({"activeChange": "car-price", "module": "core"}).to_string(),
        );
        if command == "verify" {
            tolls.write(ledger, all_pass());
        }
        if old_page {
            tolls.write("page.html", "old");
        }
        let before = tolls.snapshot();
        let mut steps = 0;
        for step in 1.. {
            let mut program = tolls.program();
            program
                .args([command, "--html", "page.html"])
                .env("GIT_SPEC_FAIL_AT", step.to_string());
            let out = out(&mut program, b"");
            if !out.stderr.contains("a fault was injected here") {
                break;
            }
            out.exits(1);
            assert_eq!(tolls.snapshot(), before, "{command}: step {step}");
            steps = step;
        }
        assert!(steps > 5, "{steps}");
        Page::read(&tolls.read("page.html")).is_harmless_and_readable("en");
    }
}

/// How long a browser may take for a page.
const BROWSER: std::time::Duration = std::time::Duration::from_secs(60);

/// A browser that needs no screen.
fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
        "chrome",
    ];
    std::env::split_paths(&path)
        .flat_map(|dir| names.map(|name| dir.join(name)))
        .find(|file| file.is_file())
}

#[test]
fn a_browser_shows_the_page() {
    let Some(browser) = browser() else {
        #[expect(clippy::print_stdout, reason = "what was not tested is told")]
        {
            println!("skipped: there is no chromium or chrome on the path");
        }
        return;
    };
    let tolls = hostile();
    tolls.spec(["verify", "--html", "page.html"]).exits(1);
    let page = format!("file://{}", tolls.path("page.html").display());
    let profile = format!("--user-data-dir={}", tolls.home().join("profile").display());
    let run = |wanted: &str| {
        let flags = [
            "--headless",
            "--disable-gpu",
            "--no-sandbox",
            "--window-size=360,800",
        ];
        let printed = tolls.home().join("printed");
        let file = std::fs::File::create(&printed).expect("made");
        let mut child = Command::new(&browser)
            .args(flags)
            .args([&profile, wanted, &page])
            .stdout(file)
            .spawn()
            .expect("it can be started");
        // A browser that cannot draw here waits for ever.
        let start = std::time::Instant::now();
        let status = loop {
            match child.try_wait().expect("it is our child") {
                Some(status) => break status,
                None if start.elapsed() > BROWSER => {
                    child.kill().expect("it can be killed");
                    child.wait().expect("it was killed");
                    panic!("`{}` did not end within {BROWSER:?}", browser.display());
                }
                None => std::thread::sleep(std::time::Duration::from_millis(50)),
            }
        };
        assert!(status.success(), "{status}");
        std::fs::read_to_string(&printed).expect("it is text")
    };
    let shot = tolls.home().join("page.png");
    run(&format!("--screenshot={}", shot.display()));
    assert!(std::fs::read(&shot).expect("a picture").starts_with(b"\x89PNG"));
    let dom = run("--dump-dom");
    assert!(
        !dom.to_lowercase().contains("<script") && !dom.contains("<img"),
        "{dom}"
    );
    // Between tags a browser writes quotes as they are.
    let written = |text: &str| {
        text.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
    };
    let ids = ["UT-S01-01", "UT-S01-02", "UT-S01-03", "UT-S01-77", "UT-<skip>"];
    for id in ids.into_iter().chain(HOSTILE.map(|(_, shown)| shown)) {
        assert!(dom.contains(&written(id)), "{id}: {dom}");
    }
}
