//! The next plan of a phase (state.md 7).

use serde::Serialize;

use super::Draft;
use crate::state::body::Body;
use crate::state::derive::Moment;
use crate::state::error::Error;
use crate::state::meaning::{is_default_activity, is_default_status, leading_number, total};

/// The answer of `advance-plan`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Advanced {
    Next {
        advanced: bool,
        previous_plan: u64,
        current_plan: u64,
        total_plans: u64,
        updated: Vec<&'static str>,
    },
    Last {
        advanced: bool,
        reason: &'static str,
        current_plan: u64,
        total_plans: u64,
        status: &'static str,
        updated: Vec<&'static str>,
    },
}

impl Advanced {
    pub(super) fn updated_mut(&mut self) -> &mut Vec<&'static str> {
        match self {
            Self::Next { updated, .. } | Self::Last { updated, .. } => updated,
        }
    }
}

/// Where a phase is.
struct Plan {
    current: u64,
    total: u64,
    /// In two fields of its own, not in `Plan`.
    legacy: bool,
}

pub(super) fn advance(draft: &mut Draft, moment: &Moment) -> Result<Advanced, Error> {
    let body = &mut draft.body;
    let Plan {
        current,
        total,
        legacy,
    } = plan(body).ok_or(Error::PlanUnparsable)?;
    let is_last = current >= total;
    let next = current.saturating_add(1);
    let status = if is_last {
        "Phase complete — ready for verification"
    } else {
        "Ready to execute"
    };
    if !is_last && legacy {
        body.set("Current Plan", &next.to_string());
        body.set_in_position("Plan", &format!("{next} of {total}"));
    } else if !is_last {
        let value = body.value("Plan").unwrap_or_default();
        let tail = value.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned();
        body.set("Plan", &format!("{next}{tail}"));
    }
    body.set_if("Status", status, is_default_status);
    body.set_if("Last activity", &moment.today, is_default_activity);
    Ok(if is_last {
        Advanced::Last {
            advanced: false,
            reason: "last_plan",
            current_plan: current,
            total_plans: total,
            status: "ready_for_verification",
            updated: Vec::new(),
        }
    } else {
        Advanced::Next {
            advanced: true,
            previous_plan: current,
            current_plan: next,
            total_plans: total,
            updated: Vec::new(),
        }
    })
}

fn plan(body: &Body) -> Option<Plan> {
    if let (Some(current), Some(total)) = (body.value("Current Plan"), body.value("Total Plans in Phase")) {
        return Some(Plan {
            current: leading_number(current)?,
            total: leading_number(total)?,
            legacy: true,
        });
    }
    let (current, total) = of(body.value("Plan")?)?;
    Some(Plan {
        current,
        total,
        legacy: false,
    })
}

/// `<a> … of <b>`.
fn of(value: &str) -> Option<(u64, u64)> {
    let current = leading_number(value)?;
    Some((current, leading_number(&total(value)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans() {
        for (value, plan) in [
            ("1 of 3 in current phase", Some((1, 3))),
            ("01 of 03", Some((1, 3))),
            ("2 (next) of 3", Some((2, 3))),
            ("0 of TBD", None),
            ("03-PLAN.md", None),
            ("02-03 (completed)", None),
            ("Not started", None),
            ("of 3", None),
            ("99999999999999999999999 of 3", None),
        ] {
            assert_eq!(of(value), plan, "{value}");
        }
    }
}
