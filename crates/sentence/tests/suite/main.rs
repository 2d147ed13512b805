//! Sentences written by users, each with its recorded interpretation.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops where its data is wrong")]

use core::fmt::Write as _;

use catalog::{SCENARIOS, default_scenario};
use engine::scenario::Scenario;
use links::{decode, encode};
use proptest::prelude::*;
use sentence::{NOTHING, Topic, Understood, understand};

const USERS: &str = include_str!("../../../../tests/sentences/users.txt");
const PEOPLE: &str = include_str!("../../../../tests/sentences/people.txt");
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
        let choices: Vec<&str> = unread.choices.iter().map(|choice| choice.label.as_str()).collect();
        writeln!(out, "  ? {} [{}]", unread.sentence, choices.join(" | ")).unwrap();
    }
    for conflict in &read.conflicts {
        writeln!(out, "  ! {conflict}").unwrap();
    }
    if let Some(asks) = &read.asks {
        let among = if asks.clusters.is_empty() { String::new() } else { format!(" on {}", asks.clusters.join(", ")) };
        writeln!(out, "  asks for {}{among}: {}", asks.words(), asks.query().unwrap_or_default()).unwrap();
    }
    if let Some(shown) = read.shown {
        writeln!(out, "  shows {}: {}", shown.query, shown.says).unwrap();
    }
    for other in &read.compared {
        writeln!(out, "  compared with {}", encode(other)).unwrap();
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

/// Returns what a sentence gives that differs from a line of `people.txt`.
fn differs(read: &Understood, line: &str) -> Option<String> {
    let (kind, wanted) = line.split_once(' ').unwrap_or((line, ""));
    let pairs: Vec<&str> = read.link.split('&').collect();
    let is_right = match kind {
        "=" => wanted.split_whitespace().all(|pair| match pair.strip_prefix('-') {
            Some(key) => !pairs.iter().any(|own| own.split_once('=').is_some_and(|(own, _)| own == key)),
            None => pairs.contains(&pair),
        }),
        "?" => read.unread.iter().any(|unread| unread.sentence.contains(wanted)),
        "plan" => read.asks.as_ref().and_then(sentence::Asks::query).as_deref() == Some(wanted),
        "view" => read.shown.map(|shown| shown.query) == Some(wanted),
        "pins" => {
            let gpus = |scenario: &Scenario| format!("{}:{}", scenario.accelerator.id, scenario.gpus);
            read.compared.iter().map(gpus).collect::<Vec<_>>().join(" ") == wanted
        }
        _ => false,
    };
    (!is_right).then(|| format!("  not {line}: {} {:?} {:?}", read.link, read.asks, read.unread))
}

/// No sentence of people gives another run unasked: what is not understood is a question.
#[test]
fn people_get_the_run_that_they_mean_or_a_question() {
    let now = default_scenario();
    let lines: Vec<&str> = sentences(PEOPLE).collect();
    let texts: Vec<usize> = (0..lines.len()).filter(|at| !lines[*at].starts_with(' ')).collect();
    assert!(texts.len() >= 60, "{}", texts.len());
    let mut wrong = Vec::new();
    for (place, at) in texts.iter().enumerate() {
        let next = texts.get(place + 1).copied().unwrap_or(lines.len());
        let (text, wanted) = (lines[*at], &lines[at + 1..next]);
        let read = understand(text, &now);
        assert!(!wanted.is_empty(), "{text}");
        let mut off: Vec<String> = wanted.iter().filter_map(|line| differs(&read, line.trim())).collect();
        let is_asked = wanted.iter().any(|line| line.trim().starts_with('?'));
        if is_asked == read.unread.is_empty() {
            off.push(format!("  asks: {:?}", read.unread));
        }
        for unread in &read.unread {
            assert!(unread.choices.len() <= 3, "{text}: {:?}", unread.choices);
        }
        if !off.is_empty() {
            wrong.push(format!("{text}\n{}", off.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), texts.len(), wrong.join("\n"));
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
    for text in ["I have $50k, biggest model on H100", "longest context for llama 3 8b in 10 days"] {
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
fn a_text_with_several_gpus_is_asked_for_one_or_compares_them() {
    for text in ["8b on 64 H100 and 8 A100", "8b on p5.48xlarge and MI300X"] {
        let several = read(text).unread.into_iter().filter(|unread| unread.sentence.contains("several GPUs"));
        let answers: Vec<_> = several.flat_map(|unread| unread.choices).map(|choice| choice.text).collect();
        assert_eq!(answers.len(), 4, "{text}: {answers:?}");
        assert!(answers.iter().all(|answer| read(answer).unread.is_empty()), "{text}: {answers:?}");
    }
    let gpus = |text: &str| {
        let read = read(text);
        assert!(read.unread.is_empty(), "{text}: {:?}", read.unread);
        let all = core::iter::once(read.scenario).chain(read.compared);
        all.map(|scenario| (scenario.accelerator.id, scenario.gpus)).collect::<Vec<_>>()
    };
    let now = default_scenario().gpus;
    let all = [("h100-sxm", now), ("mi300x", now), ("b200", now)];
    assert_eq!(gpus("compare H100 with MI300X and B200"), all);
    assert_eq!(gpus("8b: 64 h100 or 64 a100?"), [("h100-sxm", 64), ("a100-80gb", 64)]);
    assert_eq!(gpus("8b: 32 h100 vs 64 a100"), [("h100-sxm", 32), ("a100-80gb", 64)]);
    assert_eq!(gpus("h100 vs a100 for 8b, 16 GPUs"), [("h100-sxm", 16), ("a100-80gb", 16)]);
    assert_eq!(gpus("8 H100 on p5.48xlarge, llama 3.1 8b"), [("h100-sxm", 8)]);
    // Whole nodes that cost the same within some percent.
    let money = read("compare H100, MI300X, B200 for 70B at equal money");
    let cost = |scenario: &Scenario| f64::from(scenario.gpus) * scenario.run.price_per_gpu_hour;
    assert_eq!(money.compared.len(), 2);
    for other in &money.compared {
        assert!((cost(other) / cost(&money.scenario) - 1.0).abs() < 0.07, "{} {}", other.accelerator.id, other.gpus);
    }
}

/// Each memory is that of the GPU beside it: no run has the memory of another.
#[test]
fn the_memories_of_compared_gpus_are_their_own() {
    for text in ["4090 24GB vs 3090 24GB vs 5090 32GB for qlora 14b", "A100 40GB vs 80GB for 13B"] {
        let read = read(text);
        assert!(read.unread.is_empty() && !read.compared.is_empty(), "{text}: {:?}", read.unread);
        for scenario in core::iter::once(&read.scenario).chain(&read.compared) {
            let own = catalog::accelerator(scenario.accelerator.id).unwrap().values;
            assert_eq!(scenario.accelerator.values.memory, own.memory, "{text}: {}", scenario.accelerator.id);
        }
    }
}

/// Assumptions never contradict each other: no size below the GPT-style models gets
/// sequences that its family does not compute.
#[test]
fn assumptions_about_small_models_do_not_contradict_each_other() {
    for size in ["1.2B", "1B", "0.7B", "0,5B", "350M model", "124M model", "80M model", "gpt2 774M", "gpt2 1.3B"] {
        let read = read(&format!("{size} on 8 H100"));
        assert!(read.conflicts.is_empty() && read.unread.is_empty(), "{size}: {:?}", read.conflicts);
        let issues = engine::validate::issues(&read.scenario);
        let errors = issues.iter().filter(|issue| issue.severity == engine::scenario::issue::Severity::Error);
        assert_eq!(errors.count(), 0, "{size}: {issues:?}");
    }
}

#[test]
fn a_budget_is_kept_and_buys_the_largest_compute_optimal_model() {
    let read = read("I have $50k, biggest model compute-optimally on H100");
    assert!(read.unread.is_empty() && read.asks.is_none(), "{:?}", read.unread);
    let run = read.scenario.run_report();
    assert!((45_000.0..=50_000.0).contains(&run.cost.get()) && run.time.days() <= 30.0, "{:?}", run.cost);
    assert_eq!(read.scenario.accelerator.id, "h100-sxm");
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

/// Each answer but the one that leaves words out is a text that asks no more.
#[test]
fn answers_about_machines_bounds_and_laptops_are_understood() {
    for (text, gpus) in [
        ("qwen3-32b 4台H100 全参微调", vec![32, 4]),
        ("llama 3 8b lora 4090 2台", vec![16, 2]),
        ("llama 3 8b lora 一台A100", vec![8, 1]),
        ("llama 3 8b on more than 16 H100", vec![16]),
        ("llama 3 8b qlora on a laptop with RTX 4070", vec![1]),
    ] {
        let answers = read(text).unread.into_iter().flat_map(|unread| unread.choices);
        let answers = answers.filter(|choice| choice.label != "leave it out").map(|choice| read(&choice.text));
        let own: Vec<u32> = answers.map(|answer| if answer.is_open() { 0 } else { answer.scenario.gpus }).collect();
        assert_eq!(own, gpus, "{text}");
    }
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
