//! The writing half of `change-lint --fix`.

use super::Context;
use super::lint::Judge;
use crate::lint::Error;

pub(super) fn run(_: &Context, _: &Judge<'_>, _: Option<&str>, _: bool, _: bool) -> Result<(), Error> {
    Ok(())
}
