//! Any bytes as the files that a status is derived from.
#![no_main]

#[path = "../properties.rs"]
#[allow(dead_code, reason = "a target checks one of the properties")]
mod properties;

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::project_state(data));
