//! What was approved of a change's prototypes, and whether it is still what lies there (change.md part 5).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::ui::{Declaration, declaration, is_prototype_basename, prototype_files, read_prototype};
use crate::files::{Digest, ReadError, RepoPath, Tree};
use crate::markdown::Document;
use crate::say;
use crate::text::{decode, escape};
use crate::voice::{Say, Voice};

/// The marker of the plan gate; a reviewing tool writes what it showed into it.
pub const PLAN_APPROVED: &str = "PLAN_APPROVED";

/// Class of an approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// It says nothing about prototypes.
    Legacy,
    /// It claims to have shown prototypes, and does not prove which.
    Partial,
    Full(Approval),
}

/// The prototypes that were shown: basename and SHA-256 in lower-case hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    hashes: BTreeMap<String, String>,
}

impl Provenance {
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Partial => "partial",
            Self::Full(_) => "full",
        }
    }

    /// Reads the approval of a change folder.
    pub fn load(tree: &dyn Tree, change: &RepoPath) -> Result<Self, ReadError> {
        let content = tree.read(&change.join(PLAN_APPROVED))?;
        Ok(content.map_or(Self::Legacy, |bytes| Self::parse(&bytes)))
    }

    fn parse(bytes: &[u8]) -> Self {
        let Ok(value) = serde_json::from_str::<Value>(&decode(bytes)) else {
            return Self::Legacy;
        };
        if value.get("ui_prototype_rendered") != Some(&Value::Bool(true)) {
            return Self::Legacy;
        }
        Approval::of(&value).map_or(Self::Partial, Self::Full)
    }
}

impl Approval {
    fn of(value: &Value) -> Option<Self> {
        let pages = value.get("pages")?.as_array()?;
        let pages: Vec<&str> = pages.iter().map(Value::as_str).collect::<Option<_>>()?;
        let hashes = value.get("hashes")?.as_object()?;
        let hashes: BTreeMap<String, String> = hashes
            .iter()
            .map(|(name, hash)| Some((name.clone(), hash.as_str().and_then(sha256)?)))
            .collect::<Option<_>>()?;
        let set: BTreeSet<&str> = pages.iter().copied().collect();
        let sound = !set.is_empty()
            && set.len() == pages.len()
            && set.iter().all(|page| is_prototype_basename(page))
            && set.iter().copied().eq(hashes.keys().map(String::as_str));
        sound.then_some(Self { hashes })
    }
}

/// 64 hexadecimal digits, in lower case.
fn sha256(text: &str) -> Option<String> {
    let digits = text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
    digits.then(|| text.to_ascii_lowercase())
}

/// The outcome of the comparison. The names are contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HashMatch {
    Match,
    /// Nothing was approved that could be compared: passes, as advice.
    LegacyAdvisory,
    PartialProvenance,
    /// The proposal declares other pages than were approved.
    PagesDeclarationMismatch,
    /// Other files lie there than were approved; the first that differs.
    HashSetMismatch(String),
    /// A file is not what was approved; the first that differs.
    HashContentMismatch(String),
}

impl HashMatch {
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Match => "match",
            Self::LegacyAdvisory => "legacy_advisory",
            Self::PartialProvenance => "partial_provenance_fail_closed",
            Self::PagesDeclarationMismatch => "pages_declaration_mismatch",
            Self::HashSetMismatch(_) => "hash_set_mismatch",
            Self::HashContentMismatch(_) => "hash_content_mismatch",
        }
    }

    pub const fn passes(&self) -> bool {
        match self {
            Self::Match | Self::LegacyAdvisory => true,
            Self::PartialProvenance
            | Self::PagesDeclarationMismatch
            | Self::HashSetMismatch(_)
            | Self::HashContentMismatch(_) => false,
        }
    }
}

impl Say for HashMatch {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Match => say!(
                voice,
                "the prototypes are those that were approved",
                "原型与批准时一致"
            ),
            Self::LegacyAdvisory => say!(
                voice,
                "the approval names no prototypes, so there is nothing to compare",
                "批准记录未包含原型，无可比对"
            ),
            Self::PartialProvenance => say!(
                voice,
                "`{PLAN_APPROVED}` says that prototypes were shown, but not soundly which; show and approve them again",
                "`{PLAN_APPROVED}` 声称展示过原型，但记录不完整；请重新展示并批准"
            ),
            Self::PagesDeclarationMismatch => say!(
                voice,
                "the proposal declares other pages than were approved; approve again, or restore the declaration",
                "提案声明的页面与批准时不同；请重新批准，或恢复声明"
            ),
            Self::HashSetMismatch(name) => {
                let name = escape(name);
                say!(
                    voice,
                    "`{name}` is among the approved prototypes or the files, but not both; approve again, or restore the files",
                    "`{name}` 只存在于已批准的原型或现有文件之一；请重新批准，或恢复文件"
                )
            }
            Self::HashContentMismatch(name) => {
                let name = escape(name);
                say!(
                    voice,
                    "`{name}` has changed since it was approved; approve again, or restore it",
                    "`{name}` 在批准之后被改动；请重新批准，或恢复该文件"
                )
            }
        }
    }
}

/// Compares the prototypes of a change with what was approved.
pub fn compare(
    tree: &dyn Tree,
    change: &RepoPath,
    provenance: &Provenance,
    proposal: &Document,
) -> Result<HashMatch, ReadError> {
    let approved = match provenance {
        Provenance::Legacy => return Ok(HashMatch::LegacyAdvisory),
        Provenance::Partial => return Ok(HashMatch::PartialProvenance),
        Provenance::Full(approval) => &approval.hashes,
    };
    let names: BTreeSet<&str> = approved.keys().map(String::as_str).collect();
    if let Ok(Declaration::Impact(fields)) = declaration(proposal)
        && fields.prototypes().into_iter().collect::<BTreeSet<_>>() != names
    {
        return Ok(HashMatch::PagesDeclarationMismatch);
    }
    let files = prototype_files(tree, change)?;
    let present: BTreeSet<&str> = files.iter().map(String::as_str).collect();
    if let Some(name) = present.symmetric_difference(&names).next() {
        return Ok(HashMatch::HashSetMismatch((*name).to_owned()));
    }
    for (name, hash) in approved {
        if Digest::of(&read_prototype(tree, change, name)?).hex() != *hash {
            return Ok(HashMatch::HashContentMismatch(name.clone()));
        }
    }
    Ok(HashMatch::Match)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(text: &str) -> &'static str {
        Provenance::parse(text.as_bytes()).as_str()
    }

    #[test]
    fn an_approval_that_shows_nothing_is_legacy() {
        for text in [
            "",
            "approved",
            "null",
            "[]",
            r#"{"ui_prototype_rendered":"true"}"#,
            r#"{"ui_prototype_rendered":1}"#,
        ] {
            assert_eq!(class(text), "legacy", "{text}");
        }
    }

    #[test]
    fn an_approval_that_does_not_prove_what_it_showed_is_partial() {
        let hash = "0a".repeat(32);
        let record = |pages: &str, hashes: &str| {
            format!(r#"{{"ui_prototype_rendered":true,"pages":{pages},"hashes":{hashes}}}"#)
        };
        let one = format!(r#"{{"core-1-a.html":"{hash}"}}"#);
        assert_eq!(class(&record(r#"["core-1-a.html"]"#, &one)), "full");
        assert_eq!(class(r#"{"ui_prototype_rendered":true}"#), "partial");
        for (pages, hashes) in [
            (r#""core-1-a.html""#, one.as_str()),
            (r#"["core-1-a.html", 1]"#, &one),
            ("[]", "{}"),
            (r#"["core-1-a.html","core-1-a.html"]"#, &one),
            (r#"["core-1-a.html"]"#, r#"{"core-1-a.html":"abc"}"#),
            (r#"["core-1-a.html"]"#, "[]"),
            (r#"["core-2-b.html"]"#, &one),
            (r#"["../x.html"]"#, &one.replace("core-1-a", "../x")),
        ] {
            assert_eq!(class(&record(pages, hashes)), "partial", "{pages} {hashes}");
        }
    }
}
