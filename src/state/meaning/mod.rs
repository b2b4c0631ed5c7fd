//! What the fields of a body mean (state.md 4, 5.1–5.3).

mod activity;
mod defaults;
mod phase;
mod status;

pub use activity::{Activity, is_date};
pub use defaults::{is_default_activity, is_default_status};
pub use phase::{is_same_phase, phase_name, phase_number, total};
pub use status::{Counted, normalise};

use super::body::Body;
use crate::text::is_blank;

/// The number of the current phase: the field of its own, else the number in `Phase`.
pub fn current_phase(body: &Body) -> Option<&str> {
    match body.value("Current Phase") {
        Some(own) => Some(own).filter(|own| !is_blank(own)),
        None => phase_number(body.value("Phase")?),
    }
}

/// The name of the current phase: the field of its own, else the name in `Phase`.
pub fn current_phase_name(body: &Body) -> Option<String> {
    match body.value("Current Phase Name") {
        Some(own) => Some(own.to_owned()).filter(|own| !is_blank(own)),
        None => phase_name(body.value("Phase")?),
    }
}

/// What was done last: the field of its own, else what follows the date in `Last activity`.
pub fn activity_description(body: &Body) -> Option<String> {
    match body.value("Last Activity Description") {
        Some(own) => Some(own.to_owned()).filter(|own| !is_blank(own)),
        None => Activity::of(body.value("Last activity")?).description,
    }
}

/// The digits that a text begins with.
pub fn leading_number(text: &str) -> Option<u64> {
    let text = crate::text::trim(text);
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}
