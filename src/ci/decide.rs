//! From facts to a range: the rows of git.md 4.3, the first that applies.

use bstr::BString;

use super::error::{Cure, Error, Gap, Role, Sought};
use super::facts::{Before, Facts, Head, Kind, Place, Target};
use super::history::History;
use super::job::{BranchName, Origin};
use super::range::{Base, Choice, Measured, Rule};
use crate::clock::Timestamp;
use crate::files::ObjectId;
use crate::git;
use crate::text::escape_bytes;

/// Chooses the range that a job is about. With `from_merge_base` a push is measured from a merge base too.
///
/// # Errors
/// If what the range is made of was not said, is not here, or may be hidden by a shallow clone.
pub fn choose(facts: &Facts, from_merge_base: bool, history: &dyn History) -> Result<Choice, Error> {
    let decision = Decision {
        facts,
        from_merge_base,
        history,
    };
    let range = match &facts.kind {
        Kind::Queue { target } => {
            let head = decision.head()?;
            decision.by_branch(Rule::MergeQueue, target, head)
        }
        Kind::Request { source, target } => decision.request(*source, target),
        Kind::Tag => decision.tag(),
        Kind::Push {
            before,
            forced,
            place,
        } => decision.push(*before, *forced, place),
        Kind::Other { place } => {
            let head = decision.head()?;
            decision.by_default(place, head)
        }
    }?;
    Ok(Choice {
        rule: range.rule,
        base: range.base,
        head: range.head,
        measured: range.measured,
        provider: facts.provider,
        event: facts.event.clone(),
    })
}

struct Range {
    rule: Rule,
    base: Base,
    head: ObjectId,
    measured: Option<Measured>,
}

impl Range {
    fn new(rule: Rule, base: Base, head: ObjectId) -> Self {
        Self {
            rule,
            base,
            head,
            measured: None,
        }
    }

    fn between(rule: Rule, base: ObjectId, head: ObjectId) -> Self {
        Self::new(rule, Base::Commits(vec![base]), head)
    }
}

struct Decision<'a> {
    facts: &'a Facts,
    from_merge_base: bool,
    history: &'a dyn History,
}

impl Decision<'_> {
    fn request(&self, source: Option<ObjectId>, target: &Target) -> Result<Range, Error> {
        let head = self.head_if_here()?;
        let source = match (source, self.facts.head) {
            (Some(source), _) => source,
            (None, Head::Id(id)) => id,
            (None, Head::CheckedOut) => self.head()?,
        };
        if let Some(head) = head
            && let [first, second, ..] = self.history.parents(head)?[..]
            && second == source
        {
            let base = self.needed(Role::FirstParent, first)?;
            return Ok(Range::between(Rule::MergeCommit, base, head));
        }
        let not_said = || Error::NotSet { from: target.from };
        if let Some(head) = head
            && target.is_base
        {
            let base = self.needed(Role::Target, target.id.ok_or_else(not_said)?)?;
            return Ok(Range::between(Rule::RequestBase, base, head));
        }
        let role = if head.is_none() && self.facts.head == Head::Id(source) {
            Role::Head
        } else {
            Role::Source
        };
        let head = self.needed(role, source)?;
        let told = target.id.map(|id| self.history.commit(id)).transpose()?.flatten();
        match (told, &target.branch, target.id) {
            (Some(tip), _, _) => self.by_tip(Rule::MergeBase, Measured { tip, reference: None }, head),
            (None, Some(branch), _) => self.by_branch(Rule::MergeBase, branch, head),
            (None, None, Some(id)) => self.not_here(Role::Target, id),
            (None, None, None) => Err(not_said()),
        }
    }

    /// Walks the first parents down to a commit with a tag of its own.
    fn tag(&self) -> Result<Range, Error> {
        let head = self.head()?;
        let tagged = self.history.tagged()?;
        let boundary = self.history.boundary()?;
        let mut at = head;
        loop {
            if boundary.binary_search(&at).is_ok() {
                return Err(gap(Sought::PreviousTag { head }, Some(at), self.deepen()));
            }
            let Some(parent) = self.history.parents(at)?.first().copied() else {
                return Ok(Range::new(Rule::FirstTag, Base::EmptyTree, head));
            };
            if tagged.binary_search(&parent).is_ok() {
                return Ok(Range::between(Rule::PreviousTag, parent, head));
            }
            at = parent;
        }
    }

    fn push(&self, before: Before, forced: bool, place: &Place) -> Result<Range, Error> {
        let head = self.head()?;
        match before {
            Before::Commit(id) => self.push_onto(id, forced, place, head),
            Before::Zeros => self.first_push(place, head),
            Before::Unknown => self.by_default(place, head),
        }
    }

    fn push_onto(
        &self,
        before: ObjectId,
        forced: bool,
        place: &Place,
        head: ObjectId,
    ) -> Result<Range, Error> {
        let here = self.history.commit(before)?;
        if let Some(base) = here.filter(|_| !self.from_merge_base) {
            return Ok(Range::between(Rule::Push, base, head));
        }
        let default = self.other_default(place)?;
        match (here, default) {
            (_, Some(default)) if self.from_merge_base => self.by_branch(Rule::Branch, &default, head),
            (Some(tip), _) => self.by_tip(Rule::Push, Measured { tip, reference: None }, head),
            (None, Some(default)) if forced || self.history.boundary()?.is_empty() => {
                self.by_branch(Rule::Rewritten, &default, head)
            }
            (None, _) => self.not_here(Role::Before, before),
        }
    }

    fn first_push(&self, place: &Place, head: ObjectId) -> Result<Range, Error> {
        let all = Range::new(Rule::FirstPush, Base::EmptyTree, head);
        let Some(default) = self.other_default(place)? else {
            return Ok(all);
        };
        let Some(tip) = self.tip(&default)? else {
            if self.history.boundary()?.is_empty() {
                return Ok(all);
            }
            return self.no_branch(&default);
        };
        match self.by_tip(Rule::NewBranch, tip, head) {
            Err(Error::Unanswered(gap)) if matches!(gap.sought, Sought::CommonHistory { .. }) => Ok(all),
            found => found,
        }
    }

    /// Without a commit before, a branch is measured from the default branch.
    fn by_default(&self, place: &Place, head: ObjectId) -> Result<Range, Error> {
        match self.other_default(place)? {
            Some(default) => self.by_branch(Rule::Branch, &default, head),
            None => Ok(Range::between(Rule::NoRange, head, head)),
        }
    }

    fn by_branch(&self, rule: Rule, branch: &BranchName, head: ObjectId) -> Result<Range, Error> {
        match self.tip(branch)? {
            Some(tip) => self.by_tip(rule, tip, head),
            None => self.no_branch(branch),
        }
    }

    fn by_tip(&self, rule: Rule, measured: Measured, head: ObjectId) -> Result<Range, Error> {
        let bases = self.merge_bases(measured.tip, head)?;
        Ok(Range {
            measured: Some(measured),
            ..Range::new(rule, Base::Commits(bases), head)
        })
    }

    fn merge_bases(&self, one: ObjectId, other: ObjectId) -> Result<Vec<ObjectId>, Error> {
        match self.history.merge_bases(one, other) {
            Err(git::Error::Shallow { boundary }) => Err(gap(
                Sought::MergeBase { one, other },
                Some(boundary),
                self.deepen(),
            )),
            Err(git::Error::NoMergeBase { .. }) => {
                Err(gap(Sought::CommonHistory { one, other }, None, Cure::SayIt))
            }
            found => Ok(found?),
        }
    }

    fn head_if_here(&self) -> Result<Option<ObjectId>, Error> {
        Ok(match self.facts.head {
            Head::Id(id) => self.history.commit(id)?,
            Head::CheckedOut => self.history.head()?,
        })
    }

    fn head(&self) -> Result<ObjectId, Error> {
        if let Some(head) = self.head_if_here()? {
            return Ok(head);
        }
        match self.facts.head {
            Head::Id(id) => self.not_here(Role::Head, id),
            Head::CheckedOut => Err(gap(Sought::UnbornHead, None, Cure::SayIt)),
        }
    }

    fn needed(&self, role: Role, id: ObjectId) -> Result<ObjectId, Error> {
        match self.history.commit(id)? {
            Some(commit) => Ok(commit),
            None => self.not_here(role, id),
        }
    }

    /// The default branch, if the job runs for a branch that is known to be another.
    fn other_default(&self, place: &Place) -> Result<Option<BranchName>, Error> {
        let Some(branch) = &place.branch else {
            return Ok(None);
        };
        let default = match &place.default {
            Some(default) => Some(default.clone()),
            None => self.default_here()?,
        };
        Ok(default.filter(|default| default != branch))
    }

    /// The default branch as this clone has it.
    fn default_here(&self) -> Result<Option<BranchName>, Error> {
        if let Some(name) = self.history.default_branch()?.filter(|name| !name.is_empty()) {
            return BranchName::new(&name, Origin::Configuration("spec.defaultBranch")).map(Some);
        }
        let Some(remote) = self.history.remote()? else {
            return Ok(None);
        };
        let folder = git::remote_folder(remote.as_ref());
        let head: BString = [&folder[..], b"HEAD"].concat().into();
        let target = self.history.symbolic_target(head.as_ref())?;
        let name = target
            .as_ref()
            .and_then(|target| target.strip_prefix(folder.as_slice()));
        name.map(|name| BranchName::new(name, Origin::RemoteHead))
            .transpose()
    }

    /// The references that a branch name stands for, in the order they are looked up.
    fn references(&self, branch: &BranchName) -> Result<Vec<BString>, Error> {
        let remote = self.history.remote()?;
        Ok(git::names_of_branch(remote.as_ref(), branch.as_bytes()))
    }

    fn tip(&self, branch: &BranchName) -> Result<Option<Measured>, Error> {
        for reference in self.references(branch)? {
            let named = self.history.reference(reference.as_ref())?;
            if let Some(tip) = named.map(|id| self.history.commit(id)).transpose()?.flatten() {
                let committed = self.history.committed_at(tip)?.map(Timestamp::from_seconds);
                return Ok(Some(Measured {
                    tip,
                    reference: Some((reference, committed)),
                }));
            }
        }
        Ok(None)
    }

    fn deepen(&self) -> Cure {
        Cure::Deepen {
            provider: self.facts.provider,
            two: false,
        }
    }

    fn not_here<T>(&self, role: Role, id: ObjectId) -> Result<T, Error> {
        let boundary = self.history.boundary()?.first().copied();
        let cure = match role {
            Role::FirstParent | Role::Target | Role::Before if boundary.is_some() => Cure::Deepen {
                provider: self.facts.provider,
                two: role == Role::FirstParent,
            },
            // What was never asked for does not come with more history.
            Role::Head | Role::Source | Role::FirstParent | Role::Target => self.fetch(id.to_string())?,
            // It is in no branch any more.
            Role::Before => Cure::SayIt,
        };
        Err(gap(Sought::Commit { role, id }, boundary, cure))
    }

    fn no_branch<T>(&self, branch: &BranchName) -> Result<T, Error> {
        let references = self.references(branch)?;
        let name = escape_bytes(branch.as_bytes());
        let cure = self.fetch(format!("{name}:{}", escape_bytes(&references[0])))?;
        let sought = Sought::Branch {
            name: branch.clone(),
            references: references.iter().map(|name| escape_bytes(name)).collect(),
        };
        let boundary = self.history.boundary()?.first().copied();
        Err(gap(sought, boundary, cure))
    }

    fn fetch(&self, what: String) -> Result<Cure, Error> {
        Ok(match self.history.remote()? {
            Some(remote) => Cure::Fetch {
                remote: escape_bytes(&remote),
                what,
            },
            None => Cure::SayIt,
        })
    }
}

fn gap(sought: Sought, boundary: Option<ObjectId>, cure: Cure) -> Error {
    Error::from(Gap {
        sought,
        boundary,
        cure,
    })
}
