//! What a report says of its gate (verify.md 8): a row of its summary, whoever wrote it.

use crate::text::{decode, trim};

/// The gate of `verify`, as reports call it.
pub const VERIFY_GATE: &str = "Gate 3.5";
/// The gate of `smoke`.
pub const SMOKE_GATE: &str = "Gate 3.8";

/// Whether a report says that a gate is open; none if it does not say.
pub fn is_open(report: &[u8], gate: &str) -> Option<bool> {
    let report = decode(report);
    let mut rows = report.lines().filter_map(|line| {
        let mut cells = trim(line).strip_prefix('|')?.split('|');
        let bare = |cell: &str| cell.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        let (name, value) = (bare(cells.next()?), bare(cells.next()?));
        (name == gate).then_some(value)
    });
    let value = rows.next()?;
    let word = value.split(|c: char| !c.is_alphanumeric()).next()?;
    match word {
        "PASS" => Some(true),
        "FAIL" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_of_the_gate_is_read_with_and_without_emphasis() {
        let said = |row: &str| is_open(format!("# R\n\n| Passed | 1 |\n{row}\n").as_bytes(), VERIFY_GATE);
        assert_eq!(said("| Gate 3.5 | PASS |"), Some(true));
        assert_eq!(said("| **Gate 3.5** | **FAIL** |"), Some(false));
        assert_eq!(said("| Gate 3.5 | FAIL (failed_cases) |"), Some(false));
        assert_eq!(said("| Gate 3.8 | PASS |"), None);
        assert_eq!(said("Gate 3.5: PASS"), None);
    }
}
