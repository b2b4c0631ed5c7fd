//! `pre-receive`: what a push brings is judged before it is accepted, all or none (git.md 3.5). Policy comes from the
//! receiving repository and from the project as it was, never from what is pushed.

use std::collections::{BTreeSet, HashMap, HashSet};

use bstr::ByteSlice;

use super::super::{Context, complain};
use super::tell::{self, Cure};
use super::{Error, Verdict, asked};
use crate::check::{Found, Range, sort};
use crate::files::ObjectId;
use crate::git::{Repository, Standing, Without};
use crate::hooks::{Received, received};
use crate::say;
use crate::text::escape_bytes;

/// A push of more commits is refused, unless `spec.receive.maxCommits` says otherwise.
const MOST_COMMITS: usize = 100_000;

const INTERNAL: &str = "spec.receive.internal";
const DELETIONS: &str = "spec.receive.deletions";
const REWRITES: &str = "spec.receive.rewrites";

/// What a push may do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leave {
    Allow,
    Deny,
    /// Not to the branch that HEAD names.
    DenyDefault,
}

pub(super) fn run(ctx: &Context, repository: &Repository, input: &[u8]) -> Result<Verdict, Error> {
    let lines = received(input)?;
    let receiver = Receiver {
        ctx,
        repository,
        main: main_branch(repository)?,
    };
    let mut verdict = Verdict::Accepted;
    for line in &lines {
        if let Some(why) = receiver.refuses(line)? {
            complain(&format!("git-spec: {why}"));
            verdict = Verdict::Refused;
        }
    }
    if verdict == Verdict::Refused {
        return Ok(verdict);
    }
    receiver.judge(&lines)
}

/// The commit of the branch that HEAD names, if there is one.
fn main_branch(repository: &Repository) -> Result<Option<ObjectId>, Error> {
    Ok(repository.head()?)
}

struct Receiver<'a> {
    ctx: &'a Context,
    repository: &'a Repository,
    main: Option<ObjectId>,
}

impl Receiver<'_> {
    /// What a key lets pushes do; a word that is none of its own lets nobody pass by mistake.
    fn leave(&self, key: &'static str, default: Leave) -> Result<Leave, Error> {
        let words: &[_] = match key {
            DELETIONS => &[
                ("allow", Leave::Allow),
                ("deny", Leave::Deny),
                ("deny-default", Leave::DenyDefault),
            ],
            _ => &[("allow", Leave::Allow), ("deny", Leave::Deny)],
        };
        let wanted = match key {
            DELETIONS => "`allow`, `deny` or `deny-default`",
            _ => "`allow` or `deny`",
        };
        Ok(self.repository.word(key, words, wanted)?.unwrap_or(default))
    }

    /// Why a line is refused whatever it brings.
    fn refuses(&self, line: &Received) -> Result<Option<String>, Error> {
        let voice = self.ctx.voice();
        let name = escape_bytes(&line.reference);
        if line.reference.starts_with_str("refs/spec/") && self.leave(INTERNAL, Leave::Deny)? != Leave::Allow
        {
            return Ok(Some(say!(
                voice,
                "`{name}`: `refs/spec/` is of one clone; `spec.receive.internal = allow` opens it",
                "`{name}`：`refs/spec/` 仅属于单个克隆；设置 `spec.receive.internal = allow` 可放开"
            )));
        }
        let Some(new) = line.new else {
            let denied = match self.leave(DELETIONS, Leave::Allow)? {
                Leave::Deny => true,
                Leave::DenyDefault => self.is_default(line)?,
                Leave::Allow => false,
            };
            return Ok(denied.then(|| {
                say!(
                    voice,
                    "`{name}`: deletions are denied here (`spec.receive.deletions`)",
                    "`{name}`：此处禁止删除（`spec.receive.deletions`）"
                )
            }));
        };
        let denied = self.leave(REWRITES, Leave::Allow)? == Leave::Deny;
        let (Some(old), true) = (line.old, denied) else {
            return Ok(None);
        };
        let rewritten = match (self.repository.commit_of(old)?, self.repository.commit_of(new)?) {
            (Some(old), Some(new)) => !self.repository.is_ancestor(old, new)?,
            _ => false,
        };
        Ok(rewritten.then(|| {
            say!(
                voice,
                "`{name}`: rewriting history is denied here (`spec.receive.rewrites`)",
                "`{name}`：此处禁止改写历史（`spec.receive.rewrites`）"
            )
        }))
    }

    fn is_default(&self, line: &Received) -> Result<bool, Error> {
        let target = self.repository.symbolic_target(b"HEAD".as_bstr())?;
        Ok(target.is_some_and(|target| target == line.reference))
    }

    fn judge(&self, lines: &[Received]) -> Result<Verdict, Error> {
        let asked = asked(self.repository);
        let most = self
            .repository
            .number("spec.receive.maxCommits")?
            .unwrap_or(MOST_COMMITS);
        // Commits are judged once under each policy: what one line may do, another may not.
        let mut seen: HashMap<Option<ObjectId>, HashSet<ObjectId>> = HashMap::new();
        let mut ranges = BTreeSet::new();
        let mut found: Vec<Found> = Vec::new();
        let mut walked = Vec::new();
        let mut check = Vec::new();
        for line in lines {
            let Some(new) = line.new else { continue };
            let Some(head) = self.repository.commit_of(new)? else {
                tell::no_commit(self.ctx, &line.reference);
                continue;
            };
            let is_branch = !line.reference.starts_with_str("refs/tags/");
            let old = line
                .old
                .map(|old| self.repository.commit_of(old))
                .transpose()?
                .flatten();
            let policy = old.or(self.main);
            let is_default = self.is_default(line)?;
            if !ranges.insert((policy, old, head, is_branch, is_default)) {
                continue;
            }
            // What a branch with an easier policy has let in is judged again where it comes to the default branch.
            let of = if old.is_some() && is_default {
                Standing::Nothing
            } else {
                Standing::All
            };
            let without = Without {
                commits: old.into_iter().collect(),
                of,
            };
            let mut commits = self.repository.range(&[head], &without, false)?;
            if commits.len() > most {
                return Err(Error::TooMany(commits.len(), most));
            }
            let known = seen.entry(policy).or_default();
            commits.retain(|commit| known.insert(commit.id));
            walked.extend(commits.iter().map(|commit| commit.id));
            let base = match (old, self.main) {
                (Some(old), _) => Some(old),
                (None, Some(main)) if is_branch => self.merge_base(main, head)?,
                (None, _) => None,
            };
            let judgement = asked.judge_range(&Range {
                commits,
                base,
                head,
                first_parent: false,
                policy,
                with_result: is_branch,
            })?;
            if check.is_empty() && !crate::check::passes(&judgement.found, false) {
                let from = base.map_or_else(|| "0".repeat(head.as_bytes().len() * 2), |base| base.short());
                check = vec![format!("{from}..{}", head.short())];
            }
            found.extend(judgement.found);
        }
        sort(&mut found, &walked);
        found.dedup_by(|a, b| {
            let key = |f: &Found| {
                (
                    f.finding.at.commit,
                    f.finding.at.path.clone(),
                    f.finding.code,
                    f.item.clone(),
                )
            };
            key(a) == key(b) && a.finding.severity == b.finding.severity
        });
        let cure = Cure { check, client: false };
        Ok(tell::findings(self.ctx, &found, &cure))
    }

    fn merge_base(&self, main: ObjectId, head: ObjectId) -> Result<Option<ObjectId>, Error> {
        Ok(self.repository.shared_bases(main, head)?.first().copied())
    }
}
