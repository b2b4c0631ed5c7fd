//! Rules of the merge plan that one document and one delta show (change.md part 6), and of the guard.

mod common;

use git_spec::change::{Change, ChangeFolder};
use git_spec::files::MemoryTree;
use git_spec::merge::{self, LineMerge};

const DOCUMENT: &str = "logos/resources/prd/stock.md";
const MAP: &str = "# T\n\n## 场景总览\n\n### 支付\n\n| 编号 | 场景名称 |\n|---|---|\n| S01 | a |\n";

/// No delta here is a whole file.
struct NoLines;

impl LineMerge for NoLines {
    fn merge(&self, _: &[u8], _: &[u8], _: &[u8]) -> Result<(Vec<u8>, bool), String> {
        Err("only sections are merged here".to_owned())
    }
}

/// The new document, or the lines of the conflicts.
fn merged(delta: &str, base: Option<&str>, now: Option<&str>) -> Result<String, Vec<String>> {
    let tree = |text: Option<&str>| MemoryTree::new(text.map(|text| (DOCUMENT, text)));
    let files = MemoryTree::new([
        ("logos/changes/one/deltas/prd/stock.md", delta),
        ("logos/changes/one/tasks.md", ""),
    ]);
    let folder = ChangeFolder::find(&files, "one").expect("memory can be read");
    let change = Change::load(&files, folder.expect("it is there")).expect("memory can be read");
    let mut plan =
        merge::plan(&change, Some(&tree(base)), &tree(now), &NoLines, None).expect("memory can be read");
    if !plan.conflicts.is_empty() {
        return Err(plan
            .conflicts
            .iter()
            .map(|c| c.line().replace(DOCUMENT, "doc"))
            .collect());
    }
    let new = plan.edits.pop().and_then(|edit| edit.new).unwrap_or_default();
    Ok(String::from_utf8(new).expect("made of text"))
}

fn alone(delta: &str, document: &str) -> Result<String, Vec<String>> {
    merged(delta, Some(document), Some(document))
}

#[test]
fn rows_of_a_map_may_come_and_go_with_its_sub_sections() {
    let added = "## ADDED — 场景总览 > 退款\n\n| 编号 | 场景名称 |\n|---|---|\n| S05 | b |\n";
    let want = format!("{MAP}\n### 退款\n\n| 编号 | 场景名称 |\n|---|---|\n| S05 | b |\n");
    assert_eq!(alone(added, MAP), Ok(want));
    assert_eq!(
        alone("## REMOVED — 支付\n\nNot now.\n", MAP),
        Ok("# T\n\n## 场景总览\n".to_owned())
    );
}

#[test]
fn a_title_added_twice_contradicts_itself_even_where_the_first_is_refused() {
    let delta = "## ADDED — A\n\nx\n\n## ADDED — A\n\ny\n";
    let got = alone(delta, "# T\n\n## A\n\nz\n");
    assert_eq!(
        got,
        Err(vec![
            "added_exists doc A".to_owned(),
            "contradicting_blocks doc A".to_owned()
        ])
    );
}

#[test]
fn an_addition_below_a_written_section_overlaps_whatever_else_is_wrong_with_it() {
    let delta = "## MODIFIED — U\n\ny\n\n## ADDED — U > S01 x\n";
    let got = alone(delta, "# T\n\n## U\n\nx\n\n## S01: q\n");
    let want = [
        "id_taken doc U > S01 x :: S01",
        "overlapping_blocks doc U > S01 x",
    ];
    assert_eq!(got, Err(want.map(str::to_owned).to_vec()));
}

#[test]
fn the_finding_of_an_anchor_that_is_gone_is_that_of_its_modified_block() {
    let delta = "## REMOVED-ITEMS — Q\n- a — b\n\n## MODIFIED — Q\n\nx\n";
    let got = merged(delta, Some("# T\n\n## Q\n\nf\n"), Some("# T\n\n## U\n\nx\n"));
    assert_eq!(got, Err(vec!["removed_upstream doc Q".to_owned()]));
}

#[test]
fn a_new_document_has_the_line_ends_of_its_delta_and_titles_without_parents() {
    let delta = "## ADDED — Doc\r\n\r\nx\r\n\r\n## ADDED — Doc > Sub\r\ny";
    let got = merged(delta, None, None);
    assert_eq!(got, Ok("# Doc\r\n\r\nx\r\n\r\n## Sub\r\n\r\ny\r\n".to_owned()));
}

#[test]
fn a_lost_id_of_a_renamed_section_is_told_as_lost() {
    let table = "Some text.\n\nMore of it.\n\n| ID | x |\n|---|---|\n| UT-S01-01 | a |\n";
    let (base, now) = (
        format!("# T\n\n## Old\n\n{table}"),
        format!("# T\n\n## New\n\n{table}"),
    );
    let got = merged("## MODIFIED — New\n\nShort.\n", Some(&base), Some(&now));
    assert_eq!(
        got,
        Err(vec!["delta_implicit_id_removal doc New :: UT-S01-01".to_owned()])
    );
}

#[test]
fn an_addition_to_a_parent_that_was_renamed_goes_to_its_end() {
    let base = "# T\n\n## 1. Stock\n\nOne.\n\nTwo.\n\n### 1.2 Shelf\n\nthree\n\n### 1.5 Crate\n\nfour\n";
    let renamed = base.replace("1. Stock", "1. Store");
    let delta = "## ADDED — 1.1 Box\n\nfive\n";
    let first = alone(delta, base).expect("nothing is in the way");
    let last = merged(delta, Some(base), Some(&renamed)).expect("nothing is in the way");
    assert_eq!(last, first.replace("1. Stock", "1. Store"));
}

#[test]
fn a_guard_that_cannot_be_read_is_no_guard() {
    let tolls = common::Tolls::new();
    tolls.change(
        "car-price",
        &[(common::Tolls::DELTA, &common::Tolls::prices("6", "12", "0"))],
    );
    tolls.write("logos/.openlogos-guard/a-folder", "");
    let out = tolls.spec(["change-lint", "--format", "json"]).exits(1);
    assert!(out.stderr.contains("\"no_active_proposal\""), "{out:?}");
    tolls.spec(["change-lint", "--slug", "car-price"]).exits(0);
    tolls.spec(["merge", "car-price"]).exits(0);
}

#[test]
fn a_row_of_a_map_is_asked_for_in_a_sub_section_too_and_may_be_named_there() {
    let kept = "## MODIFIED — 支付\n\n| 编号 | 场景名称 |\n|---|---|\n| S01 | b |\n";
    let dropped = "## MODIFIED — 支付\n\nLater.\n";
    let named = format!("{dropped}\n## REMOVED-ITEMS — 支付\n\n- S01 — not now\n");
    assert_eq!(alone(kept, MAP), Ok(MAP.replace("| a |", "| b |")));
    assert_eq!(
        alone(dropped, MAP),
        Err(vec!["delta_implicit_id_removal doc 支付 :: S01".to_owned()])
    );
    assert_eq!(
        alone(&named, MAP),
        Ok("# T\n\n## 场景总览\n\n### 支付\n\nLater.\n".to_owned())
    );
}

#[test]
fn a_section_that_has_only_lost_sub_sections_may_go() {
    let base = "# T\n\n## A\n\na\n\n### B\n\nb\n\n#### C\n\nc\n\n### D\n\nd\n\n## Z\n";
    let removed = "## REMOVED — A\n\nNo use.\n";
    let gone = Ok("# T\n\n## Z\n".to_owned());
    for lost in [
        "#### C\n\nc\n\n",
        "### B\n\nb\n\n#### C\n\nc\n\n",
        "### D\n\nd\n\n",
    ] {
        assert_eq!(
            merged(removed, Some(base), Some(&base.replace(lost, ""))),
            gone,
            "{lost}"
        );
    }
    for changed in [
        base.replace("\nd\n", "\nd2\n"),
        base.replace("### D", "### E"),
        base.replace("\na\n", "\n"),
        base.replace("## Z", "### New\n\n## Z"),
    ] {
        let conflict = Err(vec!["changed_and_removed doc A".to_owned()]);
        assert_eq!(merged(removed, Some(base), Some(&changed)), conflict, "{changed}");
    }
}

#[test]
fn an_entry_that_another_change_took_out_too_is_gone_as_it_was_meant() {
    let table = |rows: &str| format!("# T\n\n## A\n\n| ID | x |\n|---|---|\n{rows}");
    let (base, now) = (
        table("| UT-S01-01 | a |\n| UT-S01-02 | b |\n"),
        table("| UT-S01-01 | a |\n"),
    );
    let block = "## MODIFIED — A\n\n| ID | x |\n|---|---|\n| UT-S01-01 | c |\n\n## REMOVED-ITEMS — A\n\n- ";
    let named = |id: &str| merged(&format!("{block}{id} — gone\n"), Some(&base), Some(&now));
    assert_eq!(named("UT-S01-02"), Ok(table("| UT-S01-01 | c |\n")));
    assert_eq!(
        named("UT-S01-03"),
        Err(vec!["delta_removed_unknown_id doc A :: UT-S01-03".to_owned()])
    );
}
