//! The twelve artifacts of a loop: where they are, and whether they still are what was recorded (loop.md 2 and 7).

use serde_json::Value;

use super::document::{number, set, text, value_of};
use super::transition::phase;
use super::{Error, FOLDER};
use crate::clock::Timestamp;
use crate::files::{Digest, ReadError, RepoPath, Resolved, Tree};

/// Key and file, in the order of the keys.
pub const KEYS: [(&str, &str); 12] = [
    ("requirements", "01-requirements.md"),
    ("direction", "02-direction.md"),
    ("solution", "03-solution.md"),
    ("impl_plan", "04-implementation-plan.md"),
    ("task_list", "05-task-list.json"),
    ("implementation_diff", "05b-implementation-diff.patch"),
    ("code_review", "06-code-review.md"),
    ("test_plan", "07-test-plan.md"),
    ("test_results", "08-test-results.json"),
    ("issue_list", "09-issue-list.json"),
    ("verification", "10-verification.md"),
    ("context_summary", "context-summary.md"),
];

pub const STATUSES: [&str; 4] = ["not_generated", "generated", "regenerated", "error"];

const PREFIX: &str = "sha256:";

/// The file of a key in the folder of artifacts; none for an unknown key.
pub fn file(key: &str) -> Option<RepoPath> {
    let (_, name) = KEYS.iter().find(|(known, _)| *known == key)?;
    Some(RepoPath::of(FOLDER).join("artifacts").join(name))
}

/// How an artifact stands to its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Good,
    Missing,
    Modified,
    NotGenerated,
    PathEscape,
}

impl Standing {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Missing => "missing",
            Self::Modified => "modified",
            Self::NotGenerated => "not_generated",
            Self::PathEscape => "path_escape",
        }
    }

    /// Whether it is as it was recorded, or was never to be recorded.
    pub const fn is_sound(self) -> bool {
        matches!(self, Self::Good | Self::NotGenerated)
    }
}

/// What an artifact's path leads to.
enum Found {
    Content(Vec<u8>),
    Nothing,
    Outside,
}

fn look(tree: &dyn Tree, state: &Value, key: &str) -> Result<Found, ReadError> {
    let written = text(state, &format!("artifacts.{key}.path")).unwrap_or_default();
    let Some(path) = RepoPath::normalised(written).filter(|path| !path.is_root()) else {
        return Ok(Found::Outside);
    };
    match tree.resolve(&path)? {
        Resolved::Outside { .. } => Ok(Found::Outside),
        Resolved::Dangling => Ok(Found::Nothing),
        Resolved::Inside { path, .. } => match tree.is_file(&path)? {
            true => Ok(tree.read(&path)?.map_or(Found::Nothing, Found::Content)),
            false => Ok(Found::Nothing),
        },
    }
}

/// How one artifact stands.
pub fn verify(tree: &dyn Tree, state: &Value, key: &str) -> Result<Standing, ReadError> {
    let found = look(tree, state, key)?;
    if matches!(found, Found::Outside) {
        return Ok(Standing::PathEscape);
    }
    let of = |name: &str| text(state, &format!("artifacts.{key}.{name}"));
    if !matches!(of("status"), Some("generated" | "regenerated")) {
        return Ok(Standing::NotGenerated);
    }
    let Found::Content(bytes) = found else {
        return Ok(Standing::Missing);
    };
    let recorded = bare(of("checksum").unwrap_or_default());
    Ok(if recorded.eq_ignore_ascii_case(&Digest::of(&bytes).hex()) {
        Standing::Good
    } else {
        Standing::Modified
    })
}

/// A checksum without the name of its kind; one without a name is of this kind, too (loop.md 7).
fn bare(checksum: &str) -> &str {
    checksum.strip_prefix(PREFIX).unwrap_or(checksum)
}

/// Records an artifact as it is now; its checksum and version.
pub fn record(
    tree: &dyn Tree,
    state: &mut Value,
    key: &str,
    now: Timestamp,
) -> Result<(String, i128), Error> {
    if file(key).is_none() {
        return Err(Error::UnknownArtifact(key.to_owned()));
    }
    let bytes = match look(tree, state, key)? {
        Found::Content(bytes) if !bytes.is_empty() => bytes,
        Found::Content(_) | Found::Nothing => return Err(Error::NoArtifact(key.to_owned())),
        Found::Outside => return Err(Error::PathEscape(format!("artifacts.{key}.path"))),
    };
    let at = |name: &str| format!("artifacts.{key}.{name}");
    let checksum = format!("{PREFIX}{}", Digest::of(&bytes).hex());
    let version = number(state, &at("version")).unwrap_or(0);
    let recorded = text(state, &at("checksum")).map(bare);
    let is_same = recorded.is_some_and(|recorded| recorded.eq_ignore_ascii_case(bare(&checksum)));
    let status = if version >= 1 { "regenerated" } else { "generated" };
    let version = if is_same { version } else { version + 1 };
    let phase = phase(state)?;
    set(state, &at("status"), status);
    set(state, &at("generated_at"), now.rfc3339());
    set(state, &at("generated_in_phase"), phase.as_str());
    set(state, &at("checksum"), checksum.as_str());
    set(state, &at("version"), value_of(version));
    Ok((checksum, version))
}
