//! The plan: waves, table, graph and critical path against each other (silly.md 10).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::documents::table;
use super::{Code, Findings};
use crate::files::ReadError;
use crate::silly::plan::{Wave, parse};
use crate::silly::sections::Sections;
use crate::silly::tasks::{dependencies, id};
use crate::text::{js, trim};

const COLUMNS: [&str; 7] = ["编号", "任务", "Wave", "优先级", "估时", "依赖", "说明"];

static ARROW: LazyLock<Regex> = LazyLock::new(|| js(r"\s*--+>\s*(?:\|[^|]*\|)?"));
/// The name of a node that is called otherwise than its task.
static NODE: LazyLock<Regex> = LazyLock::new(|| js(r#"^\s*(\w+)\s*[\[({>]+\s*"?task-(\d+)"#));
static NAME: LazyLock<Regex> = LazyLock::new(|| js(r"^\s*(?:task-(\d+)|(\w+))"));
static ID: LazyLock<Regex> = LazyLock::new(|| js(r"task-(\d+)"));

/// A row of the table.
struct Row {
    line: usize,
    /// Hours.
    hours: f64,
    needs: Vec<String>,
}

type Rows = BTreeMap<String, Row>;

pub(super) fn judge(
    bytes: &[u8],
    has_file: &dyn Fn(&str) -> Result<bool, ReadError>,
    found: &mut Findings<'_>,
) -> Result<(), ReadError> {
    let sections = Sections::of(bytes);
    let waves = parse(bytes);
    if waves.iter().all(|wave| wave.tasks.is_empty()) {
        found.error(Code::WaveMissing, None, "");
    }
    let of_wave = wave_of_tasks(&waves);
    for (task, (_, line)) in &of_wave {
        if !has_file(task)? {
            found.warn(Code::TaskFileMissing, Some(*line), task.clone());
        }
    }
    let rows = rows(&sections, found);
    if let Some(rows) = &rows {
        for (task, (_, line)) in of_wave.iter().filter(|(task, _)| !rows.contains_key(*task)) {
            found.warn(Code::TaskNotInTable, Some(*line), task.clone());
        }
        judge_needs(rows, &of_wave, found);
        judge_graph(&sections, rows, found);
        judge_path(&sections, rows, found);
    }
    for title in ["任务总表", "依赖关系图", "关键路径", "全局验收标准"] {
        if sections.find(&[title]).is_none() {
            found.warn(Code::SectionMissing, None, title);
        }
    }
    if let Some(section) = sections.find(&["全局验收标准"]) {
        let is_item = |line: &str| trim(line).starts_with(['-', '*']);
        if !sections
            .texts(section.clone())
            .iter()
            .any(|(_, line)| is_item(line))
        {
            found.warn(Code::ListMissing, Some(section.start), "全局验收标准");
        }
    }
    Ok(())
}

/// The position of its wave, and the line of each task with a number.
fn wave_of_tasks(waves: &[Wave]) -> BTreeMap<String, (usize, usize)> {
    let mut out = BTreeMap::new();
    for (at, wave) in waves.iter().enumerate() {
        for task in &wave.tasks {
            if let Some(number) = task.number {
                out.entry(id(number)).or_insert((at, task.line));
            }
        }
    }
    out
}

fn rows(sections: &Sections, found: &mut Findings<'_>) -> Option<Rows> {
    let section = sections.find(&["任务总表"])?;
    let Some(table) = table(sections, section.clone()) else {
        found.warn(Code::TableMissing, Some(section.start), "任务总表");
        return None;
    };
    let column = |name: &str| table.header.iter().position(|cell| cell == name);
    for name in COLUMNS {
        if column(name).is_none() {
            found.warn(Code::ColumnMissing, Some(table.lines.start), name);
        }
    }
    let at = column("编号")?;
    let mut out = Rows::new();
    for row in &table.rows {
        let cell = |name: &str| {
            column(name)
                .and_then(|at| row.cells.get(at))
                .map_or("", String::as_str)
        };
        let number = row
            .cells
            .get(at)
            .and_then(|cell| ID.captures(cell)?[1].parse().ok());
        let Some(number) = number else { continue };
        let new = Row {
            line: row.line,
            hours: hours(cell("估时")),
            needs: dependencies(cell("依赖")),
        };
        if out.insert(id(number), new).is_some() {
            found.warn(Code::IdRepeated, Some(row.line), id(number));
        }
    }
    Some(out)
}

/// `4h`, `1d` of eight hours; what is not told is one hour.
fn hours(text: &str) -> f64 {
    let text = trim(text).to_lowercase();
    let number = |text: &str| trim(text).parse::<f64>().ok();
    let told = match (text.strip_suffix('d'), text.strip_suffix('h')) {
        (Some(days), _) => number(days).map(|days| days * 8.0),
        (_, Some(hours)) => number(hours),
        (None, None) => number(&text),
    };
    told.unwrap_or(1.0)
}

fn judge_needs(rows: &Rows, of_wave: &BTreeMap<String, (usize, usize)>, found: &mut Findings<'_>) {
    for (task, row) in rows {
        if !of_wave.contains_key(task) {
            found.warn(Code::TaskNotInWave, Some(row.line), task.clone());
        }
        for need in &row.needs {
            if !rows.contains_key(need) && !of_wave.contains_key(need) {
                found.error(Code::PlanUnknownDependency, Some(row.line), need.clone());
            } else if let (Some((own, _)), Some((other, _))) = (of_wave.get(task), of_wave.get(need))
                && other >= own
                && need != task
            {
                found.error(Code::PlanWaveOrder, Some(row.line), need.clone());
            }
        }
        if reaches(rows, task, task) {
            found.error(Code::PlanCycle, Some(row.line), task.clone());
        }
    }
}

/// Whether a task needs another one, or something that does.
fn reaches(rows: &Rows, from: &str, to: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(task) = open.pop() {
        for need in rows.get(task).into_iter().flat_map(|row| &row.needs) {
            if need == to {
                return true;
            }
            if seen.insert(need.as_str()) {
                open.push(need);
            }
        }
    }
    false
}

/// The edges of the graph are those of the table, from what is needed to what needs it.
fn judge_graph(sections: &Sections, rows: &Rows, found: &mut Findings<'_>) {
    let Some(section) = sections.find(&["依赖关系图"]) else {
        return;
    };
    let document = sections.document();
    let mut names = BTreeMap::new();
    let mut drawn = BTreeSet::new();
    for line in section.clone() {
        let line = document.raw(line);
        let ends: Vec<Vec<String>> = ARROW
            .split(&line)
            .map(|nodes| {
                let tasks = nodes.split('&').filter_map(|node| task_of(node, &mut names));
                tasks.collect()
            })
            .collect();
        for pair in ends.windows(2) {
            let ways = pair[0]
                .iter()
                .flat_map(|from| pair[1].iter().map(move |to| (from, to)));
            drawn.extend(ways.map(|(from, to)| (from.clone(), to.clone())));
        }
    }
    let told: BTreeSet<(String, String)> = rows
        .iter()
        .flat_map(|(task, row)| row.needs.iter().map(|need| (need.clone(), task.clone())))
        .collect();
    for (from, to) in drawn.symmetric_difference(&told) {
        found.warn(Code::PlanGraph, Some(section.start), format!("{from} --> {to}"));
    }
}

/// The task of a node of the graph: its name, what its name was said to stand for, or its text.
fn task_of(node: &str, names: &mut BTreeMap<String, String>) -> Option<String> {
    if let Some(told) = NODE.captures(node) {
        let task = told[2].parse().map(id).ok()?;
        names.insert(told[1].to_owned(), task.clone());
        return Some(task);
    }
    let name = NAME.captures(node)?;
    match name.get(1) {
        Some(number) => number.as_str().parse().map(id).ok(),
        None => names.get(&name[2]).cloned(),
    }
}

/// The longest chain by hours; of equal ones the first by its ids.
fn critical_path(rows: &Rows) -> Vec<String> {
    let mut best: BTreeMap<&str, (f64, Vec<String>)> = BTreeMap::new();
    // As many rounds as there are tasks: every chain without a cycle is done by then.
    for _ in 0..rows.len() {
        for (task, row) in rows {
            let before = row.needs.iter().filter_map(|need| best.get(need.as_str()));
            let longest = before.fold(None, |known: Option<&(f64, Vec<String>)>, chain| match known {
                Some(known) if is_before(known, chain) => Some(known),
                _ => Some(chain),
            });
            let (hours, mut chain) = longest.cloned().unwrap_or_default();
            chain.push(task.clone());
            best.insert(task, (hours + row.hours, chain));
        }
    }
    let longest = best
        .into_values()
        .reduce(|a, b| if is_before(&a, &b) { a } else { b });
    longest.map(|(_, chain)| chain).unwrap_or_default()
}

fn is_before(one: &(f64, Vec<String>), other: &(f64, Vec<String>)) -> bool {
    one.0
        .total_cmp(&other.0)
        .then_with(|| other.1.cmp(&one.1))
        .is_ge()
}

fn judge_path(sections: &Sections, rows: &Rows, found: &mut Findings<'_>) {
    let Some(section) = sections.find(&["关键路径"]) else {
        return;
    };
    // A chain that goes round has no length.
    if rows.is_empty() || rows.keys().any(|task| reaches(rows, task, task)) {
        return;
    }
    let texts = sections.texts(section.clone());
    let told = texts.iter().find(|(_, line)| ID.is_match(line));
    let ids: Vec<String> = told
        .map(|(_, line)| {
            ID.captures_iter(line)
                .filter_map(|found| found[1].parse().ok().map(id))
                .collect()
        })
        .unwrap_or_default();
    let expected = critical_path(rows);
    if ids != expected {
        let line = told.map_or(section.start, |(line, _)| *line);
        found.warn(Code::PlanCriticalPath, Some(line), expected.join(" → "));
    }
}
