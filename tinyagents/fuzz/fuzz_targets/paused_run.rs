#![no_main]

#[path = "../bodies/paused_run.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::check(data));
