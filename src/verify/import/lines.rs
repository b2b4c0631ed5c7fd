//! A report that is read a line at a time.

use std::io::BufRead;

use super::error::{Fault, Reason};
use super::source::Source;

pub(super) struct Lines<'s, 'r> {
    source: &'s mut Source<'r>,
    line: String,
    number: u64,
}

impl<'s, 'r> Lines<'s, 'r> {
    pub(super) fn of(source: &'s mut Source<'r>) -> Self {
        Self {
            source,
            line: String::new(),
            number: 0,
        }
    }

    /// The next line, without its end.
    pub(super) fn next(&mut self) -> Result<Option<&str>, Fault> {
        self.line.clear();
        self.number += 1;
        self.source.begin_piece();
        match self.source.read_line(&mut self.line) {
            Err(e) => Err(self.source.fault(Reason::Io(e.to_string()))),
            Ok(0) => Ok(None),
            Ok(_) => Ok(Some(self.line.trim_end_matches(['\r', '\n']))),
        }
    }

    /// What is wrong with the last line.
    pub(super) fn fault(&self, reason: Reason) -> Fault {
        Fault {
            line: self.number,
            reason,
        }
    }
}
