//! Names, ids and event files that are made to hurt (git.md 10.2).

use std::os::unix::ffi::OsStrExt as _;
use std::time::{Duration, Instant};

use super::{Story, Variables, ZEROS, github, impact, judged, paths, refused};
use crate::repo::{clean, failure, run};

#[test]
fn names_of_branches_are_names_or_refused_and_never_expanded() {
    let story = Story::new();
    // What a name must not be taken for.
    story.repo.git(&["checkout", "-q", "side"]);
    story.repo.git(&["checkout", "-q", "main"]);
    story.repo.git(&["tag", "decoy"]);
    story
        .repo
        .git(&["update-ref", "refs/tags/refs/heads/twice", "main"]);
    story
        .repo
        .git(&["update-ref", "refs/remotes/origin/deep/HEAD", "main"]);
    let long = "b".repeat(300);
    let valid = [
        "decoy",
        "twice",
        "refs/heads/main",
        "a'$(id)",
        "主干",
        "Ma\u{308}rz",
        "deep",
        &long,
        "HEAD/x",
        "@",
    ];
    let invalid = [
        "-x",
        "--output=x",
        "HEAD",
        "@{-1}",
        "a..b",
        "main^",
        "main~1",
        "a:b",
        "a b",
        "x\n::error::y",
        "../x",
        "a.lock",
        "/a",
        "a//b",
        "\u{1b}[31m",
    ];
    for (names, code) in [
        (&valid[..], "IMPACT_GIT_DIFF_FAILED"),
        (&invalid[..], "IMPACT_INPUT_INVALID"),
    ] {
        for name in names {
            let jenkins = [
                ("JENKINS_URL", "x"),
                ("GIT_COMMIT", &*story.side),
                ("CHANGE_ID", "1"),
                ("CHANGE_TARGET", name),
            ];
            let (found, message) = refused(&story.repo.dir, &jenkins);
            assert_eq!(found, code, "{name:?}: {message}");
            assert!(!message.contains(|c: char| c.is_control()), "{message:?}");
        }
    }
    // Those that exist are found.
    for name in ["a'$(id)", "主干", "Ma\u{308}rz"] {
        story.repo.git(&["branch", name, "main"]);
        let jenkins = [
            ("JENKINS_URL", "x"),
            ("GIT_COMMIT", &*story.side),
            ("CHANGE_ID", "1"),
            ("CHANGE_TARGET", name),
        ];
        assert_eq!(paths(&judged(&story.repo.dir, &jenkins)).len(), 2, "{name}");
    }
    // A twin of another Unicode form is another branch.
    let twin = [
        ("JENKINS_URL", "x"),
        ("GIT_COMMIT", &*story.side),
        ("CHANGE_ID", "1"),
        ("CHANGE_TARGET", "M\u{e4}rz"),
    ];
    assert_eq!(refused(&story.repo.dir, &twin).0, "IMPACT_GIT_DIFF_FAILED");
}

/// Variables that hold an id or a branch in some job, with what makes that job.
const TOLD: [(&str, Variables<'static>); 21] = [
    (
        "GITHUB_SHA",
        &[("GITHUB_ACTIONS", "true"), ("GITHUB_EVENT_NAME", "schedule")],
    ),
    (
        "GIT_SPEC_CI_BEFORE",
        &[("CIRCLECI", "true"), ("CIRCLE_BRANCH", "x")],
    ),
    (
        "GIT_SPEC_CI_DEFAULT_BRANCH",
        &[("CIRCLECI", "true"), ("CIRCLE_BRANCH", "x")],
    ),
    ("CIRCLE_SHA1", &[("CIRCLECI", "true")]),
    ("CIRCLE_BRANCH", &[("CIRCLECI", "true")]),
    ("CI_COMMIT_SHA", &[("GITLAB_CI", "true")]),
    (
        "CI_COMMIT_BEFORE_SHA",
        &[("GITLAB_CI", "true"), ("CI_PIPELINE_SOURCE", "push")],
    ),
    ("CI_COMMIT_BRANCH", &[("GITLAB_CI", "true")]),
    ("CI_DEFAULT_BRANCH", &[("GITLAB_CI", "true")]),
    (
        "CI_MERGE_REQUEST_DIFF_BASE_SHA",
        &[
            ("GITLAB_CI", "true"),
            ("CI_PIPELINE_SOURCE", "merge_request_event"),
        ],
    ),
    (
        "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA",
        &[
            ("GITLAB_CI", "true"),
            ("CI_PIPELINE_SOURCE", "merge_request_event"),
        ],
    ),
    (
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
        &[
            ("GITLAB_CI", "true"),
            ("CI_MERGE_REQUEST_EVENT_TYPE", "merge_train"),
        ],
    ),
    ("BITBUCKET_COMMIT", &[("BITBUCKET_BUILD_NUMBER", "1")]),
    (
        "BITBUCKET_PR_DESTINATION_COMMIT",
        &[("BITBUCKET_BUILD_NUMBER", "1"), ("BITBUCKET_PR_ID", "1")],
    ),
    ("BUILD_SOURCEVERSION", &[("TF_BUILD", "true")]),
    (
        "SYSTEM_PULLREQUEST_TARGETBRANCH",
        &[
            ("TF_BUILD", "true"),
            ("BUILD_REASON", "PullRequest"),
            ("SYSTEM_PULLREQUEST_SOURCECOMMITID", ZEROS),
        ],
    ),
    ("BUILDKITE_COMMIT", &[("BUILDKITE", "true")]),
    ("BUILDKITE_MERGE_QUEUE_BASE_BRANCH", &[("BUILDKITE", "true")]),
    ("GIT_COMMIT", &[("JENKINS_URL", "x")]),
    ("GIT_PREVIOUS_COMMIT", &[("JENKINS_URL", "x")]),
    ("GIT_BRANCH", &[("JENKINS_URL", "x")]),
];

#[test]
fn hostile_values_of_every_variable_are_refused() {
    let story = Story::new();
    let heads = [
        "GITHUB_SHA",
        "CIRCLE_SHA1",
        "CI_COMMIT_SHA",
        "BITBUCKET_COMMIT",
        "BUILD_SOURCEVERSION",
        "BUILDKITE_COMMIT",
        "GIT_COMMIT",
    ];
    for (name, job) in TOLD {
        for value in [
            "-x",
            "--output=x",
            "@{-1}",
            "a..b",
            "x\n::error::y",
            "\u{1b}[31m",
            "a\u{202e}b c",
            " ",
        ] {
            let mut variables: Vec<(&str, &str)> = heads.iter().map(|head| (*head, &*story.side)).collect();
            variables.extend(job);
            variables.push((name, value));
            let (code, message) = refused(&story.repo.dir, &variables);
            assert_eq!(code, "IMPACT_INPUT_INVALID", "{name}={value:?}: {message}");
            assert!(message.contains(name), "{message}");
            assert!(
                !message.contains(|c: char| c.is_control() || c == '\u{202e}'),
                "{message:?}"
            );
            let text = impact(&story.repo.dir, &variables, &[]);
            let text = String::from_utf8(text.stderr).expect("text");
            assert_eq!(text.lines().count(), 1, "{text}");
        }
    }
    let not_text = std::ffi::OsStr::from_bytes(b"\xff\xfe");
    let mut command = clean(env!("CARGO_BIN_EXE_git-spec"), &story.repo.dir);
    command
        .env_clear()
        .env("CIRCLECI", "true")
        .env("CIRCLE_SHA1", not_text);
    command.args(["impact", "--ci", "--format", "json"]);
    assert_eq!(failure(&run(command, None)).0, "IMPACT_INPUT_INVALID");
}

#[test]
fn hostile_event_files_are_refused_within_a_second() {
    let story = Story::new();
    let dir = &story.repo.dir;
    let at = |name: &str| dir.with_file_name(name);
    let made = std::process::Command::new("mkfifo")
        .arg(at("fifo"))
        .status()
        .expect("mkfifo runs");
    assert!(made.success());
    std::fs::create_dir(at("folder")).expect("a folder");
    let big = std::fs::File::create(at("big")).expect("a file");
    big.set_len(100 << 20).expect("a hole");
    std::os::unix::fs::symlink("fifo", at("link")).expect("a link");
    let deep = format!("{{\"x\": {}", "[".repeat(100_000));
    let objects = "{\"a\":".repeat(100_000);
    let twice = format!(r#"{{"before": "{0}", "before": "{0}"}}"#, story.start);
    let texts = [
        "",
        "[]",
        "null",
        "{",
        &deep,
        &objects,
        &twice,
        "{\"before\": 5}",
        "{\"before\": \"HEAD\"}",
        "\u{feff}{}",
    ];
    for (n, text) in texts.iter().enumerate() {
        std::fs::write(at(&format!("text{n}")), text).expect("written");
    }
    let mut names: Vec<String> = (0..texts.len()).map(|n| format!("text{n}")).collect();
    names.extend(["fifo", "folder", "big", "link", "missing"].map(str::to_owned));
    let mut files: Vec<String> = names.iter().map(|name| at(name).display().to_string()).collect();
    files.push("/dev/zero".to_owned());
    files.push("\n::error::x".to_owned());
    for file in files {
        // Which the others do not read.
        let only_push = ["text7", "text8"].iter().any(|name| file.ends_with(name));
        let others = ["release", "merge_group", "pull_request"];
        let others = others.iter().filter(|_| !only_push);
        for name in others.chain(&["push"]) {
            let variables = github(name, "refs/heads/side", &story.side, &file);
            let begun = Instant::now();
            let (code, message) = refused(dir, &variables);
            assert_eq!(code, "IMPACT_INPUT_INVALID", "{name} {file}");
            assert!(begun.elapsed() < Duration::from_secs(1), "{name} {file}");
            assert!(!message.contains(|c: char| c.is_control()), "{message:?}");
        }
    }
}
