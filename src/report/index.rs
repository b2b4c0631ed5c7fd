//! The answer of `index` (logos-project.md 9.5 and 12).

use std::io;

use serde::Serialize;

use super::detect::YamlDiagnostics;
use super::{Answer, Screen, Style};
use crate::project::{Diagnostics, layout};
use crate::say;
use crate::text::escape;
use crate::voice::Voice;

/// What became of an index prompt.
pub struct Indexed {
    /// How many documents it lists; with none there is no prompt.
    pub files: usize,
    pub damage: Option<Diagnostics>,
}

#[derive(Serialize)]
pub struct Data {
    prompt_path: Option<&'static str>,
    files: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    yaml_diagnostics: Option<YamlDiagnostics>,
}

impl Answer for Indexed {
    type Data = Data;

    fn data(&self, voice: &Voice) -> Data {
        let damage = self.damage.as_ref();
        Data {
            prompt_path: (self.files > 0).then_some(layout::INDEX_PROMPT),
            files: self.files,
            yaml_diagnostics: damage.map(|damage| YamlDiagnostics::of(damage, voice)),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        let (prompt, registry, files) = (layout::INDEX_PROMPT, layout::REGISTRY, self.files);
        if files == 0 {
            screen.line(&say!(
                voice,
                "nothing to index: the document groups, `spec/` and `skills/` are empty",
                "没有可索引的文档：各文档组、`spec/` 和 `skills/` 均为空"
            ))?;
        } else {
            let done = say!(
                voice,
                "`{prompt}` written; documents: {files}",
                "已写入 `{prompt}`；文档：{files} 个"
            );
            screen.line(&screen.paint(Style::Good, &done))?;
            screen.line(&say!(
                voice,
                "it says how to bring `resource_index` in `{registry}` up to date; hand it to whoever does that",
                "其中说明如何更新 `{registry}` 的 `resource_index`；请交给负责更新的人"
            ))?;
        }
        for message in self.damage.iter().flat_map(|damage| damage.messages(voice)) {
            screen.warn(&escape(&message))?;
        }
        Ok(())
    }
}
