//! `doctor`: what it tells, and what `--fix` puts right without losing anything.

use serde_json::{Value, json};

use crate::common::Repo;

fn project() -> Repo {
    let repo = Repo::new();
    repo.write("src/a.rs", "a\n");
    repo.commit("base");
    repo.spec(["silly", "init", "--tool", "cursor"]).exits(0);
    repo.commit("project");
    repo
}

fn tree(change: &str) -> String {
    format!(".sillyspec/.runtime/worktrees/{change}")
}

fn create(repo: &Repo, change: &str) {
    repo.spec(["silly", "worktree", "create", change]).exits(0);
}

/// `code path` of each entry.
fn told(list: &Value) -> Vec<String> {
    let word = |one: &Value, key: &str| one[key].as_str().expect("a text").to_owned();
    let all = list.as_array().expect("a list").iter();
    all.map(|one| format!("{} {}", word(one, "code"), word(one, "path")))
        .collect()
}

fn doctor(repo: &Repo) -> Value {
    repo.spec(["silly", "doctor", "--json"]).exits(0).json()
}

fn fix(repo: &Repo) -> Value {
    repo.spec(["silly", "doctor", "--fix", "--json"]).exits(0).json()
}

#[test]
fn a_pattern_that_no_file_meets_is_told_by_its_module() {
    let repo = project();
    repo.write(".gitignore", repo.read(".gitignore") + "built/\n")
        .write("built/x.go", "")
        .write("src/deep/b.rs", "");
    let map = ".sillyspec/docs/p/modules/_module-map.yaml";
    repo.write(
        map,
        "modules:\n  m:\n    paths: [src/**, 'src/**/b.rs', built/, '**/*.go', gone/**, ../x]\n",
    )
    .write(".sillyspec/docs/p/modules/m.md", "# m\n");
    let found = doctor(&repo);
    let told: Vec<&str> = found["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            assert_eq!(one["code"], "module_pattern_without_files", "{found}");
            assert_eq!((&one["severity"], &one["path"]), (&json!("warning"), &json!(map)));
            let message = one["message"].as_str().expect("a text");
            message.rsplit_once(": ").expect("what it is about").1
        })
        .collect();
    // What is built is there, but no part of the project; a pattern without stars only asks whether there is something.
    assert_eq!(told, ["**/*.go", "../x", "gone/**"]);
}

#[test]
fn every_rule_and_every_time_is_looked_at() {
    let repo = project();
    repo.spec(["silly", "run", "execute", "--change", "2026-03-01-csv"])
        .exits(0);
    repo.write(".gitignore", "/.sillyspec/.runtime\n");
    let database =
        rusqlite::Connection::open(repo.path(".sillyspec/.runtime/sillyspec.db")).expect("a database");
    database
        .execute_batch(
            "UPDATE stages SET started_at = 'gestern' WHERE stage = 'execute';
             UPDATE changes SET created_at = '2026/5/28 9:00:00'; PRAGMA journal_mode = DELETE;",
        )
        .expect("changed");
    drop(database);
    let found = doctor(&repo);
    let told: Vec<&str> = found["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| Some(one["message"].as_str()?.rsplit_once(": ")?.1))
        .collect();
    assert_eq!(
        told,
        [
            "gestern",
            ".sillyspec/codebase/SCAN-RAW.md",
            ".sillyspec/local.yaml"
        ],
        "{found}"
    );
}

#[test]
fn a_database_of_an_unknown_version_is_not_written_to() {
    let repo = project();
    repo.spec(["silly", "run", "execute", "--change", "2026-03-01-csv"])
        .exits(0);
    let path = repo.path(".sillyspec/.runtime/sillyspec.db");
    for version in ["5", "2", "NULL"] {
        let database = rusqlite::Connection::open(&path).expect("a database");
        let set = format!("UPDATE project SET schema_version = {version}; PRAGMA journal_mode = DELETE;");
        database.execute_batch(&set).expect("changed");
        drop(database);
        let rows = || -> String {
            let database = rusqlite::Connection::open(&path).expect("a database");
            let sql = "SELECT (SELECT group_concat(current_stage || last_active) FROM changes)
                || (SELECT group_concat(stage || status) FROM stages) || (SELECT count(*) FROM batch_progress)";
            database.query_row(sql, [], |row| row.get(0)).expect("rows")
        };
        let before = rows();
        for args in [
            &["progress", "set-stage", "plan"][..],
            &["progress", "batch", "--total", "1"],
            &["progress", "reset"],
            &["run", "plan"],
        ] {
            let refused = repo.spec([&["silly"], args].concat()).exits(1);
            assert!(refused.stderr.contains("schema version"), "{refused:?}");
        }
        assert_eq!(rows(), before, "{version}");
        let found = repo.spec(["silly", "doctor", "--json"]).exits(2).json();
        assert_eq!(
            told(&found["findings"]),
            ["schema_version .sillyspec/.runtime/sillyspec.db"]
        );
    }
}

#[test]
fn a_damaged_database_is_told_in_its_own_words() {
    let repo = project();
    repo.write(".sillyspec/.runtime/sillyspec.db", "no database\n".repeat(99));
    let found = repo.spec(["silly", "doctor", "--json"]).exits(2).json();
    let message = found["findings"][0]["message"].as_str().expect("a text");
    assert!(
        message.starts_with("the database is damaged: ") && message.contains("sillyspec.db"),
        "{found}"
    );
}

#[test]
fn the_gate_is_made_anew() {
    let repo = project();
    repo.spec(["silly", "run", "execute", "--change", "2026-03-01-csv"])
        .exits(0);
    let gate = ".sillyspec/.runtime/gate-status.json";
    repo.write(gate, "{}");
    let fixed = fix(&repo);
    assert_eq!(told(&fixed["fixed"]), [format!("gate_stale {gate}")]);
    assert_eq!(
        (&fixed["findings"], &fixed["not_fixed"]),
        (&json!([]), &json!([]))
    );
    assert!(repo.read(gate).contains("\"stage\": \"execute\""));
    let again = fix(&repo);
    assert_eq!((&again["fixed"], &again["not_fixed"]), (&json!([]), &json!([])));
}

#[test]
fn a_work_tree_whose_folder_is_gone_is_forgotten_and_its_commits_stay() {
    let repo = project();
    create(&repo, "done");
    create(&repo, "open");
    repo.write(&format!("{}/src/a.rs", tree("open")), "b\n");
    repo.git(["-C", &tree("open"), "commit", "-qam", "work"]);
    let work = repo.git(["rev-parse", "sillyspec/open"]);
    for change in ["done", "open"] {
        repo.remove(&tree(change));
    }
    let registrations = ["done", "open"].map(|change| format!("orphan_registration {}", tree(change)));
    assert_eq!(told(&doctor(&repo)["findings"]), registrations);
    let fixed = fix(&repo);
    assert_eq!(
        told(&fixed["fixed"]),
        [&registrations[..], &["orphan_branch sillyspec/done".to_owned()]].concat()
    );
    // Unmerged work is never deleted.
    assert_eq!(told(&fixed["findings"]), ["orphan_branch sillyspec/open"]);
    assert_eq!(repo.git(["rev-parse", "sillyspec/open"]), work);
    assert_eq!(repo.git(["worktree", "list"]).lines().count(), 1);
    assert_eq!(repo.git(["branch", "--list", "sillyspec/done"]), "");
    repo.git(["merge", "-q", "sillyspec/open"]);
    assert_eq!(told(&fix(&repo)["fixed"]), ["orphan_branch sillyspec/open"]);
    repo.git(["fsck", "--strict"]);
}

#[test]
fn commits_that_only_a_lost_folder_held_stop_it() {
    let repo = project();
    create(&repo, "csv");
    let folder = tree("csv");
    repo.git(["-C", &folder, "checkout", "-q", "--detach"]);
    repo.write(&format!("{folder}/src/a.rs"), "b\n");
    repo.git(["-C", &folder, "commit", "-qam", "alone"]);
    let alone = repo.git(["-C", &folder, "rev-parse", "HEAD"]);
    repo.remove(&folder);
    let fixed = fix(&repo);
    assert_eq!(
        told(&fixed["not_fixed"]),
        [format!("orphan_registration {folder}")],
        "{fixed}"
    );
    let why = fixed["not_fixed"][0]["message"].as_str().expect("a text");
    assert!(why.contains("alone"), "{why}");
    let heads = repo.git(["worktree", "list", "--porcelain"]);
    assert!(heads.contains(alone.trim()), "{heads}");
    let told = repo.spec(["silly", "doctor", "--fix"]).exits(0).stderr;
    assert!(told.contains("is as it was"), "{told}");
}

#[test]
fn a_lost_record_is_written_again() {
    let repo = project();
    create(&repo, "csv");
    let meta = format!("{}/meta.json", tree("csv"));
    let before: Value = serde_json::from_str(&repo.read(&meta)).expect("JSON");
    repo.write(&format!("{}/src/a.rs", tree("csv")), "b\n");
    repo.git(["-C", &tree("csv"), "commit", "-qam", "work"]);
    repo.write("src/b.rs", "b\n");
    repo.commit("meanwhile");
    repo.remove(&meta);
    assert_eq!(
        told(&doctor(&repo)["findings"]),
        [format!("orphan_folder {}", tree("csv"))]
    );
    let fixed = fix(&repo);
    assert_eq!(told(&fixed["fixed"]), [format!("orphan_folder {}", tree("csv"))]);
    assert_eq!(fixed["findings"], json!([]));
    let after: Value = serde_json::from_str(&repo.read(&meta)).expect("JSON");
    for key in ["changeName", "branch", "baseBranch", "baseHash", "worktreePath"] {
        assert_eq!(after[key], before[key], "{key}");
    }
    assert_eq!(after["actualBaseHash"], before["baseHash"]);
    // And it is no change of the user's.
    let out = repo
        .spec(["silly", "worktree", "apply", "csv", "--json"])
        .exits(0)
        .json();
    assert_eq!(out["files"], json!(["src/a.rs"]));
}

#[test]
fn a_work_tree_that_lost_its_link_is_told_and_stays() {
    let repo = project();
    create(&repo, "csv");
    repo.remove(&format!("{}/.git", tree("csv")));
    let expected = [format!("orphan_meta {}", tree("csv"))];
    assert_eq!(told(&doctor(&repo)["findings"]), expected);
    let fixed = fix(&repo);
    assert_eq!(
        (told(&fixed["findings"]), &fixed["fixed"]),
        (expected.to_vec(), &json!([]))
    );
    assert!(repo.exists(&format!("{}/src/a.rs", tree("csv"))));
}

#[test]
fn the_doctor_of_the_whole_puts_it_right_too() {
    let repo = project();
    create(&repo, "csv");
    repo.remove(&tree("csv"));
    let told = repo.spec(["doctor"]).stdout;
    assert!(told.contains("orphan_registration"), "{told}");
    let told = repo.spec(["doctor", "--fix"]).stdout;
    assert!(!told.contains("orphan_"), "{told}");
    assert_eq!(repo.git(["branch", "--list", "sillyspec/*"]), "");
}

/// A change that is ready to go to the archive.
fn finished() -> Repo {
    let repo = project();
    repo.spec(["silly", "run", "archive", "--change", "2026-03-01-csv"])
        .exits(0);
    repo.write(".sillyspec/changes/2026-03-01-csv/module-impact.md", "# M\n");
    for _ in 0..3 {
        repo.spec(["silly", "run", "archive", "--done", "--change", "2026-03-01-csv"])
            .exits(0);
    }
    repo.commit("ready");
    repo
}

#[test]
fn a_killed_archive_is_whole_after_a_look_of_the_doctor() {
    let confirm = [
        "silly",
        "run",
        "archive",
        "--done",
        "--confirm",
        "--change",
        "2026-03-01-csv",
    ];
    let (mut steps, mut recorded) = (0, 0);
    for step in 1.. {
        let repo = finished();
        let killed = repo
            .program()
            .args(confirm)
            .env("GIT_SPEC_ABORT_AT", step.to_string())
            .output()
            .expect("it can be run");
        if killed.status.success() {
            break;
        }
        steps = step;
        // The next writing command ends what was begun.
        repo.spec(["doctor", "--fix"]);
        let fixed = fix(&repo);
        assert_eq!(told(&fixed["findings"]), [""; 0], "{step}");
        let status = repo.spec(["silly", "status", "--json"]).exits(0).json();
        let open = repo.exists(".sillyspec/changes/2026-03-01-csv/module-impact.md");
        let moved = repo.exists(".sillyspec/changes/archive/2026-01-02-2026-03-01-csv/module-impact.md");
        assert_ne!(open, moved, "{step}");
        assert_eq!(
            status["active"].as_array().map(Vec::len),
            Some(usize::from(open)),
            "{step}"
        );
        recorded += usize::from(moved);
        assert_eq!(repo.git(["status", "--porcelain"]), "", "{step}");
    }
    assert!(steps > 10 && recorded > 0, "{steps} {recorded}");
}
