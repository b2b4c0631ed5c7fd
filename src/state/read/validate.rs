//! `state validate`: what contradicts itself, the disk, or the format (state.md 8.1).

use crate::files::ReadError;
use crate::say;
use crate::state::body::Body;
use crate::state::front::{FrontMatter, Parts};
use crate::state::malformed::Malformed;
use crate::state::meaning::{is_same_phase, leading_number, phase_number};
use crate::state::phase_id::PhaseId;
use crate::state::phases::PhaseDirectory;
use crate::state::planning::Planning;
use crate::state::roadmap::Scope;
use crate::text::{escape, escape_bytes, is_blank, trim};
use crate::voice::{Say, Voice};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    Malformed(Malformed),
    NoPhase,
    PhasesDiffer {
        sources: Vec<(&'static str, String)>,
    },
    NoDirectory {
        phase: String,
        folder: bool,
    },
    PlanCount {
        said: u64,
        found: u64,
        directory: String,
    },
    Verified {
        directory: String,
    },
    AllDone {
        directory: String,
    },
}

impl Warning {
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Malformed(malformed) => malformed.code(),
            Self::NoPhase => "S002",
            Self::PhasesDiffer { .. } => "S003",
            Self::NoDirectory { .. } => "S004",
            Self::PlanCount { .. } => "S005",
            Self::Verified { .. } => "S006",
            Self::AllDone { .. } => "S007",
        }
    }

    pub const fn severity(&self) -> Severity {
        match self {
            Self::Malformed(_) => Severity::Error,
            Self::NoPhase
            | Self::PhasesDiffer { .. }
            | Self::NoDirectory { .. }
            | Self::PlanCount { .. }
            | Self::Verified { .. }
            | Self::AllDone { .. } => Severity::Warning,
        }
    }

    /// How to mend it.
    pub fn hint(&self, voice: &Voice) -> String {
        let program = &voice.program;
        match self {
            Self::Malformed(malformed) => malformed.hint(voice),
            Self::NoPhase => say!(
                voice,
                "write `Phase: <number> of <total> (<name>)` below `## Current Position`",
                "请在 `## Current Position` 下写入 `Phase: <number> of <total> (<name>)`"
            ),
            Self::PhasesDiffer { .. } => say!(
                voice,
                "`{program} state sync` brings the front matter to the body; correct the body first",
                "先更正正文，再用 `{program} state sync` 使 front matter 与之一致"
            ),
            Self::NoDirectory { .. } => say!(
                voice,
                "make `.planning/phases/<number>-<slug>/`, or correct the phase",
                "请创建 `.planning/phases/<number>-<slug>/`，或更正阶段编号"
            ),
            Self::PlanCount { .. } => say!(
                voice,
                "`{program} state sync` takes the count from the disk",
                "`{program} state sync` 会按磁盘上的计划数更正"
            ),
            Self::Verified { .. } => say!(
                voice,
                "`{program} state complete-phase` closes the phase",
                "`{program} state complete-phase` 会结束该阶段"
            ),
            Self::AllDone { .. } => say!(
                voice,
                "verify the phase, then `{program} state complete-phase`",
                "请先验证该阶段，再运行 `{program} state complete-phase`"
            ),
        }
    }
}

impl Say for Warning {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Malformed(malformed) => malformed.say(voice),
            Self::NoPhase => say!(
                voice,
                "no phase is told: neither `current_phase` nor `Current Phase` nor `Phase` has one",
                "没有阶段：`current_phase`、`Current Phase` 和 `Phase` 均未给出"
            ),
            Self::PhasesDiffer { sources } => {
                let told: Vec<String> = sources
                    .iter()
                    .map(|(source, phase)| format!("`{source}`: {}", escape(phase)))
                    .collect();
                let told = told.join(", ");
                say!(voice, "different phases are told: {told}", "阶段不一致：{told}")
            }
            Self::NoDirectory { phase, folder } => {
                let phase = escape(phase);
                if *folder {
                    say!(
                        voice,
                        "phase {phase} has no directory below `.planning/phases/`",
                        "`.planning/phases/` 下没有阶段 {phase} 的目录"
                    )
                } else {
                    say!(
                        voice,
                        "there is no `.planning/phases/`",
                        "没有 `.planning/phases/`"
                    )
                }
            }
            Self::PlanCount {
                said,
                found,
                directory,
            } => {
                let directory = escape(directory);
                say!(
                    voice,
                    "`Total Plans in Phase` says {said}, `{directory}` has {found}",
                    "`Total Plans in Phase` 为 {said}，而 `{directory}` 有 {found} 个计划"
                )
            }
            Self::Verified { directory } => {
                let directory = escape(directory);
                say!(
                    voice,
                    "the status says executing, but the verification in `{directory}` has passed",
                    "状态为执行中，但 `{directory}` 的验证已通过"
                )
            }
            Self::AllDone { directory } => {
                let directory = escape(directory);
                say!(
                    voice,
                    "the status says executing, but every plan of `{directory}` has its summary",
                    "状态为执行中，但 `{directory}` 的每个计划都已有总结"
                )
            }
        }
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validation {
    pub warnings: Vec<Warning>,
    /// None: the file cannot be judged at all.
    pub scope: Option<Scope>,
}

/// Validates a document.
pub fn validate(bytes: &[u8], planning: &Planning<'_>) -> Result<Validation, ReadError> {
    let malformed = Malformed::all(bytes);
    let unreadable = malformed.iter().any(Malformed::hides_the_rest);
    let mut warnings: Vec<Warning> = malformed.into_iter().map(Warning::Malformed).collect();
    let Some(content) = std::str::from_utf8(bytes).ok().filter(|_| !unreadable) else {
        return Ok(Validation {
            warnings,
            scope: None,
        });
    };
    judge(content, planning, &mut warnings)?;
    let mut scope = planning.scope()?;
    if scope == Scope::Unreadable && !planning.has_phases_dir()? {
        // Without phases nothing was counted that a roadmap could have left out.
        scope = Scope::Complete;
    }
    Ok(Validation {
        warnings,
        scope: Some(scope),
    })
}

fn judge(content: &str, planning: &Planning<'_>, warnings: &mut Vec<Warning>) -> Result<(), ReadError> {
    let parts = Parts::of(content);
    let body = Body::new(parts.body);
    let front = parts.front.unwrap_or_default();
    let sources = sources(&front, &body);
    let Some((_, phase)) = sources.first().cloned() else {
        warnings.push(Warning::NoPhase);
        return Ok(());
    };
    if sources.iter().any(|(_, other)| !is_same_phase(&phase, other)) {
        warnings.push(Warning::PhasesDiffer { sources });
    }
    let id = PhaseId::leading(trim(&phase)).map(|found| found.id);
    let directory = match id {
        Some(id) if planning.has_phases_dir()? => planning.directory_of(&id)?,
        _ => None,
    };
    let Some(directory) = directory else {
        warnings.push(Warning::NoDirectory {
            phase,
            folder: planning.has_phases_dir()?,
        });
        return Ok(());
    };
    judge_directory(&front, &body, planning, &directory, warnings)
}

/// The places that tell a phase, in the order in which they count.
fn sources(front: &FrontMatter, body: &Body) -> Vec<(&'static str, String)> {
    let filled = |text: Option<&str>| text.filter(|text| !is_blank(text)).map(str::to_owned);
    [
        ("current_phase", filled(front.text("current_phase"))),
        ("Current Phase", filled(body.value("Current Phase"))),
        ("Phase", filled(body.value("Phase").and_then(phase_number))),
    ]
    .into_iter()
    .filter_map(|(source, phase)| Some((source, phase?)))
    .collect()
}

fn judge_directory(
    front: &FrontMatter,
    body: &Body,
    planning: &Planning<'_>,
    directory: &PhaseDirectory,
    warnings: &mut Vec<Warning>,
) -> Result<(), ReadError> {
    let name = || escape_bytes(&directory.name);
    let said = body.value("Total Plans in Phase").and_then(leading_number);
    if let Some(said) = said.filter(|said| *said != directory.plans) {
        warnings.push(Warning::PlanCount {
            said,
            found: directory.plans,
            directory: name(),
        });
    }
    let status = front.stored("status").or_else(|| body.value("Status"));
    if !status.is_some_and(|status| status.to_lowercase().contains("executing")) {
        return Ok(());
    }
    if planning.is_verified(directory)? {
        warnings.push(Warning::Verified { directory: name() });
    } else if directory.verifications.is_empty() && directory.plans > 0 && directory.done == directory.plans {
        warnings.push(Warning::AllDone { directory: name() });
    }
    Ok(())
}
