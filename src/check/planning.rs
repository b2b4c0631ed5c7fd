//! Whether a committed `.planning/STATE.md` can be read again (git.md 2.2, `state_malformed`).

use crate::clock::Timestamp;
use crate::say;
use crate::text::{escape, lines};
use crate::voice::{Say, Voice};
use crate::yaml;

/// The memory of a project, from its root.
pub(super) const STATE: &str = ".planning/STATE.md";

/// What is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Malformed {
    Nul,
    NotUtf8,
    NotClosed,
    /// A key that stands twice, or what else is no YAML.
    FrontMatter(String),
    LastUpdated(String),
}

impl Malformed {
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.contains(&0) {
            return Some(Self::Nul);
        }
        if std::str::from_utf8(bytes).is_err() {
            return Some(Self::NotUtf8);
        }
        let all = lines(bytes);
        let is_fence = |at: usize| all[at].span.of(bytes).trim_ascii_end() == b"---";
        if all.is_empty() || !is_fence(0) {
            return None;
        }
        let Some(end) = (1..all.len()).find(|at| is_fence(*at)) else {
            return Some(Self::NotClosed);
        };
        let block = &bytes[all[0].next..all[end].span.start];
        let fields = match yaml::parse(block) {
            Ok(fields) => fields,
            Err(error) => return Some(Self::FrontMatter(error.to_string())),
        };
        let updated = fields.get("last_updated")?;
        let text = updated.as_text().unwrap_or_default();
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        (is_number || Timestamp::parse(text).is_none()).then(|| Self::LastUpdated(text.to_owned()))
    }
}

impl Say for Malformed {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Nul => say!(voice, "it holds a NUL byte", "含有 NUL 字节"),
            Self::NotUtf8 => say!(voice, "it is not UTF-8", "不是 UTF-8"),
            Self::NotClosed => say!(
                voice,
                "its front matter is not closed by a line `---`",
                "front matter 缺少结尾的 `---`"
            ),
            Self::FrontMatter(why) => {
                let why = escape(why);
                say!(
                    voice,
                    "its front matter cannot be read: {why}",
                    "无法读取 front matter：{why}"
                )
            }
            Self::LastUpdated(value) => {
                let value = escape(value);
                say!(
                    voice,
                    "`last_updated` is `{value}`, which is no instant",
                    "`last_updated` 的值 `{value}` 不是时间"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &[u8]) -> Option<Malformed> {
        match Malformed::of(text) {
            // The words are the parser's.
            Some(Malformed::FrontMatter(_)) => Some(Malformed::FrontMatter(String::new())),
            found => found,
        }
    }

    #[test]
    fn what_can_be_read_again_is_sound() {
        let sound = "---\nstatus: executing\nlast_updated: \"2026-01-02T03:04:05Z\"\n---\n# State\n";
        for text in [sound, "# State\n", "", "---\n---\n"] {
            assert_eq!(found(text.as_bytes()), None, "{text}");
        }
        assert_eq!(found(b"---\na: \0\n---\n"), Some(Malformed::Nul));
        assert_eq!(found(b"\xff"), Some(Malformed::NotUtf8));
        assert_eq!(found(b"---\na: b\n# State\n"), Some(Malformed::NotClosed));
        assert_eq!(
            found(b"---\na: b\na: c\n---\n"),
            Some(Malformed::FrontMatter(String::new()))
        );
        for (value, text) in [
            ("yesterday", "yesterday"),
            ("[1]", ""),
            ("{a: b}", ""),
            ("", ""),
            ("12", "12"),
        ] {
            let told = found(format!("---\nlast_updated: {value}\n---\n").as_bytes());
            assert_eq!(told, Some(Malformed::LastUpdated(text.to_owned())), "{value}");
        }
    }
}
