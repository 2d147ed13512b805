//! Scenarios of the check: those of the catalog, every option and some values of every parameter on
//! some bases, and random ones.

#[expect(clippy::indexing_slicing, reason = "the generator of the tests")]
#[path = "../../../engine/tests/suite/any.rs"]
mod any;

use catalog::SCENARIOS;
use engine::params::{Group, PARAMS, Param, ParamKind};
use engine::scenario::issue::Severity;
use engine::scenario::{Model, Scenario};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;

/// Base scenarios in which each parameter is varied: FSDP alone; tensor, context and pipeline
/// parallelism; a mixture of experts; ZeRO.
const BASES: [(&str, &str); 6] = [
    ("dense", "model=llama-3-8b&gpus=64&accum=4"),
    (
        "3d",
        "model=llama-3-70b&gpus=128&tp=4&cp=2&pp=4&accum=16&compile=yes&recompute=full&strategy=hybrid-shard&shard=2",
    ),
    ("experts", "cluster=dgx-h100&model=mixtral-8x7b&gpus=64&ep=8&accum=2&seq=4096"),
    ("zero", "model=pythia-6.9b&gpus=32&strategy=zero1&accum=8&seq=2048&recipe=zero-mixed&tp=2"),
    ("adapters", "cluster=dgx-h100&model=llama-3.1-8b&gpus=8&accum=8&train=lora&targets=attention&recompute=full"),
    ("layers", "cluster=dgx-h100&model=qwen-2.5-7b&gpus=16&accum=2&train=layers&frozen=14&strategy=ddp"),
];
/// Meshes and shapes that changing one parameter at a time does not reach.
const MORE: [(&str, &str); 23] = [
    ("one GPU", "model=llama-3.2-1b&gpus=1"),
    (
        "deepseek-v3",
        "cluster=dgx-h100&model=deepseek-v3&gpus=2048&pp=16&ep=64&accum=64&seq=4096&compute=fp8&dispatcher=fused",
    ),
    (
        "modules",
        "cluster=dgx-h100&model=deepseek-v3&gpus=256&ep=32&accum=2&seq=4096&recompute=modules&rcmlp=yes&rcmoeact=yes&rcnorm=yes&rcmla=yes&rcshared=yes",
    ),
    (
        "llama 405B",
        "cluster=dgx-h100&model=llama-3.1-405b&gpus=1024&tp=8&pp=16&cp=2&accum=32&seq=8192&schedule=interleaved&vpp=4",
    ),
    ("qwen 3", "model=qwen-3-8b&gpus=32&strategy=shard-grad-op&recompute=selective"),
    ("qwen 3 experts", "cluster=dgx-h100&model=qwen-3-30b-a3b&gpus=64&ep=8&etp=1&recompute=full&grouped=no"),
    ("gpt-oss", "cluster=dgx-h100&model=gpt-oss-120b&gpus=64&ep=8&tp=2&pp=2&accum=8&etp=2"),
    ("V100", "gpu=v100-32gb&model=gpt-2-xl&gpus=16&strategy=zero2&recipe=zero-mixed&seq=1024"),
    ("ZB-V", "model=llama-3-8b&gpus=32&pp=4&schedule=zero-bubble-v&accum=16&tp=2"),
    ("interleaved", "model=llama-3-8b&gpus=32&pp=4&schedule=interleaved&vpp=2&accum=16&strategy=ddp"),
    ("uneven", "model=llama-3-8b&gpus=32&pp=4&accum=16&firstlayers=7&lastlayers=7&strategy=zero1"),
    ("ring", "model=llama-3-8b&gpus=32&cp=8&seq=65536&strategy=full-shard"),
    ("ddp and tp", "model=llama-3-8b&gpus=32&tp=8&strategy=ddp&asynctp=yes&compile=yes"),
    (
        "capacity",
        "cluster=dgx-h100&model=mixtral-8x7b&gpus=64&ep=8&tp=2&capacity=1.25&recompute=none&strategy=zero1&recipe=megatron-mixed",
    ),
    ("groups", "cluster=dgx-h100&model=llama-3-70b&gpus=256&tp=4&strategy=zero1-group&shard=8&recipe=megatron-mixed"),
    (
        "QLoRA on one GPU",
        "model=llama-3-8b&gpus=1&train=lora&base=nf4dq&optimizer=adamw8&recompute=full&loss=fused-linear",
    ),
    (
        "QLoRA sharded",
        "cluster=dgx-h100&model=llama-3-70b&gpus=8&train=lora&base=nf4&recompute=full&frozen=10&trainemb=yes",
    ),
    ("tied", "model=llama-3.2-1b&gpus=2&train=lora&targets=all&trainemb=yes&strategy=ddp"),
    ("DoRA of experts", "cluster=dgx-h100&model=mixtral-8x7b&gpus=8&train=dora"),
    ("LoRA of experts", "cluster=dgx-h100&model=mixtral-8x7b&gpus=8&train=rslora&loradrop=yes"),
    ("LoRA of latent attention", "cluster=dgx-h100&model=deepseek-v2-lite&gpus=8&train=lora&targets=qkv"),
    ("LoRA of GPT-2", "model=gpt-2-xl&gpus=8&seq=1024&train=lora&targets=qv"),
    ("LoRA in 3d", "cluster=dgx-h100&model=llama-3-70b&gpus=64&tp=4&pp=4&accum=16&train=lora"),
];
/// Number of random scenarios.
const RANDOM: usize = 100;
/// Groups of parameters that do not concern the software.
const APART: [Group; 3] = [Group::Hardware, Group::Network, Group::Accounting];

/// Returns all scenarios, with names.
pub(crate) fn scenarios() -> Vec<(String, Scenario)> {
    let decoded = |link: &str| links::decode::decode(link).scenario;
    let mut all: Vec<(String, Scenario)> =
        SCENARIOS.iter().map(|entry| (entry.id.to_owned(), decoded(entry.link))).collect();
    all.extend(MORE.iter().map(|(name, link)| ((*name).to_owned(), decoded(link))));
    for (name, link) in BASES {
        let base = decoded(link);
        all.push((name.to_owned(), base));
        for param in PARAMS.iter().filter(|param| !APART.contains(&param.group)) {
            all.extend(moved(&base, param).into_iter().map(|(value, scenario)| (format!("{name}, {value}"), scenario)));
        }
    }
    all.retain(|(_, scenario)| is_valid(scenario));
    all.extend(random());
    all
}

/// Returns the base with each other option of a parameter, or with some other numbers.
fn moved(base: &Scenario, param: &Param) -> Vec<(String, Scenario)> {
    match param.kind {
        ParamKind::Choice(choice) => {
            let others = (0..choice.options.len()).filter(|index| *index != (choice.get)(base));
            let of = |index: usize| {
                let mut scenario = *base;
                (choice.set)(&mut scenario, index);
                (format!("{}={}", param.key, choice.options.get(index).map_or("", |option| option.key)), scenario)
            };
            others.map(of).collect()
        }
        ParamKind::Number(number) => {
            let now = (number.get)(base);
            let values = [2.0 * now, (0.5 * now).max(number.min), number.min];
            let of = |value: f64| {
                let mut scenario = *base;
                (number.set)(&mut scenario, value);
                (format!("{}={value}", param.key), scenario)
            };
            values.into_iter().filter(|value| *value != now && *value <= number.max).map(of).collect()
        }
    }
}

/// Whether the scenario is valid and has no more GPUs than a check can list.
fn is_valid(scenario: &Scenario) -> bool {
    let all_hold = engine::validate::issues(scenario)
        .iter()
        .chain(&scenario.issues())
        .all(|issue| issue.severity == Severity::Note);
    let (setup, mesh) = (scenario.setup(), scenario.setup().mesh);
    // Shapes of the ladder represent a size only, and their heads may not divide.
    all_hold && scenario.gpus <= 4096 && setup.architecture.num_attention_heads.is_multiple_of(mesh.tp)
}

/// Returns models of the catalog under random choices, with a fixed seed.
fn random() -> Vec<(String, Scenario)> {
    let (mut runner, strategy) = (TestRunner::deterministic(), any::any_scenario());
    let mut all = Vec::new();
    while all.len() < RANDOM {
        let Ok(tree) = strategy.new_tree(&mut runner) else { continue };
        let mut scenario = tree.current();
        // A random mesh rarely divides, so the nearest divisors are taken.
        scenario.gpus = scenario.gpus.clamp(1, 512).next_power_of_two();
        let mesh = scenario.setup().mesh;
        (scenario.tp, scenario.cp, scenario.pp, scenario.ep, scenario.etp) =
            (mesh.tp, mesh.cp, mesh.pp, mesh.ep, mesh.etp);
        if is_valid(&scenario) && matches!(scenario.model, Model::Preset { .. }) {
            all.push((format!("random {}", all.len() + 1), scenario));
        }
    }
    all
}
