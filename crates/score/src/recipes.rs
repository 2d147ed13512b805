//! What the recipes of NVIDIA's performance tables set and the tables do not print, release by release, and the lines in which
//! a table contradicts itself and its recipe.
//!
//! The tables of Megatron-Bridge are measured with the recipes of its own repository (`scripts/performance`, since 26.08
//! `src/megatron/bridge/perf_recipes`): container 25.09 with v0.1.0rc3, 25.11 with v0.2.0, 26.02 with v0.3.0, 26.02.01 with v0.3.1,
//! 26.04 with v0.4.0, 26.06 with v0.5.0, 26.06.01 with v0.5.1, 26.08 with v0.6.0 (`docs/releases/software-versions.md`). Those of
//! AutoModel link theirs (`examples/llm_benchmark`); those of `NeMo` 24.07 are its launcher's (github NVIDIA/NeMo-Framework-Launcher
//! 24.07, `launcher_scripts/conf` and `examples`).

pub mod nemotron;
pub mod recomputed;

use std::borrow::Cow;

use super::Notes;
use super::release;
use super::row::Row;
use super::text::{has, starts};
use engine::model::training::{PrecisionPolicy, Recompute, RecomputeModules};
use recomputed::Recomputed;

/// Modules that recipes recompute.
const UP: RecomputeModules = RecomputeModules { mla_up_proj: true, ..RecomputeModules::NONE };
const UP_MLP: RecomputeModules = RecomputeModules { mlp: true, ..UP };
const UP_MLP_ACT: RecomputeModules = RecomputeModules { moe_act: true, ..UP_MLP };
const MLP: RecomputeModules = RecomputeModules { mlp: true, ..RecomputeModules::NONE };
const ACT: RecomputeModules = RecomputeModules { moe_act: true, ..RecomputeModules::NONE };
const NORM_ACT: RecomputeModules = RecomputeModules { layernorm: true, ..ACT };
/// What a recipe has that names none: Megatron-Core's default for `selective`, or no recomputation at all, which are the same where
/// attention is fused.
const NONE: RecomputeModules = RecomputeModules::USUAL;

/// One line: releases from the first to before the second, the start of the model's name, of the GPUs' and of the precision's (all
/// where there is none), and the modules that are recomputed. The first line that fits holds.
type Line = ((f64, f64), &'static str, &'static [&'static str], &'static [&'static str], RecomputeModules);

const EIGHT_BIT: &[&str] = &["mxfp8", "fp8"];
const NARROW: &[&str] = &["mxfp8", "fp8", "nvfp4"];
const ALL: &[&str] = &[];

/// Nemotron 3 Super without the activation of experts and norms.
const ACT_NORM: RecomputeModules = RecomputeModules { layernorm: true, ..ACT };

const LINES: [Line; 21] = [
    // v0.4.0 to v0.5.1 nemotron_3_workload_base_configs.py, v0.6.0 perf_recipes/nemotronh: B300 in bf16 and NVFP4, B200 but in NVFP4.
    ((26.04, 99.0), "nemotron_3_super", &["b300"], &["mxfp8"], NONE),
    ((26.04, 99.0), "nemotron_3_super", &["b300"], ALL, ACT_NORM),
    ((26.04, 99.0), "nemotron_3_super", &["b200"], &["nvfp4"], NONE),
    ((26.04, 99.0), "nemotron_3_super", &["b200"], ALL, ACT_NORM),
    ((26.04, 99.0), "nemotron_3_ultra", ALL, ALL, ACT),
    ((26.02, 99.0), "nemotron_3", ALL, ALL, NONE),
    // v0.1.0rc3 run_script.py, `recompute_modules`; B200 keeps `selective` without modules.
    ((25.09, 25.11), "deepseekv3", &["gb200"], ALL, UP_MLP_ACT),
    ((25.09, 25.11), "deepseekv3", &["b200"], ALL, NONE),
    // v0.1.0rc3 run_script.py; v0.2.0 to v0.5.1 deepseek workload_base_configs.py, H100.
    ((25.09, 26.08), "deepseekv3", &["h100"], ALL, UP_MLP),
    // v0.2.0 deepseek workload_base_configs.py, GB300; v0.3.0 to v0.5.1 GB300_BF16.
    ((25.11, 26.02), "deepseekv3", &["gb300"], ALL, ACT),
    ((26.02, 26.08), "deepseekv3", &["gb300"], &["bf16"], ACT),
    // v0.5.0 deepseek_workload_base_configs.py, GB300_FP8_MX: `recompute_modules=[]`; v0.6.0 perf_recipes/deepseek/gb300.
    ((26.06, 99.0), "deepseekv3", &["gb300"], &["mxfp8"], NONE),
    // v0.4.0 deepseek_workload_base_configs.py, GB200_FP8_CS, _FP8_MX and _NVFP4.
    ((26.04, 26.06), "deepseekv3", &["gb200"], NARROW, MLP),
    // v0.2.0 to v0.5.1 deepseek workload_base_configs.py, all else.
    ((25.11, 99.0), "deepseekv3", ALL, ALL, UP),
    // v0.3.1 to v0.5.1 kimi_workload_base_configs.py, H100, and all else.
    ((26.02, 99.0), "kimi", &["h100"], ALL, UP_MLP),
    ((26.02, 99.0), "kimi", ALL, ALL, UP),
    // v0.5.0 gpt_oss_workload_base_configs.py, FP8_MX: `recompute_modules=[]`, or none.
    ((26.06, 99.0), "gpt oss", &["gb200", "gb300", "b300"], &["mxfp8"], NONE),
    // v0.2.0 to v0.5.1 gpt_oss_workload_base_configs.py, GB300 and B300 without; all else.
    ((25.11, 99.0), "gpt oss", &["gb300", "b300"], ALL, NONE),
    ((25.11, 99.0), "gpt oss", ALL, ALL, NORM_ACT),
    // v0.1.0rc3 qwen3 yaml files and v0.2.0 to v0.5.1 qwen3_llm_pretrain.py: `recompute_granularity = None`.
    ((25.09, 99.0), "qwen3", ALL, ALL, NONE),
    // llama3 and llama31 workload_base_configs.py: none but what `LAYERS` has.
    ((25.09, 99.0), "llama", ALL, ALL, NONE),
];

/// Layers that are recomputed as a whole in Llama 3 8B's recipe for H100 in 8 bits without FSDP, of its 32
/// (`recompute_num_layers=5`, v0.2.0 to v0.5.1 llama3 workload_base_configs.py).
const LAYERS: (f64, f64) = (5.0, 32.0);

/// Returns what the recipe of a row's line in Megatron-Bridge's or AutoModel's tables recomputes.
pub fn recomputed(row: &Row, notes: &mut Notes) -> Option<Recomputed> {
    if checkpoints(row) {
        notes.add("full recomputation as in AutoModel's published recipe (examples/llm_benchmark)");
        return Some(Recomputed::all(Recompute::Full));
    }
    let release = release(row)?;
    let layers = starts(&row.model, &["llama3_8b"])
        && starts(&row.gpu, &["h100"])
        && starts(&row.precision, EIGHT_BIT)
        && !is_fsdp(row)
        && release > 25.10;
    let again = if layers {
        let (again, of) = LAYERS;
        Recomputed { keep_fraction: 1.0 - again / of, ..Recomputed::all(Recompute::Fraction) }
    } else {
        let fits = |((from, before), model, gpus, precisions, _): &&Line| {
            (*from - 0.005..*before - 0.005).contains(&release)
                && starts(&row.model, &[model])
                && (gpus.is_empty() || starts(&row.gpu, gpus))
                && (precisions.is_empty() || starts(&row.precision, precisions))
        };
        let (_, _, _, _, modules) = LINES.iter().find(fits)?;
        if *modules == NONE { Recomputed::all(Recompute::AttentionCore) } else { Recomputed::by(*modules) }
    };
    notes.add("recomputation as in the release's published recipe (Megatron-Bridge, scripts/performance)");
    Some(again)
}

/// Returns the release of a line of Megatron-Bridge's tables.
fn release(row: &Row) -> Option<f64> {
    if has(&row.source, &["megatron-bridge"]) { release::of(row) } else { None }
}

/// Whether the parameters are sharded.
fn is_fsdp(row: &Row) -> bool {
    has(&row.sharding, &["fsdp"]) && !has(&row.sharding, &["fsdp=0", "no fsdp column"])
}

/// Whether a row is of AutoModel's pre-training table.
pub fn is_automodel(row: &Row) -> bool {
    has(&row.source, &["automodel"])
}

/// Models that AutoModel's recipes for pre-training checkpoint (`activation_checkpointing: true` in examples/llm_benchmark, github
/// NVIDIA-NeMo/Automodel 36044ad3: `deepseek_v3_te_deepep.yaml`, `qwen3_moe_30b_te_deepep.yaml` and their likes); those of gpt-oss,
/// Moonlight and GLM-4.5 Air do not.
const CHECKPOINTED: [&str; 10] = [
    "deepseek v3",
    "kimi k2",
    "llama3 70b",
    "nemotron v3",
    "qwen3 moe",
    "glm 4.7",
    "glm 5",
    "minimax",
    "mistral small 4",
    "deepseek v4",
];

/// Whether AutoModel's recipe of a row checkpoints its layers. That of GLM 4.7 Flash does not.
fn checkpoints(row: &Row) -> bool {
    is_automodel(row) && starts(&row.model, &CHECKPOINTED) && !has(&row.model, &["flash"])
}

/// Whether AutoModel's recipe of a row keeps the weights beside the experts gathered (`moe: reshard_after_forward: false`, its default,
/// in all of examples/llm_benchmark for mixtures but those of GLM 4.7 and Nemotron 3 Super and Ultra).
pub fn keeps_gathered(row: &Row) -> bool {
    let mixtures = [
        "qwen3 moe",
        "gpt oss",
        "glm 4.5",
        "glm 4.7 flash",
        "glm 5",
        "minimax",
        "mistral small 4",
        "moonlight",
        "nemotron v3 nano",
    ];
    is_automodel(row) && starts(&row.model, &mixtures)
}

/// Whether AutoModel's recipe of a row compiles the model (`enable_compile: True` in Llama 3 70B's).
pub fn compiles(row: &Row) -> bool {
    is_automodel(row) && starts(&row.model, &["llama3 70b"])
}

/// The formats of AutoModel's states: its recipes load models in bf16 and keep no copy; gradients are reduced in fp32 (`FSDP2Config`,
/// nemo_automodel/components/distributed/config.py; with pipelines after the last micro-batch, `defer_fsdp_grad_sync`).
pub const AUTOMODEL_STATES: PrecisionPolicy = PrecisionPolicy::PureBf16Reduce32;

/// Whether a row is a fully fine-tuned Llama 2 of `NeMo` 24.07's summary, on H100.
fn is_fine_tuned(row: &Row) -> bool {
    is_of_launcher(row) && starts(&row.model, &["llama2"]) && starts(&row.notes, &["sft"])
}

/// Whether a row is of `NeMo` 24.07's summary, whose recipes are its launcher's.
fn is_of_launcher(row: &Row) -> bool {
    starts(&row.source, &["nvidia nemo performance summary"])
        && starts(&row.gpu, &["h100"])
        && release::said(row).is_none_or(|release| release < 24.10)
}

/// Whether the recipe of a row of `NeMo` 24.07 keeps weights and both moments in bf16 (`optim: dtype: bf16` under apex's distributed
/// Adam, in conf/training/nemotron/nemotron_340b.yaml and conf/peft/llama/sft.yaml): it then stores no second copy of the weights
/// (`store_params`, nemo/collections/nlp/models/language_modeling/megatron_base_model.py).
pub fn in_bf16(row: &Row, notes: &mut Notes) -> bool {
    let set = is_fine_tuned(row) || is_of_launcher(row) && starts(&row.model, &["nemotron-340b"]);
    if set {
        notes.add("optimizer state in bf16 as in the launcher's recipe of NeMo 24.07");
    }
    set
}

/// Model chunks of Llama 2's fine-tuning, which the table does not print: `virtual_pipeline_model_parallel_size` in
/// examples/peft/llama/h100/70b_2node.sh and 13b_1node.sh.
const CHUNKS: [(&str, u32); 2] = [("llama2-70b", 20), ("llama2-13b", 10)];

fn chunks(row: &Row) -> Option<u32> {
    let is_blank = is_fine_tuned(row) && row.vpp.is_none() && row.pp.is_some_and(|stages| stages > 1);
    CHUNKS.iter().find(|(model, _)| is_blank && starts(&row.model, &[model])).map(|(_, chunks)| *chunks)
}

/// A line of a table that contradicts itself: release, model, GPU, precision, printed stages, and what its recipe has: stages, chunks,
/// sequences a micro-batch.
type Erratum = (f64, &'static str, &'static str, &'static str, u32, [u32; 3]);

const ERRATA: [Erratum; 4] = [
    // MBS 2 is printed beside a global batch of 128, 8 replicas and GA 16, which leave one sequence; so has the recipe (v0.1.0rc3
    // llama3_70b_llm_pretrain.yaml, gb200 fp8_mx; v0.2.0 LLAMA3_70B_GB200_FP8_MX): 2 is that of the line's other recipe.
    (25.09, "llama3_70b", "gb200", "fp8", 4, [4, 5, 1]),
    (25.11, "llama3_70b", "gb200", "fp8", 4, [4, 5, 1]),
    // MBS 4 and GA 2 are those of GB200's line: with 16 replicas they make 128 of the 512 sequences. The recipe has one sequence
    // (v0.2.0 GPT_OSS_120B_H100_BF16).
    (25.11, "gpt oss", "h100", "bf16", 4, [4, 1, 1]),
    // One stage of 70.6e9 parameters without FSDP holds 282 GB of weights and gradients alone. The recipe has four stages (v0.3.1
    // LLAMA3_70B_PRETRAIN_CONFIG_GB300_NVFP4_V2): the line repeats FP8's.
    (26.02, "llama3_70b", "gb300", "nvfp4", 1, [4, 5, 1]),
];

/// Returns the row as it ran: as printed, with chunks that the table does not print, or, where its line contradicts itself, as its
/// release's recipe has it.
pub fn as_run<'a>(row: &'a Row, notes: &mut Notes) -> Cow<'a, Row> {
    if let Some(chunks) = chunks(row) {
        notes.add("model chunks as in the launcher's recipe of NeMo 24.07");
        return Cow::Owned(Row { vpp: Some(chunks), ..row.clone() });
    }
    let Some(release) = release(row) else { return Cow::Borrowed(row) };
    let is_of = |(container, model, gpu, precision, stages, [_, _, micro]): &&Erratum| {
        // A patch release has its container's number.
        (release - container).abs() < 0.005
            && starts(&row.model, &[model])
            && starts(&row.gpu, &[gpu])
            && starts(&row.precision, &[precision])
            && row.pp == Some(*stages)
            && row.micro_batch.is_some_and(|printed| printed > *micro)
            && !is_fsdp(row)
    };
    let Some((_, _, _, _, _, [stages, chunks, micro])) = ERRATA.iter().find(is_of) else { return Cow::Borrowed(row) };
    notes.add("the table's line contradicts itself: pipeline and micro-batch from its release's recipe");
    let degrees = [row.tp, Some(*stages), row.cp];
    let model_parallel: u32 = degrees.iter().flatten().product();
    let data_parallel = row.num_gpus.and_then(|gpus| gpus.checked_div(model_parallel));
    let sequences = data_parallel.zip(row.global_batch).and_then(|(dp, global)| global.checked_div(dp));
    Cow::Owned(Row {
        pp: Some(*stages),
        vpp: Some(*chunks),
        dp: data_parallel,
        micro_batch: Some(*micro),
        grad_accum: sequences.and_then(|sequences| sequences.checked_div(*micro)),
        ..row.clone()
    })
}
