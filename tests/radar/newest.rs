//! Which changes are open, and which of their versions counts.

use crate::common::{Tolls, out};
use crate::{NONE, added, answer, changes, data, judged, pairs, propose};

const DELTA: &str = "logos/changes/bus/deltas/test/core-01-test-cases.md";

/// A branch `a` with the change `bus`; main is checked out.
fn bus() -> Tolls {
    let tolls = Tolls::new();
    propose(
        &tolls,
        "a",
        "bus",
        &[(Tolls::DELTA, &added("Buses", "UT-S01-04", "bus"))],
    );
    tolls
}

/// Another version of its delta, committed where we are.
fn rewrite(tolls: &Tolls, name: &str) {
    tolls.write(DELTA, added("Buses", "UT-S01-04", name));
    tolls.commit(&format!("Make it a {name}"));
}

#[test]
fn of_versions_the_one_that_comes_after_the_others_counts() {
    let tolls = bus();
    tolls.git(["merge", "-q", "--ff-only", "a"]);
    tolls.git(["switch", "-q", "-c", "later", "a"]);
    rewrite(&tolls, "coach");
    assert_eq!(changes(&answer(&tolls, &[])), ["bus clean refs/heads/later"]);
    // Others go on without touching it: the version that they hold stays the older one.
    tolls.git(["switch", "-q", "main"]);
    tolls.write("README.md", "x\n");
    tolls.commit("Something else");
    let found = answer(&tolls, &[]);
    assert_eq!(changes(&found), ["bus clean refs/heads/later"]);
    assert_eq!(found["changes"][0]["variant"], false);
    // Changed back, the newest is the first again, wherever else that still is.
    tolls.git(["switch", "-q", "later"]);
    rewrite(&tolls, "bus");
    tolls.git(["branch", "-q", "-f", "main", "later"]);
    tolls.git(["branch", "-q", "middle", "later~1"]);
    assert_eq!(
        changes(&answer(&tolls, &[])),
        ["bus clean refs/heads/a refs/heads/later refs/heads/main"]
    );
}

#[test]
fn versions_that_parted_are_variants_and_not_compared() {
    let tolls = bus();
    tolls.git(["switch", "-q", "-c", "b", "a"]);
    rewrite(&tolls, "tram");
    tolls.git(["switch", "-q", "a"]);
    rewrite(&tolls, "coach");
    tolls.git(["switch", "-q", "main"]);
    propose(
        &tolls,
        "c",
        "cart",
        &[(Tolls::DELTA, &added("Carts", "UT-S01-04", "cart"))],
    );
    let found = answer(&tolls, &[]);
    assert_eq!(
        changes(&found),
        [
            "bus@refs/heads/a clean refs/heads/a",
            "bus@refs/heads/b clean refs/heads/b",
            "cart clean refs/heads/c"
        ]
    );
    let variant = |at: usize| found["changes"][at]["variant"].clone();
    assert_eq!([variant(0), variant(1), variant(2)], [true, true, false]);
    assert_eq!(
        pairs(&found),
        [
            "bus@refs/heads/a cart duplicate_id -",
            "bus@refs/heads/b cart duplicate_id -"
        ]
    );
}

#[test]
fn a_rebased_branch_holds_what_comes_after_the_old_one() {
    let tolls = bus();
    tolls.git(["branch", "-q", "old", "a"]);
    tolls.write("README.md", "x\n");
    tolls.commit("Something else");
    tolls.git(["switch", "-q", "a"]);
    tolls.git(["rebase", "-q", "main"]);
    assert_eq!(
        changes(&answer(&tolls, &[])),
        ["bus clean refs/heads/a refs/heads/old"]
    );
    rewrite(&tolls, "coach");
    assert_eq!(changes(&answer(&tolls, &[])), ["bus clean refs/heads/a"]);
}

#[test]
fn what_the_default_branch_has_merged_or_archived_is_open_nowhere() {
    let tolls = bus();
    tolls.git(["branch", "-q", "still", "a"]);
    tolls.git(["merge", "-q", "--ff-only", "a"]);
    tolls.spec(["merge", "bus"]).exits(0);
    assert_eq!(changes(&answer(&tolls, &[])), NONE);
    tolls.spec(["archive", "bus"]).exits(0);
    assert_eq!(changes(&answer(&tolls, &[])), NONE);
    // From another branch it is the default branch that tells, if one is known.
    tolls.git(["switch", "-q", "still"]);
    assert_eq!(
        changes(&answer(&tolls, &[])),
        ["bus clean refs/heads/a refs/heads/still"]
    );
    tolls.git(["config", "spec.defaultBranch", "main"]);
    assert_eq!(changes(&answer(&tolls, &[])), NONE);
    // A proposal that was rewritten since is still that of the change that was archived.
    tolls.write("logos/changes/bus/proposal.md", "# Change: bus\n\nRewritten.\n");
    tolls.commit("Rewrite the proposal");
    assert_eq!(changes(&answer(&tolls, &[])), NONE);
    tolls.write(
        "logos/changes/bus/proposal.md",
        "# Change: bus\n\nRewritten, and not committed.\n",
    );
    assert_eq!(changes(&answer(&tolls, &[])), NONE);
}

#[test]
fn a_namesake_of_an_archived_change_is_another_change() {
    let tolls = bus();
    tolls.git(["merge", "-q", "--ff-only", "a"]);
    tolls.git(["branch", "-q", "-D", "a"]);
    tolls.spec(["merge", "bus"]).exits(0);
    tolls.spec(["archive", "bus"]).exits(0);
    tolls.git(["switch", "-q", "-c", "again"]);
    tolls.change("bus", &[(Tolls::DELTA, &added("More buses", "UT-S01-05", "bus"))]);
    tolls.write(
        "logos/changes/bus/proposal.md",
        "# Change: bus\n\nMore of them.\n",
    );
    tolls.commit("Say why");
    tolls.git(["config", "spec.defaultBranch", "main"]);
    assert_eq!(changes(&answer(&tolls, &[])), ["bus clean refs/heads/again"]);
}

#[test]
fn a_change_merged_on_a_branch_is_open_where_it_is_not() {
    let tolls = bus();
    tolls.git(["switch", "-q", "-c", "ahead", "a"]);
    tolls.spec(["merge", "bus"]).exits(0);
    tolls.git(["switch", "-q", "main"]);
    assert_eq!(changes(&answer(&tolls, &[])), ["bus clean refs/heads/a"]);
    // A marker that is not committed closes nothing on the branch.
    tolls.git(["switch", "-q", "a"]);
    tolls.spec(["merge", "bus", "--no-commit"]).exits(0);
    tolls.git(["config", "spec.defaultBranch", "main"]);
    assert_eq!(changes(&answer(&tolls, &[])), ["bus clean refs/heads/a"]);
}

#[test]
fn a_folder_without_a_proposal_is_no_change() {
    let tolls = Tolls::new();
    tolls.write("logos/changes/notes/deltas/test/x.md", "## ADDED — X\n");
    tolls.write("logos/changes/README.md", "x\n");
    tolls.write("logos/changes/archive/old/proposal.md", "# x\n");
    tolls.write("logos/changes/odd/proposal.md/x.md", "x\n");
    tolls.commit("No change");
    assert_eq!(changes(&answer(&tolls, &[])), NONE);
}

#[test]
fn the_base_is_what_the_branch_declares() {
    let tolls = bus();
    let price = |price: &str| Tolls::prices(price, "12", "0");
    propose(&tolls, "b", "price", &[(Tolls::DELTA, &price("6"))]);
    tolls.write(Tolls::DOCUMENT, Tolls::CONTENT.replace("| 5 |", "| 7 |"));
    let main = tolls.commit("Cars pay 7");
    assert_eq!(changes(&answer(&tolls, &[]))[1], "price conflict refs/heads/b");
    tolls.git(["switch", "-q", "b"]);
    tolls.git(["merge", "-q", "--no-edit", "main"]);
    let message = format!("Onto main\n\nSpec-Change: price\nSpec-Base: {main}\n");
    tolls.git(["commit", "-q", "--allow-empty", "-m", &message]);
    let mut command = tolls.program();
    let found = data(judged(out(command.args(["radar", "--format", "json"]), b"")));
    assert_eq!(changes(&found)[1], "price clean refs/heads/b");
    assert_eq!(found["changes"][1]["base"], main.as_str());
}
