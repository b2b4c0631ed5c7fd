use super::*;

const KNOWN: &str = "# 影响\n\nauthor: bob\ncreated_at: 2026-02-02 10:00:00\n\nprose\n\n## 模块影响矩阵\n| 模块 | 影响类型 | 相关文件 | 更新内容摘要 | 人 |\n|---|---|---|---|---|\n| web | 接口变更 | w.rs | changed | eve |\n| `core` | 数据结构变更 | old.rs | tables \\| rows |\n| idle | 逻辑变更 | i.rs | | |\n\n## 未匹配文件\n| 文件路径 | 说明 |\n|---|---|\n| gone.txt | |\n| was.txt | 脚本 |\n| `x.yaml` | 配置 |\n\ntail";

fn module(name: &str, files: &[&str], kind: &'static str) -> Module {
    Module {
        project: "p".to_owned(),
        id: name.to_owned(),
        name: name.to_owned(),
        files: files.iter().map(|&file| file.to_owned()).collect(),
        kind,
        document: Some((crate::files::RepoPath::of(&format!("{name}.md")), kind == USUAL)),
    }
}

fn planned(existing: Option<&str>, modules: &[Module], unmatched: &[&str]) -> Outcome {
    let unmatched: Vec<String> = unmatched.iter().map(|&path| path.to_owned()).collect();
    let facts = Facts {
        change: "csv",
        author: "ada",
        created_at: "2026-03-01 10:00:00",
        modules,
        unmatched: &unmatched,
    };
    let outcome = plan(existing.map(str::as_bytes), &facts).expect("sound");
    let again = plan(Some(&outcome.bytes), &facts).expect("sound");
    assert_eq!(
        String::from_utf8_lossy(&again.bytes),
        String::from_utf8_lossy(&outcome.bytes),
        "the second run changes nothing"
    );
    outcome
}

fn text(outcome: &Outcome) -> String {
    String::from_utf8(outcome.bytes.clone()).expect("text")
}

#[test]
fn a_new_document_is_whole() {
    let modules = [
        module("core", &["src/a b.rs", "src/x|y.rs"], NEW),
        module("web", &["w.rs"], USUAL),
    ];
    let out = planned(None, &modules, &["x.yaml"]);
    assert_eq!(
        text(&out),
        "# 模块影响分析\n\nauthor: ada\ncreated_at: 2026-03-01 10:00:00\n\n## 变更：csv\n\n\
         ## 模块影响矩阵\n| 模块 | 影响类型 | 相关文件 | 更新内容摘要 |\n|------|----------|----------|-------------|\n\
         | core | 新增 | src/a b.rs, src/x\\|y.rs |  |\n| web | 逻辑变更 | w.rs |  |\n\n\
         ## 未匹配文件\n| 文件路径 | 说明 |\n|----------|------|\n| x.yaml |  |\n\n\
         ## 更新结果\n| 模块文档 | 操作 | 状态 |\n|----------|------|------|\n| core.md | 新增 | 待同步 |\n| web.md | 更新 | 待同步 |\n"
    );
}

#[test]
fn without_a_change_every_table_says_so() {
    let out = planned(None, &[], &[]);
    let text = text(&out);
    assert!(text.contains("|\n| 无 |  |  |  |\n\n## 未匹配"), "{text}");
    let later = planned(Some(&text), &[module("core", &["a"], NEW)], &["b"]);
    assert!(
        !String::from_utf8_lossy(&later.bytes).contains("无"),
        "the row goes when there is another"
    );
}

#[test]
fn what_people_wrote_stays() {
    let modules = [module("core", &["new.rs"], NEW), module("cli", &["c.rs"], USUAL)];
    let out = planned(Some(KNOWN), &modules, &["x.yaml", "a.txt"]);
    let expected = KNOWN
        .replace(
            "| web | 接口变更 | w.rs | changed | eve |\n| `core` | 数据结构变更 | old.rs | tables \\| rows |\n| idle | 逻辑变更 | i.rs | | |\n",
            "| cli | 逻辑变更 | c.rs |  |  |\n| `core` | 数据结构变更 | new.rs | tables \\| rows |\n| web | 接口变更 | （不再适用）w.rs | changed | eve |\n",
        )
        .replace(
            "| gone.txt | |\n| was.txt | 脚本 |\n| `x.yaml` | 配置 |\n",
            "| a.txt |  |\n| was.txt | （不再适用）脚本 |\n| `x.yaml` | 配置 |\n",
        );
    let results = "\n\n## 更新结果\n| 模块文档 | 操作 | 状态 |\n|----------|------|------|\n| core.md | 新增 | 待同步 |\n| cli.md | 更新 | 待同步 |\n";
    assert_eq!(text(&out), format!("{expected}{results}"));
    let left: Vec<(&str, bool)> = out.left.iter().map(|l| (l.name.as_str(), l.kept)).collect();
    assert_eq!(
        left,
        [
            ("web", true),
            ("idle", false),
            ("gone.txt", false),
            ("was.txt", true)
        ]
    );
    assert_eq!(
        out.rows[0],
        Row {
            kind: "数据结构变更".to_owned(),
            summary: "tables \\| rows".to_owned()
        }
    );
}

#[test]
fn a_row_that_applies_again_loses_its_mark() {
    let gone = text(&planned(Some(KNOWN), &[], &[]));
    assert!(
        gone.contains("| `core` | 数据结构变更 | （不再适用）old.rs |"),
        "{gone}"
    );
    let back = planned(
        Some(&gone),
        &[
            module("core", &["old.rs"], USUAL),
            module("web", &["w.rs"], USUAL),
        ],
        &["was.txt", "x.yaml"],
    );
    let back = text(&back);
    assert!(!back.contains("不再适用"), "{back}");
    assert!(
        back.contains("| web | 接口变更 | w.rs | changed | eve |") && back.contains("| was.txt | 脚本 |"),
        "{back}"
    );
}

#[test]
fn results_that_were_reached_stay() {
    let known = "# I\nauthor: a\ncreated_at: 2026-02-02 10:00:00\n\n## 更新结果\r\n| 模块文档 | 操作 | 状态 |\r\n|---|---|---|\r\n| old.md | 更新 | ✅ |\r\n| late.md | 更新 | 待同步 |\r\n| core.md | 新增 | 待同步 |\r\n";
    let out = text(&planned(Some(known), &[module("core", &["a"], USUAL)], &[]));
    assert!(
        out.contains("| old.md | 更新 | ✅ |\r\n| core.md | 更新 | 待同步 |\r\n"),
        "{out}"
    );
    assert!(!out.contains("late.md"), "{out}");
}

#[test]
fn a_module_of_two_rows_is_refused() {
    let twice = KNOWN.replace("| idle |", "| core |");
    let facts = Facts {
        change: "csv",
        author: "ada",
        created_at: "x",
        modules: &[],
        unmatched: &[],
    };
    assert_eq!(
        plan(Some(twice.as_bytes()), &facts),
        Err(Fault::Twice {
            first: 12,
            second: 13,
            name: "core".to_owned()
        })
    );
}
