//! `watch`: the status now, and again whenever it is another one.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::flow_error::FlowError;
use super::uninitialised::{self, NOT_INITIALIZED};
use super::usage::{self, Unknown};
use super::{Context, Exit, Format, fail, json, print_line, settle, with_screen};
use crate::baseline::Reader;
use crate::change::ChangeFolder;
use crate::files::{Events, ReadError, WorkTree};
use crate::flow::{self, Ground};
use crate::process::{is_alive, is_output_closed, on_interrupt};
use crate::project::{self, layout};
use crate::report::Answer;
use crate::report::status::Stand;
use crate::report::watch::{Event, Kind};

/// Show the status, and again whenever it changes
///
/// Prints the status at once, and then one line of JSON (or one screen of text) whenever it is another one. No command is
/// run and nothing is written. Ends on Ctrl-C, or when nobody reads its output any more.
#[derive(clap::Args)]
pub(super) struct Watch {
    /// Only this module
    #[arg(long, value_name = "ID")]
    module: Option<Option<String>>,
    /// Seconds between two looks, at least 1; file events are looked at sooner
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    interval: Option<Option<String>>,
    /// json for one line of JSON an event
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    #[command(flatten)]
    unknown: Unknown,
}

/// Seconds between two looks where nothing else is asked for.
const INTERVAL: f64 = 2.0;
/// A year: a longer wait is none.
const LONGEST: f64 = 31_536_000.0;
/// How long changes are gathered before a look: several files often change together.
const SETTLE: Duration = Duration::from_millis(60);

/// What ends a wait.
enum Wake {
    Changed,
    Interrupted,
}

impl Watch {
    pub(super) fn run(self, ctx: &Context) -> Exit {
        let format = Format::of(self.format.as_deref());
        if let Err(exit) = uninitialised::require(ctx, "watch", format, NOT_INITIALIZED) {
            return exit;
        }
        match self.watch(ctx, format) {
            Ok(exit) => exit,
            Err(error) => fail(ctx, "watch", format, &error),
        }
    }

    fn watch(&self, ctx: &Context, format: Format) -> Result<Exit, FlowError> {
        self.unknown.refuse()?;
        let only = usage::value("--module", self.module.as_ref())?;
        let interval = interval(usage::value("--interval", self.interval.as_ref())?);
        let root = &ctx.place()?.root;
        let (wake, woken) = channel();
        let interrupt = wake.clone();
        // Without handlers a signal ends us at once, as it does any other command.
        let _at_once = on_interrupt(move || {
            let _gone = interrupt.send(Wake::Interrupted);
        });
        let mut events = Events::new(move || {
            let _gone = wake.send(Wake::Changed);
        });
        let (mut sequence, mut last) = (0, None);
        loop {
            if !project::is_initialised(&ctx.work_tree()?)? {
                return Ok(uninitialised::tell(ctx, "watch", format, NOT_INITIALIZED));
            }
            events.watch(folders(root)?);
            let stand = look(ctx, only)?;
            let shown = serde_json::to_string(&stand.data(ctx.voice())).expect("answers are plain structs");
            if last.as_ref() != Some(&shown) {
                let event = Event {
                    sequence,
                    kind: if sequence == 0 {
                        Kind::Snapshot
                    } else {
                        Kind::Change
                    },
                    module: only.map(str::to_owned),
                    stand,
                };
                if let Some(exit) = show(ctx, format, &event) {
                    return Ok(exit);
                }
                (sequence, last) = (sequence + 1, Some(shown));
            }
            if is_over(&woken, interval) {
                return Ok(Exit::Done);
            }
        }
    }
}

/// A number of seconds, at least 1; what is no finite number is the default.
fn interval(given: Option<&str>) -> Duration {
    let seconds: f64 = given
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or(INTERVAL);
    let seconds = if seconds.is_finite() { seconds } else { INTERVAL };
    Duration::from_secs_f64(seconds.clamp(1.0, LONGEST))
}

/// The folders in which something can change the status: not the archive, however large it is.
fn folders(root: &Path) -> Result<Vec<(PathBuf, bool)>, ReadError> {
    let below = |path: &str| root.join(path);
    let mut folders = vec![
        (below("logos"), false),
        (below(layout::FLOWS), false),
        (below(layout::CHANGES), false),
        (below(layout::RESOURCES), true),
    ];
    let tree = WorkTree::new(root);
    for folder in ChangeFolder::list(&tree)? {
        // What lies outside is no change to be active, and may be the whole disk.
        if ChangeFolder::find(&tree, folder.slug.as_str())?.is_ok() {
            folders.push((folder.path.on_disk(root), true));
        }
    }
    Ok(folders)
}

/// Derives the status. A file that goes away while it is read makes a second look worth it.
fn look(ctx: &Context, only: Option<&str>) -> Result<Stand, FlowError> {
    let derive = || -> Result<Stand, FlowError> {
        let tree = ctx.work_tree()?;
        let baseline = Reader::open(&tree, &is_alive, ctx.now)?;
        let ground = Ground::read(&baseline)?;
        let status = flow::derive(&ground, only, None)?;
        Ok(Stand::of(&ground, status))
    };
    derive().or_else(|_| {
        std::thread::sleep(SETTLE);
        derive()
    })
}

/// Prints an event. A reader that is gone ends the watch quietly.
fn show(ctx: &Context, format: Format, event: &Event) -> Option<Exit> {
    let now = match event.sequence {
        0 => ctx.now,
        // It could be read when we began.
        _ => ctx.env.now().unwrap_or(ctx.now),
    };
    let written = match format {
        Format::Json => print_line(&json("watch", now, event.data(ctx.voice()))),
        Format::Text | Format::Sarif | Format::Github => with_screen(ctx, |screen| {
            if io::stdout().is_terminal() {
                screen.clear()?;
            }
            event.print(screen)
        }),
    };
    match written {
        Ok(()) => None,
        Err(error) => Some(settle(Err(error), Exit::Done)),
    }
}

/// Waits for the next look. True if there is to be none: we were interrupted, or nobody reads.
fn is_over(woken: &Receiver<Wake>, interval: Duration) -> bool {
    let until = Instant::now() + interval;
    let mut look_at = until;
    loop {
        if is_output_closed() {
            return true;
        }
        let wait = look_at.saturating_duration_since(Instant::now());
        match woken.recv_timeout(wait) {
            Ok(Wake::Interrupted) => return true,
            Ok(Wake::Changed) => look_at = look_at.min(Instant::now() + SETTLE),
            Err(RecvTimeoutError::Timeout) => return is_output_closed(),
            // Nobody can wake us: what is left is to look from time to time.
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(wait),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_a_finite_number_and_at_least_one() {
        let seconds = |text: &str| interval(Some(text)).as_secs_f64();
        let all = ["1.5", "0", "-3", "NaN", "inf", "x", "", "7"].map(seconds);
        let expected = [1.5, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 7.0];
        assert!(
            all.iter()
                .zip(expected)
                .all(|(one, other)| (one - other).abs() < 1e-9),
            "{all:?}"
        );
        assert_eq!(interval(None), Duration::from_secs(2));
    }
}
