//! Any bytes as a delta, a task list and a proposal.
#![no_main]

#[path = "../properties.rs"]
#[allow(dead_code, reason = "a target checks one of the properties")]
mod properties;

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::delta_grammar(data));
