//! Repositories of other kinds: bare, SHA-256, shallow, partial, other reference storage; and many branches.

use crate::common::{Out, Repo, Tolls, out};
use crate::{added, answer, changes, data, items, judged, pairs, propose};

fn two() -> Tolls {
    let tolls = Tolls::new();
    propose(
        &tolls,
        "a",
        "bus",
        &[(Tolls::DELTA, &added("Buses", "UT-S01-04", "bus"))],
    );
    propose(
        &tolls,
        "b",
        "tram",
        &[(Tolls::DELTA, &added("Trams", "UT-S01-04", "tram"))],
    );
    tolls
}

/// A clone beside the repository, made so.
fn cloned(tolls: &Repo, name: &str, args: &[&str]) -> String {
    let from = format!("file://{}", tolls.root().display());
    let to = format!("../{name}");
    let mut all = vec!["clone", "-q"];
    all.extend(args);
    all.extend([from.as_str(), to.as_str()]);
    tolls.git(all);
    to
}

fn radar_in(tolls: &Repo, dir: &str, args: &[&str]) -> Out {
    let mut all = vec!["radar", "--format", "json"];
    all.extend(args);
    judged(tolls.spec_in(dir, all))
}

#[test]
fn a_bare_repository_gives_the_same_answer() {
    let tolls = two();
    let bare = cloned(&tolls, "bare.git", &["--bare"]);
    assert_eq!(data(radar_in(&tolls, &bare, &[])), answer(&tolls, &[]));
}

#[test]
fn ids_of_64_digits_are_ids() {
    let repo = Repo::without_git();
    repo.git(["init", "-q", "-b", "main", "--object-format=sha256"]);
    repo.write("logos/logos.config.json", "{\"name\":\"x\",\"locale\":\"en\"}\n");
    repo.write(Tolls::DOCUMENT, Tolls::CONTENT);
    repo.commit("Lay down");
    for (branch, slug) in [("a", "bus"), ("b", "tram")] {
        repo.git(["switch", "-q", "-c", branch, "main"]);
        repo.write(
            &format!("logos/changes/{slug}/proposal.md"),
            format!("# {slug}\n"),
        );
        repo.write(
            &format!("logos/changes/{slug}/deltas/{}", Tolls::DELTA),
            added(slug, "UT-S01-04", slug),
        );
        repo.commit("Propose");
    }
    repo.write("logos/changes/cart/proposal.md", "# cart\n");
    let found = answer(&repo, &[]);
    assert_eq!(pairs(&found), ["bus tram duplicate_id -"]);
    assert_eq!(found["changes"][0]["commit"].as_str().map(str::len), Some(64));
    assert_eq!(changes(&found)[1], "cart clean");
}

#[test]
fn references_that_only_git_can_read_are_read_by_git() {
    let repo = Repo::without_git();
    let mut init = repo.command("git");
    if !init
        .args(["init", "-q", "-b", "main", "--ref-format=reftable"])
        .status()
        .is_ok_and(|s| s.success())
    {
        // This git does not know such a storage.
        return;
    }
    repo.write("logos/logos.config.json", "{}\n");
    repo.write(Tolls::DOCUMENT, Tolls::CONTENT);
    repo.commit("Lay down");
    repo.git(["switch", "-q", "-c", "a"]);
    repo.write("logos/changes/bus/proposal.md", "# bus\n");
    repo.commit("Propose");
    repo.git([
        "symbolic-ref",
        "refs/remotes/origin/HEAD",
        "refs/remotes/origin/x",
    ]);
    repo.git(["update-ref", "refs/remotes/origin/x", "a"]);
    assert_eq!(
        changes(&answer(&repo, &[])),
        ["bus clean refs/heads/a refs/remotes/origin/x"]
    );
}

#[test]
fn where_history_was_cut_off_nothing_is_called_clean() {
    let tolls = two();
    propose(
        &tolls,
        "c",
        "price",
        &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))],
    );
    propose(
        &tolls,
        "d",
        "other",
        &[(Tolls::DELTA, &Tolls::prices("5", "13", "0"))],
    );
    let shallow = cloned(&tolls, "shallow", &["--depth", "1", "--no-single-branch"]);
    let found = data(radar_in(&tolls, &shallow, &[]));
    let verdicts: Vec<_> = changes(&found);
    assert_eq!(verdicts.len(), 4, "{found}");
    assert!(
        verdicts.iter().all(|change| change.contains(" unreadable ")),
        "{found}"
    );
    let why = items(&found["changes"][0]);
    assert!(
        why[0].starts_with("base_unavailable - ") && why[0].contains("unshallow"),
        "{why:?}"
    );
    // What both bring is seen all the same; of the rest nothing is known.
    let told = pairs(&found);
    assert!(told.contains(&"bus tram duplicate_id -".to_owned()), "{told:?}");
    assert!(told.contains(&"other price unreadable -".to_owned()), "{told:?}");
    let text = tolls.spec_in(&shallow, ["radar"]).exits(2);
    assert!(text.stdout.contains("git fetch --unshallow"), "{text:?}");
}

#[test]
fn an_object_that_is_not_here_is_told_and_never_fetched() {
    let tolls = two();
    tolls.git(["config", "uploadpack.allowFilter", "true"]);
    let partial = cloned(&tolls, "partial", &["--filter=blob:none"]);
    let found = data(radar_in(&tolls, &partial, &[]));
    assert_eq!(
        changes(&found),
        [
            "bus unreadable refs/remotes/origin/a",
            "tram unreadable refs/remotes/origin/b"
        ]
    );
    let why = items(&found["changes"][0]);
    assert!(
        why[0].starts_with("artifact_unreadable - ") && why[0].contains("git fetch"),
        "{why:?}"
    );
    // Without the documents of the target there is no ground to judge on.
    let bare = cloned(&tolls, "bare", &["--filter=blob:none", "--no-checkout"]);
    let out = radar_in(&tolls, &bare, &[]).exits(1);
    assert!(
        out.stderr.contains("RADAR_GIT_FAILED") && out.stderr.contains("git fetch"),
        "{out:?}"
    );
}

#[test]
fn replaced_and_grafted_history_changes_nothing() {
    let tolls = two();
    let before = answer(&tolls, &[]);
    tolls.git(["replace", "a", "main"]);
    let tip = tolls.git(["rev-parse", "b"]);
    tolls.write(".git/info/grafts", format!("{}\n", tip.trim()));
    assert_eq!(answer(&tolls, &[]), before);
}

#[test]
fn outside_a_repository_there_is_nothing_to_look_at() {
    let repo = Repo::without_git();
    let out = judged(repo.spec(["radar", "--format", "json"])).exits(1);
    assert!(out.stderr.contains("NOT_A_REPOSITORY"), "{out:?}");
}

/// Branches are made by `git fast-import`, each with a change of its own on one of twenty documents.
#[test]
fn many_branches_are_looked_at_in_one_go() {
    let repo = Repo::new();
    repo.write("logos/logos.config.json", "{}\n");
    for at in 0..20 {
        repo.write(
            &format!("logos/resources/test/core-{at:02}-test-cases.md"),
            Tolls::CONTENT,
        );
    }
    repo.commit("Lay down");
    let mut stream = String::new();
    for at in 0..200 {
        let delta = added(
            &format!("Part {at}"),
            &format!("UT-S01-{:03}", 100 + at % 199),
            "x",
        );
        let file = format!(
            "logos/changes/c{at:03}/deltas/test/core-{:02}-test-cases.md",
            at % 20
        );
        let proposal = format!("# Change {at}\n");
        stream += &format!(
            "commit refs/heads/b{at}\ncommitter A <a@example.com> {} +0000\ndata 1\nx\nfrom refs/heads/main^0\n\
             M 100644 inline logos/changes/c{at:03}/proposal.md\ndata {}\n{proposal}\n\
             M 100644 inline {file}\ndata {}\n{delta}\n",
            1_767_323_045 + at,
            proposal.len(),
            delta.len(),
        );
    }
    let mut import = repo.command("git");
    out(import.args(["fast-import", "--quiet"]), stream.as_bytes()).exits(0);
    let found = answer(&repo, &[]);
    assert_eq!(changes(&found).len(), 200);
    assert_eq!(pairs(&found), ["c000 c199 duplicate_id -"]);
}
