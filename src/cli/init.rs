//! `init` and `adopt`: lay down a new project, from nothing or over code that is there.

use std::io::{self, IsTerminal};

use super::trouble::Trouble;
use super::{Context, Env, Exit, Format, finish};
use crate::files::{Tree, WriteError};
use crate::project::{self, AI_TOOLS, Beginning, NewProject, has_manifest, project_name};
use crate::report::init::{Assumed, Laid};
use crate::say;
use crate::text::escape;
use crate::voice::{Fail, Invocation, Language, Say, Voice};

/// Lay down a new project here
///
/// Makes the folder logos/ with a config, a registry with one module, and the folders for the documents. Existing files
/// are kept. Without a name the project is named after its manifest, else after its folder.
#[derive(clap::Args)]
pub(super) struct Init {
    #[command(flatten)]
    asked: Asked,
}

/// Take in a code base that is there and in use
///
/// Lays down the folder logos/ as init does, with one module that is launched already and needs no reports. No document
/// is written: what the code does is for the baseline to find out.
#[derive(clap::Args)]
pub(super) struct Adopt {
    #[command(flatten)]
    asked: Asked,
}

/// What both take.
#[derive(clap::Args)]
struct Asked {
    /// Name of the project
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Language of texts: en or zh; on a terminal it may follow from `LC_ALL` and `LANG`, without one adopt takes zh
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
    LocaleMissing {
        command: &'static str,
        given: Option<String>,
    },
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
            Self::LocaleMissing { command, given } => {
                let usage = Invocation::new(command, &["--locale", "en"]).say(voice);
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
        let format = Format::of(self.asked.format.as_deref());
        finish(ctx, "init", format, self.asked.lay(ctx, Beginning::New))
    }
}

impl Adopt {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        let format = Format::of(self.asked.format.as_deref());
        finish(ctx, "adopt", format, self.asked.lay(ctx, Beginning::Adopted))
    }
}

/// The command that begins a project in this way.
const fn command(beginning: Beginning) -> &'static str {
    match beginning {
        Beginning::New => "init",
        Beginning::Adopted => "adopt",
    }
}

impl Asked {
    fn lay(&self, ctx: &Context, beginning: Beginning) -> Result<Laid, Error> {
        let command = command(beginning);
        let place = ctx.place().map_err(Trouble::from)?;
        let tree = ctx.work_tree().map_err(Trouble::from)?;
        let refuse_second = |tree: &dyn Tree| {
            if project::is_initialised(tree).map_err(Trouble::from)? {
                let root = place.root.display().to_string();
                return Err(Error::Already {
                    root,
                    code_here: beginning == Beginning::New && has_manifest(tree),
                });
            }
            Ok(())
        };
        if refuse_second(&tree).is_err() {
            // Half a project that an interrupted run left is ended under the lock, and then looked at again.
            refuse_second(&ctx.writer(command)?.tree())?;
        }
        let (language, assumed) = self.language(ctx.env, beginning)?;
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
        let writer = ctx.writer(command)?;
        refuse_second(&writer.tree())?;
        let plan = NewProject::plan(
            &writer.tree(),
            &name,
            language,
            self.ai_tool.as_deref(),
            beginning,
        );
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

    /// The language asked for; else one that is told: on a terminal that of the environment, without one, where a code
    /// base is adopted, Chinese.
    fn language(&self, env: Env, beginning: Beginning) -> Result<(Language, Assumed), Error> {
        let missing = || Error::LocaleMissing {
            command: command(beginning),
            given: self.locale.clone(),
        };
        match self.locale.as_deref() {
            Some("en") => return Ok((Language::English, Assumed::Nothing)),
            Some("zh") => return Ok((Language::Chinese, Assumed::Nothing)),
            Some(_) if beginning == Beginning::Adopted => return Err(missing()),
            Some(_) | None => {}
        }
        if !io::stdin().is_terminal() {
            return match beginning {
                Beginning::New => Err(missing()),
                Beginning::Adopted => Ok((Language::Chinese, Assumed::Default)),
            };
        }
        let set = env.text("LC_ALL").or_else(|| env.text("LANG"));
        let chinese = set.is_some_and(|locale| locale.starts_with("zh"));
        let language = if chinese {
            Language::Chinese
        } else {
            Language::English
        };
        Ok((language, Assumed::Environment))
    }
}
