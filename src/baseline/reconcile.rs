//! What a run found, set against what was known before (logos-project.md 10.8): nothing that was confirmed is lost, and
//! what is no longer found stays as a tombstone.

use std::collections::HashSet;

use super::candidate::{Candidate, State, is_canonical, normalised};

/// The candidates of each document, sorted by key: those staged for it with what they inherit, and those of its old ones
/// that nothing staged takes up. Both lists are by document, in one order.
pub(super) fn reconcile(
    module: &str,
    staged: &[Vec<Candidate>],
    old: &[Vec<Candidate>],
) -> Vec<Vec<Candidate>> {
    let known: Vec<&Candidate> = old.iter().flatten().filter(|c| c.belongs_to(module)).collect();
    let mut taken_up: HashSet<&str> = HashSet::new();
    let mut documents: Vec<Vec<Candidate>> = Vec::new();
    for document in staged {
        let mut out = Vec::new();
        for candidate in document {
            let before = predecessor(candidate, &known);
            if let Some(before) = before {
                taken_up.insert(&before.key);
            }
            out.push(before.map_or_else(|| candidate.clone(), |before| inherit(candidate, before)));
        }
        documents.push(out);
    }
    for (document, old) in documents.iter_mut().zip(old) {
        for candidate in old {
            if is_of_another(candidate, module) {
                document.push(candidate.clone());
            } else if candidate.belongs_to(module) && !taken_up.contains(candidate.key.as_str()) {
                document.push(buried(candidate));
            }
        }
        document.sort_by(|a, b| a.key.cmp(&b.key));
    }
    documents
}

/// The old candidate that a staged one goes on with: by key, else by its anchor, else by an older anchor of it.
fn predecessor<'o>(candidate: &Candidate, known: &[&'o Candidate]) -> Option<&'o Candidate> {
    let same_key = known.iter().find(|old| old.key == candidate.key);
    let by_anchor = || {
        candidate.anchors().find_map(|anchor| {
            let anchor = normalised(anchor);
            known
                .iter()
                .find(|old| old.anchors().any(|a| normalised(a) == anchor))
        })
    };
    same_key.or_else(by_anchor).copied()
}

fn inherit(candidate: &Candidate, before: &Candidate) -> Candidate {
    let mut out = candidate.clone();
    if before.verified {
        out.verified = true;
        out.confirmed_by.clone_from(&before.confirmed_by);
        out.evidence.clone_from(&before.evidence);
        out.confirmed_at.clone_from(&before.confirmed_at);
    }
    let renamed = before
        .anchor
        .iter()
        .filter(|anchor| Some(*anchor) != candidate.anchor.as_ref());
    for alias in before.aliases.iter().chain(renamed) {
        if !out.aliases.contains(alias) {
            out.aliases.push(alias.clone());
        }
    }
    out
}

/// Whether a candidate is of a module that shares the document.
fn is_of_another(candidate: &Candidate, module: &str) -> bool {
    let owner = candidate.key.split("::").next().unwrap_or_default();
    owner != module && is_canonical(&candidate.key, owner) && candidate.belongs_to(owner)
}

fn buried(candidate: &Candidate) -> Candidate {
    Candidate {
        state: match candidate.state {
            State::Active | State::Tombstone => State::Tombstone,
            State::Retired => State::Retired,
        },
        ..candidate.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::key_of;
    use crate::yaml;

    fn candidate(anchor: &str, more: &str) -> Candidate {
        of("core", anchor, more)
    }

    fn of(module: &str, anchor: &str, more: &str) -> Candidate {
        let text = format!("{{key: '{}', anchor: '{anchor}'{more}}}", key_of(module, anchor));
        Candidate::read(&yaml::parse(text.as_bytes()).expect("it is YAML")).expect("it has a key")
    }

    fn one(staged: Candidate, old: Candidate) -> Vec<Candidate> {
        reconcile("core", &[vec![staged]], &[vec![old]]).remove(0)
    }

    #[test]
    fn what_was_confirmed_is_inherited_by_key_anchor_or_alias() {
        let confirmed = ", verified: true, confirmed_by: me, evidence: e, confirmed_at: t, aliases: [c]";
        for staged in [
            candidate("a", ""),
            candidate("c", ""),
            candidate("b", ", aliases: [' A ']"),
            candidate("b", ", aliases: [c]"),
        ] {
            let out = one(staged.clone(), candidate("a", confirmed));
            assert_eq!(out.len(), 1, "{staged:?}");
            assert!(out[0].verified && out[0].confirmed_by.as_deref() == Some("me"));
            assert!(out[0].aliases.contains(&"c".to_owned()));
            let renamed = staged.anchor.as_deref() != Some("a");
            assert_eq!(out[0].aliases.contains(&"a".to_owned()), renamed, "{staged:?}");
        }
    }

    #[test]
    fn what_is_not_found_again_is_buried_and_what_was_retired_stays_so() {
        let out = one(candidate("a", ""), candidate("b", ", verified: true"));
        let buried = out
            .iter()
            .find(|c| c.anchor.as_deref() == Some("b"))
            .expect("it stays");
        assert!(buried.state == State::Tombstone && buried.verified);
        let out = one(candidate("a", ""), candidate("b", ", state: retired"));
        assert!(out.iter().any(|c| c.state == State::Retired));
        assert!(out.is_sorted_by(|a, b| a.key < b.key));
    }

    #[test]
    fn one_that_has_moved_to_another_document_leaves_its_old_one() {
        let staged = [vec![], vec![candidate("a", "")]];
        let old = [vec![candidate("a", "")], vec![]];
        let out = reconcile("core", &staged, &old);
        assert_eq!((out[0].len(), out[1].len()), (0, 1));
    }

    #[test]
    fn candidates_of_another_module_stay_as_they_are_and_made_up_ones_go() {
        let foreign = of("tide", "x", "");
        let made_up = Candidate {
            key: "core::0123456789ab".to_owned(),
            ..candidate("y", "")
        };
        let out = reconcile("core", &[vec![]], &[vec![foreign.clone(), made_up]]);
        assert_eq!(out, [[foreign]]);
    }
}
