//! Flow overlays (flow.md 3 and 4): what cannot be read or does not fit is refused, everything else counts.

use std::fmt::Write as _;

use serde_json::Value;

use super::{OVERLAY, all_succeed, ask, coding, derivations_fail, for_each};

/// Ten aliases of ten aliases of ten aliases …
pub(crate) fn bomb() -> String {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..12 {
        let last = vec![format!("*a{}", n - 1); 10].join(", ");
        writeln!(bomb, "a{n}: &a{n} [{last}]").expect("a string takes everything");
    }
    bomb
}

fn overlay(operations: impl IntoIterator<Item = String>) -> String {
    operations
        .into_iter()
        .fold("overlay:\n".to_owned(), |text, operation| {
            text + "  - {" + &operation + "}\n"
        })
}

/// Added nodes, each after the one before.
fn chain(nodes: usize, first: &str, done_when: &str) -> String {
    overlay((0..nodes).map(|n| {
        let anchor = match n {
            0 => first.to_owned(),
            _ => format!("after: n{}", n - 1),
        };
        format!("op: add, {anchor}, node: {{id: n{n}, name: N, done_when: '{done_when}'}}")
    }))
}

#[test]
fn an_overlay_that_is_no_yaml_is_refused_by_whoever_needs_it() {
    let texts: Vec<(&str, Vec<u8>)> = vec![
        ("bomb", bomb().into_bytes()),
        ("deep lists", "[".repeat(100_000).into_bytes()),
        ("deep maps", "{a: ".repeat(100_000).into_bytes()),
        ("deep dashes", "- ".repeat(100_000).into_bytes()),
        ("deep keys", "? ".repeat(100_000).into_bytes()),
        (
            "closed and deep",
            ("[".repeat(100_000) + &"]".repeat(100_000)).into_bytes(),
        ),
        ("an alias in its anchor", b"overlay: &o [*o]\n".to_vec()),
        ("an alias of nothing", b"overlay: *o\n".to_vec()),
        ("tabs", b"overlay:\n\t- {op: skip}\n".to_vec()),
        ("keys twice", b"overlay: []\noverlay: []\n".to_vec()),
        ("inner keys twice", b"overlay: [{op: skip, op: add}]\n".to_vec()),
        ("two documents", b"overlay: []\n---\noverlay: []\n".to_vec()),
        ("NUL", b"overlay: []\nx: a\0b\n".to_vec()),
        ("open quote", b"extends: \"builtin\n".to_vec()),
        (
            "too many nodes",
            ("x: [".to_owned() + &"1,".repeat(1_100_000) + "]\n").into_bytes(),
        ),
        (
            "noise",
            (0..100_000_u32)
                .map(|n| u8::try_from(n.wrapping_mul(n) % 251).expect("small"))
                .collect(),
        ),
        ("nothing", Vec::new()),
        ("a list", b"- a\n".to_vec()),
        ("a flow of its own", b"subflows: []\n".to_vec()),
    ];
    for_each(&texts, |(name, text)| {
        let repo = coding();
        repo.write(OVERLAY, text);
        derivations_fail(&repo, "FLOW_SCHEMA_INVALID", name);
    });
}

#[test]
fn an_odd_overlay_that_is_sound_counts() {
    let add = "overlay: [{op: add, after: code, node: {id: weigh, name: W, done_when: 'marker:X'}}]";
    let texts: Vec<(&str, Vec<u8>)> = vec![
        ("mark", format!("\u{feff}{add}\n").into_bytes()),
        ("CRLF", format!("# x\r\n{add}\r\n").into_bytes()),
        (
            "bytes that are no text",
            [add.as_bytes(), b"\nx: \xff\xfe\n"].concat(),
        ),
        (
            "long scalars",
            format!("{add}\nx: {}\n", "y".repeat(5 << 20)).into_bytes(),
        ),
        (
            "keys",
            (0..20_000)
                .fold(format!("{add}\n"), |text, n| text + &format!("k{n}: 1\n"))
                .into_bytes(),
        ),
        ("comments", ("# c\n".repeat(200_000) + add + "\n").into_bytes()),
        (
            "aliases",
            format!("{add}\nx: &x [1]\ny: [{}]\n", vec!["*x"; 1000].join(", ")).into_bytes(),
        ),
    ];
    for_each(&texts, |(name, text)| {
        let repo = coding();
        repo.write(OVERLAY, text);
        assert_eq!(all_succeed(&repo)["proposal_step"], "coding", "{name}");
        let flow = ask(&repo, &["flow", "show", "--resolved"]).expect("it is sound");
        assert!(flow.to_string().contains("\"weigh\""), "{name}");
    });
}

#[test]
fn ten_thousand_nodes_are_walked_however_they_hang_together() {
    let met = |status: &Value| {
        let nodes = status["modules"][0]["overlay_nodes"]
            .as_array()
            .expect("there are some");
        (
            nodes.len(),
            nodes.iter().filter(|node| node["state"] == "done").count(),
        )
    };
    for (name, text, expected) in [
        (
            "after one",
            chain(10_000, "after: write-proposal", "file:logos"),
            (10_000, 10_000),
        ),
        (
            "held at once",
            chain(10_000, "before: write-proposal", "marker:X"),
            (1, 0),
        ),
        (
            "the archive",
            chain(5_000, "before: write-proposal", "archived"),
            (1, 0),
        ),
        (
            "filled",
            chain(10_000, "before: write-proposal", "proposal_package_filled"),
            (10_000, 10_000),
        ),
        (
            "skipped",
            chain(10_000, "after: write-proposal", "marker:X").replacen(
                "name: N,",
                "name: N, when: never,",
                1,
            ),
            (10_000, 0),
        ),
    ] {
        let repo = coding();
        repo.write(OVERLAY, text);
        let status = all_succeed(&repo);
        let found = met(&status);
        if name == "skipped" {
            // Only the first has a `when`: those behind it hang on the built-in node, which counts.
            assert_eq!(found, (2, 0), "{name}");
        } else {
            assert_eq!(found, expected, "{name}");
        }
    }
}

#[test]
fn operations_in_circles_are_refused_or_have_an_end() {
    let repo = coding();
    repo.write(
        OVERLAY,
        overlay([
            "op: add, after: b, node: {id: a, name: A, done_when: archived}".to_owned(),
            "op: add, after: a, node: {id: b, name: B, done_when: archived}".to_owned(),
        ]),
    );
    derivations_fail(&repo, "FLOW_SCHEMA_INVALID", "circle");
    repo.remove(OVERLAY)
        .remove(super::GUARD)
        .write(super::REGISTRY, super::MODULES.replace("launched", "initial"))
        .write(
            "logos/flow/initial.yaml",
            overlay([
                "op: add, after: prd, node: {id: a, name: A, done_when: 'file:x'}".to_owned(),
                "op: add, after: a, node: {id: b, name: B, done_when: 'file:x'}".to_owned(),
                "op: reorder, target: a, after: b".to_owned(),
                "op: reorder, target: b, after: a".to_owned(),
                "op: reorder, target: prd, after: b".to_owned(),
            ]),
        );
    all_succeed(&repo);
    let circles =
        (0..10_000).map(|n| format!("op: reorder, target: prd, {}: smoke", ["after", "before"][n % 2]));
    repo.write("logos/flow/initial.yaml", overlay(circles));
    all_succeed(&repo);
}

#[test]
fn operations_on_one_node_may_be_many() {
    let repo = coding();
    let grow = (0..10_000).map(|n| format!("op: modify, target: code, set: {{dispatch: {{k{n}: {n}}}}}"));
    repo.write(OVERLAY, overlay(grow));
    all_succeed(&repo);
    let flow = ask(&repo, &["flow", "show", "--resolved"]).expect("it is sound");
    let subflows = flow["flow"]["subflows"].as_array().expect("a list");
    let nodes = subflows
        .iter()
        .flat_map(|subflow| subflow["nodes"].as_array().expect("a list"));
    let code = nodes
        .clone()
        .find(|node| node["id"] == "code")
        .expect("it is there");
    assert_eq!(code["dispatch"]["timeout_seconds"], 3600);
    assert_eq!(code["overlay_op"], "modify");
}

/// Every key of an overlay with a value of every type: refused or taken, and `status` never takes what `flow show` refuses.
#[test]
fn no_type_of_value_is_a_surprise() {
    let mut forms: Vec<String> = [
        "extends: %",
        "defaults: %",
        "defaults: {dispatch: %}",
        "defaults: {dispatch: {timeout_seconds: %}}",
        "overlay: %",
        "overlay: [%]",
        "overlay: [{op: %}]",
        "subflows: %",
    ]
    .map(str::to_owned)
    .to_vec();
    let full = [
        ("target", "code"),
        ("after", "verify"),
        ("subflow", "implement"),
        ("set", "{}"),
    ];
    for op in ["skip", "modify", "add", "reorder", "set-loop"] {
        for key in ["target", "node", "after", "before", "set", "subflow"] {
            let others = full.iter().filter(|(other, _)| *other != key);
            let others: String = others
                .map(|(key, value)| format!("{key}: {value}, "))
                .collect::<Vec<_>>()
                .concat();
            forms.push(format!("overlay: [{{op: {op}, {others}{key}: %}}]"));
        }
    }
    for key in [
        "id",
        "name",
        "skill",
        "working_agent",
        "pre_script",
        "when",
        "for_each",
        "produces",
        "done_when",
        "fail_when",
        "dispatch",
        "requires_reviewed",
        "cmd_timeout_seconds",
        "coverage_threshold",
    ] {
        forms.push(format!(
            "overlay: [{{op: modify, target: verify, set: {{{key}: %}}}}]"
        ));
        forms.push(format!(
            "overlay: [{{op: add, after: code, node: {{id: n, name: N, {key}: %}}}}]"
        ));
    }
    for key in ["max_iters", "until", "exhausted_gate"] {
        forms.push(format!(
            "overlay: [{{op: set-loop, subflow: implement, set: {{{key}: %}}}}]"
        ));
    }
    for_each(&forms, |form| {
        let repo = coding();
        for value in [
            "null", "true", "7", "-1", "1.5", ".inf", "''", "x", "[1]", "{a: b}",
        ] {
            let text = form.replace('%', value);
            repo.write(OVERLAY, &text);
            let shown = ask(&repo, &["flow", "show", "--resolved"]);
            let status = ask(&repo, &["status"]);
            for answer in [&shown, &status] {
                assert!(
                    answer.as_ref().is_ok_and(Value::is_object)
                        || answer == &Err("FLOW_SCHEMA_INVALID".to_owned()),
                    "{text}"
                );
            }
            assert!(shown.is_ok() || status.is_err(), "{text}");
        }
    });
}

#[test]
fn names_of_markers_lead_nowhere_else() {
    let repo = coding();
    repo.write("logos/outside", "")
        .write("logos/changes/beside/X", "");
    for name in [
        "../../outside",
        "../beside/X",
        "/etc/passwd",
        "a/../../beside/X",
        "..",
        ".",
        "/",
        "\\0",
        "a\\0b",
        "proposal.md/x",
    ] {
        let text =
            format!("overlay:\n  - {{op: modify, target: verify, set: {{done_when: \"marker:{name}\"}}}}\n");
        repo.write(OVERLAY, text);
        let status = ask(&repo, &["status"]).unwrap_or_else(|code| panic!("{name}: {code}"));
        assert_eq!(status["proposal_step"], "coding", "{name}");
    }
    let long = "m".repeat(1 << 20);
    for predicate in ["marker", "file"] {
        let node = format!("id: n, name: N, done_when: '{predicate}:{long}'");
        repo.write(
            OVERLAY,
            format!("overlay:\n  - {{op: add, before: write-proposal, node: {{{node}}}}}\n"),
        );
        let status = ask(&repo, &["status"]).expect("a long name is a name of nothing");
        assert_eq!(status["modules"][0]["current_node"]["id"], "n");
    }
}
