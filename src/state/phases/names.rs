//! Which files of a phase directory are plans, summaries and verifications, and which summary belongs to which plan
//! (state.md 5.6). Names only; case does not count.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::state::phase_id::PhaseId;
use crate::text::js;

static NESTED_PLAN: LazyLock<Regex> = LazyLock::new(|| js(r"^(?:.*-)?plan-\d"));
static NESTED_SUMMARY: LazyLock<Regex> = LazyLock::new(|| js(r"^(?:.*-)?summary-\d"));
static PLAN_NUMBER: LazyLock<Regex> = LazyLock::new(|| js(r"^-\d+\b"));

const PLAN: &str = "plan";
const SUMMARY: &str = "summary";

/// What a file of a phase is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Plan,
    Summary,
}

/// The role of a file in a phase directory itself.
pub(super) fn role(name: &str) -> Option<Role> {
    let stem = document(name)?;
    if is_summary(&stem) {
        Some(Role::Summary)
    } else if stem.contains(PLAN) && !is_look_alike(&stem) {
        Some(Role::Plan)
    } else {
        None
    }
}

/// The role of a file in the `plans/` folder of a phase directory.
pub(super) fn nested_role(name: &str) -> Option<Role> {
    let stem = document(name)?;
    if is_summary(&stem) || NESTED_SUMMARY.is_match(&stem) {
        Some(Role::Summary)
    } else if NESTED_PLAN.is_match(&stem) && !is_look_alike(&stem) {
        Some(Role::Plan)
    } else {
        None
    }
}

/// Whether a file of a phase directory says how its verification went.
pub(super) fn is_verification(name: &str) -> bool {
    document(name).is_some_and(|stem| stem.contains("verification"))
}

/// The name of a Markdown file without its extension, in lower case.
fn document(name: &str) -> Option<String> {
    let name = name.to_lowercase();
    name.strip_suffix(".md").map(str::to_owned)
}

fn is_summary(stem: &str) -> bool {
    stem == SUMMARY || stem.ends_with("-summary")
}

fn is_look_alike(stem: &str) -> bool {
    ["-outline", ".pre-bounce", "-plan-review"]
        .iter()
        .any(|end| stem.ends_with(end))
}

/// The names of summaries, as plans look for them.
#[derive(Clone, Debug, Default)]
pub(super) struct Summaries(BTreeSet<String>);

impl Summaries {
    pub(super) fn add(&mut self, name: &str) {
        self.0.extend(document(name));
    }

    /// Whether one of them is that of a plan: its name with PLAN replaced by SUMMARY, its name plus `-SUMMARY`, or its
    /// phase and plan numbers plus `-SUMMARY`.
    pub(super) fn has_that_of(&self, plan: &str) -> bool {
        let Some(plan) = document(plan) else {
            return false;
        };
        let replaced =
            |(at, word): (usize, &str)| format!("{}{SUMMARY}{}", &plan[..at], &plan[at + word.len()..]);
        plan.match_indices(PLAN)
            .map(replaced)
            .any(|name| self.0.contains(&name))
            || self.0.contains(&format!("{plan}-{SUMMARY}"))
            || numbers(&plan).is_some_and(|numbers| self.0.contains(&format!("{numbers}-{SUMMARY}")))
    }
}

/// The `<phase>-<plan>` that a name begins with.
fn numbers(stem: &str) -> Option<&str> {
    let phase = PhaseId::leading(stem)?;
    let plan = PLAN_NUMBER.find(phase.rest)?;
    Some(&stem[..stem.len() - phase.rest.len() + plan.end()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_and_summaries_are_told_by_their_names() {
        for (name, expected) in [
            ("PLAN.md", Some(Role::Plan)),
            ("01-01-PLAN.md", Some(Role::Plan)),
            ("01-PLAN-hull.md", Some(Role::Plan)),
            ("01-plan.md", Some(Role::Plan)),
            ("planning notes.md", Some(Role::Plan)),
            ("SUMMARY.md", Some(Role::Summary)),
            ("01-01-SUMMARY.md", Some(Role::Summary)),
            ("01-01-PLAN-SUMMARY.md", Some(Role::Summary)),
            ("01-VERIFICATION.md", None),
            ("01-01-PLAN-OUTLINE.md", None),
            ("01-01-PLAN.pre-bounce.md", None),
            ("01-01-PLAN-REVIEW.md", None),
            ("01-01-PLAN.md.bak", None),
            ("01-CONTEXT.md", None),
            ("SUMMARY-01.md", None),
            ("01-SUMMARY.txt", None),
            ("plan.txt", None),
        ] {
            assert_eq!(role(name), expected, "{name}");
        }
    }

    #[test]
    fn a_verification_has_the_word_in_its_name() {
        for name in [
            "01-VERIFICATION.md",
            "VERIFICATION-2.md",
            "02-mast-VERIFICATION-REPORT.md",
        ] {
            assert!(is_verification(name), "{name}");
        }
        assert!(!is_verification("01-VERIFICATION.txt") && !is_verification("01-verify.md"));
    }

    #[test]
    fn a_plans_folder_has_names_of_its_own() {
        for (name, expected) in [
            ("PLAN-01-hull.md", Some(Role::Plan)),
            ("PLAN-1.md", Some(Role::Plan)),
            ("01-PLAN-02-deck.md", Some(Role::Plan)),
            ("SUMMARY-01-hull.md", Some(Role::Summary)),
            ("01-SUMMARY-02.md", Some(Role::Summary)),
            ("PLAN-01-hull-SUMMARY.md", Some(Role::Summary)),
            ("PLAN-01-OUTLINE.md", None),
            ("PLAN-01.pre-bounce.md", None),
            ("PLAN.md", None),
            ("01-01-PLAN.md", None),
            ("PLAN-hull.md", None),
            ("MYPLAN-01.md", None),
        ] {
            assert_eq!(nested_role(name), expected, "{name}");
        }
    }

    #[test]
    fn a_summary_belongs_to_a_plan_by_one_of_three_names() {
        let is_done = |plan: &str, summary: &str| {
            let mut summaries = Summaries::default();
            summaries.add(summary);
            summaries.has_that_of(plan)
        };
        for (plan, summary) in [
            ("PLAN.md", "SUMMARY.md"),
            ("01-02-PLAN.md", "01-02-SUMMARY.md"),
            ("PLAN-01-hull.md", "SUMMARY-01-hull.md"),
            ("planning-PLAN.md", "planning-SUMMARY.md"),
            ("01-02-PLAN.md", "01-02-PLAN-SUMMARY.md"),
            ("01-plan-hull.md", "01-plan-hull-SUMMARY.md"),
            ("01-02-hull-PLAN.md", "01-02-SUMMARY.md"),
            ("01.1-02-hull-PLAN.md", "01.1-02-SUMMARY.md"),
            ("PROJ-02a-03-x-PLAN.md", "PROJ-02a-03-SUMMARY.md"),
        ] {
            assert!(is_done(plan, summary), "{plan} {summary}");
        }
        for (plan, summary) in [
            ("01-02-PLAN.md", "01-09-SUMMARY.md"),
            ("01-02-hull-PLAN.md", "01-02-deck-SUMMARY.md"),
            ("01-02-hull-PLAN.md", "01-SUMMARY.md"),
            ("01-02b-PLAN.md", "01-02-SUMMARY.md"),
            ("hull-PLAN.md", "SUMMARY.md"),
        ] {
            assert!(!is_done(plan, summary), "{plan} {summary}");
        }
    }
}
