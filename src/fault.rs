//! Fault injection for crash tests (architecture.md, "Crash safety"): every step that changes the disk passes [`point`].
//! Armed by `cli` from `GIT_SPEC_ABORT_AT` and `GIT_SPEC_FAIL_AT`; empty in release builds.

use std::io;

#[cfg(debug_assertions)]
mod armed {
    use std::sync::atomic::{AtomicU64, Ordering};

    static PASSED: AtomicU64 = AtomicU64::new(0);
    static ABORT_AT: AtomicU64 = AtomicU64::new(0);
    static FAIL_AT: AtomicU64 = AtomicU64::new(0);

    pub(super) fn arm(abort_at: u64, fail_at: u64) {
        ABORT_AT.store(abort_at, Ordering::SeqCst);
        FAIL_AT.store(fail_at, Ordering::SeqCst);
    }

    pub(super) fn pass() -> bool {
        let n = PASSED.fetch_add(1, Ordering::SeqCst) + 1;
        if n == ABORT_AT.load(Ordering::SeqCst) {
            std::process::abort();
        }
        n != FAIL_AT.load(Ordering::SeqCst)
    }
}

/// Sets at which point, counted from 1, the process aborts or the step fails; 0 is never.
#[cfg(debug_assertions)]
pub fn arm(abort_at: u64, fail_at: u64) {
    armed::arm(abort_at, fail_at);
}

#[cfg(not(debug_assertions))]
pub fn arm(_: u64, _: u64) {}

/// One step that changes the disk is about to be taken.
///
/// # Errors
/// In debug builds, at the point that was armed to fail.
#[cfg(debug_assertions)]
pub fn point() -> io::Result<()> {
    if armed::pass() {
        Ok(())
    } else {
        Err(io::Error::other("a fault was injected here"))
    }
}

#[cfg(not(debug_assertions))]
#[inline]
pub fn point() -> io::Result<()> {
    Ok(())
}
