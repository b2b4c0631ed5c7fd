//! The answer of `silly split` (silly.md 9).

use std::io;

use serde::Serialize;

use super::super::{Answer, Screen};
use crate::say;
use crate::text::escape;
use crate::voice::Voice;

/// The files that were made.
#[derive(Clone, Serialize)]
pub struct Split {
    pub made: Vec<String>,
}

impl Answer for Split {
    type Data = Self;

    fn data(&self, _: &Voice) -> Self {
        self.clone()
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        if self.made.is_empty() {
            return screen.line(&say!(
                voice,
                "every package has its folder",
                "所有变更包都已有目录"
            ));
        }
        self.made.iter().try_for_each(|path| screen.line(&escape(path)))
    }
}
