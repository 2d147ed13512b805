//! Fuzz target `link`.

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| shardwise_fuzz::link::check(data));

#[cfg(not(fuzzing))]
fn main() {}
