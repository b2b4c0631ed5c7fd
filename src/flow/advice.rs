//! The sentences of the flow: names of phases and steps, what to do next, why it is blocked (flow.md 6.4).

use super::next::{AutoGate, Words};
use super::plan_state::{PlanNote, PlanningReason};
use super::status::Suggestion;
use super::{CommandResult, Diagnostic, DiagnosticReason, Gate, Phase, Step};
use crate::change::deployment::Conflict;
use crate::project::SeedState;
use crate::say;
use crate::text::escape;
use crate::voice::{Invocation, Say, Voice};

impl Phase {
    /// What the phase is called.
    pub fn label(self, voice: &Voice) -> &str {
        let (english, chinese) = match self {
            Self::Requirements => ("Requirements", "需求"),
            Self::ProductDesign => ("Product design", "产品设计"),
            Self::Architecture => ("Architecture", "架构"),
            Self::Scenarios => ("Scenarios", "场景时序"),
            Self::Api => ("API design", "API 设计"),
            Self::Database => ("Database design", "数据库设计"),
            Self::DeploymentDesign => ("Deployment plan", "部署方案"),
            Self::TestCases => ("Test cases", "测试用例"),
            Self::Orchestration => ("Orchestration tests", "编排测试"),
            Self::Code => ("Code", "代码实现"),
            Self::Verify => ("Acceptance", "验收"),
            Self::Deploy => ("Deployment", "部署执行"),
            Self::Smoke => ("Smoke test", "冒烟测试"),
        };
        voice.pick(english, chinese)
    }

    fn sentence(self, voice: &Voice) -> &str {
        let (english, chinese) = match self {
            Self::Requirements => ("write the requirements", "编写需求文档"),
            Self::ProductDesign => ("design the product", "编写产品设计"),
            Self::Architecture => ("design the architecture", "编写架构设计"),
            Self::Scenarios => ("write a document for every scenario", "为每个场景编写时序文档"),
            Self::Api => ("design the API", "设计 API"),
            Self::Database => ("design the database", "设计数据库"),
            Self::DeploymentDesign => ("plan the deployment", "编写部署方案"),
            Self::TestCases => ("write test cases for every scenario", "为每个场景编写测试用例"),
            Self::Orchestration => ("write the orchestration tests", "编写编排测试"),
            Self::Code => ("write the code, and list it", "实现代码并登记"),
            Self::Verify => (
                "verify: there is no acceptance report yet",
                "执行验收：尚无验收报告",
            ),
            Self::Deploy => ("deploy, and report on it", "执行部署并编写部署报告"),
            Self::Smoke => ("run the smoke test", "执行冒烟测试"),
        };
        voice.pick(english, chinese)
    }
}

impl Step {
    /// What the step is called.
    pub fn label(self, voice: &Voice) -> &str {
        let (english, chinese) = match self {
            Self::Writing => ("Writing the proposal", "编写提案"),
            Self::ReadyToDelta => ("Plan waits for approval", "方案待批准"),
            Self::DeltaWriting => ("Writing deltas", "编写 delta"),
            Self::ReadyToMerge => ("Ready to merge", "待合并"),
            Self::MergeGenerated => ("Merge prompt written", "合并指令已生成"),
            Self::SpecCompleteRequired => ("Specification marker missing", "缺少规格完成标记"),
            Self::TestIdRequired => ("Real test ids required", "需要真实测试 ID"),
            Self::ReadyToImplement => ("Slices wait", "切片待规划或批准"),
            Self::Coding => ("Coding", "编码中"),
            Self::ReadyToVerify => ("Ready to verify", "待验收"),
            Self::VerifyFailed => ("Acceptance failed", "验收失败"),
            Self::VerifyPassed => ("Acceptance passed", "验收通过"),
            Self::ReadyToDeploy => ("Ready to deploy", "待部署"),
            Self::DeployDone => ("Deployed", "已部署"),
            Self::ReadyToSmoke => ("Ready for the smoke test", "待冒烟"),
            Self::SmokePassed => ("Smoke test passed", "冒烟通过"),
            Self::SmokeFailed => ("Smoke test failed", "冒烟失败"),
        };
        voice.pick(english, chinese)
    }

    fn sentence(self, voice: &Voice, slices_planned: bool) -> String {
        let run = |command: &'static str| Invocation::new(command, &[]).say(voice);
        match self {
            Self::Writing => say!(
                voice,
                "fill in proposal.md and tasks.md",
                "填写 proposal.md 和 tasks.md"
            ),
            Self::ReadyToDelta => say!(
                voice,
                "the plan is written; approve it, then write the deltas",
                "方案已就绪；批准后编写 delta"
            ),
            Self::DeltaWriting => say!(
                voice,
                "write the deltas and tick the tasks of `[delta]`",
                "编写 delta 并勾选 `[delta]` 任务"
            ),
            Self::ReadyToMerge => {
                let merge = run("merge");
                say!(
                    voice,
                    "all deltas are written; merge them with `{merge}`",
                    "delta 已全部完成；用 `{merge}` 合并"
                )
            }
            Self::MergeGenerated => say!(
                voice,
                "apply MERGE_PROMPT.md to the documents, then write SPEC_MERGED",
                "按 MERGE_PROMPT.md 合并文档，然后写入 SPEC_MERGED"
            ),
            Self::SpecCompleteRequired => say!(
                voice,
                "no document changes, but code does: write SPEC_MERGED to say that the specification is complete",
                "本变更不改文档但改代码：写入 SPEC_MERGED 以确认规格完整"
            ),
            Self::TestIdRequired => say!(
                voice,
                "code needs real test ids: add them to the merged test documents, or list those that are reused",
                "代码变更需要真实测试 ID：在已合并的测试文档中补充，或列出复用的 ID"
            ),
            Self::ReadyToImplement if slices_planned => say!(
                voice,
                "the slices are planned; approve them, then write the code",
                "切片已规划；批准后开始编码"
            ),
            Self::ReadyToImplement => say!(
                voice,
                "plan the slices below `[code]` in tasks.md",
                "在 tasks.md 的 `[code]` 下规划切片"
            ),
            Self::Coding => say!(voice, "write the code, slice by slice", "按切片实现代码"),
            Self::ReadyToVerify => {
                let verify = run("verify");
                say!(voice, "verify with `{verify}`", "用 `{verify}` 验收")
            }
            Self::VerifyFailed => {
                let verify = run("verify");
                say!(
                    voice,
                    "mend what the acceptance report names, then run `{verify}` again",
                    "修复验收报告所列问题，然后重新执行 `{verify}`"
                )
            }
            Self::VerifyPassed => {
                let archive = run("archive");
                say!(
                    voice,
                    "done; archive with `{archive}`",
                    "已完成；用 `{archive}` 归档"
                )
            }
            Self::ReadyToDeploy => {
                let done = run("deploy-done");
                say!(
                    voice,
                    "deploy, tick the tasks of `[deploy]`, and say so with `{done}`",
                    "执行部署，勾选 `[deploy]` 任务，并用 `{done}` 确认"
                )
            }
            Self::DeployDone | Self::SmokePassed => {
                let archive = run("archive");
                say!(
                    voice,
                    "the change is live; archive with `{archive}`",
                    "变更已上线；用 `{archive}` 归档"
                )
            }
            Self::ReadyToSmoke => {
                let smoke = run("smoke");
                say!(
                    voice,
                    "run the smoke test with `{smoke}`",
                    "用 `{smoke}` 执行冒烟测试"
                )
            }
            Self::SmokeFailed => {
                let smoke = run("smoke");
                say!(
                    voice,
                    "mend what the smoke report names, then run `{smoke}` again",
                    "修复冒烟报告所列问题，然后重新执行 `{smoke}`"
                )
            }
        }
    }
}

/// What is to be said of the baseline of an adopted module.
fn baseline_sentence(state: SeedState, voice: &Voice) -> String {
    let run = |command: &'static str| Invocation::new(command, &[]).say(voice);
    match state {
        SeedState::Required => {
            let begin = run("baseline-seed begin");
            say!(
                voice,
                "adopted: draw a baseline from the code, beginning with `{begin}`",
                "已接入项目：用 `{begin}` 开始从代码提取基线"
            )
        }
        SeedState::Partial => {
            let commit = run("baseline-seed commit");
            say!(
                voice,
                "the baseline is not complete; complete it with `{commit}`",
                "基线尚未完成；用 `{commit}` 完成"
            )
        }
        SeedState::Seeded => {
            let change = run("change");
            say!(
                voice,
                "the baseline is there; begin a change with `{change}`",
                "基线已就绪；用 `{change}` 开始变更"
            )
        }
    }
}

impl Say for Suggestion {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::AllDone | Self::Launch => {
                let launch = Invocation::new("launch", &[]).say(voice);
                say!(
                    voice,
                    "all phases are done; launch with `{launch}`",
                    "全部阶段已完成；用 `{launch}` 上线"
                )
            }
            Self::StartChange => {
                let change = Invocation::new("change", &[]).say(voice);
                say!(
                    voice,
                    "no change is active; begin one with `{change}`",
                    "没有进行中的变更；用 `{change}` 开始"
                )
            }
            Self::Baseline(state) => baseline_sentence(*state, voice),
            Self::DocumentsSkipped => say!(
                voice,
                "adopted: the document phases are skipped",
                "已接入项目：跳过文档阶段"
            ),
            Self::Phase(phase) => phase.sentence(voice).to_owned(),
            Self::Blocked(slug) => say!(
                voice,
                "blocked by the change `{slug}` of another module",
                "被其他模块的变更 `{slug}` 阻塞"
            ),
            Self::Conflict => say!(
                voice,
                "proposal.md and tasks.md disagree about deployment; settle it first",
                "proposal.md 与 tasks.md 的部署决定冲突；请先修正"
            ),
            Self::Step { step, slices_planned } => step.sentence(voice, *slices_planned),
            Self::AddedNode { id, name } => {
                let (id, name) = (escape(id), escape(name));
                say!(
                    voice,
                    "finish `{id}` ({name}), which the project's flow adds here",
                    "完成项目流程在此添加的 `{id}`（{name}）"
                )
            }
            Self::Loop {
                iteration,
                max_iters,
                escalated: true,
            } => say!(
                voice,
                "{iteration} of {max_iters} rounds went by without success; a person has to decide",
                "{max_iters} 轮中已执行 {iteration} 轮仍未成功；需要人工决定"
            ),
            Self::Loop {
                iteration, max_iters, ..
            } => say!(
                voice,
                "round {iteration} of {max_iters} did not pass; go on with the code",
                "第 {iteration}/{max_iters} 轮未通过；继续编码"
            ),
            Self::CommandGate { node } => {
                let (node, next) = (escape(node), Invocation::new("next", &[]).say(voice));
                say!(
                    voice,
                    "`{next}` runs the command that decides `{node}`",
                    "`{next}` 会执行判定 `{node}` 的命令"
                )
            }
        }
    }
}

impl Say for Conflict {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Unwanted => say!(
                voice,
                "proposal.md says that nothing is deployed, and tasks.md has a `[deploy]` section; remove one of the two",
                "proposal.md 声明无需部署，但 tasks.md 含 `[deploy]` 部分；请二选一"
            ),
            Self::Missing => say!(
                voice,
                "proposal.md says that the change is deployed, and tasks.md has no `[deploy]` section; add one, or change the answer",
                "proposal.md 声明需要部署，但 tasks.md 没有 `[deploy]` 部分；请补充或修改声明"
            ),
        }
    }
}

impl Say for PlanNote {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Conflict => Suggestion::Conflict.say(voice),
            Self::NotFilled => say!(
                voice,
                "proposal.md or tasks.md still holds words of the template, or lacks a section",
                "proposal.md 或 tasks.md 仍含模板内容，或缺少部分"
            ),
            Self::GatePending => say!(voice, "the plan waits for approval", "方案等待批准"),
            Self::Approved => say!(voice, "the plan is approved", "方案已批准"),
        }
    }
}

impl Say for PlanningReason {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::TasksCodeSectionMissing => say!(
                voice,
                "add a `## [code]` section with the slices to tasks.md",
                "在 tasks.md 中添加含切片的 `## [code]` 部分"
            ),
            Self::SlicesNotPlanned => say!(
                voice,
                "write the slices below `## [code]` in tasks.md, one box each",
                "在 tasks.md 的 `## [code]` 下逐条写出切片"
            ),
        }
    }
}

impl Diagnostic {
    /// What would help.
    pub fn remediation(&self, voice: &Voice) -> String {
        match self.reason {
            DiagnosticReason::ReporterMissing => say!(
                voice,
                "no test reported a result; let the tests write the result ledger, and run those of the slice",
                "没有任何测试结果；请让测试写入结果文件，并执行本切片的测试"
            ),
            DiagnosticReason::FocusedTestsMissing if self.missing_artifacts.is_empty() => say!(
                voice,
                "tests of the slice do not pass yet; mend the code and run them again",
                "本切片的测试尚未通过；请修复代码并重新执行"
            ),
            DiagnosticReason::FocusedTestsMissing => say!(
                voice,
                "tests of the slice have no result; write them, and run them",
                "本切片的部分测试没有结果；请编写并执行"
            ),
            DiagnosticReason::GlobalVerifyFailed => say!(
                voice,
                "the slice passes, but other tests fail; mend them, and verify again",
                "本切片已通过，但其他测试失败；请修复后重新验收"
            ),
            DiagnosticReason::NoProgress if self.human_action_required => say!(
                voice,
                "no test passes and no round is left; a person has to look",
                "没有测试通过且轮次已用尽；需要人工介入"
            ),
            DiagnosticReason::NoProgress => say!(
                voice,
                "a round went by and no test passes; look at the failures first",
                "已执行一轮但没有测试通过；请先检查失败原因"
            ),
            DiagnosticReason::DriverCannotValidateArtifacts => say!(
                voice,
                "the tests of the slice pass; verify to go on",
                "本切片测试已通过；请执行验收"
            ),
        }
    }
}

impl AutoGate {
    /// What passing it means.
    fn passed(self, voice: &Voice) -> String {
        match self {
            Self::Human(Gate::PlanExit) => say!(
                voice,
                "the plan is approved; write the deltas",
                "方案已批准；请编写 delta"
            ),
            Self::Human(Gate::SpecExit) => {
                say!(
                    voice,
                    "the deltas are approved; merge them",
                    "delta 已批准；请合并"
                )
            }
            Self::Human(Gate::SliceExit) => say!(
                voice,
                "the slices are approved; write the code",
                "切片已批准；请编码"
            ),
            Self::Human(Gate::DeliverEntry) => {
                say!(voice, "delivery is approved; deploy", "交付已批准；请部署")
            }
            Self::LoopExhausted => say!(
                voice,
                "all rounds are used up, and the flow lets that pass; go on",
                "轮次已用尽，流程允许放行；请继续"
            ),
        }
    }
}

impl Say for Words {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Empty => String::new(),
            Self::BlockedWord => "blocked".to_owned(),
            Self::Suggestion(suggestion) => suggestion.say(voice),
            Self::StepLabel(step) => step.label(voice).to_owned(),
            Self::Phase(phase) => phase.label(voice).to_owned(),
            Self::Conflict(conflict) => conflict.say(voice),
            Self::GatePassed(gate) => gate.passed(voice),
            Self::Command(result) => command_words(result, voice),
            Self::Repair => say!(
                voice,
                "repair: other tests fail; mend them, then verify again",
                "修复：其他测试失败；修复后重新验收"
            ),
            Self::Diagnostic(diagnostic) => diagnostic.remediation(voice),
        }
    }
}

fn command_words(result: &CommandResult, voice: &Voice) -> String {
    let node = escape(&result.node);
    match result.exit_code {
        Some(0) if result.satisfied() => say!(
            voice,
            "the command of `{node}` succeeded",
            "`{node}` 的命令执行成功"
        ),
        _ if result.timed_out => say!(
            voice,
            "the command of `{node}` was ended at its time limit",
            "`{node}` 的命令因超时被终止"
        ),
        Some(code) => say!(
            voice,
            "the command of `{node}` ended with exit code {code}",
            "`{node}` 的命令以退出码 {code} 结束"
        ),
        None => say!(
            voice,
            "the command of `{node}` was ended by a signal",
            "`{node}` 的命令被信号终止"
        ),
    }
}

/// Why a change is deployed or not, where its proposal does not say.
pub fn deployment_reason(required: Option<bool>, voice: &Voice) -> String {
    match required {
        Some(true) => say!(voice, "tasks.md has deployment tasks", "tasks.md 含部署任务"),
        Some(false) | None => say!(
            voice,
            "neither proposal.md nor tasks.md asks for a deployment",
            "proposal.md 与 tasks.md 均未要求部署"
        ),
    }
}
