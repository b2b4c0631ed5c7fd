//! The answer of `init` and `adopt` (logos-project.md 9.1 and 9.2).

use std::io;

use serde::Serialize;

use super::{Answer, Screen, Style};
use crate::files::RepoPath;
use crate::project::layout;
use crate::say;
use crate::text::escape;
use crate::voice::{Invocation, Language, Say, Voice};

/// Where a language comes from that nobody asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumed {
    Nothing,
    Environment,
    Default,
}

/// A project that was laid down.
pub struct Laid {
    pub name: String,
    pub language: Language,
    pub assumed: Assumed,
    pub created: Vec<RepoPath>,
    /// What was there and stayed as it was.
    pub kept: Vec<RepoPath>,
}

#[derive(Serialize)]
pub struct Data {
    name: String,
    locale: &'static str,
    created: Vec<String>,
    kept: Vec<String>,
}

impl Answer for Laid {
    type Data = Data;

    fn data(&self, _: &Voice) -> Data {
        let texts = |paths: &[RepoPath]| paths.iter().map(|p| p.text().into_owned()).collect();
        Data {
            name: self.name.clone(),
            locale: self.language.locale(),
            created: texts(&self.created),
            kept: texts(&self.kept),
        }
    }

    /// In the language that the project now has, not in that of a project that was not there before.
    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = Voice {
            language: self.language,
            program: screen.voice.program.clone(),
        };
        let (name, locale) = (escape(&self.name), self.language.locale());
        let done = say!(
            voice,
            "project `{name}` laid down, locale {locale}",
            "已建立项目 `{name}`，语言 {locale}"
        );
        screen.line(&screen.paint(Style::Good, &done))?;
        match self.assumed {
            Assumed::Nothing => {}
            Assumed::Environment => screen.line(&say!(
                voice,
                "the locale follows LC_ALL and LANG; `--locale` sets it",
                "语言取自 LC_ALL 和 LANG；可用 `--locale` 指定"
            ))?,
            Assumed::Default => screen.line(&say!(
                voice,
                "without a terminal the locale is {locale}; `--locale` sets it",
                "没有终端时语言为 {locale}；可用 `--locale` 指定"
            ))?,
        }
        let (config, registry) = (layout::CONFIG, layout::REGISTRY);
        let folders = self.created.iter().filter(|p| p.name() == ".gitkeep").count();
        for file in self.created.iter().filter(|p| p.name() != ".gitkeep") {
            screen.line(&format!("  {file}"))?;
        }
        screen.line(&say!(voice, "  and {folders} folders", "  以及 {folders} 个目录"))?;
        for file in self.kept.iter().filter(|p| p.name() != ".gitkeep") {
            screen.line(&say!(
                voice,
                "`{file}` was there and stays as it is",
                "`{file}` 原已存在，保持不变"
            ))?;
        }
        let private = layout::NOT_TO_COMMIT.join(" ");
        screen.line(&say!(
            voice,
            "do not commit (for .gitignore): {private}",
            "不应提交（可写入 .gitignore）：{private}"
        ))?;
        let next = format!("{} <slug>", Invocation::new("change", &[]).say(&voice));
        screen.line(&say!(
            voice,
            "look over {config} and {registry}; `{next}` begins a change",
            "请检查 {config} 和 {registry}；`{next}` 开始一个提案"
        ))
    }
}
