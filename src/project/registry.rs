//! `logos/logos-project.yaml` (logos-project.md 4): what is read of it, and what is left of a damaged file.

use std::collections::HashMap;

use super::layout;
use crate::files::{ReadError, Tree};
use crate::say;
use crate::voice::{Say, Voice};
use crate::yaml::{self, Value};

/// The registry. Entries that miss a required field are not in it; of a damaged file it holds what could be saved.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    /// None without a list of modules; an empty list is a list.
    pub modules: Option<Vec<Module>>,
    pub scenarios: Vec<Scenario>,
    pub features: Vec<Feature>,
    /// By module id.
    gates: HashMap<String, Gate>,
    baseline_index: HashMap<String, BaselineIndex>,
    /// Counters are read from a healthy file only.
    pub scenario_next: Option<u64>,
    pub feature_next: Option<u64>,
    pub decision_next: Option<u64>,
    /// None for a healthy or missing file.
    pub diagnostics: Option<Diagnostics>,
}

/// One entry of `modules`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    pub id: String,
    pub name: String,
    pub launched: bool,
    /// Bootstrapped from an existing code base: `adopted`, or the older `skipped`.
    pub adopted: bool,
    pub skip_phases: Vec<String>,
    pub deployment_required: Option<bool>,
    pub smoke_required: Option<bool>,
    /// Any string; not checked.
    pub product_type: Option<String>,
    pub baseline_seed_state: Option<SeedState>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedState {
    Required,
    Partial,
    Seeded,
}

impl SeedState {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Partial => "partial",
            Self::Seeded => "seeded",
        }
    }

    /// The state that a word of the registry stands for.
    pub fn of(word: &str) -> Option<Self> {
        let all = [Self::Required, Self::Partial, Self::Seeded];
        all.into_iter().find(|state| state.as_str() == word)
    }
}

/// One entry of `scenarios`. A scenario without module belongs to `core`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scenario {
    pub id: String,
    pub name: Option<String>,
    pub module: Option<String>,
    pub feature: Option<String>,
}

impl Scenario {
    /// The module that it belongs to: `core` where it names none.
    pub fn module_id(&self) -> &str {
        self.module.as_deref().unwrap_or("core")
    }

    /// Its name, else its id.
    pub fn shown_name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.id)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Feature {
    pub id: String,
    pub name: String,
    pub module: String,
    pub spec: Option<String>,
}

/// One entry of `deployment_gates`; it overrides the flags of its module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gate {
    pub deployment_required: Option<bool>,
    pub smoke_required: Option<bool>,
    pub environments: Option<Vec<String>>,
}

/// Whether a module is deployed and smoke-tested, as far as the registry says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeploymentFlags {
    pub deployment_required: Option<bool>,
    pub smoke_required: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct BaselineIndex {
    pub source_hash: Option<String>,
    pub denominator: Option<u64>,
    pub generated_at: Option<String>,
}

/// How much of a damaged file was saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseStatus {
    Recovered,
    Error,
}

impl ParseStatus {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Recovered => "recovered",
            Self::Error => "error",
        }
    }
}

/// What is wrong with a damaged file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    pub status: ParseStatus,
    /// The parser's first error.
    pub error: yaml::Error,
    /// The sections that could be saved.
    pub sections: Vec<&'static str>,
}

impl Diagnostics {
    /// Always three: the parser's message, that the file is damaged, what was saved (logos-project.md 4.3).
    pub fn messages(&self, voice: &Voice) -> Vec<String> {
        let file = layout::REGISTRY;
        let saved = match self.status {
            ParseStatus::Recovered => {
                let sections = self.sections.join(", ");
                say!(
                    voice,
                    "recovered sections: {sections}",
                    "已恢复的部分：{sections}"
                )
            }
            ParseStatus::Error => say!(voice, "no modules could be recovered", "未能恢复任何模块"),
        };
        let damaged = say!(
            voice,
            "`{file}` has recoverable errors",
            "`{file}` 存在可恢复的解析错误"
        );
        vec![self.error.say(voice), damaged, saved]
    }
}

/// The sections that are salvaged from a damaged file.
const SALVAGED: [&str; 5] = [
    "modules",
    "scenarios",
    "features",
    "deployment_gates",
    "baseline_index",
];

impl Registry {
    /// Reads the registry; a missing file is an empty one.
    pub fn load(tree: &dyn Tree) -> Result<Self, ReadError> {
        Ok(match tree.read(&layout::registry())? {
            None => Self::default(),
            Some(bytes) => Self::parse(&bytes),
        })
    }

    /// Reads the content of a registry file.
    pub fn parse(bytes: &[u8]) -> Self {
        match yaml::parse(bytes) {
            Ok(root) => Self {
                scenario_next: next_id(&root, "scenario_counter"),
                feature_next: next_id(&root, "feature_counter"),
                decision_next: next_id(&root, "decision_counter"),
                ..Self::of_sections(|key| root.get(key))
            },
            Err(error) => Self::salvaged(bytes, error),
        }
    }

    fn salvaged(bytes: &[u8], error: yaml::Error) -> Self {
        let saved = yaml::salvage(bytes, &SALVAGED);
        let find = |key: &str| saved.iter().find(|(k, _)| k == key).map(|(_, value)| value);
        let mut registry = Self::of_sections(find);
        registry.modules = registry.modules.filter(|modules| !modules.is_empty());
        let status = match registry.modules {
            Some(_) => ParseStatus::Recovered,
            None => ParseStatus::Error,
        };
        let sections = SALVAGED.into_iter().filter(|key| find(key).is_some()).collect();
        registry.diagnostics = Some(Diagnostics {
            status,
            error,
            sections,
        });
        registry
    }

    fn of_sections<'v>(section: impl Fn(&str) -> Option<&'v Value>) -> Self {
        let list = |key: &str| section(key).and_then(Value::as_list);
        let map = |key: &str| {
            section(key)
                .and_then(Value::as_map)
                .into_iter()
                .flat_map(yaml::Map::iter)
        };
        let gates = map("deployment_gates").filter_map(|(id, value)| Some((id.to_owned(), gate(value)?)));
        let index =
            map("baseline_index").filter_map(|(id, value)| Some((id.to_owned(), baseline_index(value)?)));
        Self {
            modules: list("modules").map(|items| items.iter().filter_map(module).collect()),
            scenarios: list("scenarios")
                .unwrap_or_default()
                .iter()
                .filter_map(scenario)
                .collect(),
            features: list("features")
                .unwrap_or_default()
                .iter()
                .filter_map(feature)
                .collect(),
            gates: first_of_each(gates),
            baseline_index: first_of_each(index),
            ..Self::default()
        }
    }

    /// The module with this id, compared case-sensitively.
    pub fn module(&self, id: &str) -> Option<&Module> {
        self.registered().iter().find(|m| m.id == id)
    }

    /// The registered modules in file order; without a list there are none.
    pub fn registered(&self) -> &[Module] {
        self.modules.as_deref().unwrap_or_default()
    }

    /// What a module says of deployment; its gate overrides its own flags.
    pub fn deployment_flags(&self, module: &Module) -> DeploymentFlags {
        let gate = self.gate(&module.id);
        DeploymentFlags {
            deployment_required: gate
                .and_then(|gate| gate.deployment_required)
                .or(module.deployment_required),
            smoke_required: gate
                .and_then(|gate| gate.smoke_required)
                .or(module.smoke_required),
        }
    }

    pub fn gate(&self, module: &str) -> Option<&Gate> {
        self.gates.get(module)
    }

    /// Whether a scenario names a feature of its module.
    pub fn is_grouped(&self, scenario: &Scenario) -> bool {
        let named = |feature: &Feature| Some(&feature.id) == scenario.feature.as_ref();
        self.features
            .iter()
            .any(|feature| named(feature) && feature.module == scenario.module_id())
    }

    pub fn baseline_index(&self, module: &str) -> Option<&BaselineIndex> {
        self.baseline_index.get(module)
    }
}

/// By key; of keys that differ in type alone, as `1` and `"1"`, the first counts.
fn first_of_each<T>(entries: impl Iterator<Item = (String, T)>) -> HashMap<String, T> {
    let mut out = HashMap::new();
    for (key, value) in entries {
        out.entry(key).or_insert(value);
    }
    out
}

/// The product types that have a user interface.
pub const GUI_TYPES: [&str; 3] = ["web", "desktop", "mobile"];

impl Module {
    /// Reads one entry; none if it misses what every module has.
    pub(super) fn of(entry: &Value) -> Option<Self> {
        module(entry)
    }

    /// Whether it has a user interface.
    pub fn is_gui(&self) -> bool {
        self.product_type
            .as_deref()
            .is_some_and(|product| GUI_TYPES.contains(&product))
    }
}

fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().map(str::to_owned)
}

fn texts(value: &Value) -> Option<Vec<String>> {
    let items = value.as_list()?;
    Some(
        items
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
    )
}

fn flag(value: &Value, key: &str) -> Option<bool> {
    value.get(key)?.as_bool()
}

fn next_id(root: &Value, counter: &str) -> Option<u64> {
    root.get(counter)?.get("next_id")?.as_count()
}

fn module(value: &Value) -> Option<Module> {
    let bootstrap = value.get("bootstrap").and_then(Value::as_str);
    let written = value.get("baseline_seed_state").and_then(Value::as_str);
    let owed = (flag(value, "baseline_seed_required") == Some(true)).then_some(SeedState::Required);
    Some(Module {
        id: text(value, "id")?,
        name: text(value, "name")?,
        launched: value.get("lifecycle").and_then(Value::as_str) == Some("launched"),
        adopted: matches!(bootstrap, Some("adopted" | "skipped")),
        skip_phases: value.get("skip_phases").and_then(texts).unwrap_or_default(),
        deployment_required: flag(value, "deployment_required"),
        smoke_required: flag(value, "smoke_required"),
        product_type: text(value, "product_type"),
        baseline_seed_state: written.and_then(SeedState::of).or(owed),
    })
}

fn scenario(value: &Value) -> Option<Scenario> {
    Some(Scenario {
        id: text(value, "id")?,
        name: text(value, "name"),
        module: text(value, "module"),
        feature: text(value, "feature"),
    })
}

fn feature(value: &Value) -> Option<Feature> {
    Some(Feature {
        id: text(value, "id")?,
        name: text(value, "name")?,
        module: text(value, "module")?,
        spec: text(value, "spec"),
    })
}

fn gate(value: &Value) -> Option<Gate> {
    let gate = Gate {
        deployment_required: flag(value, "deployment_required"),
        smoke_required: flag(value, "smoke_required"),
        environments: value.get("environments").and_then(texts),
    };
    (gate != Gate::default()).then_some(gate)
}

fn baseline_index(value: &Value) -> Option<BaselineIndex> {
    value.as_map()?;
    Some(BaselineIndex {
        // A hash of digits only is still a text.
        source_hash: value
            .get("source_hash")
            .and_then(Value::as_text)
            .map(str::to_owned),
        denominator: value.get("denominator").and_then(Value::as_count),
        generated_at: value
            .get("generated_at")
            .and_then(Value::as_text)
            .map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(registry: &Registry) -> Option<Vec<&str>> {
        Some(registry.modules.as_ref()?.iter().map(|m| m.id.as_str()).collect())
    }

    #[test]
    fn entries_without_required_text_are_dropped() {
        let registry = Registry::parse(
            b"modules:\n- {id: 7, name: x}\n- {name: x}\n- null\n- [a]\n- {id: a, name: A, lifecycle: Launched}\n\
              scenarios: [{name: x}, {id: S01, module: 3}]\nfeatures: [{id: F01, name: F}]\n",
        );
        assert_eq!(ids(&registry), Some(vec!["a"]));
        assert!(!registry.registered()[0].launched);
        assert_eq!(
            registry.scenarios,
            [Scenario {
                id: "S01".to_owned(),
                ..Scenario::default()
            }]
        );
        assert!(registry.features.is_empty());
        assert!(registry.diagnostics.is_none());
    }

    #[test]
    fn no_list_is_none_and_an_empty_list_is_a_list() {
        for text in ["", "modules:\n", "modules: {a: b}\n", "x", "- a\n"] {
            assert_eq!(Registry::parse(text.as_bytes()).modules, None, "{text}");
        }
        assert_eq!(Registry::parse(b"modules: []").modules, Some(Vec::new()));
    }

    #[test]
    fn gates_without_a_valid_field_are_absent_and_counters_are_whole_numbers() {
        let registry = Registry::parse(
            b"deployment_gates: {a: {deployment_required: 'yes'}, b: {smoke_required: false}}\n\
              decision_counter: {next_id: 4}\nscenario_counter: {next_id: '4'}\nfeature_counter: {next_id: 1.5}\n",
        );
        assert!(registry.gate("a").is_none());
        assert_eq!(registry.gate("b").and_then(|g| g.smoke_required), Some(false));
        assert_eq!(
            (
                registry.decision_next,
                registry.scenario_next,
                registry.feature_next
            ),
            (Some(4), None, None)
        );
    }

    #[test]
    fn damage_is_told_in_three_messages_and_counters_are_lost() {
        let text = "modules: [{id: a, name: A}]\nfeatures: [\ndecision_counter: {next_id: 4}\n";
        let registry = Registry::parse(text.as_bytes());
        assert_eq!((ids(&registry), registry.decision_next), (Some(vec!["a"]), None));
        let diagnostics = registry.diagnostics.expect("it is damaged");
        let messages = diagnostics.messages(&Voice::default());
        assert_eq!((diagnostics.status, messages.len()), (ParseStatus::Recovered, 3));
        assert!(messages[0].contains("line "), "{messages:?}");
        assert_eq!(messages[2], "recovered sections: modules");
    }

    #[test]
    fn without_a_sound_module_nothing_is_recovered() {
        for text in [
            "[",
            "modules: gone\nx: [\n",
            "modules: []\nx: [\n",
            "modules:\n  - id: a\nx: [\n",
        ] {
            let registry = Registry::parse(text.as_bytes());
            assert_eq!(registry.modules, None, "{text}");
            assert_eq!(
                registry.diagnostics.map(|d| d.status),
                Some(ParseStatus::Error),
                "{text}"
            );
        }
    }
}
