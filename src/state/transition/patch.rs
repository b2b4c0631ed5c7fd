//! Single fields are set (state.md 7).

use serde::Serialize;

use super::Draft;
use crate::state::error::Error;
use crate::state::front::Value;
use crate::state::policy::classify;
use crate::state::settle::Resync;

/// The answer of `patch`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Patched {
    pub updated: Vec<String>,
    pub failed: Vec<String>,
}

/// The answer of `update`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Updated {
    pub updated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

/// Characters that a name may have after its first one.
const MORE_CHARACTERS: usize = 60;

/// Whether a text can be the name of a field: a letter, then letters, digits, blanks and `_ . - /`.
pub fn is_field_name(name: &str) -> bool {
    let may_follow = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '.' | '-' | '/');
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.clone().count() <= MORE_CHARACTERS
        && chars.all(may_follow)
}

fn check_names<'n>(mut names: impl Iterator<Item = &'n String>) -> Result<(), Error> {
    match names.find(|name| !is_field_name(name)) {
        Some(name) => Err(Error::InvalidFieldName(name.clone())),
        None => Ok(()),
    }
}

/// Only fields that progress is counted from send a command to the disk.
fn resync<'n>(mut names: impl Iterator<Item = &'n String>) -> Resync {
    const COUNTED: [&str; 3] = ["Progress", "Total Plans in Phase", "Total Phases"];
    if names.any(|name| COUNTED.iter().any(|counted| name.eq_ignore_ascii_case(counted))) {
        Resync::Derive
    } else {
        Resync::Keep
    }
}

pub(super) fn patch(draft: &mut Draft, fields: &[(String, String)]) -> Result<Patched, Error> {
    check_names(fields.iter().map(|(name, _)| name))?;
    draft.touch.resync = resync(fields.iter().map(|(name, _)| name));
    let mut patched = Patched {
        updated: Vec::new(),
        failed: Vec::new(),
    };
    for (name, value) in fields {
        let found = draft.body.set(name, value) || set_free_key(draft, name, value);
        let list = if found {
            &mut patched.updated
        } else {
            &mut patched.failed
        };
        if !list.contains(name) {
            list.push(name.clone());
        }
    }
    Ok(patched)
}

/// Sets a key of the front matter that no row of the table owns.
fn set_free_key(draft: &mut Draft, key: &str, value: &str) -> bool {
    if classify(key).is_some() {
        return false;
    }
    draft.front.set(key, Value::Text(value.to_owned()))
}

pub(super) fn update(draft: &mut Draft, field: &String, value: &str) -> Result<Updated, Error> {
    check_names(std::iter::once(field))?;
    draft.touch.resync = resync(std::iter::once(field));
    let updated = draft.body.set(field, value);
    Ok(Updated {
        updated,
        reason: (!updated).then_some("field_not_found"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for name in [
            "Plan",
            "Core value",
            "Blockers/Concerns",
            "a.b_c-d",
            "x9",
            &"A".repeat(61),
        ] {
            assert!(is_field_name(name), "{name}");
        }
        for name in [
            "",
            "9lives",
            " Plan",
            "Sta|tus",
            "Plän",
            "a:b",
            "a\nb",
            &"A".repeat(62),
        ] {
            assert!(!is_field_name(name), "{name}");
        }
    }
}
