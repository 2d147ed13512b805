//! Sentences written by users, each with its recorded interpretation.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops where its data is wrong")]

use core::fmt::Write as _;

use catalog::{SCENARIOS, default_scenario};
use engine::scenario::Scenario;
use links::{decode, encode};
use proptest::prelude::*;
use sentence::{NOTHING, Topic, Understood, understand};

const USERS: &str = include_str!("../../../../tests/sentences/users.txt");
const HARD: &str = include_str!("../../../../tests/sentences/hard.txt");

fn sentences(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn written(text: &str, read: &Understood) -> String {
    let mut out = format!("{text}\n");
    for mark in read.marks.iter().filter(|mark| mark.kind != Topic::Filler) {
        let taken = if mark.taken.is_empty() { String::new() } else { format!(" ({})", mark.taken.join(" ")) };
        writeln!(out, "  “{}” {}: {}{taken}", &text[mark.from..mark.to], mark.kind.key(), mark.means).unwrap();
    }
    if !read.is_anything() {
        writeln!(out, "  {NOTHING}").unwrap();
    }
    for unread in &read.unread {
        writeln!(out, "  ? {}", unread.sentence).unwrap();
    }
    for conflict in &read.conflicts {
        writeln!(out, "  ! {conflict}").unwrap();
    }
    if let Some(asks) = &read.asks {
        let among = if asks.clusters.is_empty() { String::new() } else { format!(" on {}", asks.clusters.join(", ")) };
        writeln!(out, "  asks for {}{among}: {}", asks.words(), asks.query().unwrap_or_default()).unwrap();
    }
    for assumed in &read.assumed {
        writeln!(out, "  assumed {}", assumed.sentence()).unwrap();
    }
    let how = if read.is_new { "new" } else { "changed" };
    writeln!(out, "  {how}: {}", read.link).unwrap();
    out
}

/// Returns the pairs that only one of the two scenarios has in its link.
fn differences(own: &Scenario, read: &Scenario) -> Vec<String> {
    let text = |scenario: &Scenario| {
        encode(scenario).split('&').filter(|pair| !pair.starts_with("v=")).map(str::to_owned).collect::<Vec<_>>()
    };
    let [own, read] = [own, read].map(text);
    let missing = own.iter().filter(|pair| !read.contains(pair)).map(|pair| format!("-{pair}"));
    let more = read.iter().filter(|pair| !own.contains(pair)).map(|pair| format!("+{pair}"));
    missing.chain(more).collect()
}

#[test]
fn sentences_are_understood_as_recorded() {
    let now = default_scenario();
    let mut out = String::from("== The gallery\n\n");
    let (mut said, mut wrong) = (0, Vec::new());
    for entry in SCENARIOS.iter().filter(|entry| !entry.say.is_empty()) {
        said += 1;
        let read = understand(entry.say, &now);
        let own = decode(entry.link).scenario;
        let sizes = [read.scenario, own].map(|scenario| scenario.model.size());
        let agrees = read.unread.is_empty()
            && (read.scenario.gpus, read.scenario.seq_len) == (own.gpus, own.seq_len)
            && (sizes[0] / sizes[1] - 1.0).abs() < 0.01;
        if !agrees {
            wrong.push(entry.id);
        }
        out += &written(entry.say, &read);
        writeln!(out, "  beside {}: {}\n", entry.id, differences(&own, &read.scenario).join(" ")).unwrap();
    }
    assert!(said >= 20);
    for (title, file) in [("The words of users", USERS), ("Slips, units, contradictions, questions", HARD)] {
        writeln!(out, "== {title}\n").unwrap();
        for text in sentences(file) {
            said += 1;
            writeln!(out, "{}", written(text, &understand(text, &now))).unwrap();
        }
    }
    assert!(said >= 120, "{said}");
    expect_test::expect_file!["../../../../tests/sentences/understood.txt"].assert_eq(&out);
    assert!(wrong.is_empty(), "not as their links say: {wrong:?}");
}

#[test]
fn an_encoder_is_refused_with_a_reason() {
    let bert = understand("1xH100 google-bert/bert-base-uncased lora", &default_scenario());
    let said: Vec<&str> = bert.unread.iter().map(|unread| unread.sentence.as_str()).collect();
    assert!(said.iter().any(|said| said.contains("bert-base-uncased” is an encoder: ")), "{said:?}");
    // A word of a sentence may mean something else than a repository's name.
    let clip = understand("llama 3 8b on 8 H100, clip", &default_scenario());
    assert!(clip.unread.iter().all(|unread| !unread.sentence.contains("encoder")), "{:?}", clip.unread);
}

#[test]
fn no_word_is_offered_in_place_of_itself() {
    let read = understand("llama 3 8b on 8 H100, gradients kept between steps", &default_scenario());
    let steps = read.unread.iter().find(|unread| unread.sentence.contains("“steps” was not understood")).unwrap();
    assert!(!steps.near.iter().any(|name| name == "steps"), "{steps:?}");
}

#[test]
fn marks_lie_within_the_text_and_do_not_overlap() {
    for text in sentences(USERS).chain(sentences(HARD)) {
        holds(text);
    }
}

fn holds(text: &str) {
    let read = understand(text, &default_scenario());
    let mut spans: Vec<(usize, usize)> = read.marks.iter().map(|mark| (mark.from, mark.to)).collect();
    spans.extend(read.unread.iter().map(|unread| (unread.from, unread.to)));
    spans.sort_unstable();
    for (from, to) in &spans {
        assert!(from < to && text.get(*from..*to).is_some(), "{text}: {from}..{to}");
    }
    assert!(spans.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{text}: {spans:?}");
    // The link is the scenario.
    assert_eq!(decode(&read.link).scenario, read.scenario, "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        holds(&text);
    }

    #[test]
    fn any_mixture_of_words_is_read(words in proptest::collection::vec(
        prop_oneof!["[a-z0-9]{1,5}", Just("llama 3.1 8b".to_owned()), Just("8xH100".to_owned()), Just("🚀".to_owned()),
            Just("×".to_owned()), Just("tp".to_owned()), Just("16".to_owned()), Just("€5,".to_owned()), Just("ﬀ İ".to_owned()),
            Just("=".to_owned()), Just("10,000,00".to_owned()), Just("8k".to_owned()), Just("70b".to_owned())], 0..12)) {
        holds(&words.join(" "));
    }
}
