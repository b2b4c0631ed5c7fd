//! `record-metric` (state.md 8).

use super::Appended;
use crate::markdown::cells;
use crate::state::body::{Body, Unfit};
use crate::state::error::Error;
use crate::state::transition::Draft;
use crate::text::{Span, each_line};

const SECTION: &str = "Performance Metrics";
const TITLE: &str = "**Per-Plan Metrics:**";
const HEADER: &str = "| Plan | Duration | Tasks | Files |";
const DELIMITER: &str = "|------|----------|-------|-------|";

pub(super) fn record(
    draft: &mut Draft,
    [phase, plan, duration]: [&String; 3],
    counts: [Option<&str>; 2],
) -> Result<Appended, Error> {
    let [tasks, files] = counts.map(|count| count.unwrap_or("-"));
    for (label, value) in [
        ("phase", phase.as_str()),
        ("plan", plan),
        ("duration", duration),
        ("tasks", tasks),
        ("files", files),
    ] {
        if value.contains(['|', '\n', '\r']) {
            return Err(Error::Unfit(Unfit {
                label: label.to_owned(),
                value: value.to_owned(),
            }));
        }
    }
    let row = format!("| Phase {phase} P{plan} | {duration} | {tasks} tasks | {files} files |");
    let body = &mut draft.body;
    let section = section(body);
    let table = section.and_then(|section| end_of_table(body, section));
    let lines = |with: &[&str]| with.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    match (table, section) {
        (Some(end), _) => {
            let line_end = body.line_end();
            body.splice(Span::new(end, end), &format!("{line_end}{row}"));
        }
        (None, Some(section)) => {
            // At the end of the document it is set off as a section is; before another heading nobody wrote a blank line.
            let is_last = section.end == body.text().len();
            let set_off: &[&str] = if is_last { &[""] } else { &[] };
            let added = lines(&[set_off, &[TITLE, "", HEADER, DELIMITER, &row]].concat());
            body.append_lines(section, &added);
        }
        (None, None) => body.append_section(
            &format!("## {SECTION}"),
            &lines(&[TITLE, "", HEADER, DELIMITER, &row]),
        ),
    }
    Ok(Appended::Metric {
        recorded: true,
        phase: phase.clone(),
        plan: plan.clone(),
        duration: duration.clone(),
        created: section.is_none(),
    })
}

fn section(body: &Body) -> Option<Span> {
    body.section_named(2, SECTION)
        .or_else(|| body.section_named(3, SECTION))
}

/// Where the last row of the table of plans ends.
fn end_of_table(body: &Body, section: Span) -> Option<usize> {
    let content = body.slice(section);
    let mut end = None;
    for line in each_line(content.as_bytes()) {
        let text = &content[line.span.start..line.span.end];
        let is_row = text.trim_start().starts_with('|');
        if end.is_none() {
            let first: Vec<String> = cells(text).into_iter().take(2).collect();
            let is =
                |at: usize, name: &str| first.get(at).is_some_and(|cell| cell.eq_ignore_ascii_case(name));
            let is_header = is_row && is(0, "Plan") && is(1, "Duration");
            if !is_header {
                continue;
            }
        } else if !is_row {
            break;
        }
        end = Some(section.start + line.span.end);
    }
    end
}
