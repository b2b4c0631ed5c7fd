//! The text of `status`: one block a module, what is next behind an arrow, what blocks behind a mark.

use std::io;

use super::status::Stand;
use super::{Screen, Style};
use crate::change::Count;
use crate::flow::loops::LoopState;
use crate::flow::phases::ModulePhases;
use crate::flow::status::{ChangeStatus, ModuleStatus};
use crate::say;
use crate::text::escape;
use crate::voice::Say;

pub(super) fn print(stand: &Stand, screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    let lifecycle = match stand.launched {
        true => say!(voice, "launched", "已上线"),
        false => say!(voice, "initial", "初始阶段"),
    };
    let name = stand
        .name
        .as_deref()
        .filter(|name| !name.is_empty())
        .unwrap_or("-");
    let title = screen.paint(Style::Bold, &escape(name));
    screen.line(&format!("{title}  {}", screen.paint(Style::Dim, &lifecycle)))?;
    for module in stand.status.lanes() {
        screen.line("")?;
        print_module(module, stand.frame.legacy, screen)?;
    }
    print_other_proposals(stand, screen)?;
    if stand.status.lanes().next().is_none() {
        print_arrow(screen, &stand.status.suggestion.say(voice))?;
    }
    let missing = &stand.frame.missing_product_types;
    if !missing.is_empty() {
        let ids = crate::voice::quoted_list(missing);
        screen.warn(&say!(
            voice,
            "these modules do not say what kind of product they are: {ids}",
            "以下模块尚未指明产品类型：{ids}"
        ))?;
    }
    for message in stand.damage.iter().flat_map(|damage| damage.messages(voice)) {
        screen.warn(&escape(&message))?;
    }
    Ok(())
}

fn print_module(module: &ModuleStatus, legacy: bool, screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    let mut state = Vec::new();
    if !legacy {
        state.push(match module.launched {
            true => say!(voice, "launched", "已上线"),
            false => say!(voice, "initial", "初始阶段"),
        });
    }
    if module.adopted {
        state.push(say!(voice, "adopted", "已接入"));
    }
    if let Some(baseline) = module.baseline_state {
        let baseline = baseline.as_str();
        state.push(say!(voice, "baseline {baseline}", "基线 {baseline}"));
    }
    let heading = screen.paint(Style::Bold, &escape(&module.id));
    let (name, state) = (escape(&module.name), screen.paint(Style::Dim, &state.join(", ")));
    screen.line(format!("{heading}  {name}  {state}").trim_end())?;
    if let Some(phases) = &module.phases {
        print_phases(phases, screen)?;
    }
    if let Some(change) = &module.change {
        print_change(module, change, screen)?;
    }
    if let Some(node) = module.current_added() {
        let (id, name, state) = (escape(&node.id), escape(&node.name), node.state.as_str());
        screen.line(&format!("  + {id}  {name}  {state}"))?;
    }
    let blocked = module.blocked
        || module.blocking_loop().is_some()
        || module
            .change
            .as_ref()
            .is_some_and(|c| c.deployment.conflict.is_some() || c.reason.is_some());
    let suggestion = module.suggestion.say(voice);
    if blocked {
        let mark = screen.paint(Style::Bad, "!");
        screen.line(&format!("  {mark} {suggestion}"))?;
    } else {
        print_arrow(screen, &suggestion)?;
    }
    if let Some(diagnostic) = &module.diagnostic {
        let text = diagnostic.remediation(voice);
        screen.line(&format!("    {}", screen.paint(Style::Warn, &text)))?;
    }
    Ok(())
}

fn print_arrow(screen: &mut Screen<'_>, text: &str) -> io::Result<()> {
    let arrow = screen.paint(Style::Good, "→");
    screen.line(&format!("  {arrow} {text}"))
}

/// A sign for every phase, and the name of the current one.
fn print_phases(phases: &ModulePhases, screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    let mut signs = String::new();
    for (phase, progress) in &phases.progress {
        let (style, sign) = match (progress.done, progress.skipped) {
            (true, _) => (Style::Good, "●"),
            (false, true) => (Style::Dim, "·"),
            (false, false) if phases.current == Some(*phase) => (Style::Warn, "◐"),
            (false, false) => (Style::Dim, "○"),
        };
        signs.push_str(&screen.paint(style, sign));
    }
    let current = match phases.current {
        Some(phase) => phase.label(voice).to_owned(),
        None => say!(voice, "all phases done", "全部阶段已完成"),
    };
    screen.line(&format!("  {signs}  {current}"))?;
    let current = phases
        .progress
        .iter()
        .find(|(phase, _)| phases.current == Some(*phase));
    if let Some(coverage) = current.and_then(|(_, progress)| progress.scenario_coverage.as_ref())
        && !coverage.missing.is_empty()
    {
        let (covered, total) = (coverage.covered, coverage.total);
        let missing = crate::voice::quoted_list(&coverage.missing);
        screen.line(&say!(
            voice,
            "  {covered} of {total} scenarios; missing: {missing}",
            "  场景 {covered}/{total}；缺少：{missing}"
        ))?;
    }
    Ok(())
}

fn print_change(module: &ModuleStatus, change: &ChangeStatus, screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    let slug = screen.paint(Style::Bold, &escape(change.slug.as_str()));
    let label = change.step.label(voice);
    let mut line = format!(
        "  {slug}  {label} {}",
        screen.paint(Style::Dim, &format!("({})", change.step.as_str()))
    );
    let Count { checked, total } = change.tasks;
    if total > 0 {
        let tasks = say!(voice, "tasks {checked}/{total}", "任务 {checked}/{total}");
        line.push_str(&format!("  {}", screen.paint(Style::Dim, &tasks)));
    }
    if let Some(LoopState {
        iteration, max_iters, ..
    }) = &module.loop_state
    {
        let round = say!(
            voice,
            "round {iteration}/{max_iters}",
            "轮次 {iteration}/{max_iters}"
        );
        line.push_str(&format!("  {}", screen.paint(Style::Dim, &round)));
    }
    screen.line(&line)?;
    let slices = module.slices.as_ref().filter(|_| !change.step.is_before_code());
    if let Some((slices, current)) = slices.and_then(|s| Some((s, s.current.as_ref()?))) {
        let (number, total, text) = (slices.done + 1, slices.total, escape(&current.item.text));
        screen.line(&say!(
            voice,
            "  slice {number}/{total}: {text}",
            "  切片 {number}/{total}：{text}"
        ))?;
        for child in slices.open_children() {
            screen.line(&format!("    ☐ {}", escape(&child.text)))?;
        }
    }
    if let Some(conflict) = change.deployment.conflict {
        screen.line(&format!("  {}", screen.paint(Style::Bad, &conflict.say(voice))))?;
    }
    Ok(())
}

/// Change folders that are not the active change.
fn print_other_proposals(stand: &Stand, screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    let active = stand.status.active.as_ref().map(crate::project::Slug::as_str);
    let others: Vec<String> = stand
        .status
        .proposals
        .iter()
        .filter(|row| Some(row.name.as_str()) != active)
        .map(|row| row.name.clone())
        .collect();
    if others.is_empty() {
        return Ok(());
    }
    let list = crate::voice::quoted_list(&others);
    screen.line("")?;
    let text = say!(voice, "other changes: {list}", "其他变更：{list}");
    screen.line(&screen.paint(Style::Dim, &text))
}
