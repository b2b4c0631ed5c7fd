//! Names and contents that are made to hurt: none is an option, a revision, a line of ours, or the end of it all.

use crate::common::{Tolls, out};
use crate::{added, answer, changes, data, judged, propose, radar};

/// Branch names that git takes and a careless program does not.
const BRANCHES: [&str; 7] = [
    "--output=x",
    "-x",
    "HEAD",
    "refs/heads/x",
    "a'$(touch${IFS}owned)",
    "%0Aerror",
    "e\u{301}",
];

#[test]
fn branches_are_names_and_nothing_else() {
    let tolls = Tolls::new();
    propose(
        &tolls,
        "a",
        "bus",
        &[(Tolls::DELTA, &added("Buses", "UT-S01-04", "bus"))],
    );
    let long = "b".repeat(200);
    for name in BRANCHES.into_iter().chain([long.as_str(), "\u{e9}"]) {
        tolls.git(["update-ref", &format!("refs/heads/{name}"), "a"]);
    }
    let found = answer(&tolls, &[]);
    let refs = found["changes"][0]["refs"].as_array().expect("a list");
    assert_eq!(refs.len(), BRANCHES.len() + 3, "{found}");
    assert!(refs.contains(&"refs/heads/--output=x".into()), "{found}");
    let text = tolls.spec(["radar"]).exits(0);
    assert!(
        !text
            .stdout
            .lines()
            .any(|line| line.starts_with("::") || line.starts_with('-')),
        "{text:?}"
    );
    assert!(!tolls.exists("x") && !tolls.exists("owned"));
    for glob in ["refs/heads/--output=x", "refs/heads/-*"] {
        assert!(!changes(&answer(&tolls, &["--refs", glob])).is_empty(), "{glob}");
    }
    for value in ["--output=x", "-x", "@{-1}", "HEAD"] {
        radar(&tolls, &["--refs", value]).exits(1);
        radar(&tolls, &["--change", value]).exits(1);
    }
    assert!(!tolls.exists("x"));
}

#[test]
fn changes_are_names_and_no_lines() {
    let tolls = Tolls::new();
    for (at, slug) in [
        "-x",
        "--output=x",
        "a\n::error::b",
        "\u{1b}[31mred",
        "a b",
        "@{-1}",
        "a..b",
        "\u{202e}x",
    ]
    .into_iter()
    .enumerate()
    {
        let folder = format!("logos/changes/{slug}");
        tolls.write(&format!("{folder}/proposal.md"), format!("# {at}\n"));
        let delta = added(&format!("Part\u{1b}[2J {at}"), "UT-S01-04", "x\n::error::y");
        tolls.write(&format!("{folder}/deltas/{}", Tolls::DELTA), delta);
    }
    tolls.commit("Hostile");
    let found = answer(&tolls, &[]);
    assert_eq!(found["changes"].as_array().map(Vec::len), Some(8), "{found}");
    assert_eq!(found["pairs"].as_array().map(Vec::len), Some(28));
    let text = tolls.spec(["radar"]).exits(2);
    assert!(!text.stdout.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    assert!(
        !text.stdout.lines().any(|line| line.starts_with("::")),
        "{text:?}"
    );
    let one = answer(&tolls, &["--change", "a\n::error::b"]);
    assert_eq!(one["changes"].as_array().map(Vec::len), Some(1));
    for slug in ["--output=x", "-x"] {
        let args = [
            "renumber",
            "UT-S01-04",
            &format!("--change={slug}"),
            "--format",
            "json",
        ];
        let out = judged(tolls.spec(args)).exits(0);
        assert_eq!(out.json()["data"]["change"], slug);
        assert!(!tolls.exists("x"));
    }
    let out = judged(tolls.spec([
        "renumber",
        "UT-S01-04",
        "--change",
        "a\n::error::b",
        "--format",
        "json",
    ]));
    // A trailer is one line: what would forge another is no name for it.
    out.exits(1);
    assert_eq!(
        tolls
            .git(["log", "-1", "--format=%(trailers:key=Spec-Change,valueonly)"])
            .trim(),
        "-x"
    );
    let told = tolls
        .spec(["renumber", "x\u{1b}[31m\n::error::y", "--change", "a b"])
        .exits(1);
    assert!(
        !told.stderr.contains('\u{1b}') && told.stderr.lines().count() == 1,
        "{told:?}"
    );
}

#[test]
fn what_is_no_text_or_no_folder_is_told_of_one_change_alone() {
    let tolls = Tolls::new();
    propose(
        &tolls,
        "a",
        "bus",
        &[(Tolls::DELTA, &added("Buses", "UT-S01-04", "bus"))],
    );
    tolls.git(["switch", "-q", "-c", "b"]);
    tolls.write("logos/changes/blob/proposal.md", b"\xff\0\xfe");
    tolls.write(
        &format!("logos/changes/blob/deltas/{}", Tolls::DELTA),
        b"## ADDED \xe2\x80\x94 X\n\0\xff\n",
    );
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/etc", tolls.path("logos/changes/etc")).expect("a link can be made");
        std::os::unix::fs::symlink(
            "/etc/passwd",
            tolls.path("logos/changes/blob/deltas/test/passwd.md"),
        )
        .expect("a link can be made");
    }
    tolls.commit("Odd");
    tolls.git(["switch", "-q", "main"]);
    let mut command = tolls.program();
    let found = data(judged(out(command.args(["radar", "--format", "json"]), b"")));
    let told = changes(&found);
    assert!(told.contains(&"bus clean refs/heads/a".to_owned()), "{told:?}");
    assert!(
        told[0].starts_with("blob ") && !told.iter().any(|change| change.starts_with("etc")),
        "{told:?}"
    );
    assert!(!found.to_string().contains("root:"), "{found}");
}

#[test]
fn trailers_of_others_change_no_verdict() {
    let tolls = Tolls::new();
    tolls.git(["switch", "-q", "-c", "a"]);
    tolls.change("bus", &[(Tolls::DELTA, &added("Buses", "UT-S01-04", "bus"))]);
    let nowhere = "1".repeat(40);
    for (base, verdict) in [("HEAD", "clean"), (nowhere.as_str(), "unreadable")] {
        let message = format!("x\n\nSpec-Change: bus\nSpec-Base: {base}\n");
        tolls.git(["commit", "-q", "--allow-empty", "-m", &message]);
        assert_eq!(
            changes(&answer(&tolls, &[])),
            [format!("bus {verdict} refs/heads/a")]
        );
    }
}
