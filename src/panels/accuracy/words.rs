//! Differences of a published run from the scenario, in words.

use charts::names;
use engine::format;
use engine::params::{ParamId, Unit};
use engine::scenario::Scenario;

/// Heading of the panel.
pub const TITLE: &str = "Runs like yours";
/// Headings of the columns.
pub const HEADER: [&str; 5] = ["Published run", "Measured", "Predicted", "Error", "How it differs"];
/// Text for a run without any of the compared differences.
const SAME: &str = "in nothing that decides its speed";
/// Note under the table.
pub const NOTE: &str = "The published runs that differ least in what decides speed: GPU, framework, model, GPUs, sequence, layout, recomputation, \
     precision. A doubling of the model or another recomputation mode counts one step, a doubling of GPUs, sequence or a degree half a step, other \
     silicon three. Choose one to load it as the scenario. An asterisk marks runs to which constants were fitted.";

/// Addresses of publishers that are no paper, by the beginning of their names.
const PUBLISHERS: [(&str, &str); 17] = [
    ("ALST", "https://github.com/snowflakedb/ArcticTraining"),
    ("BigScience", "https://github.com/bigscience-workshop/bigscience"),
    ("DLPerf", "https://github.com/Oneflow-Inc/DLPerf"),
    ("HF ultrascale", "https://huggingface.co/spaces/nanotron/ultrascale-playbook"),
    ("InternLM", "https://github.com/InternLM/InternLM"),
    ("MaxText GPU", "https://github.com/AI-Hypercomputer/gpu-recipes"),
    ("Megatron-Bridge", "https://github.com/NVIDIA-NeMo/Megatron-Bridge"),
    ("NVIDIA Megatron-Bridge", "https://github.com/NVIDIA-NeMo/Megatron-Bridge"),
    ("Megatron-LM CI", "https://github.com/NVIDIA/Megatron-LM"),
    ("Modalities", "https://github.com/Modalities/modalities"),
    ("NVIDIA NeMo AutoModel", "https://github.com/NVIDIA-NeMo/Automodel"),
    ("NVIDIA NeMo", "https://github.com/NVIDIA/NeMo"),
    ("atorch", "https://github.com/intelligent-machine-learning/atorch"),
    ("llm-foundry", "https://github.com/mosaicml/llm-foundry"),
    ("mosaicml/examples", "https://github.com/mosaicml/examples"),
    ("torchtitan", "https://github.com/pytorch/torchtitan"),
    ("Levanter", "https://github.com/stanford-crfm/levanter"),
];

/// Returns the address of a publisher; `None` for a source that names its paper, or is not known.
pub fn published_at(source: &str) -> Option<&'static str> {
    PUBLISHERS.iter().find(|(name, _)| source.starts_with(name)).map(|(_, address)| *address)
}

/// Returns the differences of a run from the scenario:
/// `8× the GPUs, full recomputation, tp 2 instead of 1`.
pub fn differs(own: &Scenario, other: &Scenario) -> String {
    let mut said = Vec::new();
    if own.accelerator.id != other.accelerator.id {
        said.push(catalog::accelerator(other.accelerator.id).map_or("a custom GPU", |entry| entry.name).to_owned());
    }
    let [one, two] = [own, other].map(|scenario| scenario.model.architecture().params() as f64);
    if let Some(times) = times(one, two) {
        said.push(format!("a model {times} as large"));
    }
    if let Some(times) = times(f64::from(own.gpus), f64::from(other.gpus)) {
        said.push(format!("{times} the GPUs"));
    }
    if own.seq_len != other.seq_len {
        said.push(format!("sequences of {}", format::value(Unit::Tokens, f64::from(other.seq_len))));
    }
    if own.strategy != other.strategy {
        said.push(names::strategy(other.strategy.place()).to_owned());
    }
    let (ours, theirs) = (own.degrees(), other.degrees());
    let degrees = [
        ("tp", ours.tp, theirs.tp),
        ("cp", ours.cp, theirs.cp),
        ("pp", ours.pp, theirs.pp),
        ("ep", ours.ep, theirs.ep),
    ];
    let changed = degrees.into_iter().filter(|(_, ours, theirs)| ours != theirs);
    said.extend(changed.map(|(key, ours, theirs)| format!("{key} {theirs} instead of {ours}")));
    if own.micro_batch_size != other.micro_batch_size {
        said.push(format!("micro-batches of {} instead of {}", other.micro_batch_size, own.micro_batch_size));
    }
    if own.recompute != other.recompute {
        said.push(format!("recomputation: {}", names::in_sentence(names::recompute(other))));
    }
    for (id, name) in
        [(ParamId::ComputeFormat, "products"), (ParamId::Recipe, "precision"), (ParamId::Framework, "framework")]
    {
        if names::chosen(id, own) != names::chosen(id, other) {
            said.push(format!("{name}: {}", names::chosen(id, other)));
        }
    }
    if said.is_empty() { SAME.to_owned() } else { said.join(", ") }
}

/// Returns the ratio of two numbers, as `8×` or `1/2`; `None` if they are within a hundredth of
/// each other.
fn times(one: f64, other: f64) -> Option<String> {
    let ratio = other / one;
    if !(ratio.is_finite() && ratio > 0.0) || (ratio - 1.0).abs() < 0.01 {
        return None;
    }
    let digits = |value: f64| {
        let rounded = (10.0 * value).round() / 10.0;
        format!("{rounded}")
    };
    Some(if ratio > 1.0 { digits(ratio) + "×" } else { format!("1/{}", digits(1.0 / ratio)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use links::decode;

    #[test]
    fn publishers_are_where_they_published() {
        assert_eq!(
            published_at("NVIDIA NeMo AutoModel performance summary"),
            Some("https://github.com/NVIDIA-NeMo/Automodel")
        );
        assert_eq!(published_at("torchtitan PR"), Some("https://github.com/pytorch/torchtitan"));
        assert_eq!(published_at("arXiv 2104.04473 (Narayanan et al., SC'21)"), None);
    }

    #[test]
    fn differences_are_said_in_words() {
        let own = decode("v=1&cluster=dgx-h100&model=llama-3.1-8b&gpus=64").scenario;
        let said = |link: &str| differs(&own, &decode(&format!("v=1&{link}")).scenario);
        assert_eq!(differs(&own, &own), "in nothing that decides its speed");
        let other = said("cluster=dgx-h100&model=llama-3.1-8b&gpus=512&recompute=full&tp=2");
        assert!(other.starts_with("8× the GPUs, tp 2 instead of 1, recomputation: "), "{other}");
        let smaller = said("cluster=dgx-a100-80&model=llama-3.1-8b&gpus=32&seq=8k");
        assert!(
            smaller.starts_with("A100 SXM 80 GB, 1/2 the GPUs, sequences of 8,192") || smaller.contains("1/2 the GPUs"),
            "{smaller}"
        );
    }
}
