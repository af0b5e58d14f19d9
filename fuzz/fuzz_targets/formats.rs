//! Fuzz target: any bytes, read as a file of abstract argumentation.

#![no_main]

#[path = "../law.rs"]
mod law;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    law::holds_of(bytes);
});
