//! What the disk says: the directories of phases with their plans, summaries and verifications, and the progress that
//! follows (state.md 5.6). Knows the names of files and the `status` in their front matter, no other content.

mod head;
mod names;
mod percent;

pub use percent::{fraction, percent};

use crate::files::{Kind, Name, ReadError, RepoPath, Resolved, Tree};
use crate::state::phase_id::PhaseId;
use crate::text::decode;

use self::names::{Role, Summaries};

/// A directory below `.planning/phases/`, by its name alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedDirectory {
    pub name: Name,
    /// None: its name begins with no number.
    pub id: Option<PhaseId>,
}

/// A phase directory with its files counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseDirectory {
    pub name: Name,
    pub id: Option<PhaseId>,
    /// Plans that are not superseded.
    pub plans: u64,
    /// Whether there is a plan at all, superseded or not.
    pub any_plan: bool,
    /// Plans with a summary that counts.
    pub done: u64,
    /// Summaries that are not blocked, whether they have a plan or not.
    pub summaries: u64,
    /// The verification files.
    pub verifications: Vec<RepoPath>,
}

impl PhaseDirectory {
    /// Whether it has a plan, and each that counts is done.
    pub const fn is_complete(&self) -> bool {
        self.any_plan && self.done == self.plans
    }
}

/// The directories below `phases`, in the order of their numbers, then of their names; those without a number last.
pub fn list(tree: &dyn Tree, phases: &RepoPath) -> Result<Vec<ListedDirectory>, ReadError> {
    let mut found: Vec<ListedDirectory> = tree
        .list(phases)?
        .into_iter()
        .filter(|(_, entry)| entry.kind == Kind::Dir)
        .map(|(name, _)| ListedDirectory {
            id: PhaseId::of_directory(&decode(&name)),
            name,
        })
        .collect();
    found.sort_by(|a, b| (a.id.is_none(), &a.id, &a.name).cmp(&(b.id.is_none(), &b.id, &b.name)));
    Ok(found)
}

/// A plan or summary, where it lies.
struct PhaseFile {
    name: String,
    path: RepoPath,
}

impl PhaseFile {
    fn new(dir: &RepoPath, name: &Name) -> Self {
        Self {
            name: decode(name).into_owned(),
            path: dir.join(name),
        }
    }
}

/// Counts what is in a directory below `phases`. A link counts as the file it leads to; nothing but files is opened.
pub fn read(
    tree: &dyn Tree,
    phases: &RepoPath,
    listed: &ListedDirectory,
) -> Result<PhaseDirectory, ReadError> {
    let path = phases.join(&listed.name);
    let mut plans = Vec::new();
    let mut summaries = Vec::new();
    let mut put = |file, role| match role {
        Some(Role::Plan) => plans.push(file),
        Some(Role::Summary) => summaries.push(file),
        None => {}
    };
    let mut verifications = Vec::new();
    let nested = path.join("plans");
    let mut has_nested = false;
    for (name, entry) in tree.list(&path)? {
        if entry.kind == Kind::Dir {
            has_nested |= name == "plans";
            continue;
        }
        let text = decode(&name);
        let role = names::role(&text);
        let is_verification = names::is_verification(&text);
        if (role.is_none() && !is_verification) || !tree.is_file(&path.join(&name))? {
            continue;
        }
        if is_verification {
            verifications.push(path.join(&name));
        }
        put(PhaseFile::new(&path, &name), role);
    }
    for (name, _) in if has_nested {
        tree.list(&nested)?
    } else {
        Vec::new()
    } {
        let role = names::nested_role(&decode(&name));
        if role.is_some() && tree.is_file(&nested.join(&name))? {
            put(PhaseFile::new(&nested, &name), role);
        }
    }
    let mut directory = PhaseDirectory {
        name: listed.name.clone(),
        id: listed.id.clone(),
        plans: 0,
        any_plan: !plans.is_empty(),
        done: 0,
        summaries: 0,
        verifications,
    };
    directory.count(tree, &plans, &summaries)?;
    Ok(directory)
}

impl PhaseDirectory {
    fn count(
        &mut self,
        tree: &dyn Tree,
        plans: &[PhaseFile],
        summaries: &[PhaseFile],
    ) -> Result<(), ReadError> {
        let mut counted = Summaries::default();
        for summary in summaries {
            if !has_status(tree, &summary.path, "blocked")? {
                counted.add(&summary.name);
                self.summaries += 1;
            }
        }
        for plan in plans {
            if !has_status(tree, &plan.path, "superseded")? {
                self.plans += 1;
                self.done += u64::from(counted.has_that_of(&plan.name));
            }
        }
        Ok(())
    }

    /// Whether a verification says `status: passed`.
    pub fn is_verified(&self, tree: &dyn Tree) -> Result<bool, ReadError> {
        for path in &self.verifications {
            if has_status(tree, path, "passed")? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn has_status(tree: &dyn Tree, path: &RepoPath, status: &str) -> Result<bool, ReadError> {
    Ok(head::status(tree, path)?.is_some_and(|found| found.eq_ignore_ascii_case(status)))
}

/// Whether something is a folder when links are followed.
pub fn is_directory(tree: &dyn Tree, path: &RepoPath) -> Result<bool, ReadError> {
    Ok(match tree.entry(path)?.map(|entry| entry.kind) {
        Some(Kind::Dir) => true,
        Some(Kind::Link) => matches!(
            tree.resolve(path)?,
            Resolved::Inside { kind: Kind::Dir, .. } | Resolved::Outside { kind: Kind::Dir }
        ),
        Some(Kind::File | Kind::Submodule | Kind::Special) | None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;

    fn counted(files: &[(&str, &str)]) -> PhaseDirectory {
        let files = files
            .iter()
            .map(|(name, text)| (format!("phases/01-keel/{name}"), *text));
        let tree = MemoryTree::new(files);
        let phases = RepoPath::of("phases");
        let listed = list(&tree, &phases).expect("memory can be read");
        read(&tree, &phases, &listed[0]).expect("memory can be read")
    }

    fn numbers(files: &[(&str, &str)]) -> (u64, u64, u64, bool) {
        let found = counted(files);
        (found.plans, found.done, found.summaries, found.is_complete())
    }

    #[test]
    fn directories_stand_in_the_order_of_their_numbers() {
        let names = [
            "10-sails",
            "2-mast",
            "notes",
            "02-boom",
            "01.1-patch",
            "01-keel",
            "P-3-x",
        ];
        let tree = MemoryTree::new(names.map(|name| (format!("phases/{name}/a.md"), "")));
        let listed = list(&tree, &RepoPath::of("phases")).expect("memory can be read");
        let listed: Vec<String> = listed.iter().map(|found| found.name.to_string()).collect();
        let expected = [
            "01-keel",
            "01.1-patch",
            "02-boom",
            "2-mast",
            "P-3-x",
            "10-sails",
            "notes",
        ];
        assert_eq!(listed, expected);
    }

    #[test]
    fn a_plan_is_done_when_a_summary_that_counts_is_its_own() {
        let files = [
            ("01-01-PLAN.md", ""),
            ("01-01-SUMMARY.md", ""),
            ("01-02-PLAN.md", ""),
            ("01-09-SUMMARY.md", ""),
        ];
        assert_eq!(numbers(&files), (2, 1, 2, false));
        assert_eq!(numbers(&files[..2]), (1, 1, 1, true));
    }

    #[test]
    fn a_blocked_summary_does_not_count() {
        let blocked = "---\nstatus: blocked  # no wood\n---\n";
        let files = [("01-01-PLAN.md", ""), ("01-01-SUMMARY.md", blocked)];
        assert_eq!(numbers(&files), (1, 0, 0, false));
    }

    #[test]
    fn a_superseded_plan_does_not_count_but_is_a_plan() {
        let superseded = "---\nstatus: superseded\n---\n";
        let files = [
            ("01-01-PLAN.md", ""),
            ("01-01-SUMMARY.md", ""),
            ("01-02-PLAN.md", superseded),
        ];
        assert_eq!(numbers(&files), (1, 1, 1, true));
        assert_eq!(numbers(&files[2..]), (0, 0, 0, true));
    }

    #[test]
    fn a_directory_without_plans_is_not_complete() {
        assert_eq!(
            numbers(&[("01-CONTEXT.md", ""), ("01-01-SUMMARY.md", "")]),
            (0, 0, 1, false)
        );
    }

    #[test]
    fn the_plans_folder_is_counted_too() {
        let files = [
            ("plans/PLAN-01-hull.md", ""),
            ("plans/PLAN-02-deck.md", ""),
            ("plans/SUMMARY-01-hull.md", ""),
            ("plans/notes on the plan.md", ""),
            ("old/01-01-PLAN.md", ""),
        ];
        assert_eq!(numbers(&files), (2, 1, 1, false));
    }

    #[test]
    fn a_verification_that_passed_is_found() {
        let tree = |status: &str| {
            MemoryTree::new([(
                "phases/01-a/01-VERIFICATION.md",
                format!("---\nstatus: {status}\n---\n"),
            )])
        };
        for (status, expected) in [("passed", true), ("gaps_found", false)] {
            let tree = tree(status);
            let phases = RepoPath::of("phases");
            let listed = list(&tree, &phases).expect("memory can be read");
            let found = read(&tree, &phases, &listed[0]).expect("memory can be read");
            assert_eq!(found.verifications.len(), 1);
            assert_eq!(
                found.is_verified(&tree).expect("memory can be read"),
                expected,
                "{status}"
            );
        }
    }
}
