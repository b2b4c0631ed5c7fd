//! The answer of `sync` (logos-project.md 9.4 and 12).

use std::io;

use serde::Serialize;

use super::{Answer, Screen, Style};
use crate::project::layout;
use crate::project::modules::PRODUCT_TYPES;
use crate::project::sync::{Change, Sync};
use crate::say;
use crate::text::escape;
use crate::voice::{Invocation, Say, Voice, quoted_list};

/// What was brought up to date.
pub struct Synced(pub Sync);

#[derive(Serialize)]
pub struct Data {
    /// The stamp included.
    written: Vec<String>,
    changes: Vec<Entry>,
    /// Launched modules without a product type.
    missing_product_type: Vec<String>,
}

#[derive(Serialize)]
struct Entry {
    kind: &'static str,
    subject: String,
    value: Option<String>,
}

impl Entry {
    fn of(change: &Change) -> Self {
        let entry = |kind, subject: &str, value: Option<&str>| Self {
            kind,
            subject: subject.to_owned(),
            value: value.map(str::to_owned),
        };
        match change {
            Change::Launched(module) => entry("module_launched", module, None),
            Change::LifecycleKey => entry("config_key_removed", "lifecycle", None),
            Change::SeedState { module, state } => entry("baseline_seed_state", module, Some(state.as_str())),
            Change::SeedFlag(module) => entry("baseline_seed_required_removed", module, None),
            Change::Name(name) => entry("project_name", name, None),
            Change::ScenarioModule { scenario, module } => entry("scenario_module", scenario, Some(module)),
            Change::Indexed(path) => entry("resource_index", &path.text(), None),
            Change::Config(key) => entry("config_key_added", key, None),
            Change::NodeAdded(node) => entry("flow_node_added", node, None),
            Change::NodeRemoved(node) => entry("flow_node_removed", node, None),
        }
    }
}

impl Say for Change {
    fn say(&self, voice: &Voice) -> String {
        let (registry, config, flow) = (layout::REGISTRY, layout::CONFIG, layout::LAUNCHED_FLOW);
        match self {
            Self::Launched(module) => {
                let module = escape(module);
                say!(
                    voice,
                    "{registry}: module `{module}` is launched",
                    "{registry}：模块 `{module}` 已上线"
                )
            }
            Self::LifecycleKey => say!(
                voice,
                "{config}: the old key `lifecycle` is gone",
                "{config}：已删除旧键 `lifecycle`"
            ),
            Self::SeedState { module, state } => {
                let (module, state) = (escape(module), state.as_str());
                say!(
                    voice,
                    "{registry}: the baseline of module `{module}` is {state}",
                    "{registry}：模块 `{module}` 的基线状态为 {state}"
                )
            }
            Self::SeedFlag(module) => {
                let module = escape(module);
                say!(
                    voice,
                    "{registry}: the old key `baseline_seed_required` of module `{module}` is gone",
                    "{registry}：已删除模块 `{module}` 的旧键 `baseline_seed_required`"
                )
            }
            Self::Name(name) => {
                let name = escape(name);
                say!(
                    voice,
                    "{registry}: the name is `{name}`",
                    "{registry}：名称为 `{name}`"
                )
            }
            Self::ScenarioModule { scenario, module } => {
                let (scenario, module) = (escape(scenario), escape(module));
                say!(
                    voice,
                    "{registry}: scenario `{scenario}` belongs to module `{module}`",
                    "{registry}：场景 `{scenario}` 归属模块 `{module}`"
                )
            }
            Self::Indexed(path) => say!(
                voice,
                "{registry}: `{path}` is listed",
                "{registry}：已登记 `{path}`"
            ),
            Self::Config(key) => say!(voice, "{config}: `{key}` filled in", "{config}：已补全 `{key}`"),
            Self::NodeAdded(node) => say!(
                voice,
                "{flow}: step `{node}` added",
                "{flow}：已添加步骤 `{node}`"
            ),
            Self::NodeRemoved(node) => {
                say!(
                    voice,
                    "{flow}: step `{node}` removed",
                    "{flow}：已移除步骤 `{node}`"
                )
            }
        }
    }
}

impl Answer for Synced {
    type Data = Data;

    fn data(&self, _: &Voice) -> Data {
        Data {
            written: self
                .0
                .writes
                .iter()
                .map(|write| write.path.text().into_owned())
                .collect(),
            changes: self.0.changes.iter().map(Entry::of).collect(),
            missing_product_type: self.0.untyped.clone(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let (voice, sync) = (screen.voice, &self.0);
        for change in &sync.changes {
            screen.line(&change.say(voice))?;
        }
        if sync
            .writes
            .iter()
            .any(|write| *write.path.text() == *layout::REGISTRY_BACKUP)
        {
            let backup = layout::REGISTRY_BACKUP;
            screen.line(&say!(
                voice,
                "the registry as it was is kept as `{backup}`",
                "原注册表保存为 `{backup}`"
            ))?;
        }
        let done = if sync.changes.is_empty() {
            say!(voice, "everything was up to date", "一切均已是最新")
        } else {
            say!(voice, "everything is up to date", "已全部更新")
        };
        screen.line(&screen.paint(Style::Good, &done))?;
        if sync.key_without_module {
            let config = layout::CONFIG;
            screen.warn(&say!(
                voice,
                "`lifecycle: active` in `{config}` named none of the modules and is gone",
                "`{config}` 中的 `lifecycle: active` 未指明模块，已删除"
            ))?;
        }
        if !sync.untyped.is_empty() {
            let (modules, types) = (quoted_list(&sync.untyped), PRODUCT_TYPES.join("|"));
            let set = Invocation::new("module set-product-type", &[]).say(voice);
            screen.warn(&say!(
                voice,
                "launched without a product type: {modules}; say it with `{set} <id> <{types}>`",
                "已上线但没有产品类型：{modules}；请用 `{set} <id> <{types}>` 指明"
            ))?;
        }
        Ok(())
    }
}
