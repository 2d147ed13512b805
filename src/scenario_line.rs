//! The scenario in one sentence under the headline, which has neither length nor batch nor layout:
//! method, tokens of a sequence and of a step, layout, recomputation, precision, GPUs.

use crate::fields::step_id;
use crate::words::{correction, gpu_name, model_name, recompute};
use charts::names;
use engine::format;
use engine::model::report::Report;
use engine::model::training::ComputeFormat;
use engine::params::{ParamId, Unit, quantity};
use engine::scenario::Scenario;

/// A part of the sentence that one control sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Text between the previous word and this one.
    pub joint: &'static str,
    /// Its text.
    pub text: String,
    /// Name of the control.
    pub label: &'static str,
    /// The identifier of the control's element.
    pub control: &'static str,
}

/// Returns the accessible name of a word: its text and its control.
pub fn leads_to(label: &str, text: &str) -> String {
    format!("{text}: change {}", names::in_sentence(label))
}

/// Splits the text between two words: the part that belongs to the first word, and the rest.
pub fn split(joint: &str) -> (&str, &str) {
    let mark = joint.trim_end();
    if mark.is_empty() || mark.ends_with(char::is_alphabetic) {
        ("", joint)
    } else {
        (mark, joint.get(mark.len()..).unwrap_or(""))
    }
}

/// Returns the sentence.
pub fn scenario_line(scenario: &Scenario, report: &Report) -> String {
    words(scenario, report).into_iter().fold(String::new(), |line, word| line + word.joint + &word.text)
}

/// Returns the parts of the sentence.
pub fn words(scenario: &Scenario, report: &Report) -> Vec<Word> {
    let word = |joint, text: String, id: ParamId| {
        let param = id.param();
        Word { joint, text, label: param.label, control: step_id(id).unwrap_or(param.key) }
    };
    let chosen = |id: ParamId| names::chosen(id, scenario).to_owned();
    let mut words = vec![word("", chosen(ParamId::Method), ParamId::Method)];
    if scenario.trained.has_adapters() {
        words.push(word(" ", format!("of rank {}", scenario.trained.rank), ParamId::LoraRank));
    }
    if !scenario.objective.is_next_token() {
        words.push(word(" by ", chosen(ParamId::Objective), ParamId::Objective));
    }
    let length = quantity::with_unit(Unit::Tokens, f64::from(scenario.seq_len));
    words.push(word(" at ", length, ParamId::SequenceLength));
    let batch = format!("{} tokens per step", format::tokens(report.tokens_per_step));
    words.push(word(APART, batch, ParamId::GradAccumSteps));
    words.push(word(APART, names::strategy(scenario.strategy.place()).to_owned(), ParamId::Strategy));
    if scenario.strategy.uses_shard_size() {
        words.push(word(
            " ",
            format!("in groups of {}", format::count(f64::from(scenario.shard_size))),
            ParamId::ShardSize,
        ));
    }
    words.extend(degrees(scenario).into_iter().map(|(text, id)| word(", ", text, id)));
    words.push(word(APART, recompute(scenario.recompute).to_owned(), ParamId::Recompute));
    words.push(word(APART, chosen(ParamId::Recipe), ParamId::Recipe));
    if scenario.compute_format != ComputeFormat::AsPolicy {
        words.push(word(" with products in ", chosen(ParamId::ComputeFormat), ParamId::ComputeFormat));
    }
    if !scenario.trained.is_all() {
        words.push(word(", frozen weights in ", chosen(ParamId::BaseFormat), ParamId::BaseFormat));
    }
    words.push(word(APART, format::count(f64::from(scenario.gpus)), ParamId::Gpus));
    words.push(Word { joint: " ", text: gpu_name(scenario), label: "GPU", control: "accelerator" });
    if let Some(said) = correction(scenario) {
        words.push(word(APART, format!("corrected: {said}"), ParamId::AnchorTime));
    }
    words
}

/// Returns the sentence of the page, whose words are its controls: also with the model, which the
/// headline has, the link and the length of the run.
pub fn all_words(scenario: &Scenario, report: &Report) -> Vec<Word> {
    let model = Word { joint: "", text: model_name(&scenario.model), label: "Model", control: "model" };
    let mut all = vec![model];
    for (place, word) in words(scenario, report).into_iter().enumerate() {
        // The control has the whole name.
        let word = Word { text: word.text.replace("activation checkpointing", "checkpointing"), ..word };
        let is_batch = word.label == ParamId::GradAccumSteps.param().label;
        all.push(if place == 0 { Word { joint: APART, ..word } } else { word });
        if is_batch {
            // With texts, the number of tokens follows from the texts.
            let id = if scenario.has_texts() { ParamId::Samples } else { ParamId::TrainingTokens };
            let text = scenario.length().to_string();
            all.push(Word { joint: " for ", text, label: id.param().label, control: id.key() });
        }
    }
    if scenario.gpus > scenario.network.values.gpus_per_node {
        let link = ParamId::LinkBandwidth;
        let text = text_of(link, scenario);
        all.push(Word { joint: ", ", text, label: link.param().label, control: link.key() });
    }
    all
}

/// Writes the value of a number with its unit.
fn text_of(id: ParamId, scenario: &Scenario) -> String {
    id.param().number().map_or_else(String::new, |number| quantity::with_unit(number.unit, (number.get)(scenario)))
}

/// Separator between parts of the sentence.
pub const APART: &str = " · ";

/// Returns the degrees of parallelism, data parallelism first, the others where they exceed 1. The
/// data-parallel degree links to the number of GPUs, which sets it.
fn degrees(scenario: &Scenario) -> Vec<(String, ParamId)> {
    let mesh = scenario.degrees();
    let others = [
        ("tp", mesh.tp, ParamId::Tp),
        ("cp", mesh.cp, ParamId::Cp),
        ("pp", mesh.pp, ParamId::Pp),
        ("ep", mesh.ep, ParamId::Ep),
    ];
    let others = others.into_iter().filter(|(_, degree, _)| *degree > 1);
    let all = core::iter::once(("dp", mesh.dp, ParamId::Gpus)).chain(others);
    all.map(|(key, degree, id)| (format!("{key} {}", format::count(f64::from(degree))), id)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::format::THIN_SPACE;
    use engine::params;
    use links::decode;

    fn line(link: &str) -> String {
        let scenario = decode(link).scenario;
        scenario_line(&scenario, &scenario.report()).replace(THIN_SPACE, " ")
    }

    #[test]
    fn the_sentence_says_what_the_headline_does_not() {
        assert_eq!(
            line("seq=8k&gpus=64&recompute=full"),
            "All weights at 8,192 tokens · 524k tokens per step · FSDP FULL_SHARD, dp 64 · full activation checkpointing · \
             FSDP2 mixed bf16 · 64 A100 40 GB"
        );
        let line = line(
            "model=mixtral-8x7b&cluster=dgx-h100&gpus=64&tp=2&pp=4&ep=8&strategy=hybrid-shard&shard=4&compute=fp8&train=lora&rank=8",
        );
        for part in [
            "LoRA of rank 8 at ",
            " · FSDP HYBRID_SHARD in groups of 4, dp 8, tp 2, pp 4, ep 8 · ",
            " with products in fp8, frozen weights in bf16 · 64 H100",
        ] {
            assert!(line.contains(part), "no `{part}` in `{line}`");
        }
    }

    #[test]
    fn the_tokens_of_a_step_are_the_reports() {
        for link in ["mbs=3&accum=5", "tp=8", "objective=dpo", "texts=padded", "model=llama-3-8b&gpus=24&cp=3"] {
            let scenario = decode(link).scenario;
            let said = format::tokens(scenario.report().tokens_per_step) + " tokens per step";
            assert!(line(link).contains(&said), "{link}: {}", line(link));
        }
    }

    #[test]
    fn every_word_leads_to_a_control() {
        let scenario = decode(
            "train=lora&objective=dpo&strategy=hybrid-shard&compute=fp8&model=mixtral-8x7b&ep=2&tp=2&cp=2&pp=2&gpus=64",
        )
        .scenario;
        let words = words(&scenario, &scenario.report());
        assert!(words.len() > 12);
        for word in words {
            let of_param = params::find(word.control).is_some_and(|param| param.label == word.label);
            let of_stepper = params::every().any(|param| step_id(param.id) == Some(word.control));
            assert!(of_param || of_stepper || word.control == "accelerator", "{word:?}");
        }
    }
}
