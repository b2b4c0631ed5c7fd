//! `merge`: applies the deltas of a change to the documents and commits (change.md part 6).

use std::io;

use super::Context;
use super::ending::end;
use crate::change::base::BaseTree;
use crate::change::gate::{self, Refused};
use crate::change::{Change, ChangeFolder, Delta, SPEC_MERGED};
use crate::files::{Digest, Recovered, RepoPath, Transaction, Tree, WorkTree, Writer};
use crate::git::{Committed, MergeFile, Repository};
use crate::lint;
use crate::merge::{Conflict, ConflictCode, MergePlan, prompt, record};
use crate::project::{Config, Registry, layout};
use crate::report::{self, Exit, Refusal, Screen};
use crate::say;
use crate::text::Bytes;
use crate::voice::{Invocation, Language, Say};
use crate::yaml;

/// Apply the deltas of a change to the documents and commit
///
/// Three-way against the documents as they were when the change was created. Everything or nothing: with any conflict all
/// of them are told, nothing is written and the exit code is 1. Example: `git spec merge add-refund --dry-run`
#[derive(clap::Args)]
pub(super) struct Merge {
    /// The change to merge
    slug: Option<String>,
    /// Print what would change as a unified diff; write nothing
    #[arg(long)]
    dry_run: bool,
    /// Write the documents, make no commit
    #[arg(long)]
    no_commit: bool,
    /// Take the documents of this commit as the base
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// Only package the deltas into `MERGE_PROMPT.md`
    #[arg(long, conflicts_with_all = ["dry_run", "apply"])]
    prompt: bool,
    /// Apply the deltas, also where the program's name asks for --prompt
    #[arg(long)]
    apply: bool,
}

/// What came of a merge.
enum Outcome {
    Already,
    Conflicts(Refusal),
    Findings(Vec<lint::Violation>),
    DryRun(MergePlan),
    Prompted(RepoPath),
    Merged(Done),
}

/// What a merge wrote.
struct Done {
    plan: MergePlan,
    without_delta: bool,
    reset: bool,
    base: Option<crate::files::ObjectId>,
    in_repository: bool,
    committed: Option<Committed>,
    ignored: Vec<RepoPath>,
}

impl Merge {
    pub(super) fn run(self, context: &Context) -> Exit {
        let slug = self.slug.as_deref().unwrap_or_default();
        let exit = |(outcome, _): &(Outcome, Recovered)| match outcome {
            Outcome::Conflicts(_) | Outcome::Findings(_) => Exit::Failed,
            Outcome::Already | Outcome::DryRun(_) | Outcome::Prompted(_) | Outcome::Merged(_) => Exit::Done,
        };
        end(
            context,
            "merge",
            self.attempt(context),
            exit,
            |(outcome, recovered), screen| print(slug, outcome, *recovered, screen),
        )
    }

    fn attempt(&self, context: &Context) -> Result<(Outcome, Recovered), Refused> {
        let place = context.place()?;
        let tree = WorkTree::new(&place.root);
        let folder = gate::own_folder(&tree, self.slug.as_deref())?;
        let repository = context.repository()?.filter(|r| r.work_dir().is_some());
        let run = |tree, folder, writer: Option<&Writer>| {
            let run = Run {
                options: self,
                context,
                repository,
                tree,
                folder,
            };
            run.judge(writer)
        };
        if self.dry_run {
            return Ok((run(&tree, &folder, None)?, Recovered::Nothing));
        }
        let writer = context.writer("merge")?;
        let tree = writer.tree();
        let folder = gate::own_folder(&tree, self.slug.as_deref())?;
        Ok((run(&tree, &folder, Some(&writer))?, writer.recovered()))
    }

    fn prompts(&self, context: &Context) -> bool {
        self.prompt || (context.is_drop_in() && !self.apply && !self.dry_run && !self.no_commit)
    }
}

struct Run<'a> {
    options: &'a Merge,
    context: &'a Context,
    repository: Option<&'a Repository>,
    tree: &'a WorkTree,
    folder: &'a ChangeFolder,
}

impl Run<'_> {
    /// Steps 3 to 11; without a writer nothing is written.
    fn judge(&self, writer: Option<&Writer>) -> Result<Outcome, Refused> {
        gate::foreign_journal(self.tree, self.folder)?;
        if self.tree.exists(&self.folder.path.join(SPEC_MERGED))? {
            return Ok(Outcome::Already);
        }
        let change = Change::load(self.tree, self.folder.clone())?;
        let ui_gate = gate::prototypes(self.tree, &change)?;
        let findings = lint::delta_findings(&change);
        if !findings.is_empty() {
            return Ok(Outcome::Findings(findings));
        }
        let without_delta = change.counting().all(Delta::is_prototype);
        let place = self.context.place()?;
        let slug = self.folder.slug.as_str();
        let named = self.options.base.as_deref();
        let base = if without_delta && change.counting().next().is_none() {
            BaseTree::none()
        } else {
            BaseTree::find(self.repository, &place.prefix, None, slug, named, true)?
        };
        let registry = Registry::load(self.tree)?;
        let mut plan = crate::merge::plan(
            &change,
            base.as_tree(),
            self.tree,
            &MergeFile,
            registry.decision_next,
        )?;
        self.refuse_dirty(&change, &mut plan)?;
        let prompts = self.options.prompts(self.context);
        if prompts && !without_delta {
            plan.conflicts.retain(|c| is_conservation(c.code));
        }
        if !plan.conflicts.is_empty() {
            return Ok(Outcome::Conflicts(self.explain(plan.conflicts, base.commit)));
        }
        let Some(writer) = writer else {
            return Ok(Outcome::DryRun(plan));
        };
        if prompts && !without_delta {
            return self.write_prompt(writer, &change, ui_gate);
        }
        self.write(writer, &change, plan, &base, without_delta)
    }

    /// Targets that differ from HEAD would bring foreign work into the commit.
    fn refuse_dirty(&self, change: &Change, plan: &mut MergePlan) -> Result<(), Refused> {
        let Some(repository) = self.repository.filter(|_| !self.options.no_commit) else {
            return Ok(());
        };
        if self.options.prompts(self.context) || repository.head()?.is_none() {
            return Ok(());
        }
        let prefix = &self.context.place()?.prefix;
        let mut targets: Vec<RepoPath> = change.counting().filter_map(|d| d.target.clone()).collect();
        if plan.next_decision.is_some() {
            targets.push(layout::registry());
        }
        let from_top: Vec<RepoPath> = targets.iter().map(|t| t.below(prefix)).collect();
        let dirty = repository.differing(&from_top)?;
        let dirty = targets.iter().filter(|t| dirty.contains(&t.below(prefix)));
        plan.conflicts
            .extend(dirty.map(|t| Conflict::of_file(ConflictCode::DirtyDocument, t)));
        Ok(())
    }

    /// Adds the commit that moved each document.
    fn explain(&self, conflicts: Vec<Conflict>, base: Option<crate::files::ObjectId>) -> Refusal {
        let Ok(place) = self.context.place() else {
            return Refusal::bare(conflicts);
        };
        let mut seen: Vec<(RepoPath, Option<crate::git::LastChange>)> = Vec::new();
        let with_history = conflicts.into_iter().map(|conflict| {
            let told = conflict.texts.is_some() || conflict.code == ConflictCode::RemovedUpstream;
            let (Some(repository), Some(base), true) = (self.repository, base, told) else {
                return (conflict, None);
            };
            if let Some((_, last)) = seen.iter().find(|(document, _)| *document == conflict.document) {
                return (conflict, last.clone());
            }
            // History is an extra here: where git cannot tell it, the conflict stands without.
            let last = repository
                .last_change(Some(base), &conflict.document.below(&place.prefix))
                .ok()
                .flatten();
            seen.push((conflict.document.clone(), last.clone()));
            (conflict, last)
        });
        Refusal {
            conflicts: with_history.collect(),
        }
    }

    fn write_prompt(&self, writer: &Writer, change: &Change, ui_gate: bool) -> Result<Outcome, Refused> {
        let mut voice = self.context.voice().clone();
        voice.language = self.locale()?;
        let text = prompt::text(change, ui_gate, &voice);
        let path = self.folder.path.join(prompt::MERGE_PROMPT);
        let mut transaction = writer.begin();
        self.put(&mut transaction, &path, text.into_bytes())?;
        self.put(
            &mut transaction,
            &self.folder.path.join(prompt::MERGE_PROMPT_GENERATED),
            Bytes::new(),
        )?;
        transaction.commit()?;
        Ok(Outcome::Prompted(path))
    }

    fn put(&self, transaction: &mut Transaction<'_>, path: &RepoPath, new: Bytes) -> Result<(), Refused> {
        let old = self.tree.read(path)?;
        transaction.replace(path, old.as_deref().map(Digest::of), new);
        Ok(())
    }

    fn locale(&self) -> Result<Language, Refused> {
        let locale = Config::load(self.tree)?.and_then(|c| c.locale);
        Ok(locale.as_deref().map_or(Language::English, Language::of_locale))
    }

    fn write(
        &self,
        writer: &Writer,
        change: &Change,
        plan: MergePlan,
        base: &BaseTree<'_>,
        without_delta: bool,
    ) -> Result<Outcome, Refused> {
        let now = self.context.now;
        let mut transaction = writer.begin();
        let mut written = Vec::new();
        for edit in &plan.edits {
            let seen = edit.old.as_deref().map(Digest::of);
            match (&edit.new, seen) {
                (Some(new), None) => match whole_file(change, &edit.document) {
                    Some(delta) => transaction.create_like(&edit.document, &delta.path, new.clone()),
                    None => transaction.create_new(&edit.document, new.clone()),
                },
                (Some(new), seen) => transaction.replace(&edit.document, seen, new.clone()),
                (None, Some(seen)) => transaction.remove(&edit.document, seen),
                (None, None) => continue,
            }
            written.push(edit.document.clone());
        }
        if let Some(next) = plan.next_decision {
            let path = layout::registry();
            let old = self.tree.read(&path)?.unwrap_or_default();
            let new = yaml::edit::set_scalar(&old, &["decision_counter", "next_id"], &next.to_string())
                .map_err(|e| Refused::Registry(e.say(self.context.voice())))?;
            if new != old {
                self.put(&mut transaction, &path, new)?;
                written.push(path);
            }
        }
        let reset = record::code_reset(change, self.locale()?);
        if let Some(reset) = &reset {
            let tasks = self.folder.path.join("tasks.md");
            transaction.replace(
                &tasks,
                Some(Digest::of(change.tasks.bytes())),
                reset.tasks.clone(),
            );
            let log = self.folder.path.join(record::CODE_AUTORESET);
            let mut lines = self.tree.read(&log)?.unwrap_or_default();
            lines.extend(record::code_reset_line(now, reset));
            self.put(&mut transaction, &log, lines)?;
            written.extend([tasks, log]);
        }
        let documents: Vec<&RepoPath> = change.counting().filter_map(|d| d.target.as_ref()).collect();
        let marker = self.folder.path.join(SPEC_MERGED);
        let content = if without_delta {
            record::no_delta(now)
        } else {
            record::merged(now, base.commit, &documents)
        };
        transaction.replace(&marker, None, content);
        written.push(marker);

        let place = self.context.place()?;
        let commits = !self.options.no_commit && !self.options.prompts(self.context);
        let mut done = Done {
            plan,
            without_delta,
            reset: reset.is_some(),
            base: base.commit,
            in_repository: self.repository.is_some(),
            committed: None,
            ignored: Vec::new(),
        };
        let Some(repository) = self.repository.filter(|_| commits) else {
            transaction.commit()?;
            return Ok(Outcome::Merged(done));
        };
        let paths = written.iter().map(|p| p.below(&place.prefix)).collect();
        let commit = repository.plan_commit(paths, &[])?;
        transaction.announce(
            commit
                .announced()
                .iter()
                .filter_map(|p| p.strip_prefix(&place.prefix)),
        );
        let slug = self.folder.slug.as_str();
        let subject = format!("docs({slug}): merge spec deltas");
        let base = base.commit.map(|id| id.to_string());
        let mut trailers = vec![(crate::git::SPEC_CHANGE, slug)];
        trailers.extend(base.as_deref().map(|base| ("Spec-Base", base)));
        done.ignored.clone_from(&commit.ignored);
        done.committed = transaction.commit_then(|_| -> Result<Option<Committed>, Refused> {
            if commit.is_empty() {
                return Ok(None);
            }
            Ok(Some(repository.commit(&commit, &subject, &trailers)?))
        })?;
        Ok(Outcome::Merged(done))
    }
}

/// The delta that is the new document as it stands, its mode included.
fn whole_file<'c>(change: &'c Change, document: &RepoPath) -> Option<&'c Delta> {
    let mut whole = change.counting().filter(|delta| delta.sections().is_none());
    whole.find(|delta| delta.target.as_ref() == Some(document))
}

/// Findings of L8: what `merge --prompt` refuses, whose reader settles the rest.
fn is_conservation(code: ConflictCode) -> bool {
    matches!(
        code,
        ConflictCode::AnchorUnresolvable | ConflictCode::ImplicitIdRemoval | ConflictCode::RemovedUnknownId
    )
}

fn print(slug: &str, outcome: &Outcome, recovered: Recovered, screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    report::print_recovered(recovered, screen)?;
    match outcome {
        Outcome::Already => {
            let text = say!(
                voice,
                "`{slug}` is merged already; nothing was done",
                "`{slug}` 已合并；未做任何事"
            );
            screen.line(&text)
        }
        Outcome::Conflicts(refusal) => {
            report::print_conflicts(refusal, screen)?;
            let count = refusal.conflicts.len();
            screen.warn(&say!(
                voice,
                "`{slug}` was not merged, nothing was written; conflicts: {count}",
                "`{slug}` 未合并：{count} 处冲突；未写入任何内容"
            ))
        }
        Outcome::Findings(findings) => {
            for violation in findings {
                let (code, path) = (violation.code.as_str(), &violation.finding.at.path);
                screen.warn(&format!(
                    "Error [{code}]: {path}: {}",
                    violation.finding.message.say(voice)
                ))?;
                if let Some(fix) = &violation.finding.fix {
                    screen.warn(&format!("  → {}", fix.say(voice)))?;
                }
            }
            Ok(())
        }
        Outcome::DryRun(plan) => {
            if plan.edits.is_empty() {
                screen.line(&say!(voice, "no document would change", "不会改动任何文档"))?;
            }
            report::unified_diff(&plan.edits, screen)
        }
        Outcome::Prompted(path) => screen.line(&say!(
            voice,
            "`{path}` tells how to apply the deltas of `{slug}`",
            "`{path}` 说明了如何应用 `{slug}` 的 delta"
        )),
        Outcome::Merged(done) => print_done(slug, done, screen),
    }
}

fn print_done(slug: &str, done: &Done, screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    let count = done.plan.edits.len();
    let headline = if done.without_delta && count == 0 {
        say!(
            voice,
            "`{slug}` has no deltas; it counts as merged",
            "`{slug}` 没有 delta；视为已合并"
        )
    } else {
        say!(
            voice,
            "merged `{slug}`; documents changed: {count}",
            "已合并 `{slug}`：改动 {count} 个文档"
        )
    };
    screen.line(&headline)?;
    for edit in &done.plan.edits {
        let letter = match (&edit.old, &edit.new) {
            (None, _) => "A",
            (_, None) => "D",
            (Some(_), Some(_)) => "M",
        };
        screen.line(&format!("  {letter} {}", edit.document))?;
    }
    if done.reset {
        screen.line(&say!(
            voice,
            "  the [code] list of tasks.md was put back; the old one is in CODE_AUTORESET",
            "  tasks.md 的 [code] 清单已重置；原清单保存在 CODE_AUTORESET"
        ))?;
    }
    if done.base.is_none() && !done.without_delta {
        screen.warn(&say!(
            voice,
            "warning: no base was found, so the documents as they are stood for it",
            "警告：未找到基线，以文档现状代替"
        ))?;
    }
    for path in &done.ignored {
        screen.warn(&say!(
            voice,
            "warning: `{path}` is ignored by git and not in the commit",
            "警告：`{path}` 被 git 忽略，未进入提交"
        ))?;
    }
    match &done.committed {
        Some(committed) => report::print_committed(committed, screen)?,
        None if done.in_repository => screen.line(&say!(voice, "no commit was made", "未提交"))?,
        None => {}
    }
    let next = Invocation::new("archive", &[slug]).say(voice);
    screen.line(&say!(voice, "when it is done: {next}", "全部完成后：{next}"))
}
