//! The answer of `feature-backfill` (seed 003 §1.5, logos-project.md 11.2 and 12).

use std::io;

use serde::Serialize;

use super::detect::YamlDiagnostics;
use super::envelope::failure_of;
use super::{Answer, Screen, Style};
use crate::baseline::backfill::Invalid;
use crate::clock::Timestamp;
use crate::project::{Diagnostics, layout};
use crate::say;
use crate::text::escape;
use crate::voice::Voice;

/// A prompt that was written.
pub struct Written {
    pub scenarios: usize,
    pub ungrouped: usize,
    pub features: usize,
    /// Candidates that the prompt holds.
    pub candidates: usize,
    pub damage: Option<Diagnostics>,
}

#[derive(Serialize)]
pub struct Data {
    prompt_path: &'static str,
    scenarios_total: usize,
    ungrouped_total: usize,
    features_existing: usize,
    baseline_candidates_total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    yaml_diagnostics: Option<YamlDiagnostics>,
}

impl Answer for Written {
    type Data = Data;

    fn data(&self, voice: &Voice) -> Data {
        let damage = self.damage.as_ref();
        Data {
            prompt_path: layout::BACKFILL_PROMPT,
            scenarios_total: self.scenarios,
            ungrouped_total: self.ungrouped,
            features_existing: self.features,
            baseline_candidates_total: self.candidates,
            yaml_diagnostics: damage.map(|damage| YamlDiagnostics::of(damage, voice)),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let (voice, prompt) = (screen.voice, layout::BACKFILL_PROMPT);
        let done = say!(voice, "`{prompt}` written", "已写入 `{prompt}`");
        screen.line(&screen.paint(Style::Good, &done))?;
        let Self {
            scenarios,
            ungrouped,
            features,
            candidates,
            ..
        } = self;
        screen.line(&say!(
            voice,
            "scenarios: {scenarios}, of these without a feature: {ungrouped}; features: {features}; candidates from existing code: {candidates}",
            "场景：{scenarios} 个，其中未归属功能：{ungrouped} 个；功能：{features} 个；来自现有代码的候选：{candidates} 个"
        ))?;
        let registry = layout::REGISTRY;
        screen.line(&say!(
            voice,
            "it says how to fill in `{registry}`; hand it to whoever does that",
            "其中说明如何填写 `{registry}`；请交给负责填写的人"
        ))?;
        for message in self.damage.iter().flat_map(|damage| damage.messages(voice)) {
            screen.warn(&escape(&message))?;
        }
        Ok(())
    }
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    code: &'a str,
    message: &'a str,
    paths: Vec<String>,
    reason: &'static str,
}

/// The line of an error that names documents.
pub fn failure(command: &str, now: Timestamp, code: &str, message: &str, invalid: &Invalid) -> String {
    let paths = invalid
        .paths
        .iter()
        .map(|path| path.text().into_owned())
        .collect();
    let reason = invalid.reason.as_str();
    failure_of(
        command,
        now,
        ErrorBody {
            code,
            message,
            paths,
            reason,
        },
    )
}
