//! Any bytes as the stream of `git diff --name-status -z`.
#![no_main]

#[path = "../properties.rs"]
#[allow(dead_code, reason = "a target checks one of the properties")]
mod properties;

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::name_status(data));
