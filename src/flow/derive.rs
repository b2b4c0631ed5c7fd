//! The one derivation behind `status`, `next` and `watch` (flow.md 6 to 14).

use std::cell::OnceCell;

use super::ground::{DeriveError, Ground};
use super::listings::Listings;
use super::loops::{self, LoopState, SliceState};
use super::nodes::{NodeView, Of, Walk};
use super::phases::{self, ModulePhases, Phase};
use super::plan_state::{PlanState, PlanningReason, Reason};
use super::status::{
    ChangeStatus, CommandGate, ModuleStatus, ProposalRow, ShownFacts, Status, Suggestion, command_of,
};
use super::step::{self, CommandResult, Step};
use super::{Lifecycle, ResolvedFlow, diagnostic, later};
use crate::baseline::{ActiveChange, Coverage};
use crate::change::deployment::{Deployment, deploy_tasks};
use crate::change::facts::Facts;
use crate::change::{self, ChangeFolder};
use crate::files::{ReadError, Tree};
use crate::project::features::FeatureGroup;
use crate::project::{DeploymentFlags, Module, Slug, listing};

/// Derives everything; `only` leaves one module in the answer. `command` counts for this answer only.
pub fn derive(
    ground: &Ground<'_>,
    only: Option<&str>,
    command: Option<&CommandResult>,
) -> Result<Status, DeriveError> {
    let derivation = Derivation {
        ground,
        listings: Listings::new(ground.tree(), &ground.registry),
        command,
        loop_module: ground.loop_module(),
        project_loop: OnceCell::new(),
    };
    derivation.status(only)
}

struct Derivation<'g> {
    ground: &'g Ground<'g>,
    listings: Listings<'g>,
    command: Option<&'g CommandResult>,
    /// The module whose loop counts for the project, and that loop once it is known.
    loop_module: Option<&'g Module>,
    project_loop: OnceCell<Option<LoopState>>,
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
        let project_loop = match self.loop_module {
            Some(module) => self.loop_of(module, judged.as_ref())?,
            None => None,
        };
        let at = |module: &Module| chosen.iter().position(|m| m.id == module.id);
        // The change may be of a module that was not asked for, or of none.
        let (proposal_step, of_change) = match (&judged, ground.carrier()) {
            (None, _) => (None, None),
            (Some(judged), None) => {
                let step = loops::corrected(judged.step, project_loop.as_ref());
                let slices_planned = judged.facts.tasks.is_code_planned();
                let suggestion = match judged.deployment.conflict {
                    Some(_) => Suggestion::Conflict,
                    None => Suggestion::Step { step, slices_planned },
                };
                (Some(step), Some(suggestion))
            }
            (Some(judged), Some(carrier)) => {
                if let Some(lane) = at(carrier).map(|at| &lanes[at]) {
                    (lane.step(), Some(lane.suggestion.clone()))
                } else {
                    let lane = self.module(carrier, Some(judged))?;
                    (lane.step(), Some(lane.suggestion))
                }
            }
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
        let suggestion = match of_change {
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
        if self.loop_module.is_none_or(|counting| counting.id != module.id) {
            return self.read_loop(module, judged);
        }
        if let Some(known) = self.project_loop.get() {
            return Ok(known.clone());
        }
        let read = self.read_loop(module, judged)?;
        Ok(self.project_loop.get_or_init(|| read).clone())
    }

    fn read_loop(
        &self,
        module: &Module,
        judged: Option<&Judged<'_>>,
    ) -> Result<Option<LoopState>, ReadError> {
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
            features: self.shown_features(module),
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

    /// The features of a module; none where nobody ever named one (logos-project.md 11.1).
    fn shown_features(&self, module: &Module) -> Option<Vec<FeatureGroup>> {
        let grouping = self.listings.grouping();
        let mut scenarios = grouping.scenarios(&module.id).iter();
        let named = !grouping.features(&module.id).is_empty() || scenarios.any(|s| s.feature.is_some());
        named.then(|| grouping.group(&module.id))
    }
}
