//! How `merge`, `rebase` and `archive` end: with what they print, or with a refusal.

use std::io;

use super::{Context, Format, fail, settle, uninitialised, with_screen};
use crate::change::gate::Refused;
use crate::report::{Exit, Screen};

/// Prints what came of a command, or why it was refused; `exit` tells the code that goes with what came of it.
pub(super) fn end<T>(
    context: &Context,
    command: &str,
    result: Result<T, Refused>,
    exit: impl FnOnce(&T) -> Exit,
    print: impl FnOnce(&T, &mut Screen<'_>) -> io::Result<()>,
) -> Exit {
    match result {
        Err(Refused::NotInitialized) => {
            uninitialised::tell(context, command, Format::Text, "not_initialized")
        }
        Err(error) => fail(context, command, Format::Text, &error),
        Ok(outcome) => {
            let exit = exit(&outcome);
            settle(with_screen(context, |screen| print(&outcome, screen)), exit)
        }
    }
}
