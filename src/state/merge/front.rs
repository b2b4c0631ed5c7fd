//! The front matter: each key by its policy (git.md 6, state.md 2.1).

use std::collections::HashSet;

use super::choice::Choice;
use super::version::Version;
use super::{GivenUp, progress};
use crate::clock::instant;
use crate::markdown::three_way::Field;
use crate::state::front::top_key;
use crate::state::meaning::is_date;
use crate::text::{Bytes, is_blank_line, lines};

/// What was decided, for the fields of the body that say the same.
#[derive(Default)]
pub(super) struct Decisions {
    /// The side that was written later.
    pub(super) newer: Choice,
    pub(super) activity: Choice,
    pub(super) status: Choice,
    pub(super) phase: Choice,
    pub(super) phase_name: Choice,
    pub(super) plan: Choice,
    pub(super) stopped: Choice,
    pub(super) paused: Choice,
    pub(super) progress: Choice,
    /// The percentage, where it was computed from what both sides did.
    pub(super) percent: Option<u64>,
}

/// The keys with their lines and the comments above: a key begins in column one, and what is indented or an item belongs
/// to it (state.md 2.2). None if a key is repeated, or a line belongs to none.
pub(super) fn keyed(front: &[u8]) -> Option<Vec<Field>> {
    let mut fields: Vec<Field> = Vec::new();
    let mut seen = HashSet::new();
    let mut waiting = Bytes::new();
    for line in lines(front) {
        let (text, whole) = (line.span.of(front), &front[line.span.start..line.next]);
        if is_between(text) {
            waiting.extend_from_slice(whole);
        } else if let Some(name) = key(text) {
            if !seen.insert(name.clone()) {
                return None;
            }
            let mut lines = std::mem::take(&mut waiting);
            lines.extend_from_slice(whole);
            fields.push(Field { name, text: lines });
        } else {
            let belongs = text.starts_with(b" ") || text.starts_with(b"\t") || text.starts_with(b"-");
            let field = fields.last_mut().filter(|_| belongs)?;
            // Blank lines and comments in the midst of a value are part of it.
            field.text.append(&mut waiting);
            field.text.extend_from_slice(whole);
        }
    }
    match fields.last_mut() {
        Some(last) => last.text.append(&mut waiting),
        None if waiting.is_empty() => {}
        None => return None,
    }
    Some(fields)
}

/// Whether a line is a comment or blank, and so goes with the key that follows.
pub(super) fn is_between(line: &[u8]) -> bool {
    line.starts_with(b"#") || is_blank_line(line)
}

fn key(line: &[u8]) -> Option<String> {
    top_key(&String::from_utf8_lossy(line)).map(str::to_owned)
}

/// Settles the keys that have a policy, and says what was decided of those that the body repeats.
pub(super) fn settle(versions: &mut [Version; 3], given_up: &mut GivenUp) -> Decisions {
    if versions.iter().any(|version| version.fields.is_none()) {
        return Decisions::default();
    }
    let texts = |key: &str| versions.each_ref().map(|version| version.text(key));
    let changed = |key: &str| Choice::changed(&texts(key));
    let [_, ours, theirs] = texts("last_updated");
    let newer = later(ours.as_deref(), theirs.as_deref());
    let pairs = [texts("last_activity"), texts("last_activity_desc")];
    let mut decisions = Decisions {
        newer,
        activity: activity(&std::array::from_fn(|i| {
            (pairs[0][i].clone(), pairs[1][i].clone())
        })),
        status: changed("status"),
        phase: changed("current_phase"),
        phase_name: changed("current_phase_name"),
        plan: changed("current_plan"),
        stopped: newest(&texts("stopped_at"), newer),
        paused: newest(&texts("paused_at"), newer),
        progress: Choice::Alike,
        percent: None,
    };
    let is_stamp_apart = changed("state_head") != Choice::Alike;
    let milestone = changed("milestone");
    for (key, choice) in [
        ("last_updated", decisions.newer),
        ("last_activity", decisions.activity),
        ("last_activity_desc", decisions.activity),
        ("stopped_at", decisions.stopped),
        ("paused_at", decisions.paused),
    ] {
        take(versions, key, choice, given_up);
    }
    if is_stamp_apart {
        drop_key(versions, "state_head", &[0, 1, 2], given_up);
    }
    (decisions.progress, decisions.percent) = progress::settle(versions, milestone, given_up);
    decisions
}

/// The later of two instants; what is none is earlier than any.
pub(super) fn later(ours: Option<&str>, theirs: Option<&str>) -> Choice {
    let rank = |text: Option<&str>| (text.and_then(instant), text.map(str::to_owned));
    Choice::greater(&rank(ours), &rank(theirs))
}

/// The later of two days with what was done on them; of one day that of the side that changed it, else the greater text.
pub(super) fn activity(pairs: &[(Option<String>, Option<String>); 3]) -> Choice {
    let day = |pair: &(Option<String>, Option<String>)| {
        let day = pair.0.as_ref()?.get(..10)?;
        is_date(day).then(|| day.to_owned())
    };
    Choice::greater(&day(&pairs[1]), &day(&pairs[2]))
        .or(|| Choice::changed(pairs))
        .or(|| Choice::greater(&pairs[1], &pairs[2]))
}

/// The side that changed a value; if both did, the one written later, else the greater text.
pub(super) fn newest(values: &[Option<String>; 3], newer: Choice) -> Choice {
    match Choice::changed(values) {
        Choice::Open => newer.or(|| Choice::greater(&values[1], &values[2])),
        decided @ (Choice::Alike | Choice::Ours | Choice::Theirs) => decided,
    }
}

/// Makes both sides say what the chosen one says.
pub(super) fn take(versions: &mut [Version; 3], key: &str, choice: Choice, given_up: &mut GivenUp) {
    let Some((chosen, other)) = choice.sides() else {
        return;
    };
    match versions[chosen].lines(key) {
        None => drop_key(versions, key, &[0, other], given_up),
        // As if only this side had ever had it.
        Some(_) if versions[other].field(key).is_none() => drop_key(versions, key, &[0], given_up),
        Some(lines) => {
            for version in [0, other] {
                let old = versions[version].replace(key, &lines);
                given_up.extend(old);
            }
        }
    }
}

fn drop_key(versions: &mut [Version; 3], key: &str, from: &[usize], given_up: &mut GivenUp) {
    for version in from {
        let old = versions[*version].remove(key);
        given_up.extend(old);
    }
}
