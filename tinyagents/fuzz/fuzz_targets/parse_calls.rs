#![no_main]

#[path = "../bodies/parse_calls.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::check(data));
