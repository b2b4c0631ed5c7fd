//! Code given to interpreters on the command line: it writes no files, and runs nothing that a shell may not.

use std::sync::OnceLock;

use regex::Regex;

use super::plain;
use super::script::Script;
use crate::text::js;

pub(super) fn find(script: &Script) -> Option<String> {
    static PYTHON: OnceLock<Regex> = OnceLock::new();
    static NODE: OnceLock<Regex> = OnceLock::new();
    let python = PYTHON.get_or_init(|| {
        js(r#"\bopen\s*\([^)]*,\s*(?:mode\s*=\s*)?['"][rbt]*[wax+]|\.write_(?:text|bytes)\s*\(|\.open\s*\(\s*['"][rbt]*[wax+]|\brmtree\s*\("#)
    });
    let node = NODE
        .get_or_init(|| js(r"writefile|appendfile|createwritestream|\bfs\s*\.\s*(?:write|rm|unlink)|rmsync"));
    script.commands().find_map(|(list, at)| {
        let step = &list[at];
        let interpreter = step.interpreter()?;
        let writes = match interpreter {
            "python" => Some(python),
            "node" | "nodejs" | "deno" | "bun" => Some(node),
            _ => None,
        };
        step.code()
            .iter()
            .any(|code| {
                writes.is_some_and(|writes| writes.is_match(&code.to_lowercase()))
                    || plain::catastrophe(code).is_some()
            })
            .then(|| step.shown())
    })
}
