//! `record-session` (state.md 8).

use super::Appended;
use crate::state::body::Body;
use crate::state::derive::Moment;
use crate::state::error::{Error, one_line};
use crate::state::transition::Draft;
use crate::text::{Span, each_line, is_blank};

const LAST: &str = "Last session";
const DATE: &str = "Last Date";
const STOPPED: &str = "Stopped At";
const RESUME: &str = "Resume File";

pub(super) fn record(
    draft: &mut Draft,
    moment: &Moment,
    stopped_at: Option<&str>,
    resume_file: Option<&str>,
) -> Result<Appended, Error> {
    for (label, value) in [(STOPPED, stopped_at), (RESUME, resume_file)] {
        value.map_or(Ok(()), |value| one_line(label, value))?;
    }
    let now = moment.now.rfc3339();
    let body = &mut draft.body;
    let mut updated = Vec::new();
    let mut missing = Vec::new();
    let given = [
        (LAST, Some(now.as_str())),
        (DATE, Some(&now)),
        (STOPPED, stopped_at),
        (RESUME, resume_file),
    ];
    for (label, value) in given {
        let Some(value) = value else { continue };
        if body.set(label, value) {
            updated.push(label);
        } else if label != DATE {
            missing.push((label, value));
        }
    }
    let has_values = stopped_at.is_some() || resume_file.is_some();
    let lacks = missing.iter().any(|(label, _)| *label != LAST);
    // Without a value of its own, the time alone makes no session.
    let creates = has_values && lacks;
    if creates {
        for (label, _) in &missing {
            updated.push(label);
        }
        updated.sort_by_key(|label| given.iter().position(|(known, _)| known == label));
        create(body, &now, stopped_at, resume_file, &missing);
    }
    if updated.is_empty() {
        return Ok(Appended::NoSession {
            recorded: false,
            reason: "no_session_fields",
        });
    }
    Ok(Appended::Session {
        recorded: true,
        updated,
        created: creates,
    })
}

fn create(
    body: &mut Body,
    now: &str,
    stopped_at: Option<&str>,
    resume_file: Option<&str>,
    missing: &[(&'static str, &str)],
) {
    let old = |label| {
        body.value(label)
            .filter(|value| !is_blank(value))
            .map(str::to_owned)
    };
    let (stopped, resume) = (
        stopped_at.map(str::to_owned).or_else(|| old(STOPPED)),
        resume_file.map(str::to_owned).or_else(|| old(RESUME)),
    );
    let none = || "None".to_owned();
    let lines = vec![
        format!("**Last session:** {now}"),
        format!("**Stopped at:** {}", stopped.unwrap_or_else(none)),
        format!("**Resume file:** {}", resume.unwrap_or_else(none)),
    ];
    if let Some(section) = body.section_named(2, "Session") {
        let others = others(body, section);
        body.replace_content(section, &[lines, others].concat());
    } else if let Some(section) = body.section_named(2, "Session Continuity") {
        let end = body.line_end();
        let mut added = String::from(end);
        for (label, value) in missing {
            let label = if *label == STOPPED {
                "Stopped at"
            } else if *label == RESUME {
                "Resume file"
            } else {
                label
            };
            added.push_str(&format!("**{label}:** {value}{end}"));
        }
        if !body.slice(section).starts_with(end) && !body.slice(section).is_empty() {
            added.push_str(end);
        }
        body.splice(Span::new(section.start, section.start), &added);
    } else {
        body.append_section("## Session", &lines);
    }
}

/// The lines of a section that are none of the session's own fields, without blank lines around them.
fn others(body: &Body, section: Span) -> Vec<String> {
    let content = body.slice(section);
    let is_field = |line: &str| {
        [LAST, DATE, STOPPED, RESUME].iter().any(|label| {
            let whole = Body::new(line);
            whole.value(label).is_some() || line.trim().trim_matches('*') == format!("{label}:")
        })
    };
    let mut others: Vec<String> = each_line(content.as_bytes())
        .map(|line| content[line.span.start..line.span.end].to_owned())
        .filter(|line| !is_field(line))
        .collect();
    while others.first().is_some_and(|line| is_blank(line)) {
        others.remove(0);
    }
    while others.last().is_some_and(|line| is_blank(line)) {
        others.pop();
    }
    if !others.is_empty() {
        others.insert(0, String::new());
    }
    others
}
