//! The answers of the `baseline-seed` commands (seed 003 §3.13, logos-project.md 10.7 to 10.9 and 12).

use std::io;

use serde::Serialize;

use super::{Answer, Screen, Style};
use crate::baseline::{Progress, begin, commit, runs};
use crate::files::RepoPath;
use crate::project::SeedState;
use crate::say;
use crate::text::escape;
use crate::voice::{Invocation, Say, Voice};

fn texts(paths: &[RepoPath]) -> Vec<String> {
    paths.iter().map(|path| path.text().into_owned()).collect()
}

fn commit_of(module: &str, run_id: &str, voice: &Voice) -> String {
    let arguments = ["--module", module, "--run-id", run_id];
    Invocation::new("baseline-seed commit", &arguments).say(voice)
}

fn line_of_state(module: &str, state: SeedState, voice: &Voice) -> String {
    let (module, state) = (escape(module), state.as_str());
    say!(
        voice,
        "module `{module}`: the baseline is {state}",
        "模块 `{module}`：基线状态为 {state}"
    )
}

/// What to do about a state that only follows from documents and runs.
fn print_derived(screen: &mut Screen<'_>, derived: bool) -> io::Result<()> {
    if !derived {
        return Ok(());
    }
    let sync = Invocation::new("sync", &[]).say(screen.voice);
    screen.line(&say!(
        screen.voice,
        "the registry does not say so yet; `{sync}` writes it there",
        "注册表中尚无此状态；用 `{sync}` 写入"
    ))
}

/// A run that was issued.
pub struct Begun(pub begin::Begun);

#[derive(Serialize)]
pub struct BegunData {
    ok: bool,
    run_id: String,
    module: String,
    baseline_seed_state: &'static str,
    expected: usize,
    staging: String,
}

impl Begun {
    fn staging(&self) -> String {
        format!("{}/staging/", runs::folder(&self.0.run_id))
    }
}

impl Answer for Begun {
    type Data = BegunData;

    fn data(&self, _: &Voice) -> BegunData {
        BegunData {
            ok: true,
            run_id: self.0.run_id.clone(),
            module: self.0.module.clone(),
            baseline_seed_state: self.0.state.as_str(),
            expected: self.0.expected,
            staging: self.staging(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let (voice, begun) = (screen.voice, &self.0);
        let (run, expected, staging) = (&begun.run_id, begun.expected, self.staging());
        let done = say!(voice, "run `{run}` begun", "运行 `{run}` 已开始");
        screen.line(&screen.paint(Style::Good, &done))?;
        screen.line(&line_of_state(&begun.module, begun.state, voice))?;
        print_derived(screen, begun.derived)?;
        let commit = commit_of(&begun.module, run, voice);
        screen.line(&say!(
            voice,
            "put {expected} documents below `{staging}`, each at its path; then `{commit}`",
            "请将 {expected} 个文档按各自路径放入 `{staging}`，然后执行 `{commit}`"
        ))
    }
}

/// What became of a run.
pub struct Committed {
    pub module: String,
    pub run_id: String,
    pub outcome: commit::Outcome,
}

#[derive(Serialize)]
pub struct CommittedData {
    ok: bool,
    run_id: String,
    module: String,
    baseline_seed_state: &'static str,
    committed: Vec<String>,
    missing: Vec<String>,
    invalid: Vec<String>,
}

impl Answer for Committed {
    type Data = CommittedData;

    fn data(&self, _: &Voice) -> CommittedData {
        CommittedData {
            ok: true,
            run_id: self.run_id.clone(),
            module: self.module.clone(),
            baseline_seed_state: self.outcome.state.as_str(),
            committed: texts(&self.outcome.committed),
            missing: texts(&self.outcome.missing),
            invalid: texts(&self.outcome.invalid),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let (voice, outcome) = (screen.voice, &self.outcome);
        let (run, sound) = (&self.run_id, outcome.committed.len());
        let open = outcome.missing.len() + outcome.invalid.len();
        if open == 0 {
            let done = say!(
                voice,
                "run `{run}` committed; documents written: {sound}",
                "运行 `{run}` 已提交；写入文档：{sound} 个"
            );
            screen.line(&screen.paint(Style::Good, &done))?;
        } else {
            let part = say!(
                voice,
                "run `{run}` is not complete, so no document was written; sound: {sound}, open: {open}",
                "运行 `{run}` 尚不完整，未写入任何文档；合格：{sound}，待办：{open}"
            );
            screen.line(&screen.paint(Style::Warn, &part))?;
        }
        for path in &outcome.missing {
            screen.line(&say!(voice, "  missing: `{path}`", "  缺少：`{path}`"))?;
        }
        for path in &outcome.invalid {
            screen.line(&say!(
                voice,
                "  without a readable list of candidates: `{path}`",
                "  没有可读的候选列表：`{path}`"
            ))?;
        }
        screen.line(&line_of_state(&self.module, outcome.state, voice))?;
        print_derived(screen, outcome.derived)?;
        let next = if open == 0 {
            format!("{} <slug>", Invocation::new("change", &[]).say(voice))
        } else {
            commit_of(&self.module, run, voice)
        };
        screen.line(&say!(voice, "next: `{next}`", "下一步：`{next}`"))
    }
}

/// How far the last open run is.
pub struct Shown(pub Progress);

#[derive(Serialize)]
pub struct ShownData {
    ok: bool,
    module: String,
    baseline_seed_state: &'static str,
    run_id: Option<String>,
    staged: usize,
    expected: usize,
    missing: Vec<String>,
}

impl Answer for Shown {
    type Data = ShownData;

    fn data(&self, _: &Voice) -> ShownData {
        let progress = &self.0;
        ShownData {
            ok: true,
            module: progress.module.clone(),
            baseline_seed_state: progress.state.as_str(),
            run_id: progress.run_id.clone(),
            staged: progress.staged,
            expected: progress.expected,
            missing: progress.missing.clone(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let (voice, progress) = (screen.voice, &self.0);
        screen.line(&line_of_state(&progress.module, progress.state, voice))?;
        print_derived(screen, progress.derived)?;
        let Some(run) = &progress.run_id else {
            screen.line(&say!(voice, "no run is open", "没有进行中的运行"))?;
            if progress.state == SeedState::Seeded {
                return Ok(());
            }
            let arguments = ["--module", &progress.module, "--manifest"];
            let begin = Invocation::new("baseline-seed begin", &arguments).say(voice);
            return screen.line(&say!(voice, "next: `{begin} <file>`", "下一步：`{begin} <文件>`"));
        };
        let (staged, expected) = (progress.staged, progress.expected);
        screen.line(&say!(
            voice,
            "run `{run}`: {staged} of {expected} documents are staged",
            "运行 `{run}`：{expected} 个文档中已暂存 {staged} 个"
        ))?;
        for path in &progress.missing {
            let path = escape(path);
            screen.line(&say!(voice, "  missing: `{path}`", "  缺少：`{path}`"))?;
        }
        let commit = commit_of(&progress.module, run, voice);
        screen.line(&say!(voice, "next: `{commit}`", "下一步：`{commit}`"))
    }
}
