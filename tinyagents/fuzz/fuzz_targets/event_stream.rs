#![no_main]

#[path = "../bodies/event_stream.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::check(data));
