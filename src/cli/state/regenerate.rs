//! `regenerate`: a fresh document from roadmap and disk (state.md 8). No transition; nothing is preserved but the copy.

use super::arguments::Arguments;
use super::place::Place;
use super::write::{BACKUP, STATE, failed, lock, replace};
use super::{Answered, Context, Told};
use crate::state::planning::Planning;
use crate::state::{Error, fresh, read};

pub(super) fn regenerate(context: &Context, place: &Place, arguments: &Arguments) -> Result<Answered, Error> {
    if place.read()?.is_some() && !arguments.has("force") {
        return Err(Error::ConfirmRequired);
    }
    crate::files::make_folder(&place.file("")).map_err(|source| failed(place, "", source))?;
    let lock = lock(place)?;
    let old = place.read()?;
    if old.is_some() && !arguments.has("force") {
        return Err(Error::ConfirmRequired);
    }
    let version = old
        .as_deref()
        .and_then(|old| read::stored_version(&crate::text::decode(old)));
    let tree = place.tree();
    let planning = Planning::new(&tree, version.as_deref());
    let new = fresh::document(old.as_deref(), &planning, &place.moment(context))?;
    let mut backup = None;
    if let Some(old) = old {
        let stamp = context.now.rfc3339()[..19].replace([':', '.'], "-");
        let name = format!("{BACKUP}{stamp}");
        replace(place, &lock, &name, &old)?;
        backup = Some(format!("{}/{name}", super::place::FOLDER));
    }
    replace(place, &lock, STATE, new.as_bytes())?;
    Ok(Answered::of(Told::Regenerated { backup }))
}
