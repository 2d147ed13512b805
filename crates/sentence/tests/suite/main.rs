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

fn read(text: &str) -> Understood {
    understand(text, &default_scenario())
}

/// Samples and epochs are those of the runs that tune adapters; tokens that the text states stay.
#[test]
fn fine_tuning_means_texts_and_epochs() {
    let lora = read("llama 3.1 8b lora on 8 H100").scenario.train_tokens();
    assert_eq!(lora, 10_000.0 * 3.0 * 4096.0);
    let words =
        ["fine-tune", "finetune", "full finetune", "full fine-tuning", "fft", "sft", "instruction tuning", "dpo"];
    for word in words {
        let tokens = |rest: &str| read(&format!("{word} llama 3.1 8b on 8 H100{rest}")).scenario.train_tokens();
        assert_eq!(tokens(""), lora, "{word}");
        assert_eq!(tokens(", 10k samples"), lora, "{word}");
        assert_eq!(tokens(", 10k samples, 1 epoch"), lora / 3.0, "{word}");
        assert_eq!(tokens(", 2B tokens"), 2e9, "{word}");
    }
    assert_eq!(read("pretrain llama 3.1 8b on 8 H100").scenario.train_tokens(), 1e12);
    // Every prompt has as many completions as its group.
    let grpo = read("grpo llama 3.1 8b on 8 H100, 1,000 samples, 1 epoch, 16 completions per prompt");
    assert_eq!(grpo.scenario.train_tokens(), 16.0 * 1000.0 * 4096.0);
}

/// Hoffmann et al. 2022 (arXiv 2203.15556), Table 3: 205.1B tokens for 10B parameters and 1.5T for
/// 67B.
#[test]
fn compute_optimal_tokens_are_those_of_the_paper() {
    for (size, tokens) in [("10B", 205.1e9), ("67B", 1.5e12)] {
        let own = read(&format!("{size} compute-optimal on 64 H100")).scenario.train_tokens();
        assert!((own / tokens - 1.0).abs() < 0.13, "{size}: {own}");
    }
}

#[test]
fn a_question_with_a_gpu_is_asked_of_all_its_clusters() {
    for (text, gpu) in [
        ("how many H100s to train a 70b on 15T tokens in 60 days", "h100-sxm"),
        ("cheapest on MI300X: 8B, 2T tokens", "mi300x"),
        ("fewest B200 for llama 3.1 70b", "b200"),
    ] {
        let asks = read(text).asks.unwrap();
        let own: Vec<_> =
            catalog::CLUSTERS.iter().filter(|entry| entry.accelerator == gpu).map(|entry| entry.id).collect();
        assert!(own.len() > 1 && asks.clusters == own, "{text}: {:?}", asks.clusters);
    }
    assert_eq!(read("fewest GPUs for llama 3.1 8b on p5.48xlarge").asks.unwrap().clusters, ["p5"]);
    assert!(read("fewest GPUs for llama 3.1 8b").asks.unwrap().clusters.is_empty());
}

#[test]
fn a_question_that_no_plan_answers_is_named_and_not_replaced() {
    for text in ["I have $50k, biggest model compute-optimally on H100", "longest context for llama 3 8b in 10 days"] {
        let read = read(text);
        assert!(read.asks.is_none(), "{text}");
        assert!(read.unread.iter().any(|unread| unread.sentence.contains(" is not answered: ")), "{text}");
    }
}

#[test]
fn a_price_is_no_budget_and_host_memory_is_not_that_of_the_gpu() {
    for price in ["at $3.99 per hour", "$3.99/h", "3.99 $/GPU-hour", "$ 3.99 per gpu hour", "3.99 dollars per hour"] {
        let read = read(&format!("7B on 64 TPU v5p {price}"));
        assert!(read.asks.is_none() && read.scenario.run.price_per_gpu_hour == 3.99, "{price}: {:?}", read.unread);
    }
    let read = read("zero-3 offload 30B on 4x A6000 with 500GB ram");
    let gib = |memory: engine::units::Bytes| memory.gib();
    assert_eq!(gib(read.scenario.accelerator.values.memory), 48.0);
    assert_eq!(gib(read.scenario.network.values.host.memory), 500.0);
}

#[test]
fn megatron_shards_as_its_recipes_do_and_says_so() {
    let own = read("megatron tp 8 pp 4 70b 256 h100 micro batch 1 global batch 1024");
    let said = read("megatron zero-1 tp 8 pp 4 70b 256 h100 micro batch 1 global batch 1024");
    assert_eq!(own.scenario, said.scenario);
    assert!(own.assumed.iter().any(|assumed| assumed.key == "strategy" && assumed.value == "ZeRO-1"));
    assert!(said.assumed.iter().all(|assumed| assumed.key != "strategy"));
}

/// NVIDIA-NeMo/RL, examples/configs/grpo_math_1B.yaml: 32 prompts of 16 completions a step.
#[test]
fn reinforcement_learning_has_the_batch_of_a_recipe() {
    let sequences = |text: &str| {
        let scenario = read(text).scenario;
        scenario.degrees().dp * scenario.micro_batch_size * scenario.grad_accum_steps
    };
    assert_eq!(sequences("GRPO 7B on 8 H100"), 32 * 16);
    assert_eq!(sequences("GRPO 7B on 8 H100, batch size 128"), 128);
    assert_eq!(sequences("GRPO 7B on 8 H100, micro batch 4, grad accum 8"), 256);
}

#[test]
fn a_size_selects_the_member_of_a_family_or_scales_one() {
    let id = |text: &str| match read(text).scenario.model {
        engine::scenario::Model::Preset { id, .. } | engine::scenario::Model::Scaled { id, .. } => id,
        _ => "",
    };
    for text in ["pretrain 1.5B gpt2 on 8 A100", "gpt2 1.5b on 8 A100", "gpt2 xl"] {
        assert_eq!(id(text), "gpt-2-xl", "{text}");
    }
    assert_eq!(id("gpt2 on 8 A100"), "gpt-2");
    let half = read("0.5B on one 4090");
    assert!(half.conflicts.is_empty() && half.scenario.model.size() == 5e8, "{:?}", half.conflicts);
}

#[test]
fn a_text_with_several_gpus_is_asked_for_one() {
    for text in ["compare H100 with MI300X for 70B", "8b: 64 h100 or 64 a100?", "8b on p5.48xlarge or MI300X"] {
        let several = read(text).unread.into_iter().filter(|unread| unread.sentence.contains("several GPUs"));
        assert_eq!(several.count(), 2, "{text}");
    }
    assert!(read("8 H100 on p5.48xlarge, llama 3.1 8b").unread.is_empty());
}

/// The memory of a GPU that is not known is not given to another GPU.
#[test]
fn a_gpu_that_is_not_known_is_asked_for() {
    for text in ["3b model, 3050 6GB, lora", "phi-4 sft on my laptop 4060 8GB", "8b lora on a 7GB card"] {
        let read = read(text);
        assert!(read.unread.iter().any(|unread| text[unread.from..unread.to].contains("GB")), "{text}");
        let own = default_scenario().accelerator.values;
        assert!(read.scenario.accelerator.values.memory.gib() > own.memory.gib(), "{text}");
    }
    assert!(read("llama 3.1 8b lora on a 24 GB card").unread.is_empty());
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
