//! The answer of `status`, and of every event of `watch` (flow.md 14).

use std::io;

use serde::Serialize;
use serde_json::Value;

use super::active_change::ActiveChange;
use super::detect::{YamlDiagnostics, lifecycle};
use super::flow_parts::{
    Capabilities, Contract, Coverage, Frame, OverlayNode, PhaseProgress, Plan, ProductTypeConfirmation, Work,
    overlay_nodes,
};
use super::status_text;
use super::{Answer, Screen};
use crate::flow::phases::ProjectPhase;
use crate::flow::plan_state::Reason;
use crate::flow::status::{ModuleStatus, ProposalRow, Status};
use crate::flow::{Ground, Step};
use crate::project::Diagnostics;
use crate::project::features::FeatureGroup;
use crate::voice::{Say, Voice};

/// Where a project stands.
pub struct Stand {
    pub(super) status: Status,
    pub(super) frame: Frame,
    pub(super) name: Option<String>,
    pub(super) launched: bool,
    locale: &'static str,
    source_roots: Option<Value>,
    pub(super) damage: Option<Diagnostics>,
}

impl Stand {
    pub fn of(ground: &Ground<'_>, status: Status) -> Self {
        Self {
            status,
            frame: Frame::of(ground),
            name: ground.config.name.clone(),
            launched: ground.is_launched(),
            locale: ground.locale(),
            source_roots: ground.source_roots().cloned(),
            damage: ground.registry.diagnostics.clone(),
        }
    }
}

#[derive(Serialize)]
pub struct Data {
    contract: Contract,
    phases: Vec<PhaseRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modules: Option<Vec<ModuleRow>>,
    #[serde(flatten)]
    legacy: Option<Legacy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    product_type_confirmation: Option<ProductTypeConfirmation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    capabilities: Option<Capabilities>,
    active_proposals: Vec<ProposalRow>,
    current_phase: Option<&'static str>,
    all_done: bool,
    suggestion: String,
    lifecycle: &'static str,
    locale: &'static str,
    source_roots: Option<Value>,
    active_change: Option<String>,
    proposal_step: Option<Step>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Reason>,
    yaml_diagnostics: Option<YamlDiagnostics>,
}

#[derive(Serialize)]
struct PhaseRow {
    key: &'static str,
    label: String,
    done: bool,
    skipped: bool,
    files: Vec<String>,
}

impl PhaseRow {
    fn of(phase: &ProjectPhase, voice: &Voice) -> Self {
        Self {
            key: phase.phase.key(),
            label: phase.phase.label(voice).to_owned(),
            done: phase.done,
            skipped: phase.skipped,
            files: phase.files.iter().map(|file| file.text().into_owned()).collect(),
        }
    }
}

/// What a project without a list of modules shows at the top.
#[derive(Serialize)]
struct Legacy {
    #[serde(skip_serializing_if = "Option::is_none")]
    overlay_nodes: Option<Vec<OverlayNode>>,
    #[serde(flatten)]
    work: Work,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan_state: Option<Plan>,
}

#[derive(Serialize)]
struct ModuleRow {
    id: String,
    name: String,
    lifecycle: &'static str,
    bootstrap: &'static str,
    current_phase: Option<&'static str>,
    current_phase_label: Option<String>,
    phase_progress: Option<PhaseProgress>,
    active_change: Option<ActiveChange>,
    suggestion: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    overlay_nodes: Option<Vec<OverlayNode>>,
    #[serde(flatten)]
    work: Work,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_seed_state: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_coverage: Option<Coverage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    features: Option<Vec<FeatureGroup>>,
}

pub(super) const fn bootstrap(adopted: bool) -> &'static str {
    if adopted { "adopted" } else { "normal" }
}

impl ModuleRow {
    fn of(module: &ModuleStatus, voice: &Voice) -> Self {
        let current = module.phases.as_ref().and_then(|phases| phases.current);
        Self {
            id: module.id.clone(),
            name: module.name.clone(),
            lifecycle: lifecycle(module.launched),
            bootstrap: bootstrap(module.adopted),
            current_phase: current.map(crate::flow::Phase::key),
            current_phase_label: current.map(|phase| phase.label(voice).to_owned()),
            phase_progress: module.phases.as_ref().map(PhaseProgress::of),
            active_change: module
                .change
                .as_ref()
                .map(|change| ActiveChange::of(change, voice)),
            suggestion: module.suggestion.say(voice),
            overlay_nodes: overlay_nodes(module.nodes.as_ref()),
            work: Work::of(module, voice),
            baseline_seed_state: module.baseline_state.map(crate::project::SeedState::as_str),
            baseline_coverage: module
                .coverage
                .as_ref()
                .map(|coverage| Coverage::of(coverage, voice)),
            features: module.features.clone(),
        }
    }
}

impl Answer for Stand {
    type Data = Data;

    fn data(&self, voice: &Voice) -> Data {
        let status = &self.status;
        let modules = status.modules.as_ref();
        let legacy = status.legacy.as_ref().map(|core| Legacy {
            overlay_nodes: overlay_nodes(core.nodes.as_ref()),
            work: Work::of(core, voice),
            plan_state: Plan::of_legacy(core, voice),
        });
        Data {
            contract: Contract::of(modules.into_iter().flatten()),
            phases: status
                .phases
                .iter()
                .map(|phase| PhaseRow::of(phase, voice))
                .collect(),
            modules: modules.map(|all| all.iter().map(|module| ModuleRow::of(module, voice)).collect()),
            legacy,
            product_type_confirmation: self.frame.confirmation(voice),
            capabilities: self.frame.capabilities(),
            active_proposals: status.proposals.clone(),
            current_phase: status.current_phase.map(crate::flow::Phase::key),
            all_done: status.current_phase.is_none(),
            suggestion: status.suggestion.say(voice),
            lifecycle: lifecycle(self.launched),
            locale: self.locale,
            source_roots: self.source_roots.clone(),
            active_change: status.active.as_ref().map(|slug| slug.as_str().to_owned()),
            proposal_step: status.proposal_step,
            reason: status.reason,
            yaml_diagnostics: self
                .damage
                .as_ref()
                .map(|damage| YamlDiagnostics::of(damage, voice)),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        status_text::print(self, screen)
    }
}
