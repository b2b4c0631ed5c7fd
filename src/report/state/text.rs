//! The answers of the `state` commands for people.

use std::io;

use super::super::{Screen, Style};
use super::{FieldsData, Told, severity};
use crate::say;
use crate::state::append::Appended;
use crate::state::read::{Severity, Snapshot, Validation};
use crate::state::transition::{Advanced, Archived, Done, Pruned};
use crate::text::escape;
use crate::voice::Say;

pub(super) fn print(told: &Told, screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    match told {
        Told::Fields(fields) => print_object(&FieldsData::of(fields), screen),
        Told::Snapshot(snapshot) => print_snapshot(snapshot, screen),
        Told::Content(content) => {
            for line in content.lines() {
                screen.line(&escape(line))?;
            }
            Ok(())
        }
        Told::Value { value, .. } => {
            for line in value.lines() {
                screen.line(&escape(line))?;
            }
            Ok(())
        }
        Told::Loaded(loaded) => {
            for (name, exists) in [
                ("STATE.md", loaded.state_exists),
                ("ROADMAP.md", loaded.roadmap_exists),
                ("config.json", loaded.config_exists),
            ] {
                let answer = if exists {
                    say!(voice, "there", "存在")
                } else {
                    say!(voice, "missing", "缺失")
                };
                screen.line(&format!("{name}: {answer}"))?;
            }
            Ok(())
        }
        Told::Validated { validation, .. } => print_validation(validation, screen),
        Told::Done(done) => print_done(done, screen),
        Told::Signaled { path } => screen.line(&say!(voice, "Waiting: {path}", "等待中：{path}")),
        Told::Resumed { removed: true } => screen.line(&say!(voice, "Resumed.", "已恢复。")),
        Told::Resumed { removed: false } => {
            screen.line(&say!(voice, "Nothing was waiting.", "没有等待的事项。"))
        }
        Told::Regenerated { backup: None } => {
            screen.line(&say!(voice, "STATE.md was made.", "已生成 STATE.md。"))
        }
        Told::Regenerated { backup: Some(path) } => {
            let path = escape(path);
            screen.line(&say!(
                voice,
                "STATE.md was made anew; the old one is {path}",
                "已重新生成 STATE.md；旧文件为 {path}"
            ))
        }
    }
}

/// `key: value`, a line each.
fn print_object(object: &impl serde::Serialize, screen: &mut Screen<'_>) -> io::Result<()> {
    let value = serde_json::to_value(object).map_err(io::Error::other)?;
    let Some(object) = value.as_object() else {
        return Ok(());
    };
    for (key, value) in object {
        if let Some(inner) = value.as_object() {
            let inner: Vec<String> = inner
                .iter()
                .map(|(key, value)| format!("{key} {value}"))
                .collect();
            screen.line(&format!("{key}: {}", inner.join(", ")))?;
        } else if let Some(text) = value.as_str() {
            screen.line(&format!("{key}: {}", escape(text)))?;
        } else {
            screen.line(&format!("{key}: {value}"))?;
        }
    }
    Ok(())
}

fn print_snapshot(snapshot: &Snapshot, screen: &mut Screen<'_>) -> io::Result<()> {
    let number = |number: Option<u64>| number.map(|number| number.to_string());
    for (label, value) in [
        ("Phase", snapshot.current_phase.clone()),
        ("Phase name", snapshot.current_phase_name.clone()),
        ("Total phases", number(snapshot.total_phases)),
        ("Plan", snapshot.current_plan.clone()),
        ("Plans in phase", number(snapshot.total_plans_in_phase)),
        ("Status", snapshot.status.clone()),
        (
            "Progress",
            number(snapshot.progress_percent).map(|percent| format!("{percent}%")),
        ),
        ("Last activity", snapshot.last_activity.clone()),
        ("Description", snapshot.last_activity_desc.clone()),
        ("Paused at", snapshot.paused_at.clone()),
        ("Last session", snapshot.session.last_date.clone()),
        ("Stopped at", snapshot.session.stopped_at.clone()),
        ("Resume file", snapshot.session.resume_file.clone()),
    ] {
        if let Some(value) = value {
            screen.line(&format!("{label}: {}", escape(&value)))?;
        }
    }
    for decision in &snapshot.decisions {
        let (phase, summary) = (escape(&decision.phase), escape(&decision.summary));
        screen.line(&format!(
            "Decision [{phase}]: {summary} — {}",
            escape(&decision.rationale)
        ))?;
    }
    for blocker in &snapshot.blockers {
        screen.line(&format!("Blocker: {}", escape(blocker)))?;
    }
    Ok(())
}

fn print_validation(validation: &Validation, screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    if validation.warnings.is_empty() {
        return screen.line(&say!(voice, "STATE.md is consistent.", "STATE.md 一致。"));
    }
    for warning in &validation.warnings {
        let style = match warning.severity() {
            Severity::Error => Style::Bad,
            Severity::Warning => Style::Warn,
        };
        let head = screen.paint(
            style,
            &format!("{} {}", severity(warning.severity()), warning.code()),
        );
        screen.line(&format!("{head}: {}", warning.say(voice)))?;
        screen.line(&format!("  {}", warning.hint(voice)))?;
    }
    Ok(())
}

fn print_done(done: &Done, screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    match done {
        Done::Begun(done) => print_updated(&done.updated, screen),
        Done::Completed(done) => print_updated(&done.updated, screen),
        Done::Planned(done) => print_updated(&done.updated, screen),
        Done::Closed(done) => print_updated(&done.updated, screen),
        Done::Advanced(Advanced::Next {
            current_plan,
            total_plans,
            ..
        }) => screen.line(&say!(
            voice,
            "Plan {current_plan} of {total_plans}.",
            "计划 {current_plan}/{total_plans}。"
        )),
        Done::Advanced(Advanced::Last { total_plans, .. }) => screen.line(&say!(
            voice,
            "Plan {total_plans} was the last one: the phase is ready for verification.",
            "计划 {total_plans} 是最后一个：该阶段可以验证。"
        )),
        Done::Switched(done) => {
            let version = escape(&done.version);
            screen.line(&say!(
                voice,
                "Milestone {version} started.",
                "里程碑 {version} 已开始。"
            ))
        }
        Done::Patched(done) => {
            let escaped = |names: &[String]| -> Vec<String> {
                names.iter().map(|name| escape(name).into_owned()).collect()
            };
            if !done.failed.is_empty() {
                let failed = escaped(&done.failed).join(", ");
                screen.warn(&say!(voice, "not found: {failed}", "未找到：{failed}"))?;
            }
            print_updated(&escaped(&done.updated), screen)
        }
        Done::Updated(done) if done.updated => screen.line(&say!(voice, "Updated.", "已更新。")),
        Done::Updated(_) => screen.line(&say!(
            voice,
            "There is no such field; nothing was written.",
            "没有此字段；未写入任何内容。"
        )),
        Done::Synced(done) => {
            for change in &done.changes {
                let (from, to) = (escape(&change.from), escape(&change.to));
                screen.line(&format!("{}: {from} → {to}", change.field))?;
            }
            for skipped in &done.skipped {
                screen.line(&say!(
                    voice,
                    "{} was left alone: {}",
                    "{} 未改动：{}",
                    skipped.field,
                    skipped.reason
                ))?;
            }
            if done.changes.is_empty() {
                screen.line(&say!(voice, "Nothing to change.", "无需改动。"))?;
            }
            Ok(())
        }
        Done::Pruned(done) => print_pruned(done, screen),
        Done::Appended(done) => print_appended(done, screen),
    }
}

fn print_updated<S: AsRef<str>>(updated: &[S], screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    if updated.is_empty() {
        return screen.line(&say!(voice, "Nothing changed.", "没有变化。"));
    }
    let updated: Vec<&str> = updated.iter().map(AsRef::as_ref).collect();
    let updated = updated.join(", ");
    screen.line(&say!(voice, "Updated: {updated}", "已更新：{updated}"))
}

fn print_pruned(done: &Pruned, screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    let (sections, cutoff) = match done {
        Pruned::Nothing { .. } => {
            return screen.line(&say!(voice, "There is nothing to prune.", "没有可归档的内容。"));
        }
        Pruned::DryRun {
            sections,
            cutoff_phase,
            ..
        }
        | Pruned::Done {
            sections,
            cutoff_phase,
            ..
        } => (sections, cutoff_phase),
    };
    screen.line(&say!(voice, "Phases 1 to {cutoff}:", "阶段 1 至 {cutoff}："))?;
    for section in sections {
        match section {
            Archived::Moved {
                section,
                entries_archived,
            } => screen.line(&say!(
                voice,
                "  {section}: {entries_archived} archived",
                "  {section}：已归档 {entries_archived} 条"
            ))?,
            Archived::WouldMove {
                section,
                entries_would_archive,
            } => screen.line(&say!(
                voice,
                "  {section}: {entries_would_archive} would be archived",
                "  {section}：将归档 {entries_would_archive} 条"
            ))?,
        }
    }
    Ok(())
}

fn print_appended(done: &Appended, screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    match done {
        Appended::Decision { decision: entry, .. }
        | Appended::Evolution { entry, .. }
        | Appended::Blocker { blocker: entry, .. } => {
            let entry = escape(entry);
            screen.line(&say!(voice, "Added: {entry}", "已添加：{entry}"))
        }
        Appended::Duplicate { entry, .. } => {
            let entry = escape(entry);
            screen.line(&say!(voice, "It is there already: {entry}", "已存在：{entry}"))
        }
        Appended::Resolved { .. } => screen.line(&say!(voice, "Resolved.", "已解决。")),
        Appended::Metric { .. } => screen.line(&say!(voice, "Recorded.", "已记录。")),
        Appended::Session { updated, .. } => print_updated(updated, screen),
        Appended::Progress { bar, .. } => screen.line(bar),
        Appended::NotResolved { reason, .. }
        | Appended::NoSession { reason, .. }
        | Appended::NotAdded { reason, .. }
        | Appended::NoProgress { reason, .. } => screen.line(&say!(
            voice,
            "Nothing was written: {reason}",
            "未写入任何内容：{reason}"
        )),
    }
}
