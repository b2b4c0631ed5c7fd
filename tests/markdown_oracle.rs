//! Where `CommonMark` and change.md part 1 agree, a `CommonMark` parser must see the same headings and the same fences: documents
//! without lists, quotes, underlined headings and HTML.

use comrak::nodes::NodeValue;
use git_spec::markdown::{Document, Mask};
use proptest::prelude::*;

/// Level and line of the headings, and the lines that stand in fences, from 0.
type Structure = (Vec<(usize, usize)>, Vec<usize>);

fn ours(text: &str) -> Structure {
    let doc = Document::scan(text);
    let headings = doc.headings().iter().map(|h| (h.level, h.line)).collect();
    let fenced = doc.all_lines().filter(|l| doc.mask(*l) == Mask::Fence).collect();
    (headings, fenced)
}

fn theirs(text: &str) -> Structure {
    let arena = comrak::Arena::new();
    let root = comrak::parse_document(&arena, text, &comrak::Options::default());
    let (mut headings, mut fenced) = (Vec::new(), Vec::new());
    for node in root.children() {
        let node = node.data.borrow();
        let lines = node.sourcepos.start.line - 1..node.sourcepos.end.line;
        if let NodeValue::Heading(heading) = &node.value {
            headings.push((usize::from(heading.level), lines.start));
        }
        if let NodeValue::CodeBlock(code) = &node.value
            && code.fenced
        {
            fenced.extend(lines);
        }
    }
    (headings, fenced)
}

fn line() -> impl Strategy<Value = String> {
    let heading = (
        1..=7_usize,
        prop::sample::select(vec!["A", "Open ##", "`x` y", "計画", "a | b", "~~~", "```"]),
    )
        .prop_map(|(level, title)| format!("{} {title}", "#".repeat(level)));
    let fence = (
        0..=5_usize,
        prop::sample::select(vec!['`', '~']),
        2..=5_usize,
        prop::sample::select(vec!["", "", "  ", "text", " yaml x", " a`b", "~"]),
    )
        .prop_map(|(indent, mark, len, info)| {
            format!("{}{}{info}", " ".repeat(indent), String::from(mark).repeat(len))
        });
    let text = prop::sample::select(vec![
        "",
        "",
        "word",
        "two words",
        "    # code",
        "\t# code",
        "    word",
        "#none",
        "a # b",
        "a ``` b",
        "`x",
        "| a | b |",
        "   word",
        "\\# no",
        "`` ` ``",
    ])
    .prop_map(str::to_owned);
    prop_oneof![heading, fence, text]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn headings_and_fences_are_those_of_commonmark(
        lines in prop::collection::vec(line(), 0..24),
        crlf in any::<bool>(),
        ended in any::<bool>(),
    ) {
        let end = if crlf { "\r\n" } else { "\n" };
        let mut text = lines.join(end);
        if ended {
            text.push_str(end);
        }
        prop_assert_eq!(ours(&text), theirs(&text), "{}", text);
    }
}

#[test]
fn the_oracle_sees_what_it_is_asked_about() {
    let text = "# A\n\n```\n# B\n```\n\n## C\n";
    assert_eq!(theirs(text), (vec![(1, 0), (2, 6)], vec![2, 3, 4]));
    assert_eq!(ours(text), theirs(text));
}
