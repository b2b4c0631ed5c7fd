//! The answer of `statusline` (state.md 10).

use std::io;

use serde::Serialize;

use super::{Answer, Screen};
use crate::state::line::StatusLine;
use crate::text::escape;
use crate::voice::Voice;

/// The line of the project here.
pub struct Statusline(pub StatusLine);

#[derive(Serialize)]
pub struct Data {
    scene: &'static str,
    line: String,
}

impl Answer for Statusline {
    type Data = Data;

    fn data(&self, _: &Voice) -> Data {
        Data {
            scene: self.0.scene.as_str(),
            line: self.0.line.clone(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        screen.line(&escape(&self.0.line))
    }
}
