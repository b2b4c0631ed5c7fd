//! The status line: one line about the nearest STATE.md, for a host that shows it all the time (state.md 10). Reads by
//! rules of its own, stricter than those of the commands; opens no repository, and never fails: what cannot be read is
//! absent.

mod find;
mod read;
mod scene;

pub use find::find;
pub use read::Seen;
pub use scene::Scene;

/// What there is to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusLine {
    pub scene: Scene,
    pub line: String,
}

impl StatusLine {
    /// The line about what was seen; about nothing, if there is no STATE.md that can be read.
    pub fn of(seen: Option<&Seen>, compact: bool) -> Self {
        let Some(seen) = seen else {
            return Self {
                scene: Scene::None,
                line: String::new(),
            };
        };
        let scene = Scene::of(seen);
        let line = if compact {
            scene::compact(seen, scene)
        } else {
            scene::full(seen, scene)
        };
        Self { scene, line }
    }
}
