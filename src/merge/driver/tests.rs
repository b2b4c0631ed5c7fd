//! Documents merged whole.

use super::*;

const LOOK: Look<'_> = Look {
    size: 7,
    base_style: None,
};

fn merged(base: &str, ours: &str, theirs: &str) -> Driven {
    let versions = Versions {
        base: base.as_bytes(),
        ours: ours.as_bytes(),
        theirs: theirs.as_bytes(),
    };
    merge(versions, b"a.md", LOOK, None)
}

/// The result, the same whichever side is ours.
#[track_caller]
fn clean(base: &str, ours: &str, theirs: &str) -> String {
    let one = merged(base, ours, theirs);
    assert_eq!(one, merged(base, theirs, ours), "the order shows");
    match one {
        Driven::Clean(text) => String::from_utf8(text).expect("UTF-8 stays UTF-8"),
        other @ (Driven::Conflicts(..) | Driven::Binary) => panic!("{other:?}"),
    }
}

#[track_caller]
fn conflicts(base: &str, ours: &str, theirs: &str) -> (String, Vec<(&'static str, Option<String>)>) {
    match merged(base, ours, theirs) {
        Driven::Conflicts(text, told) => (String::from_utf8(text).expect("UTF-8 stays UTF-8"), told),
        other @ (Driven::Clean(_) | Driven::Binary) => panic!("{other:?}"),
    }
}

const TABLE: &str = "# Tolls\n\n| ID | Price |\n|----|-------|\n| UT-1 | 5 |\n| UT-2 | 12 |\n";

#[test]
fn rows_next_to_each_other_are_edited_by_both() {
    let ours = TABLE.replace("| 5 |", "| 6 |");
    let theirs = TABLE.replace("| 12 |", "| 14 |");
    assert_eq!(
        clean(TABLE, &ours, &theirs),
        TABLE.replace("| 5 |", "| 6 |").replace("| 12 |", "| 14 |")
    );
    let ours = format!("{TABLE}| UT-3 | 1 |\n");
    let theirs = format!("{TABLE}| UT-4 | 2 |\n");
    assert_eq!(
        clean(TABLE, &ours, &theirs),
        format!("{TABLE}| UT-3 | 1 |\n| UT-4 | 2 |\n")
    );
}

#[test]
fn marks_stand_around_the_row_that_both_changed() {
    let (text, told) = conflicts(
        TABLE,
        &TABLE.replace("| 5 |", "| 6 |"),
        &TABLE.replace("| 5 |", "| 7 |"),
    );
    let row = "<<<<<<< ours\n| UT-1 | 6 |\n=======\n| UT-1 | 7 |\n>>>>>>> theirs\n";
    assert_eq!(text, TABLE.replace("| UT-1 | 5 |\n", row));
    assert_eq!(told, [("both_changed", Some("UT-1".to_owned()))]);
}

#[test]
fn marks_have_the_size_and_the_base_that_git_asks_for() {
    let look = Look {
        size: 9,
        base_style: Some("diff3"),
    };
    let (ours, theirs) = (TABLE.replace("| 5 |", "| 6 |"), TABLE.replace("| 5 |", "| 7 |"));
    let versions = Versions {
        base: TABLE.as_bytes(),
        ours: ours.as_bytes(),
        theirs: theirs.as_bytes(),
    };
    let Driven::Conflicts(text, _) = merge(versions, b"a.md", look, None) else {
        panic!("it conflicts");
    };
    let text = String::from_utf8(text).expect("UTF-8");
    let row = "<<<<<<<<< ours\n| UT-1 | 6 |\n||||||||| base\n| UT-1 | 5 |\n=========\n| UT-1 | 7 |\n>>>>>>>>> theirs\n";
    assert_eq!(text, TABLE.replace("| UT-1 | 5 |\n", row));
}

#[test]
fn front_matter_is_merged_by_key_and_comments_go_with_theirs() {
    let base = "---\ntitle: a\n# of b\nb:\n  - 1\n---\n\nText.\n";
    let ours = base.replace("title: a", "title: ours");
    let theirs = base.replace("  - 1\n", "  - 1\n  - 2\nc: new\n");
    assert_eq!(
        clean(base, &ours, &theirs),
        "---\ntitle: ours\n# of b\nb:\n  - 1\n  - 2\nc: new\n---\n\nText.\n"
    );
    let (text, told) = conflicts(base, &ours, &base.replace("title: a", "title: theirs"));
    assert_eq!(
        text,
        base.replace(
            "title: a\n",
            "<<<<<<< ours\ntitle: ours\n=======\ntitle: theirs\n>>>>>>> theirs\n"
        )
    );
    assert_eq!(told, [("both_changed", Some("title".to_owned()))]);
}

#[test]
fn front_matter_that_is_no_mapping_is_one_piece() {
    let base = "---\n[a\n---\nText.\n";
    let (_, told) = conflicts(base, &base.replace("[a", "[b"), &base.replace("[a", "[c"));
    assert_eq!(told, [("both_changed", Some("---".to_owned()))]);
    assert_eq!(
        clean(base, &base.replace("[a", "[b"), &base.replace("Text", "Words")),
        "---\n[b\n---\nWords.\n"
    );
    // A key given twice is no mapping either.
    let twice = "---\na: 1\na: 2\n---\nText.\n";
    let (_, told) = conflicts(
        twice,
        &twice.replace("a: 1", "a: 3"),
        &twice.replace("a: 2", "a: 4"),
    );
    assert_eq!(told.len(), 1);
}

#[test]
fn line_ends_and_marks_are_of_the_side_that_changed_them() {
    let crlf = |text: &str| text.replace('\n', "\r\n");
    let theirs = TABLE.replace("| 12 |", "| 14 |");
    assert_eq!(clean(TABLE, &crlf(TABLE), &theirs), crlf(&theirs));
    assert_eq!(clean(&crlf(TABLE), TABLE, &crlf(&theirs)), theirs);
    let bom = |text: &str| format!("\u{feff}{text}");
    assert_eq!(clean(TABLE, &bom(TABLE), &theirs), bom(&theirs));
    let trimmed = TABLE.trim_end();
    assert_eq!(clean(TABLE, trimmed, &theirs), theirs.trim_end());
    assert_eq!(
        clean(TABLE, &format!("{TABLE}\n\n"), &theirs),
        format!("{theirs}\n\n")
    );
}

#[test]
fn what_both_added_alike_comes_once() {
    let (text, told) = conflicts("", "# A\n\nOne.\n", "# A\n\nTwo.\n");
    assert!(text.starts_with("# A\n") && !told.is_empty(), "{text}");
    let top = "# T\n\nSame.\n";
    assert_eq!(
        clean(
            "",
            &format!("{top}\n## A\n\nOne.\n"),
            &format!("{top}\n## B\n\nTwo.\n")
        ),
        format!("{top}\n## A\n\nOne.\n\n## B\n\nTwo.\n")
    );
}

#[test]
fn an_id_that_both_define_in_other_places_conflicts_at_the_second() {
    let base =
        "# T\n\n## A\n\n| ID | x |\n|---|---|\n| UT-1 | a |\n\n## B\n\n| ID | x |\n|---|---|\n| UT-2 | b |\n";
    let ours = base.replace("| UT-1 | a |\n", "| UT-1 | a |\n| UT-9 | ours |\n");
    let theirs = format!("{base}| UT-9 | theirs |\n");
    let (text, told) = conflicts(base, &ours, &theirs);
    assert_eq!(told, [("id_taken", Some("UT-9".to_owned()))]);
    assert!(
        text.ends_with("<<<<<<< ours\n=======\n| UT-9 | theirs |\n>>>>>>> theirs\n"),
        "{text}"
    );
}

#[test]
fn other_files_are_merged_by_lines_and_binary_ones_not_at_all() {
    let versions = |base: &'static str, ours: &'static str, theirs: &'static str| Versions {
        base: base.as_bytes(),
        ours: ours.as_bytes(),
        theirs: theirs.as_bytes(),
    };
    let yaml = versions("a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n");
    assert_eq!(
        merge(yaml, b"a.yaml", LOOK, None),
        Driven::Clean(b"A\nb\nc\nD\n".to_vec())
    );
    assert_eq!(
        merge(versions("\0", "\0a", "\0b"), b"a.md", LOOK, None),
        Driven::Binary
    );
    assert_eq!(
        merge(versions("\0", "\0", "\0b"), b"a.md", LOOK, None),
        Driven::Clean(b"\0b".to_vec())
    );
}
