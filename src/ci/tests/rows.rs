//! Every row of the decision.

use super::graph::{Graph, ZEROS, hex, id};
use super::told::{Told, chosen, of, of_merge_base};

#[test]
fn a_queue_is_measured_from_its_target() {
    let event = format!(
        r#"{{"merge_group": {{"head_sha": "{}", "base_ref": "refs/heads/main", "base_sha": "{}"}}}}"#,
        hex('x'),
        hex('w')
    );
    let queue = Told::github("merge_group", "refs/heads/q", 'o', &event);
    assert_eq!(of(&queue, &Graph::usual()), "merge_queue b..x");
    let train = [
        ("CI_MERGE_REQUEST_EVENT_TYPE", "merge_train"),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
    ];
    let train = Told::gitlab("merge_request_event", 'x', &train);
    assert_eq!(of(&train, &Graph::usual()), "merge_queue b..x");
    let buildkite = Told::new(&[
        ("BUILDKITE", "true"),
        ("BUILDKITE_COMMIT", &hex('x')),
        ("BUILDKITE_MERGE_QUEUE_BASE_BRANCH", "main"),
    ]);
    assert_eq!(of(&buildkite, &Graph::usual()), "merge_queue b..x");
    let mut no_target = Graph::usual();
    no_target.references.clear();
    assert_eq!(
        of(&queue, &no_target),
        "git: no refs/remotes/origin/main refs/heads/main"
    );
    assert_eq!(of(&queue, &Graph::usual().without("x")), "git: Head x");
    assert_eq!(of(&queue, &Graph::usual().cut_at("w")), "git: merge base hidden");
}

#[test]
fn a_request_is_its_merge_commit_else_what_its_source_brings() {
    let graph = Graph::usual();
    let request = Told::request("pull_request", 't', 'x', 'b');
    assert_eq!(of(&request, &graph), "merge_commit m..t");
    // At depth 1 the commit still names its parents.
    assert_eq!(
        of(&request, &graph.clone().without("mx").cut_at("t")),
        "git: FirstParent m"
    );
    assert_eq!(of(&request, &graph.clone().without("x")), "merge_commit m..t");
    // The test merge of another source, of no merge, and none.
    assert_eq!(
        of(&Told::request("pull_request", 't', 'w', 'm'), &graph),
        "merge_base b..w"
    );
    assert_eq!(
        of(&Told::request("pull_request", 'x', 'x', 'm'), &graph),
        "merge_base b..x"
    );
    assert_eq!(
        of(&Told::request("pull_request_review", 'q', 'x', 'm'), &graph),
        "merge_base b..x"
    );
    assert_eq!(
        of(&Told::request("pull_request", 'q', 'p', 'm'), &graph),
        "git: Source p"
    );
    // The target's id is not here: its branch.
    assert_eq!(
        of(&Told::request("pull_request", 'q', 'x', 'q'), &graph),
        "merge_base b..x"
    );
    assert_eq!(
        of(&Told::request("pull_request", 'q', 'o', 'm'), &graph),
        "git: unrelated"
    );
    // The checkout of `pull_request_target` is not what the request brings.
    assert_eq!(
        of(&Told::request("pull_request_target", 'm', 'x', 'm'), &graph),
        "merge_base b..x"
    );
    assert_eq!(
        of(&Told::request("pull_request_target", 'm', 'q', 'm'), &graph),
        "git: Source q".replace("Source", "Head")
    );
}

#[test]
fn gitlab_gives_the_base_of_a_request_itself() {
    const BASE: &str = "CI_MERGE_REQUEST_DIFF_BASE_SHA";
    const SOURCE: &str = "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA";
    let graph = Graph::usual();
    let request = |head, more: &[(&str, &str)]| Told::gitlab("merge_request_event", head, more);
    assert_eq!(
        of(&request('x', &[(BASE, &hex('a'))]), &graph),
        "request_base a..x"
    );
    assert_eq!(
        of(&request('t', &[(BASE, &hex('a')), (SOURCE, &hex('x'))]), &graph),
        "merge_commit m..t"
    );
    assert_eq!(
        of(&request('t', &[(BASE, &hex('a')), (SOURCE, &hex('w'))]), &graph),
        "request_base a..t"
    );
    assert_eq!(of(&request('x', &[(BASE, &hex('q'))]), &graph), "git: Target q");
    assert!(of(&request('x', &[]), &graph).starts_with("Input: "));
    let external = [
        ("CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_SHA", &*hex('x')),
        ("CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_SHA", &*hex('m')),
    ];
    let external = Told::gitlab("external_pull_request_event", 'x', &external);
    assert_eq!(of(&external, &graph), "merge_base b..x");
}

#[test]
fn a_tag_is_measured_from_the_tag_before_it() {
    let tag = Told::github("push", "refs/tags/v2", 'x', "{}");
    let tagged = |tags: &str| Graph {
        tags: tags.chars().collect(),
        ..Graph::usual()
    };
    assert_eq!(of(&tag, &tagged("ab")), "previous_tag b..x");
    assert_eq!(of(&tag, &tagged("x")), "first_tag -..x");
    assert_eq!(of(&tag, &tagged("amx")), "previous_tag a..x");
    // The second parent of `t` has a tag, its first parents have none.
    let merge = Told::github("release", "refs/tags/v2", 't', "{}");
    assert_eq!(of(&merge, &tagged("wx")), "first_tag -..t");
    assert_eq!(of(&tag, &tagged("a").cut_at("w")), "git: tag hidden");
    assert_eq!(of(&tag, &tagged("w").cut_at("w")), "previous_tag w..x");
    assert_eq!(of(&tag, &tagged("").cut_at("x")), "git: tag hidden");
    let created = Told::github("create", "refs/tags/v2", 'x', r#"{"ref_type": "tag"}"#);
    assert_eq!(of(&created, &tagged("a")), "previous_tag a..x");
}

#[test]
fn a_push_is_measured_from_what_was_before() {
    let graph = Graph::usual();
    for (forced, reference) in [
        (false, "refs/heads/main"),
        (true, "refs/heads/w"),
        (false, "refs/notes/x"),
    ] {
        let push = Told::push(reference, 'x', &hex('a'), forced);
        assert_eq!(of(&push, &graph), "push a..x");
    }
    let gone = |reference: &str, forced| Told::push(reference, 'x', &hex('q'), forced);
    assert_eq!(of(&gone("refs/heads/w", true), &graph), "rewritten b..x");
    assert_eq!(of(&gone("refs/heads/w", false), &graph), "rewritten b..x");
    assert_eq!(of(&gone("refs/heads/main", true), &graph), "git: Before q");
    assert_eq!(of(&gone("refs/notes/w", true), &graph), "git: Before q");
    let shallow = graph.clone().cut_at("a");
    assert_eq!(of(&gone("refs/heads/w", true), &shallow), "rewritten b..x");
    assert_eq!(of(&gone("refs/heads/w", false), &shallow), "git: Before q");
    assert_eq!(
        of(&gone("refs/heads/w", true), &graph.clone().cut_at("x")),
        "git: merge base hidden"
    );
}

#[test]
fn a_first_push_is_measured_from_the_default_branch_or_from_nothing() {
    let graph = Graph::usual();
    let first = |reference: &str, head| Told::push(reference, head, ZEROS, false);
    assert_eq!(of(&first("refs/heads/w", 'x'), &graph), "new_branch b..x");
    assert_eq!(of(&first("refs/heads/w", 'm'), &graph), "new_branch m..m");
    assert_eq!(of(&first("refs/heads/main", 'x'), &graph), "first_push -..x");
    assert_eq!(of(&first("refs/heads/island", 'o'), &graph), "first_push -..o");
    assert_eq!(
        of(&first("refs/heads/w", 'x'), &graph.clone().cut_at("x")),
        "git: merge base hidden"
    );
    let mut alone = graph.clone();
    alone.references.clear();
    assert_eq!(of(&first("refs/heads/w", 'x'), &alone), "first_push -..x");
    let missing = "git: no refs/remotes/origin/main refs/heads/main";
    assert_eq!(
        of(&first("refs/heads/w", 'x'), &alone.clone().cut_at("x")),
        missing
    );
    alone.references.insert("refs/heads/main", 'm');
    assert_eq!(of(&first("refs/heads/w", 'x'), &alone), "new_branch b..x");
    let created = Told::github(
        "create",
        "refs/heads/w",
        'x',
        r#"{"ref_type": "branch", "repository": {"default_branch": "main"}}"#,
    );
    assert_eq!(of(&created, &graph), "new_branch b..x");
}

#[test]
fn without_a_commit_before_a_branch_is_measured_from_the_default_branch() {
    let graph = Graph::usual();
    let event = r#"{"repository": {"default_branch": "main"}}"#;
    for name in ["schedule", "workflow_dispatch", "workflow_run"] {
        let told = Told::github(name, "refs/heads/w", 'x', event);
        assert_eq!(of(&told, &graph), "branch b..x");
        let told = Told::github(name, "refs/heads/main", 'm', event);
        assert_eq!(of(&told, &graph), "no_range m..m");
        let told = Told::github(name, "refs/tags/v1", 'm', event);
        assert_eq!(of(&told, &graph), "no_range m..m");
    }
    let mut no_event = Told::github("schedule", "refs/heads/w", 'x', "");
    no_event.event = None;
    assert_eq!(of(&no_event, &graph), "no_range x..x");
    let mut known = Graph {
        remote_head: Some("refs/remotes/origin/main"),
        ..graph.clone()
    };
    assert_eq!(of(&no_event, &known), "branch b..x");
    known.configured = Some("w");
    assert_eq!(of(&no_event, &known), "no_range x..x");
    known.configured = Some("-x");
    assert!(of(&no_event, &known).starts_with("Input: "));
    known.configured = Some("gone");
    assert_eq!(
        of(&no_event, &known),
        "git: no refs/remotes/origin/gone refs/heads/gone"
    );
    let zeros = [("CI_COMMIT_BEFORE_SHA", ZEROS), ("CI_COMMIT_BRANCH", "main")];
    assert_eq!(
        of(&Told::gitlab("schedule", 'm', &zeros), &graph),
        "no_range m..m"
    );
}

#[test]
fn from_a_merge_base_a_push_leaves_out_what_the_default_branch_has() {
    let graph = Graph::usual();
    let push = |reference: &str, head, before: &str| Told::push(reference, head, before, false);
    assert_eq!(
        of_merge_base(&push("refs/heads/w", 'x', &hex('w')), &graph),
        "branch b..x"
    );
    assert_eq!(
        of_merge_base(&push("refs/heads/w", 'x', &hex('q')), &graph.clone().cut_at("a")),
        "branch b..x"
    );
    assert_eq!(
        of_merge_base(&push("refs/heads/main", 'm', &hex('x')), &graph),
        "push b..m"
    );
    assert_eq!(
        of_merge_base(&push("refs/heads/main", 'm', &hex('q')), &graph),
        "git: Before q"
    );
    assert_eq!(
        of_merge_base(&push("refs/heads/main", 'm', &hex('o')), &graph),
        "git: unrelated"
    );
    assert_eq!(
        of_merge_base(&push("refs/heads/main", 'm', ZEROS), &graph),
        "first_push -..m"
    );
    assert_eq!(
        of_merge_base(&push("refs/heads/w", 'x', ZEROS), &graph),
        "new_branch b..x"
    );
    let request = Told::request("pull_request", 't', 'x', 'b');
    assert_eq!(of_merge_base(&request, &graph), "merge_commit m..t");
}

#[test]
fn all_best_common_ancestors_are_bases() {
    let mut graph = Graph::usual();
    // Both sides merged what the other had been.
    graph.commits.extend([('c', "mw"), ('d', "wm")]);
    graph.references.insert("refs/remotes/origin/main", 'c');
    let push = Told::push("refs/heads/w", 'd', ZEROS, false);
    assert_eq!(of(&push, &graph), "new_branch mw..d");
    let choice = chosen(&push, &graph, false).expect("a range");
    assert_eq!(choice.measured.map(|measured| measured.tip), Some(id('c')));
}
