//! What makes STATE.md unreadable to its own tools (state.md 8.1; git.md 2.2, `state_malformed`).

use std::collections::BTreeMap;

use super::front::{Parts, top_keys};
use crate::clock::Timestamp;
use crate::say;
use crate::text::{escape, lines};
use crate::voice::{Say, Voice};

/// One fault, with the line where it stands, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Malformed {
    Nul { line: usize },
    NotUtf8 { line: usize },
    NotClosed,
    KeyTwice { key: String, line: usize, first: usize },
    LastUpdated { value: String, line: usize },
}

impl Malformed {
    /// The code under which `state validate` tells it; the specification names the first only.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Nul { .. } => "S001",
            Self::NotUtf8 { .. } => "S008",
            Self::NotClosed => "S009",
            Self::KeyTwice { .. } => "S010",
            Self::LastUpdated { .. } => "S011",
        }
    }

    /// Whether nothing else can be judged.
    pub const fn hides_the_rest(&self) -> bool {
        matches!(self, Self::Nul { .. } | Self::NotUtf8 { .. })
    }

    /// All faults of a file, in the order of their lines.
    pub fn all(bytes: &[u8]) -> Vec<Self> {
        let line_of = |at: usize| line_at(bytes, at);
        if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
            return vec![Self::Nul { line: line_of(at) }];
        }
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                return vec![Self::NotUtf8 {
                    line: line_of(error.valid_up_to()),
                }];
            }
        };
        let parts = Parts::of(text);
        if parts.open {
            return vec![Self::NotClosed];
        }
        match &parts.front {
            None => Vec::new(),
            Some(front) => {
                let keys = top_keys(text);
                let mut faults = in_keys(&keys);
                let updated = front.text("last_updated");
                let is_instant = |text: &str| {
                    !text.bytes().all(|byte| byte.is_ascii_digit()) && Timestamp::parse(text).is_some()
                };
                if front.get("last_updated").is_some() && !updated.is_some_and(is_instant) {
                    let line = keys
                        .iter()
                        .find_map(|(key, line)| (*key == "last_updated").then_some(*line))
                        .unwrap_or(1);
                    faults.push(Self::LastUpdated {
                        value: updated.unwrap_or_default().to_owned(),
                        line,
                    });
                }
                faults
            }
        }
    }
}

/// The line of a place, counted from 1.
pub(super) fn line_at(bytes: &[u8], at: usize) -> usize {
    lines(bytes).iter().take_while(|line| line.next <= at).count() + 1
}

fn in_keys(keys: &[(&str, usize)]) -> Vec<Malformed> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut faults = Vec::new();
    for (key, line) in keys {
        match seen.get(key) {
            Some(first) => faults.push(Malformed::KeyTwice {
                key: (*key).to_owned(),
                line: *line,
                first: *first,
            }),
            None => {
                seen.insert(key, *line);
            }
        }
    }
    faults
}

impl Malformed {
    /// How to mend it.
    pub fn hint(&self, voice: &Voice) -> String {
        match self {
            Self::Nul { .. } => say!(
                voice,
                "take the byte out, or restore the file from git",
                "请删除该字节，或从 git 恢复此文件"
            ),
            Self::NotUtf8 { .. } => say!(voice, "save the file as UTF-8", "请以 UTF-8 保存此文件"),
            Self::NotClosed => say!(
                voice,
                "put a line `---` after the last key",
                "请在最后一个键之后加一行 `---`"
            ),
            Self::KeyTwice { .. } => say!(
                voice,
                "keep one of the two lines; the last one counts now",
                "请只保留其中一行；目前以最后一行为准"
            ),
            Self::LastUpdated { .. } => say!(
                voice,
                "write it as `2026-01-02T03:04:05.000Z`, or take the line out: the next write sets it",
                "请写成 `2026-01-02T03:04:05.000Z`，或删除此行：下次写入会重新设置"
            ),
        }
    }
}

impl Say for Malformed {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Nul { line } => say!(voice, "line {line} holds a NUL byte", "第 {line} 行含有 NUL 字节"),
            Self::NotUtf8 { line } => say!(voice, "line {line} is not UTF-8", "第 {line} 行不是 UTF-8"),
            Self::NotClosed => say!(
                voice,
                "the front matter that line 1 opens is not closed by a line `---`",
                "第 1 行开始的 front matter 缺少结尾的 `---`"
            ),
            Self::KeyTwice { key, line, first } => {
                let key = escape(key);
                say!(
                    voice,
                    "line {line}: the key `{key}` stands in line {first} already",
                    "第 {line} 行：键 `{key}` 已在第 {first} 行出现"
                )
            }
            Self::LastUpdated { value, line } => {
                let value = escape(value);
                say!(
                    voice,
                    "line {line}: `last_updated` is `{value}`, which is no instant",
                    "第 {line} 行：`last_updated` 的值 `{value}` 不是时间"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_read_again_is_sound() {
        let sound = "---\nstatus: executing\nlast_updated: \"2026-01-02T03:04:05Z\"\n---\n# State\n";
        for text in [sound, "# State\n", "", "---\n---\n", "---\nnote: [a\n  b\n---\n"] {
            assert_eq!(Malformed::all(text.as_bytes()), [], "{text}");
        }
    }

    #[test]
    fn faults_have_their_lines() {
        assert_eq!(Malformed::all(b"---\na: \0\n---\n"), [Malformed::Nul { line: 2 }]);
        assert_eq!(Malformed::all(b"a\n\xff"), [Malformed::NotUtf8 { line: 2 }]);
        assert_eq!(Malformed::all(b"---\na: b\n# State\n"), [Malformed::NotClosed]);
        let twice = Malformed::KeyTwice {
            key: "a".to_owned(),
            line: 4,
            first: 2,
        };
        assert_eq!(Malformed::all(b"---\na: b\nc: d\na: e\n---\n"), [twice]);
        for (value, text) in [("yesterday", "yesterday"), ("[1]", ""), ("", ""), ("12", "12")] {
            let told = Malformed::all(format!("---\nx: y\nlast_updated: {value}\n---\n").as_bytes());
            let expected = Malformed::LastUpdated {
                value: text.to_owned(),
                line: 3,
            };
            assert_eq!(told, [expected], "{value}");
        }
    }
}
