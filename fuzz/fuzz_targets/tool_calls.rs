//! Any bytes as a command line before the three guards.
#![no_main]

#[path = "../properties.rs"]
#[allow(dead_code, reason = "a target checks one of the properties")]
mod properties;

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::tool_calls(data));
