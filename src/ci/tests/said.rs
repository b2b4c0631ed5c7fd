//! What each provider says, what is said wrongly, and how a choice is told.

use super::graph::{Graph, ZEROS, hex};
use super::told::{Told, chosen, of};
use crate::ci::RangeLine;
use crate::voice::{Language, Say, Voice};

/// A job, more variables of it, and the choice.
type Case<'a> = (&'a Told, Vec<(&'a str, &'a str)>, &'a str);

#[test]
fn other_providers_are_read_in_their_own_words() {
    let graph = Graph {
        checked_out: Some('x'),
        ..Graph::usual()
    };
    let x = hex('x');
    let m = hex('m');
    let w = hex('w');
    let bitbucket = Told::new(&[("BITBUCKET_BUILD_NUMBER", "1"), ("BITBUCKET_COMMIT", &x)]);
    let circle = Told::new(&[("CIRCLECI", "true"), ("CIRCLE_SHA1", &x)]);
    let azure = Told::new(&[("TF_BUILD", "TRUE"), ("BUILD_SOURCEVERSION", &x)]);
    let buildkite = Told::new(&[("BUILDKITE", "true"), ("BUILDKITE_COMMIT", "HEAD")]);
    let jenkins = Told::new(&[("JENKINS_URL", "http://x")]);
    let gitea =
        Told::push("refs/heads/w", 'x', &w, false).and(&[("GITEA_ACTIONS", "true"), ("GITHUB_ACTIONS", "")]);
    let default = ("GIT_SPEC_CI_DEFAULT_BRANCH", "main");
    let cases: Vec<Case<'_>> = vec![
        (&bitbucket, vec![("BITBUCKET_BRANCH", "w")], "no_range x..x"),
        (
            &bitbucket,
            vec![("BITBUCKET_BRANCH", "w"), default],
            "branch b..x",
        ),
        (&bitbucket, vec![("BITBUCKET_TAG", "v1")], "first_tag -..x"),
        (
            &bitbucket,
            vec![("BITBUCKET_PR_ID", "1"), ("BITBUCKET_PR_DESTINATION_COMMIT", &m)],
            "merge_base b..x",
        ),
        (
            &bitbucket,
            vec![
                ("BITBUCKET_PR_ID", "1"),
                ("BITBUCKET_PR_DESTINATION_BRANCH", "main"),
            ],
            "merge_base b..x",
        ),
        (
            &circle,
            vec![("CIRCLE_BRANCH", "w"), ("GIT_SPEC_CI_BEFORE", &w)],
            "push w..x",
        ),
        (
            &circle,
            vec![("CIRCLE_BRANCH", "w"), ("GIT_SPEC_CI_BEFORE", ZEROS), default],
            "new_branch b..x",
        ),
        (&circle, vec![("CIRCLE_TAG", "v1")], "first_tag -..x"),
        (
            &azure,
            vec![
                ("BUILD_REASON", "IndividualCI"),
                ("BUILD_SOURCEBRANCH", "refs/heads/w"),
                default,
            ],
            "branch b..x",
        ),
        (
            &azure,
            vec![
                ("BUILD_REASON", "Manual"),
                ("BUILD_SOURCEBRANCH", "refs/heads/w"),
                ("GIT_SPEC_CI_BEFORE", &w),
            ],
            "no_range x..x",
        ),
        (
            &azure,
            vec![
                ("BUILD_REASON", "PullRequest"),
                ("BUILD_SOURCEBRANCH", "refs/tags/v1"),
            ],
            "first_tag -..x",
        ),
        (
            &azure,
            vec![
                ("BUILD_REASON", "PullRequest"),
                ("SYSTEM_PULLREQUEST_SOURCECOMMITID", &x),
                ("SYSTEM_PULLREQUEST_TARGETBRANCH", "main"),
            ],
            "merge_base b..x",
        ),
        (
            &buildkite,
            vec![
                ("BUILDKITE_PULL_REQUEST", "7"),
                ("BUILDKITE_PULL_REQUEST_BASE_BRANCH", "main"),
                ("BUILDKITE_BRANCH", "guest:w"),
            ],
            "merge_base b..x",
        ),
        (
            &buildkite,
            vec![
                ("BUILDKITE_SOURCE", "webhook"),
                ("BUILDKITE_PULL_REQUEST", "false"),
                ("BUILDKITE_BRANCH", "w"),
                ("BUILDKITE_PIPELINE_DEFAULT_BRANCH", "main"),
            ],
            "branch b..x",
        ),
        (
            &buildkite,
            vec![("BUILDKITE_TAG", "v1"), ("BUILDKITE_PULL_REQUEST", "7")],
            "first_tag -..x",
        ),
        (&jenkins, vec![("BRANCH_NAME", "w"), default], "new_branch b..x"),
        (
            &jenkins,
            vec![
                ("GIT_BRANCH", "origin/main"),
                ("GIT_PREVIOUS_COMMIT", &w),
                default,
            ],
            "push w..x",
        ),
        (
            &jenkins,
            vec![("GIT_COMMIT", &m), ("GIT_BRANCH", "origin/main"), default],
            "first_push -..m",
        ),
        (
            &jenkins,
            vec![
                ("CHANGE_ID", "1"),
                ("CHANGE_TARGET", "main"),
                ("BRANCH_NAME", "PR-1"),
            ],
            "merge_base b..x",
        ),
        (&jenkins, vec![("TAG_NAME", "v1")], "first_tag -..x"),
        (&gitea, vec![], "push w..x"),
    ];
    for (told, variables, expected) in cases {
        let told = told.clone().and(&variables);
        assert_eq!(of(&told, &graph), expected, "{variables:?}");
    }
    let unborn = Graph::usual();
    assert_eq!(of(&jenkins, &unborn), "git: unborn");
}

#[test]
fn what_is_said_wrongly_or_not_at_all_is_told_as_such() {
    let graph = Graph::usual();
    let event = |text: &str| Told::github("push", "refs/heads/w", 'x', text);
    let b = hex('b');
    for told in [
        Told::default(),
        Told::new(&[("CI", "true"), ("GITHUB_ACTIONS", "1")]),
        Told::new(&[("GITHUB_ACTIONS", "true")]),
        event(""),
        event("[]"),
        event("{}"),
        event(r#"{"before": null}"#),
        event(r#"{"before": 1}"#),
        event(r#"{"before": "HEAD"}"#),
        event(&format!(r#"{{"before": "{b}", "forced": "yes"}}"#)),
        event(&format!(r#"{{"before": "{b}", "deleted": true}}"#)),
        event(&format!(r#"{{"before": "{b}", "after": "{ZEROS}"}}"#)),
        event(&format!(r#"{{"before": "{b}", "before": "{b}"}}"#)),
        event(&format!(r#"{{"before": "{b}", "repository": []}}"#)),
        event(&format!(
            r#"{{"before": "{b}", "repository": {{"default_branch": "a..b"}}}}"#
        )),
        event(&format!(r#"{{"before": "{b}"}}"#)).and(&[("GITHUB_SHA", "HEAD")]),
        event(&format!(r#"{{"before": "{b}"}}"#)).and(&[("GITHUB_SHA", "")]),
        event(&format!(r#"{{"before": "{b}"}}"#)).and(&[("GITHUB_REF", "refs/heads/-x")]),
        event(&format!(r#"{{"before": "{b}"}}"#)).and(&[("GIT_SPEC_CI_BEFORE", "main")]),
        event(&format!(r#"{{"before": "{b}"}}"#)).and(&[("GIT_SPEC_CI_DEFAULT_BRANCH", "HEAD")]),
        Told::github("create", "refs/heads/w", 'x', "{}"),
        Told::github("merge_group", "refs/heads/w", 'x', "{}"),
        Told::github(
            "pull_request",
            "refs/pull/1/merge",
            't',
            r#"{"pull_request": {"head": {"sha": "-x"}}}"#,
        ),
        Told::request("pull_request", 't', 'x', 'm').and(&[("GITHUB_EVENT_PATH", "")]),
        Told::gitlab("push", 'x', &[]),
        Told::gitlab("push", 'x', &[("CI_COMMIT_BEFORE_SHA", "@{-1}")]),
        Told::new(&[("JENKINS_URL", "x"), ("GIT_COMMIT", &b), ("CHANGE_ID", "1")]),
    ] {
        let said = of(&told, &graph);
        assert!(
            said.starts_with("Input: "),
            "{said} for {:?} {:?}",
            told.variables,
            told.event
        );
    }
}

#[test]
fn errors_say_what_was_looked_for_and_one_cure() {
    let said = |told: &Told, graph: &Graph| {
        chosen(told, graph, false)
            .map_err(|e| e.to_string())
            .expect_err("none")
    };
    let push = Told::push("refs/heads/main", 'x', &hex('q'), false);
    let shallow = said(&push, &Graph::usual().cut_at("w"));
    for part in [&*hex('q'), "shallow", &hex('w'), "`fetch-depth: 0`"] {
        assert!(shallow.contains(part), "{shallow}");
    }
    let request = Told::request("pull_request", 't', 'x', 'b');
    let parent = said(&request, &Graph::usual().without("m").cut_at("t"));
    assert!(parent.contains("`fetch-depth: 2`"), "{parent}");
    let tag = Told::gitlab("push", 'x', &[("CI_COMMIT_TAG", "v1")]);
    assert!(said(&tag, &Graph::usual().cut_at("x")).contains("`GIT_DEPTH: 0`"));
    let event = format!(
        r#"{{"merge_group": {{"head_sha": "{}", "base_ref": "refs/heads/a'$(id)"}}}}"#,
        hex('x')
    );
    let queue = said(&Told::github("merge_group", "", 'x', &event), &Graph::usual());
    let cure = r"`git fetch origin 'a'\''$(id):refs/remotes/origin/a'\''$(id)'`";
    assert!(
        queue.ends_with(&format!("not shallow; {cure} brings it")),
        "{queue}"
    );
    let gone = chosen(&push, &Graph::usual(), false).expect_err("none");
    let voice = Voice {
        language: Language::Chinese,
        ..Voice::default()
    };
    assert!(
        gone.say_with("<a>..<b>", &voice)
            .ends_with("请给出范围：`<a>..<b>`")
    );
}

#[test]
fn the_line_says_range_rule_provider_event_and_age() {
    let told = Told::push("refs/heads/w", 'x', ZEROS, false);
    let choice = chosen(&told, &Graph::usual(), false).expect("a range");
    let line = RangeLine {
        base: choice.bases()[0],
        choice,
        now: crate::clock::Timestamp::from_seconds(1_000_000 + 3 * 86_400),
    };
    assert_eq!(
        line.say(&Voice::default()),
        "range: 626262626262..787878787878 (new_branch; GitHub Actions push; refs/remotes/origin/main is 3 days old)"
    );
    let mut first = chosen(
        &Told::push("refs/heads/main", 'x', ZEROS, false),
        &Graph::usual(),
        false,
    )
    .expect("a range");
    first.event = "x\n::error::".to_owned();
    let line = RangeLine {
        base: None,
        choice: first,
        ..line
    };
    assert_eq!(
        line.say(&Voice::default()),
        "range: (empty tree)..787878787878 (first_push; GitHub Actions x\\n::error::)"
    );
}
