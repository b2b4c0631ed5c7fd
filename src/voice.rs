//! Whose language a text is in, and under which name the program was called. Holds no text itself.

use std::borrow::Cow;

use crate::text::{escape, is_space};

/// Language of human text (logos-project.md 1, "Locale").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    #[default]
    English,
    Chinese,
}

impl Language {
    /// `zh` is Chinese, everything else English.
    pub fn of_locale(locale: &str) -> Self {
        if locale == "zh" {
            Self::Chinese
        } else {
            Self::English
        }
    }

    pub const fn locale(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh",
        }
    }
}

/// How messages are worded: language, and the name a printed command starts with (product.md, "Commands").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Voice {
    pub language: Language,
    pub program: String,
}

impl Voice {
    /// The text in the voice's language.
    pub fn pick<'a>(&self, english: &'a str, chinese: &'a str) -> &'a str {
        match self.language {
            Language::English => english,
            Language::Chinese => chinese,
        }
    }
}

impl Default for Voice {
    fn default() -> Self {
        Self {
            language: Language::English,
            program: "git spec".to_owned(),
        }
    }
}

/// Something that can be put into words.
pub trait Say: Send + Sync {
    fn say(&self, voice: &Voice) -> String;
}

impl Say for String {
    fn say(&self, _: &Voice) -> String {
        self.clone()
    }
}

/// An error of a command family: words in both languages, and its code in the contract.
pub trait Fail: std::error::Error + Say {
    fn code(&self) -> &'static str;
}

/// A command of this program, as a value: it becomes text only with a voice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    pub command: &'static str,
    pub arguments: Vec<String>,
}

impl Invocation {
    pub fn new(command: &'static str, arguments: &[&str]) -> Self {
        Self {
            command,
            arguments: arguments.iter().map(|s| (*s).to_owned()).collect(),
        }
    }
}

impl Say for Invocation {
    fn say(&self, voice: &Voice) -> String {
        let mut out = format!("{} {}", voice.program, self.command);
        for argument in &self.arguments {
            out.push(' ');
            // `<slug>` stands for something that the reader puts in; no name of ours looks like that.
            if argument.starts_with('<') && argument.ends_with('>') {
                out.push_str(argument);
            } else {
                out.push_str(&shell_word(argument));
            }
        }
        out
    }
}

/// One word of a command that a person may copy into a shell.
pub fn shell_word(word: &str) -> Cow<'_, str> {
    if word.is_empty() || word.contains(|c: char| is_space(c) || "'\"$`\\&|;()<>*?[]#~!".contains(c)) {
        format!("'{}'", word.replace('\'', r"'\''")).into()
    } else {
        word.into()
    }
}

/// The names under which this program is called.
const PROGRAMS: [&str; 3] = ["git spec", "git-spec", "openlogos"];

/// What follows the name of this program in a command line, whichever of its names that is; none for another program.
pub fn own_command(line: &str) -> Option<&str> {
    PROGRAMS
        .iter()
        .find_map(|name| line.strip_prefix(name)?.strip_prefix(' '))
}

/// Foreign texts in backticks, separated by commas.
pub fn quoted_list(texts: &[String]) -> String {
    texts
        .iter()
        .map(|text| format!("`{}`", escape(text)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Words in both languages as one expression: English first, then Chinese, with the same arguments.
#[macro_export]
macro_rules! say {
    ($voice:expr, $en:literal, $zh:literal $(, $($args:tt)*)?) => {
        match $voice.language {
            $crate::voice::Language::English => format!($en $(, $($args)*)?),
            $crate::voice::Language::Chinese => format!($zh $(, $($args)*)?),
        }
    };
}
