//! Events of files below a root, as hints that something may have changed: events can be lost, so that a reader looks
//! again from time to time whatever they say.

use std::collections::BTreeMap;
use std::path::PathBuf;

use notify::{Config, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

/// Watches folders. Without support of the system it stays silent.
pub struct Events {
    watcher: Option<RecommendedWatcher>,
    watched: BTreeMap<PathBuf, bool>,
}

impl Events {
    /// Calls `tell` for every event, from another thread.
    pub fn new(tell: impl Fn() + Send + 'static) -> Self {
        let on_event = move |event: notify::Result<notify::Event>| match event {
            // Reading changes nothing, and we ourselves read.
            Ok(event) if matches!(event.kind, EventKind::Access(_)) => {}
            Ok(_) | Err(_) => tell(),
        };
        // Links could lead anywhere, and round in circles.
        let config = Config::default().with_follow_symlinks(false);
        Self {
            watcher: RecommendedWatcher::new(on_event, config).ok(),
            watched: BTreeMap::new(),
        }
    }

    /// Watches these folders, with all below them where the flag says so, and no others. A folder that cannot be watched,
    /// and what links below one lead to, is left to the reader's own looks.
    pub fn watch(&mut self, folders: impl IntoIterator<Item = (PathBuf, bool)>) {
        let Some(watcher) = &mut self.watcher else {
            return;
        };
        let wanted: BTreeMap<PathBuf, bool> = folders.into_iter().filter(|(dir, _)| dir.is_dir()).collect();
        let gone: Vec<PathBuf> = self
            .watched
            .keys()
            .filter(|dir| !wanted.contains_key(*dir))
            .cloned()
            .collect();
        for dir in gone {
            // A folder that was removed is watched no longer anyway.
            let _gone = watcher.unwatch(&dir);
            self.watched.remove(&dir);
        }
        for (dir, deep) in wanted {
            if self.watched.contains_key(&dir) {
                continue;
            }
            let mode = if deep {
                RecursiveMode::Recursive
            } else {
                RecursiveMode::NonRecursive
            };
            if watcher.watch(&dir, mode).is_ok() {
                self.watched.insert(dir, deep);
            }
        }
    }
}
