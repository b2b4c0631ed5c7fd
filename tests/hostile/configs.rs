//! Config, guard file and session file: what they say badly they do not say (flow.md 1 and 1.3, logos-project.md 11.4).

use super::{GUARD, OVERLAY, all_succeed, ask, coding, for_each};

const CONFIG: &str = "logos/logos.config.json";
const SESSION: &str = "logos/.session-capabilities.json";

/// Files that are no JSON object.
fn no_objects() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("nothing", Vec::new()),
        ("deep", vec![b'['; 100_000]),
        ("deep objects", "{\"a\":".repeat(100_000).into_bytes()),
        (
            "deep and closed",
            ("[".repeat(100_000) + &"]".repeat(100_000)).into_bytes(),
        ),
        ("NUL", vec![0; 1000]),
        ("noise", (0..=255).collect()),
        ("a number", b"1e999999".to_vec()),
        ("a list", b"[{}]".to_vec()),
        ("half", b"{\"activeChange\":\"dearer\"".to_vec()),
        ("UTF-16", "{}".encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ("a lone surrogate", br#"{"activeChange":"\ud800"}"#.to_vec()),
        ("long", vec![b'x'; 5 << 20]),
    ]
}

#[test]
fn a_config_that_says_nothing_leaves_the_defaults() {
    for_each(&no_objects(), |(name, text)| {
        let repo = coding();
        repo.write(CONFIG, text);
        let status = all_succeed(&repo);
        assert_eq!(
            (&status["locale"], &status["source_roots"]),
            (&"en".into(), &serde_json::Value::Null),
            "{name}"
        );
        assert_eq!(status["proposal_step"], "coding", "{name}");
    });
}

#[test]
fn a_key_of_the_config_may_have_any_type() {
    let keys = [
        "name",
        "description",
        "locale",
        "documents",
        "sourceRoots",
        "verify",
        "smoke",
        "flow",
        "lifecycle",
    ];
    for_each(&keys, |key| {
        let repo = coding();
        for value in ["null", "true", "7", "\"x\"", "[]", "{}", "[[]]", r#"{"a":{}}"#] {
            repo.write(CONFIG, format!(r#"{{"{key}":{value}}}"#));
            all_succeed(&repo);
        }
    });
    let repo = coding();
    for path in [
        "\"../../x\"",
        "\"/etc/passwd\"",
        r#""\u0000""#,
        "\"logos/none\"",
        "7",
        "[]",
        "{}",
    ] {
        repo.write(CONFIG, format!(r#"{{"verify":{{"result_path":{path}}}}}"#));
        let status = ask(&repo, &["status"]).unwrap_or_else(|code| panic!("{path}: {code}"));
        let reason = &status["modules"][0]["automation_diagnostic"]["reason"];
        let is_default = matches!(path, "7" | "[]" | "{}");
        assert_eq!(reason == "reporter-missing", !is_default, "{path}: {reason}");
    }
}

/// D8: only where an overlay makes the time count.
#[test]
fn a_time_limit_that_is_none_is_refused_with_an_overlay() {
    let repo = coding();
    for value in ["true", "0", "-1", "1.5", "\"7\"", "[]", "{}", &"9".repeat(1000)] {
        repo.write(CONFIG, format!(r#"{{"flow":{{"cmd_timeout_seconds":{value}}}}}"#));
        ask(&repo, &["status"]).unwrap_or_else(|code| panic!("{value}: {code}"));
        repo.write(OVERLAY, "overlay: []\n");
        let answer = ask(&repo, &["status"]);
        // A config with a number that JSON has no room for is no config.
        if value.len() < 1000 {
            assert_eq!(answer, Err("FLOW_SCHEMA_INVALID".to_owned()), "{value}");
        }
        repo.remove(OVERLAY);
    }
}

#[test]
fn a_guard_file_that_says_nothing_names_no_change() {
    for_each(&no_objects(), |(name, text)| {
        let repo = coding();
        repo.write(GUARD, text);
        let status = all_succeed(&repo);
        assert!(
            status["active_change"].is_null() && status["proposal_step"].is_null(),
            "{name}"
        );
    });
}

#[test]
fn a_slug_is_one_part_of_a_path_or_none() {
    let repo = coding();
    for slug in [
        "..",
        ".",
        "../..",
        "a/b",
        "/etc",
        "\\u0000",
        "a\\u0000b",
        "",
        " ",
        "dearer/",
        "./dearer",
        "a\\\\b",
    ] {
        repo.write(GUARD, format!(r#"{{"activeChange":"{slug}","module":"core"}}"#));
        let status = ask(&repo, &["status"]).unwrap_or_else(|code| panic!("{slug}: {code}"));
        assert!(status["active_change"].is_null(), "{slug}");
    }
    let long = "x".repeat(300_000);
    for slug in ["none", "\\u540d", &"x".repeat(300), &long] {
        repo.write(GUARD, format!(r#"{{"activeChange":"{slug}","module":"core"}}"#));
        let status = all_succeed(&repo);
        assert_eq!(status["proposal_step"], "writing", "{slug:.20}");
    }
    for module in ["", "none", "\\u0000", "../core", &long] {
        repo.write(
            GUARD,
            format!(r#"{{"activeChange":"dearer","module":"{module}"}}"#),
        );
        let status = all_succeed(&repo);
        assert_eq!(status["proposal_step"], "coding", "{module:.20}");
    }
    for value in ["null", "true", "7", "[]", "{}"] {
        repo.write(GUARD, format!(r#"{{"activeChange":{value},"module":{value}}}"#));
        assert!(all_succeed(&repo)["active_change"].is_null(), "{value}");
    }
}

#[test]
fn a_session_that_says_nothing_is_left_out() {
    for_each(&no_objects(), |(name, text)| {
        let repo = coding();
        repo.write(SESSION, text);
        assert!(all_succeed(&repo).get("capabilities").is_none(), "{name}");
    });
    let repo = coding();
    for value in ["null", "false", "7", "\"true\"", "[]", "{}"] {
        repo.write(SESSION, format!(r#"{{"ui_prototype_render":{value}}}"#));
        let status = ask(&repo, &["status"]).expect("it is sound");
        assert_eq!(status["capabilities"]["ui_prototype_render"], false, "{value}");
    }
}

#[test]
fn without_a_config_there_is_no_project_whatever_else_is_there() {
    let repo = coding();
    repo.remove(CONFIG).write("logos/logos.config.json/x", "");
    // A folder of that name is there, and cannot be read.
    for words in [&["status"][..], &["next"], &["watch"]] {
        assert_eq!(
            ask(&repo, words),
            Err("PROJECT_UNREADABLE".to_owned()),
            "{words:?}"
        );
    }
    repo.remove("logos/logos.config.json");
    for words in [
        &["status"][..],
        &["next"],
        &["watch"],
        &["flow", "show"],
        &["module", "list"],
        &["feature", "list"],
    ] {
        assert_eq!(
            ask(&repo, words),
            Err("PROJECT_NOT_INITIALIZED".to_owned()),
            "{words:?}"
        );
    }
    ask(&repo, &["detect"]).expect("it never fails");
}
