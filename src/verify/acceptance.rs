//! The reports that a run leaves, in Markdown (verify.md 8 and 12.2). They hold a date and no time: two equal runs on one
//! day leave the same bytes. Always English: `automation_diagnostic` reads them back.

use super::gate::Verified;
use super::outline::{Body, Cell, Outline, Part, Smoke, lines};
use super::precheck::GateResult;
use crate::text::Bytes;
use crate::voice::Voice;

/// The acceptance report.
pub fn acceptance(run: &Verified, result: GateResult, reason: Option<&'static str>, date: &str) -> Bytes {
    markdown(&Outline::acceptance(run, result, reason, date, &Voice::default()))
}

/// The smoke report.
pub fn smoke(run: &Smoke<'_>, date: &str) -> Bytes {
    markdown(&Outline::smoke(run, date, &Voice::default()))
}

fn markdown(outline: &Outline) -> Bytes {
    let Outline {
        title, program, date, ..
    } = outline;
    let mut text = format!("# {title}\n\n{program}, {date} (UTC)\n");
    for Part { title, lead, body } in &outline.parts {
        text += &format!("\n## {title}\n\n");
        if let Some(lead) = lead {
            text += &format!("{lead}\n\n");
        }
        match body {
            Body::Table { header, rows } => {
                text += &format!("| {} |\n|{}\n", header.join(" | "), "---|".repeat(header.len()));
                for row in rows {
                    let cells: Vec<String> = row.iter().map(cell).collect();
                    text += &format!("| {} |\n", cells.join(" | "));
                }
            }
            Body::List(ids) => {
                for id in ids {
                    text += &format!("- {id}\n");
                }
            }
        }
    }
    text.into_bytes()
}

fn cell(cell: &Cell) -> String {
    let voice = Voice::default();
    match cell {
        Cell::Text(text) => one_line(text),
        Cell::State(state) => state.word(&voice).to_owned(),
        Cell::Ticked(ticked) => if *ticked { "x" } else { " " }.to_owned(),
        Cell::Cases(cases) => {
            let cases: Vec<String> = cases
                .iter()
                .map(|(id, state)| format!("{id}: {}", state.word(&voice)))
                .collect();
            one_line(&cases.join(", "))
        }
    }
}

/// What a cell of a table shows: bars escaped, no line ends.
fn one_line(text: &str) -> String {
    lines(text).collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn a_cell_has_neither_bars_nor_line_ends() {
        assert_eq!(one_line("a|b\r\nc\nd"), "a\\|b c d");
    }
}
