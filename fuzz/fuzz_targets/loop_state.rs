//! Any bytes as the state of a loop.
#![no_main]

#[path = "../properties.rs"]
#[allow(dead_code, reason = "a target checks one of the properties")]
mod properties;

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::loop_state(data));
