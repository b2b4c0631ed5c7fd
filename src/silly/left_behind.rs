//! What a stage should have left when it is completed (silly.md 9, `validateFileLocations` and `validateMetadata`).

use super::layout;
use super::stage::Stage;
use super::verification;
use super::words::Note;
use crate::files::{ReadError, RepoPath, Tree};
use crate::text::decode;

/// The files that a stage leaves in the folder of its change; of several names in a row one is enough.
fn expected(stage: Stage) -> &'static [&'static [&'static str]] {
    match stage {
        Stage::Propose => &[
            &["proposal.md"],
            &["design.md"],
            &["requirements.md"],
            &["tasks.md"],
        ],
        Stage::Plan => &[&["plan.md"]],
        Stage::Verify => &[&verification::NAMES],
        Stage::Archive => &[&["module-impact.md"]],
        Stage::Scan
        | Stage::Brainstorm
        | Stage::Execute
        | Stage::Quick
        | Stage::Explore
        | Stage::Status
        | Stage::Doctor => &[],
    }
}

/// The files that are missing.
pub fn missing_files(tree: &dyn Tree, change: &str, stage: Stage) -> Result<Vec<Note>, ReadError> {
    let folder = layout::change(change);
    let wrong = layout::changes().join("change").join(change);
    let mut notes = Vec::new();
    for names in expected(stage) {
        let there = |folder: &RepoPath| {
            for name in *names {
                let path = folder.join(name);
                if tree.is_file(&path)? {
                    return Ok(Some(path));
                }
            }
            Ok(None)
        };
        if there(&folder)?.is_none() {
            notes.push(Note::FileMissing {
                path: folder.join(names[0]),
                instead: there(&wrong)?,
            });
        }
    }
    Ok(notes)
}

/// Of files that were just written those that do not say who made them and when.
pub fn without_metadata(tree: &dyn Tree, written: &[RepoPath]) -> Result<Vec<Note>, ReadError> {
    let mut notes = Vec::new();
    for path in written {
        let Some(bytes) = tree.read(path)? else { continue };
        let text = decode(&bytes);
        let says = |key: &str| {
            [':', '：']
                .iter()
                .any(|colon| text.contains(&format!("{key}{colon}")))
        };
        if !(says("author") && says("created_at")) {
            notes.push(Note::MetadataMissing(path.clone()));
        }
    }
    Ok(notes)
}

/// Whether a file of a change says who made it.
pub fn has_metadata_rule(path: &RepoPath) -> bool {
    ["md", "yaml", "yml"].iter().any(|e| path.has_extension(e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;

    #[test]
    fn either_name_of_the_report_will_do_and_a_wrong_place_is_named() {
        let tree = MemoryTree::new([
            (".sillyspec/changes/c/verify-result.md", "x"),
            (".sillyspec/changes/change/c/plan.md", "x"),
        ]);
        assert_eq!(missing_files(&tree, "c", Stage::Verify).expect("read"), []);
        let notes = missing_files(&tree, "c", Stage::Plan).expect("read");
        assert_eq!(notes[0].code(), "wrong_location");
        let notes = missing_files(&tree, "c", Stage::Archive).expect("read");
        assert_eq!(notes[0].code(), "file_missing");
    }

    #[test]
    fn both_fields_are_needed_in_any_width() {
        let tree = MemoryTree::new([("a.md", "author：x\ncreated_at: y\n"), ("b.md", "author: x\n")]);
        let notes = without_metadata(&tree, &[RepoPath::of("a.md"), RepoPath::of("b.md")]).expect("read");
        assert_eq!(notes, [Note::MetadataMissing(RepoPath::of("b.md"))]);
    }
}
