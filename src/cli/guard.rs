//! `guard`: what a coding tool is about to do, judged before it does it.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::trouble::Trouble;
use super::{Context, Exit, Format, finish};
use crate::files::{RepoPath, WorkTree, nearest, real_path};
use crate::guard::logos::{Call, Place, judge};
use crate::project::layout;
use crate::report::guard::Guarded;

/// Judge a tool call of a coding agent, given as JSON on stdin
///
/// For hooks that run before a tool: `{"tool_name": "Edit", "tool_input": {"file_path": "…"}}`, or `"Bash"` with a `command`.
/// Exit code 0 lets the call pass, 2 blocks it, with the reason on stderr. While a module is launched and no change is
/// active, only the process's own files may be written. It is a guard against accidents, not a sandbox: a command that
/// hides what it does gets through.
#[derive(clap::Args)]
pub(super) struct GuardCommand {
    /// json for one line of JSON
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

impl GuardCommand {
    pub(super) fn run(self, context: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        let root = root(&context.cwd);
        let tree = WorkTree::new(&root);
        context.speak_as(&tree);
        let mut payload = Vec::new();
        // What cannot be read is no call: a hook must not stop unrelated tools. However long one is, it is read whole.
        let _unread = std::io::stdin().lock().read_to_end(&mut payload);
        let call = call(&payload);
        let is_command = matches!(call, Call::Shell(_));
        let judged = judge(&tree, &call, &|path| place(&context.cwd, &root, path));
        let answer = judged
            .map(|decision| Guarded { decision, is_command })
            .map_err(Trouble::from);
        finish(context, "guard", format, answer)
    }
}

/// The nearest folder with a project, not beyond the top of the repository; else the current one.
fn root(cwd: &Path) -> PathBuf {
    let here = real_path(cwd);
    nearest(&here, usize::MAX, |folder| {
        layout::config().on_disk(folder).exists()
    })
    .unwrap_or(here)
}

/// The call in a payload; what is none, or of another tool, has nothing to judge.
fn call(payload: &[u8]) -> Call {
    let Ok(payload) = serde_json::from_slice::<Value>(payload) else {
        return Call::Other;
    };
    let input = &payload["tool_input"];
    let text = |key: &str| {
        input[key]
            .as_str()
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    };
    let paths = |key: &str| text(key).map_or(Call::Other, |path| Call::Write(vec![path]));
    match payload["tool_name"].as_str() {
        Some("Edit" | "Write") => paths("file_path"),
        Some("MultiEdit") => {
            let inner = input["edits"].as_array().into_iter().flatten();
            let mut all: Vec<String> = inner
                .filter_map(|edit| edit["file_path"].as_str().map(str::to_owned))
                .collect();
            all.extend(text("file_path"));
            all.retain(|path| !path.is_empty());
            if all.is_empty() {
                Call::Other
            } else {
                Call::Write(all)
            }
        }
        Some("NotebookEdit") => paths("notebook_path"),
        Some("Bash") => text("command")
            .filter(|line| !crate::text::is_blank(line))
            .map_or(Call::Other, Call::Shell),
        _ => Call::Other,
    }
}

/// Where a path of a call leads, seen from the project.
fn place(cwd: &Path, root: &Path, path: &str) -> Place {
    let real = real_path(&cwd.join(path));
    let inside = real.strip_prefix(root).ok().and_then(RepoPath::from_disk);
    inside.map_or(Place::Outside, Place::Inside)
}
