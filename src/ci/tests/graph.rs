//! A history made up of letters.

use std::collections::{BTreeMap, BTreeSet};

use bstr::{BStr, BString};

use crate::ci::History;
use crate::files::ObjectId;
use crate::git;

pub(super) fn id(letter: char) -> ObjectId {
    ObjectId::from_bytes(&[u8::try_from(letter).expect("a letter"); 20])
}

pub(super) fn hex(letter: char) -> String {
    id(letter).to_string()
}

pub(super) const ZEROS: &str = "0000000000000000000000000000000000000000";

/// Commits are letters with parents; what has no entry is not here.
#[derive(Clone, Default)]
pub(super) struct Graph {
    pub(super) commits: BTreeMap<char, &'static str>,
    pub(super) boundary: Vec<char>,
    pub(super) references: BTreeMap<&'static str, char>,
    pub(super) remote: Option<&'static str>,
    pub(super) remote_head: Option<&'static str>,
    pub(super) configured: Option<&'static str>,
    pub(super) tags: Vec<char>,
    pub(super) checked_out: Option<char>,
}

impl Graph {
    /// `b` is main's parent of `m`; `w` and `x` are a branch from `b`; `t` merges `x` into `m`.
    pub(super) fn usual() -> Self {
        let commits = [
            ('a', ""),
            ('b', "a"),
            ('m', "b"),
            ('w', "b"),
            ('x', "w"),
            ('t', "mx"),
            ('o', ""),
        ];
        Self {
            commits: commits.into(),
            references: [("refs/remotes/origin/main", 'm')].into(),
            remote: Some("origin"),
            ..Self::default()
        }
    }

    pub(super) fn without(mut self, letters: &str) -> Self {
        self.commits.retain(|letter, _| !letters.contains(*letter));
        self
    }

    pub(super) fn cut_at(mut self, letters: &str) -> Self {
        self.boundary = letters.chars().collect();
        self
    }

    fn letter(&self, id: ObjectId) -> Option<char> {
        let letter = char::from(id.as_bytes()[0]);
        self.commits.contains_key(&letter).then_some(letter)
    }

    fn reach(&self, from: char) -> BTreeSet<char> {
        let mut seen = BTreeSet::new();
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            if seen.insert(at) && !self.boundary.contains(&at) {
                open.extend(self.commits[&at].chars());
            }
        }
        seen
    }
}

impl History for Graph {
    fn head(&self) -> Result<Option<ObjectId>, git::Error> {
        Ok(self.checked_out.map(id))
    }

    fn commit(&self, id: ObjectId) -> Result<Option<ObjectId>, git::Error> {
        Ok(self.letter(id).map(|_| id))
    }

    fn parents(&self, commit: ObjectId) -> Result<Vec<ObjectId>, git::Error> {
        let letter = self.letter(commit).expect("it is here");
        Ok(self.commits[&letter].chars().map(id).collect())
    }

    fn boundary(&self) -> Result<Vec<ObjectId>, git::Error> {
        Ok(self.boundary.iter().copied().map(id).collect())
    }

    fn merge_bases(&self, one: ObjectId, other: ObjectId) -> Result<Vec<ObjectId>, git::Error> {
        let sides = [one, other].map(|side| self.reach(self.letter(side).expect("it is here")));
        let common: BTreeSet<char> = sides[0].intersection(&sides[1]).copied().collect();
        let best = |letter: &char| {
            !common
                .iter()
                .any(|c| c != letter && self.reach(*c).contains(letter))
        };
        let bases: Vec<char> = common.iter().copied().filter(best).collect();
        let below: BTreeSet<char> = bases.iter().flat_map(|base| self.reach(*base)).collect();
        let hiding = |cut: &&char| sides.iter().any(|side| side.contains(cut)) && !below.contains(cut);
        let hidden = self.boundary.iter().find(hiding);
        match (hidden, self.boundary.first()) {
            (Some(cut), _) => Err(git::Error::Shallow { boundary: id(*cut) }),
            (None, Some(cut)) if bases.is_empty() => Err(git::Error::Shallow { boundary: id(*cut) }),
            (None, None) if bases.is_empty() => Err(git::Error::NoMergeBase { one, other }),
            (None, _) => Ok(bases.into_iter().map(id).collect()),
        }
    }

    fn remote(&self) -> Result<Option<BString>, git::Error> {
        Ok(self.remote.map(BString::from))
    }

    fn reference(&self, name: &BStr) -> Result<Option<ObjectId>, git::Error> {
        Ok(self
            .references
            .iter()
            .find(|(n, _)| name == **n)
            .map(|(_, letter)| id(*letter)))
    }

    fn symbolic_target(&self, name: &BStr) -> Result<Option<BString>, git::Error> {
        assert!(name.ends_with(b"/HEAD"), "{name}");
        Ok(self.remote_head.map(BString::from))
    }

    fn default_branch(&self) -> Result<Option<BString>, git::Error> {
        Ok(self.configured.map(BString::from))
    }

    fn tagged(&self) -> Result<Vec<ObjectId>, git::Error> {
        Ok(self.tags.iter().copied().map(id).collect())
    }

    fn committed_at(&self, _: ObjectId) -> Result<Option<i64>, git::Error> {
        Ok(Some(1_000_000))
    }
}
