//! The files of a new loop (loop.md 2 and 3).

use serde_json::Value;

use super::{Error, Gate, Mode, document};

const TEMPLATE: &str = include_str!("state.template.json");

/// The state of a loop that begins.
pub fn fresh_state(mode: Mode, request: &str) -> Result<Value, Error> {
    let mut state: Value = serde_json::from_str(TEMPLATE).map_err(|e| Error::Malformed(e.to_string()))?;
    document::set(&mut state, "config.mode", mode.as_str());
    document::set(&mut state, "config.user_request", request);
    Ok(state)
}

/// The gate state of a loop that begins.
pub fn fresh_gate() -> Gate {
    Gate::fresh()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loops::{gate::Source, validate::validate};

    #[test]
    fn a_new_state_is_valid() {
        for mode in Mode::ALL {
            let state = fresh_state(mode, "add tides").expect("the template is JSON");
            let source = Source::Known(fresh_gate());
            let found = validate(&state, &source);
            assert!(found.errors.is_empty() && found.warnings.is_empty(), "{found:?}");
        }
    }
}
