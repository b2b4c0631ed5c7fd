//! The registry (logos-project.md 4.3): what is recovered of a damaged file counts, and a healthy one may be large.

use std::fmt::Write as _;

use serde_json::Value;

use super::overlays::bomb;
use super::{MODULES, REGISTRY, ask, ask_all, coding, for_each};

const CORE: &str = "modules:\n  - {id: core, name: Core, lifecycle: launched}\n";

/// `parse_status` and the number of modules, after every reader gave the answer that goes with them.
#[track_caller]
fn read(text: &[u8]) -> (Option<String>, Option<usize>) {
    let repo = coding();
    repo.write(REGISTRY, text);
    let mut seen = (None, None);
    let answers = ask_all(&repo);
    let (_, status) = answers
        .iter()
        .find(|(words, _)| *words == ["status"])
        .expect("it is one of them");
    if let Ok(status) = status {
        seen.0 = status["yaml_diagnostics"]["parse_status"]
            .as_str()
            .map(str::to_owned);
        seen.1 = status["modules"].as_array().map(Vec::len);
    }
    let lost = seen.0.as_deref() == Some("error");
    for (words, answer) in answers {
        let refuses = lost && matches!(words[0], "module" | "feature");
        match answer {
            Ok(_) => assert!(!refuses, "{words:?} answers"),
            Err(code) => assert!(refuses && code == "PROJECT_YAML_UNPARSABLE", "{words:?}: {code}"),
        }
    }
    seen
}

#[test]
fn what_is_left_of_a_damaged_registry_counts() {
    let with = |rest: &str| format!("{CORE}{rest}").into_bytes();
    let recovered = (Some("recovered".to_owned()), Some(1));
    let lost = (Some("error".to_owned()), None);
    let cases = vec![
        ("bomb", with(&bomb()), recovered.clone()),
        (
            "deep list",
            with(&format!("x: {}\n", "[".repeat(100_000))),
            recovered.clone(),
        ),
        (
            "deep map",
            with(&format!("x: {}\n", "{a: ".repeat(100_000))),
            recovered.clone(),
        ),
        (
            "deep and closed",
            with(&format!("x: {}{}\n", "[".repeat(100_000), "]".repeat(100_000))),
            recovered.clone(),
        ),
        ("circle", with("x: &x [*x]\n"), recovered.clone()),
        ("alias of nothing", with("x: *x\n"), recovered.clone()),
        ("tabs", with("x:\n\t- a\n"), recovered.clone()),
        ("twice", with("modules: []\n"), recovered.clone()),
        ("two documents", with("---\nmodules: []\n"), recovered.clone()),
        ("NUL", [CORE.as_bytes(), b"x: a\0b\n"].concat(), recovered.clone()),
        ("quotes", with(&"x: \"\n".repeat(20_000)), recovered.clone()),
        (
            "a million nodes",
            with(&format!("x: [{}]\n", "1,".repeat(1_100_000))),
            recovered.clone(),
        ),
        (
            "broken entries",
            format!(
                "modules:\n{}  - {{id: core, name: C}}\n",
                "  - {id: [\n    x\n".repeat(2_000)
            )
            .into_bytes(),
            recovered,
        ),
        ("only deep", "[".repeat(100_000).into_bytes(), lost.clone()),
        ("NULs", vec![0; 1 << 20], lost.clone()),
        ("quote", "\"".repeat(100_001).into_bytes(), lost.clone()),
        ("braces", "{".repeat(1 << 20).into_bytes(), lost.clone()),
        ("no list", b"modules: {a: b}\nx: [\n".to_vec(), lost.clone()),
        (
            "UTF-16",
            CORE.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            lost,
        ),
    ];
    for_each(&cases, |(name, text, expected)| {
        assert_eq!(&read(text), expected, "{name}");
    });
}

#[test]
fn an_odd_registry_that_is_sound_is_healthy() {
    let healthy = (None, Some(1));
    let cases = vec![
        ("mark", format!("\u{feff}{CORE}").into_bytes(), healthy.clone()),
        ("CRLF", CORE.replace('\n', "\r\n").into_bytes(), healthy.clone()),
        (
            "no text",
            [CORE.as_bytes(), b"x: \xff\xfe\n"].concat(),
            healthy.clone(),
        ),
        (
            "long scalar",
            format!("modules:\n  - id: core\n    name: \"{}\"\n", "x".repeat(5 << 20)).into_bytes(),
            healthy.clone(),
        ),
        (
            "long block",
            format!("{CORE}x: |\n{}", "  y\n".repeat(500_000)).into_bytes(),
            healthy.clone(),
        ),
        (
            "many keys",
            (0..20_000)
                .fold(CORE.to_owned(), |text, n| text + &format!("k{n}: 1\n"))
                .into_bytes(),
            healthy,
        ),
        ("nothing", Vec::new(), (None, None)),
        ("comments", "# c\n".repeat(100_000).into_bytes(), (None, None)),
        ("a list", b"- a\n".to_vec(), (None, None)),
        ("no modules", b"modules: []\n".to_vec(), (None, Some(0))),
    ];
    for_each(&cases, |(name, text, expected)| {
        assert_eq!(&read(text), expected, "{name}");
    });
}

/// A value of the wrong type is as good as absent: nobody ever refuses a healthy file.
#[test]
fn every_key_may_have_any_type() {
    let mut forms: Vec<String> = [
        "project",
        "modules",
        "scenarios",
        "features",
        "deployment_gates",
        "baseline_index",
        "scenario_counter",
        "resource_index",
        "conventions",
        "external_dependencies",
        "tech_stack",
    ]
    .iter()
    .flat_map(|key| {
        [
            format!("{key}: %"),
            format!("{key}: [%]"),
            format!("{key}: {{core: %, next_id: %}}"),
        ]
    })
    .collect();
    let mut entry = |list: &str, required: &[(&str, &str)], keys: &[&str]| {
        for key in keys {
            let others = required.iter().filter(|(other, _)| other != key);
            let others: String = others
                .map(|(key, value)| format!("{key}: {value}, "))
                .collect::<Vec<_>>()
                .concat();
            forms.push(format!("{list}: [{{{others}{key}: %}}]"));
        }
    };
    let module = [
        ("id", "core"),
        ("name", "C"),
        ("lifecycle", "launched"),
        ("bootstrap", "adopted"),
    ];
    entry(
        "modules",
        &module,
        &[
            "id",
            "name",
            "lifecycle",
            "bootstrap",
            "skip_phases",
            "deployment_required",
            "smoke_required",
            "product_type",
            "baseline_seed_state",
            "baseline_seed_required",
        ],
    );
    entry("scenarios", &[("id", "S1")], &["id", "name", "module", "feature"]);
    entry(
        "features",
        &[("id", "F1"), ("name", "F"), ("module", "core")],
        &["id", "name", "module", "spec"],
    );
    for key in ["deployment_required", "smoke_required", "environments"] {
        forms.push(format!("{MODULES}deployment_gates: {{core: {{{key}: %}}}}"));
    }
    for key in ["source_hash", "denominator", "generated_at"] {
        forms.push(format!("modules: [{{id: core, name: C, bootstrap: adopted, lifecycle: launched}}]\nbaseline_index: {{core: {{{key}: %}}}}"));
    }
    for_each(&forms, |form| {
        let repo = coding();
        for value in [
            "null", "true", "7", "-1", "1.5", ".inf", "''", "x", "[1]", "{a: b}",
        ] {
            let text = form.replace('%', value);
            repo.write(REGISTRY, format!("{text}\n"));
            for words in [
                &["status"][..],
                &["next"],
                &["module", "list"],
                &["feature", "list"],
            ] {
                let answer = ask(&repo, words).unwrap_or_else(|code| panic!("{words:?}: {code}: {text}"));
                let healthy = answer.get("yaml_diagnostics").is_none_or(Value::is_null);
                assert!(healthy, "{words:?}: {text}");
            }
        }
    });
}

#[test]
fn twenty_thousand_modules_and_fifty_thousand_scenarios_are_counted() {
    let repo = coding();
    let mut text = "modules:\n".to_owned();
    let mut line = |entry: std::fmt::Arguments<'_>| {
        writeln!(text, "  - {{{entry}}}").expect("a string takes everything");
    };
    for n in 0..20_000 {
        line(format_args!("id: m{n}, name: M"));
    }
    text.push_str("features:\n");
    for n in 0..20_000 {
        writeln!(text, "  - {{id: F{n}, name: F, module: m{n}}}").expect("a string takes everything");
    }
    text.push_str("scenarios:\n");
    for n in 0..50_000 {
        writeln!(
            text,
            "  - {{id: S{n}, module: m{}, feature: F{}}}",
            n % 20_000,
            n % 20_000
        )
        .expect("a string takes everything");
    }
    repo.remove(super::GUARD).write(REGISTRY, text);
    for n in 0..100 {
        repo.write(&format!("logos/resources/test/m{n}-S{n}-test-cases.md"), "");
    }
    let status = ask(&repo, &["status"]).expect("it is sound");
    let modules = status["modules"].as_array().expect("a list");
    assert_eq!(modules.len(), 20_000);
    let coverage = |n: usize| &modules[n]["phase_progress"]["phase.3-4a"]["scenario_coverage"];
    assert_eq!(
        (&coverage(99)["total"], &coverage(99)["covered"]),
        (&3.into(), &1.into())
    );
    assert_eq!(
        coverage(100)["missing"],
        serde_json::json!(["S100", "S20100", "S40100"])
    );
    assert_eq!(
        modules[19_999]["features"][0]["scenarios"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
    let listed = ask(&repo, &["feature", "list"]).expect("it is sound");
    assert_eq!(listed["modules"].as_array().map(Vec::len), Some(20_000));
    let next = ask(&repo, &["next"]).expect("it is sound");
    assert_eq!(next["modules"].as_array().map(Vec::len), Some(20_000));
}
