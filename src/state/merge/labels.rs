//! The fields of the body. Those that repeat the front matter follow what was decided there (git.md 6, state.md 3).

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use super::GivenUp;
use super::choice::Choice;
use super::count::{count, number};
use super::front::{Decisions, activity, later, newest};
use super::version::Version;
use crate::markdown::three_way::Field;
use crate::state::body::Body;
use crate::state::meaning::Activity;
use crate::state::phases::fraction;
use crate::state::transition::bar;
use crate::text::{Span, js, lines};

/// What decides about a field that both sides changed.
#[derive(Clone, Copy)]
enum Policy {
    /// The front matter; if it does not, nobody.
    Curated(fn(&Decisions) -> Choice),
    /// The front matter, else the later of the two files.
    Session(fn(&Decisions) -> Choice),
    Activity,
    Later,
    Count,
    /// As [`Policy::Count`], and no more than another field says.
    CountUpTo(&'static str),
    /// The side that the phase is of, else as [`Policy::Count`].
    PlansOfPhase,
    Progress,
}

const FIELDS: [(&str, Policy); 18] = [
    ("Phase", Policy::Curated(|of| of.phase)),
    ("Current Phase", Policy::Curated(|of| of.phase)),
    ("Current focus", Policy::Curated(|of| of.phase)),
    ("Current Phase Name", Policy::Curated(|of| of.phase_name)),
    ("Plan", Policy::Curated(|of| of.plan)),
    ("Current Plan", Policy::Curated(|of| of.plan)),
    ("Status", Policy::Curated(|of| of.status)),
    ("Last activity", Policy::Activity),
    ("Last Activity Description", Policy::Activity),
    ("Total Phases", Policy::Count),
    ("Completed Phases", Policy::CountUpTo("Total Phases")),
    ("Total Plans in Phase", Policy::PlansOfPhase),
    ("Progress", Policy::Progress),
    ("Stopped At", Policy::Session(|of| of.stopped)),
    ("Paused At", Policy::Session(|of| of.paused)),
    ("Resume File", Policy::Session(|_| Choice::Alike)),
    ("Last session", Policy::Later),
    ("Last Date", Policy::Later),
];

/// Settles the fields of the body; first those above the position, where older files repeat it.
pub(super) fn settle(versions: &mut [Version; 3], decisions: &Decisions, given_up: &mut GivenUp) {
    let positions = versions.each_ref().map(|version| version.body.position());
    if positions[1].is_some() && positions[2].is_some() {
        let mut heads = std::array::from_fn(|i| {
            let end = positions[i].map_or(0, |position| position.start);
            Body::new(&versions[i].body.text()[..end])
        });
        settle_in(&mut heads, decisions, given_up);
        for ((version, head), position) in versions.iter_mut().zip(&heads).zip(positions) {
            let end = position.map_or(0, |position| position.start);
            version.body.splice(Span::new(0, end), head.text());
        }
    }
    let mut bodies = versions.each_ref().map(|version| version.body.clone());
    settle_in(&mut bodies, decisions, given_up);
    for (version, body) in versions.iter_mut().zip(bodies) {
        version.body = body;
    }
}

fn settle_in(bodies: &mut [Body; 3], decisions: &Decisions, given_up: &mut GivenUp) {
    let together = decisions.activity.or(|| activity(&activities(bodies)));
    for (label, policy) in FIELDS {
        let values = bodies.each_ref().map(|body| body.value(label).map(str::to_owned));
        let [_, Some(ours), Some(theirs)] = &values else {
            continue;
        };
        let own = Choice::changed(&values);
        let choice = match (policy, own) {
            (Policy::Progress, _) if decisions.percent.is_some() => Choice::Open,
            (Policy::Activity, Choice::Ours | Choice::Theirs | Choice::Open) => together.or(|| own),
            (_, Choice::Alike | Choice::Ours | Choice::Theirs)
            | (Policy::Count | Policy::CountUpTo(_), Choice::Open) => own,
            (Policy::Curated(of), Choice::Open) => of(decisions),
            (Policy::Session(of), Choice::Open) => of(decisions).or(|| newest(&values, decisions.newer)),
            (Policy::Later, Choice::Open) => later(Some(ours), Some(theirs)),
            (Policy::PlansOfPhase, Choice::Open) => decisions.phase,
            (Policy::Progress, Choice::Open) => decisions.progress,
        };
        let alike = |text: &String| [Some(text.clone()), Some(text.clone()), Some(text.clone())];
        let settled = match (choice, policy) {
            (Choice::Ours, _) => alike(ours),
            (Choice::Theirs, _) => alike(theirs),
            (Choice::Alike | Choice::Open, Policy::Count) => counted(&values, None),
            (Choice::Alike | Choice::Open, Policy::CountUpTo(total)) => {
                counted(&values, bodies[1].value(total).and_then(number))
            }
            // Ours is what both sides say.
            (Choice::Alike, _) if own == Choice::Alike => alike(ours),
            (Choice::Alike | Choice::Open, Policy::PlansOfPhase) => counted(&values, None),
            (Choice::Alike | Choice::Open, Policy::Progress) => {
                progress(&values, decisions.percent.or_else(|| of_phases(&bodies[1])))
            }
            (
                Choice::Alike | Choice::Open,
                Policy::Curated(_) | Policy::Session(_) | Policy::Activity | Policy::Later,
            ) => continue,
        };
        set(bodies, label, &settled, given_up);
    }
}

/// Writes values where they are other ones; into the base only what both sides then have.
fn set(bodies: &mut [Body; 3], label: &str, values: &[Option<String>; 3], given_up: &mut GivenUp) {
    for i in [1, 2, 0] {
        let Some(value) = &values[i] else { continue };
        let is_agreed = bodies[1].value(label) == bodies[2].value(label);
        let is_needed = bodies[i].value(label).is_some_and(|old| old != value);
        if !is_needed || (i == 0 && !is_agreed) {
            continue;
        }
        let before = bodies[i].text().to_owned();
        bodies[i].set(label, value);
        let changed = before
            .lines()
            .zip(bodies[i].text().lines())
            .find(|(old, new)| old != new);
        given_up.extend(changed.map(|(old, _)| old));
    }
}

fn activities(bodies: &[Body; 3]) -> [(Option<String>, Option<String>); 3] {
    bodies.each_ref().map(|body| {
        let activity = body.value("Last activity").map(Activity::of);
        let own = body.value("Last Activity Description").map(str::to_owned);
        match activity {
            Some(activity) => (Some(activity.when), own.or(activity.description)),
            None => (None, own),
        }
    })
}

/// The same number for all, where both sides have one.
fn counted(values: &[Option<String>; 3], most: Option<u64>) -> [Option<String>; 3] {
    let numbers = values.each_ref().map(|value| value.as_deref().and_then(number));
    let is_changed = numbers[0] != numbers[1] || numbers[0] != numbers[2];
    let both = numbers[1].is_some() && numbers[2].is_some();
    let number = if both && is_changed { count(numbers) } else { None };
    let text = number.map(|number| number.min(most.unwrap_or(u64::MAX)).to_string());
    [text.clone(), text.clone(), text]
}

static PERCENTAGE: LazyLock<Regex> = LazyLock::new(|| js(r"(\[[^\]]*\]\s*)?(\d{1,18})%"));

/// The percentage in each value, with its bar if it has one; other words stay.
fn progress(values: &[Option<String>; 3], computed: Option<u64>) -> [Option<String>; 3] {
    let percent = |value: &Option<String>| number(&PERCENTAGE.captures(value.as_ref()?)?[2]);
    let percents = values.each_ref().map(percent);
    let Some(percent) = computed
        .or_else(|| count(percents))
        .map(|percent| percent.min(100))
    else {
        return [None, None, None];
    };
    values.each_ref().map(|value| {
        let value = value.as_ref()?;
        let found = PERCENTAGE.captures(value)?;
        let new = if found.get(1).is_some() {
            bar(percent)
        } else {
            format!("{percent}%")
        };
        let at = found.get(0)?;
        Some(format!("{}{new}{}", &value[..at.start()], &value[at.end()..]))
    })
}

/// The percentage of completed phases, as the body counts them.
fn of_phases(body: &Body) -> Option<u64> {
    let number_of = |label| body.value(label).and_then(number);
    fraction(number_of("Completed Phases")?, number_of("Total Phases")?)
}

/// Lines that are fields, with the lines below that are none. None if the first is none, or a label comes twice.
pub(super) fn fields(text: &str) -> Option<Vec<Field>> {
    let mut fields: Vec<Field> = Vec::new();
    let mut seen = HashSet::new();
    for line in lines(text.as_bytes()) {
        let whole = &text.as_bytes()[line.span.start..line.next];
        match label(&text[line.span.start..line.span.end]) {
            Some(label) if !seen.insert(label) => return None,
            Some(label) => fields.push(Field {
                name: label.to_owned(),
                text: whole.to_vec(),
            }),
            None => fields.last_mut()?.text.extend_from_slice(whole),
        }
    }
    Some(fields)
}

/// The label of a line that is a field, bold or plain (state.md 3.2).
pub(super) fn label(line: &str) -> Option<&str> {
    let label = if let Some(bold) = line.strip_prefix("**") {
        bold.split_once(":**")?.0
    } else {
        let (label, value) = line.split_once(':')?;
        (value.is_empty() || value.starts_with([' ', '\t'])).then_some(label)?
    };
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '.' | '-' | '/');
    let begins = label.starts_with(char::is_alphabetic);
    (begins && label.chars().all(is_word) && label.len() <= 61).then_some(label)
}
