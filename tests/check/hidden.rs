//! Ways to take the protection from a document first and edit it then: none goes unseen.

use crate::common::Tolls;
use crate::{NONE, codes, last, replaced};

const REGISTRY: &str = "logos/logos-project.yaml";
const UNLAUNCHED: &str = "module_unlaunched logos/logos-project.yaml";

fn registry(modules: &[(&str, &str)]) -> String {
    let entry = |(id, lifecycle): &(&str, &str)| {
        format!("  - id: {id}\n    name: {id}\n    lifecycle: {lifecycle}\n")
    };
    let entries: String = modules.iter().map(entry).collect();
    format!("project:\n  name: tolls\nmodules:\n{entries}")
}

fn registered(tolls: &Tolls, modules: &[(&str, &str)]) {
    tolls.write(REGISTRY, registry(modules));
    tolls.commit("Register");
}

#[test]
fn a_merge_does_not_bring_back_what_was_before_the_launch() {
    let tolls = Tolls::new();
    registered(&tolls, &[("core", "initial")]);
    tolls.git(["branch", "old"]);
    registered(&tolls, &[("core", "launched")]);
    tolls.git(["switch", "-q", "old"]);
    tolls.write("README.md", "x\n");
    tolls.commit("Aside");
    tolls.git(["switch", "-q", "main"]);
    // As git merges it nothing is lost.
    tolls.git(["merge", "-q", "--no-edit", "old"]);
    assert_eq!(last(&tolls), NONE);
    tolls.git(["reset", "-q", "--hard", "HEAD~1"]);
    tolls.git(["merge", "-q", "--no-commit", "--no-ff", "old"]);
    tolls.write(REGISTRY, registry(&[("core", "initial")]));
    tolls.commit("Merge");
    assert_eq!(last(&tolls), [UNLAUNCHED]);
    // The other way round: the second parent is the one that knows of the launch.
    tolls.git(["switch", "-q", "--detach", "old"]);
    tolls.git(["merge", "-q", "--no-commit", "--no-ff", "main~1"]);
    tolls.write(REGISTRY, registry(&[("core", "initial")]));
    tolls.commit("Merge");
    assert_eq!(last(&tolls), [UNLAUNCHED]);
}

#[test]
fn a_merge_with_a_root_does_not_take_the_project_away() {
    let tolls = Tolls::new();
    let root = tolls.git([
        "commit-tree",
        "-m",
        "Root",
        "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    ]);
    tolls.git([
        "merge",
        "-q",
        "--no-commit",
        "--no-ff",
        "--allow-unrelated-histories",
        root.trim(),
    ]);
    tolls.git(["rm", "-q", "logos/logos.config.json"]);
    tolls.commit("Merge");
    assert_eq!(last(&tolls), ["project_removed logos/logos.config.json"]);
}

#[test]
fn a_merge_does_not_drop_the_marker_of_a_merge() {
    let tolls = Tolls::new();
    tolls.change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    tolls.git(["branch", "old"]);
    tolls.spec(["merge", "car-price"]).exits(0);
    tolls.git(["switch", "-q", "old"]);
    tolls.write("README.md", "x\n");
    tolls.commit("Aside");
    tolls.git(["switch", "-q", "main"]);
    tolls.git(["merge", "-q", "--no-commit", "--no-ff", "old"]);
    tolls.git(["rm", "-q", "logos/changes/car-price/SPEC_MERGED"]);
    tolls.commit("Merge");
    let found = codes(&tolls, &["HEAD^1..HEAD"]);
    assert_eq!(found[0], "marker_dropped logos/changes/car-price/SPEC_MERGED");
}

#[test]
fn another_id_for_a_module_is_a_rename_only_with_its_files() {
    let tolls = Tolls::new();
    for lifecycle in ["launched", "initial"] {
        registered(&tolls, &[("kore", lifecycle)]);
        let mut found = last(&tolls);
        found.dedup();
        assert_eq!(found, [UNLAUNCHED], "{lifecycle}");
        tolls.git(["reset", "-q", "--hard", "HEAD~1"]);
    }
    tolls.spec(["module", "rename", "core", "kore"]).exits(0);
    tolls.git(["add", "-A"]);
    tolls.git(["commit", "-q", "-m", "Rename"]);
    assert_eq!(last(&tolls), NONE);
    // With the files, but not launched any more.
    tolls.git(["reset", "-q", "--soft", "HEAD~1"]);
    registered(&tolls, &[("kore", "initial")]);
    assert!(
        last(&tolls).contains(&UNLAUNCHED.to_owned()),
        "{:?}",
        last(&tolls)
    );
}

#[test]
fn an_id_given_twice_is_the_first_one() {
    let tolls = Tolls::new();
    registered(&tolls, &[("core", "launched"), ("core", "initial")]);
    tolls.write(Tolls::DOCUMENT, replaced("| 5 |", "| 6 |"));
    tolls.commit("Edit");
    assert_eq!(last(&tolls), [format!("document_edited {}", Tolls::DOCUMENT)]);
}

#[test]
fn a_longer_id_does_not_take_documents_out_of_protection() {
    let tolls = Tolls::new();
    registered(&tolls, &[("core", "launched"), ("core-01", "launched")]);
    assert_eq!(last(&tolls), NONE);
    tolls.git(["reset", "-q", "--hard", "HEAD~1"]);
    registered(&tolls, &[("core", "launched"), ("core-01", "initial")]);
    assert_eq!(last(&tolls), [UNLAUNCHED]);
    tolls.git(["reset", "-q", "--hard", "HEAD~1"]);
    registered(&tolls, &[("core", "launched"), ("lane", "initial")]);
    assert_eq!(last(&tolls), NONE);
}

#[test]
fn a_module_that_goes_takes_only_its_own_documents_along() {
    let tolls = Tolls::new();
    tolls.write("logos/resources/test/lane-web-01-test-cases.md", "# Web\n");
    registered(
        &tolls,
        &[
            ("core", "launched"),
            ("lane", "launched"),
            ("lane-web", "launched"),
        ],
    );
    tolls.spec(["module", "remove", "lane"]).exits(0);
    tolls.commit("Remove");
    assert_eq!(last(&tolls), NONE);
    registered(&tolls, &[("core", "launched")]);
    assert_eq!(last(&tolls), [UNLAUNCHED]);
}

#[test]
fn a_registry_behind_a_link_is_read_where_it_is() {
    let tolls = Tolls::new();
    tolls.git(["mv", REGISTRY, "logos/registry.yaml"]);
    std::os::unix::fs::symlink("registry.yaml", tolls.path(REGISTRY)).expect("a link can be made");
    tolls.commit("Link");
    assert_eq!(last(&tolls), NONE);
    tolls.write("logos/registry.yaml", registry(&[("core", "initial")]));
    tolls.commit("Lower");
    assert_eq!(last(&tolls), [UNLAUNCHED]);
}

#[test]
fn a_tree_in_which_a_name_stands_twice_is_refused() {
    let tolls = Tolls::new();
    let good = tolls.git(["rev-parse", &format!("HEAD:{}", Tolls::DOCUMENT)]);
    tolls.write("bad", replaced("| 5 |", "| 666 |"));
    let bad = tolls.git(["hash-object", "-w", "bad"]);
    let make = |input: String| {
        let mut mktree = tolls.command("git");
        mktree.arg("mktree");
        let made = crate::common::out(&mut mktree, input.as_bytes()).exits(0);
        made.stdout.trim().to_owned()
    };
    let logos = tolls.git(["ls-tree", "HEAD:logos"]);
    let name = "core-01-test-cases.md";
    let (good, bad) = (good.trim(), bad.trim());
    for twins in [
        format!("100644 blob {good}\t{name}\n100644 blob {bad}\t{name}\n"),
        format!(
            "100644 blob {good}\t{name}\n040000 tree {}\t{name}\n",
            make(String::new())
        ),
    ] {
        let test = make(twins);
        let resources = make(format!("040000 tree {test}\ttest\n"));
        let others: Vec<&str> = logos
            .lines()
            .filter(|line| !line.ends_with("\tresources"))
            .collect();
        let others = others.join("\n") + "\n";
        let logos = make(format!("{others}040000 tree {resources}\tresources\n"));
        let top = make(format!("040000 tree {logos}\tlogos\n"));
        let commit = tolls.git(["commit-tree", "-p", "HEAD", "-m", "Twins", &top]);
        let range = format!("HEAD..{}", commit.trim());
        let refused = tolls.spec(["check", &range]).exits(1);
        assert!(refused.stderr.contains(name), "{refused:?}");
        tolls.spec(["check", "--tree", commit.trim()]).exits(1);
    }
}

#[test]
fn candidates_hide_no_definition() {
    let tolls = Tolls::new();
    let section = "## 逆向基线来源\n\ntext\n";
    tolls.write(Tolls::DOCUMENT, Tolls::CONTENT.to_owned() + section);
    tolls.commit("Candidates");
    assert_eq!(last(&tolls), NONE);
    let more = "\n# Lane\n\n| ID | Title | Expected |\n|----|-------|----------|\n| UT-S01-77 | bus | 1 |\n";
    tolls.write(Tolls::DOCUMENT, Tolls::CONTENT.to_owned() + section + more);
    tolls.commit("More");
    assert_eq!(last(&tolls), [format!("document_edited {}", Tolls::DOCUMENT)]);
}

#[test]
fn the_name_of_an_archived_change_may_be_used_again() {
    let tolls = Tolls::new();
    for (car, lorry) in [("6", "12"), ("6", "14")] {
        tolls.change("price", &[(Tolls::DELTA, &Tolls::prices(car, lorry, "0"))]);
        assert_eq!(last(&tolls), NONE);
        tolls.spec(["merge", "price"]).exits(0);
        assert_eq!(last(&tolls), NONE);
        let mut archive = tolls.program();
        archive.args(["archive", "price"]);
        archive.env("GIT_SPEC_NOW", format!("2026-01-{lorry}T03:04:05Z"));
        crate::common::out(&mut archive, b"").exits(0);
        assert_eq!(last(&tolls), NONE);
    }
    let root = tolls.git(["rev-list", "--max-parents=0", "HEAD"]);
    assert_eq!(codes(&tolls, &[&format!("{}..HEAD", root.trim())]), NONE);
    // As one commit, too.
    let head = tolls.git(["rev-parse", "HEAD"]);
    tolls.change("price", &[(Tolls::DELTA, &Tolls::prices("6", "14", "2"))]);
    tolls.spec(["merge", "price"]).exits(0);
    tolls.git(["reset", "-q", "--soft", head.trim()]);
    tolls.git(["commit", "-q", "-m", "Squashed"]);
    assert_eq!(last(&tolls), NONE);
}
