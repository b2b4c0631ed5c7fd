//! U06: line ends and byte-order marks of deltas and documents.

use super::common::Tolls;
use super::lint;

const BEHIND: &str = "\n## Notes\n\n- kept  \n- as it is\n";

#[derive(Clone, Copy, Debug)]
enum Ends {
    Lf,
    CrLf,
    Mixed,
}

fn written(text: &str, ends: Ends, mark: bool, final_newline: bool) -> String {
    let mut out = if mark {
        "\u{feff}".to_owned()
    } else {
        String::new()
    };
    for (n, line) in text.lines().enumerate() {
        out += line;
        out += match ends {
            Ends::CrLf => "\r\n",
            Ends::Mixed if n % 2 == 0 => "\r\n",
            Ends::Lf | Ends::Mixed => "\n",
        };
    }
    if !final_newline {
        out.truncate(out.trim_end_matches(['\r', '\n']).len());
    }
    out
}

/// A block without a heading is the body of its section, after an empty line.
fn with_car_at_six(document: &str) -> String {
    document
        .replace("| car | 5 |", "| car | 6 |")
        .replace("## Unit cases\n", "## Unit cases\n\n")
}

#[test]
fn u06_every_form_of_a_delta_says_the_same_and_a_document_keeps_its_own() {
    let delta = Tolls::prices("6", "12", "0");
    let old = format!("{}{BEHIND}", Tolls::CONTENT);
    let new = with_car_at_six(&old);
    let mut verdict = None;
    let tolls = Tolls::new();
    tolls.change("car-price", &[(Tolls::DELTA, &delta)]);
    let path = "logos/changes/car-price/deltas/test/core-01-test-cases.md";
    for (ends, mark, final_newline) in forms([Ends::Lf, Ends::CrLf, Ends::Mixed]) {
        tolls.write(path, written(&delta, ends, mark, final_newline));
        for (own, own_mark, own_final) in forms([Ends::Lf, Ends::CrLf]) {
            let form = format!("{ends:?} {mark} {final_newline} into {own:?} {own_mark} {own_final}");
            tolls.write(Tolls::DOCUMENT, written(&old, own, own_mark, own_final));
            let told = lint(&tolls, "car-price", &[]);
            // That the document is another one than at the base is told alike for all forms of the delta.
            let mut told = told;
            told.as_object_mut().expect("an object").remove("warnings");
            assert_eq!(verdict.get_or_insert(told.clone()), &told, "{form}");
            tolls
                .spec(["merge", "car-price", "--no-commit", "--base", "HEAD"])
                .exits(0);
            let expected = written(&new, own, own_mark, own_final);
            assert_eq!(tolls.read(Tolls::DOCUMENT), expected, "{form}");
            tolls.git(["checkout", "-q", "--", "logos/changes/car-price/tasks.md"]);
            tolls.remove("logos/changes/car-price/SPEC_MERGED");
        }
    }
}

fn forms<const N: usize>(ends: [Ends; N]) -> impl Iterator<Item = (Ends, bool, bool)> {
    ends.into_iter()
        .flat_map(|e| [false, true].map(|mark| (e, mark)))
        .flat_map(|(e, mark)| [true, false].map(|last| (e, mark, last)))
}

#[test]
fn u06_a_table_at_the_end_of_a_document_without_final_newline_keeps_that() {
    for own in [Ends::Lf, Ends::CrLf] {
        let tolls = Tolls::new();
        tolls.write(Tolls::DOCUMENT, written(Tolls::CONTENT, own, false, false));
        tolls.commit("No final newline");
        tolls.change("car-price", &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
        tolls.spec(["merge", "car-price"]).exits(0);
        let new = with_car_at_six(Tolls::CONTENT);
        assert_eq!(
            tolls.read(Tolls::DOCUMENT),
            written(&new, own, false, false),
            "{own:?}"
        );
    }
}

#[test]
fn u06_new_and_removed_sections_keep_the_ends_of_the_document() {
    for (own, mark, last) in forms([Ends::Lf, Ends::CrLf]) {
        let tolls = Tolls::new();
        let old = format!("{}{BEHIND}", Tolls::CONTENT);
        tolls.write(Tolls::DOCUMENT, written(&old, own, mark, last));
        tolls.commit("Two sections");
        let delta = "## REMOVED — Notes\nNobody reads them.\n\n## ADDED — Remarks\nOne.\n\nTwo.\n";
        tolls.change("remarks", &[(Tolls::DELTA, delta)]);
        tolls.spec(["merge", "remarks"]).exits(0);
        let new = format!("{}\n## Remarks\n\nOne.\n\nTwo.\n", Tolls::CONTENT);
        assert_eq!(
            tolls.read(Tolls::DOCUMENT),
            written(&new, own, mark, last),
            "{own:?} {mark} {last}"
        );
    }
}
