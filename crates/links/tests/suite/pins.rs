//! Links with pinned scenarios: what they mean, that every pin survives, and that any text whatever
//! gives scenarios.

use crate::any::any_scenario;
use crate::cases::cases;
use engine::json::compact;
use engine::scenario::Scenario;
use engine::scenario::pins::MOST_PINS;
use engine::validate::issues;
use links::{decode, encode, encode_with, to_json};
use proptest::prelude::*;

/// Links in the first line of each block; under it, after `screen` or the number of the pin, what
/// they mean. Blocks are added and never changed.
const PUBLISHED: &str = include_str!("../../../../tests/links/pins.txt");

fn value(scenario: &Scenario, key: &str) -> String {
    compact(&to_json(scenario)[key]).trim_matches('"').to_owned()
}

fn sentences(text: &str) -> Vec<String> {
    decode(text).issues.into_iter().map(|issue| issue.text().replace('\u{2009}', " ")).collect()
}

#[test]
fn published_links_mean_what_they_meant() {
    let blocks = PUBLISHED.split("\n\n").map(|block| block.lines().filter(|line| !line.starts_with('#')));
    let mut count = 0;
    for mut lines in blocks {
        let Some(link) = lines.next() else { continue };
        let decoded = decode(link);
        assert_eq!(decoded.issues, [], "{link}");
        for line in lines {
            let words: Vec<&str> = line.split_whitespace().collect();
            let scenario = match words[0] {
                "screen" => &decoded.scenario,
                place => &decoded.pins[place.parse::<usize>().unwrap() - 1],
            };
            assert_eq!(value(scenario, words[1]), words[2], "{line} of {link}");
        }
        let again = decode(&encode_with(&decoded.scenario, &decoded.pins));
        assert_eq!((again.scenario, again.pins), (decoded.scenario, decoded.pins), "{link}");
        count += 1;
    }
    assert!(count >= 5);
}

#[test]
fn a_pin_is_what_it_changes() {
    let screen = decode("cluster=dgx-h100&model=llama-3-8b&gpus=256&seq=16k").scenario;
    let fewer = Scenario { gpus: 64, ..screen };
    let other = decode("size=65B").scenario;
    assert_eq!(
        encode_with(&screen, &[fewer, screen, other]),
        "v=1&cluster=dgx-h100&model=llama-3-8b&seq=16384&gpus=256&pin=1&gpus=64&pin=2&pin=3&v=1&size=65B"
    );
    // A value that the screen sets and the pin leaves at its default is written.
    assert_eq!(encode_with(&fewer, &[decode("cluster=dgx-h100&model=llama-3-8b").scenario]), {
        "v=1&cluster=dgx-h100&model=llama-3-8b&seq=16384&pin=1&seq=4096"
    });
    assert_eq!(encode_with(&screen, &[]), encode(&screen));
}

#[test]
fn a_pin_that_cannot_be_read_is_left_out_with_a_sentence() {
    let link = "v=1&gpus=128&pin=1&mem=abc&pin=2&gpus=64&pin=3&cluster=nowhere";
    assert_eq!(
        sentences(link),
        [
            "The first pinned scenario was left out. “abc” is not a number: GPU memory must be a number from 8 GiB to 512 GiB, for \
             example 40 GiB.",
            "The third pinned scenario was left out. The catalog has no cluster “nowhere”.",
        ]
    );
    let decoded = decode(link);
    assert_eq!((decoded.scenario.gpus, decoded.pins.len(), decoded.pins[0].gpus), (128, 1, 64));
    let cut = "v=1&gpus=128&pin=1&gpus=64&se";
    assert_eq!(
        sentences(cut),
        [
            "The first pinned scenario was left out. “se” in the link lacks a key or a value: the link may be incomplete."
        ]
    );
    assert_eq!(
        sentences("pin=1&colour=red"),
        ["In the first pinned scenario: “colour” is not a key of a scenario. “colour=red” was left out."]
    );
    assert_eq!(decode("pin=1&colour=red").pins.len(), 1);
}

#[test]
fn what_is_wrong_on_screen_is_said_once() {
    assert_eq!(sentences("colour=red&pin=1&gpus=8").len(), 1);
    // But a pin that would hold a value which cannot be read is none.
    assert_eq!(sentences("mem=abc&pin=1&gpus=8").len(), 2);
    assert_eq!(decode("mem=abc&pin=1&mem=40").pins.len(), 1);
    assert_eq!(decode("size=7B&pin=1&model=llama-2-7b").issues, []);
}

#[test]
fn a_fourth_pin_is_left_out() {
    let decoded = decode("pin=1&gpus=8&pin=2&gpus=16&pin=3&gpus=32&pin=4&gpus=128&nonsense");
    assert_eq!(decoded.pins.iter().map(|pin| pin.gpus).collect::<Vec<_>>(), [8, 16, 32]);
    assert_eq!(decoded.scenario.gpus, 64);
    assert_eq!(
        sentences("pin=1&pin=2&pin=3&pin=4"),
        ["The link pins 4 scenarios, more than 3. The first 3 were read."]
    );
    let many = "pin=1&gpus=8&".repeat(4_000);
    assert_eq!(decode(&many).pins.len(), MOST_PINS);
}

fn pinned() -> impl Strategy<Value = (Scenario, Vec<Scenario>)> {
    let near = (any_scenario(), any::<u32>(), any::<u32>());
    (any_scenario(), proptest::collection::vec(near, 0..=MOST_PINS)).prop_map(|(screen, pins)| {
        // Half of the pins are the screen's scenario with a few changes, as people make them.
        let pin = |(other, which, gpus): (Scenario, u32, u32)| match which % 4 {
            0 => Scenario { gpus: 1 + gpus % 4096, ..screen },
            1 => Scenario { network: other.network, accelerator: other.accelerator, ..screen },
            2 => Scenario { model: other.model, seq_len: other.seq_len, ..screen },
            _ => other,
        };
        (screen, pins.into_iter().map(pin).collect())
    })
}

proptest! {
    #![proptest_config(cases(3_000))]

    #[test]
    fn every_pin_survives_its_link((screen, pins) in pinned()) {
        let link = encode_with(&screen, &pins);
        let decoded = decode(&format!("https://example.org/#{link}"));
        prop_assert_eq!(&decoded.issues, &[], "{}", link);
        prop_assert_eq!((decoded.scenario, decoded.pins), (screen, pins), "{}", link);
        prop_assert!(link.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"=&.-".contains(&byte)), "{}", link);
    }

    #[test]
    fn any_broken_link_gives_scenarios(
        (screen, pins) in pinned(),
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0..4_u8, any::<char>()), 0..8),
    ) {
        let mut characters: Vec<char> = encode_with(&screen, &pins).chars().collect();
        for (place, kind, new) in edits {
            let at = place.index(characters.len().max(1)).min(characters.len().saturating_sub(1));
            match (kind, characters.is_empty()) {
                (0, false) => characters.truncate(at),
                (1, false) => { characters.remove(at); }
                (2, false) => characters[at] = new,
                _ => characters.insert(at, new),
            }
        }
        let text: String = characters.into_iter().collect();
        let decoded = decode(&text);
        prop_assert!(decoded.pins.len() <= MOST_PINS);
        for scenario in decoded.pins.iter().chain([&decoded.scenario]) {
            prop_assert!(scenario.report().update.time.step.get().is_finite(), "{}", text);
            prop_assert!(issues(scenario).iter().all(|issue| !issue.message.contains("must be between")), "{}", text);
        }
        for issue in &decoded.issues {
            prop_assert!(issue.text().ends_with(['.', '?']) && issue.text().len() < 700, "{}: {:?}", text, issue);
        }
    }
}
