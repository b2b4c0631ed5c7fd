//! Where a project, its modules and its active change stand: the one derivation behind `status`, `next` and `watch`
//! (flow.md 14).

use super::ground::{DeriveError, Ground};
use super::loops::{self, LoopState, SliceState};
use super::nodes::{NodeView, Of, Walk};
use super::phases::{self, Listings, ModulePhases, Phase, ProjectPhase};
use super::plan_state::{PlanState, PlanningReason, Reason};
use super::step::{self, CommandResult, Field, Step};
use super::{Diagnostic, Lifecycle, Node, Predicate, ResolvedFlow, diagnostic, later};
use crate::baseline::{ActiveChange, Coverage};
use crate::change::deployment::{Conflict, Deployment, deploy_tasks};
use crate::change::facts::Facts;
use crate::change::{self, ChangeFolder, Count, Item};
use crate::files::{ReadError, Tree};
use crate::project::features::{self, FeatureGroup};
use crate::project::{DeploymentFlags, Module, Registry, SeedState, Slug, listing};

/// The whole answer, without words.
pub struct Status {
    pub phases: Vec<ProjectPhase>,
    pub current_phase: Option<Phase>,
    /// The modules that were asked for; none where the project has no list of them.
    pub modules: Option<Vec<ModuleStatus>>,
    /// What stands for a list of modules.
    pub legacy: Option<ModuleStatus>,
    pub proposals: Vec<ProposalRow>,
    pub active: Option<Slug>,
    pub proposal_step: Option<Step>,
    pub reason: Option<Reason>,
    /// Of the active change, whichever module it is of.
    pub conflict: Option<Conflict>,
    pub suggestion: Suggestion,
}

/// A module, or what stands for one.
pub struct ModuleStatus {
    pub id: String,
    pub name: String,
    pub launched: bool,
    pub adopted: bool,
    /// Of an initial module.
    pub phases: Option<ModulePhases>,
    /// The active change, if it is this module's.
    pub change: Option<ChangeStatus>,
    /// Another module's change is active.
    pub blocked: bool,
    pub suggestion: Suggestion,
    /// Only where the flow has an overlay.
    pub nodes: Option<NodeView>,
    pub loop_state: Option<LoopState>,
    pub slices: Option<SliceState>,
    pub command_gate: Option<CommandGate>,
    pub diagnostic: Option<Diagnostic>,
    pub baseline_state: Option<SeedState>,
    pub coverage: Option<Coverage>,
    pub features: Option<Vec<FeatureGroup>>,
}

/// The active change of a module.
pub struct ChangeStatus {
    pub slug: Slug,
    /// Whether its folder is there.
    pub exists: bool,
    pub step: Step,
    pub reason: Option<Reason>,
    pub has_proposal: bool,
    pub has_tasks: bool,
    pub tasks: Count,
    pub delta_count: usize,
    pub facts: ShownFacts,
    pub deployment: Deployment,
    pub deploy_tasks: Vec<Item>,
    pub plan: PlanState,
    pub planning: Option<PlanningReason>,
}

/// `facts`; keys in contract order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ShownFacts {
    pub spec_complete: bool,
    pub slices_planned: bool,
    pub slices_approved: bool,
    pub code_required: bool,
    pub has_delta_tasks: bool,
    pub verify_pass: bool,
}

/// A gate of the flow that a command decides.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct CommandGate {
    pub node_id: String,
    pub field: Field,
    pub command: String,
    pub timeout_seconds: u64,
}

/// A folder of `logos/changes`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ProposalRow {
    pub name: String,
    pub has_proposal: bool,
    pub has_tasks: bool,
    pub delta_count: usize,
}

/// What to suggest; words are in `advice`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Suggestion {
    AllDone,
    Launch,
    StartChange,
    Baseline(SeedState),
    /// The document phases are no work of an adopted module.
    DocumentsSkipped,
    Phase(Phase),
    Blocked(Slug),
    Conflict,
    Step {
        step: Step,
        slices_planned: bool,
    },
    AddedNode {
        id: String,
        name: String,
    },
    Loop {
        iteration: u64,
        max_iters: u64,
        escalated: bool,
    },
    CommandGate {
        node: String,
    },
}

impl ModuleStatus {
    pub fn step(&self) -> Option<Step> {
        self.change.as_ref().map(|change| change.step)
    }

    /// The loop that keeps the module at verification (flow.md 10.7).
    pub fn blocking_loop(&self) -> Option<&LoopState> {
        let at_verify = match (&self.change, &self.phases) {
            (Some(change), _) => matches!(change.step, Step::ReadyToVerify | Step::VerifyFailed),
            (None, Some(phases)) => phases.current == Some(Phase::Verify),
            (None, None) => false,
        };
        self.loop_state
            .as_ref()
            .filter(|state| at_verify && state.is_red())
    }

    /// Whether a driver can mend what failed by itself.
    pub fn is_recoverable(&self) -> bool {
        diagnostic::is_recoverable(self.diagnostic.as_ref(), self.loop_state.as_ref())
    }

    /// The added node at which it stands.
    pub fn current_added(&self) -> Option<&super::nodes::AddedNode> {
        self.nodes.as_ref().and_then(NodeView::current)
    }
}

impl Status {
    /// The module that carries the active change, if it is in the answer.
    pub fn carrier(&self) -> Option<&ModuleStatus> {
        self.lanes().find(|module| module.change.is_some())
    }

    /// The modules of the answer, or what stands for them.
    pub fn lanes(&self) -> impl Iterator<Item = &ModuleStatus> {
        self.modules.iter().flatten().chain(&self.legacy)
    }
}

/// The command that decides a node: that of `fail_when` first.
pub fn command_of(node: &Node) -> Option<(Field, String)> {
    [Field::FailWhen, Field::DoneWhen]
        .into_iter()
        .find_map(|field| match field.of(node)? {
            Predicate::Cmd(command) => Some((field, command)),
            _ => None,
        })
}

/// Derives everything; `only` leaves one module in the answer. `command` counts for this answer only.
pub fn derive(
    ground: &Ground<'_>,
    only: Option<&str>,
    command: Option<&CommandResult>,
) -> Result<Status, DeriveError> {
    let derivation = Derivation {
        ground,
        listings: Listings::new(ground.tree()),
        command,
    };
    derivation.status(only)
}

struct Derivation<'g> {
    ground: &'g Ground<'g>,
    listings: Listings<'g>,
    command: Option<&'g CommandResult>,
}

/// A change, judged before it is known what its module makes of it.
struct Judged<'g> {
    facts: Facts<'g>,
    deployment: Deployment,
    /// The module whose product it changes.
    owner: Option<&'g Module>,
    /// Before any correction.
    step: Step,
}

impl<'g> Derivation<'g> {
    fn status(&self, only: Option<&str>) -> Result<Status, DeriveError> {
        let ground = self.ground;
        let chosen = self.chosen(only)?;
        self.check_flows(&chosen)?;
        let judged = match &ground.active {
            Some(slug) => Some(self.judge(slug)?),
            None => None,
        };
        let mut lanes = Vec::new();
        for module in &chosen {
            lanes.push(self.module(module, judged.as_ref())?);
        }
        let project_loop = match ground.loop_module() {
            Some(module) => self.loop_of(module, judged.as_ref())?,
            None => None,
        };
        let at = |module: &Module| chosen.iter().position(|m| m.id == module.id);
        let proposal_step = match (&judged, ground.carrier()) {
            (None, _) => None,
            (Some(judged), None) => Some(loops::corrected(judged.step, project_loop.as_ref())),
            (Some(judged), Some(carrier)) => match at(carrier) {
                Some(lane) => lanes[lane].step(),
                None => self.module(carrier, Some(judged))?.step(),
            },
        };
        let reason = match (&judged, proposal_step) {
            (Some(judged), Some(step)) => Reason::of(step, &judged.facts)?,
            _ => None,
        };
        let phases = phases::of_project(
            &self.listings,
            &ground.initial,
            &ground.registry,
            project_loop.as_ref(),
        )?;
        let current_phase = phases::current(&phases);
        let carrier_suggestion = lanes
            .iter()
            .find(|lane| lane.change.is_some())
            .map(|lane| lane.suggestion.clone());
        let suggestion = match carrier_suggestion {
            Some(suggestion) => suggestion,
            None => self.top_suggestion(current_phase, &lanes)?,
        };
        let (modules, legacy) = match ground.legacy {
            Some(_) => (None, lanes.into_iter().next()),
            None => (Some(lanes), None),
        };
        Ok(Status {
            phases,
            current_phase,
            modules,
            legacy,
            proposals: self.proposals()?,
            active: ground.active.clone(),
            proposal_step,
            reason,
            conflict: judged.as_ref().and_then(|judged| judged.deployment.conflict),
            suggestion,
        })
    }

    fn chosen(&self, only: Option<&str>) -> Result<Vec<&'g Module>, DeriveError> {
        let all = self.ground.modules();
        let Some(id) = only else {
            return Ok(all.iter().collect());
        };
        let registered = self.ground.registry.registered();
        match registered.iter().find(|module| module.id == id) {
            Some(module) => Ok(vec![module]),
            None => Err(DeriveError::ModuleNotFound {
                id: id.to_owned(),
                there: registered.iter().map(|module| module.id.clone()).collect(),
            }),
        }
    }

    /// Checks the flows of the modules that are reported, and that of the active change.
    fn check_flows(&self, chosen: &[&Module]) -> Result<(), DeriveError> {
        let ground = self.ground;
        if chosen.iter().any(|module| !module.launched) {
            ground.initial.check_for_status(&ground.config, false)?;
        }
        let active = ground.active.is_some();
        if let Some(launched) = &ground.launched
            && (active || chosen.iter().any(|module| module.launched))
        {
            launched.check_for_status(&ground.config, active)?;
        }
        Ok(())
    }

    fn launched(&self) -> &'g ResolvedFlow {
        let launched = self.ground.launched.as_ref();
        launched.expect("it is read where a module is launched or a change active")
    }

    fn judge(&self, slug: &Slug) -> Result<Judged<'g>, ReadError> {
        let ground = self.ground;
        let facts = Facts::read(ground.tree(), slug)?;
        let owner = change::module_of(&facts.proposal, slug, &ground.guard);
        let owner = owner.and_then(|id| ground.registry.module(&id));
        let deployment = Deployment::decide(&facts, self.flags());
        let step = step::step(&facts, self.launched(), &deployment, owner, self.command)?;
        Ok(Judged {
            facts,
            deployment,
            owner,
            step,
        })
    }

    /// What the module of the active change says of deployment; of an unknown one what the only module says.
    fn flags(&self) -> DeploymentFlags {
        let ground = self.ground;
        let named = ground.guard.module().and_then(|id| ground.registry.module(id));
        let module = named.or(match ground.modules() {
            [only] => Some(only),
            _ => None,
        });
        module
            .map(|module| ground.registry.deployment_flags(module))
            .unwrap_or_default()
    }

    fn loop_of(&self, module: &Module, judged: Option<&Judged<'_>>) -> Result<Option<LoopState>, ReadError> {
        let ground = self.ground;
        if module.launched {
            return match judged.filter(|_| ground.carries(module)) {
                Some(judged) => loops::of_change(&judged.facts, self.launched(), &module.id),
                None => Ok(None),
            };
        }
        if ground.modules().len() > 1 {
            return Ok(None);
        }
        loops::of_initial(ground.tree(), &ground.initial, &module.id)
    }

    fn module(&self, module: &Module, judged: Option<&Judged<'_>>) -> Result<ModuleStatus, DeriveError> {
        let ground = self.ground;
        let carries = ground.carries(module);
        let state = self.loop_of(module, judged)?;
        let judged = judged.filter(|_| carries);
        let phases = match module.launched {
            true => None,
            false => Some(ModulePhases::of(
                &self.listings,
                &ground.initial,
                &ground.registry,
                module,
                state.as_ref(),
            )?),
        };
        let nodes = self.nodes(module, judged, state.as_ref())?;
        let mut lane = ModuleStatus {
            id: module.id.clone(),
            name: module.name.clone(),
            launched: module.launched,
            adopted: module.adopted,
            phases,
            change: None,
            blocked: module.launched && ground.active.is_some() && !carries,
            suggestion: Suggestion::StartChange,
            nodes,
            loop_state: state,
            slices: None,
            command_gate: None,
            diagnostic: None,
            baseline_state: ground.baseline.shown_state(module)?,
            coverage: self.coverage(module, carries)?,
            features: shown_features(&ground.registry, module),
        };
        if let Some(judged) = judged {
            self.add_change(&mut lane, judged)?;
        }
        lane.suggestion = self.suggestion(&lane);
        Ok(lane)
    }

    /// Fills in what a module shows of its active change, its step corrected.
    fn add_change(&self, lane: &mut ModuleStatus, judged: &Judged<'_>) -> Result<(), DeriveError> {
        let Judged {
            facts,
            deployment,
            step: first,
            ..
        } = judged;
        let corrected = loops::corrected(*first, lane.loop_state.as_ref());
        let step = match &lane.nodes {
            Some(view) => view.corrected(corrected, *first),
            None => corrected,
        };
        lane.slices = SliceState::of(facts, self.launched());
        let config = Some(&self.ground.config);
        lane.diagnostic = diagnostic::diagnose(
            facts,
            config,
            step,
            lane.loop_state.as_ref(),
            lane.slices.as_ref(),
        )?;
        if step.is_before_code() {
            lane.loop_state = None;
        }
        if lane.current_added().is_none() {
            lane.command_gate = self.command_gate(step);
        }
        lane.change = Some(ChangeStatus {
            slug: facts.slug.clone(),
            exists: facts.exists(),
            step,
            reason: Reason::of(*first, facts)?,
            has_proposal: facts.has_proposal,
            has_tasks: facts.has_tasks,
            tasks: facts.tasks.count(),
            delta_count: facts.deltas.len(),
            facts: ShownFacts {
                spec_complete: facts.spec_complete,
                slices_planned: facts.tasks.is_code_planned(),
                slices_approved: facts.slices_approved,
                code_required: facts.code_required,
                has_delta_tasks: facts.has_delta_tasks(),
                verify_pass: facts.verify_pass,
            },
            deployment: deployment.clone(),
            deploy_tasks: deploy_tasks(facts),
            plan: PlanState::of(facts, *first, deployment),
            planning: PlanningReason::of(facts),
        });
        Ok(())
    }

    fn command_gate(&self, step: Step) -> Option<CommandGate> {
        let (_, node) = self.launched().node(step.command_node()?)?;
        let (field, command) = command_of(node)?;
        Some(CommandGate {
            node_id: node.id().to_owned(),
            field,
            command,
            timeout_seconds: later::command_seconds(node, &self.ground.config),
        })
    }

    fn nodes(
        &self,
        module: &Module,
        judged: Option<&Judged<'_>>,
        state: Option<&LoopState>,
    ) -> Result<Option<NodeView>, ReadError> {
        let ground = self.ground;
        let flow = if module.launched {
            self.launched()
        } else {
            &ground.initial
        };
        if !flow.overlay_applied {
            return Ok(None);
        }
        if flow.lifecycle == Lifecycle::Launched && judged.is_none() {
            return Ok(Some(NodeView::default()));
        }
        let change = match judged {
            Some(judged) => {
                let due = match self.command {
                    Some(_) => step::step(&judged.facts, flow, &judged.deployment, judged.owner, None)?,
                    None => judged.step,
                };
                Some(Of {
                    facts: &judged.facts,
                    deployment: &judged.deployment,
                    owner: judged.owner,
                    due,
                })
            }
            None => None,
        };
        let walk = Walk {
            flow,
            listings: &self.listings,
            registry: &ground.registry,
            module,
            change,
            state,
            command: self.command,
        };
        walk.go().map(Some)
    }

    fn coverage(&self, module: &Module, carries: bool) -> Result<Option<Coverage>, ReadError> {
        let active = match (&self.ground.active, carries) {
            (None, _) => ActiveChange::None,
            (Some(_), true) => ActiveChange::Own,
            (Some(_), false) => ActiveChange::Other,
        };
        self.ground
            .baseline
            .coverage(&self.ground.registry, module, active)
    }

    /// The slot of a module's sentence (flow.md 6.4).
    fn suggestion(&self, lane: &ModuleStatus) -> Suggestion {
        if let Some(node) = lane.current_added() {
            return Suggestion::AddedNode {
                id: node.id.clone(),
                name: node.name.clone(),
            };
        }
        if let Some(state) = lane.blocking_loop() {
            return Suggestion::Loop {
                iteration: state.iteration,
                max_iters: state.max_iters,
                escalated: state.escalated,
            };
        }
        if let Some(gate) = &lane.command_gate {
            return Suggestion::CommandGate {
                node: gate.node_id.clone(),
            };
        }
        if let Some(change) = &lane.change {
            return if change.deployment.conflict.is_some() {
                Suggestion::Conflict
            } else {
                Suggestion::Step {
                    step: change.step,
                    slices_planned: change.facts.slices_planned,
                }
            };
        }
        if let Some(phases) = &lane.phases {
            return match phases.current {
                None => Suggestion::AllDone,
                Some(phase) if lane.adopted && phase.is_document() => Suggestion::DocumentsSkipped,
                Some(phase) => Suggestion::Phase(phase),
            };
        }
        match (&self.ground.active, lane.baseline_state) {
            (Some(slug), _) => Suggestion::Blocked(slug.clone()),
            (None, Some(state)) => Suggestion::Baseline(state),
            (None, None) => Suggestion::StartChange,
        }
    }

    fn top_suggestion(
        &self,
        current: Option<Phase>,
        lanes: &[ModuleStatus],
    ) -> Result<Suggestion, ReadError> {
        let ground = self.ground;
        if ground.legacy.is_some()
            && let Some(loop_suggestion @ Suggestion::Loop { .. }) =
                lanes.first().map(|lane| &lane.suggestion)
        {
            return Ok(loop_suggestion.clone());
        }
        let Some(phase) = current else {
            return Ok(if ground.is_launched() {
                Suggestion::StartChange
            } else {
                Suggestion::Launch
            });
        };
        let adopted = ground.modules().iter().find(|module| module.adopted);
        if let (Some(module), None) = (adopted, &ground.active) {
            return Ok(Suggestion::Baseline(ground.baseline.effective_state(module)?));
        }
        Ok(Suggestion::Phase(phase))
    }

    fn proposals(&self) -> Result<Vec<ProposalRow>, ReadError> {
        let tree: &dyn Tree = self.ground.tree();
        let row = |folder: ChangeFolder| {
            Ok(ProposalRow {
                name: folder.slug.as_str().to_owned(),
                has_proposal: tree.exists(&folder.path.join("proposal.md"))?,
                has_tasks: tree.exists(&folder.path.join("tasks.md"))?,
                delta_count: listing::files(tree, &folder.path.join("deltas"))?.len(),
            })
        };
        ChangeFolder::list(tree)?.into_iter().map(row).collect()
    }
}

/// The features of a module; none where nobody ever named one (logos-project.md 11.1).
fn shown_features(registry: &Registry, module: &Module) -> Option<Vec<FeatureGroup>> {
    let of_module = registry.scenarios.iter().filter(|s| s.module_id() == module.id);
    let groups = features::group(registry, &module.id);
    let registered = groups.iter().any(|group| group.id != features::UNGROUPED_ID);
    (registered || of_module.into_iter().any(|s| s.feature.is_some())).then_some(groups)
}
