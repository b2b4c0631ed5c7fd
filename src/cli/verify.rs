//! `verify`: the gate between code and delivery (verify.md 3 to 11).

use super::page::{Html, Target};
use super::uninitialised::{self, NOT_INITIALIZED};
use super::usage::Unknown;
use super::verification::{
    Active, Error, Files, apply_with, complain_of, config, means, smoke_records, smoke_runners,
};
use super::{Context, Exit, Format, finish};
use crate::change::deployment::deploy_tasks;
use crate::clock::Timestamp;
use crate::files::RepoPath;
use crate::files::{ReadError, Tree, WorkTree};
use crate::flow::{self, Lifecycle, ResolvedFlow};
use crate::ledger::Records;
use crate::project::{Registry, layout};
use crate::report::verify::{DeployNote, Verification};
use crate::say;
use crate::verify::acceptance;
use crate::verify::cases::Cases;
use crate::verify::gate::{Closed, FAILED_CASES, INCOMPLETE_COVERAGE, Verified};
use crate::verify::import::KnownCases;
use crate::verify::outcome::{self, Edit};
use crate::verify::page;
use crate::verify::pre_run::{Host, Mode, Plan, PreRun};
use crate::verify::precheck::{CASES_UNCOVERED, GateResult, Precheck};
use crate::verify::settings::{SmokeSettings, Unmapped, VerifySettings};

/// Judge test results against the case specifications
///
/// Runs the configured commands, reads the result ledger, and writes the acceptance report, the markers of the active
/// change and the round of its loop. Exit code 0 if the gate is open, else 1.
#[derive(clap::Args)]
pub(super) struct Verify {
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// Passed over: everything is verified, whatever module it is of
    #[arg(long, value_name = "ID", hide = true)]
    module: Option<Option<String>>,
    #[command(flatten)]
    html: Html,
    #[command(flatten)]
    unknown: Unknown,
}

const COMMAND: &str = "verify";

impl Verify {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        // Other programs pass more words than we know.
        let Self {
            html,
            module: _,
            unknown: _,
            ..
        } = self;
        match uninitialised::require(ctx, COMMAND, format, NOT_INITIALIZED) {
            Ok(tree) => finish(ctx, COMMAND, format, verify(ctx, format, &tree, &html)),
            Err(exit) => exit,
        }
    }
}

fn verify(ctx: &Context, format: Format, tree: &WorkTree, html: &Html) -> Result<Verification, Error> {
    let voice = ctx.voice();
    check_flow(tree)?;
    let page = html.target(ctx)?;
    let config = config(tree)?;
    let settings = VerifySettings::read(&config)?;
    let smoke = SmokeSettings::read(&config)?;
    let plan = Plan::of_verify(&settings);
    let files = Files {
        ctx,
        command: COMMAND,
        known: |tree| Ok(KnownCases::from(&Cases::read(tree)?)),
    };
    let root = &ctx.place().map_err(super::trouble::Trouble::from)?.root;
    let host = Host {
        now: ctx.now,
        clock: Timestamp::now,
        root,
        means: &means(ctx)?,
        is_quiet: format == Format::Json,
        voice,
    };
    let ran = plan.run(&settings.result, &files, &host)?;
    // What the commands wrote is there now.
    let tree = ctx.work_tree()?;
    let records = read_ledger(&tree, &settings.result.path)?
        .ok_or_else(|| Error::NoResults(settings.result.text.clone()))?;
    let cases = Cases::read(&tree)?;
    if cases.defined.is_empty() {
        return Err(Error::NoCases);
    }
    let rows = records.rows.clone();
    let closed = Closed {
        by_command: settings.require_command_success && ran.failed(),
        by_unmapped: settings.unmapped == Unmapped::Fail && ran.unmapped_count > 0,
    };
    let run = Verified::judge(cases, records, closed);
    let active = Active::read(&tree)?;
    let precheck = Precheck::look(
        &tree,
        active.guard.trimmed_slug().as_ref(),
        &smoke_records(&tree, &smoke.result.path)?,
        smoke_runners(root),
        smoke.command.as_deref(),
        &smoke.result.text,
        voice,
    )?;
    let mut verification = Verification {
        pre_run: PreRun::new(&plan, &ran, &settings, voice),
        sandbox: ran.sandbox.clone(),
        result: GateResult::of(run.reason.is_none()),
        reason: run.reason,
        failed: run.failed.clone(),
        diagnostic: None,
        deploy: None,
        run,
        precheck,
    };
    explain(&mut verification, ctx);
    let failures = verification
        .run
        .failed
        .iter()
        .map(|case| case.id.clone())
        .collect();
    verification.diagnostic = flow::after_verify(
        active.facts.as_ref(),
        rows,
        failures,
        !verification.result.passes(),
    );
    if ran.closes(&mut verification.result, &mut verification.failed) {
        verification.reason = Some(FAILED_CASES);
    }
    if verification.result.passes()
        && let Some(facts) = &active.facts
    {
        let tasks: Vec<String> = deploy_tasks(facts).into_iter().map(|item| item.text).collect();
        verification.deploy = (!tasks.is_empty()).then_some(DeployNote { tasks });
    }
    write(ctx, &verification, page.as_ref())?;
    if format != Format::Json {
        active.warn(voice);
        complain_of(&ran);
    }
    Ok(verification)
}

/// The flow of the project must be one, whether it is needed or not.
fn check_flow(tree: &WorkTree) -> Result<(), Error> {
    let launched = Registry::load(tree)?
        .registered()
        .iter()
        .any(|module| module.launched);
    let lifecycle = if launched {
        Lifecycle::Launched
    } else {
        Lifecycle::Initial
    };
    ResolvedFlow::load(tree, lifecycle)?;
    Ok(())
}

fn read_ledger(tree: &WorkTree, path: &RepoPath) -> Result<Option<Records>, Error> {
    if !tree.is_file(path)? {
        return Ok(None);
    }
    let Some(ledger) = tree.open(path)? else {
        return Ok(None);
    };
    let records = Records::read(ledger).map_err(|error| ReadError::new(path, error))?;
    Ok(Some(records))
}

/// What the pre-run and the smoke cases add to the gate.
fn explain(verification: &mut Verification, ctx: &Context) {
    let voice = ctx.voice();
    let Verification {
        pre_run,
        precheck,
        run,
        ..
    } = verification;
    if pre_run.mode == Mode::None && run.reason == Some(INCOMPLETE_COVERAGE) {
        pre_run.diagnostics.push(say!(
            voice,
            "cases without result, and no command to run: the ledger is probably of a partial run",
            "存在没有结果的用例，且未配置运行命令：结果账本可能来自局部运行"
        ));
        pre_run.suggestions.push(say!(
            voice,
            "configure `verify.pre_run_command`, which runs all tests",
            "配置 `verify.pre_run_command` 以运行全部测试"
        ));
        pre_run.suggestions.push(say!(
            voice,
            "or configure two phases: `verify.regression_command` and `verify.incremental_command`",
            "或配置两阶段：`verify.regression_command` 与 `verify.incremental_command`"
        ));
    }
    for id in &run.undefined_links {
        let id = crate::text::escape(id);
        pre_run.diagnostics.push(say!(
            voice,
            "a criterion is traced to `{id}`, which no specification defines",
            "验收条件关联了 `{id}`，但没有任何用例规格定义它"
        ));
    }
    // Smoke runs after deployment: its cases need not be covered yet.
    let blocking: Vec<_> = precheck
        .diagnostics
        .iter()
        .filter(|d| d.code != CASES_UNCOVERED)
        .collect();
    if let Some(first) = blocking.first() {
        (verification.result, verification.reason) = (GateResult::Fail, Some(first.code));
        for diagnostic in &blocking {
            let (code, message) = (diagnostic.code, &diagnostic.message);
            pre_run.diagnostics.push(format!("{code}: {message}"));
        }
        let path = &precheck.result_path;
        pre_run.suggestions.push(say!(
            voice,
            "put a runner `scripts/smoke-<name>.sh` into the project",
            "在项目中添加运行脚本 `scripts/smoke-<名称>.sh`"
        ));
        pre_run.suggestions.push(say!(
            voice,
            "let `smoke.command` run it",
            "让 `smoke.command` 运行它"
        ));
        pre_run.suggestions.push(say!(
            voice,
            "let it write a line of JSON per case to `{path}`",
            "让它把每个用例的结果以一行 JSON 写入 `{path}`"
        ));
    }
}

/// Writes report, page, round and markers together or not at all, as they follow from the files under the lock.
fn write(ctx: &Context, verification: &Verification, page: Option<&Target>) -> Result<(), Error> {
    let writer = ctx.writer(COMMAND)?;
    let tree = writer.tree();
    let active = Active::read(&tree)?;
    let (run, result, reason) = (&verification.run, verification.result, verification.reason);
    let date = ctx.now.date(0);
    let report = acceptance::acceptance(run, result, reason, &date);
    let page = page.map(|target| {
        let page = page::acceptance(run, result, reason, &date, ctx.voice());
        (target, page)
    });
    let mut edits = vec![Edit::write(RepoPath::of(layout::ACCEPTANCE_REPORT), report)];
    let registry = Registry::load(&tree)?;
    let facts = active.facts.as_ref();
    edits.extend(outcome::next_round(
        &tree,
        &active.guard,
        &registry,
        facts,
        result,
        ctx.now,
    )?);
    if let Some(facts) = facts {
        edits.extend(outcome::verify_markers(&facts.slug, result));
    }
    apply_with(&writer, edits, page)
}
