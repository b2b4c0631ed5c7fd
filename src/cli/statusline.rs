//! `statusline`: where the project stands, in one line.

use std::path::PathBuf;

use super::{Context, Exit, Format, finish};
use crate::report;
use crate::state::line::{Seen, StatusLine, find};

/// Print one line about where the project stands, for the status line of an editor or agent
///
/// Reads the nearest `.planning/STATE.md`, nothing else; exits 0, also where there is none. What a host sends on stdin
/// is not read.
///
/// Example: statusline --compact
#[derive(clap::Args)]
pub(super) struct Statusline {
    /// Version, phase and one word
    #[arg(long)]
    compact: bool,
    /// text or json
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

impl Statusline {
    pub(super) fn run(self, context: &Context) -> Exit {
        // The line has no words of ours; for the project's language a repository would be opened.
        context.speak_plainly();
        let home = context.env.get("HOME").map(PathBuf::from);
        // The current folder is without links; so must be what it is compared with.
        let home = home.and_then(|home| home.canonicalize().ok());
        let text = context
            .is_somewhere()
            .then(|| find(&context.cwd, home.as_deref()));
        let seen = text.flatten().map(|text| Seen::read(&text));
        let answer = report::Statusline(StatusLine::of(seen.as_ref(), self.compact));
        let format = Format::of(self.format.as_deref());
        finish(
            context,
            "statusline",
            format,
            Ok::<_, super::trouble::Trouble>(answer),
        )
    }
}
