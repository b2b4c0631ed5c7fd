//! `launch` (logos-project.md 9.3): which module, which gates are not met, and the migration of the old `lifecycle` key of
//! the config. Plans only.

use std::sync::LazyLock;

use regex::Regex;

use super::config::{ConfigError, ConfigText};
use super::migration::Migration;
use super::modules::{ModuleError, SoundRegistry};
use super::{Module, Registry, layout};
use crate::files::{ReadError, RepoPath, Tree};
use crate::say;
use crate::text::{Bytes, decode, js};
use crate::voice::{Fail, Say, Voice, quoted_list};

/// A report that has to be there before a module is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    Acceptance,
    Deployment,
    Smoke,
}

impl Gate {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Acceptance => "acceptance-report",
            Self::Deployment => "deployment-report",
            Self::Smoke => "smoke-report",
        }
    }

    /// Where the report is expected.
    pub fn path(self) -> RepoPath {
        layout::resources()
            .join("verify")
            .join(format!("{}.md", self.as_str()))
    }

    /// Whether it is enough that the report is there; else it has to say `PASS`.
    pub const fn any_content(self) -> bool {
        match self {
            Self::Acceptance | Self::Smoke => false,
            Self::Deployment => true,
        }
    }
}

/// Why nothing was launched.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    #[error("there is no registry; write it first")]
    NoRegistry,
    #[error("no module is registered; add one first")]
    NoModule,
    #[error("there are several modules; name one of them")]
    WhichModule(Vec<String>),
    #[error("module `{module}` cannot be launched yet")]
    Gates { module: String, missing: Vec<Gate> },
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Module(#[from] ModuleError),
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl Fail for LaunchError {
    fn code(&self) -> &'static str {
        match self {
            Self::NoRegistry => "PROJECT_YAML_MISSING",
            Self::NoModule => "MODULE_NOT_FOUND",
            Self::WhichModule(_) => "MODULE_AMBIGUOUS",
            Self::Gates { .. } => "LAUNCH_GATE_NOT_MET",
            Self::Config(error) => error.code(),
            Self::Module(error) => error.code(),
            Self::Read(_) => "PROJECT_UNREADABLE",
        }
    }
}

impl Say for LaunchError {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::NoRegistry => {
                let file = layout::REGISTRY;
                say!(
                    voice,
                    "there is no `{file}`; a module has to be registered before it is launched",
                    "没有 `{file}`；模块须先注册才能上线"
                )
            }
            Self::NoModule => say!(
                voice,
                "no module is registered, so there is none to launch",
                "尚未注册模块，没有可上线的模块"
            ),
            Self::WhichModule(ids) => {
                let ids = quoted_list(ids);
                say!(
                    voice,
                    "there are several modules, name the one to launch: {ids}",
                    "有多个模块，请指明要上线的一个：{ids}"
                )
            }
            Self::Gates { module, missing } => {
                let gates: Vec<String> = missing.iter().map(|gate| gate.say(voice)).collect();
                let (module, gates) = (crate::text::escape(module), gates.join("; "));
                say!(
                    voice,
                    "module `{module}` cannot be launched yet: {gates}",
                    "模块 `{module}` 还不能上线：{gates}"
                )
            }
            Self::Config(error) => error.say(voice),
            Self::Module(error) => error.say(voice),
            Self::Read(error) => error.say(voice),
        }
    }
}

impl Say for Gate {
    fn say(&self, voice: &Voice) -> String {
        let path = self.path();
        if self.any_content() {
            return say!(voice, "`{path}` has to be there", "需要有 `{path}`");
        }
        say!(
            voice,
            "`{path}` has to be there and say `PASS`",
            "需要有 `{path}`，且其中含 `PASS`"
        )
    }
}

/// What a launch writes.
#[derive(Clone, Debug)]
pub struct Launch {
    pub module: String,
    /// The module was not launched before.
    pub changed: bool,
    /// Content before and after.
    pub registry: Option<(Bytes, Bytes)>,
    pub config: Option<(Bytes, Bytes)>,
    /// The config's old key went although it launched nothing: there are several modules.
    pub key_without_module: bool,
}

/// Plans the launch of a module; without an id, of the only one.
///
/// # Errors
/// In this order: the registry is damaged, the config is broken, there is no registry, there is no such module, or a
/// gate is not met.
pub fn plan(tree: &dyn Tree, id: Option<&str>) -> Result<Launch, LaunchError> {
    let sound = SoundRegistry::load(tree)?;
    let config = ConfigText::load(tree)?;
    let migration = Migration::of(&config, &sound.registry);
    let before = sound.bytes.clone().ok_or(LaunchError::NoRegistry)?;
    let module = target(&sound, id)?;
    let migrated = matches!(&migration, Migration::Launches(id) if *id == module.id);
    let changed = !module.launched;
    if changed && !module.adopted && !migrated {
        let missing = missing(tree, module, &sound.registry)?;
        if !missing.is_empty() {
            let module = module.id.clone();
            return Err(LaunchError::Gates { module, missing });
        }
    }
    let registry = if changed {
        Some((before, sound.with_field(&module.id, "lifecycle", "launched")?))
    } else {
        None
    };
    let drops_key = changed || matches!(migration, Migration::DropsKey);
    Ok(Launch {
        module: module.id.clone(),
        changed,
        registry,
        config: if drops_key {
            let mut object = config.object.clone();
            let had_key = object.shift_remove("lifecycle").is_some();
            had_key.then(|| (config.bytes.clone(), config.written(&object)))
        } else {
            None
        },
        key_without_module: matches!(migration, Migration::DropsKey),
    })
}

fn target<'r>(sound: &'r SoundRegistry, id: Option<&str>) -> Result<&'r Module, LaunchError> {
    if let Some(id) = id {
        return Ok(sound.find(id)?);
    }
    match sound.registry.registered() {
        [] => Err(LaunchError::NoModule),
        [only] => Ok(only),
        several => Err(LaunchError::WhichModule(
            several.iter().map(|m| m.id.clone()).collect(),
        )),
    }
}

static PASS: LazyLock<Regex> = LazyLock::new(|| js(r"\bPASS\b"));

/// The gates of a module that are not met.
fn missing(tree: &dyn Tree, module: &Module, registry: &Registry) -> Result<Vec<Gate>, ReadError> {
    let gate = registry.gate(&module.id);
    let deployed = module.deployment_required != Some(false)
        && !module.skip_phases.iter().any(|phase| phase == "deployment")
        && gate.and_then(|g| g.deployment_required) != Some(false);
    let smoked = deployed && gate.and_then(|g| g.smoke_required) != Some(false);
    let mut out = Vec::new();
    for (needed, gate) in [
        (true, Gate::Acceptance),
        (deployed, Gate::Deployment),
        (smoked, Gate::Smoke),
    ] {
        if needed && !met(tree, gate)? {
            out.push(gate);
        }
    }
    Ok(out)
}

fn met(tree: &dyn Tree, gate: Gate) -> Result<bool, ReadError> {
    let path = gate.path();
    if !tree.is_file(&path)? {
        return Ok(false);
    }
    if gate.any_content() {
        return Ok(true);
    }
    Ok(tree
        .read(&path)?
        .is_some_and(|report| PASS.is_match(&decode(&report))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;

    const CONFIG: (&str, &str) = (layout::CONFIG, "{\"lifecycle\": \"active\", \"name\": \"x\"}\n");

    fn launch(files: &[(&str, &str)], id: Option<&str>) -> Result<Launch, &'static str> {
        plan(&MemoryTree::new(files.iter().copied()), id).map_err(|e| e.code())
    }

    #[test]
    fn an_old_key_launches_the_only_module_without_gates() {
        let registry = (layout::REGISTRY, "modules:\n  - id: a # x\n    name: A\n");
        let plan = launch(&[CONFIG, registry], None).expect("it is launched");
        let (_, after) = plan.registry.expect("it is written");
        assert_eq!(
            after,
            b"modules:\n  - id: a # x\n    name: A\n    lifecycle: launched\n"
        );
        assert_eq!(
            plan.config.expect("it is written").1,
            b"{\n  \"name\": \"x\"\n}\n"
        );
    }

    #[test]
    fn the_word_pass_stands_alone_and_all_missing_reports_are_named() {
        let registry = (
            layout::REGISTRY,
            "modules: [{id: a, name: A}, {id: b, name: B}]\n",
        );
        let plain = (layout::CONFIG, "{}");
        let report = "logos/resources/verify/acceptance-report.md";
        let tree = MemoryTree::new([plain, registry, (report, "PASSED, 通过PASS_ed")]);
        match plan(&tree, Some("a")) {
            Err(LaunchError::Gates { missing, .. }) => {
                assert_eq!(missing, [Gate::Acceptance, Gate::Deployment, Gate::Smoke]);
            }
            other => panic!("the gates are not met: {other:?}"),
        }
        assert_eq!(launch(&[plain, registry], None).err(), Some("MODULE_AMBIGUOUS"));
        assert_eq!(launch(&[plain], None).err(), Some("PROJECT_YAML_MISSING"));
        assert_eq!(
            launch(&[plain, registry], Some("c")).err(),
            Some("MODULE_NOT_FOUND")
        );
        assert_eq!(
            launch(&[(layout::CONFIG, "{"), registry], Some("a")).err(),
            Some("PROJECT_CONFIG_BROKEN")
        );
    }

    #[test]
    fn smoke_is_switched_off_by_the_gates_and_with_the_deployment() {
        let report = ("logos/resources/verify/acceptance-report.md", "Result: **PASS**");
        let config = (layout::CONFIG, "{}");
        let code = |registry: &str| launch(&[config, report, (layout::REGISTRY, registry)], None).err();
        assert_eq!(
            code("modules: [{id: a, name: A, smoke_required: false, deployment_required: false}]"),
            None
        );
        assert_eq!(
            code("modules: [{id: a, name: A, skip_phases: [deployment]}]"),
            None
        );
        assert_eq!(
            code("modules: [{id: a, name: A, smoke_required: false}]"),
            Some("LAUNCH_GATE_NOT_MET")
        );
        assert_eq!(
            code("modules: [{id: a, name: A}]\ndeployment_gates: {a: {deployment_required: false}}"),
            None
        );
    }
}
