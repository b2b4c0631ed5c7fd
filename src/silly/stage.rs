//! The stages of a change and their steps (silly.md 3 and 5).

/// A stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    Scan,
    Brainstorm,
    Propose,
    Plan,
    Execute,
    Verify,
    Archive,
    Quick,
    Explore,
    Status,
    Doctor,
}

impl Stage {
    /// Those that every change has.
    pub const RECORDED: [Self; 9] = [
        Self::Scan,
        Self::Brainstorm,
        Self::Propose,
        Self::Plan,
        Self::Execute,
        Self::Verify,
        Self::Archive,
        Self::Quick,
        Self::Explore,
    ];

    /// What `run auto` walks.
    pub const AUTO: [Self; 4] = [Self::Brainstorm, Self::Plan, Self::Execute, Self::Verify];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Scan => "scan",
            Self::Brainstorm => "brainstorm",
            Self::Propose => "propose",
            Self::Plan => "plan",
            Self::Execute => "execute",
            Self::Verify => "verify",
            Self::Archive => "archive",
            Self::Quick => "quick",
            Self::Explore => "explore",
            Self::Status => "status",
            Self::Doctor => "doctor",
        }
    }

    /// A stage that every change has, by its name.
    pub fn recorded(name: &str) -> Option<Self> {
        Self::RECORDED.into_iter().find(|stage| stage.as_str() == name)
    }

    /// A stage that can be run.
    pub fn runnable(name: &str) -> Option<Self> {
        let more = [Self::Status, Self::Doctor];
        Self::recorded(name).or_else(|| more.into_iter().find(|stage| stage.as_str() == name))
    }

    /// Stands beside the way of a change: it needs none, and starts over when it is done.
    pub const fn is_auxiliary(self) -> bool {
        match self {
            Self::Scan | Self::Quick | Self::Explore | Self::Archive | Self::Status | Self::Doctor => true,
            Self::Brainstorm | Self::Propose | Self::Plan | Self::Execute | Self::Verify => false,
        }
    }

    /// Begins a change where there is none.
    pub const fn begins_changes(self) -> bool {
        matches!(self, Self::Brainstorm | Self::Propose)
    }

    /// Opens the sources of a work tree (silly.md 6).
    pub const fn is_gated(self) -> bool {
        matches!(self, Self::Execute | Self::Quick)
    }
}

/// Where a stage or a step stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Pending,
    InProgress,
    Completed,
    Failed,
    Blocked,
    /// Of steps only.
    Skipped,
}

impl Status {
    const ALL: [Self; 6] = [
        Self::Pending,
        Self::InProgress,
        Self::Completed,
        Self::Failed,
        Self::Blocked,
        Self::Skipped,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in-progress",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Blocked => "blocked",
            Self::Skipped => "skipped",
        }
    }

    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }

    /// Those that may be set by name: skipping has its own command.
    pub fn settable(name: &str) -> Option<Self> {
        Self::of(name).filter(|status| *status != Self::Skipped)
    }
}

/// What the list of steps depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// Waves of the plan; none without a plan that has some.
    pub waves: usize,
    /// Whether the plan has tasks.
    pub has_tasks: bool,
    /// `steps: full` in local.yaml: with the two steps that other programs leave out.
    pub full: bool,
}

/// The step that moves a change to the archive.
pub const CONFIRM_ARCHIVE: &str = "确认归档";
/// Written once the plan has tasks.
const BLUEPRINTS: &str = "生成任务蓝图（子代理并行）";
const SPECIFY: &str = "生成规范文件";
const WRITE_DESIGN: &str = "写设计文档并自审";
/// Waves of an execution without a plan.
const DEFAULT_WAVES: usize = 3;

/// Steps that may be skipped, by stage.
const OPTIONAL: [(Stage, &[&str]); 3] = [
    (
        Stage::Brainstorm,
        &[
            "协作与复用检查",
            "原型/设计图分析",
            "需求范围评估",
            "HTML 原型生成",
        ],
    ),
    (Stage::Execute, &["代码审查", "知识库审阅"]),
    (Stage::Scan, &["生成模块映射"]),
];

/// Whether a step may be skipped.
pub fn is_optional(stage: Stage, step: &str) -> bool {
    OPTIONAL
        .iter()
        .any(|(of, steps)| *of == stage && steps.contains(&step))
}

/// The names of the steps of a stage, in order.
pub fn steps(stage: Stage, given: Circumstances) -> Vec<String> {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    match stage {
        Stage::Brainstorm => {
            let mut all = owned(&[
                "状态检查",
                "加载项目上下文",
                "协作与复用检查",
                "原型/设计图分析",
                "需求范围评估",
                "对话式探索",
                "提出 2-3 种方案",
                "分段展示设计",
                "HTML 原型生成",
                "用户确认并生成规范文件",
            ]);
            if given.full {
                all.insert(all.len() - 1, WRITE_DESIGN.to_owned());
            }
            all
        }
        Stage::Propose => {
            let mut all = owned(&[
                "状态检查",
                "加载上下文",
                "锚定确认",
                "探索现有代码",
                "自检门控",
                "展示并更新进度",
            ]);
            if given.full {
                all.insert(4, SPECIFY.to_owned());
            }
            all
        }
        Stage::Plan => {
            let mut all = owned(&[
                "状态检查",
                "加载上下文",
                "锚定确认",
                "展开任务并分组",
                "自检总览",
                "审查一致性",
                "保存并更新进度",
            ]);
            if given.has_tasks {
                all.insert(5, BLUEPRINTS.to_owned());
            }
            all
        }
        Stage::Execute => {
            let mut all = owned(&["状态检查", "加载上下文", "创建 worktree", "确认执行范围"]);
            let waves = if given.waves == 0 {
                DEFAULT_WAVES
            } else {
                given.waves
            };
            all.extend((1..=waves).map(|wave| format!("Wave {wave} 执行")));
            all.extend(owned(&[
                "对照设计检查",
                "运行测试",
                "代码审查",
                "知识库审阅",
                "完成确认",
            ]));
            all
        }
        Stage::Verify => owned(&[
            "状态检查",
            "加载规范并锚定",
            "逐项检查任务",
            "对照设计检查",
            "任务蓝图验收",
            "运行测试和质量扫描",
            "输出验证报告",
        ]),
        Stage::Archive => owned(&[
            "任务完成度检查",
            "extract-module-impact",
            "sync-module-docs",
            CONFIRM_ARCHIVE,
            "更新路线图和提交",
        ]),
        Stage::Quick => owned(&[
            "理解任务",
            "创建 worktree",
            "实现并验证",
            "apply 并 cleanup",
            "暂存和更新记录",
        ]),
        Stage::Explore => owned(&["自由探索"]),
        Stage::Scan => owned(&[
            "探测项目结构并建议子项目",
            "检查已有扫描文档和子项目列表",
            "构建环境探测",
            "断点续扫检测",
            "深度扫描 — 技术架构",
            "深度扫描 — 代码约定",
            "深度扫描 — 目录结构和集成",
            "深度扫描 — 测试和债务",
            "生成本地配置",
            "生成模块映射",
            "自检和提交",
        ]),
        Stage::Status => owned(&["项目基础信息", "变更状态", "输出状态报告"]),
        Stage::Doctor => owned(&["SillySpec 内部检查", "构建环境检查", "外部依赖检查", "汇总报告"]),
    }
}

/// Whether stored steps are a list that either setting gives: they are kept as they are.
pub fn is_known_list(stage: Stage, given: Circumstances, stored: &[&str]) -> bool {
    [false, true]
        .into_iter()
        .any(|full| steps(stage, Circumstances { full, ..given }) == stored)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_count_positions_and_a_missing_plan_has_three() {
        let with = |waves| {
            steps(
                Stage::Execute,
                Circumstances {
                    waves,
                    ..Circumstances::default()
                },
            )
        };
        assert_eq!(with(0), with(3));
        assert_eq!(with(1).len(), 10);
        assert_eq!(with(2)[5], "Wave 2 执行");
    }

    #[test]
    fn the_longer_lists_are_known_too() {
        let full = Circumstances {
            full: true,
            ..Circumstances::default()
        };
        let list = steps(Stage::Propose, full);
        assert_eq!((list.len(), list[4].as_str()), (7, SPECIFY));
        let list: Vec<&str> = list.iter().map(String::as_str).collect();
        assert!(is_known_list(Stage::Propose, Circumstances::default(), &list));
        let brainstorm = steps(Stage::Brainstorm, full);
        assert_eq!(brainstorm[9], WRITE_DESIGN);
    }

    #[test]
    fn every_optional_step_is_a_step() {
        for (stage, names) in OPTIONAL {
            let all = steps(stage, Circumstances::default());
            assert!(
                names.iter().all(|name| all.iter().any(|step| step == name)),
                "{stage:?}"
            );
        }
    }

    #[test]
    fn status_and_doctor_run_but_are_not_recorded() {
        assert_eq!(Stage::recorded("doctor"), None);
        assert_eq!(Stage::runnable("doctor"), Some(Stage::Doctor));
        assert_eq!(Status::settable("skipped"), None);
    }
}
