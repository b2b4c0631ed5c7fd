//! An event of `watch` (flow.md 18).

use std::io;

use serde::Serialize;

use super::status::{self, Stand};
use super::{Answer, Screen};
use crate::voice::Voice;

/// Why it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The first look.
    Snapshot,
    Change,
}

/// A status that is another one than before.
pub struct Event {
    /// Counted from 0.
    pub sequence: u64,
    pub kind: Kind,
    /// The module that was asked for.
    pub module: Option<String>,
    pub stand: Stand,
}

#[derive(Serialize)]
pub struct Data {
    seq: u64,
    event: Kind,
    module: Option<String>,
    status: status::Data,
}

impl Answer for Event {
    type Data = Data;

    fn data(&self, voice: &Voice) -> Data {
        Data {
            seq: self.sequence,
            event: self.kind,
            module: self.module.clone(),
            status: self.stand.data(voice),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        self.stand.print(screen)
    }
}
