//! The answer of `change-lint` (seed 003 §3.15, change.md 2.4 and 2.5).

use std::io;

use serde::Serialize;

use super::{Answer, Exit, Screen, Style, snippet};
use crate::finding::Finding;
use crate::lint::{Verdict, Violation};
use crate::say;
use crate::voice::Voice;

/// One change judged.
pub struct Lint(pub Verdict);

/// Every active change judged.
pub struct LintAll(pub Vec<Verdict>);

#[derive(Serialize)]
pub struct LintData {
    slug: String,
    pass: bool,
    violations: Vec<ViolationData>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<WarningData>,
}

#[derive(Serialize)]
struct ViolationData {
    code: &'static str,
    path: String,
    message: String,
    fix_hint: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_reason: Option<&'static str>,
}

#[derive(Serialize)]
struct WarningData {
    code: &'static str,
    message: String,
    fix_hint: String,
}

#[derive(Serialize)]
pub struct LintAllData {
    changes: Vec<LintData>,
    pass: bool,
}

fn fix(finding: &Finding, voice: &Voice) -> String {
    finding
        .fix
        .as_ref()
        .map_or_else(String::new, |fix| fix.say(voice))
}

fn data(verdict: &Verdict, voice: &Voice) -> LintData {
    let violation = |v: &Violation| ViolationData {
        code: v.code.as_str(),
        path: v.finding.at.path.text().into_owned(),
        message: v.finding.message.say(voice),
        fix_hint: fix(&v.finding, voice),
        flow_reason: v.code.flow_reason(),
    };
    let warning = |f: &Finding| WarningData {
        code: f.code,
        message: f.message.say(voice),
        fix_hint: fix(f, voice),
    };
    LintData {
        slug: verdict.slug.clone(),
        pass: verdict.passes(),
        violations: verdict.violations.iter().map(violation).collect(),
        warnings: verdict.warnings.iter().map(warning).collect(),
    }
}

fn label(check: u8, verdict: &Verdict, voice: &Voice) -> String {
    let (sections, mergeable, invalid) = (verdict.section_deltas, verdict.mergeable, verdict.invalid);
    match check {
        1 => say!(
            voice,
            "tasks.md has tagged sections",
            "tasks.md 有带标签的 section"
        ),
        2 => say!(
            voice,
            "a change of code has `[code]`",
            "涉及代码的提案含 `[code]`"
        ),
        3 => say!(
            voice,
            "a change of code shows real test ids",
            "涉及代码的提案有真实测试 ID"
        ),
        4 => say!(
            voice,
            "section markers are written (md deltas: {sections})",
            "段标记已填写（{sections} 个 md delta）"
        ),
        5 => say!(voice, "deployment is decided in one way", "部署声明前后一致"),
        6 => say!(
            voice,
            "deltas lie where they are read (mergeable: {mergeable}, invalid: {invalid})",
            "delta 路径有效（可合并 {mergeable}，无效 {invalid}）"
        ),
        7 => say!(voice, "the UI declaration is kept", "UI/UX 声明与原型一致"),
        _ => say!(voice, "entries are conserved", "条目守恒"),
    }
}

fn print(verdict: &Verdict, screen: &mut Screen<'_>) -> io::Result<()> {
    let voice = screen.voice;
    screen.line(&format!("change-lint: {}", crate::text::escape(&verdict.slug)))?;
    let checks: Vec<u8> = (1..=8).filter(|check| *check != 7 || verdict.gui).collect();
    let mut passed = 0;
    for &check in &checks {
        let own: Vec<&Violation> = verdict
            .violations
            .iter()
            .filter(|v| v.code.check() == check)
            .collect();
        if own.is_empty() {
            passed += 1;
            let mark = screen.paint(Style::Good, "✓");
            screen.line(&format!("  {mark} L{check} {}", label(check, verdict, voice)))?;
        }
        for violation in own {
            let mark = screen.paint(Style::Bad, "✗");
            screen.line(&format!("  {mark} L{check} [{}]", violation.code.as_str()))?;
            screen.line(&format!("      {}", violation.finding.message.say(voice)))?;
            snippet::print(&violation.finding.at, screen)?;
            screen.line(&format!("      → {}", fix(&violation.finding, voice)))?;
        }
    }
    for warning in &verdict.warnings {
        let mark = screen.paint(Style::Warn, "!");
        screen.line(&format!(
            "  {mark} [{}] {}",
            warning.code,
            warning.message.say(voice)
        ))?;
        screen.line(&format!("      → {}", fix(warning, voice)))?;
    }
    let word = if verdict.passes() {
        screen.paint(Style::Good, "PASS")
    } else {
        screen.paint(Style::Bad, "FAIL")
    };
    let (total, violations, warnings) = (checks.len(), verdict.violations.len(), verdict.warnings.len());
    let totals = say!(
        voice,
        "{passed}/{total} checks; violations: {violations}, warnings: {warnings}",
        "{passed}/{total} 项检查，{violations} 条违规，{warnings} 条警告"
    );
    screen.line(&format!("{word} {totals}"))
}

fn findings(verdict: &Verdict) -> impl Iterator<Item = &Finding> {
    verdict
        .violations
        .iter()
        .map(|v| &v.finding)
        .chain(&verdict.warnings)
}

fn exit(passes: bool) -> Exit {
    if passes { Exit::Done } else { Exit::Found }
}

impl Answer for Lint {
    type Data = LintData;

    fn data(&self, voice: &Voice) -> LintData {
        data(&self.0, voice)
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        print(&self.0, screen)
    }

    fn findings(&self) -> Vec<&Finding> {
        findings(&self.0).collect()
    }

    fn exit(&self) -> Exit {
        exit(self.0.passes())
    }
}

impl Answer for LintAll {
    type Data = LintAllData;

    fn data(&self, voice: &Voice) -> LintAllData {
        LintAllData {
            changes: self.0.iter().map(|v| data(v, voice)).collect(),
            pass: self.0.iter().all(Verdict::passes),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        if self.0.is_empty() {
            let none = say!(
                screen.voice,
                "no active change below `logos/changes`",
                "`logos/changes` 下没有活跃提案"
            );
            return screen.line(&none);
        }
        self.0.iter().try_for_each(|verdict| print(verdict, screen))
    }

    fn findings(&self) -> Vec<&Finding> {
        self.0.iter().flat_map(findings).collect()
    }

    fn exit(&self) -> Exit {
        exit(self.0.iter().all(Verdict::passes))
    }
}
