//! The answer of `silly guard` (silly.md 7): nothing for a call that is allowed.

use std::io;

use serde::Serialize;

use super::super::{Answer, Exit, Screen};
use crate::guard::silly::{RULE, Reason};
use crate::say;
use crate::text::escape;
use crate::voice::{Say, Voice};

/// What was decided.
pub struct Guarded(pub Option<Reason>);

#[derive(Serialize)]
pub struct Data {
    decision: &'static str,
    rule: &'static str,
    reason: String,
}

impl Say for Reason {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Unreadable => say!(
                voice,
                "blocked: what came is no tool call in JSON",
                "已阻止：输入不是 JSON 格式的工具调用"
            ),
            Self::NoPath => say!(
                voice,
                "blocked: the call names no file",
                "已阻止：调用没有指明文件"
            ),
            Self::Generated(path) => {
                let path = escape(path);
                say!(
                    voice,
                    "blocked: `{path}` is written by programs only",
                    "已阻止：`{path}` 只能由程序写入"
                )
            }
            Self::NotNow(path) => {
                let path = escape(path);
                say!(
                    voice,
                    "blocked: `{path}` is a source, and sources are written in the stages execute and quick only",
                    "已阻止：`{path}` 是源文件，只能在 execute 和 quick 阶段写入"
                )
            }
            Self::MainTree(path) => {
                let path = escape(path);
                say!(
                    voice,
                    "blocked: `{path}` is in the main tree; sources are written in the work tree of the change",
                    "已阻止：`{path}` 位于主工作树；源文件应在变更的工作树中修改"
                )
            }
            Self::Writes(line) => {
                let line = escape(line);
                say!(
                    voice,
                    "blocked: `{line}` may write, and outside of execute and quick commands only read",
                    "已阻止：`{line}` 可能写入；在 execute 和 quick 之外只能运行只读命令"
                )
            }
            Self::Dangerous(line) => {
                let line = escape(line);
                say!(
                    voice,
                    "blocked: `{line}` is not for the main tree; run it in the work tree of the change",
                    "已阻止：`{line}` 不能在主工作树中运行；请在变更的工作树中运行"
                )
            }
        }
    }
}

impl Answer for Guarded {
    type Data = Option<Data>;

    fn data(&self, voice: &Voice) -> Option<Data> {
        self.0.as_ref().map(|reason| Data {
            decision: "block",
            rule: RULE,
            reason: reason.say(voice),
        })
    }

    /// Hooks show a model what stands on stderr; programs read the line on stdout.
    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let Some(data) = self.data(screen.voice) else {
            return Ok(());
        };
        let line = serde_json::to_string(&data).expect("texts are always JSON");
        writeln!(screen.out, "{line}")?;
        screen.warn(&data.reason)
    }

    fn exit(&self) -> Exit {
        if self.0.is_some() { Exit::Found } else { Exit::Done }
    }
}
