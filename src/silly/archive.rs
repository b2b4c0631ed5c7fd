//! Whether a change may go to the archive, and where (silly.md 11, "Archive"). Decides only.

use super::words::Refused;
use super::{layout, plan, tasks, verification};
use crate::files::{Kind, RepoPath, Tree};

/// The move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    pub from: RepoPath,
    pub to: RepoPath,
}

/// Plans the move of a change; `date` is the day in UTC. Without `force` a change whose tasks are open, whose effect on
/// modules is not told, or whose verification failed is refused.
pub fn plan_move(tree: &dyn Tree, change: &str, date: &str, force: bool) -> Result<Move, Refused> {
    let from = layout::change(change);
    if tree.entry(&from)?.is_none_or(|entry| entry.kind != Kind::Dir) {
        return Err(Refused::NoFolder(from));
    }
    let to = layout::archived(date, change);
    if tree.entry(&to)?.is_some() {
        return Err(Refused::ArchiveExists(to));
    }
    if !force {
        refuse_open_tasks(tree, &from)?;
        let impact = layout::module_impact(change);
        if !tree.is_file(&impact)? {
            return Err(Refused::NoImpact {
                path: impact,
                change: change.to_owned(),
            });
        }
        if let Some((path, bytes)) = verification::load(tree, &from)?
            && verification::may_have_failed(&bytes)
        {
            return Err(Refused::VerificationFailed(path));
        }
    }
    Ok(Move { from, to })
}

/// The plan tells what is open; the task list where there is none.
fn refuse_open_tasks(tree: &dyn Tree, folder: &RepoPath) -> Result<(), Refused> {
    let mut path = folder.join("plan.md");
    let open = if let Some(bytes) = tree.read(&path)? {
        let waves = plan::parse(&bytes);
        let tasks = waves.iter().flat_map(|wave| &wave.tasks);
        tasks.filter(|task| task.number.is_some() && !task.done).count()
    } else {
        path = folder.join("tasks.md");
        let bytes = tree.read(&path)?.unwrap_or_default();
        tasks::parse(&bytes).iter().filter(|task| !task.done).count()
    };
    if open > 0 {
        return Err(Refused::OpenTasks { path, open });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;

    fn planned(files: &[(&str, &str)], force: bool) -> Result<Move, Refused> {
        let at = |(name, text): &(&str, &str)| (format!(".sillyspec/changes/{name}"), (*text).to_owned());
        plan_move(&MemoryTree::new(files.iter().map(at)), "c", "2026-03-01", force)
    }

    #[test]
    fn what_is_not_finished_is_refused_unless_forced() {
        let impact = ("c/module-impact.md", "# M\n");
        let open = [impact, ("c/plan.md", "## Wave 1\n- [ ] task-01: a\n- [ ] note\n")];
        assert!(matches!(
            planned(&open, false),
            Err(Refused::OpenTasks { open: 1, .. })
        ));
        assert!(planned(&open, true).is_ok());
        let tasks = [impact, ("c/tasks.md", "- [ ] task-01: a\n")];
        assert!(matches!(planned(&tasks, false), Err(Refused::OpenTasks { .. })));
        let no_impact = [("c/proposal.md", "")];
        assert!(matches!(
            planned(&no_impact, false),
            Err(Refused::NoImpact { .. })
        ));
        let failed = [impact, ("c/verify-result.md", "## 结论\n\nFAIL\n")];
        assert!(matches!(
            planned(&failed, false),
            Err(Refused::VerificationFailed(_))
        ));
        let taken = [impact, ("archive/2026-03-01-c/x", "")];
        assert!(matches!(planned(&taken, true), Err(Refused::ArchiveExists(_))));
        assert!(matches!(planned(&[("d/x", "")], true), Err(Refused::NoFolder(_))));
    }
}
