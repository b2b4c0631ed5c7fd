//! The answer of `trust` (git.md 9).

use std::io;

use serde::Serialize;

use super::{Answer, Screen, Style};
use crate::files::{Digest, RepoPath, Weakness};
use crate::flow::ResolvedFlow;
use crate::flow::trust::Entry;
use crate::say;
use crate::text::escape;
use crate::voice::Voice;

/// What is trusted, and what became so or is so no longer.
pub struct Trusted {
    pub trusted: Vec<TrustedFile>,
    pub revoked: Vec<Entry>,
    /// Something was to be trusted no longer.
    pub is_revoking: bool,
    pub records: Vec<Recorded>,
    /// The record could not be believed: it counted as empty.
    pub weakness: Option<Weakness>,
}

/// A flow file that is trusted from now on.
#[derive(Clone, Serialize)]
pub struct TrustedFile {
    path: String,
    sha256: String,
    /// It was not trusted before.
    new: bool,
    commands: Vec<CommandData>,
}

#[derive(Clone, Serialize)]
struct CommandData {
    node: String,
    field: &'static str,
    command: String,
}

/// An entry of the record.
pub struct Recorded {
    pub entry: Entry,
    /// The file in this work tree is still the one that was recorded.
    pub is_current: bool,
}

#[derive(Serialize)]
pub struct Data {
    trusted: Vec<TrustedFile>,
    revoked: Vec<EntryData>,
    records: Vec<RecordData>,
}

#[derive(Serialize)]
struct EntryData {
    path: String,
    sha256: String,
    trusted_at: String,
}

#[derive(Serialize)]
struct RecordData {
    #[serde(flatten)]
    entry: EntryData,
    current: bool,
}

impl TrustedFile {
    pub fn of(flow: &ResolvedFlow, path: &RepoPath, digest: &Digest, new: bool) -> Self {
        let commands = flow.commands().into_iter().map(|(node, command)| CommandData {
            node: node.id().to_owned(),
            field: command.key,
            command: command.text,
        });
        Self {
            path: path.text().into_owned(),
            sha256: digest.hex(),
            new,
            commands: commands.collect(),
        }
    }
}

impl EntryData {
    fn of(entry: &Entry) -> Self {
        Self {
            path: entry.path.clone(),
            sha256: entry.digest.clone(),
            trusted_at: entry.time.clone(),
        }
    }
}

impl Answer for Trusted {
    type Data = Data;

    fn data(&self, _: &Voice) -> Data {
        let record = |recorded: &Recorded| RecordData {
            entry: EntryData::of(&recorded.entry),
            current: recorded.is_current,
        };
        Data {
            trusted: self.trusted.clone(),
            revoked: self.revoked.iter().map(EntryData::of).collect(),
            records: self.records.iter().map(record).collect(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        if let Some(weakness) = self.weakness {
            screen.warn(&unsafe_record(weakness, screen.voice))?;
        }
        if !self.trusted.is_empty() {
            return self
                .trusted
                .iter()
                .try_for_each(|file| print_trusted(file, screen));
        }
        if !self.revoked.is_empty() {
            return self.revoked.iter().try_for_each(|entry| {
                let path = escape(&entry.path);
                screen.line(&say!(
                    screen.voice,
                    "`{path}` is trusted no longer",
                    "不再信任 `{path}`"
                ))
            });
        }
        if self.is_revoking {
            return screen.line(&say!(
                screen.voice,
                "nothing of this was trusted",
                "其中没有受信任的内容"
            ));
        }
        if self.records.is_empty() {
            return screen.line(&say!(
                screen.voice,
                "no flow file is trusted in this clone",
                "此克隆中没有受信任的流程文件"
            ));
        }
        self.records
            .iter()
            .try_for_each(|recorded| print_record(recorded, screen))
    }
}

fn unsafe_record(weakness: Weakness, voice: &Voice) -> String {
    let why = match weakness {
        Weakness::NotAFile => say!(voice, "it is no regular file", "它不是普通文件"),
        Weakness::WritableByOthers => say!(voice, "others can write it", "他人可写"),
        Weakness::ForeignOwner => say!(voice, "it belongs to someone else", "它属于他人"),
        Weakness::Unreadable => say!(voice, "it cannot be read", "无法读取"),
    };
    say!(
        voice,
        "the record of trust in the git directory counts as empty: {why}",
        "git 目录中的信任记录视为空：{why}"
    )
}

fn print_trusted(file: &TrustedFile, screen: &mut Screen<'_>) -> io::Result<()> {
    let (voice, path) = (screen.voice, escape(&file.path));
    let line = if file.new {
        say!(
            voice,
            "`{path}` is trusted as it is now",
            "已信任 `{path}` 的当前内容"
        )
    } else {
        say!(
            voice,
            "`{path}` is trusted already",
            "早已信任 `{path}` 的当前内容"
        )
    };
    screen.line(&screen.paint(Style::Good, &line))?;
    if file.commands.is_empty() {
        return screen.line(&say!(voice, "  it has no commands", "  其中没有命令"));
    }
    for command in &file.commands {
        let (node, text) = (escape(&command.node), escape(&command.command));
        screen.line(&format!("  {node} {}: {text}", command.field))?;
    }
    Ok(())
}

fn print_record(recorded: &Recorded, screen: &mut Screen<'_>) -> io::Result<()> {
    let Entry { digest, path, time } = &recorded.entry;
    let (voice, path, time) = (screen.voice, escape(path), escape(time));
    let line = format!("{}  {path}  {time}", &digest[..12]);
    if recorded.is_current {
        return screen.line(&line);
    }
    let other = say!(voice, "not what stands there now", "与当前内容不同");
    screen.line(&format!("{line}  {}", screen.paint(Style::Dim, &other)))
}
