//! `silly sync-docs`: documents of modules, brought up to a change once, together or not at all.

use serde_json::json;

use crate::common::{Out, Repo};
use crate::failure;

const CHANGE: &str = "2026-03-01-csv";
const IMPACT: &str = ".sillyspec/changes/2026-03-01-csv/module-impact.md";
const CORE: &str = ".sillyspec/docs/p/modules/core.md";
const CLI: &str = ".sillyspec/docs/p/modules/cli.md";
const HEAD: &str = "# I\n\nauthor: ada\ncreated_at: 2026-03-01 10:00:00\n\n## 变更：2026-03-01-csv\n\n## 模块影响矩阵\n| 模块 | 影响类型 | 相关文件 | 更新内容摘要 |\n|---|---|---|---|\n";

fn project(rows: &str) -> Repo {
    let repo = Repo::new();
    repo.write(".gitignore", ".sillyspec/.runtime/\n")
        .write(
            ".sillyspec/docs/p/modules/_module-map.yaml",
            "modules:\n  core: {paths: [src/core/**, lib/*.rs], description: 核心工具}\n  cli: {paths: [bin/**]}\n  a/b: {paths: [ab/**]}\n  ../out: {paths: [out/**]}\n",
        )
        .write(IMPACT, format!("{HEAD}{rows}"));
    repo.commit("base");
    repo
}

fn sync(repo: &Repo) -> Out {
    repo.spec(["silly", "sync-docs", "--change", CHANGE, "--json"])
}

#[track_caller]
fn changes_nothing(repo: &Repo) {
    let before = repo.snapshot();
    let again = sync(repo).exits(0).json();
    assert_eq!(again["written"], json!([]), "{again}");
    let mut later = repo.program();
    later
        .env("GIT_SPEC_NOW", "2026-05-05T00:00:00Z")
        .args(["silly", "sync-docs", "--change", CHANGE]);
    crate::common::out(&mut later, b"").exits(0);
    assert_eq!(repo.snapshot(), before);
}

const TWO: &str = "| cli | 新增 | bin/run | 命令 |\n| core | 接口变更 | src/core/a.rs | 新增 `a|b` 接口 |\n";

#[test]
fn missing_documents_are_made_and_results_are_told() {
    let repo = project(TWO);
    let index = repo.git(["ls-files", "-s"]);
    let done = sync(&repo).exits(0).json();
    assert_eq!(done["written"], json!([CLI, CORE, IMPACT]));
    assert_eq!(
        done["documents"][1],
        json!({"module": "core", "project": "p", "path": CORE, "state": "created", "summary": "新增 `a\\|b` 接口"})
    );
    let text = repo.read(CORE);
    assert!(
        text.starts_with("# core\n\n> 最后更新：2026-01-02\n> 最近变更：2026-03-01-csv\n> 模块路径：src/core/**, lib/*.rs\n\n## 职责\n核心工具\n"),
        "{text}"
    );
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).collect();
    let wanted = [
        "职责",
        "当前设计",
        "对外接口",
        "关键数据流",
        "设计决策",
        "依赖关系",
        "注意事项",
        "变更索引",
    ];
    assert_eq!(headings, wanted.map(|title| format!("## {title}")));
    assert!(
        text.ends_with("| 2026-01-02 | 2026-03-01-csv | 新增 `a\\|b` 接口 |\n"),
        "{text}"
    );
    assert!(
        repo.read(IMPACT).ends_with(
            "\n\n## 更新结果\n| 模块文档 | 操作 | 状态 |\n|----------|------|------|\n| cli.md | 新增 | ✅ |\n| core.md | 新增 | ✅ |\n"
        ),
        "{}",
        repo.read(IMPACT)
    );
    assert_eq!(repo.git(["ls-files", "-s"]), index);
    changes_nothing(&repo);
    let lint = repo.spec(["silly", "lint", CHANGE, "--json"]).json();
    assert!(!lint.to_string().contains("更新结果"), "{lint}");
}

#[test]
fn an_existing_document_keeps_its_bytes_and_gets_one_row() {
    let repo = project(TWO);
    let written = "# core\r\n\r\n> 最后更新：2025-01-01\r\n> 最近变更：old\r\n> 模块路径：src/core/**, lib/*.rs\r\n\r\n## 职责\r\n prose \t\r\n```\r\n## 变更索引\r\n| 日期 | 变更 | 摘要 |\r\n```\r\n## 变更索引\r\n| 日期 | 变更 | 摘要 |\r\n|---|---|---|\r\n| 2025-01-01 | old | x |";
    repo.write(CORE, written).write(CLI, "# cli\n\nprose only\n");
    sync(&repo).exits(0);
    assert_eq!(
        repo.read(CORE),
        written
            .replace("更新：2025-01-01", "更新：2026-01-02")
            .replace("变更：old", "变更：2026-03-01-csv")
            + "\r\n| 2026-01-02 | 2026-03-01-csv | 新增 `a\\|b` 接口 |"
    );
    assert_eq!(
        repo.read(CLI),
        "# cli\n\n> 最后更新：2026-01-02\n> 最近变更：2026-03-01-csv\n> 模块路径：bin/**\n\nprose only\n\n## 变更索引\n| 日期 | 变更 | 摘要 |\n|------|------|------|\n| 2026-01-02 | 2026-03-01-csv | 命令 |\n"
    );
    assert!(repo.read(IMPACT).contains("| core.md | 更新 | ✅ |\n"));
    changes_nothing(&repo);
}

#[test]
fn a_row_without_a_summary_is_completed_later() {
    let repo = project("| cli | 新增 | bin/run | |\n");
    let out = repo.spec(["silly", "sync-docs", "--change", CHANGE]).exits(0);
    assert!(out.stderr.contains("the row of `cli` has no summary"), "{out:?}");
    changes_nothing(&repo);
    repo.write(
        IMPACT,
        repo.read(IMPACT).replace("| bin/run | |", "| bin/run | 命令 |"),
    );
    sync(&repo).exits(0);
    let text = repo.read(CLI);
    assert!(
        text.ends_with("| 2026-01-02 | 2026-03-01-csv | 命令 |\n"),
        "{text}"
    );
    assert_eq!(text.matches("2026-03-01-csv |").count(), 1);
}

#[test]
fn rows_that_no_longer_apply_are_passed_over() {
    let repo = project("| core | 接口变更 | （不再适用）src/core/a.rs | x |\n| a/b | 新增 | ab/x | y |\n");
    let done = sync(&repo).exits(0).json();
    assert_eq!(done["left"], json!(["core"]));
    assert!(!repo.exists(CORE) && repo.exists(".sillyspec/docs/p/modules/a/b.md"));
    let empty = project("| 无 |  |  |  |\n");
    assert_eq!(sync(&empty).exits(0).json()["documents"], json!([]));
}

#[test]
fn what_impact_wrote_can_be_synchronised_at_once() {
    let repo = project("");
    repo.remove(IMPACT);
    repo.write(".sillyspec/changes/2026-03-01-csv/proposal.md", "# P\n")
        .write("bin/run", "r\n");
    repo.spec(["silly", "impact", "--change", CHANGE]).exits(0);
    sync(&repo).exits(0);
    let after = repo.read(IMPACT);
    assert!(after.contains("| cli.md | 新增 | ✅ |"), "{after}");
    let out = repo
        .spec(["silly", "impact", "--change", CHANGE, "--json"])
        .exits(0);
    assert_eq!(
        out.json()["written"],
        json!([]),
        "a result that was reached stays"
    );
    assert_eq!(repo.read(IMPACT), after);
}

#[test]
fn what_cannot_be_done_is_told_and_nothing_is_written() {
    let refused = |repo: &Repo, code: &str| {
        let before = repo.snapshot();
        let out = sync(repo).exits(1);
        assert_eq!(failure(&out)["code"], code, "{out:?}");
        assert_eq!(repo.snapshot(), before);
        out
    };
    refused(
        &project("| core | 新增 | a | |\n| none | 新增 | b | |\n"),
        "module_unknown",
    );
    refused(&project("| ../out | 新增 | a | |\n"), "module_name");
    refused(
        &project("| cli | 新增 | a | |\n| `cli` | 新增 | b | |\n"),
        "document_malformed",
    );
    let repo = project(TWO);
    repo.write(CORE, "# core\n\n## 变更索引\n| a | b |\n|---|---|\n| 1 | 2 |\n");
    let out = refused(&repo, "document_malformed");
    let message = failure(&out)["message"].as_str().expect("a text").to_owned();
    assert_eq!(
        message,
        format!("`{CORE}`: line 4: the table of 变更索引 has no column `日期`; give it one")
    );
    repo.write(CORE, "# core\n\n<!-- never closed\n");
    refused(&repo, "document_malformed");
    repo.remove(IMPACT)
        .write(".sillyspec/changes/2026-03-01-csv/x.md", "x\n");
    let out = repo.spec(["silly", "sync-docs", "--change", CHANGE]).exits(1);
    assert!(
        out.stderr
            .contains("is missing; `git-spec silly impact --change 2026-03-01-csv` writes it")
            || out
                .stderr
                .contains("is missing; `git spec silly impact --change 2026-03-01-csv` writes it"),
        "{out:?}"
    );
    let linked = project(TWO);
    let outside = linked.home().join("outside");
    std::fs::create_dir(&outside).expect("it is free");
    std::os::unix::fs::symlink(&outside, linked.path(".sillyspec/docs/q")).expect("a link");
    std::os::unix::fs::symlink(outside.join("core.md"), linked.path(CORE)).expect("a link");
    refused(&linked, "link_leads_out");
}

#[test]
fn a_run_that_fails_anywhere_leaves_all_old_or_all_new() {
    let all = |repo: &Repo| -> Vec<Option<String>> {
        let read = |path: &&str| repo.exists(path).then(|| repo.read(path));
        [CORE, CLI, IMPACT].iter().map(read).collect()
    };
    let made = || {
        let repo = project(TWO);
        repo.write(CORE, "# core\n\nprose\n");
        repo
    };
    let whole = made();
    let old = all(&whole);
    sync(&whole).exits(0);
    let new = all(&whole);
    for kind in ["GIT_SPEC_FAIL_AT", "GIT_SPEC_ABORT_AT"] {
        for n in 1.. {
            let repo = made();
            let mut command = repo.program();
            command
                .env(kind, n.to_string())
                .args(["silly", "sync-docs", "--change", CHANGE]);
            let out = command.output().expect("it can be started");
            if out.status.success() {
                assert!(n > 6, "three files are more than six steps");
                assert_eq!(all(&repo), new);
                break;
            }
            // What a killed run has left the next writer ends.
            if kind == "GIT_SPEC_FAIL_AT" {
                let said = String::from_utf8_lossy(&out.stderr);
                assert!(said.contains("a fault was injected here"), "{n}: {said}");
                let now = all(&repo);
                assert!(now == old || now == new, "{n}: a mixture: {now:?}");
            }
            sync(&repo).exits(0);
            assert_eq!(all(&repo), new, "{kind} {n}");
        }
    }
}
