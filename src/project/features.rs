//! Which scenarios belong to which feature of a module (logos-project.md 11.1). What no feature takes is kept in a bucket.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::{Feature, Registry, Scenario};

/// The id of the bucket of scenarios that no registered feature of their module takes; no feature can have it.
pub const UNGROUPED_ID: &str = "__ungrouped__";
/// Its name, in every language.
pub const UNGROUPED_NAME: &str = "未分组";

/// A feature with its members, keys in contract order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FeatureGroup {
    pub id: String,
    pub name: String,
    pub spec: Option<String>,
    /// In file order.
    pub scenarios: Vec<Member>,
}

/// A scenario of a feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Member {
    pub id: String,
    /// The scenario's name, else its id.
    pub name: String,
}

/// The features of one module, keys in contract order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModuleFeatures {
    pub id: String,
    pub name: String,
    pub features: Vec<FeatureGroup>,
}

/// The scenarios and registered features of a registry by the module that they belong to, in file order. Of entries
/// with one id only the first of the whole project is registered.
#[derive(Debug)]
pub struct Grouping<'r> {
    registry: &'r Registry,
    features: HashMap<&'r str, Vec<&'r Feature>>,
    scenarios: HashMap<&'r str, Vec<&'r Scenario>>,
}

impl<'r> Grouping<'r> {
    pub fn of(registry: &'r Registry) -> Self {
        let mut seen = HashSet::new();
        let first = registry.features.iter().filter(|f| seen.insert(f.id.as_str()));
        let mut features: HashMap<_, Vec<_>> = HashMap::new();
        for feature in first {
            features.entry(feature.module.as_str()).or_default().push(feature);
        }
        let mut scenarios: HashMap<_, Vec<_>> = HashMap::new();
        for scenario in &registry.scenarios {
            scenarios.entry(scenario.module_id()).or_default().push(scenario);
        }
        Self {
            registry,
            features,
            scenarios,
        }
    }

    pub fn scenarios(&self, module: &str) -> &[&'r Scenario] {
        self.scenarios.get(module).map_or(&[], Vec::as_slice)
    }

    pub fn features(&self, module: &str) -> &[&'r Feature] {
        self.features.get(module).map_or(&[], Vec::as_slice)
    }

    /// The registered features of a module, also those without members, then the bucket if it holds any.
    pub fn group(&self, module: &str) -> Vec<FeatureGroup> {
        let registered = self.features(module);
        let places: HashMap<&str, usize> = registered
            .iter()
            .enumerate()
            .map(|(at, feature)| (feature.id.as_str(), at))
            .collect();
        let (mut taken, mut rest) = (vec![Vec::new(); registered.len()], Vec::new());
        for scenario in self.scenarios(module) {
            let feature = scenario.feature.as_deref();
            match feature.and_then(|id| places.get(id)) {
                Some(at) => taken[*at].push(member(scenario)),
                None => rest.push(member(scenario)),
            }
        }
        let mut groups: Vec<FeatureGroup> = registered
            .iter()
            .zip(taken)
            .map(|(feature, scenarios)| FeatureGroup {
                id: feature.id.clone(),
                name: feature.name.clone(),
                spec: feature.spec.clone(),
                scenarios,
            })
            .collect();
        if !rest.is_empty() {
            groups.push(FeatureGroup {
                id: UNGROUPED_ID.to_owned(),
                name: UNGROUPED_NAME.to_owned(),
                spec: None,
                scenarios: rest,
            });
        }
        groups
    }

    /// The features of all modules: the registered ones in file order; where none is registered those that scenarios
    /// name, in order of appearance.
    pub fn by_module(&self) -> Vec<ModuleFeatures> {
        let of = |id: &str, name: &str| ModuleFeatures {
            id: id.to_owned(),
            name: name.to_owned(),
            features: self.group(id),
        };
        let registered = self.registry.registered();
        if !registered.is_empty() {
            return registered.iter().map(|m| of(&m.id, &m.name)).collect();
        }
        let mut seen = HashSet::new();
        let named = self.registry.scenarios.iter().map(Scenario::module_id);
        named.filter(|id| seen.insert(*id)).map(|id| of(id, id)).collect()
    }
}

fn member(scenario: &Scenario) -> Member {
    Member {
        id: scenario.id.clone(),
        name: scenario.shown_name().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grouped(yaml: &str, module: &str) -> Vec<(String, Vec<String>)> {
        let groups = Grouping::of(&Registry::parse(yaml.as_bytes())).group(module);
        let ids = |g: FeatureGroup| g.scenarios.into_iter().map(|s| s.id).collect();
        groups.into_iter().map(|g| (g.id.clone(), ids(g))).collect()
    }

    fn pairs(expected: &[(&str, &[&str])]) -> Vec<(String, Vec<String>)> {
        let texts = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
        expected
            .iter()
            .map(|(id, members)| ((*id).to_owned(), texts(members)))
            .collect()
    }

    const YAML: &str = "modules: [{id: core, name: C}, {id: tide, name: T}]\n\
        features:\n- {id: F2, name: B, module: core}\n- {id: F1, name: A, module: core}\n\
        - {id: F1, name: Again, module: tide}\n- {id: F3, name: T, module: tide}\n\
        scenarios:\n- {id: S3, feature: F1}\n- {id: S1, module: core, feature: F1}\n- {id: S2, feature: F3}\n\
        - {id: S4, feature: F9}\n- {id: S5}\n- {id: S6, module: tide, feature: F1}\n";

    #[test]
    fn features_and_members_stand_in_file_order_and_the_bucket_last() {
        assert_eq!(
            grouped(YAML, "core"),
            pairs(&[
                ("F2", &[]),
                ("F1", &["S3", "S1"]),
                (UNGROUPED_ID, &["S2", "S4", "S5"])
            ])
        );
    }

    #[test]
    fn an_id_that_another_module_has_first_is_not_registered_again() {
        assert_eq!(
            grouped(YAML, "tide"),
            pairs(&[("F3", &[]), (UNGROUPED_ID, &["S6"])])
        );
    }

    #[test]
    fn a_feature_cannot_take_the_place_of_the_bucket() {
        let yaml = "scenarios: [{id: S1, feature: __ungrouped__}]\n";
        assert_eq!(grouped(yaml, "core"), pairs(&[(UNGROUPED_ID, &["S1"])]));
    }

    #[test]
    fn without_modules_those_of_scenarios_count_in_order_of_appearance() {
        for modules in ["", "modules: []\n"] {
            let yaml =
                format!("{modules}scenarios: [{{id: S1, module: z}}, {{id: S2}}, {{id: S3, module: z}}]\n");
            let all = Grouping::of(&Registry::parse(yaml.as_bytes())).by_module();
            let ids: Vec<_> = all.iter().map(|m| (m.id.as_str(), m.name.as_str())).collect();
            assert_eq!(ids, [("z", "z"), ("core", "core")]);
        }
    }
}
