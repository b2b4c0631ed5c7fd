//! The answer of `worktree apply` (git.md 5.7).

use std::io;

use serde::Serialize;

use super::worktree::texts;
use super::{Answer, Screen, Style};
use crate::git::operation_trailers;
use crate::say;
use crate::text::escape;
use crate::voice::Voice;
use crate::worktree::{Applied, Mode};

/// Work that was brought, or could be.
pub struct WorktreeApplied {
    pub change: String,
    pub applied: Applied,
}

#[derive(Serialize)]
pub struct Data {
    change: String,
    mode: &'static str,
    base: String,
    paths: Vec<String>,
    head: Option<String>,
    check: bool,
}

impl Answer for WorktreeApplied {
    type Data = Data;

    fn data(&self, _: &Voice) -> Data {
        let applied = &self.applied;
        Data {
            change: self.change.clone(),
            mode: applied.mode.as_str(),
            base: applied.base.to_string(),
            paths: texts(&applied.paths),
            head: applied.head.map(|id| id.to_string()),
            check: applied.checked_only,
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        let change = escape(&self.change);
        let applied = &self.applied;
        if applied.paths.is_empty() && applied.head.is_none() {
            return screen.line(&say!(
                voice,
                "nothing to bring: all of `{change}` is here",
                "无可带入：`{change}` 的内容已全部在此"
            ));
        }
        let line = match (applied.checked_only, applied.mode) {
            (true, _) => say!(voice, "`{change}` can be applied:", "可以带入 `{change}`："),
            (false, Mode::Commits) => say!(voice, "merged `{change}`:", "已合并 `{change}`："),
            (false, Mode::Patch) => say!(voice, "staged from `{change}`:", "已从 `{change}` 暂存："),
        };
        screen.line(&screen.paint(Style::Good, &line))?;
        for path in &applied.paths {
            screen.line(&format!("  {path}"))?;
        }
        if applied.mode == Mode::Patch && !applied.checked_only {
            screen.line(&say!(voice, "for the message of the commit:", "可用于提交说明："))?;
            for trailer in operation_trailers(&self.change, "apply") {
                screen.line(&format!("  {}", escape(trailer.trim_end())))?;
            }
        }
        Ok(())
    }
}
