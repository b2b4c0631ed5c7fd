//! Test results as a gate: reading what frameworks report.

pub mod import;
