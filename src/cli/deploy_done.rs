//! `deploy-done`: a person says that the active change is deployed (verify.md 13).

use std::time::Duration;

use super::trouble::{Trouble, through_trouble};
use super::uninitialised::{self, NOT_INITIALIZED};
use super::usage::{self, Unknown, Usage};
use super::verification::{Error as Failure, apply};
use super::{Context, Exit, Format, finish};
use crate::change::deployment::Conflict;
use crate::change::facts::Facts;
use crate::files::{Tree, WorkTree};
use crate::flow::trust::Untrusted;
use crate::flow::{
    self, Lifecycle, Predicate, ResolvedFlow, VerifyGate, check_project_timeout, command_seconds,
};
use crate::process::{Ended, Shell, Streams};
use crate::project::session::Guard;
use crate::project::{Config, Registry, Slug};
use crate::report::deploy_done::Recorded;
use crate::say;
use crate::text::{escape, trim};
use crate::verify::deploy::{self, DEPLOYMENT_REPORT, Hindrance};
use crate::voice::{Fail, Invocation, Say, Voice};

/// Record that the active change is deployed
///
/// Ticks the tasks of `[deploy]`, writes `DEPLOY_DONE`, and takes away the markers of an older smoke test. Refused before
/// verification has passed, and without a deployment report.
#[derive(clap::Args)]
pub(super) struct DeployDone {
    /// Where it was deployed to
    #[arg(long, value_name = "NAME")]
    env: Option<Option<String>>,
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    #[command(flatten)]
    unknown: Unknown,
}

const COMMAND: &str = "deploy-done";

/// A command gate that did not let pass.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Refusal {
    field: &'static str,
    command: String,
    exit_code: Option<i32>,
    timed_out: bool,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("no change is active")]
    NoActiveChange,
    #[error("`logos/changes/{0}` does not exist")]
    ChangeNotFound(Slug),
    #[error("verification has not passed")]
    NotVerified,
    #[error("verification has not passed: `{}`", escape(&.0.command))]
    Refused(Refusal),
    #[error("the flow is not trusted")]
    Untrusted,
    #[error("{0:?}")]
    Hindered(Hindrance),
    #[error("`{}` cannot be started: {source}", escape(.command))]
    Spawn {
        command: String,
        #[source]
        source: std::io::Error,
    },
    #[error(transparent)]
    Flow(#[from] flow::Error),
    #[error(transparent)]
    Usage(#[from] Usage),
    #[error(transparent)]
    Other(#[from] Failure),
    #[error(transparent)]
    Trouble(#[from] Trouble),
}

through_trouble!(Error);

impl Say for Error {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::NoActiveChange => {
                let change = Invocation::new("change", &["<slug>"]).say(voice);
                say!(
                    voice,
                    "no change is active; `{change}` begins one",
                    "当前没有进行中的提案；用 `{change}` 创建"
                )
            }
            Self::ChangeNotFound(slug) => say!(
                voice,
                "the active change `{slug}` has no folder `logos/changes/{slug}`",
                "当前提案 `{slug}` 没有目录 `logos/changes/{slug}`"
            ),
            Self::NotVerified => {
                let verify = Invocation::new("verify", &[]).say(voice);
                say!(
                    voice,
                    "verification has not passed; run `{verify}` first",
                    "验证尚未通过；请先运行 `{verify}`"
                )
            }
            Self::Refused(refusal) => {
                let Refusal { field, command, .. } = refusal;
                let command = escape(command);
                let how = match (refusal.timed_out, refusal.exit_code) {
                    (true, _) => say!(voice, "its time was over", "超时"),
                    (false, Some(code)) => say!(voice, "exit code {code}", "退出码 {code}"),
                    (false, None) => say!(voice, "ended by a signal", "被信号终止"),
                };
                say!(
                    voice,
                    "verification has not passed: `{field}` of the node `verify`, `{command}`: {how}",
                    "验证尚未通过：节点 `verify` 的 `{field}`（`{command}`）：{how}"
                )
            }
            Self::Untrusted => Untrusted(Lifecycle::Launched.overlay_path()).say(voice),
            Self::Hindered(Hindrance::Conflict(Conflict::Unwanted)) => say!(
                voice,
                "the proposal says that nothing is deployed, but `tasks.md` has a `[deploy]` section; make them agree",
                "提案声明无需部署，但 `tasks.md` 中有 `[deploy]` 部分；请使两者一致"
            ),
            Self::Hindered(Hindrance::Conflict(Conflict::Missing)) => say!(
                voice,
                "the proposal says that it is deployed, but `tasks.md` has no `[deploy]` section; make them agree",
                "提案声明需要部署，但 `tasks.md` 中没有 `[deploy]` 部分；请使两者一致"
            ),
            Self::Hindered(Hindrance::NotRequired) => {
                say!(voice, "this change is not to be deployed", "此提案无需部署")
            }
            Self::Hindered(Hindrance::TasksMissing) => say!(
                voice,
                "`tasks.md` has no task in its section `[deploy]`",
                "`tasks.md` 的 `[deploy]` 部分没有任务"
            ),
            Self::Hindered(Hindrance::ReportMissing) => say!(
                voice,
                "`{DEPLOYMENT_REPORT}` does not exist; write down what was deployed, and where",
                "`{DEPLOYMENT_REPORT}` 不存在；请记录部署的内容与位置"
            ),
            Self::Spawn { command, source } => {
                let command = escape(command);
                say!(
                    voice,
                    "`{command}` cannot be started: {source}",
                    "无法启动 `{command}`：{source}"
                )
            }
            Self::Flow(error) => error.say(voice),
            Self::Usage(error) => error.say(voice),
            Self::Other(error) => error.say(voice),
            Self::Trouble(error) => error.say(voice),
        }
    }
}

impl Fail for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NoActiveChange => "NO_ACTIVE_CHANGE",
            Self::ChangeNotFound(_) => "CHANGE_NOT_FOUND",
            Self::NotVerified | Self::Refused(_) | Self::Untrusted => "VERIFY_NOT_PASSED",
            Self::Hindered(Hindrance::Conflict(_)) => "DEPLOYMENT_DECISION_CONFLICT",
            Self::Hindered(Hindrance::NotRequired) => "DEPLOYMENT_NOT_REQUIRED",
            Self::Hindered(Hindrance::TasksMissing) => "DEPLOY_TASKS_MISSING",
            Self::Hindered(Hindrance::ReportMissing) => "DEPLOYMENT_REPORT_MISSING",
            Self::Spawn { .. } => "FLOW_CMD_SPAWN_FAILED",
            Self::Flow(error) => error.code(),
            Self::Usage(error) => error.code(),
            Self::Other(error) => error.code(),
            Self::Trouble(error) => error.code(),
        }
    }
}

impl DeployDone {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        // Other programs pass more words than we know.
        let Self { env, unknown: _, .. } = self;
        match uninitialised::require(ctx, COMMAND, format, NOT_INITIALIZED) {
            Ok(tree) => finish(ctx, COMMAND, format, record(ctx, &tree, env.as_ref())),
            Err(exit) => exit,
        }
    }
}

fn record(ctx: &Context, tree: &WorkTree, env: Option<&Option<String>>) -> Result<Recorded, Error> {
    let environment = usage::value("--env", env)?.map(str::to_owned);
    let judged = Judged::of(tree)?;
    if let Some(due) = &judged.command {
        run_gate(ctx, tree, &judged, due)?;
    }
    // Judged again under the lock: the command took its time.
    let writer = ctx.writer(COMMAND)?;
    let tree = writer.tree();
    let Judged { facts, deployed, .. } = Judged::of(&tree)?;
    let slug = facts.slug.clone();
    apply(&writer, deployed.edits)?;
    Ok(Recorded {
        next_step: deploy::next_step(&tree, deployed.smoke)?,
        slug,
        environment,
        tasks: deployed.tasks,
        cleared: deployed.cleared,
    })
}

/// The active change, after all that is judged without running anything.
struct Judged<'t> {
    flow: ResolvedFlow,
    facts: Facts<'t>,
    deployed: deploy::Deployed,
    /// The gate, if a command is in it.
    command: Option<VerifyGate>,
}

impl<'t> Judged<'t> {
    fn of(tree: &'t dyn Tree) -> Result<Self, Error> {
        let guard = Guard::load(tree);
        let slug = guard.active_change().map(trim).and_then(Slug::lexical);
        let slug = slug.ok_or(Error::NoActiveChange)?;
        let facts = Facts::read(tree, &slug)?;
        if !facts.exists() {
            return Err(Error::ChangeNotFound(slug));
        }
        let flow = ResolvedFlow::load(tree, Lifecycle::Launched)?;
        let gate = flow.verify_gate()?;
        let is_command =
            |predicate: &Option<Predicate>| predicate.as_ref().is_some_and(Predicate::is_command);
        let has_command = is_command(&gate.fail) || is_command(&gate.done);
        let verified =
            || Ok::<_, Error>(fails_not(&facts, gate.fail.as_ref())? && is_done(&facts, gate.done.as_ref())?);
        if !has_command && !verified()? {
            return Err(Error::NotVerified);
        }
        let registry = Registry::load(tree)?;
        let deployment = deploy::decide(&facts, &registry, guard.module());
        if let Some(hindrance) = deploy::hindrance(tree, &deployment)? {
            return Err(Error::Hindered(hindrance));
        }
        let deployed = deploy::record(&facts, &deployment)?;
        Ok(Self {
            flow,
            facts,
            deployed,
            command: has_command.then_some(gate),
        })
    }
}

fn fails_not(facts: &Facts<'_>, fail: Option<&Predicate>) -> Result<bool, Error> {
    Ok(match fail {
        Some(Predicate::Marker(name)) => !facts.has_marker(name)?,
        _ => true,
    })
}

fn is_done(facts: &Facts<'_>, done: Option<&Predicate>) -> Result<bool, Error> {
    Ok(match done {
        Some(Predicate::Marker(name)) => facts.has_marker(name)?,
        _ => false,
    })
}

/// A gate with a command: failure first, then success, each in its turn (verify.md 13, step 10).
fn run_gate(ctx: &Context, tree: &WorkTree, judged: &Judged<'_>, gate: &VerifyGate) -> Result<(), Error> {
    if !ctx.trusts(&judged.flow)? {
        return Err(Error::Untrusted);
    }
    let config = Config::load(tree)?.unwrap_or_default();
    check_project_timeout(&config)?;
    let node = judged.flow.node("verify").map(|(_, node)| node);
    let seconds = node.map_or(0, |node| command_seconds(node, &config));
    let run = |command: &str| -> Result<Ended, Error> {
        let shell = Shell {
            text: command.to_owned(),
            dir: ctx.place()?.root.clone(),
            limit: Duration::from_secs(seconds),
            env: Vec::new(),
            streams: Streams::Dropped,
            through: None,
            ends_all: false,
        };
        shell.run().map_err(|source| Error::Spawn {
            command: command.to_owned(),
            source,
        })
    };
    let refused = |field, command: &str, ended: Ended| {
        Error::Refused(Refusal {
            field,
            command: command.to_owned(),
            exit_code: ended.exit_code,
            timed_out: ended.timed_out,
        })
    };
    match &gate.fail {
        Some(Predicate::Cmd(command)) => {
            let ended = run(command)?;
            if ended.satisfied() {
                return Err(refused("fail_when", command, ended));
            }
        }
        fail => {
            if !fails_not(&judged.facts, fail.as_ref())? {
                return Err(Error::NotVerified);
            }
        }
    }
    match &gate.done {
        Some(Predicate::Cmd(command)) => {
            let ended = run(command)?;
            if !ended.satisfied() {
                return Err(refused("done_when", command, ended));
            }
        }
        done => {
            if !is_done(&judged.facts, done.as_ref())? {
                return Err(Error::NotVerified);
            }
        }
    }
    Ok(())
}
