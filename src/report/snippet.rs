//! Where a finding points: path, line, the line itself and a caret below it.

use std::io;

use super::{Screen, Style};
use crate::finding::Location;
use crate::text::escape;

/// The longest piece of a line that is shown, in characters.
const WIDTH: usize = 100;

/// Prints `path:line`, the line and what to look at in it.
pub(super) fn print(at: &Location, screen: &mut Screen<'_>) -> io::Result<()> {
    let Some(line) = &at.line else {
        return screen.line(&format!("      {}", at.path));
    };
    screen.line(&format!("      {}:{}", at.path, line.number))?;
    print_line(at, screen)
}

/// Prints the line of a place and what to look at in it; nothing where no line is named or it is blank.
pub(super) fn print_line(at: &Location, screen: &mut Screen<'_>) -> io::Result<()> {
    let Some(line) = &at.line else { return Ok(()) };
    let shown: String = line.text.chars().take(WIDTH).collect();
    let shown = escape(&shown).into_owned();
    if shown.trim().is_empty() {
        return Ok(());
    }
    let number = line.number.to_string();
    let bar = screen.paint(Style::Dim, "|");
    screen.line(&format!("      {number} {bar} {shown}"))?;
    let (from, len) = match line.mark {
        (_, 0) => (0, shown.chars().count()),
        (from, len) => (from, len.min(WIDTH)),
    };
    let caret = screen.paint(Style::Bad, &"^".repeat(len.max(1)));
    screen.line(&format!(
        "      {} {bar} {}{caret}",
        " ".repeat(number.len()),
        " ".repeat(from)
    ))
}
