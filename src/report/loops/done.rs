//! The answers of the commands of `loop` that change something, or hold it against a record (loop.md 7).

use std::io;

use serde::Serialize;
use serde_json::Value;

use super::{int, shown};
use crate::loops::artifact::Standing;
use crate::loops::{Mode, Phase, Ran, Refused, Termination};
use crate::report::{Answer, Exit, Screen};
use crate::voice::{Say, Voice};

/// Where a loop stands after a command.
pub struct Stands {
    pub phase: Phase,
    pub termination: Option<Termination>,
    pub mode: Mode,
    /// Where it came from, after a transition.
    pub from: Option<Phase>,
}

#[derive(Serialize)]
pub struct StandsData {
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<&'static str>,
    phase: &'static str,
    termination: Option<&'static str>,
    mode: &'static str,
}

impl Answer for Stands {
    type Data = StandsData;

    fn data(&self, _: &Voice) -> StandsData {
        StandsData {
            from: self.from.map(Phase::as_str),
            to: self.from.map(|_| self.phase.as_str()),
            phase: self.phase.as_str(),
            termination: self.termination.map(Termination::as_str),
            mode: self.mode.as_str(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let status = self.termination.map_or("unknown", Termination::as_str);
        let from = self
            .from
            .map(|from| format!("{} -> ", from.as_str()))
            .unwrap_or_default();
        screen.line(&format!(
            "{from}{} ({status}, {})",
            self.phase.as_str(),
            self.mode.as_str()
        ))
    }
}

/// `artifact record`.
pub struct Recorded {
    pub key: String,
    pub checksum: String,
    pub version: i128,
}

#[derive(Serialize)]
pub struct RecordedData {
    key: String,
    checksum: String,
    version: Value,
}

impl Answer for Recorded {
    type Data = RecordedData;

    fn data(&self, _: &Voice) -> RecordedData {
        RecordedData {
            key: self.key.clone(),
            checksum: self.checksum.clone(),
            version: int(self.version),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        screen.line(&format!(
            "{}: {} (version {})",
            self.key, self.checksum, self.version
        ))
    }
}

/// `artifact verify`.
pub struct Artifacts(pub Vec<(&'static str, Standing)>);

#[derive(Serialize)]
pub struct ArtifactsData {
    valid: bool,
    artifacts: Vec<ArtifactData>,
}

#[derive(Serialize)]
struct ArtifactData {
    key: &'static str,
    status: &'static str,
}

impl Answer for Artifacts {
    type Data = ArtifactsData;

    fn data(&self, _: &Voice) -> ArtifactsData {
        let of = |(key, standing): &(&'static str, Standing)| ArtifactData {
            key,
            status: standing.as_str(),
        };
        ArtifactsData {
            valid: self.0.iter().all(|(_, standing)| standing.is_sound()),
            artifacts: self.0.iter().map(of).collect(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        for (key, standing) in &self.0 {
            screen.line(&format!("{key}: {}", standing.as_str()))?;
        }
        Ok(())
    }

    fn exit(&self) -> Exit {
        let sound = self.0.iter().all(|(_, standing)| standing.is_sound());
        if sound { Exit::Done } else { Exit::Found }
    }
}

/// `confirm` and `approve`.
pub struct Confirmation {
    /// The `pending_confirmation` of the state.
    pub pending: Value,
    pub mode: Mode,
    pub plan_confirmed: bool,
}

#[derive(Serialize)]
pub struct ConfirmationData {
    pending_confirmation: Value,
    mode: &'static str,
    plan_confirmed: bool,
}

impl Answer for Confirmation {
    type Data = ConfirmationData;

    fn data(&self, _: &Voice) -> ConfirmationData {
        ConfirmationData {
            pending_confirmation: self.pending.clone(),
            mode: self.mode.as_str(),
            plan_confirmed: self.plan_confirmed,
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let of = |key: &str| self.pending.get(key).map_or_else(|| "null".to_owned(), shown);
        screen.line(&format!("{}: {}", of("id"), of("status")))
    }
}

/// `complete`.
pub struct Completed {
    pub refused: Option<Refused>,
    pub ran: Vec<Ran>,
}

#[derive(Serialize)]
pub struct CompletedData {
    completed: bool,
    rule: Option<&'static str>,
    reason: Option<String>,
    commands: Vec<RanData>,
}

#[derive(Serialize)]
struct RanData {
    command: String,
    exit_code: Option<i32>,
}

impl Answer for Completed {
    type Data = CompletedData;

    fn data(&self, voice: &Voice) -> CompletedData {
        let of = |ran: &Ran| RanData {
            command: ran.command.clone(),
            exit_code: ran.exit_code,
        };
        CompletedData {
            completed: self.refused.is_none(),
            rule: self.refused.as_ref().map(Refused::rule),
            reason: self.refused.as_ref().map(|refused| refused.say(voice)),
            commands: self.ran.iter().map(of).collect(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        match &self.refused {
            None => screen.line("complete"),
            Some(refused) => {
                let line = format!("{}: {}", refused.rule(), refused.say(screen.voice));
                screen.line(&line)
            }
        }
    }

    fn exit(&self) -> Exit {
        if self.refused.is_none() {
            Exit::Done
        } else {
            Exit::Found
        }
    }
}
