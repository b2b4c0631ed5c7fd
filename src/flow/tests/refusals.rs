//! Overlays and documents of wrong shapes, and very large ones.

use super::*;

#[test]
fn what_is_no_overlay_is_refused_at_its_place() {
    for (overlay, place) in [
        ("", ":1: must be a mapping; it is null"),
        ("x", ":1: must be a mapping"),
        (
            "a: 1\na: 2\n",
            ":2: this is no YAML: the key `a` is given twice in one mapping (column 1)",
        ),
        ("a: [\n", ":2: this is no YAML"),
        ("a:\n\tb: 1\n", ":2: this is no YAML"),
        ("defaults: 1", ":1: `defaults`: must be a mapping"),
        (
            "defaults: {dispatch: {timeout_seconds: 0}}",
            ":1: `defaults.dispatch.timeout_seconds`: ",
        ),
        ("overlay: ~", ":1: `overlay`: must be a list; it is null"),
        ("overlay: {}", ":1: `overlay`: "),
        ("overlay:\n- skip\n", ":2: operation 1: must be a mapping"),
        ("overlay:\n- ~\n", ":2: operation 1: must be a mapping"),
        (
            "overlay:\n- {}\n- x\n",
            ":2: operation 1, `op`: must be text; it is missing",
        ),
        (
            "overlay:\n- {op: [skip]}\n",
            ":2: operation 1, `op`: must be text; it is a list",
        ),
        (
            "overlay:\n- {op: Skip}\n",
            ":2: operation 1, `op`: there is no operation `Skip`",
        ),
        (
            "overlay:\n- {op: skip}\n",
            ":2: operation 1, `target`: must be text",
        ),
        (
            "overlay:\n- {op: skip, target: 7}\n",
            ":2: operation 1, `target`: must be text",
        ),
        (
            "overlay:\n- {op: skip, target: verfy}\n",
            ":2: operation 1, `target`: the flow has no node `verfy`; did you mean `verify`?",
        ),
        (
            "overlay:\n- {op: modify, target: code, set: []}\n",
            ":2: operation 1, `set`: ",
        ),
        (
            "overlay:\n- {op: modify, target: code, set: {id: ~}}\n",
            ":2: node `code`, `set.id`: ",
        ),
        (
            "overlay:\n- {op: modify, target: code, set: {name: ~}}\n",
            ":2: node `code`, `name`: must be text; it is null",
        ),
        (
            "overlay:\n- {op: add, after: code}\n",
            ":2: operation 1, `node`: must be a mapping; it is missing",
        ),
        (
            "overlay:\n- {op: add, after: code, node: [1]}\n",
            ":2: operation 1, `node`: must be a mapping; it is a list",
        ),
        ("overlay:\n- op: add\n  node: {id: x}\n", ":3: node `x`, `name`: "),
        (
            "overlay:\n- {op: add, node: {id: x, name: X}}\n",
            ":2: operation 1: it does not say where",
        ),
        (
            "overlay:\n- {op: add, after: ~, before: 7, node: {id: x, name: X}}\n",
            ":2: operation 1, `before`: must be text",
        ),
        (
            "overlay:\n- {op: add, after: nowhere, before: code, node: {id: x, name: X}}\n",
            ":2: operation 1, `after`: the flow has no node",
        ),
        (
            "overlay:\n- {op: reorder, target: code}\n",
            ":2: operation 1: it does not say where",
        ),
        (
            "overlay:\n- {op: reorder, target: code, before: code}\n",
            ":2: operation 1: a node cannot be moved next to itself",
        ),
        (
            "overlay:\n- {op: set-loop, set: {}}\n",
            ":2: operation 1, `subflow`: must be text",
        ),
        (
            "overlay:\n- {op: set-loop, subflow: implement, set: {rounds: 1}}\n",
            ":2: subflow `implement`: a loop has no key `rounds`",
        ),
        (
            "overlay:\n- {op: set-loop, subflow: deliver, set: {max_iters: 1.5}}\n",
            ":2: subflow `deliver`, `loop.max_iters`: only `implement`",
        ),
        (
            "overlay:\n- {op: set-loop, subflow: implement, set: {max_iters: 1.5}}\n",
            ":2: subflow `implement`, `loop.max_iters`: must be a whole",
        ),
        (
            "overlay:\n- {op: set-loop, subflow: implement, set: {exhausted_gate: {skippable: 1}}}\n",
            ":2: subflow `implement`, `loop.exhausted_gate.skippable`: ",
        ),
    ] {
        refused_at(overlay, place);
    }
}

#[test]
fn a_document_without_the_shape_of_a_flow_is_refused() {
    let flaw = |text: &str| {
        let document = Document::read(yaml::parse(text.as_bytes()).expect(text));
        let flaw = document
            .and_then(|document| schema::check(&document))
            .expect_err(text);
        flaw.within(None).say(&Voice::default())
    };
    let nodes = |nodes: &str| format!("flow: x\nversion: 1\nsubflows: [{{id: s, nodes: [{nodes}]}}]\n");
    for (text, said) in [
        ("[]".to_owned(), "must be a mapping"),
        ("version: 1\nsubflows: []".to_owned(), "`flow`: must be text"),
        (
            "flow: x\nversion: '1'\nsubflows: []".to_owned(),
            "`version`: must be a number",
        ),
        ("flow: x\nversion: 1".to_owned(), "`subflows`: must be a list"),
        (
            "flow: x\nversion: 1\nsubflows: [7]".to_owned(),
            "`subflows`: must be a mapping",
        ),
        (
            "flow: x\nversion: 1\nsubflows: [{nodes: []}]".to_owned(),
            "`subflows.id`: must be text",
        ),
        (
            "flow: x\nversion: 1\nsubflows: [{id: s}]".to_owned(),
            "subflow `s`, `nodes`: must be a list",
        ),
        (nodes("7"), "subflow `s`, `node`: must be a mapping"),
        (nodes("{name: x}"), "subflow `s`, `node.id`: must be text"),
        (nodes("{id: a}"), "node `a`, `name`: must be text"),
        (
            nodes("{id: a, name: A}, {id: a, name: B}"),
            "node `a`: two nodes have this id",
        ),
        (
            nodes("{id: a, name: A, dispatch: {idempotent: 1}}"),
            "node `a`, `dispatch.idempotent`: ",
        ),
    ] {
        let whole = flaw(&text);
        assert!(
            whole.starts_with(&format!("built-in flow: {said}")),
            "{text}\n{whole}"
        );
    }
}

#[test]
fn large_and_hostile_overlays_are_answered_soon() {
    let begin = std::time::Instant::now();
    let mut many = "overlay:\n".to_owned();
    for n in 0..10_000 {
        let anchor = if n == 0 {
            "code".to_owned()
        } else {
            format!("n{}", n - 1)
        };
        many.push_str(&format!(
            "- {{op: add, after: {anchor}, node: {{id: n{n}, name: N}}}}\n"
        ));
    }
    for n in 0..1_000 {
        many.push_str(&format!(
            "- {{op: reorder, target: n{n}, before: n{}}}\n",
            9_999 - n
        ));
    }
    let flow = load(Lifecycle::Launched, &many).expect("it is fine");
    assert_eq!(flow.nodes().count(), 10_011);
    refused_at(
        &format!("{many}- {{op: skip, target: n10000}}\n"),
        ":11002: operation 11001, `target`: ",
    );

    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..12 {
        bomb.push_str(&format!(
            "a{n}: &a{n} [{}]\n",
            vec![format!("*a{}", n - 1); 10].join(", ")
        ));
    }
    refused_at(&(bomb + "overlay: []\n"), ":6: this is no YAML");

    let big = "x".repeat(5 << 20);
    let named = format!("overlay:\n- {{op: modify, target: code, set: {{name: {big}, other: {big}}}}}\n");
    let flow = load(Lifecycle::Launched, &named).expect("a long name is a name");
    assert_eq!(flow.node("code").expect("code").1.name().len(), big.len());
    let said = refused(
        Lifecycle::Launched,
        &format!("overlay:\n- {{op: skip, target: {big}}}\n"),
    );
    assert!(said.len() < 400, "{}", said.len());
    refused_at(&format!("overlay:\n- {{op: {big}}}\n"), ":2: operation 1, `op`: ");

    let keys: Vec<String> = (0..50_000).map(|n| format!("k{n}: 1")).collect();
    let keys = keys.join(", ");
    let wide = format!(
        "overlay:\n{}",
        format!("- {{op: modify, target: code, set: {{{keys}}}}}\n").repeat(3)
    );
    load(Lifecycle::Launched, &wide).expect("unknown keys are carried");
    let spent = begin.elapsed();
    assert!(spent < std::time::Duration::from_secs(30), "{spent:?}");
}
