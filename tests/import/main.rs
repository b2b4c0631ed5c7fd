//! `import`: reports as frameworks write them, what they come to, what is refused, the command.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/schemas.rs"]
mod schemas;

mod command;
mod frameworks;
mod limits;
mod refused;
mod rules;
mod stages;

use git_spec::clock::Timestamp;
use git_spec::verify::import::{self, Collector, Error, Format, Imported, KnownCases};

/// The time of the import.
const NOW: &str = "2026-01-02T03:04:05.000Z";

fn known() -> KnownCases {
    let defined = (3..=10).map(|n| format!("UT-S01-{n:02}"));
    KnownCases {
        defined: defined.chain(["ST-S01-01".to_owned()]).collect(),
        manual: ["ST-S01-09".to_owned()].into(),
    }
}

fn read_bytes(report: &[u8], format: Format) -> Result<Imported, Error> {
    let known = known();
    let mut collector = Collector::new(&known, Timestamp::parse(NOW).expect("it is an instant"));
    import::read(report, format, "report", &mut collector)?;
    Ok(collector.finish())
}

#[track_caller]
fn read(report: &str, format: Format) -> Imported {
    read_bytes(report.as_bytes(), format).unwrap_or_else(|e| panic!("{e}"))
}

/// The rows as `id status`, and the failures without an id as `name: error`.
#[track_caller]
fn outcomes(report: &str, format: Format) -> (Vec<String>, Vec<String>) {
    let imported = read(report, format);
    let rows = rows(&imported);
    let rows = rows.iter().map(|row| {
        let text = |key: &str| row[key].as_str().expect("it is text").to_owned();
        format!("{} {}", text("id"), text("status"))
    });
    let failures = imported.unmapped_failures.iter();
    let failures = failures.map(|failure| format!("{}: {}", failure.name, failure.error));
    (rows.collect(), failures.collect())
}

fn rows(imported: &Imported) -> Vec<serde_json::Value> {
    let ledger = std::str::from_utf8(&imported.ledger).expect("it is UTF-8");
    ledger
        .lines()
        .map(|line| serde_json::from_str(line).expect("it is JSON"))
        .collect()
}
