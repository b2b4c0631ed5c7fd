//! Ledgers and the Markdown of a change: read to their end whatever they hold (flow.md 7, 10.7 and 11).

use super::{RESULTS, all_succeed, ask, coding, for_each, in_change};

const FAIL: &str = "{\"module\":\"core\",\"result\":\"fail\"}\n";

#[test]
fn rounds_are_counted_past_lines_that_are_none() {
    let ledgers: Vec<(&str, Vec<u8>, u64)> = vec![
        (
            "a long line",
            [vec![b'x'; 100 << 20], b"\n".to_vec(), FAIL.into()].concat(),
            1,
        ),
        (
            "a long record",
            format!(
                "{{\"module\":\"core\",\"x\":\"{}\"}}\n{FAIL}",
                "y".repeat(20 << 20)
            )
            .into_bytes(),
            1,
        ),
        (
            "a long list",
            format!(
                "{{\"module\":\"core\",\"x\":[{}1]}}\n{FAIL}",
                "1,".repeat(10 << 20)
            )
            .into_bytes(),
            1,
        ),
        ("many rounds", FAIL.repeat(200_000).into_bytes(), 200_000),
        (
            "blank lines",
            format!("{}{FAIL}", "\n".repeat(1 << 20)).into_bytes(),
            1,
        ),
        ("no lines", vec![0; 10 << 20], 0),
        ("deep", format!("{}\n{FAIL}", "[".repeat(100_000)).into_bytes(), 1),
        (
            "noise",
            [(0..=255).collect(), b"\n".to_vec(), FAIL.into()].concat(),
            1,
        ),
        (
            "other modules",
            format!("{FAIL}{{\"module\":7}}\n{{\"module\":\"x\"}}\n[]\n7\n{FAIL}").into_bytes(),
            2,
        ),
        ("nothing", Vec::new(), 0),
    ];
    for_each(&ledgers, |(name, ledger, rounds)| {
        let repo = coding();
        repo.write(&in_change("LOOP_ITERS"), ledger);
        let status = all_succeed(&repo);
        assert_eq!(status["modules"][0]["loop_state"]["iteration"], *rounds, "{name}");
    });
}

#[test]
fn results_are_read_past_lines_that_are_none() {
    let pass = "{\"id\":\"UT-S01-01\",\"status\":\"pass\"}\n";
    let many = |status: &str| -> String {
        (0..100_000)
            .map(|n| format!("{{\"id\":\"UT-{n}\",\"status\":\"{status}\"}}\n"))
            .collect::<Vec<_>>()
            .concat()
    };
    let ledgers: Vec<(&str, Vec<u8>, usize)> = vec![
        (
            "a long line",
            [vec![b'{'; 100 << 20], b"\n".to_vec(), pass.into()].concat(),
            1,
        ),
        (
            "failures",
            format!("{pass}{}", many("fail")).into_bytes(),
            100_001,
        ),
        ("passes", format!("{pass}{}", many("pass")).into_bytes(), 1),
        (
            "deep",
            format!("{}\n{pass}", "{\"a\":".repeat(100_000)).into_bytes(),
            1,
        ),
        (
            "types",
            format!("{pass}{{\"id\":7,\"status\":\"fail\"}}\n{{\"id\":\"UT-2\",\"status\":[]}}\n[]\n")
                .into_bytes(),
            1,
        ),
    ];
    for_each(&ledgers, |(name, ledger, failed)| {
        let repo = coding();
        repo.write(RESULTS, ledger);
        let status = all_succeed(&repo);
        let diagnostic = &status["modules"][0]["automation_diagnostic"];
        assert_eq!(
            diagnostic["failed_tests"].as_array().map(Vec::len),
            Some(*failed),
            "{name}"
        );
    });
}

#[test]
fn a_report_may_name_many_failures() {
    let repo = coding();
    let ids: String = (0..100_000)
        .map(|n| format!("| UT-S01-{n} |\n"))
        .collect::<Vec<_>>()
        .concat();
    repo.write(
        "logos/resources/verify/acceptance-report.md",
        format!("## Failed Cases\n{ids}\n## Rest\nUT-X-1\n"),
    );
    let status = all_succeed(&repo);
    let diagnostic = &status["modules"][0]["automation_diagnostic"];
    assert_eq!(diagnostic["failed_tests"].as_array().map(Vec::len), Some(100_000));
}

/// Texts of several megabytes that are hard on readers of Markdown.
fn texts() -> Vec<(&'static str, Vec<u8>)> {
    let bytes = |unit: &str, times: usize| unit.repeat(times).into_bytes();
    vec![
        ("one line", bytes("x", 20 << 20)),
        ("boxes", bytes("- [ ] a UT-S01-01\n", 300_000)),
        (
            "sections",
            (0..50_000)
                .map(|n| format!("## [s{n}]\n- [ ] a\n"))
                .collect::<Vec<_>>()
                .concat()
                .into_bytes(),
        ),
        ("code sections", bytes("## [code]\n- [ ] UT-S01-1\n", 50_000)),
        (
            "children",
            ("## [code]\n- [ ] slice\n".to_owned() + &"  - [ ] child UT-S01-1\n".repeat(100_000))
                .into_bytes(),
        ),
        (
            "ids",
            (0..100_000)
                .map(|n| format!("UT-S01-{n} "))
                .collect::<Vec<_>>()
                .concat()
                .into_bytes(),
        ),
        (
            "a long id",
            ("## [code]\n- [ ] UT-".to_owned() + &"a-".repeat(1 << 20)).into_bytes(),
        ),
        ("fences", bytes("```\n", 1 << 20)),
        ("backticks", bytes("` `` ``` ", 500_000)),
        ("comments", bytes("<!-- ", 1 << 20)),
        ("closed comments", bytes("<!-- --> ", 500_000)),
        (
            "tables",
            bytes("| ID | t |\n|---|---|\n| UT-S01-01 | x |\n\n", 50_000),
        ),
        (
            "a wide table",
            ("|".to_owned() + &" ID |".repeat(200_000) + "\n|" + &"---|".repeat(200_000) + "\n").into_bytes(),
        ),
        ("headings", bytes("## x\n", 500_000)),
        ("hashes", bytes("## ", 2 << 20)),
        ("NULs", vec![0; 4 << 20]),
        ("no text", vec![0xff; 4 << 20]),
        ("line ends", vec![b'\n'; 4 << 20]),
        ("blanks", vec![b' '; 20 << 20]),
        (
            "fields",
            ("## 部署影响\n".to_owned() + &"- 是否需要部署：是\n".repeat(100_000)).into_bytes(),
        ),
        (
            "reuse",
            ("## 复用测试 ID\n".to_owned() + &"- UT-S01-01 — x\n".repeat(100_000)).into_bytes(),
        ),
        (
            "interface",
            ("## UI/UX 变更声明\n```yaml\n".to_owned() + &"[".repeat(4 << 20) + "\n```\n").into_bytes(),
        ),
    ]
}

#[test]
fn large_tasks_and_proposals_are_read_to_their_end() {
    for_each(&texts(), |(name, text)| {
        for file in ["tasks.md", "proposal.md"] {
            let repo = coding();
            let before = super::PROPOSAL.as_bytes();
            repo.write(
                &in_change(file),
                if file == "tasks.md" {
                    text.clone()
                } else {
                    [before, text].concat()
                },
            );
            for words in [&["status"][..], &["next", "--auto"]] {
                ask(&repo, words).unwrap_or_else(|code| panic!("{file}, {name}, {words:?}: {code}"));
            }
        }
    });
}

#[test]
fn large_documents_and_deltas_are_read_to_their_end() {
    for_each(&texts(), |(name, text)| {
        let repo = coding();
        for file in [
            "logos/resources/verify/acceptance-report.md",
            "logos/resources/test/core-S01-test-cases.md",
            &in_change("deltas/test/core-S01-test-cases.md"),
        ] {
            repo.write(file, text);
        }
        // Without planned slices the evidence of tests is looked at.
        repo.write(&in_change("tasks.md"), "## [code]\n");
        let status = ask(&repo, &["status"]).unwrap_or_else(|code| panic!("{name}: {code}"));
        let named = matches!(*name, "tables");
        assert_eq!(
            status["proposal_step"],
            if named {
                "ready-to-implement"
            } else {
                "test-id-required"
            },
            "{name}"
        );
    });
}
