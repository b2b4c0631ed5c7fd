//! `demo`: one change through its whole life in a throw-away repository, with a second one beside it that touches the
//! same table. Runs this very binary and git, and prints each command and what came of it.

mod story;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Context, Exit, complain};
use crate::files::{Digest, LockRule, NothingOutside, RepoPath, Tree, Writer};
use crate::git::Git;
use crate::process::{Output, Run};
use crate::report::{Screen, Style};
use crate::say;
use crate::text::escape;

/// Walk one change through its whole life in a throw-away repository
///
/// Prints each command and what came of it. Leaves nothing behind, unless a folder is given or --keep asks for it.
#[derive(clap::Args)]
pub(super) struct Demo {
    /// Build it in this folder, which must be empty or missing, and keep it
    dir: Option<PathBuf>,
    /// Keep the temporary folder and print its path
    #[arg(long)]
    keep: bool,
}

/// Why the demonstration stopped.
#[derive(Debug, thiserror::Error)]
enum Stop {
    #[error("the reader has gone away")]
    Unheard(#[from] io::Error),
    #[error("{0}")]
    Failed(String),
}

impl Demo {
    pub(super) fn run(self, context: &Context) -> Exit {
        match self.walk(context) {
            Ok(()) => Exit::Done,
            Err(Stop::Unheard(e)) if e.kind() == io::ErrorKind::BrokenPipe => Exit::Done,
            Err(stop) => {
                complain(&format!("demo: {stop}"));
                Exit::Failed
            }
        }
    }

    fn walk(&self, context: &Context) -> Result<(), Stop> {
        let failed = |e: &dyn std::fmt::Display| Stop::Failed(e.to_string());
        let temporary = tempfile::Builder::new()
            .prefix("git-spec-demo-")
            .tempdir()
            .map_err(|e| failed(&e))?;
        let top = match &self.dir {
            Some(dir) => {
                let dir = context.cwd.join(dir);
                if dir.exists() && dir.read_dir().map_err(|e| failed(&e))?.next().is_some() {
                    let dir = dir.display();
                    let text = say!(
                        context.voice(),
                        "`{dir}` is not empty; give an empty or a new folder",
                        "`{dir}` 不是空目录；请给出空目录或新目录"
                    );
                    return Err(Stop::Failed(text));
                }
                dir
            }
            None => temporary.path().to_owned(),
        };
        let binary = std::env::current_exe().map_err(|e| failed(&e))?;
        let mut out = io::stdout().lock();
        let mut err = io::stderr().lock();
        let color = context.color(io::stdout().is_terminal());
        let screen = Screen {
            out: &mut out,
            err: &mut err,
            voice: context.voice(),
            color,
        };
        let mut stage = Stage {
            top: top.clone(),
            binary,
            screen,
        };
        stage.tell(&mut Scene::default())?;
        if self.keep && self.dir.is_none() {
            let kept = temporary.keep();
            stage.screen.line(&format!("\n{}", kept.display()))?;
        } else if self.dir.is_some() {
            stage.screen.line(&format!("\n{}", top.display()))?;
        }
        Ok(())
    }
}

/// Which work tree the story is in.
#[derive(Default)]
struct Scene {
    folder: String,
}

struct Stage<'a> {
    top: PathBuf,
    binary: PathBuf,
    screen: Screen<'a>,
}

impl Stage<'_> {
    fn tell(&mut self, scene: &mut Scene) -> Result<(), Stop> {
        self.lay_down(scene)?;
        self.first_change(scene)?;
        self.second_change(scene)?;
        self.bring_together(scene)
    }

    fn lay_down(&mut self, scene: &mut Scene) -> Result<(), Stop> {
        self.say(
            "A repository with one specification document.",
            "一个仓库，一份规格文档。",
        )?;
        "tolls".clone_into(&mut scene.folder);
        self.git_at_top(&["init", "-q", "-b", "main", "tolls"])?;
        self.spec(scene, &["init", "Tolls", "--locale", "en"], 0)?;
        self.write(
            scene,
            &[
                (story::DOCUMENT, story::TABLE),
                (".gitignore", "logos/.openlogos-guard\n"),
            ],
        )?;
        self.git(scene, &["add", "-A"])?;
        self.git(scene, &["commit", "-q", "-m", "The tolls as they are"])?;
        self.say(
            "A second work tree, for somebody who works beside us.",
            "另一个工作区，供并行工作的同事使用。",
        )?;
        self.git(
            scene,
            &["worktree", "add", "-q", "-b", "lorry-price", "../tolls-lorry"],
        )
    }

    fn first_change(&mut self, scene: &mut Scene) -> Result<(), Stop> {
        self.say(
            "The first change: cars pay 6. Its delta forgets a row.",
            "第一个提案：小车改收 6。delta 漏了一行。",
        )?;
        self.spec(scene, &["change", "car-price"], 0)?;
        self.fill(
            scene,
            "car-price",
            "Cars pay 6",
            "The bridge got dearer.",
            story::CAR_FORGETFUL,
        )?;
        self.spec(scene, &["change-lint"], 2)?;
        self.say("With the row back it passes.", "补回该行后通过。")?;
        self.fill(
            scene,
            "car-price",
            "Cars pay 6",
            "The bridge got dearer.",
            story::CAR,
        )?;
        self.spec(scene, &["change-lint"], 0)?;
        self.git(scene, &["add", "-A"])?;
        self.git(scene, &["commit", "-q", "-m", "Propose: cars pay 6"])?;
        self.spec(scene, &["merge", "car-price", "--dry-run"], 0)?;
        self.spec(scene, &["merge", "car-price"], 0)?;
        self.spec(scene, &["archive", "car-price"], 0)?;
        self.say(
            "CI asks whether the last push was pure bookkeeping.",
            "CI 询问最近的推送是否只是流程记账。",
        )?;
        self.spec(scene, &["impact", "--base", "HEAD~1", "--head", "HEAD"], 0)
    }

    fn second_change(&mut self, scene: &mut Scene) -> Result<(), Stop> {
        self.say(
            "Meanwhile, on the other branch: lorries pay 14. This delta still says that cars pay 5.",
            "与此同时，另一分支：货车改收 14。这份 delta 仍写着小车收 5。",
        )?;
        "tolls-lorry".clone_into(&mut scene.folder);
        self.spec(scene, &["change", "lorry-price"], 0)?;
        self.fill(
            scene,
            "lorry-price",
            "Lorries pay 14",
            "They wear the road.",
            story::LORRY,
        )?;
        self.git(scene, &["add", "-A"])?;
        self.git(scene, &["commit", "-q", "-m", "Propose: lorries pay 14"])?;
        self.say(
            "It takes in main, where the table has changed. Lint tells.",
            "合入 main，表格已变。lint 会提示。",
        )?;
        self.git(scene, &["merge", "-q", "-m", "Take in main", "main"])?;
        self.spec(scene, &["change-lint"], 0)?;
        self.say(
            "Merge is three-way, by rows: cars keep their 6, lorries get their 14.",
            "merge 按行三方合并：小车保留 6，货车得到 14。",
        )?;
        self.spec(scene, &["merge", "lorry-price"], 0)?;
        self.show(scene, story::DOCUMENT)?;
        self.spec(scene, &["archive", "lorry-price"], 0)
    }

    fn bring_together(&mut self, scene: &mut Scene) -> Result<(), Stop> {
        self.say(
            "Both are on main. The history of the tables is git history.",
            "两者都进入 main。表格的历史就是 git 历史。",
        )?;
        "tolls".clone_into(&mut scene.folder);
        self.git(scene, &["merge", "-q", "--ff-only", "lorry-price"])?;
        self.git(scene, &["log", "--oneline", "--graph", "--format=%s"])?;
        self.git(scene, &["status", "--short"])
    }

    fn say(&mut self, english: &str, chinese: &str) -> Result<(), Stop> {
        let text = self.screen.voice.pick(english, chinese).to_owned();
        let text = self.screen.paint(Style::Bold, &format!("# {text}"));
        Ok(self.screen.line(&format!("\n{text}"))?)
    }

    fn folder(&self, scene: &Scene) -> PathBuf {
        self.top.join(&scene.folder)
    }

    fn fill(&mut self, scene: &Scene, slug: &str, title: &str, why: &str, delta: &str) -> Result<(), Stop> {
        let below = |rest: &str| format!("logos/changes/{slug}/{rest}");
        let proposal = story::proposal(title, why);
        self.write(
            scene,
            &[
                (&below("proposal.md"), &proposal),
                (&below("tasks.md"), story::TASKS),
                (&below("deltas/test/core-01-test-cases.md"), delta),
            ],
        )
    }

    /// Writes files as a person would, and says so.
    fn write(&mut self, scene: &Scene, files: &[(&str, &str)]) -> Result<(), Stop> {
        let failed = |e: &dyn std::fmt::Display| Stop::Failed(e.to_string());
        let root = self.folder(scene);
        let rule = LockRule {
            path: self.top.join(".demo/lock"),
            holder: "demo".to_owned(),
            wait: Duration::from_secs(1),
            keep: self.top.clone(),
            nested: false,
        };
        let writer = Writer::open(&root, &rule, &NothingOutside).map_err(|e| failed(&e))?;
        let tree = writer.tree();
        let mut transaction = writer.begin();
        for (path, text) in files {
            let path = RepoPath::of(path);
            let old = tree.read(&path).map_err(|e| failed(&e))?;
            transaction.replace(&path, old.as_deref().map(Digest::of), text.as_bytes().to_vec());
        }
        transaction.commit().map_err(|e| failed(&e))?;
        let names: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
        self.command(scene, &format!("$EDITOR {}", names.join(" ")))
    }

    fn show(&mut self, scene: &Scene, path: &str) -> Result<(), Stop> {
        self.command(scene, &format!("cat {path}"))?;
        let tree = crate::files::WorkTree::new(&self.folder(scene));
        let text = tree
            .read(&RepoPath::of(path))
            .map_err(|e| Stop::Failed(e.to_string()))?
            .unwrap_or_default();
        self.indented(&text)
    }

    fn git_at_top(&mut self, words: &[&str]) -> Result<(), Stop> {
        let parent = self.top.parent().unwrap_or(Path::new(".")).to_owned();
        let top = self.top.clone();
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        let (last, first) = words.split_last().expect("the folder is the last word");
        self.command(&Scene::default(), &format!("git {}", words.join(" ")))?;
        let run = Git::elsewhere(&parent).args(first).args([top.join(last)]);
        let out = run.output().map_err(|e| Stop::Failed(e.to_string()))?;
        self.outcome(&out, 0)
    }

    fn git(&mut self, scene: &Scene, words: &[&str]) -> Result<(), Stop> {
        self.command(scene, &format!("git {}", shown(words)))?;
        let run = Git::elsewhere(&self.folder(scene)).args(words);
        let out = run.output().map_err(|e| Stop::Failed(e.to_string()))?;
        self.outcome(&out, 0)
    }

    fn spec(&mut self, scene: &Scene, words: &[&str], expected: i32) -> Result<(), Stop> {
        let program = self.screen.voice.program.clone();
        self.command(scene, &format!("{program} {}", shown(words)))?;
        let run: Run = Git::environment_elsewhere(Run::new(&self.binary))
            .dir(self.folder(scene))
            .args(words);
        let run = run.set("GIT_SPEC_LANG", self.screen.voice.language.locale());
        let out = run.output().map_err(|e| Stop::Failed(e.to_string()))?;
        self.outcome(&out, expected)
    }

    fn command(&mut self, scene: &Scene, line: &str) -> Result<(), Stop> {
        let prompt = self.screen.paint(Style::Dim, &format!("{}$", scene.folder));
        Ok(self.screen.line(&format!("{prompt} {line}"))?)
    }

    fn outcome(&mut self, out: &Output, expected: i32) -> Result<(), Stop> {
        self.indented(&out.stdout)?;
        self.indented(&out.stderr)?;
        if out.code != Some(expected) {
            let code = out.code.map_or("none".to_owned(), |code| code.to_string());
            return Err(Stop::Failed(format!("exit code {code} instead of {expected}")));
        }
        if expected != 0 {
            self.screen.line(&format!("    (exit code {expected})"))?;
        }
        Ok(self.screen.out.flush()?)
    }

    fn indented(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        for line in String::from_utf8_lossy(bytes).lines() {
            self.screen.line(format!("    {}", escape(line)).trim_end())?;
        }
        Ok(())
    }
}

/// Words as a shell would want them.
fn shown(words: &[&str]) -> String {
    let quoted = |word: &&str| {
        if word.contains([' ', '%', ':']) {
            format!("'{word}'")
        } else {
            (*word).to_owned()
        }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}
