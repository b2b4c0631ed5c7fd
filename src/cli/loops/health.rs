//! What `doctor` tells of a loop: whether its state is one, and whether its gate state is the one that was written.

use super::look::judge;
use super::place::{Place, StateFile};
use crate::cli::Context;
use crate::finding::Severity;
use crate::loops::Error;
use crate::say;
use crate::text::escape;
use crate::voice::{Say, Voice};

/// One thing that is wrong.
#[derive(Clone, Debug)]
pub(in crate::cli) enum Illness {
    /// The first fault of the state, and how many more there are.
    State { first: String, more: usize },
    /// The gate state below the git directory cannot be had.
    Gate(String),
    /// Its copy in the loop's folder is another one.
    Copy,
}

/// Looks at the loop of the project, if there is one. Nothing is written.
pub(in crate::cli) fn look(context: &Context) -> Vec<Illness> {
    let place = Place::find(context);
    if !place.has_folder() {
        return Vec::new();
    }
    let voice = context.voice();
    let differs = place.stored().and_then(|stored| match stored {
        Some(stored) => stored.differs_from_copy(&place.tree()),
        None => Ok(false),
    });
    let gate = match differs {
        Ok(false) => None,
        Ok(true) => Some(Illness::Copy),
        // Without a gate state the state cannot be judged either.
        Err(error) => return vec![Illness::Gate(error.say(voice))],
    };
    let state = match judge(&StateFile::find(context, None)) {
        Ok(found) => found.errors.first().map(|first| Illness::State {
            first: format!("`{}`: {}", escape(&first.path), first.code.say(voice)),
            more: found.errors.len() - 1,
        }),
        Err(error) => Some(Illness::Gate(error.say(voice))),
    };
    state.into_iter().chain(gate).collect()
}

/// Writes the copy of the gate state anew, if it is another one.
pub(in crate::cli) fn mend(context: &Context) -> Result<(), String> {
    let restore = || -> Result<(), Error> {
        let place = Place::find(context);
        match place.stored()? {
            Some(stored) if stored.differs_from_copy(&place.tree())? => {
                place.write_own(context, |held| held.restore_copy()).map(|_| ())
            }
            Some(_) | None => Ok(()),
        }
    };
    restore().map_err(|error| error.say(context.voice()))
}

impl Illness {
    pub(in crate::cli) const fn code(&self) -> &'static str {
        match self {
            Self::State { .. } => "loop_state_invalid",
            Self::Gate(_) => "loop_gate_broken",
            Self::Copy => "loop_gate_edited",
        }
    }

    pub(in crate::cli) const fn severity(&self) -> Severity {
        match self {
            Self::State { .. } | Self::Gate(_) => Severity::Error,
            Self::Copy => Severity::Warning,
        }
    }

    pub(in crate::cli) fn cure(&self, voice: &Voice) -> String {
        let program = &voice.program;
        match self {
            Self::State { .. } => say!(
                voice,
                "`{program} loop validate` tells all of it",
                "`{program} loop validate` 会列出全部问题"
            ),
            Self::Gate(_) => say!(
                voice,
                "see what changed it; no command of the loop goes on from it",
                "请查明是什么改动了它；循环的命令都不会继续"
            ),
            Self::Copy => say!(
                voice,
                "`{program} doctor --fix` writes it anew",
                "`{program} doctor --fix` 会重新写入"
            ),
        }
    }
}

impl Say for Illness {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::State { first, more: 0 } => say!(
                voice,
                "the state of the loop is none: {first}",
                "循环的状态无效：{first}"
            ),
            Self::State { first, more } => say!(
                voice,
                "the state of the loop is none: {first}, and {more} more",
                "循环的状态无效：{first}，另有 {more} 处"
            ),
            Self::Gate(said) => say!(
                voice,
                "the gate state of the loop cannot be relied on: {said}",
                "循环的闸门状态不可信：{said}"
            ),
            Self::Copy => say!(
                voice,
                "`gate_state.json` of the loop is not what is stored; it counts for nothing",
                "循环的 `gate_state.json` 与存储的内容不同；它不起作用"
            ),
        }
    }
}
