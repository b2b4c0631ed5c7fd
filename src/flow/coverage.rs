//! Which scenarios of a module have their document (flow.md 5.2 and 6.2).

use serde::Serialize;

use crate::files::RepoPath;
use crate::project::Registry;

/// How many scenarios of a module have their document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Coverage {
    pub total: usize,
    pub covered: usize,
    /// Ids, in file order.
    pub missing: Vec<String>,
}

impl Coverage {
    /// Counts the scenarios of `module` that a file of `files` is for, as `fits` has it.
    pub(super) fn count(
        registry: &Registry,
        module: &str,
        files: &[RepoPath],
        fits: impl Fn(&str) -> bool,
    ) -> Self {
        let names: Vec<_> = files
            .iter()
            .map(RepoPath::text)
            .filter(|name| fits(name))
            .collect();
        let ids = registry
            .scenarios
            .iter()
            .filter(|s| s.module_id() == module)
            .map(|s| s.id.as_str());
        let (mut total, mut missing) = (0, Vec::new());
        for id in ids {
            total += 1;
            let mark = format!("{module}-{id}");
            if !names.iter().any(|name| names_scenario(name, &mark)) {
                missing.push(id.to_owned());
            }
        }
        Self {
            total,
            covered: total - missing.len(),
            missing,
        }
    }

    /// The coverage rule (flow.md 5.2).
    pub(super) fn suffices(&self, threshold: Option<f64>) -> bool {
        // Scenarios are far fewer than a double counts exactly.
        #[allow(clippy::cast_precision_loss)]
        let share = self.covered as f64 / self.total as f64;
        self.total > 0 && threshold.map_or(self.missing.is_empty(), |least| share >= least)
    }
}

/// Whether a file name holds the mark of a scenario, and not that of a longer id (flow.md 21 row 3).
fn names_scenario(name: &str, mark: &str) -> bool {
    let ends = |at: usize| name[at..].chars().next().is_none_or(|c| !c.is_alphanumeric());
    name.match_indices(mark).any(|(at, _)| ends(at + mark.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_is_not_covered_by_a_longer_id() {
        assert!(names_scenario("till-S1-a.md", "till-S1") && names_scenario("till-S1", "till-S1"));
        assert!(!names_scenario("till-S10-a.md", "till-S1"));
        assert!(names_scenario("x/till-S10-till-S1_a.md", "till-S1"));
    }

    #[test]
    fn without_scenarios_nothing_is_covered() {
        let none = Coverage {
            total: 0,
            covered: 0,
            missing: Vec::new(),
        };
        assert!(!none.suffices(None) && !none.suffices(Some(0.1)));
        let half = Coverage {
            total: 2,
            covered: 1,
            missing: vec!["S1".to_owned()],
        };
        assert!(half.suffices(Some(0.5)) && !half.suffices(Some(0.51)) && !half.suffices(None));
    }
}
