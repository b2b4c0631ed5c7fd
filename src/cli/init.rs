//! `init`: lays down a new project.

use std::io::{self, IsTerminal};

use super::trouble::Trouble;
use super::{Context, Env, Exit, Format, finish};
use crate::files::{Tree, WriteError};
use crate::project::{self, AI_TOOLS, NewProject, has_manifest, project_name};
use crate::report::init::Laid;
use crate::say;
use crate::text::escape;
use crate::voice::{Fail, Invocation, Language, Say, Voice};

/// Lay down a new project here
///
/// Makes the folder logos/ with a config, a registry with one module, and the folders for the documents. Existing files
/// are kept. Without a name the project is named after its manifest, else after its folder.
#[derive(clap::Args)]
pub(super) struct Init {
    /// Name of the project
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Language of texts: en or zh; on a terminal it may follow from `LC_ALL` and `LANG`
    #[arg(long, value_name = "LOCALE")]
    locale: Option<String>,
    /// AI tool in use: claude-code, opencode, codex, cursor, other or all; stored, no file is written for it
    #[arg(long, value_name = "TOOL", alias = "aitool")]
    ai_tool: Option<String>,
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

/// Why no project was laid down.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("`{root}` is a project already")]
    Already { root: String, code_here: bool },
    #[error("no locale was given")]
    LocaleMissing { given: Option<String> },
    #[error("`{}` is no AI tool this format knows", escape(.0))]
    AiTool(String),
    #[error("`{}` is no name for a project", escape(.0))]
    Name(String),
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Already { root, code_here } => {
                let root = escape(root);
                let mut text = say!(
                    voice,
                    "`{root}` is a project already; another one below it is named with `--project <folder>`",
                    "`{root}` 已是项目；若要在其下另建项目，请用 `--project <目录>`"
                );
                if *code_here {
                    let adopt = Invocation::new("adopt", &[]).say(voice);
                    text.push_str(&say!(
                        voice,
                        "; an existing code base is taken in with `{adopt}`",
                        "；纳入已有代码库请用 `{adopt}`"
                    ));
                }
                text
            }
            Self::LocaleMissing { given } => {
                let usage = Invocation::new("init", &["--locale", "en"]).say(voice);
                match given {
                    Some(given) => {
                        let given = escape(given);
                        say!(
                            voice,
                            "`--locale {given}` is neither `en` nor `zh`; usage: `{usage}`",
                            "`--locale {given}` 既不是 `en` 也不是 `zh`；用法：`{usage}`"
                        )
                    }
                    None => say!(
                        voice,
                        "`--locale` is needed where there is no terminal, `en` or `zh`; usage: `{usage}`",
                        "没有终端时需要 `--locale`，取 `en` 或 `zh`；用法：`{usage}`"
                    ),
                }
            }
            Self::AiTool(tool) => {
                let (tool, known) = (escape(tool), AI_TOOLS.join(", "));
                say!(
                    voice,
                    "`{tool}` is no AI tool this format knows; there is {known}",
                    "`{tool}` 不是此格式已知的 AI 工具；可用：{known}"
                )
            }
            Self::Name(name) => {
                let name = escape(name);
                say!(
                    voice,
                    "`{name}` is neither an option of this command nor a name for a project",
                    "`{name}` 既不是此命令的选项，也不能作为项目名"
                )
            }
            Self::Trouble(error) => error.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Already { .. } => "PROJECT_ALREADY_INITIALIZED",
            Self::LocaleMissing { .. } => "LOCALE_MISSING",
            Self::AiTool(_) => "INVALID_AI_TOOL",
            Self::Name(_) => "INVALID_PROJECT_NAME",
            Self::Trouble(error) => error.code(),
        }
    }
}

impl Init {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        finish(ctx, "init", format, self.lay(ctx))
    }

    fn lay(&self, ctx: &Context) -> Result<Laid, Error> {
        let place = ctx.place().map_err(Trouble::from)?;
        let tree = ctx.work_tree().map_err(Trouble::from)?;
        let refuse_second = |tree: &dyn Tree| {
            if project::is_initialised(tree).map_err(Trouble::from)? {
                let root = place.root.display().to_string();
                return Err(Error::Already {
                    root,
                    code_here: has_manifest(tree),
                });
            }
            Ok(())
        };
        if refuse_second(&tree).is_err() {
            // Half a project that an interrupted run left is ended under the lock, and then looked at again.
            refuse_second(&ctx.writer("init")?.tree())?;
        }
        let (language, assumed) = self.language(ctx.env)?;
        if let Some(tool) = self.ai_tool.as_deref().filter(|tool| !AI_TOOLS.contains(tool)) {
            return Err(Error::AiTool(tool.to_owned()));
        }
        if let Some(name) = self.name.as_deref().filter(|name| name.starts_with('-')) {
            return Err(Error::Name(name.to_owned()));
        }
        let folder = place.root.file_name().map(|name| name.to_string_lossy());
        let name = match self.name.as_deref().filter(|name| !name.is_empty()) {
            Some(name) => name.to_owned(),
            None => project_name(&tree, folder.as_deref()),
        };
        let writer = ctx.writer("init")?;
        refuse_second(&writer.tree())?;
        let plan = NewProject::plan(&writer.tree(), &name, language, self.ai_tool.as_deref());
        let plan = plan.map_err(Trouble::from)?;
        let mut transaction = writer.begin();
        for (path, content) in plan.create {
            transaction.create_new(&path, content);
        }
        let written = transaction.commit().map_err(|e: WriteError| Trouble::from(e))?;
        Ok(Laid {
            name,
            language,
            assumed,
            created: written.paths,
            kept: plan.keep,
        })
    }

    /// The language asked for; on a terminal else the one of the environment, which is then told.
    fn language(&self, env: Env) -> Result<(Language, bool), Error> {
        match self.locale.as_deref() {
            Some("en") => return Ok((Language::English, false)),
            Some("zh") => return Ok((Language::Chinese, false)),
            Some(_) | None => {}
        }
        if !io::stdin().is_terminal() {
            return Err(Error::LocaleMissing {
                given: self.locale.clone(),
            });
        }
        let set = env.text("LC_ALL").or_else(|| env.text("LANG"));
        let chinese = set.is_some_and(|locale| locale.starts_with("zh"));
        Ok((
            if chinese {
                Language::Chinese
            } else {
                Language::English
            },
            true,
        ))
    }
}
