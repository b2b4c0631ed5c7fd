//! The answer of `flow show` (flow.md 17).

use std::io;
use std::sync::Arc;

use serde::ser::{SerializeMap, Serializer};
use serde::{Serialize, ser::Error as _};

use super::{Answer, Screen, Style};
use crate::flow::{Anchor, Dispatch, Lifecycle, Node, OverlayOp, ResolvedFlow, Subflow, Written};
use crate::say;
use crate::text::escape;
use crate::voice::{Invocation, Say, Voice};
use crate::yaml::{Json, Value};

/// A flow to be shown.
pub struct Shown {
    pub flow: Arc<ResolvedFlow>,
    /// With the overlay of the project, and with every dispatch filled in.
    pub resolved: bool,
}

#[derive(Serialize)]
pub struct Data {
    lifecycle: &'static str,
    resolved: bool,
    overlay_applied: bool,
    builtin_version: &'static str,
    warnings: Vec<WarningData>,
    flow: FlowData,
}

#[derive(Serialize)]
struct WarningData {
    code: &'static str,
    message: String,
}

/// The keys of a flow as they are written.
struct FlowData {
    flow: Arc<ResolvedFlow>,
    resolved: bool,
}

impl Serialize for FlowData {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut out = to.serialize_map(None)?;
        entries(&mut out, self.flow.top(), &["extends"])?;
        out.serialize_entry("extends", &self.flow.extends)?;
        let data = |subflow| SubflowData {
            subflow,
            resolved: self.resolved,
        };
        let subflows: Vec<SubflowData<'_>> = self.flow.subflows().iter().map(data).collect();
        out.serialize_entry("subflows", &subflows)?;
        out.end()
    }
}

struct SubflowData<'f> {
    subflow: &'f Subflow,
    resolved: bool,
}

impl Serialize for SubflowData<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut out = to.serialize_map(None)?;
        entries(&mut out, self.subflow.written(), &[])?;
        let data = |node| NodeData {
            node,
            resolved: self.resolved,
        };
        let nodes: Vec<NodeData<'_>> = self.subflow.nodes().iter().map(data).collect();
        out.serialize_entry("nodes", &nodes)?;
        out.end()
    }
}

struct NodeData<'f> {
    node: &'f Node,
    resolved: bool,
}

impl Serialize for NodeData<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        /// What is told from the flow, not from what is written.
        const OWN: [&str; 2] = ["skipped", "overlay_op"];
        let (node, written) = (self.node, self.node.written());
        let mut left_out = OWN.to_vec();
        if written.present("coverage_threshold").is_none() {
            left_out.push("coverage_threshold");
        }
        if self.resolved {
            left_out.push("dispatch");
        }
        let mut out = to.serialize_map(None)?;
        entries(&mut out, written, &left_out)?;
        if self.resolved {
            let written = written.get("dispatch");
            let complete = node.dispatch();
            out.serialize_entry("dispatch", &DispatchData { written, complete })?;
        }
        out.serialize_entry("skipped", &node.skipped())?;
        out.serialize_entry("overlay_op", &node.overlay_op().map(OverlayOp::as_str))?;
        out.end()
    }
}

/// A dispatch that is filled in, with what else is written in it.
struct DispatchData<'f> {
    written: Option<&'f Value>,
    complete: &'f Dispatch,
}

impl Serialize for DispatchData<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let json = |value| serde_json::to_value(Json(value)).map_err(S::Error::custom);
        let written = self.written.map(json).transpose()?;
        let mut object = match written {
            Some(serde_json::Value::Object(written)) => written,
            Some(_) | None => serde_json::Map::new(),
        };
        let Dispatch {
            idempotent,
            timeout_seconds,
            artifacts_hint,
        } = self.complete;
        object.insert("idempotent".to_owned(), (*idempotent).into());
        object.insert("timeout_seconds".to_owned(), (*timeout_seconds).into());
        object.insert("artifacts_hint".to_owned(), artifacts_hint.as_slice().into());
        object.serialize(to)
    }
}

fn entries<M: SerializeMap>(out: &mut M, written: &Written, left_out: &[&str]) -> Result<(), M::Error> {
    let shown = written.iter().filter(|(key, _)| !left_out.contains(key));
    for (key, value) in shown {
        out.serialize_entry(key, &Json(value))?;
    }
    Ok(())
}

impl Answer for Shown {
    type Data = Data;

    fn data(&self, voice: &Voice) -> Data {
        let flow = &self.flow;
        let warning = |warning: &crate::flow::Warning| WarningData {
            code: warning.code(),
            message: warning.say(voice),
        };
        Data {
            lifecycle: flow.lifecycle.as_str(),
            resolved: self.resolved,
            overlay_applied: flow.overlay_applied,
            builtin_version: flow.lifecycle.builtin_version(),
            warnings: flow.warnings.iter().map(warning).collect(),
            flow: FlowData {
                flow: Arc::clone(flow),
                resolved: self.resolved,
            },
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        for warning in &self.flow.warnings {
            screen.warn(&warning.say(voice))?;
        }
        screen.line(&head(self, screen))?;
        let ids = self.flow.nodes().map(|(_, node)| shown_id(node).chars().count());
        // A longer id than this one pushes its line, not all lines.
        let width = ids.max().unwrap_or_default().min(24);
        for subflow in self.flow.subflows() {
            screen.line("")?;
            screen.line(&subflow_line(subflow, screen))?;
            for node in subflow.nodes() {
                screen.line(&node_line(node, width, screen))?;
            }
        }
        Ok(())
    }
}

fn head(shown: &Shown, screen: &Screen<'_>) -> String {
    let (voice, lifecycle) = (screen.voice, shown.flow.lifecycle);
    let (name, version) = (lifecycle.as_str(), lifecycle.builtin_version());
    let name = screen.paint(Style::Bold, name);
    let about = if shown.flow.overlay_applied {
        let (file, count) = (lifecycle.overlay_path(), operated(&shown.flow));
        say!(
            voice,
            "built-in {version}, with `{file}` (nodes touched: {count})",
            "内置 {version}，已应用 `{file}`（涉及节点：{count}）"
        )
    } else if shown.resolved {
        let file = lifecycle.overlay_path();
        say!(
            voice,
            "built-in {version}; there is no `{file}`",
            "内置 {version}；没有 `{file}`"
        )
    } else {
        let command = with_overlay(lifecycle).say(voice);
        say!(
            voice,
            "built-in {version}, without the project's overlay (`{command}`)",
            "内置 {version}，未应用项目的覆盖层（`{command}`）"
        )
    };
    format!("{name}  {about}")
}

fn with_overlay(lifecycle: Lifecycle) -> Invocation {
    Invocation::new("flow show", &["--resolved", "--lifecycle", lifecycle.as_str()])
}

fn operated(flow: &ResolvedFlow) -> usize {
    flow.nodes()
        .filter(|(_, node)| node.overlay_op().is_some())
        .count()
}

fn subflow_line(subflow: &Subflow, screen: &Screen<'_>) -> String {
    let voice = screen.voice;
    let mut parts = vec![screen.paint(Style::Bold, &escape(subflow.id()))];
    parts.extend(subflow.name().map(|name| escape(name).into_owned()));
    if let Some(gate) = gate(subflow, voice) {
        parts.push(screen.paint(Style::Warn, &gate));
    }
    if let Some(l) = subflow.loop_().filter(|l| l.max_iters > 1) {
        let (until, rounds) = (l.until.as_str(), l.max_iters);
        let mut text = say!(
            voice,
            "repeats until {until}, at most {rounds} times",
            "循环至 {until}，最多 {rounds} 次"
        );
        if l.exhausted_skippable == Some(true) {
            text.push_str(&say!(voice, ", then may be passed", "，之后可自动通过"));
        }
        parts.push(screen.paint(Style::Warn, &text));
    }
    if let Some(when) = subflow.when() {
        let when = escape(when);
        parts.push(screen.paint(Style::Dim, &say!(voice, "when {when}", "条件 {when}")));
    }
    parts.join("  ")
}

/// A gate that a person passes; what is not written is `exit` and not to be skipped (flow.md 20 row 7).
fn gate(subflow: &Subflow, voice: &Voice) -> Option<String> {
    let gate = subflow.written().present("gate")?;
    let text = |key: &str| gate.get(key).and_then(Value::as_str);
    let kind = text("type").filter(|kind| *kind != "none")?;
    let kind = escape(kind);
    let position = escape(text("position").unwrap_or("exit")).into_owned();
    Some(match gate.get("skippable").and_then(Value::as_bool) {
        Some(true) => say!(
            voice,
            "{kind} gate at {position}, may be passed by --auto",
            "{position} 处有 {kind} 关卡，--auto 可通过"
        ),
        Some(false) | None => say!(voice, "{kind} gate at {position}", "{position} 处有 {kind} 关卡"),
    })
}

fn shown_id(node: &Node) -> String {
    escape(node.id()).into_owned()
}

fn node_line(node: &Node, width: usize, screen: &Screen<'_>) -> String {
    let voice = screen.voice;
    let (mark, style) = match (node.skipped(), node.overlay_op()) {
        (true, _) => ("-", Style::Bad),
        (false, Some(OverlayOp::Add)) => ("+", Style::Good),
        (false, Some(_)) => ("~", Style::Warn),
        (false, None) => (" ", Style::Dim),
    };
    let id = format!("{:<width$}", shown_id(node));
    let mut parts = vec![format!("  {mark} {id}")];
    if style != Style::Dim {
        parts[0] = format!("  {}", screen.paint(style, &format!("{mark} {id}")));
    }
    parts.push(escape(node.name()).into_owned());
    if let Some(what) = what_was_done(node, voice) {
        parts.push(screen.paint(style, &what));
    }
    let details = details(node, voice);
    if !details.is_empty() {
        parts.push(screen.paint(Style::Dim, &details.join(voice.pick("; ", "；"))));
    }
    parts.join("  ")
}

fn what_was_done(node: &Node, voice: &Voice) -> Option<String> {
    let mut done = Vec::new();
    match node.added() {
        Some(Anchor::After(id)) => {
            let id = escape(id);
            done.push(say!(voice, "added after {id}", "新增于 {id} 之后"));
        }
        Some(Anchor::Before(id)) => {
            let id = escape(id);
            done.push(say!(voice, "added before {id}", "新增于 {id} 之前"));
        }
        None => {}
    }
    match node.overlay_op() {
        Some(OverlayOp::Modify) => done.push(say!(voice, "modified", "已修改")),
        Some(OverlayOp::Reorder) => done.push(say!(voice, "moved", "已移动")),
        Some(OverlayOp::Add | OverlayOp::Skip) | None => {}
    }
    if node.skipped() {
        done.push(say!(voice, "skipped", "已跳过"));
    }
    (!done.is_empty()).then(|| format!("[{}]", done.join(", ")))
}

fn details(node: &Node, voice: &Voice) -> Vec<String> {
    let told = [
        (voice.pick("skill", "技能"), node.skill()),
        (voice.pick("when", "条件"), node.when()),
        (voice.pick("for each of", "逐个"), node.for_each()),
        (voice.pick("failed when", "失败条件"), node.fail_when()),
        (voice.pick("done when", "完成条件"), node.done_when()),
    ];
    let told = told.into_iter().filter_map(|(word, text)| Some((word, text?)));
    told.map(|(word, text)| format!("{word} {}", escape(text)))
        .collect()
}
