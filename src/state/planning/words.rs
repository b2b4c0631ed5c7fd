//! What roadmap and disk leave in doubt, in words.

use crate::files::Name;
use crate::say;
use crate::state::phase_id::PhaseId;
use crate::text::escape_bytes;
use crate::voice::{Say, Voice};

/// Something that was counted in a way that a person should know of (state.md 5.6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// Two directories have the same number.
    SameNumber {
        id: PhaseId,
        counted: Name,
        ignored: Name,
    },
    /// The roadmap has several milestones and no heading for the stored one.
    Unbounded { version: String },
}

impl Say for Warning {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::SameNumber { id, counted, ignored } => {
                let (counted, ignored) = (escape_bytes(counted), escape_bytes(ignored));
                say!(
                    voice,
                    "`{counted}` and `{ignored}` are both phase {id}: only `{counted}` is counted",
                    "`{counted}` 和 `{ignored}` 都是阶段 {id}：只统计 `{counted}`"
                )
            }
            Self::Unbounded { version } => {
                let version = crate::text::escape(version);
                say!(
                    voice,
                    "the roadmap has no heading for milestone {version}: its phases cannot be told from those of others",
                    "路线图中没有里程碑 {version} 的标题：无法区分它的阶段与其他里程碑的阶段"
                )
            }
        }
    }
}
