//! The guards of a driver's loop (loop.md 6): what its tool calls may touch, and what they may run. The rules are tables;
//! the order of the tables is the order of the rules.

mod catastrophe;
mod code;
mod injection;
mod plain;
mod protected;
mod removal;
mod reversible;
mod script;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::say;
use crate::voice::{Say, Voice};
use script::Script;

/// A tool call as the hook's payload has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    pub file_path: Option<String>,
    pub command: Option<String>,
    /// The folder that the tool stands in.
    pub cwd: Option<PathBuf>,
}

impl Call {
    /// Reads a payload; none if it is none.
    pub fn read(payload: &str) -> Option<Self> {
        let payload: Value = serde_json::from_str(payload).ok()?;
        let payload = payload.as_object()?;
        let text = |value: Option<&Value>| match value {
            None | Some(Value::Null) => Some(None),
            Some(Value::String(text)) => Some(Some(text.clone())),
            Some(_) => None,
        };
        let input = match payload.get("tool_input") {
            None | Some(Value::Null) => None,
            Some(input) => Some(input.as_object()?),
        };
        Some(Self {
            file_path: text(input.and_then(|input| input.get("file_path")))?,
            command: text(input.and_then(|input| input.get("command")))?,
            cwd: text(payload.get("cwd"))?
                .map(PathBuf::from)
                .filter(|cwd| cwd.is_absolute()),
        })
    }
}

/// What a command's words mean on this machine.
#[derive(Clone, Debug)]
pub struct Ground {
    /// The root of the project, without links.
    pub root: PathBuf,
    /// Where the command begins.
    pub cwd: PathBuf,
    pub home: Option<PathBuf>,
    /// The folder for temporary files, beside the usual ones.
    pub temporary: Option<PathBuf>,
    /// Where a path without `.` and `..` leads when links are followed; what is not there leads where its words say.
    pub real: fn(&Path) -> PathBuf,
}

/// Why a call is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub rule: &'static str,
    what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    Malformed,
    /// What was found, in the words of the command.
    Found(String),
}

impl Hit {
    /// The payload is none.
    pub const fn malformed(rule: &'static str) -> Self {
        Self {
            rule,
            what: What::Malformed,
        }
    }

    fn of(rule: &'static str, found: impl Into<String>) -> Self {
        Self {
            rule,
            what: What::Found(found.into()),
        }
    }
}

impl Say for Hit {
    fn say(&self, voice: &Voice) -> String {
        match &self.what {
            What::Malformed => say!(
                voice,
                "the payload is no tool call that can be read",
                "输入不是可以读取的工具调用"
            ),
            What::Found(what) => {
                let what = crate::text::escape(what);
                match self.rule {
                    "G1" => say!(
                        voice,
                        "the gate state is written by `loop` alone ({what})",
                        "闸门状态只由 `loop` 写入（{what}）"
                    ),
                    "G2_L1_SEMI_REV" => say!(
                        voice,
                        "this is hard to take back, and the mode is not `unsafe` ({what})",
                        "此操作难以撤销，且模式不是 `unsafe`（{what}）"
                    ),
                    "G2_L4_PATH" => say!(
                        voice,
                        "this path is not for the driver ({what})",
                        "驱动不得使用此路径（{what}）"
                    ),
                    _ => say!(
                        voice,
                        "this command is refused in every mode ({what})",
                        "此命令在任何模式下都被拒绝（{what}）"
                    ),
                }
            }
        }
    }
}

/// G1: whether a call touches the gate state.
pub fn judge_state(call: &Call) -> Option<Hit> {
    let touched = call.file_path.as_deref().and_then(protected::file);
    if let Some(name) = touched {
        return Some(Hit::of("G1", name));
    }
    let command = call.command.as_deref()?;
    let script = Script::read(command, Path::new(""), None);
    let found = script
        .commands()
        .find_map(|(list, at)| protected::touches_gate(list, at))
        .or_else(|| protected::touches_store(&script));
    let found = found.or_else(|| script.unread().find_map(plain::gate));
    found.map(|found| Hit::of("G1", found))
}

/// G2: whether a command may run. `is_unsafe` is asked only if the mode matters.
pub fn judge_command(call: &Call, ground: &Ground, is_unsafe: &dyn Fn() -> bool) -> Option<Hit> {
    let command = call.command.as_deref()?;
    let script = Script::read(command, &ground.cwd, ground.home.as_deref());
    let catastrophe = catastrophe::find(&script, ground)
        .or_else(|| removal::find(&script, ground))
        .or_else(|| code::find(&script))
        .or_else(|| script.unread().find_map(plain::catastrophe));
    if let Some(found) = catastrophe {
        return Some(Hit::of("G2_L0_CATASTROPHIC", found));
    }
    let injected = injection::find(&script).or_else(|| script.unread().find_map(plain::injection));
    if let Some(found) = injected {
        return Some(Hit::of("G2_L0_CODE_INJECTION", found));
    }
    let written = script
        .commands()
        .find_map(|(list, at)| protected::writes_infrastructure(list, at, ground))
        .or_else(|| protected::touches_store(&script))
        .or_else(|| script.unread().find_map(plain::infrastructure));
    if let Some(found) = written {
        return Some(Hit::of("G2_L0_SECURITY_INFRA", found));
    }
    let reversible = reversible::find(&script).or_else(|| script.unread().find_map(plain::reversible));
    if let Some(found) = reversible.filter(|_| !is_unsafe()) {
        return Some(Hit::of("G2_L1_SEMI_REV", found));
    }
    let named = script
        .commands()
        .find_map(|(list, at)| protected::names_path(list, at, ground))
        .or_else(|| script.unread().find_map(plain::path));
    named.map(|found| Hit::of("G2_L4_PATH", found))
}

#[cfg(test)]
mod tests;
