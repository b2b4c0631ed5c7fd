//! Standard test reports as rows of the ledger (verify.md 15): a project needs no reporter code.

mod case;
mod collect;
mod document;
mod error;
mod format;
mod go;
mod junit;
mod libtest;
mod lines;
mod message;
mod playwright;
mod row;
mod source;
mod stage;
mod tap;
mod vitest;
mod xml;

pub use case::KnownCases;
pub use collect::{Collector, Imported, UnmappedFailure, Warning};
pub use error::{Error, Fault, Reason};
pub use format::Format;
pub use source::Source;
pub use stage::{Entry, Stage, StageImport, clear, import_stage, is_report};

use std::io::Read;

/// Reads one report to its end. `file` is its name in an error.
pub fn read<'r>(
    report: impl Read + 'r,
    format: Format,
    file: &str,
    into: &mut Collector<'_>,
) -> Result<(), Error> {
    let mut source = Source::new(report);
    format.read(&mut source, into).map_err(|fault| Error::Parse {
        file: file.to_owned(),
        fault,
    })?;
    into.date(None);
    Ok(())
}
