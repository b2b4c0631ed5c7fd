//! Sections of candidates: whatever stands in a document, reading ends, and what is written is read back.

use git_spec::baseline::{Candidate, Section, with_candidates};
use git_spec::yaml;
use proptest::prelude::*;

/// Lines that a document with candidates is made of, in any order.
const PIECES: [&str; 16] = [
    "## 逆向基线来源",
    "  ## 逆向基线来源 ",
    "## After",
    "### Below",
    "```yaml",
    "```yml",
    "```",
    "````markdown",
    "````",
    "<!--",
    "-->",
    "candidates:",
    "candidates: []",
    "  - key: core::df2b13627dee",
    "    anchor: \"cli: login\"",
    "    state: tombstone",
];

fn lines() -> impl Strategy<Value = Vec<String>> {
    let line = prop_oneof![
        6 => proptest::sample::select(&PIECES[..]).prop_map(str::to_owned),
        1 => "[ -~\t\u{2028}é]{0,12}",
    ];
    proptest::collection::vec(line, 0..8)
}

/// A section with some candidates between lines of any kind.
fn document() -> impl Strategy<Value = String> {
    let end = proptest::sample::select(&["\n", "\r\n"][..]);
    (lines(), 0..4_usize, lines(), end).prop_map(|(before, count, after, end)| {
        let mut all = before;
        all.extend([PIECES[0], "", "```yaml"].map(str::to_owned));
        all.push(
            if count == 0 {
                "candidates: []"
            } else {
                "candidates:"
            }
            .to_owned(),
        );
        all.extend((0..count).map(|n| format!("  - {{key: 'core::{n}', state: odd}}")));
        all.push("```".to_owned());
        all.extend(after);
        all.join(end)
    })
}

/// A candidate as it is once it was written: what it says of itself is written out.
fn written_out(candidates: &[Candidate]) -> Vec<Candidate> {
    let out = |candidate: &Candidate| Candidate {
        says_active: candidate.state.as_str() == "active",
        says_unverified: !candidate.verified,
        ..candidate.clone()
    };
    candidates.iter().map(out).collect()
}

proptest! {
    #[test]
    fn a_list_of_candidates_is_read_back_as_it_was_written(text in document(), texts in proptest::collection::vec(".{0,12}", 4)) {
        let section = Section::find(text.as_bytes());
        let new = with_candidates(text.as_bytes(), &[]);
        prop_assert_eq!(section.is_some(), new.is_some());
        let Some(mut candidates) = section.and_then(|section| section.candidates) else {
            return Ok(());
        };
        for candidate in &mut candidates {
            candidate.anchor = Some(texts[0].clone());
            candidate.display = Some(texts[1].clone());
            candidate.aliases = vec![texts[2].clone(), texts[3].clone()];
            candidate.evidence = Some(texts[3].clone());
        }
        let new = with_candidates(text.as_bytes(), &candidates).expect("it has a section");
        let read = Section::find(&new).and_then(|section| section.candidates);
        prop_assert_eq!(read, Some(written_out(&candidates)));
        let again = with_candidates(&new, &candidates);
        prop_assert_eq!(again.as_ref(), Some(&new), "a second time nothing changes");
    }

    #[test]
    fn a_scalar_is_read_back_as_it_was_written(text in "(\\PC|[\t\n\r:#'\"\\[\\]{} -]){0,16}") {
        let line = format!("a:\n  - k: {}\n    l: x\n", yaml::block_scalar(&text));
        let root = yaml::parse(line.as_bytes()).expect("it is YAML");
        let entry = &root.get("a").and_then(|a| a.as_list()).expect("a list")[0];
        prop_assert_eq!(entry.get("k").and_then(|k| k.as_str()), Some(text.as_str()));
        prop_assert_eq!(entry.get("l").and_then(|l| l.as_str()), Some("x"));
    }
}
