//! Stored and derived front matter become one, by the table of policies (state.md 6).

use super::body::Body;
use super::derive::{Derived, progress_value, stored_progress};
use super::front::{Entry, FrontMatter, Value};
use super::planning::Progress;
use super::policy::{FIELDS, Field, OLD_VERSION_KEY, PROGRESS, Preservation, VERSION_KEY};
use crate::text::is_blank;

/// Whether a command looks at the disk for its progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Resync {
    /// The derived block.
    #[default]
    Derive,
    /// The stored block, whole.
    Keep,
    /// Derived totals; completed counts never fall.
    Ratchet,
}

/// What a transition declares of the front matter.
#[derive(Clone, Debug, Default)]
pub struct Touch {
    pub resync: Resync,
    /// Values that win over everything.
    pub authoritative: Vec<(&'static str, String)>,
    /// Stored values stand only where the body gives none.
    pub body_wins: bool,
}

/// A stored value that stands although the body says something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    pub key: &'static str,
    pub stored: String,
    pub body: String,
}

/// The front matter of a write that made `after` of `before`, and what of it the body contradicts.
pub fn settle(
    stored: &FrontMatter,
    derived: &Derived,
    (before, after): (&Body, &Body),
    touch: &Touch,
) -> (FrontMatter, Vec<Disagreement>) {
    let mut settled = FrontMatter::default();
    let mut disagreements = Vec::new();
    let milestone = keeps_milestone(stored, derived);
    for field in FIELDS {
        let key = version_key(stored, field.key);
        if field.preservation == Preservation::Always {
            if let Some(value) = progress(stored, &derived.progress, touch) {
                settled.entries.push(entry(stored, key, value));
            }
            continue;
        }
        let given = touch.authoritative.iter().find(|(key, _)| *key == field.key);
        let text = match given {
            Some((_, given)) => Some(given.as_str()),
            None => choose(
                &field,
                stored,
                derived,
                (before, after),
                touch.body_wins,
                milestone,
            ),
        };
        let Some(text) = text.filter(|text| !is_blank(text)) else {
            continue;
        };
        if given.is_none() {
            disagreements.extend(disagreement(field.key, text, derived));
        }
        settled
            .entries
            .push(entry(stored, key, Value::Text(text.to_owned())));
    }
    let is_known = |key: &str| key == OLD_VERSION_KEY || FIELDS.iter().any(|field| field.key == key);
    let others = stored.entries.iter().filter(|entry| !is_known(&entry.key));
    settled.entries.extend(others.cloned());
    // What was said before a key that is gone goes to the end.
    let gone = stored
        .entries
        .iter()
        .filter(|old| is_known(&old.key) && settled.get(&old.key).is_none());
    let said: Vec<String> = gone.flat_map(Entry::comments).collect();
    settled.trailing.extend(said);
    settled.trailing.extend(stored.trailing.iter().cloned());
    (settled, disagreements)
}

/// The name under which the version key of a file is known.
pub fn version_key(stored: &FrontMatter, key: &'static str) -> &'static str {
    if key == VERSION_KEY && stored.get(OLD_VERSION_KEY).is_some() {
        OLD_VERSION_KEY
    } else {
        key
    }
}

/// A new value in the place of an old one: comments stay, and so does what the value was written as, if it is the same.
fn entry(stored: &FrontMatter, key: &str, value: Value) -> Entry {
    match stored.entry(key) {
        Some(old) if old.value == value => old.clone(),
        Some(old) => Entry::new(key, value).after(old.before.clone()),
        None => Entry::new(key, value),
    }
}

fn choose<'v>(
    field: &Field,
    stored: &'v FrontMatter,
    derived: &'v Derived,
    (before, after): (&Body, &Body),
    body_wins: bool,
    keeps_milestone: bool,
) -> Option<&'v str> {
    let own = derived.text(field.key);
    let kept = stored.stored(field.key);
    match field.preservation {
        Preservation::IfPlaceholder if keeps_milestone => kept,
        // Where no roadmap is, a stored version stays (U08).
        Preservation::IfPlaceholder if field.key == "milestone" => own.or(kept),
        Preservation::IfPlaceholder | Preservation::Derive | Preservation::Always => own,
        Preservation::WhenUnchanged => {
            let worth = kept.filter(|kept| (field.guard)(kept));
            let gives = own.is_some_and(|own| (field.guard)(own));
            let kept = if body_wins {
                worth.filter(|_| !gives && field.key != "last_activity_desc")
            } else {
                field.kept(kept, before, after)
            };
            // What the body cannot tell never takes the place of what is known.
            kept.or(own.filter(|_| gives))
                .or_else(|| worth.filter(|_| own.is_some()))
                .or(own)
        }
    }
}

/// Whether version and name stay as they are stored: the roadmap has no name worth the word, and they have.
fn keeps_milestone(stored: &FrontMatter, derived: &Derived) -> bool {
    let is_real = |name: Option<&str>| {
        name.is_some_and(|name| {
            !is_blank(name)
                && name != "milestone"
                && !name.starts_with(|c: char| matches!(c, '-' | '—' | '–' | ':') || c.is_whitespace())
        })
    };
    !is_real(derived.milestone_name.as_deref()) && is_real(stored.text("milestone_name"))
}

fn progress(stored: &FrontMatter, derived: &Progress, touch: &Touch) -> Option<Value> {
    let old = stored.get("progress");
    let numbers = match touch.resync {
        Resync::Keep if old.is_some() => return old.cloned(),
        Resync::Keep | Resync::Derive => derived.clone(),
        Resync::Ratchet => {
            let known = stored_progress(stored);
            Progress {
                completed_phases: known.completed_phases.max(derived.completed_phases),
                completed_plans: known.completed_plans.max(derived.completed_plans),
                ..derived.clone()
            }
        }
    };
    let mut value = progress_value(&numbers);
    if value.is_none() && touch.body_wins {
        return old.cloned();
    }
    // Comments inside the block, and keys that are not ours, stay.
    if let Some(Value::Block(before)) = old {
        let others = before
            .iter()
            .filter(|entry| !PROGRESS.contains(&entry.key.as_str()));
        let mut entries = match value {
            Some(Value::Block(entries)) => entries,
            _ => Vec::new(),
        };
        for entry in &mut entries {
            if let Some(known) = before.iter().find(|known| known.key == entry.key) {
                entry.before.clone_from(&known.before);
            }
        }
        entries.extend(others.cloned());
        // What was said before a number that is gone goes to the head of the block.
        let is_gone = |old: &&Entry| {
            PROGRESS.contains(&old.key.as_str()) && !entries.iter().any(|entry| entry.key == old.key)
        };
        let said: Vec<String> = before.iter().filter(is_gone).flat_map(Entry::comments).collect();
        if let Some(first) = entries.first_mut() {
            first.before.splice(0..0, said);
        }
        value = (!entries.is_empty()).then_some(Value::Block(entries));
    }
    value
}

fn disagreement(key: &'static str, settled: &str, derived: &Derived) -> Option<Disagreement> {
    if !matches!(key, "status" | "stopped_at" | "current_phase_name") {
        return None;
    }
    let body = derived
        .text(key)
        .filter(|body| *body != "unknown" && *body != settled)?;
    Some(Disagreement {
        key,
        stored: settled.to_owned(),
        body: body.to_owned(),
    })
}
