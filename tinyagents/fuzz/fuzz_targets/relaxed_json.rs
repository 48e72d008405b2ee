#![no_main]

#[path = "../bodies/relaxed_json.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::check(data));
