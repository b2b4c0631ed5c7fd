//! `pre-push`: every line of its input is judged, as the remote knows or does not know it (git.md 3.4).

use std::ffi::{OsStr, OsString};

use bstr::{BStr, ByteSlice};

use super::super::{Context, complain};
use super::tell::{self, Cure};
use super::{Error, Verdict, asked};
use crate::check::{Asked, Range};
use crate::files::ObjectId;
use crate::git::{Repository, Standing, Without};
use crate::hooks::{Pushed, pushed};
use crate::say;
use crate::text::escape_bytes;

pub(super) fn run(
    ctx: &Context,
    repository: &Repository,
    args: &[OsString],
    input: &[u8],
) -> Result<Verdict, Error> {
    let mut lines = pushed(input)?;
    let mut remote = args.first().cloned();
    if lines.is_empty() && args.is_empty() {
        (remote, lines) = of_framework(ctx);
    }
    let remote = remote.ok_or(Error::Argument("the name of the remote"))?;
    let push = Push {
        ctx,
        repository,
        asked: asked(repository),
        remote: &remote,
    };
    let mut verdict = Verdict::Accepted;
    for line in &lines {
        if push.judge(line)? == Verdict::Refused {
            verdict = Verdict::Refused;
        }
    }
    Ok(verdict)
}

/// The pre-commit framework reads the lines itself and tells one range in variables.
fn of_framework(ctx: &Context) -> (Option<OsString>, Vec<Pushed>) {
    let id = |name: &str| ObjectId::from_hex(&ctx.env.text(name)?).filter(|id| !id.is_zeros());
    let line = id("PRE_COMMIT_TO_REF").map(|local| Pushed {
        local_name: "HEAD".into(),
        local: Some(local),
        reference: ctx
            .env
            .text("PRE_COMMIT_REMOTE_BRANCH")
            .unwrap_or_else(|| "refs/heads/HEAD".to_owned())
            .into(),
        remote: id("PRE_COMMIT_FROM_REF"),
    });
    let remote = ctx.env.get("PRE_COMMIT_REMOTE_NAME").unwrap_or_default();
    (Some(remote), line.into_iter().collect())
}

struct Push<'a> {
    ctx: &'a Context,
    repository: &'a Repository,
    asked: Asked<'a>,
    remote: &'a OsStr,
}

impl Push<'_> {
    fn judge(&self, line: &Pushed) -> Result<Verdict, Error> {
        let name = line.reference.as_bstr();
        let is_tag = name.starts_with_str("refs/tags/");
        let is_branch = name.starts_with_str("refs/heads/") || name.starts_with_str("refs/for/");
        let Some(local) = line.local.filter(|_| is_tag || is_branch) else {
            return Ok(Verdict::Accepted);
        };
        let Some(head) = self.repository.commit_of(local)? else {
            tell::no_commit(self.ctx, name);
            return Ok(Verdict::Accepted);
        };
        let known = line.remote.filter(|_| is_branch);
        let here = known
            .map(|known| self.repository.commit_of(known))
            .transpose()?
            .flatten();
        if let (Some(known), None) = (known, here) {
            self.say_unknown(name, known);
        }
        let without = match here {
            Some(base) => Without {
                commits: vec![base],
                of: Standing::Nothing,
            },
            None => Without {
                commits: Vec::new(),
                of: Standing::Remote(self.remote),
            },
        };
        let base = match here {
            Some(base) => Some(base),
            None => self.merge_base(head)?,
        };
        let commits = self.repository.range(&[head], &without, false)?;
        if commits.is_empty() {
            return Ok(Verdict::Accepted);
        }
        let judgement = self.asked.judge_range(&Range {
            commits,
            base,
            head,
            first_parent: false,
            policy: base,
            with_result: is_branch,
        })?;
        let from = base.map_or_else(|| "0".repeat(head.as_bytes().len() * 2), |base| base.short());
        let cure = Cure {
            check: vec![format!("{from}..{}", head.short())],
            client: true,
        };
        Ok(tell::findings(self.ctx, &judgement.found, &cure))
    }

    /// What a new branch has in common with the default branch of the remote.
    fn merge_base(&self, head: ObjectId) -> Result<Option<ObjectId>, Error> {
        let mut name = b"refs/remotes/".to_vec();
        name.extend_from_slice(self.remote.as_encoded_bytes());
        name.extend_from_slice(b"/HEAD");
        let Some(target) = self.repository.symbolic_target(name.as_bstr())? else {
            return Ok(None);
        };
        let Some(tip) = self.repository.reference(target.as_bstr())? else {
            return Ok(None);
        };
        Ok(self.repository.shared_bases(tip, head)?.first().copied())
    }

    fn say_unknown(&self, name: &BStr, known: ObjectId) {
        let (name, known) = (escape_bytes(name), known.short());
        let remote = escape_bytes(self.remote.as_encoded_bytes());
        complain(&say!(
            self.ctx.voice(),
            "git-spec: `{name}` is at {known} there, which is not here; what no branch of `{remote}` has is judged (`git fetch {remote}` tells more)",
            "git-spec: 远端 `{name}` 位于 {known}，本地没有；将判定 `{remote}` 任何分支都没有的提交（`git fetch {remote}` 可获知更多）"
        ));
    }
}
