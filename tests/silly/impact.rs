//! `silly impact`: the files of a change by module, and a document in which nothing that people wrote is lost.

use serde_json::{Value, json};

use crate::common::{Out, Repo};
use crate::failure;

const CHANGE: &str = "2026-03-01-csv";
const FOLDER: &str = ".sillyspec/changes/2026-03-01-csv";
const IMPACT: &str = ".sillyspec/changes/2026-03-01-csv/module-impact.md";
const TREE: &str = ".sillyspec/.runtime/worktrees/2026-03-01-csv";
const MAP: &str =
    "modules:\n  core:\n    paths: [src/core/**]\n  cli:\n    paths:\n      - bin/**\n      - src/main.rs\n";

fn project() -> Repo {
    let repo = Repo::new();
    repo.write(".gitignore", ".sillyspec/.runtime/\n*.log\n")
        .write("src/core/a.rs", "a\n".repeat(20))
        .write("src/core/gone.rs", "gone\n")
        .write("src/main.rs", "m\n")
        .write(".sillyspec/docs/p/modules/_module-map.yaml", MAP)
        .write(&format!("{FOLDER}/proposal.md"), "# P\n");
    repo.commit("base");
    repo
}

fn impact(repo: &Repo) -> Out {
    repo.spec(["silly", "impact", "--change", CHANGE, "--json"])
}

fn section<'t>(text: &'t str, title: &str) -> Vec<&'t str> {
    let heading = format!("## {title}");
    let mut lines = text.lines().skip_while(|line| *line != heading).skip(3);
    lines.by_ref().take_while(|line| line.starts_with('|')).collect()
}

/// The paths of the answer with what was done to each.
fn files(found: &Value) -> Vec<(&str, &str)> {
    let all = found["files"].as_array().expect("a list").iter();
    all.map(|file| {
        let text = |key: &str| file[key].as_str().expect("a text");
        (text("path"), text("operation"))
    })
    .collect()
}

/// No finding of lint is about the document.
#[track_caller]
fn is_sound(repo: &Repo) {
    let found = repo.spec(["silly", "lint", CHANGE, "--json"]).json();
    let all = found["changes"][0]["findings"].as_array().expect("a list");
    let own: Vec<_> = all.iter().filter(|finding| finding["path"] == IMPACT).collect();
    assert!(own.is_empty(), "{own:?}\n{}", repo.read(IMPACT));
}

#[track_caller]
fn changes_nothing(repo: &Repo) {
    let before = repo.snapshot();
    let again = impact(repo).exits(0).json();
    assert_eq!(again["written"], json!([]), "{again}");
    assert_eq!(repo.snapshot(), before);
}

#[test]
fn the_work_tree_of_a_change_is_held_against_its_base() {
    let repo = project();
    let base = repo.git(["rev-parse", "HEAD"]).trim().to_owned();
    repo.spec(["silly", "worktree", "create", CHANGE]).exits(0);
    let at = |path: &str| format!("{TREE}/{path}");
    repo.write(&at("src/core/b.rs"), "b\n");
    repo.git(["-C", TREE, "add", "-A"]);
    repo.git(["-C", TREE, "commit", "-q", "-m", "committed"]);
    repo.git(["-C", TREE, "mv", "src/core/a.rs", "bin a.rs"]);
    repo.write(&at("bin/run"), "new\n")
        .write(&at("x.log"), "ignored\n")
        .write(&at(".sillyspec/changes/other.md"), "no work\n");
    repo.remove(&at("src/core/gone.rs"));
    repo.write("src/main.rs", "work of the main tree\n");
    let before = repo.snapshot();

    let found = impact(&repo).exits(0).json();
    assert_eq!(
        files(&found),
        [
            ("bin a.rs", "重命名"),
            ("bin/run", "新增"),
            ("src/core/a.rs", "删除"),
            ("src/core/b.rs", "新增"),
            ("src/core/gone.rs", "删除"),
        ]
    );
    assert_eq!(
        found["files"][0],
        json!({"path": "bin a.rs", "operation": "重命名", "from": "src/core/a.rs", "module": null, "project": null,
            "declared": false, "planned": false})
    );
    assert_eq!(found["base"], json!(base));
    assert_eq!(found["worktree"], json!(repo.path(TREE)));
    assert_eq!(found["unmatched"], json!(["bin a.rs"]));
    assert_eq!(found["undeclared"], json!([]), "no design lists anything");
    assert_eq!(found["written"], json!([IMPACT]));
    assert_eq!(
        found["modules"][0],
        json!({"module": "cli", "project": "p", "kind": "新增", "files": ["bin/run"], "summary": "",
            "document": ".sillyspec/docs/p/modules/cli.md"})
    );
    let text = repo.read(IMPACT);
    assert!(
        text.starts_with(
            "# 模块影响分析\n\nauthor: Ada\ncreated_at: 2026-01-02 03:04:05\n\n## 变更：2026-03-01-csv\n\n"
        ),
        "{text}"
    );
    assert_eq!(
        section(&text, "模块影响矩阵"),
        [
            "| cli | 新增 | bin/run |  |",
            "| core | 逻辑变更 | src/core/a.rs, src/core/b.rs, src/core/gone.rs |  |"
        ]
    );
    assert_eq!(section(&text, "未匹配文件"), ["| bin a.rs |  |"]);
    assert_eq!(
        section(&text, "更新结果"),
        ["| cli.md | 新增 | 待同步 |", "| core.md | 新增 | 待同步 |"]
    );
    repo.remove(IMPACT);
    assert_eq!(repo.snapshot(), before, "only the document was written");

    impact(&repo).exits(0);
    is_sound(&repo);
    changes_nothing(&repo);
    let inside = repo
        .spec_in(TREE, ["silly", "impact", "--change", CHANGE, "--json"])
        .exits(0)
        .json();
    assert_eq!(
        (&inside["files"], &inside["written"]),
        (&found["files"], &json!([]))
    );
}

#[test]
fn without_a_work_tree_commits_index_and_new_files_count() {
    let repo = project();
    repo.git(["switch", "-q", "-c", "feature"]);
    repo.write("src/core/committed.rs", "c\n");
    repo.commit("feature");
    repo.git(["rm", "-q", "src/core/gone.rs"]);
    repo.write("src/core/staged.rs", "s\n");
    repo.git(["add", "src/core/staged.rs"]);
    repo.remove("src/core/staged.rs");
    repo.write("src/main.rs", "modified\n")
        .write("bin/new", "n\n")
        .write("x.log", "ignored\n");
    let index = repo.git(["ls-files", "-s"]);
    let found = impact(&repo).exits(0).json();
    assert_eq!(
        files(&found),
        [
            ("bin/new", "新增"),
            ("src/core/committed.rs", "新增"),
            ("src/core/gone.rs", "删除"),
            ("src/core/staged.rs", "新增"),
            ("src/main.rs", "修改"),
        ]
    );
    assert_eq!(found["worktree"], Value::Null);
    assert_eq!(repo.git(["ls-files", "-s"]), index, "the index is the user's");
    is_sound(&repo);
    changes_nothing(&repo);
    let based = repo.spec(["silly", "impact", "--change", CHANGE, "--base", "HEAD", "--json"]);
    let based = based.exits(0).json();
    assert!(
        !files(&based).contains(&("src/core/committed.rs", "新增")),
        "{based}"
    );
    repo.spec(["silly", "impact", "--change", CHANGE, "--base", "no-such"])
        .exits(1);
}

#[test]
fn on_the_default_branch_the_remote_tells_what_is_new() {
    let repo = project();
    repo.git(["update-ref", "refs/remotes/origin/main", "HEAD"]);
    repo.write("src/core/b.rs", "b\n");
    repo.commit("not pushed");
    assert_eq!(files(&impact(&repo).exits(0).json()), [("src/core/b.rs", "新增")]);
}

#[test]
fn odd_names_neither_break_the_table_nor_change_it_twice() {
    let repo = project();
    let odd = [
        "src/core/a b.rs",
        "src/core/\"q\".rs",
        "src/core/p|q.rs",
        "src/core/报表.rs",
        "src/core/`t.rs",
        "src/core/x,y.rs",
        "<!-- c.txt",
        "back`tick|bar.txt",
        " lead",
        "new\nline.txt",
        "back\\slash.txt",
        "-dash",
        "*star*",
        "star",
    ];
    for name in odd {
        repo.write(name, "x\n");
    }
    let found = impact(&repo).exits(0).json();
    let mut expected = odd.map(str::to_owned);
    expected.sort();
    let paths: Vec<&str> = files(&found).into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, expected);
    let text = repo.read(IMPACT);
    assert_eq!(
        section(&text, "模块影响矩阵"),
        [
            "| core | 新增 | src/core/\"q\".rs, src/core/&#96;t.rs, src/core/a b.rs, src/core/p\\|q.rs, src/core/x,y.rs, src/core/报表.rs |  |"
        ]
    );
    assert_eq!(
        section(&text, "未匹配文件"),
        [
            "| &#32;lead |  |",
            "| &#42;star&#42; |  |",
            "| &lt;!-- c.txt |  |",
            "| -dash |  |",
            "| back&#96;tick\\|bar.txt |  |",
            "| back\\slash.txt |  |",
            "| new\\nline.txt |  |",
            "| star |  |",
        ]
    );
    is_sound(&repo);
    changes_nothing(&repo);
}

#[test]
fn a_file_written_in_the_instant_of_the_index_is_looked_into() {
    let repo = project();
    repo.git(["config", "core.trustctime", "false"]);
    let then = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let touch = |path: &str| {
        let file = std::fs::File::options().write(true).open(repo.path(path));
        file.and_then(|file| file.set_modified(then))
            .expect("it is there");
    };
    touch("src/main.rs");
    repo.git(["update-index", "--refresh"]);
    repo.write("src/main.rs", "M\n");
    touch("src/main.rs");
    touch(".git/index");
    assert_eq!(files(&impact(&repo).exits(0).json()), [("src/main.rs", "修改")]);
}

#[test]
fn from_inside_the_work_tree_of_another_change_the_main_tree_counts() {
    let repo = project();
    repo.write(".sillyspec/changes/other/x.md", "x\n");
    repo.spec(["silly", "worktree", "create", "other"]).exits(0);
    let other = ".sillyspec/.runtime/worktrees/other";
    repo.write(&format!("{other}/src/core/other.rs"), "o\n")
        .write("src/core/b.rs", "b\n");
    let words = ["silly", "impact", "--change", CHANGE, "--json"];
    let found = repo.spec_in(other, words).exits(0).json();
    assert_eq!(files(&found), [("src/core/b.rs", "新增")]);
    assert!(repo.exists(IMPACT));
}

#[test]
fn a_project_below_the_top_level_sees_what_lies_beside_it() {
    let repo = Repo::new();
    let at = |path: &str| format!("apps/x/{path}");
    repo.write(&at(".sillyspec/docs/p/modules/_module-map.yaml"), MAP)
        .write(&at(&format!("{FOLDER}/proposal.md")), "# P\n")
        .write("apps/y/.sillyspec/changes/z/proposal.md", "# P\n");
    repo.commit("base");
    repo.write(&at("src/core/b.rs"), "b\n")
        .write("apps/y/b.rs", "b\n")
        .write("apps/y/.sillyspec/changes/z/proposal.md", "# Q\n");
    let words = ["silly", "impact", "--change", CHANGE, "--json"];
    let found = repo.spec_in("apps/x/src", words).exits(0).json();
    assert_eq!(files(&found), [("src/core/b.rs", "新增"), ("../y/b.rs", "新增")]);
    assert_eq!(found["modules"][0]["module"], "core");
    assert_eq!(found["unmatched"], json!(["../y/b.rs"]));
    assert!(repo.exists(&at(IMPACT)));
}

#[test]
fn design_and_tasks_are_compared_and_the_difference_wins() {
    let repo = project();
    repo.write(
        &format!("{FOLDER}/design.md"),
        "# D\n\n## 文件变更清单\n| 操作 | 文件 |\n|---|---|\n| 修改 | src/core/a.rs |\n| 新增 | src/core/never.rs |\n",
    )
    .write(
        &format!("{FOLDER}/plan.md"),
        "# P\n\n## Wave 1\n- [ ] task-01: a (src/main.rs)\n- [ ] task-02: b (src/later.rs)\n",
    )
    .write("src/core/a.rs", "changed\n")
    .write("src/main.rs", "changed\n");
    let found = impact(&repo).exits(0).json();
    assert_eq!(found["undeclared"], json!(["src/main.rs"]));
    assert_eq!(found["declared_not_changed"], json!(["src/core/never.rs"]));
    assert_eq!(found["planned_not_changed"], json!(["src/later.rs"]));
    let flags = |at: usize| (&found["files"][at]["declared"], &found["files"][at]["planned"]);
    assert_eq!(flags(0), (&json!(true), &json!(false)));
    assert_eq!(flags(1), (&json!(false), &json!(true)));
    let out = repo.spec(["silly", "impact", "--change", CHANGE]).exits(0);
    assert_eq!(
        out.stderr,
        "warning: `src/main.rs` has changed, and the design does not list it\n"
    );
    assert!(
        out.stdout
            .contains("note: the design lists `src/core/never.rs`, which has not changed\n")
            && out.stdout.contains("note: a task names `src/later.rs`"),
        "{}",
        out.stdout
    );
    let text = repo.read(IMPACT);
    assert!(!text.contains("never.rs") && !text.contains("later.rs"), "{text}");
}

#[test]
fn maps_of_several_projects_take_part() {
    let repo = project();
    repo.write(
        ".sillyspec/docs/web/modules/_module-map.yaml",
        "modules:\n  core: {paths: [core/**]}\n  ui: {paths: [ui/**]}\n",
    )
    .write("web/core/x.ts", "x\n")
    .write("web/ui/y.ts", "y\n")
    .write("src/core/b.rs", "b\n");
    impact(&repo).exits(0);
    assert_eq!(
        section(&repo.read(IMPACT), "模块影响矩阵"),
        [
            "| p/core | 新增 | src/core/b.rs |  |",
            "| ui | 新增 | web/ui/y.ts |  |",
            "| web/core | 新增 | web/core/x.ts |  |"
        ]
    );
    changes_nothing(&repo);
}

#[test]
fn what_people_wrote_is_kept_and_what_no_longer_applies_is_told() {
    let repo = project();
    let written = "# 模块影响分析\r\n\r\nauthor: bob\r\ncreated_at: 2026-02-02 10:00:00\r\n\r\n## 变更：2026-03-01-csv\r\nwords\r\n\r\n\
                   ## 模块影响矩阵\r\n| 模块 | 影响类型 | 相关文件 | 更新内容摘要 |\r\n|---|---|---|---|\r\n\
                   | core | 接口变更 | stale.rs | 新增 \\| 接口 |\r\n| cli | 配置变更 | src/main.rs | said |\r\n\r\nmore words\r\n\r\n\
                   ## 未匹配文件\r\n| 文件路径 | 说明 |\r\n|---|---|\r\n| config.yaml | 配置文件 |\r\n| gone.yaml | |\r\n\r\n\
                   ## 更新结果\r\n| 模块文档 | 操作 | 状态 |\r\n|---|---|---|\r\n| core.md | 更新 | ✅ |\r\n";
    repo.write(IMPACT, written)
        .write("src/core/a.rs", "changed\n")
        .write("config.yaml", "a: b\n");
    let out = repo.spec(["silly", "impact", "--change", CHANGE]).exits(0);
    assert_eq!(
        out.stderr,
        "warning: the row `cli` of 模块影响矩阵 no longer applies; what was written into it is kept, marked\n"
    );
    assert!(
        out.stdout
            .contains("the row `gone.yaml` of 未匹配文件 no longer applies, and is gone\n"),
        "{}",
        out.stdout
    );
    let expected = written
        .replace(
            "| core | 接口变更 | stale.rs | 新增 \\| 接口 |\r\n| cli | 配置变更 | src/main.rs | said |\r\n",
            "| cli | 配置变更 | （不再适用）src/main.rs | said |\r\n| core | 接口变更 | src/core/a.rs | 新增 \\| 接口 |\r\n",
        )
        .replace("| gone.yaml | |\r\n", "");
    assert_eq!(repo.read(IMPACT), expected);
    is_sound(&repo);
    changes_nothing(&repo);
    repo.write("src/main.rs", "changed\n");
    impact(&repo).exits(0);
    assert!(
        repo.read(IMPACT)
            .contains("| cli | 配置变更 | src/main.rs | said |\r\n"),
        "the mark goes when the row applies again"
    );
}

#[test]
fn a_change_without_work_has_a_document_that_says_so() {
    let repo = project();
    let out = repo.spec(["silly", "impact", "--change", CHANGE]).exits(0);
    assert!(out.stdout.contains("nothing has changed\n"), "{}", out.stdout);
    assert_eq!(section(&repo.read(IMPACT), "模块影响矩阵"), ["| 无 |  |  |  |"]);
    is_sound(&repo);
    changes_nothing(&repo);
}

#[test]
fn what_cannot_be_done_is_told_and_nothing_is_written() {
    let repo = project();
    let refused = |args: &[&str], code: &str| {
        let before = repo.snapshot();
        let mut words = vec!["silly", "impact", "--json"];
        words.extend(args);
        let out = repo.spec(words).exits(1);
        assert_eq!(failure(&out)["code"], code, "{out:?}");
        assert_eq!(repo.snapshot(), before);
    };
    refused(&["--change", "../x"], "change_name_invalid");
    refused(&["--change", "no-such"], "change_folder_missing");
    repo.write(IMPACT, "## 模块影响矩阵\n| 模块 | x |\n|---|---|\n| core | y |\n");
    refused(&["--change", CHANGE], "document_malformed");
    repo.write(IMPACT, "# I\n```\nnever closed\n");
    refused(&["--change", CHANGE], "document_malformed");
    repo.remove(IMPACT);
    repo.write(".sillyspec/docs/p/modules/_module-map.yaml", "modules: [\n");
    refused(&["--change", CHANGE], "file_malformed");
    repo.write(".sillyspec/docs/p/modules/_module-map.yaml", MAP);
    std::fs::remove_dir_all(repo.path(FOLDER)).expect("it is there");
    std::fs::create_dir(repo.home().join("elsewhere")).expect("it is free");
    std::os::unix::fs::symlink(repo.home().join("elsewhere"), repo.path(FOLDER)).expect("a link");
    refused(&["--change", CHANGE], "link_leads_out");
    let bare = Repo::without_git();
    bare.write(&format!("{FOLDER}/proposal.md"), "# P\n");
    let out = impact(&bare).exits(1);
    assert_eq!(failure(&out)["code"], "NOT_A_REPOSITORY", "{out:?}");
    bare.git(["init", "-q", "-b", "main"]);
    let out = impact(&bare).exits(1);
    assert_eq!(failure(&out)["code"], "nothing_committed", "{out:?}");
}

#[test]
fn a_branch_whose_work_tree_is_gone_is_not_passed_over() {
    let repo = project();
    repo.git(["branch", &format!("sillyspec/{CHANGE}")]);
    impact(&repo).exits(0);
    repo.git(["switch", "-q", &format!("sillyspec/{CHANGE}")]);
    repo.write("src/core/b.rs", "b\n");
    repo.commit("work");
    repo.git(["switch", "-q", "main"]);
    let out = impact(&repo).exits(1);
    assert_eq!(failure(&out)["code"], "WORKTREE_UNREADABLE", "{out:?}");
}

#[test]
fn the_only_active_change_needs_no_name() {
    let repo = project();
    repo.write("src/core/b.rs", "b\n");
    let found = repo.spec(["silly", "impact", "--json"]).exits(0).json();
    assert_eq!(found["change"], CHANGE);
    repo.write(".sillyspec/changes/other/x.md", "x\n");
    repo.spec(["silly", "impact"]).exits(1);
}

#[test]
fn a_run_that_fails_anywhere_leaves_all_old_or_all_new() {
    let template = |repo: &Repo| {
        repo.write("src/core/b.rs", "b\n");
    };
    let whole = project();
    template(&whole);
    impact(&whole).exits(0);
    let new = whole.read(IMPACT);
    for n in 1.. {
        let repo = project();
        template(&repo);
        let mut command = repo.program();
        command
            .env("GIT_SPEC_FAIL_AT", n.to_string())
            .args(["silly", "impact", "--change", CHANGE]);
        let out = crate::common::out(&mut command, b"");
        if out.code == 0 {
            assert!(n > 2, "the lock and the file are steps");
            assert_eq!(repo.read(IMPACT), new);
            break;
        }
        assert!(out.stderr.contains("a fault was injected here"), "{n}: {out:?}");
        assert!(!repo.exists(IMPACT) || repo.read(IMPACT) == new, "{n}");
        impact(&repo).exits(0);
        assert_eq!(repo.read(IMPACT), new, "{n}");
    }
}
