//! The gate file: what hooks read to know whether sources may be written (silly.md 6).

use serde::Serialize;

use super::rows::Change;
use super::stage::Stage;
use crate::clock::Timestamp;

/// What the file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    pub stage: Stage,
    pub changes: Vec<String>,
    pub no_worktree: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct File<'g> {
    stage: &'static str,
    changes: &'g [String],
    updated_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_worktree: Option<bool>,
}

impl Gate {
    /// The gate of the changes of a project; none if none of them is in a stage that has one: there is no file then.
    pub fn of(changes: &[Change]) -> Option<Self> {
        let stage_of = |change: &Change| Stage::recorded(&change.current_stage).filter(|s| s.is_gated());
        let gated: Vec<(&Change, Stage)> = changes
            .iter()
            .filter(|change| change.is_active())
            .filter_map(|change| Some((change, stage_of(change)?)))
            .collect();
        let executes = gated.iter().any(|(_, stage)| *stage == Stage::Execute);
        let mut names: Vec<String> = gated.iter().map(|(change, _)| change.name.clone()).collect();
        names.sort();
        (!gated.is_empty()).then(|| Self {
            stage: if executes { Stage::Execute } else { Stage::Quick },
            changes: names,
            no_worktree: gated.iter().any(|(change, _)| change.no_worktree),
        })
    }

    /// The file.
    pub fn text(&self, now: Timestamp) -> Vec<u8> {
        let file = File {
            stage: self.stage.as_str(),
            changes: &self.changes,
            updated_at: now.rfc3339(),
            no_worktree: self.no_worktree.then_some(true),
        };
        let mut text = serde_json::to_vec_pretty(&file).expect("texts are always JSON");
        text.push(b'\n');
        text
    }
}

/// Whether a gate file says what a gate does, its time apart; the order of the changes does not count.
pub fn says(bytes: &[u8], gate: &Gate) -> bool {
    let Ok(file) = serde_json::from_slice::<serde_json::Value>(bytes) else {
        return false;
    };
    let names = file["changes"].as_array().map(|names| {
        let mut names: Vec<&str> = names.iter().filter_map(serde_json::Value::as_str).collect();
        names.sort_unstable();
        names
    });
    file["stage"] == gate.stage.as_str()
        && names.is_some_and(|names| names == gate.changes)
        && (file["noWorktree"] == true) == gate.no_worktree
}

/// The stage that a gate file names; none if it cannot be read.
pub fn stage_in(bytes: &[u8]) -> Option<String> {
    let file: serde_json::Value = serde_json::from_slice(bytes).ok()?;
    Some(file["stage"].as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(name: &str, stage: &str, status: &str, no_worktree: bool) -> Change {
        Change {
            id: 0,
            name: name.to_owned(),
            current_stage: stage.to_owned(),
            status: status.to_owned(),
            no_worktree,
            last_active: String::new(),
        }
    }

    #[test]
    fn execute_outranks_quick_and_archived_changes_do_not_count() {
        let all = [
            change("b", "execute", "active", false),
            change("a", "quick", "active", false),
            change("c", "execute", "archived", true),
        ];
        let gate = Gate::of(&all).expect("a gate");
        assert_eq!((gate.stage, gate.no_worktree), (Stage::Execute, false));
        assert_eq!(gate.changes, ["a", "b"]);
        let text = String::from_utf8(gate.text(Timestamp::from_millis(0))).expect("UTF-8");
        assert!(!text.contains("noWorktree") && text.ends_with("}\n"), "{text}");
        assert_eq!(Gate::of(&all[2..]), None);
        for (file, expected) in [
            (r#"{"stage":"execute","changes":["b","a"],"updatedAt":"x"}"#, true),
            (r#"{"stage":"quick","changes":["a","b"]}"#, false),
            (r#"{"stage":"execute","changes":["a"]}"#, false),
            (r#"{"stage":"execute","changes":["a","b","q"]}"#, false),
            (
                r#"{"stage":"execute","changes":["a","b"],"noWorktree":true}"#,
                false,
            ),
            (r#"{"stage":"execute"}"#, false),
            ("", false),
        ] {
            assert_eq!(says(file.as_bytes(), &gate), expected, "{file}");
        }
    }

    #[test]
    fn the_key_stands_only_where_it_is_true() {
        let gate = Gate::of(&[change("a", "quick", "active", true)]).expect("a gate");
        let text = gate.text(Timestamp::from_millis(0));
        assert!(String::from_utf8_lossy(&text).contains("\"noWorktree\": true"));
        assert_eq!(stage_in(&text).as_deref(), Some("quick"));
    }
}
