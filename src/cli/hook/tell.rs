//! What a hook says of its findings, on stderr: a line each, not too many, and the cure last (git.md 3.1).

use super::super::{Context, complain};
use super::Verdict;
use crate::check::{Found, passes};
use crate::finding::Severity;
use crate::say;
use crate::text::{escape, escape_bytes};
use crate::voice::{Invocation, Say};

/// More than this many findings are counted.
const SHOWN: usize = 20;

/// How a refused step can be looked at, and whether git lets one go round the hook.
pub(super) struct Cure {
    /// Arguments of `check`.
    pub(super) check: Vec<String>,
    pub(super) client: bool,
}

/// Tells that a reference is to name something else than a commit.
pub(super) fn no_commit(ctx: &Context, reference: &[u8]) {
    let name = escape_bytes(reference);
    complain(&say!(
        ctx.voice(),
        "git-spec: `{name}` is given no commit; it is not judged",
        "git-spec: `{name}` 指向的不是提交，不予判定"
    ));
}

/// Tells the findings; refuses if one of them is an error.
pub(super) fn findings(ctx: &Context, found: &[Found], cure: &Cure) -> Verdict {
    let voice = ctx.voice();
    for one in found.iter().take(SHOWN) {
        let finding = &one.finding;
        let place = finding.at.commit.map_or_else(|| "-".to_owned(), |id| id.short());
        let line = finding
            .at
            .line
            .as_ref()
            .map_or_else(String::new, |line| format!(":{}", line.number));
        let path = escape(&finding.at.path.text()).into_owned();
        let severity = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warn",
        };
        let message = finding.message.say(voice);
        complain(&format!(
            "git-spec: {place} {path}{line}: {severity}[{}] {message}",
            finding.code
        ));
    }
    if found.len() > SHOWN {
        let more = found.len() - SHOWN;
        complain(&say!(
            voice,
            "git-spec: {more} more findings are not shown",
            "git-spec: 另有 {more} 条未显示"
        ));
    }
    if passes(found, false) {
        return Verdict::Accepted;
    }
    let words: Vec<&str> = cure.check.iter().map(String::as_str).collect();
    let check = Invocation::new("check", &words).say(voice);
    complain(&match cure.client {
        true => say!(
            voice,
            "git-spec: refused; see `{check}` (`--no-verify` is git's own way past a hook; the server and CI judge all the same)",
            "git-spec: 已拒绝；详见 `{check}`（`--no-verify` 是 git 自己的绕过方式；服务器与 CI 仍会判定）"
        ),
        false => say!(
            voice,
            "git-spec: refused; in a clone that has these commits, see `{check}`",
            "git-spec: 已拒绝；在含有这些提交的克隆中执行 `{check}` 查看"
        ),
    });
    Verdict::Refused
}
