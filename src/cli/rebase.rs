//! `rebase`: rewrites the deltas of a change onto the documents as they are now and commits (change.md 6.9).

use std::io;

use super::Context;
use super::ending::end;
use crate::change::base::{BaseTree, SPEC_BASE};
use crate::change::gate::{self, Refused};
use crate::change::{Change, ChangeFolder};
use crate::files::{Digest, Recovered, WorkTree, Writer};
use crate::git::SPEC_CHANGE;
use crate::git::{CheckoutTree, Committed, MergeFile, Repository};
use crate::merge::rebase::{self, RebasePlan};
use crate::report::{self, Exit, Refusal, Screen};
use crate::say;
use crate::voice::{Invocation, Say};

/// Rewrite the deltas of a change onto the documents as they are now and commit
///
/// Blocks get the merged text where it is clean, and conflict marks where it is not. The commit declares the HEAD that it
/// started from as the new base. Example: `git spec rebase add-refund`
#[derive(clap::Args)]
pub(super) struct Rebase {
    /// The change to rebase
    slug: Option<String>,
    /// Print what would change as a unified diff; write nothing
    #[arg(long)]
    dry_run: bool,
    /// Take the documents of this commit as the base so far
    #[arg(long, value_name = "REV")]
    base: Option<String>,
}

enum Outcome {
    NoBase,
    /// What no rewriting helps against: nothing was written.
    Left(Refusal),
    UpToDate,
    DryRun(RebasePlan),
    Rebased(RebasePlan, Option<Committed>),
}

impl Rebase {
    pub(super) fn run(self, context: &Context) -> Exit {
        let slug = self.slug.as_deref().unwrap_or_default();
        let exit = |(outcome, _): &(Outcome, Recovered)| match outcome {
            Outcome::Left(_) => Exit::Failed,
            Outcome::NoBase | Outcome::UpToDate | Outcome::DryRun(_) | Outcome::Rebased(..) => Exit::Done,
        };
        end(
            context,
            "rebase",
            self.attempt(context),
            exit,
            |(outcome, recovered), screen| print(slug, outcome, *recovered, screen),
        )
    }

    fn attempt(&self, context: &Context) -> Result<(Outcome, Recovered), Refused> {
        let tree = WorkTree::new(&context.place()?.root);
        let folder = gate::own_folder(&tree, self.slug.as_deref())?;
        let repository = context
            .repository()?
            .filter(|r| r.work_dir().is_some())
            .ok_or(Refused::NoWorkTree)?;
        if self.dry_run {
            let outcome = self.rebase(context, repository, &tree, folder, None)?;
            return Ok((outcome, Recovered::Nothing));
        }
        let writer = context.writer("rebase")?;
        let tree = writer.tree();
        let folder = gate::own_folder(&tree, self.slug.as_deref())?;
        let outcome = self.rebase(context, repository, &tree, folder, Some(&writer))?;
        Ok((outcome, writer.recovered()))
    }

    /// Without a writer nothing is written.
    fn rebase(
        &self,
        context: &Context,
        repository: &Repository,
        tree: &WorkTree,
        folder: ChangeFolder,
        writer: Option<&Writer>,
    ) -> Result<Outcome, Refused> {
        let place = context.place()?;
        gate::foreign_journal(tree, &folder)?;
        let change = Change::load(tree, folder)?;
        if change.is_merged() {
            return Err(Refused::AlreadyMerged);
        }
        let slug = change.folder.slug.as_str();
        let base = BaseTree::find(
            Some(repository),
            &place.prefix,
            None,
            slug,
            self.base.as_deref(),
            true,
        )?;
        let Some(base) = base.as_tree() else {
            return Ok(Outcome::NoBase);
        };
        let head = repository.head()?.ok_or(Refused::NoWorkTree)?;
        // The commit makes HEAD the base, so HEAD's documents count; edits that are not committed stay out of the deltas.
        let documents = repository.commit_tree(head, &place.prefix)?;
        let documents = CheckoutTree::new(repository, documents, &place.prefix);
        let plan = rebase::plan(&change, base, &documents, &MergeFile)?;
        if !plan.left.is_empty() {
            return Ok(Outcome::Left(Refusal::bare(plan.left)));
        }
        let Some(writer) = writer else {
            return Ok(Outcome::DryRun(plan));
        };
        if plan.edits.is_empty() {
            return Ok(Outcome::UpToDate);
        }
        let mut transaction = writer.begin();
        for edit in &plan.edits {
            let new = edit.new.clone().unwrap_or_default();
            transaction.replace(&edit.document, edit.old.as_deref().map(Digest::of), new);
        }
        let paths = plan
            .edits
            .iter()
            .map(|e| e.document.below(&place.prefix))
            .collect();
        let commit = repository.plan_commit(paths, &[])?;
        transaction.announce(
            commit
                .announced()
                .iter()
                .filter_map(|p| p.strip_prefix(&place.prefix)),
        );
        let subject = format!("docs({slug}): rebase spec deltas");
        let onto = head.to_string();
        let trailers = [(SPEC_CHANGE, slug), (SPEC_BASE, onto.as_str())];
        let committed = transaction.commit_then(|_| -> Result<Option<Committed>, Refused> {
            if commit.is_empty() {
                return Ok(None);
            }
            Ok(Some(repository.commit(&commit, &subject, &trailers)?))
        })?;
        Ok(Outcome::Rebased(plan, committed))
    }
}

fn print(slug: &str, outcome: &Outcome, recovered: Recovered, screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    report::print_recovered(recovered, screen)?;
    match outcome {
        Outcome::NoBase => screen.line(&say!(
            voice,
            "`{slug}` has no base: its folder is not committed, so there is nothing to rebase from",
            "`{slug}` 没有基线：其目录尚未提交，无从变基"
        )),
        Outcome::Left(refusal) => {
            report::print_conflicts(refusal, screen)?;
            screen.warn(&say!(
                voice,
                "`{slug}` was not rebased, nothing was written",
                "`{slug}` 未变基，未写入任何内容"
            ))
        }
        Outcome::UpToDate => screen.line(&say!(
            voice,
            "no document that `{slug}` touches was changed since its base; nothing was done",
            "`{slug}` 涉及的内容自基线以来没有改动；未做任何事"
        )),
        Outcome::DryRun(plan) => report::unified_diff(&plan.edits, screen),
        Outcome::Rebased(plan, committed) => {
            let count = plan.edits.len();
            screen.line(&say!(
                voice,
                "rebased `{slug}`; deltas rewritten: {count}",
                "已变基 `{slug}`：改写 {count} 个 delta"
            ))?;
            for edit in &plan.edits {
                let marks: usize = plan
                    .marked
                    .iter()
                    .filter(|(p, _)| *p == edit.document)
                    .map(|(_, n)| n)
                    .sum();
                let note = if marks > 0 {
                    say!(voice, " ({marks} to settle)", "（{marks} 处待处理）")
                } else {
                    String::new()
                };
                screen.line(&format!("  M {}{note}", edit.document))?;
            }
            if let Some(committed) = committed {
                report::print_committed(committed, screen)?;
            }
            let next = Invocation::new("merge", &[slug]).say(voice);
            screen.line(&if plan.marked.is_empty() {
                say!(voice, "next: {next}", "下一步：{next}")
            } else {
                say!(
                    voice,
                    "settle the lines between the conflict marks, then: {next}",
                    "处理冲突标记之间的内容，然后：{next}"
                )
            })
        }
    }
}
