//! The answer of `change` (logos-project.md 8.4).

use std::io;

use serde::Serialize;

use super::{Answer, Screen, Style, worktree};
use crate::change::create::ModuleSource;
use crate::files::RepoPath;
use crate::project::Slug;
use crate::say;
use crate::text::escape;
use crate::voice::{Invocation, Say, Voice};
use crate::worktree::Added;

/// A change that was made.
pub struct Created {
    pub slug: Slug,
    pub module: String,
    pub source: ModuleSource,
    pub path: RepoPath,
    pub files: Vec<RepoPath>,
    /// The work tree that was made for it; the paths are from the project's folder there.
    pub worktree: Option<Added>,
}

#[derive(Serialize)]
pub struct Data {
    slug: String,
    module: String,
    module_source: &'static str,
    path: String,
    files: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    worktree: Option<worktree::Data>,
}

fn why(source: ModuleSource, voice: &Voice) -> String {
    match source {
        ModuleSource::Explicit => say!(voice, "named with `--module`", "由 `--module` 指定"),
        ModuleSource::Only => say!(voice, "the only one registered", "唯一注册的模块"),
        ModuleSource::Core => say!(voice, "the default of several", "多个模块中的默认模块"),
        ModuleSource::Fallback => say!(voice, "none is registered", "尚未注册模块"),
    }
}

impl Answer for Created {
    type Data = Data;

    fn data(&self, _: &Voice) -> Data {
        Data {
            slug: self.slug.as_str().to_owned(),
            module: self.module.clone(),
            module_source: self.source.as_str(),
            path: self.path.text().into_owned(),
            files: self.files.iter().map(|f| f.text().into_owned()).collect(),
            worktree: self.worktree.as_ref().map(worktree::Data::of),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        if let Some(added) = &self.worktree {
            worktree::print(added, screen)?;
        }
        let (slug, module, why) = (&self.slug, escape(&self.module), why(self.source, voice));
        let done = say!(
            voice,
            "change `{slug}` begun for module `{module}` ({why})",
            "已为模块 `{module}`（{why}）开始变更 `{slug}`"
        );
        screen.line(&screen.paint(Style::Good, &done))?;
        for file in &self.files {
            screen.line(&format!("  {file}"))?;
        }
        if !self.slug.is_strict() {
            screen.line(&say!(
                voice,
                "note: `{slug}` works, but the recommended form has only `a`-`z`, digits and `-`",
                "提示：`{slug}` 可用，但推荐只用 `a`-`z`、数字和 `-`"
            ))?;
        }
        let next = Invocation::new("change-lint", &[]).say(voice);
        screen.line(&say!(
            voice,
            "fill in proposal.md and tasks.md, write deltas below deltas/, then `{next}`",
            "请填写 proposal.md 和 tasks.md，在 deltas/ 下写 delta，然后 `{next}`"
        ))
    }
}
