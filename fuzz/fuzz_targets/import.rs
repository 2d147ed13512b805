//! Fuzz target `import`.

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| shardwise_fuzz::import::check(data));

#[cfg(not(fuzzing))]
fn main() {}
