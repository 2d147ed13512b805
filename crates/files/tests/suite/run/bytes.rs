//! Tests of arbitrary bytes and arbitrary changes of examples: the result is a sentence or a valid
//! scenario.

use crate::cases::cases;
use crate::text;
use catalog::default_scenario;
use engine::params::{every, is_held, is_within_bounds};
use files::run::{File, read_run, write_back};
use files::settings::programs;
use links::{decode::decode, encode};
use proptest::prelude::*;

const NAMES: [&str; 6] = ["a.yaml", "a.json", "a.toml", "a.py", "a.sh", ""];

fn check(file: &File) {
    match read_run(std::slice::from_ref(file), &default_scenario()) {
        Err(said) => assert!(said.ends_with('.') && said.len() > 20, "{said}"),
        Ok(run) => {
            let scenario = &run.scenario;
            for param in every().filter(|param| is_held(param, scenario)) {
                assert!(is_within_bounds(param, scenario), "{} in {}", param.key, encode(scenario));
            }
            assert_eq!(&decode(&encode(scenario)).scenario, scenario, "{}", encode(scenario));
            let report = scenario.report();
            assert!(report.update.time.step.get() > 0.0 && report.memory.needed.get() > 0.0);
            for said in run.assumed.iter().chain(&run.contradictions) {
                assert!(said.ends_with('.') && !said.contains("NaN"), "{said}");
            }
            let _ = write_back(file, &[]);
        }
    }
}

fn example(which: usize) -> String {
    let links = [
        "model=llama-3.1-8b&gpus=16&tp=2&accum=4&compile=yes",
        "model=mixtral-8x7b&gpus=64&ep=8&strategy=zero1",
        "model=llama-3.1-8b&gpus=8&train=lora&base=nf4",
    ];
    let programs = programs();
    text(programs[which % programs.len()], &decode(links[which / programs.len() % links.len()]).scenario).body
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn bytes_are_a_sentence_or_a_scenario(bytes in proptest::collection::vec(any::<u8>(), 0..400), name in 0..NAMES.len()) {
        check(&File::new(NAMES[name], String::from_utf8_lossy(&bytes)));
    }

    #[test]
    fn changed_examples_are_a_sentence_or_a_scenario(
        which in 0..30_usize,
        edits in proptest::collection::vec((any::<prop::sample::Index>(), "[0-9a-z:\\[\\]{}()&*$\"'#\\n, =-]{0,6}"), 1..6),
        name in 0..NAMES.len(),
    ) {
        let mut letters: Vec<char> = example(which).chars().collect();
        for (at, with) in edits {
            let at = at.index(letters.len().max(1)).min(letters.len().saturating_sub(1));
            let end = (at + with.len()).min(letters.len());
            letters.splice(at..end, with.chars());
        }
        check(&File::new(NAMES[name], letters.into_iter().collect::<String>()));
    }

    #[test]
    fn numbers_of_any_size_are_read(which in 0..30_usize, number in any::<i64>(), place in any::<prop::sample::Index>()) {
        let text = example(which);
        let digits: Vec<usize> = text.char_indices().filter(|(_, sign)| sign.is_ascii_digit()).map(|(at, _)| at).collect();
        prop_assume!(!digits.is_empty());
        let at = digits[place.index(digits.len())];
        check(&File::new("", format!("{}{number}{}", &text[..at], &text[at + 1..])));
    }
}
