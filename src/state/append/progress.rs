//! `update-progress` (state.md 8).

use super::Appended;
use crate::state::body::Form;
use crate::state::derive::{count, percent_at};
use crate::state::error::Error;
use crate::state::roadmap::Scope;
use crate::state::transition::{Deps, Draft, bar};

pub(in crate::state) fn update_progress(draft: &mut Draft, deps: &Deps<'_>) -> Result<Appended, Error> {
    let refused = |reason| {
        Ok(Appended::NoProgress {
            updated: false,
            reason,
        })
    };
    if deps.planning.scope()? != Scope::Complete {
        return refused("scope_not_complete");
    }
    let progress = count(&draft.body, &draft.front, deps.planning)?;
    // What the body says of plans, where no phases are, is none on disk.
    let plans = progress.total_plans.zip(progress.completed_plans);
    let Some((total, completed)) = plans.filter(|(total, _)| *total > 0) else {
        return refused("no_plans");
    };
    let Some(percent) = progress.percent else {
        return refused("percent_withheld");
    };
    let body = &mut draft.body;
    if !matches!(body.form("Progress"), Some(Form::Bold | Form::Plain)) {
        return refused("field_not_found");
    }
    let bar = bar(percent);
    let new = with_bar(body.value("Progress").unwrap_or_default(), &bar);
    body.set("Progress", &new);
    Ok(Appended::Progress {
        updated: true,
        percent,
        completed,
        total,
        bar,
    })
}

/// A text with its `[…] n%` or `n%` replaced; one that has neither is replaced whole.
fn with_bar(value: &str, bar: &str) -> String {
    let Some((number, _)) = percent_at(value) else {
        return bar.to_owned();
    };
    let before = &value[..number.start];
    let open = before
        .trim_end()
        .strip_suffix(']')
        .and_then(|inside| inside.rfind('['));
    format!(
        "{}{bar}{}",
        &before[..open.unwrap_or(number.start)],
        &value[number.end..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_around_stay() {
        for (value, expected) in [
            ("[###...] 9%", "BAR"),
            ("about [░░] 0% (plans)", "about BAR (plans)"),
            ("9% of [x]", "BAR of [x]"),
            ("now 12 % or 5%", "now 12 % or BAR"),
            ("TBD", "BAR"),
            ("", "BAR"),
        ] {
            assert_eq!(with_bar(value, "BAR"), expected, "{value}");
        }
    }
}
