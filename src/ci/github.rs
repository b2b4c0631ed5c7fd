//! What GitHub Actions, Gitea and Forgejo tell a job: variables and the event file (git.md 4.2).

use super::error::{Error, EventFault};
use super::event::{self, Event};
use super::facts::{Before, Facts, Head, Kind, Ours, Target};
use super::job::{BranchName, Origin, TAGS, Told, needed};
use super::provider::Provider;
use crate::files::{ObjectId, Unread};
use crate::text::{decode, escape};

const EVENT_PATH: &str = "GITHUB_EVENT_PATH";
const REFERENCE: &str = "GITHUB_REF";

pub(super) fn facts(provider: Provider, told: Told<'_>, ours: Ours) -> Result<Facts, Error> {
    const NAME: &str = "GITHUB_EVENT_NAME";
    let name = needed(told.bytes(NAME), NAME)?;
    let name = decode(&name).into_owned();
    let (head, kind) = match name.as_str() {
        "push" => push(told, ours)?,
        "create" => create(told, ours)?,
        "release" => {
            needed_event(told)?;
            (sha(told)?, Kind::Tag)
        }
        "merge_group" => queue(&needed_event(told)?)?,
        name if name.starts_with("pull_request") => request(told, name)?,
        _ => (sha(told)?, other(told, ours)?),
    };
    Ok(Facts {
        provider,
        event: name,
        head,
        kind,
    })
}

fn sha(told: Told<'_>) -> Result<Head, Error> {
    const SHA: &str = "GITHUB_SHA";
    Ok(Head::Id(needed(told.id(SHA)?, SHA)?))
}

fn push(told: Told<'_>, ours: Ours) -> Result<(Head, Kind), Error> {
    const BEFORE: &str = "before";
    let event = needed_event(told)?;
    if event.says("deleted")? || event.id("after")?.is_some_and(|after| after.is_zeros()) {
        return Err(Error::Deleted);
    }
    let head = sha(told)?;
    if is_tag(told) {
        return Ok((head, Kind::Tag));
    }
    let before = event::needed(ours.before.or(event.id(BEFORE)?), BEFORE)?;
    let kind = Kind::Push {
        before: before.into(),
        forced: event.says("forced")?,
        place: ours.place(told.branch_of_reference(REFERENCE)?, default_branch(&event)?),
    };
    Ok((head, kind))
}

fn create(told: Told<'_>, ours: Ours) -> Result<(Head, Kind), Error> {
    const KIND: &str = "ref_type";
    let event = needed_event(told)?;
    let head = sha(told)?;
    let kind = match event::needed(event.text(KIND)?, KIND)? {
        "tag" => Kind::Tag,
        "branch" => Kind::Push {
            before: ours.before_or(Before::Zeros),
            forced: false,
            place: ours.place(told.branch_of_reference(REFERENCE)?, default_branch(&event)?),
        },
        _ => Kind::Other {
            place: ours.place(told.branch_of_reference(REFERENCE)?, default_branch(&event)?),
        },
    };
    Ok((head, kind))
}

fn queue(event: &Event) -> Result<(Head, Kind), Error> {
    const HEAD: &str = "merge_group.head_sha";
    const TARGET: &str = "merge_group.base_ref";
    let head = event::needed(event.id(HEAD)?, HEAD)?;
    let target = event::needed(event.branch_or_reference(TARGET)?, TARGET)?;
    Ok((Head::Id(head), Kind::Queue { target }))
}

fn request(told: Told<'_>, name: &str) -> Result<(Head, Kind), Error> {
    const SOURCE: &str = "pull_request.head.sha";
    const TARGET: &str = "pull_request.base.sha";
    let event = needed_event(told)?;
    let source: ObjectId = event::needed(event.id(SOURCE)?, SOURCE)?;
    let target = Target {
        id: event.id(TARGET)?,
        branch: event.branch("pull_request.base.ref")?,
        is_base: false,
        from: Origin::Event(TARGET),
    };
    if target.id.is_none() && target.branch.is_none() {
        return event::needed(None, TARGET);
    }
    // There `GITHUB_SHA` is the tip of the target, which the request does not bring.
    let head = if name == "pull_request_target" {
        Head::Id(source)
    } else {
        sha(told)?
    };
    let kind = Kind::Request {
        source: Some(source),
        target,
    };
    Ok((head, kind))
}

fn other(told: Told<'_>, ours: Ours) -> Result<Kind, Error> {
    let default = match event(told) {
        Ok(Some(event)) => default_branch(&event)?,
        // Such a job may have no event at all.
        Ok(None)
        | Err(Error::Event {
            fault: EventFault::Unread(Unread::Missing),
            ..
        }) => None,
        Err(error) => return Err(error),
    };
    Ok(Kind::Other {
        place: ours.place(told.branch_of_reference(REFERENCE)?, default),
    })
}

fn is_tag(told: Told<'_>) -> bool {
    told.bytes(REFERENCE).is_some_and(|name| name.starts_with(TAGS))
}

fn default_branch(event: &Event) -> Result<Option<BranchName>, Error> {
    event.branch("repository.default_branch")
}

fn needed_event(told: Told<'_>) -> Result<Event, Error> {
    needed(event(told)?, EVENT_PATH)
}

fn event(told: Told<'_>) -> Result<Option<Event>, Error> {
    let Some(path) = told.0.variable(EVENT_PATH).filter(|path| !path.is_empty()) else {
        return Ok(None);
    };
    let read = told.0.event_file(&path).and_then(|bytes| Event::parse(&bytes));
    read.map(Some).map_err(|fault| Error::Event {
        path: escape(&path.to_string_lossy()).into_owned(),
        fault,
    })
}
