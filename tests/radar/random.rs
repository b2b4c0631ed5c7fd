//! Many changes of all kinds at one document. A pair that is told apart without a merge in memory is merged all the same
//! in debug builds, and the program ends there if it does not merge.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::answer;
use crate::common::Tolls;

const SECTIONS: [&str; 7] = ["A", "B", "C", "1. One", "2 Two", "Deep > X", "Deep > Y"];
const TABLE: &str = "| ID | Title | Expected |\n|----|-------|----------|\n";

/// Numbers that look random, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[usize::try_from(self.below(all.len() as u64)).expect("it is small")]
    }
}

/// What becomes of one row of a section.
#[derive(Clone, Copy)]
enum Row {
    Kept,
    Edited(u64),
    Dropped,
}

fn rows(section: &str, which: u64, row: Row) -> String {
    let of = SECTIONS
        .iter()
        .position(|known| *known == section)
        .expect("it is known");
    let mut out = TABLE.to_owned();
    for number in 1..=3 {
        let value = match row {
            Row::Dropped if number == which => continue,
            Row::Edited(value) if number == which => value,
            Row::Kept | Row::Edited(_) | Row::Dropped => 1,
        };
        writeln!(out, "| UT-S0{of}-0{number} | t | {value} |").expect("memory");
    }
    out
}

fn document() -> String {
    let mut out = "# Doc\n\n".to_owned();
    for section in SECTIONS {
        let body = rows(section, 0, Row::Kept);
        match section.strip_prefix("Deep > ") {
            Some("X") => write!(out, "## Deep\n\nintro\n\n### X\n\n{body}\n"),
            Some(title) => write!(out, "### {title}\n\n{body}\n"),
            None => write!(out, "## {section}\n\n{body}\n"),
        }
        .expect("memory");
    }
    out
}

fn block(dice: &mut Dice) -> String {
    let section = dice.of(&SECTIONS);
    let which = 1 + dice.below(3);
    let value = 90 + dice.below(3);
    let kept = rows(section, 0, Row::Kept);
    let new = format!("| UT-S09-0{} | new {} | 1 |\n", 1 + dice.below(6), dice.below(2));
    match dice.below(11) {
        0..=2 => format!(
            "## MODIFIED — {section}\n\n{}",
            rows(section, which, Row::Edited(value))
        ),
        3 => format!("## MODIFIED — {section}\n\n{kept}{new}"),
        4 => {
            let of = SECTIONS
                .iter()
                .position(|known| *known == section)
                .expect("it is known");
            let rows = rows(section, which, Row::Dropped);
            format!(
                "## MODIFIED — {section}\n\n{rows}\n## REMOVED-ITEMS — {section}\n- UT-S0{of}-0{which} — gone\n"
            )
        }
        5 => format!(
            "## MODIFIED — {section}\n\n## {}\n\n{kept}",
            dice.of(&["N1", "N2", "C", "2 Two"])
        ),
        6 => format!(
            "## REMOVED — {}\n\nwhy\n",
            dice.of(&["A", "B", "1. One", "Deep", "Deep > X"])
        ),
        7 => format!("## ADDED — {}\n\n{TABLE}{new}", dice.of(&["N1", "N2", "N3", "A"])),
        8 => {
            let (parent, title) = (
                dice.of(&["A", "C", "Deep", "Deep > X"]),
                dice.of(&["N1", "X", "N4"]),
            );
            format!("## ADDED — {parent} > {title}\n\ntext {value}\n")
        }
        9 => format!(
            "## ADDED — {} Sub {value}\n\ntext\n",
            dice.of(&["1.1", "2.1", "3.1"])
        ),
        _ => format!(
            "## MODIFIED — {section}\n\n{kept}\n### {}\n\ntext\n",
            dice.of(&["N1", "X", "H"])
        ),
    }
}

#[test]
fn what_is_told_apart_without_a_merge_merges() {
    let mut told = BTreeSet::new();
    for seed in 0..12 {
        let tolls = Tolls::new();
        let mut dice = Dice(seed);
        tolls.write(Tolls::DOCUMENT, document());
        tolls.commit("Lay out");
        for number in 0..24 {
            let mut delta = block(&mut dice);
            if dice.below(3) == 0 {
                write!(delta, "\n{}", block(&mut dice)).expect("memory");
            }
            let folder = format!("logos/changes/c{number:02}");
            tolls
                .write(
                    &format!("{folder}/proposal.md"),
                    format!("# c{number}\n\n> module: core\n"),
                )
                .write(&format!("{folder}/deltas/{}", Tolls::DELTA), delta);
        }
        tolls.commit("Propose");
        if seed % 2 == 1 {
            let moved = document()
                .replace("## B", "## Bee")
                .replacen("| t | 1 |", "| t | 2 |", 1);
            tolls.write(Tolls::DOCUMENT, format!("{moved}\n## N3\n\ntext\n"));
            tolls.commit("Move on");
        }
        let data = answer(&tolls, &["--all"]);
        let pairs = data["pairs"].as_array().expect("a list");
        assert_eq!(pairs.len(), 24 * 23 / 2);
        told.extend(
            pairs
                .iter()
                .map(|pair| format!("{} {}", pair["verdict"], pair["order"])),
        );
    }
    // Every kind was there.
    let expected = [
        r#""clean" "any""#,
        r#""conflict" "a_first""#,
        r#""conflict" "b_first""#,
        r#""conflict" null"#,
        r#""duplicate_id" null"#,
        r#""mergeable" "any""#,
    ];
    assert_eq!(told, expected.map(str::to_owned).into());
}
