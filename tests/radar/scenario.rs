//! U19: the same new id on two branches, which git merges without a word.

use crate::common::{Tolls, out};
use crate::{added, answer, items, pairs, propose};

#[test]
fn u19_the_same_new_id_on_two_branches() {
    let tolls = Tolls::new();
    for (branch, slug, title) in [("a", "bus", "Buses"), ("b", "tram", "Trams")] {
        let delta = added(title, "UT-S01-04", slug);
        propose(&tolls, branch, slug, &[(Tolls::DELTA, &delta)]);
    }
    tolls.git(["switch", "-q", "b"]);

    // Seen on b before anything is merged.
    let data = answer(&tolls, &[]);
    assert_eq!(pairs(&data), ["bus tram duplicate_id -"]);
    assert_eq!(
        items(&data["pairs"][0]),
        ["duplicate_id Buses UT-S01-04", "duplicate_id Trams UT-S01-04"]
    );
    let text = tolls.spec(["radar"]).exits(2).stdout;
    for word in ["bus", "tram", "UT-S01-04"] {
        assert!(text.contains(word), "{word}: {text}");
    }

    // a is applied and merged to main; git merges b on top.
    tolls.git(["switch", "-q", "a"]);
    tolls.spec(["merge", "bus"]).exits(0);
    tolls.git(["switch", "-q", "main"]);
    tolls.git(["merge", "-q", "--ff-only", "a"]);
    let before = tolls.git(["rev-parse", "HEAD"]);
    tolls.git(["merge", "-q", "--no-edit", "b"]);
    let range = format!("{}..HEAD", before.trim());
    let found = tolls.spec(["check", &range, "--format", "json"]).exits(2).json();
    let findings = found["data"]["findings"].as_array().expect("a list");
    let taken = findings.iter().find(|one| one["code"] == "id_taken");
    let taken = taken.unwrap_or_else(|| panic!("{found}"));
    let delta = format!("logos/changes/tram/deltas/{}", Tolls::DELTA);
    assert_eq!(taken["path"], delta.as_str());
    let message = taken["message"].as_str().expect("a text");
    assert!(
        message.contains("UT-S01-04") && message.contains(Tolls::DOCUMENT),
        "{message}"
    );

    // lint warns, merge refuses.
    let lint = tolls
        .spec(["change-lint", "--slug", "tram", "--format", "json"])
        .json();
    let warnings = lint["data"]["warnings"].as_array().expect("a list");
    assert!(
        warnings.iter().any(|one| one["code"] == "merge_id_taken"),
        "{lint}"
    );
    let violations = lint["data"]["violations"].as_array().expect("a list");
    assert!(violations.iter().all(|one| one["code"] != "id_taken"), "{lint}");
    let before = tolls.snapshot();
    let refused = tolls.spec(["merge", "tram"]).exits(1);
    assert!(refused.stderr.contains("id_taken"), "{refused:?}");
    assert_eq!(tolls.snapshot(), before);

    // A new number ends it.
    tolls.spec(["renumber", "UT-S01-04", "--change", "tram"]).exits(0);
    assert!(tolls.read(&delta).contains("| UT-S01-05 | tram | 1 |"));
    assert_eq!(pairs(&answer(&tolls, &["--all"])), crate::NONE);
    tolls.spec(["merge", "tram"]).exits(0);
    let document = tolls.read(Tolls::DOCUMENT);
    for row in ["| UT-S01-04 | bus | 1 |", "| UT-S01-05 | tram | 1 |"] {
        assert_eq!(document.matches(row).count(), 1, "{document}");
    }
    let tree = tolls
        .spec(["check", "--tree", "--format", "json"])
        .exits(0)
        .json();
    assert_eq!(tree["data"]["findings"], serde_json::json!([]));
    let mut fsck = tolls.command("git");
    fsck.args(["fsck", "--strict"]);
    out(&mut fsck, b"").exits(0);
}
