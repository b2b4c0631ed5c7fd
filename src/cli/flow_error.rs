//! What can go wrong in the commands that derive from the flow: `status`, `next`, `watch`.

use super::trouble::{Trouble, through_trouble};
use super::usage::Usage;
use crate::flow::DeriveError;
use crate::say;
use crate::text::escape;
use crate::voice::{Fail, Say, Voice};

#[derive(Debug, thiserror::Error)]
pub(super) enum FlowError {
    #[error(transparent)]
    Usage(#[from] Usage),
    #[error(transparent)]
    Derive(#[from] DeriveError),
    #[error("the command of node `{}` cannot be started: {source}", escape(.node))]
    Spawn {
        node: String,
        command: String,
        source: std::io::Error,
    },
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

through_trouble!(FlowError);

impl Say for FlowError {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Usage(error) => error.say(voice),
            Self::Derive(error) => error.say(voice),
            Self::Spawn {
                node,
                command,
                source,
            } => {
                let (node, command) = (escape(node), escape(command));
                let errno = source
                    .raw_os_error()
                    .map_or_else(String::new, |code| format!(" (errno {code})"));
                say!(
                    voice,
                    "no shell could be started for the command of node `{node}`, `{command}`: {source}{errno}",
                    "无法为节点 `{node}` 的命令 `{command}` 启动 shell：{source}{errno}"
                )
            }
            Self::Trouble(error) => error.say(voice),
        }
    }
}

impl Fail for FlowError {
    fn code(&self) -> &'static str {
        match self {
            Self::Usage(error) => error.code(),
            Self::Derive(error) => error.code(),
            Self::Spawn { .. } => "FLOW_CMD_SPAWN_FAILED",
            Self::Trouble(error) => error.code(),
        }
    }
}
