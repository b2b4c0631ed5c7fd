//! The answer of `guard` (logos-project.md 13).

use std::io;

use serde::Serialize;

use super::{Answer, Exit, Screen};
use crate::guard::logos::{Decision, Rule};
use crate::say;
use crate::text::escape;
use crate::voice::{Invocation, Say, Voice};

/// What was decided of a tool call.
pub struct Guarded {
    pub decision: Decision,
    /// Whether the call is a command line.
    pub is_command: bool,
}

#[derive(Serialize)]
pub struct Data {
    decision: &'static str,
    rule: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
}

impl Guarded {
    /// Why it is blocked, and what is the way.
    fn reason(&self, voice: &Voice) -> String {
        let subject = self.decision.subject.as_deref().unwrap_or_default();
        let subject = escape(subject);
        if let Some(change) = &self.decision.change {
            let change = escape(change);
            return say!(
                voice,
                "blocked: `{subject}` is a delta of `{change}`, whose plan is not approved yet; only prototypes are drawn before",
                "已阻止：`{subject}` 是 `{change}` 的增量，其计划尚未批准；批准前只能编写原型"
            );
        }
        let way = Invocation::new("change", &["<slug>"]).say(voice);
        if self.decision.rule == Rule::CommandUnreadable {
            return say!(
                voice,
                "blocked: `{subject}` cannot be read as a command, and there is no active change; `{way}` begins one",
                "已阻止：`{subject}` 无法解析为命令，且没有活动变更；用 `{way}` 开始变更"
            );
        }
        if self.is_command {
            return say!(
                voice,
                "blocked: `{subject}` writes, and there is no active change; `{way}` begins one",
                "已阻止：`{subject}` 会写入文件，且没有活动变更；用 `{way}` 开始变更"
            );
        }
        say!(
            voice,
            "blocked: `{subject}` is not to be changed without an active change; `{way}` begins one",
            "已阻止：没有活动变更时不能修改 `{subject}`；用 `{way}` 开始变更"
        )
    }
}

impl Answer for Guarded {
    type Data = Data;

    fn data(&self, _: &Voice) -> Data {
        let (path, command) = match (&self.decision.subject, self.is_command) {
            (subject, true) => (None, subject.clone()),
            (subject, false) => (subject.clone(), None),
        };
        Data {
            decision: if self.decision.allowed { "allow" } else { "block" },
            rule: self.decision.rule.name(),
            path,
            command,
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        if self.decision.allowed {
            return Ok(());
        }
        let reason = self.reason(screen.voice);
        screen.warn(&reason)
    }

    fn exit(&self) -> Exit {
        if self.decision.allowed {
            Exit::Done
        } else {
            Exit::Found
        }
    }
}
