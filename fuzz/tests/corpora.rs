//! Checks the fuzz targets without a fuzzer: on their saved corpora, and on inputs of a fixed
//! generator.

#![allow(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use shardwise_fuzz::{TARGETS, corpus};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Random inputs per target.
const RANDOM: u64 = 20;
/// Length below which random inputs are, in bytes.
const LENGTH: u64 = 401;

/// SplitMix64 (Steele, Lea and Flood 2014).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// The names of the files in a folder, without their ends.
fn names(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
    entries.map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

#[test]
fn every_target_is_checked() {
    let checked: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(checked, names("fuzz_targets"));
    assert_eq!(checked, names("corpora"));
}

#[test]
fn saved_inputs_hold() {
    for (name, check) in TARGETS {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora").join(format!("{name}.txt"));
        let text = fs::read_to_string(&file).unwrap();
        let inputs = corpus::read(&text).unwrap_or_else(|| panic!("{name}.txt has a line that is not hexadecimal"));
        assert!(!inputs.is_empty(), "{name}.txt is empty");
        for input in inputs {
            check(&input);
        }
    }
}

#[test]
fn random_inputs_hold() {
    let mut state = 0;
    for (_, check) in TARGETS {
        for _ in 0..RANDOM {
            let length = next(&mut state) % LENGTH;
            let input: Vec<u8> = (0..length).map(|_| next(&mut state) as u8).collect();
            check(&input);
        }
    }
}

#[test]
fn a_corpus_is_read_as_it_is_written() {
    let inputs = vec![vec![], vec![0, 255], vec![16, 1, 0]];
    assert_eq!(corpus::write(vec![inputs[2].clone(), inputs[0].clone(), inputs[1].clone()]), "\n00ff\n100100\n");
    assert_eq!(corpus::read("\n00ff\n100100\n"), Some(inputs));
    assert_eq!(corpus::read("0g\n"), None);
    assert_eq!(corpus::read("000\n"), None);
}
