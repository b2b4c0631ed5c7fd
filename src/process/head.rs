//! The beginning of what a child says on standard error.

use std::io::Read;
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long what a command left behind may hold its error output open.
const DRAIN: Duration = Duration::from_millis(200);

/// Reads what a command says, keeps the beginning and drops the rest, so that it never waits for us.
pub(super) struct Head {
    kept: Arc<Mutex<Vec<u8>>>,
    at_end: Receiver<()>,
}

impl Head {
    /// Keeps the first `limit` bytes of what comes on a child's standard error.
    pub(super) fn of(child: &mut Child, limit: usize) -> Option<Self> {
        let mut from = child.stderr.take()?;
        let kept = Arc::new(Mutex::new(Vec::new()));
        let (tell, at_end) = channel();
        let filled = Arc::clone(&kept);
        std::thread::spawn(move || {
            let mut piece = [0; 8 << 10];
            while let Ok(length @ 1..) = from.read(&mut piece) {
                let mut kept = filled.lock().unwrap_or_else(PoisonError::into_inner);
                let room = limit.saturating_sub(kept.len());
                kept.extend_from_slice(&piece[..length.min(room)]);
            }
            // Nobody may be left to hear it.
            let _unheard = tell.send(());
        });
        Some(Self { kept, at_end })
    }

    /// What came until now: who still holds the stream open is not waited for.
    pub(super) fn take(self) -> Vec<u8> {
        let _late = self.at_end.recv_timeout(DRAIN);
        std::mem::take(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
