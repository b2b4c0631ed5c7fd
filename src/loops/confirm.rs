//! Questions to the user (loop.md 7): asked, answered, timed out.

use serde_json::Value;

use super::document::{flag, list, number, set, text, value_of};
use super::transition::enter;
use super::{Error, Gate, Mode, Phase, Termination};
use crate::clock::Timestamp;

const OPEN: [&str; 2] = ["pending", "awaiting_user"];

/// Asks.
pub fn request(state: &mut Value, context: &str, options: &[String], now: Timestamp) -> String {
    let attempt = number(state, "pending_confirmation.attempt").unwrap_or(0) + 1;
    let id = format!("confirm-{}-{attempt}", now.compact());
    let phase = text(state, "progress.phase").map_or(Value::Null, Value::from);
    let mut at = |key: &str, value: Value| set(state, &format!("pending_confirmation.{key}"), value);
    at("id", Value::from(id.as_str()));
    at("status", Value::from("pending"));
    at("phase", phase);
    at("context", Value::from(context));
    at("options", Value::from(options.to_vec()));
    at("created_at", Value::from(now.rfc3339()));
    at("response", Value::Null);
    at("resolved_at", Value::Null);
    at("attempt", value_of(attempt));
    id
}

/// Whether an answer is waited for.
pub fn is_open(state: &Value) -> bool {
    text(state, "pending_confirmation.status").is_some_and(|status| OPEN.contains(&status))
}

/// The user's answer.
pub fn answer(state: &mut Value, gate: &mut Gate, answer: &str, now: Timestamp) -> Result<(), Error> {
    if !is_open(state) {
        return Err(Error::NothingAsked);
    }
    let options: Vec<String> = list(state, "pending_confirmation.options")
        .into_iter()
        .flatten()
        .filter_map(|option| option.as_str().map(str::to_owned))
        .collect();
    if !options.is_empty() && !options.iter().any(|option| option == answer) {
        return Err(Error::NoOption {
            answer: answer.to_owned(),
            options,
        });
    }
    resolve(state, "resolved", Some(answer), now);
    if let Some(id) = text(state, "pending_confirmation.id") {
        // The id is data, and may hold dots: it is no path.
        let approvals = gate.0.pointer_mut("/gate_state9/gate_approvals");
        if let Some(approvals) = approvals.and_then(Value::as_object_mut) {
            approvals.insert(id.to_owned(), Value::from(answer));
        }
    }
    Ok(())
}

fn resolve(state: &mut Value, status: &str, response: Option<&str>, now: Timestamp) {
    set(state, "pending_confirmation.status", status);
    if let Some(response) = response {
        set(state, "pending_confirmation.response", response);
    }
    set(state, "pending_confirmation.resolved_at", now.rfc3339());
}

/// What the end of the time did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expired {
    /// The mode is one step safer.
    Degraded(Mode),
    Approved,
    Aborted,
}

impl Expired {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Degraded(_) => "auto_degrade",
            Self::Approved => "auto_approve",
            Self::Aborted => "auto_abort",
        }
    }
}

/// `awaiting_user` is read as pending, and never written (loop.md 7).
pub fn settle_words(state: &mut Value) {
    if text(state, "pending_confirmation.status") == Some("awaiting_user") {
        set(state, "pending_confirmation.status", "pending");
    }
}

/// Words of what cannot be taken back. A question that is only like one waits for its user: no harm is done by that.
const IRREVERSIBLE: [&str; 18] = [
    "irreversible",
    "cannot be undone",
    "delete",
    "destroy",
    "drop table",
    "drop database",
    "truncate",
    "wipe",
    "purge",
    "--force",
    "push -f",
    "force push",
    "rm -r",
    "reset --hard",
    "不可逆",
    "无法撤销",
    "删除",
    "强制推送",
];

/// Ends a question whose time is over; none if none is. An irreversible operation is never approved by waiting.
pub fn expire(state: &mut Value, gate: &mut Gate, mode: Mode, now: Timestamp) -> Option<Expired> {
    if !is_open(state) || !is_over(state, now) {
        return None;
    }
    let context = text(state, "pending_confirmation.context")
        .unwrap_or_default()
        .to_lowercase();
    let irreversible = IRREVERSIBLE.iter().any(|word| context.contains(word))
        || flag(state, "pending_confirmation.irreversible") == Some(true);
    let first = list(state, "pending_confirmation.options")
        .and_then(|options| options.first()?.as_str())
        .map(str::to_owned);
    let action = text(state, "pending_confirmation.timeout_action").unwrap_or("auto_abort");
    let expired = match (action, first) {
        ("auto_degrade", _) => Expired::Degraded(mode.safer()),
        ("auto_approve", Some(first)) if !irreversible => {
            resolve(state, "timed_out", Some(&first), now);
            return Some(Expired::Approved);
        }
        _ => Expired::Aborted,
    };
    match expired {
        Expired::Degraded(mode) => {
            resolve(state, "timed_out", Some("degraded"), now);
            set(state, "config.mode", mode.as_str());
        }
        Expired::Approved | Expired::Aborted => {
            resolve(state, "timed_out", None, now);
            gate.terminate(Termination::Paused, None, Some("confirmation_timed_out"));
            enter(state, Phase::Paused, now);
        }
    }
    Some(expired)
}

/// A question whose beginning cannot be read, or lies in the future, has begun now.
fn is_over(state: &Value, now: Timestamp) -> bool {
    let Some(created) = text(state, "pending_confirmation.created_at").and_then(Timestamp::parse) else {
        return false;
    };
    let minutes = number(state, "pending_confirmation.timeout_minutes").unwrap_or(30);
    let waited = i128::from(now.millis()) - i128::from(created.millis());
    waited > minutes.saturating_mul(60_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loops::{fresh_gate, fresh_state};

    fn asked(context: &str, action: &str) -> (Value, Gate) {
        let mut state = fresh_state(Mode::Unsafe, "x").expect("a template");
        let options = ["yes", "no"].map(str::to_owned);
        request(&mut state, context, &options, Timestamp::from_seconds(0));
        set(&mut state, "pending_confirmation.timeout_action", action);
        (state, fresh_gate())
    }

    fn expired(context: &str, action: &str, seconds: i64) -> (Option<Expired>, Value) {
        let (mut state, mut gate) = asked(context, action);
        let expired = expire(
            &mut state,
            &mut gate,
            Mode::Unsafe,
            Timestamp::from_seconds(seconds),
        );
        (expired, state)
    }

    #[test]
    fn a_question_times_out_after_its_minutes() {
        assert_eq!(expired("x", "auto_approve", 1800).0, None);
        let (how, state) = expired("x", "auto_approve", 1801);
        assert_eq!(how, Some(Expired::Approved));
        assert_eq!(text(&state, "pending_confirmation.response"), Some("yes"));
        assert_eq!(text(&state, "pending_confirmation.status"), Some("timed_out"));
        let (how, state) = expired("x", "auto_degrade", 1801);
        assert_eq!(how, Some(Expired::Degraded(Mode::Auto)));
        assert_eq!(text(&state, "config.mode"), Some("auto"));
        let (how, state) = expired("an IRREVERSIBLE step", "auto_approve", 1801);
        assert_eq!(how, Some(Expired::Aborted));
        assert_eq!(text(&state, "progress.phase"), Some("paused"));
        assert_eq!(expired("x", "auto_abort", 1801).0, Some(Expired::Aborted));
    }

    #[test]
    fn a_beginning_that_cannot_be_is_now() {
        for created in ["tomorrow", "2999-01-01T00:00:00Z"] {
            let (mut state, mut gate) = asked("x", "auto_abort");
            set(&mut state, "pending_confirmation.created_at", created);
            let now = Timestamp::from_seconds(1_000_000);
            assert_eq!(expire(&mut state, &mut gate, Mode::Auto, now), None, "{created}");
        }
    }

    #[test]
    fn an_answer_is_one_of_the_options() {
        let (mut state, mut gate) = asked("x", "auto_abort");
        let now = Timestamp::from_seconds(60);
        answer(&mut state, &mut gate, "maybe", now).expect_err("no option");
        answer(&mut state, &mut gate, "no", now).expect("an option");
        assert_eq!(text(&state, "pending_confirmation.response"), Some("no"));
        answer(&mut state, &mut gate, "no", now).expect_err("answered");
    }
}
