//! What is wrong with a state (loop.md 2). All of it is told, not the first alone.

mod check;
mod rules;
mod sections;

use serde_json::Value;

use super::gate::Source;
use crate::voice::{Say, Voice};
use check::Check;

pub use check::{Code, Fault};

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub errors: Vec<Fault>,
    pub warnings: Vec<Fault>,
}

impl Found {
    pub fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }

    /// A file that cannot be read, or is no JSON.
    pub fn unreadable(reason: &str) -> Self {
        let fault = Fault {
            path: "file".to_owned(),
            code: Code::Unreadable(reason.to_owned()),
        };
        Self {
            errors: vec![fault],
            warnings: Vec::new(),
        }
    }
}

/// Judges a state together with its gate state.
pub fn validate(state: &Value, gate: &Source) -> Found {
    let mut check = Check::default();
    rules::state(&mut check, state, gate);
    check.found
}

impl Fault {
    /// In words.
    pub fn message(&self, voice: &Voice) -> String {
        self.code.say(voice)
    }
}
