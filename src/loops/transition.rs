//! From phase to phase (loop.md 4).

use serde_json::Value;

use super::document::{flag, get, list, number, object, push, set, text, value_of};
use super::{Error, Gate, Mode, Phase, Termination};
use crate::clock::Timestamp;

/// What a phase is tried again at most.
const RETRIES: i128 = 2;

/// The phase of a state.
pub fn phase(state: &Value) -> Result<Phase, Error> {
    text(state, "progress.phase")
        .and_then(Phase::parse)
        .ok_or(Error::Field("progress.phase"))
}

/// Enters a phase: nothing of it was tried yet.
pub(super) fn enter(state: &mut Value, to: Phase, now: Timestamp) {
    let from = get(state, "progress.phase").cloned().unwrap_or(Value::Null);
    set(state, "progress.phase", to.as_str());
    set(state, "progress.retry_count_this_phase", 0);
    set(state, "phase_contracts.active_phase", to.as_str());
    let entry = object([
        ("from", from),
        ("to", Value::from(to.as_str())),
        ("at", Value::from(now.rfc3339())),
    ]);
    push(state, "progress.phase_transitions", entry);
}

/// The phase that follows in a round, those that are skipped passed over.
fn next(state: &Value, phase: Phase) -> Option<Phase> {
    let at = Phase::ORDER.iter().position(|known| *known == phase)?;
    Phase::ORDER[at + 1..]
        .iter()
        .copied()
        .find(|next| !is_skipped(state, *next))
}

fn is_skipped(state: &Value, phase: Phase) -> bool {
    let tests = matches!(phase, Phase::TestStrategy | Phase::TestPlan | Phase::Tests);
    let reviewed =
        phase == Phase::Review && text(state, "progress.implementation_engine") == Some("subagent");
    reviewed || tests && flag(state, "config.skip_testing") == Some(true)
}

/// Where the loop stood before it was paused.
fn paused_from(state: &Value) -> Option<Phase> {
    let transitions = list(state, "progress.phase_transitions")?;
    let entry = transitions
        .iter()
        .rev()
        .find(|entry| text(entry, "to") == Some("paused"))?;
    text(entry, "from")
        .and_then(Phase::parse)
        .filter(|phase| phase.is_running())
}

/// What may follow now.
pub fn allowed(state: &Value, gate: &Gate, mode: Mode) -> Result<Vec<Phase>, Error> {
    let phase = phase(state)?;
    let repairs = get(state, "progress.repair_context").is_some_and(Value::is_object);
    let asks = mode == Mode::Safe && !gate.is_plan_confirmed();
    let mut out = Vec::new();
    match phase {
        Phase::Paused => out.extend(paused_from(state)),
        Phase::AwaitingApproval if gate.is_plan_confirmed() => out.push(Phase::Plan),
        Phase::Complete | Phase::Failed | Phase::Routing | Phase::AwaitingApproval => {}
        Phase::Solution => {
            out.push(Phase::Direction);
            if mode == Mode::Safe {
                out.push(Phase::AwaitingApproval);
            }
            if !asks {
                out.push(Phase::Plan);
            }
        }
        Phase::Init
        | Phase::Requirements
        | Phase::Direction
        | Phase::Plan
        | Phase::Implementation
        | Phase::Review
        | Phase::TestStrategy
        | Phase::TestPlan
        | Phase::Tests
        | Phase::Issues
        | Phase::Verification => {
            if phase == Phase::Direction {
                out.push(Phase::Requirements);
            }
            out.extend(next(state, phase));
            if phase == Phase::Implementation && repairs {
                out.push(Phase::Routing);
            }
        }
    }
    if phase.is_running() {
        out.extend([Phase::Paused, Phase::Failed]);
    }
    Ok(out)
}

/// Goes to a phase; where the loop stands then, which is another one when the rounds of part 1 are used up.
pub fn go(
    state: &mut Value,
    gate: &mut Gate,
    mode: Mode,
    to: Phase,
    reason: Option<&str>,
    now: Timestamp,
) -> Result<Phase, Error> {
    let from = phase(state)?;
    let allowed = allowed(state, gate, mode)?;
    if !allowed.contains(&to) || from == Phase::Paused {
        return Err(Error::Illegal { from, to, allowed });
    }
    let infeasible = matches!(
        (from, to),
        (Phase::Direction, Phase::Requirements) | (Phase::Solution, Phase::Direction)
    );
    let mut to = to;
    if infeasible {
        let round = number(state, "progress.part1_round").unwrap_or(0) + 1;
        let most = number(state, "config.max_part1_rounds").ok_or(Error::Field("config.max_part1_rounds"))?;
        set(state, "progress.part1_round", value_of(round));
        if round >= most {
            set(state, "progress.part1_round", 0);
            // A plan that needs the user's word does not get around it.
            to = if mode == Mode::Safe && !gate.is_plan_confirmed() {
                Phase::AwaitingApproval
            } else {
                Phase::Plan
            };
        }
    }
    if to == Phase::Paused {
        gate.terminate(Termination::Paused, None, Some(reason.unwrap_or("paused")));
    } else if to == Phase::Failed {
        gate.terminate(Termination::Failed, Some(now), Some(reason.unwrap_or("failed")));
    } else if to == Phase::Plan {
        count_issues(state);
    } else if to == Phase::Routing && from == Phase::Implementation {
        set(state, "progress.repair_context", Value::Null);
    }
    enter(state, to, now);
    Ok(to)
}

/// Takes a paused loop up where it was paused.
pub fn resume(state: &mut Value, gate: &mut Gate, to: Option<Phase>, now: Timestamp) -> Result<Phase, Error> {
    let from = phase(state)?;
    let before = paused_from(state).filter(|_| from == Phase::Paused);
    match before {
        Some(before) if to.is_none_or(|to| to == before) => {
            gate.terminate(Termination::Running, None, None);
            enter(state, before, now);
            Ok(before)
        }
        before => Err(Error::Illegal {
            from,
            to: to.unwrap_or(from),
            allowed: before.into_iter().collect(),
        }),
    }
}

/// The phase has failed: it is tried again, or the loop goes on or pauses with an issue. Where the loop stands then.
pub fn fail(
    state: &mut Value,
    gate: &mut Gate,
    mode: Mode,
    reason: Option<&str>,
    now: Timestamp,
) -> Result<Phase, Error> {
    let phase = phase(state)?;
    let works = Phase::ORDER.contains(&phase) && !matches!(phase, Phase::Init | Phase::Routing);
    if !works {
        return Err(Error::NothingFails(phase));
    }
    let retries = number(state, "progress.retry_count_this_phase").unwrap_or(0);
    if retries < RETRIES {
        set(state, "progress.retry_count_this_phase", value_of(retries + 1));
        return Ok(phase);
    }
    let severity = if phase.is_critical() { "p0" } else { "p1" };
    let total = format!("issues.all_time.{severity}_total");
    let count = number(state, &total).unwrap_or(0) + 1;
    let issue = object([
        ("id", Value::from(format!("{}-failed-{count}", phase.as_str()))),
        ("phase", Value::from(phase.as_str())),
        ("reason", reason.map_or(Value::Null, Value::from)),
        ("at", Value::from(now.rfc3339())),
    ]);
    push(state, &format!("issues.active.{severity}"), issue);
    set(state, &total, value_of(count));
    if phase.is_critical() {
        let reason = Some(reason.unwrap_or("phase_failed"));
        return go(state, gate, mode, Phase::Paused, reason, now);
    }
    let asks = mode == Mode::Safe && !gate.is_plan_confirmed();
    let onward = if phase == Phase::Solution && asks {
        Phase::AwaitingApproval
    } else {
        next(state, phase).ok_or(Error::NothingFails(phase))?
    };
    go(state, gate, mode, onward, reason, now)
}

/// What has never been counted joins the totals, and the round begins with them (loop.md 4). The totals hold every issue
/// that was ever counted: what is active beyond those that are not resolved is new to them.
fn count_issues(state: &mut Value) {
    let mut totals = Vec::new();
    for severity in ["p0", "p1", "p2"] {
        let active = list(state, &format!("issues.active.{severity}")).map_or(&[][..], Vec::as_slice);
        let open = active
            .iter()
            .filter(|issue| !matches!(text(issue, "status"), Some("resolved" | "duplicate")));
        let open = i128::try_from(open.count()).unwrap_or(i128::MAX);
        let resolved = number(state, &format!("issues.resolved.{severity}")).unwrap_or(0);
        let path = format!("issues.all_time.{severity}_total");
        let total = number(state, &path).unwrap_or(0).max(resolved + open);
        set(state, &path, value_of(total));
        totals.push((severity, value_of(total)));
    }
    let snapshot = totals
        .into_iter()
        .map(|(key, total)| (key.to_owned(), total))
        .collect();
    set(
        state,
        "progress.issues_snapshot_at_round_start",
        Value::Object(snapshot),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loops::{fresh_gate, fresh_state};

    const NOW: Timestamp = Timestamp::from_seconds(0);

    fn at(phase: Phase) -> (Value, Gate) {
        let mut state = fresh_state(Mode::Auto, "x").expect("a template");
        set(&mut state, "progress.phase", phase.as_str());
        (state, fresh_gate())
    }

    fn names(state: &Value, gate: &Gate, mode: Mode) -> Vec<&'static str> {
        let allowed = allowed(state, gate, mode).expect("a phase");
        allowed.into_iter().map(Phase::as_str).collect()
    }

    #[test]
    fn the_next_phase_passes_over_what_is_skipped() {
        let (mut state, gate) = at(Phase::Implementation);
        assert_eq!(names(&state, &gate, Mode::Auto), ["part_2_3", "paused", "failed"]);
        set(&mut state, "progress.implementation_engine", "subagent");
        assert_eq!(names(&state, &gate, Mode::Auto), ["part_2_4", "paused", "failed"]);
        set(&mut state, "config.skip_testing", true);
        assert_eq!(names(&state, &gate, Mode::Auto), ["part_2_7", "paused", "failed"]);
        set(&mut state, "progress.repair_context", object([]));
        assert_eq!(
            names(&state, &gate, Mode::Auto),
            ["part_2_7", "routing", "paused", "failed"]
        );
    }

    #[test]
    fn a_plan_of_safe_mode_waits_for_the_user() {
        let (mut state, mut gate) = at(Phase::Solution);
        assert_eq!(
            names(&state, &gate, Mode::Safe),
            ["part_1_2", "awaiting_approval", "paused", "failed"]
        );
        set(&mut state, "progress.phase", "awaiting_approval");
        assert_eq!(names(&state, &gate, Mode::Safe), ["paused", "failed"]);
        gate.confirm_plan("user");
        assert_eq!(names(&state, &gate, Mode::Safe), ["part_2_1", "paused", "failed"]);
    }

    #[test]
    fn infeasible_rounds_end_in_the_plan() {
        let (mut state, mut gate) = at(Phase::Direction);
        set(&mut state, "progress.part1_round", 3);
        let to = go(&mut state, &mut gate, Mode::Auto, Phase::Requirements, None, NOW);
        assert_eq!(to.ok(), Some(Phase::Requirements));
        assert_eq!(number(&state, "progress.part1_round"), Some(4));
        set(&mut state, "progress.phase", "part_1_2");
        let to = go(&mut state, &mut gate, Mode::Auto, Phase::Requirements, None, NOW);
        assert_eq!(to.ok(), Some(Phase::Plan));
        assert_eq!(number(&state, "progress.part1_round"), Some(0));
    }

    #[test]
    fn a_failing_phase_is_tried_three_times() {
        for (phase, severity, then) in [
            (Phase::Direction, "p1", Phase::Solution),
            (Phase::Implementation, "p0", Phase::Paused),
        ] {
            let (mut state, mut gate) = at(phase);
            for _ in 0..2 {
                let stays = fail(&mut state, &mut gate, Mode::Auto, None, NOW);
                assert_eq!(stays.ok(), Some(phase));
            }
            let to = fail(&mut state, &mut gate, Mode::Auto, None, NOW);
            assert_eq!(to.ok(), Some(then));
            assert_eq!(
                number(&state, &format!("issues.all_time.{severity}_total")),
                Some(1)
            );
            let paused = then == Phase::Paused;
            assert_eq!(gate.status() == Some(Termination::Paused), paused);
        }
    }

    #[test]
    fn a_paused_loop_goes_on_where_it_was() {
        let (mut state, mut gate) = at(Phase::Tests);
        go(&mut state, &mut gate, Mode::Auto, Phase::Paused, None, NOW).expect("legal");
        go(&mut state, &mut gate, Mode::Auto, Phase::Tests, None, NOW).expect_err("only by resuming");
        let to = resume(&mut state, &mut gate, None, NOW);
        assert_eq!(to.ok(), Some(Phase::Tests));
        assert_eq!(gate.status(), Some(Termination::Running));
        resume(&mut state, &mut gate, None, NOW).expect_err("it runs");
    }

    #[test]
    fn issues_join_the_totals_when_the_plan_begins() {
        let (mut state, mut gate) = at(Phase::Solution);
        let issue = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
        let issues = vec![
            issue(r#""I-1""#),
            issue(r#"{"id":"I-2"}"#),
            issue(r#"{"id":"I-3","status":"resolved"}"#),
        ];
        set(&mut state, "issues.active.p1", issues);
        go(&mut state, &mut gate, Mode::Auto, Phase::Plan, None, NOW).expect("legal");
        assert_eq!(number(&state, "issues.all_time.p1_total"), Some(2));
        assert_eq!(
            number(&state, "progress.issues_snapshot_at_round_start.p1"),
            Some(2)
        );
        assert_eq!(list(&state, "issues.active.p1").map(Vec::len), Some(3));
    }
}
