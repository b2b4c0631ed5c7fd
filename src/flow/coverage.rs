//! Which scenarios of a module have their document (flow.md 5.2 and 6.2).

use std::collections::{BTreeSet, HashSet};

use serde::Serialize;

use crate::project::{Registry, Scenario};

/// How many scenarios of a module have their document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Coverage {
    pub total: usize,
    pub covered: usize,
    /// Ids, in file order.
    pub missing: Vec<String>,
}

impl Coverage {
    /// Which of these scenarios of `module` have a file, going by the marks found.
    pub(super) fn of(module: &str, scenarios: &[&Scenario], found: &Found) -> Self {
        let missing: Vec<String> = scenarios
            .iter()
            .filter(|scenario| !found.has(module, &scenario.id))
            .map(|scenario| scenario.id.clone())
            .collect();
        Self {
            total: scenarios.len(),
            covered: scenarios.len() - missing.len(),
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

/// What a file is called that is for a scenario: `<module>-<id>`, somewhere in its path.
fn mark(module: &str, id: &str) -> String {
    format!("{module}-{id}")
}

/// The marks of all scenarios of a project, to be looked for in file names.
pub(super) struct Marks {
    all: HashSet<String>,
    /// How long they are: all that a name has to be cut into.
    lengths: BTreeSet<usize>,
}

impl Marks {
    pub(super) fn of(registry: &Registry) -> Self {
        let scenarios = registry.scenarios.iter();
        let all: HashSet<String> = scenarios.map(|s| mark(s.module_id(), &s.id)).collect();
        let lengths = all.iter().map(String::len).collect();
        Self { all, lengths }
    }

    /// The marks that stand in one of the names.
    pub(super) fn find<N: AsRef<str>>(&self, names: impl Iterator<Item = N>) -> Found {
        let mut found = HashSet::new();
        for name in names {
            let name = name.as_ref();
            for end in ends(name) {
                let starts = self.lengths.iter().map_while(|length| end.checked_sub(*length));
                let cut = starts.filter_map(|start| name.get(start..end));
                found.extend(cut.filter_map(|part| self.all.get(part)).cloned());
            }
        }
        Found(found)
    }
}

/// Where a mark may end in a name: not within a longer id (flow.md 21 row 3).
fn ends(name: &str) -> impl Iterator<Item = usize> {
    let after = name.char_indices().filter(|(_, c)| !c.is_alphanumeric());
    after.map(|(at, _)| at).chain([name.len()])
}

/// Marks that stand in names.
#[derive(Debug, Default)]
pub(super) struct Found(HashSet<String>);

impl Found {
    fn has(&self, module: &str, id: &str) -> bool {
        !self.0.is_empty() && self.0.contains(&mark(module, id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_is_not_covered_by_a_longer_id() {
        let registry = Registry::parse(
            "scenarios: [{id: S1, module: till}, {id: S10, module: till}, {id: S-名, module: till}]"
                .as_bytes(),
        );
        let marks = Marks::of(&registry);
        let found = |name: &str| {
            let mut found: Vec<_> = marks.find([name].iter()).0.into_iter().collect();
            found.sort();
            found
        };
        assert_eq!(found("till-S1-a.md"), ["till-S1"]);
        assert_eq!(found("till-S1"), ["till-S1"]);
        assert_eq!(found("x/till-S10-till-S1_a.md"), ["till-S1", "till-S10"]);
        assert_eq!(found("名till-S-名.md"), ["till-S-名"]);
        assert_eq!(found("till-S-名名-till-S11.md"), [""; 0]);
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
