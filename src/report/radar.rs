//! The answer of `radar` (git.md 7.1).

use std::io;

use bstr::{BString, ByteSlice};
use serde::Serialize;

use super::{Answer, Exit, Screen, Style};
use crate::radar::{self, Item, OpenChange, Order, Pair, Verdict};
use crate::say;
use crate::text::{escape, escape_bytes};
use crate::voice::{Invocation, Say, Voice};

/// What was found of the open changes.
pub struct Radar(pub radar::Radar);

#[derive(Serialize)]
pub struct Data {
    schema_version: &'static str,
    target: Option<TargetData>,
    changes: Vec<ChangeData>,
    pairs: Vec<PairData>,
    pass: bool,
}

#[derive(Serialize)]
struct TargetData {
    #[serde(rename = "ref")]
    reference: String,
    id: String,
}

#[derive(Serialize)]
struct ChangeData {
    id: String,
    slug: String,
    variant: bool,
    project: String,
    refs: Vec<String>,
    commit: String,
    worktree: Option<String>,
    base: Option<String>,
    adds: Vec<AddData>,
    touches: Vec<TouchData>,
    verdict: &'static str,
    items: Vec<ItemData>,
}

#[derive(Serialize)]
struct AddData {
    id: String,
    document: String,
    anchor: Option<String>,
}

#[derive(Serialize)]
struct TouchData {
    document: String,
    anchor: Option<String>,
    operation: &'static str,
}

#[derive(Serialize)]
struct PairData {
    a: String,
    b: String,
    verdict: &'static str,
    order: Option<&'static str>,
    items: Vec<ItemData>,
}

#[derive(Serialize)]
struct ItemData {
    code: &'static str,
    document: Option<String>,
    anchor: Option<String>,
    item: Option<String>,
}

/// What is done to a whole file.
const WHOLE_FILE: &str = "FILE";

fn lossy(name: &BString) -> String {
    name.to_str_lossy().into_owned()
}

fn items(items: &[Item]) -> Vec<ItemData> {
    let item = |item: &Item| ItemData {
        code: item.code,
        document: item.document.as_ref().map(|path| path.text().into_owned()),
        anchor: item.anchor.clone(),
        item: item.item.clone(),
    };
    items.iter().map(item).collect()
}

impl ChangeData {
    fn of(change: &OpenChange) -> Self {
        Self {
            id: change.id.clone(),
            slug: change.slug.as_str().to_owned(),
            variant: change.variant,
            project: change.project.text().into_owned(),
            refs: change.refs.iter().map(lossy).collect(),
            commit: change.commit.to_string(),
            worktree: change
                .worktree
                .as_ref()
                .map(|path| path.to_string_lossy().into_owned()),
            base: change.base.map(|id| id.to_string()),
            adds: change
                .adds
                .iter()
                .map(|add| AddData {
                    id: add.id.clone(),
                    document: add.document.text().into_owned(),
                    anchor: add.anchor.clone(),
                })
                .collect(),
            touches: change
                .touches
                .iter()
                .map(|touch| TouchData {
                    document: touch.document.text().into_owned(),
                    anchor: touch.anchor.clone(),
                    operation: touch.operation.map_or(WHOLE_FILE, |operation| operation.as_str()),
                })
                .collect(),
            verdict: change.verdict.as_str(),
            items: items(&change.items),
        }
    }
}

impl Radar {
    fn asked_for(&self) -> impl Iterator<Item = &OpenChange> {
        self.0.changes.iter().filter(|change| change.is_asked_for)
    }
}

impl Answer for Radar {
    type Data = Data;

    fn data(&self, _: &Voice) -> Data {
        let Self(radar) = self;
        let pair = |pair: &Pair| PairData {
            a: radar.changes[pair.a].id.clone(),
            b: radar.changes[pair.b].id.clone(),
            verdict: pair.verdict.as_str(),
            order: pair.order.map(Order::as_str),
            items: items(&pair.items),
        };
        Data {
            schema_version: "git-spec-radar.v1",
            target: radar.target.as_ref().map(|target| TargetData {
                reference: lossy(&target.reference),
                id: target.commit.to_string(),
            }),
            changes: self.asked_for().map(ChangeData::of).collect(),
            pairs: radar.pairs.iter().map(pair).collect(),
            pass: radar.passes(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let Self(radar) = self;
        let voice = screen.voice;
        if let Some(target) = &radar.target {
            let (name, id) = (escape_bytes(&target.reference), target.commit.short());
            let line = say!(voice, "documents of {name} {id}", "文档取自 {name} {id}");
            screen.line(&screen.paint(Style::Dim, &line))?;
        }
        let width = self.asked_for().map(|change| escape(&change.id).chars().count());
        let width = width.max().unwrap_or(0);
        for change in self.asked_for() {
            print_change(change, width, screen)?;
        }
        for pair in &radar.pairs {
            self.print_pair(pair, screen)?;
        }
        let verdict = if radar.passes() {
            screen.paint(Style::Good, "PASS")
        } else {
            screen.paint(Style::Bad, "FAIL")
        };
        let changes = self.asked_for().count();
        let failed = radar.pairs.iter().filter(|pair| !pair.verdict.passes()).count();
        let totals = say!(
            voice,
            "open changes: {changes}, pairs that collide: {failed}",
            "未完成的提案：{changes}，相互冲突的组合：{failed}"
        );
        screen.line(&format!("{verdict} {totals}"))
    }

    fn exit(&self) -> Exit {
        if self.0.passes() { Exit::Done } else { Exit::Found }
    }
}

fn painted(verdict: Verdict, text: &str, screen: &Screen<'_>) -> String {
    let style = match verdict {
        Verdict::Clean | Verdict::Mergeable => Style::Good,
        Verdict::Conflict | Verdict::DuplicateId | Verdict::Unreadable => Style::Bad,
    };
    screen.paint(style, text)
}

/// Mark, name, and where it lies; then what its own merge meets.
fn print_change(change: &OpenChange, width: usize, screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    let id = escape(&change.id);
    let gap = " ".repeat(width - id.chars().count());
    let mut places: Vec<String> = change.refs.iter().map(short).collect();
    if let Some(path) = &change.worktree {
        let path = escape(&path.to_string_lossy()).into_owned();
        places.push(say!(voice, "uncommitted in {path}", "未提交，位于 {path}"));
    }
    let mark = if change.verdict.passes() { "✓" } else { "✗" };
    let mark = painted(change.verdict, mark, screen);
    let mut line = format!("{mark} {id}{gap}  {}", places.join(", "));
    if !change.project.is_root() {
        line += &format!("  ({})", escape(&change.project.text()));
    }
    screen.line(&line)?;
    print_items(&change.items, screen)
}

/// A name without what only says that it is one of a branch.
fn short(name: &BString) -> String {
    let name = escape_bytes(name);
    let short = ["refs/heads/", "refs/remotes/"]
        .iter()
        .find_map(|folder| name.strip_prefix(folder));
    short.map_or_else(|| name.clone(), str::to_owned)
}

/// `code document anchor :: item`, and why where there is a reason.
fn print_items(items: &[Item], screen: &mut Screen<'_>) -> io::Result<()> {
    for item in items {
        let mut line = format!("    {}", item.code);
        if let Some(document) = &item.document {
            line += &format!(" {}", escape(&document.text()));
        }
        if let Some(anchor) = item.anchor.as_ref().filter(|anchor| !anchor.is_empty()) {
            line += &format!(" {}", escape(anchor));
        }
        match (&item.why, &item.item) {
            (Some(why), _) => line += &format!(": {}", why.say(screen.voice)),
            (None, Some(item)) => line += &format!(" :: {}", escape(item)),
            (None, None) => {}
        }
        screen.line(&line)?;
    }
    Ok(())
}

impl Radar {
    fn print_pair(&self, pair: &Pair, screen: &mut Screen<'_>) -> io::Result<()> {
        let (a, b) = (&self.0.changes[pair.a], &self.0.changes[pair.b]);
        let verdict = painted(pair.verdict, pair.verdict.as_str(), screen);
        screen.line(&format!("{verdict}  {} × {}", escape(&a.id), escape(&b.id)))?;
        print_items(&pair.items, screen)?;
        match advice(pair, a, b, screen.voice) {
            Some(advice) => screen.line(&format!("    → {advice}")),
            None => Ok(()),
        }
    }
}

/// What helps.
fn advice(pair: &Pair, a: &OpenChange, b: &OpenChange, voice: &Voice) -> Option<String> {
    let slug = |change: &OpenChange| escape(change.slug.as_str()).into_owned();
    let (first, second) = (slug(a), slug(b));
    match (pair.verdict, pair.order) {
        (Verdict::DuplicateId, _) => {
            let id = pair.items.first()?.item.as_ref()?;
            let renumber = Invocation::new("renumber", &[id.as_str(), "--change", b.slug.as_str()]);
            // A name may hold what no line of ours may begin with.
            Some(escape(&renumber.say(voice)).into_owned())
        }
        (Verdict::Conflict, Some(Order::AFirst)) => Some(say!(
            voice,
            "merge `{first}` before `{second}`",
            "先合并 `{first}`，再合并 `{second}`"
        )),
        (Verdict::Conflict, Some(Order::BFirst)) => Some(say!(
            voice,
            "merge `{second}` before `{first}`",
            "先合并 `{second}`，再合并 `{first}`"
        )),
        (Verdict::Conflict, Some(Order::Any) | None) => {
            let rebase = Invocation::new("rebase", &["<slug>"]).say(voice);
            Some(say!(
                voice,
                "agree on one text; whichever comes second: {rebase}",
                "请先商定同一内容；后合并者：{rebase}"
            ))
        }
        (Verdict::Clean | Verdict::Mergeable | Verdict::Unreadable, _) => None,
    }
}
