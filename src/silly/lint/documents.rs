//! The documents of a change but its plan: what each must have and should have, as tables.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::{Code, Findings};
use crate::finding::Severity;
use crate::markdown::Table;
use crate::silly::impact::{self, MATRIX, RESULTS, UNMATCHED};
use crate::silly::sections::Sections;
use crate::silly::{change_list, tasks as task_list, verification as report};
use crate::text::{js, trim};

/// What a section is to hold.
#[derive(Clone, Copy)]
enum Holds {
    Anything,
    List,
    Table(&'static [&'static str]),
    Checkboxes,
}

/// A section by its titles, the first of which names it.
struct Wanted {
    titles: &'static [&'static str],
    level: Severity,
    holds: Holds,
}

const fn must(titles: &'static [&'static str], holds: Holds) -> Wanted {
    Wanted {
        titles,
        level: Severity::Error,
        holds,
    }
}

const fn should(titles: &'static [&'static str], holds: Holds) -> Wanted {
    Wanted {
        titles,
        level: Severity::Warning,
        holds,
    }
}

const PROPOSAL: [Wanted; 5] = [
    must(&["动机"], Holds::Anything),
    must(&["变更范围"], Holds::Anything),
    should(&["关键问题"], Holds::Anything),
    should(&["不在范围内", "非目标", "Non-Goals"], Holds::List),
    should(&["成功标准"], Holds::List),
];
const DESIGN: [Wanted; 9] = [
    must(&["背景"], Holds::Anything),
    must(&["总体方案"], Holds::Anything),
    should(&["设计目标"], Holds::Anything),
    should(&["非目标"], Holds::Anything),
    should(&["接口定义"], Holds::Anything),
    should(&["数据模型"], Holds::Anything),
    should(&["兼容策略"], Holds::Anything),
    should(&["风险登记"], Holds::Table(&["编号", "风险", "等级", "应对策略"])),
    should(&["自审"], Holds::Anything),
];
const REQUIREMENTS: [Wanted; 2] = [
    should(&["角色"], Holds::Table(&[])),
    should(&["非功能需求"], Holds::Anything),
];
const TASK: [Wanted; 4] = [
    should(&["任务描述"], Holds::Anything),
    should(&["实现要点"], Holds::Anything),
    should(&["涉及文件"], Holds::Anything),
    should(&["验收标准"], Holds::Checkboxes),
];
const IMPACT: [Wanted; 3] = [
    must(&[MATRIX.title], Holds::Table(MATRIX.columns)),
    should(&[UNMATCHED.title], Holds::Table(UNMATCHED.columns)),
    should(&[RESULTS.title], Holds::Table(RESULTS.columns)),
];
const VERIFICATION: [Wanted; 7] = [
    must(&[report::TITLE], Holds::Anything),
    should(&["任务完成度"], Holds::Anything),
    should(&["设计一致性"], Holds::Anything),
    should(&["探针结果"], Holds::Anything),
    should(&["测试结果"], Holds::Anything),
    should(&["技术债务"], Holds::Anything),
    should(&["代码审查"], Holds::Anything),
];
const RISK_LEVELS: [&str; 3] = ["P0", "P1", "P2"];

static ITEM: LazyLock<Regex> = LazyLock::new(|| js(r"^\s*(?:[-*+]|\d+[.)])\s+\S"));
static BOX: LazyLock<Regex> = LazyLock::new(|| js(r"^\s*[-*]\s+\[[ xX]\]\s"));
static REQUIREMENT: LazyLock<Regex> = LazyLock::new(|| js(r"^FR-(\d+)(?:\s*[:：]\s*(\S)|\s*[:：]?\s*$)"));
static RISK: LazyLock<Regex> = LazyLock::new(|| js(r"^R-\d{2,}$"));
static STEP: LazyLock<Regex> = LazyLock::new(|| js(r"^[\s\-*>]*(Given|When|Then)\b"));

pub(super) fn proposal(bytes: &[u8], found: &mut Findings<'_>) {
    judge(&Sections::of(bytes), true, &PROPOSAL, found);
}

pub(super) fn design(bytes: &[u8], found: &mut Findings<'_>) {
    let sections = Sections::of(bytes);
    judge(&sections, true, &DESIGN, found);
    if !change_list::has_section(bytes) {
        found.error(Code::SectionMissing, None, change_list::TITLE);
    } else if change_list::parse(bytes).is_empty() {
        found.error(Code::PathsMissing, None, change_list::TITLE);
    }
    let risks = sections
        .find(&["风险登记"])
        .and_then(|lines| table(&sections, lines));
    if let Some(risks) = risks {
        values(&risks, "编号", &|id| RISK.is_match(id), found);
        values(&risks, "等级", &|level| RISK_LEVELS.contains(&level), found);
    }
}

pub(super) fn requirements(bytes: &[u8], found: &mut Findings<'_>) {
    let sections = Sections::of(bytes);
    judge(&sections, false, &REQUIREMENTS, found);
    let document = sections.document();
    let mut ids = Vec::new();
    for (at, heading) in document.headings().iter().enumerate() {
        let Some(id) = REQUIREMENT
            .captures(&heading.title)
            .filter(|_| heading.level == 3)
        else {
            continue;
        };
        let name = format!("FR-{}", &id[1]);
        if id.get(2).is_none() {
            found.error(Code::EntriesMissing, Some(heading.line), format!("{name}: …"));
        }
        let texts = sections.texts(document.section(at));
        let steps: Vec<String> = texts
            .iter()
            .filter_map(|(_, line)| Some(STEP.captures(line)?[1].to_owned()))
            .collect();
        let order = |word: &str| steps.iter().position(|step| step == word);
        let in_order = match (order("Given"), order("When"), order("Then")) {
            (Some(given), Some(when), Some(then)) => given < when && when < then,
            _ => false,
        };
        if !in_order {
            found.error(Code::StepsOutOfOrder, Some(heading.line), name.clone());
        }
        ids.push((heading.line, id[1].parse().unwrap_or(0), name));
    }
    if ids.is_empty() {
        found.error(Code::EntriesMissing, None, "FR-NN");
    }
    numbers(&ids, found);
}

pub(super) fn tasks(bytes: &[u8], found: &mut Findings<'_>) {
    let all = task_list::parse(bytes);
    if all.is_empty() {
        found.error(Code::EntriesMissing, None, "task-NN");
    }
    let ids: Vec<_> = all
        .iter()
        .map(|task| (task.line, task.number, task.id()))
        .collect();
    numbers(&ids, found);
}

pub(super) fn task(id: &str, bytes: &[u8], found: &mut Findings<'_>) {
    let sections = Sections::of(bytes);
    let titles = sections.document().headings().iter();
    let has_title = titles.filter(|heading| heading.level == 1).any(|heading| {
        let rest = heading.title.strip_prefix(id).map(trim);
        rest.is_some_and(|rest| rest.starts_with([':', '：']) && rest.chars().count() > 1)
    });
    if !has_title {
        found.error(Code::TitleMissing, None, id);
    }
    judge(&sections, false, &TASK, found);
}

pub(super) fn module_impact(bytes: &[u8], found: &mut Findings<'_>) {
    let sections = Sections::of(bytes);
    judge(&sections, false, &IMPACT, found);
    let matrix = sections
        .find(&[MATRIX.title])
        .and_then(|lines| table(&sections, lines));
    if let Some(matrix) = matrix {
        let kinds = impact::KINDS;
        values(&matrix, MATRIX.columns[1], &|kind| kinds.contains(&kind), found);
    }
}

pub(super) fn verification(bytes: &[u8], found: &mut Findings<'_>) {
    let sections = Sections::of(bytes);
    judge(&sections, false, &VERIFICATION, found);
    if let Some(section) = sections.find(&[report::TITLE])
        && report::conclusion(bytes).is_none()
    {
        found.error(Code::ConclusionMissing, Some(section.start), "");
    }
}

fn judge(sections: &Sections, needs_title: bool, wanted: &[Wanted], found: &mut Findings<'_>) {
    if needs_title && !sections.has_title() {
        found.error(Code::TitleMissing, None, "");
    }
    for one in wanted {
        let Some(lines) = sections.find(one.titles) else {
            found.add(Code::SectionMissing, one.level, None, one.titles[0].to_owned());
            continue;
        };
        let title = sections
            .titles()
            .find(|(line, _)| *line == lines.start)
            .map_or(one.titles[0], |(_, title)| title)
            .to_owned();
        let at = Some(lines.start);
        let has = |pattern: &Regex| {
            sections
                .texts(lines.clone())
                .iter()
                .any(|(_, line)| pattern.is_match(line))
        };
        match one.holds {
            Holds::Anything => {}
            Holds::List if has(&ITEM) => {}
            Holds::List => found.add(Code::ListMissing, one.level, at, title),
            Holds::Checkboxes if has(&BOX) => {}
            Holds::Checkboxes => found.add(Code::CheckboxesMissing, one.level, at, title),
            Holds::Table(columns) => match table(sections, lines.clone()) {
                None => found.add(Code::TableMissing, one.level, at, title),
                Some(table) => {
                    for column in columns {
                        if !table.header.iter().any(|cell| cell == column) {
                            found.add(Code::ColumnMissing, one.level, at, (*column).to_owned());
                        }
                    }
                }
            },
        }
    }
}

/// The first table of a section.
pub(super) fn table(sections: &Sections, lines: Range<usize>) -> Option<Table> {
    sections.document().table_frames(lines).into_iter().next()
}

/// Warns of cells of a column that are none of its values; an empty one says nothing.
fn values(table: &Table, column: &str, is_known: &dyn Fn(&str) -> bool, found: &mut Findings<'_>) {
    let Some(at) = table.header.iter().position(|cell| cell == column) else {
        return;
    };
    for row in &table.rows {
        let cell = row.cells.get(at).map(|cell| cell.trim_matches(['`', '*', ' ']));
        if let Some(cell) = cell.filter(|cell| !cell.is_empty() && !is_known(cell)) {
            found.warn(Code::ValueUnknown, Some(row.line), cell);
        }
    }
}

/// Warns of numbers that come twice or leave a gap.
fn numbers(ids: &[(usize, u64, String)], found: &mut Findings<'_>) {
    for (at, (line, number, id)) in ids.iter().enumerate() {
        let before = &ids[..at];
        if before.iter().any(|(_, other, _)| other == number) {
            found.warn(Code::IdRepeated, Some(*line), id.clone());
        } else if *number > 1 && before.iter().all(|(_, other, _)| other + 1 != *number) {
            found.warn(Code::IdGap, Some(*line), id.clone());
        }
    }
}
