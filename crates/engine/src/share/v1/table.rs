//! Parameters as links of version 1 hold them: keys, options, units and bounds, frozen in this order. A parameter or an option that
//! the page calls otherwise from now on keeps its name here.

use crate::params::{Choice, Number, ParamId, Scale, Unit};
use crate::scenario::Scenario;

/// One parameter in a link.
pub(super) struct Held {
    /// Its key.
    pub(super) key: &'static str,
    /// The parameter.
    pub(super) id: ParamId,
    value: HeldValue,
}

enum HeldValue {
    /// A number in this unit, from and to; `integer` where it is whole.
    Number { unit: Unit, min: f64, max: f64, scale: Scale, integer: bool },
    /// One of these options: each as links write it, or `old=new` where the page calls it `new`.
    Choice(&'static [&'static str]),
}

/// What reading and writing a link needs of a parameter.
pub(super) enum Codec {
    /// A number, with the unit and the bounds of links.
    Number(Number),
    /// A choice, and the names of its options in links.
    Choice(Choice, &'static [&'static str]),
}

/// An option in links and on the page.
fn names(option: &'static str) -> (&'static str, &'static str) {
    option.split_once('=').unwrap_or((option, option))
}

/// The option's index on the page, by its name in links.
pub(super) fn index(choice: &Choice, options: &[&'static str], wanted: &str) -> Option<usize> {
    let (_, live) = options.iter().map(|option| names(option)).find(|(in_link, _)| *in_link == wanted)?;
    choice.options.iter().position(|option| option.key == live)
}

/// The option's name in links, by its index on the page; the page's own for one that links did not know.
pub(super) fn option_key(choice: &Choice, options: &[&'static str], index: usize) -> &'static str {
    let live = choice.options.get(index).map_or("", |option| option.key);
    let known = options.iter().map(|option| names(option)).find(|(_, page)| *page == live);
    known.map_or(live, |(in_link, _)| in_link)
}

/// The names of the options in links, in a row.
pub(super) fn listed(options: &[&'static str]) -> String {
    options.iter().map(|option| names(option).0).collect::<Vec<_>>().join(", ")
}

impl Held {
    /// The number or choice behind it; `None` where the parameter has become the other.
    pub(super) fn codec(&self) -> Option<Codec> {
        let param = self.id.param();
        match self.value {
            HeldValue::Number { unit, min, max, scale, integer } => {
                param.number().map(|number| Codec::Number(Number { unit, min, max, scale, integer, ..*number }))
            }
            HeldValue::Choice(options) => param.choice().map(|choice| Codec::Choice(*choice, options)),
        }
    }

    /// Whether the scenario holds a value of it ([`crate::params::is_held`]).
    pub(super) fn is_held(&self, scenario: &Scenario) -> bool {
        crate::params::is_held(self.id.param(), scenario)
    }
}

/// The parameter with this key in links.
pub(super) fn find(key: &str) -> Option<&'static Held> {
    TABLE.iter().find(|held| held.key == key)
}

/// A parameter as links hold it.
pub(super) fn held(id: ParamId) -> Option<&'static Held> {
    TABLE.iter().find(|held| held.id == id)
}

const fn number(key: &'static str, id: ParamId, unit: Unit, min: f64, max: f64, scale: Scale) -> Held {
    Held { key, id, value: HeldValue::Number { unit, min, max, scale, integer: false } }
}

const fn whole(key: &'static str, id: ParamId, unit: Unit, min: f64, max: f64, scale: Scale) -> Held {
    Held { key, id, value: HeldValue::Number { unit, min, max, scale, integer: true } }
}

const fn choice(key: &'static str, id: ParamId, options: &'static [&'static str]) -> Held {
    Held { key, id, value: HeldValue::Choice(options) }
}

/// Every parameter, in the order in which links are read and written.
pub(super) static TABLE: &[Held] = &[
    number("mem", ParamId::GpuMemory, Unit::Gib, 8.0, 512.0, Scale::Log),
    number("link", ParamId::LinkBandwidth, Unit::GbitPerS, 1.0, 3200.0, Scale::Log),
    whole("seq", ParamId::SequenceLength, Unit::Tokens, 128.0, 16_777_216.0, Scale::PowersOfTwo),
    number("size", ParamId::ModelSize, Unit::Params, 1.3e+09, 3.1e+11, Scale::Log),
    whole("gpus", ParamId::Gpus, Unit::None, 1.0, 131_072.0, Scale::PowersOfTwo),
    whole("mbs", ParamId::MicroBatchSize, Unit::None, 1.0, 1024.0, Scale::PowersOfTwo),
    whole("accum", ParamId::GradAccumSteps, Unit::None, 1.0, 4096.0, Scale::PowersOfTwo),
    choice("recompute", ParamId::Recompute, &["none", "attention", "selective", "full", "fraction", "modules"]),
    number("keep", ParamId::KeepFraction, Unit::Percent, 0.0, 100.0, Scale::Linear),
    choice(
        "recipe",
        ParamId::Recipe,
        &[
            "fsdp2-bf16",
            "fsdp2-bf16-reduce16",
            "zero-mixed",
            "megatron-mixed",
            "pure-bf16",
            "fp32",
            "bf16-reduce32",
            "autocast",
        ],
    ),
    choice(
        "optimizer",
        ParamId::Optimizer,
        &[
            "adamw",
            "adamw-8bit",
            "sgd",
            "sgd-momentum",
            "adafactor",
            "lion",
            "muon",
            "adamw-16bit",
            "adamw-4bit",
            "adam-mini",
            "galore",
            "galore-8bit",
        ],
    ),
    choice("offloadopt", ParamId::OffloadOptimizer, &["no", "yes"]),
    choice("offloadparams", ParamId::OffloadParameters, &["no", "yes"]),
    choice("offloadact", ParamId::OffloadActivations, &["no", "yes"]),
    choice(
        "strategy",
        ParamId::Strategy,
        &["ddp", "zero1", "zero1-group", "zero2", "shard-grad-op", "reshard", "full-shard", "hybrid-shard"],
    ),
    whole("shard", ParamId::ShardSize, Unit::None, 1.0, 131_072.0, Scale::PowersOfTwo),
    whole("tp", ParamId::Tp, Unit::None, 1.0, 256.0, Scale::PowersOfTwo),
    choice("sp", ParamId::SequenceParallel, &["no", "yes"]),
    choice("asynctp", ParamId::AsyncTp, &["no", "yes"]),
    whole("cp", ParamId::Cp, Unit::None, 1.0, 1024.0, Scale::PowersOfTwo),
    choice("lossparallel", ParamId::LossParallel, &["default", "yes", "no"]),
    choice("embedtp", ParamId::EmbeddingTp, &["no", "yes"]),
    choice("cpcomm", ParamId::ContextExchange, &["ring", "allgather", "alltoall", "mixed"]),
    whole("pp", ParamId::Pp, Unit::None, 1.0, 512.0, Scale::PowersOfTwo),
    choice(
        "schedule",
        ParamId::PipelineSchedule,
        &["gpipe", "1f1b", "interleaved", "zero-bubble", "zero-bubble-v", "dualpipe", "dualpipe-v"],
    ),
    whole("vpp", ParamId::VirtualStages, Unit::None, 1.0, 64.0, Scale::PowersOfTwo),
    whole("firstlayers", ParamId::FirstLayers, Unit::None, 0.0, 100.0, Scale::Linear),
    whole("lastlayers", ParamId::LastLayers, Unit::None, 0.0, 100.0, Scale::Linear),
    choice("sync", ParamId::GradientSync, &["default", "every", "last"]),
    choice("rootunit", ParamId::RootUnit, &["default", "freed", "kept", "kept-with-last", "head"]),
    choice("overlap", ParamId::GradientOverlap, &["no", "yes"]),
    whole("ep", ParamId::Ep, Unit::None, 1.0, 1024.0, Scale::PowersOfTwo),
    whole("etp", ParamId::Etp, Unit::None, 1.0, 256.0, Scale::PowersOfTwo),
    choice("adaptdegrees", ParamId::AdaptiveDegrees, &["no", "yes"]),
    choice("dispatcher", ParamId::TokenDispatcher, &["alltoall", "fused"]),
    choice("a2a", ParamId::AllToAllAlgorithm, &["linear", "2dh"]),
    whole("chunks", ParamId::ExpertChunks, Unit::None, 1.0, 8.0, Scale::PowersOfTwo),
    choice("adaptchunks", ParamId::AdaptiveChunks, &["no", "yes"]),
    choice("epoverlap", ParamId::ExpertOverlap, &["no", "yes"]),
    number("capacity", ParamId::CapacityFactor, Unit::None, 1.0, 64.0, Scale::Log),
    number("imbalance", ParamId::Imbalance, Unit::None, 1.0, 64.0, Scale::Log),
    choice("grouped", ParamId::GroupedExperts, &["no", "yes"]),
    choice("fusedexperts", ParamId::FusedExperts, &["no", "yes"]),
    choice(
        "framework",
        ParamId::Framework,
        &[
            "pytorch",
            "megatron",
            "megatron-legacy",
            "nanotron",
            "transformers",
            "fsdp1",
            "deepspeed",
            "megatron-fsdp",
            "maxtext",
        ],
    ),
    choice("compile", ParamId::Compile, &["no", "yes"]),
    choice("graphs", ParamId::CudaGraphs, &["none", "layers", "step"]),
    choice("attnkernel", ParamId::AttentionKernel, &["unfused", "flash-1", "flash", "flash-tuned", "flash-fp8"]),
    choice(
        "loss",
        ParamId::Loss,
        &["standard", "fused", "chunked", "kept", "fp32-logits", "bf16", "bf16-kept", "fused-linear", "tiled"],
    ),
    choice("normkernel", ParamId::NormKernel, &["fused", "upcast"]),
    choice("dropout", ParamId::Dropout, &["no", "yes"]),
    choice("compute", ParamId::ComputeFormat, &["recipe", "fp8", "fp8-gather", "fp4"]),
    whole("node", ParamId::GpusPerNode, Unit::None, 1.0, 16_384.0, Scale::PowersOfTwo),
    number("intra", ParamId::IntraNodeBandwidth, Unit::GbPerS, 1.0, 10_000.0, Scale::Log),
    number("hbm", ParamId::MemoryBandwidth, Unit::GbPerS, 50.0, 50_000.0, Scale::Log),
    number("peak", ParamId::Peak16Bit, Unit::Tflops, 1.0, 20_000.0, Scale::Log),
    number("lat", ParamId::InterNodeLatency, Unit::Us, 0.1, 1000.0, Scale::Log),
    number("eff", ParamId::InterNodeEfficiency, Unit::Percent, 1.0, 100.0, Scale::Linear),
    choice("topology", ParamId::Topology, &["aware", "flat"]),
    choice("mfu", ParamId::MfuConvention, &["full-attention", "causal-attention", "parameters-only"]),
    number("tokens", ParamId::TrainingTokens, Unit::TrainTokens, 3_000_000.0, 1e+15, Scale::Log),
    number("price", ParamId::GpuHourPrice, Unit::DollarsPerHour, 0.01, 100.0, Scale::Log),
    number("pue", ParamId::Pue, Unit::None, 1.0, 3.0, Scale::Linear),
    number("co2", ParamId::GridIntensity, Unit::GramsPerKwh, 0.0, 1500.0, Scale::Linear),
    number("storage", ParamId::StorageBandwidth, Unit::GbPerS, 0.1, 100_000.0, Scale::Log),
    number("mtbf", ParamId::Mtbf, Unit::Hours, 100.0, 10_000_000.0, Scale::Log),
    number("restart", ParamId::RestartTime, Unit::Minutes, 0.1, 1440.0, Scale::Log),
    number("ckptevery", ParamId::CheckpointInterval, Unit::Minutes, 0.0, 1440.0, Scale::Linear),
    choice("ckptsharded", ParamId::ShardedCheckpoint, &["no", "yes"]),
    choice("deferred", ParamId::DeferredInit, &["no", "yes"]),
    number("critbatch", ParamId::CriticalBatch, Unit::TrainTokens, 10_000.0, 1e+09, Scale::Log),
    number("peak8", ParamId::Peak8Bit, Unit::Tflops, 1.0, 40_000.0, Scale::Log),
    number("peak4", ParamId::Peak4Bit, Unit::Tflops, 1.0, 80_000.0, Scale::Log),
    number("peak32", ParamId::Peak32Bit, Unit::Tflops, 0.5, 20_000.0, Scale::Log),
    number("hostlink", ParamId::HostLink, Unit::GbPerS, 1.0, 2000.0, Scale::Log),
    number("power", ParamId::Power, Unit::Watt, 10.0, 10_000.0, Scale::Log),
    number("matmul", ParamId::MatmulEfficiency, Unit::Percent, 1.0, 100.0, Scale::Linear),
    number("matmul8", ParamId::Matmul8BitEfficiency, Unit::Percent, 1.0, 100.0, Scale::Linear),
    number("attn", ParamId::AttentionEfficiency, Unit::Percent, 1.0, 100.0, Scale::Linear),
    number("attntuned", ParamId::TunedAttentionEfficiency, Unit::Percent, 1.0, 100.0, Scale::Linear),
    number("elem", ParamId::MemoryEfficiency, Unit::Percent, 1.0, 100.0, Scale::Linear),
    number("half", ParamId::HalfSaturationTokens, Unit::Tokens, 0.0, 100_000.0, Scale::Linear),
    number("launch", ParamId::LaunchTime, Unit::Us, 0.0, 100_000.0, Scale::Linear),
    number("intralat", ParamId::IntraNodeLatency, Unit::Us, 0.0, 1000.0, Scale::Linear),
    number("intraeff", ParamId::IntraNodeEfficiency, Unit::Percent, 1.0, 100.0, Scale::Linear),
    number("arpasses", ParamId::AllReducePasses, Unit::None, 1.0, 4.0, Scale::Linear),
    number("nodedecay", ParamId::NodeDecay, Unit::Percent, 0.0, 100.0, Scale::Linear),
    whole("layers", ParamId::Layers, Unit::None, 1.0, 2048.0, Scale::PowersOfTwo),
    whole("hidden", ParamId::HiddenSize, Unit::None, 1.0, 262_144.0, Scale::PowersOfTwo),
    whole("heads", ParamId::AttentionHeads, Unit::None, 1.0, 4096.0, Scale::PowersOfTwo),
    whole("kv", ParamId::KvHeads, Unit::None, 1.0, 4096.0, Scale::PowersOfTwo),
    whole("headdim", ParamId::HeadDim, Unit::None, 1.0, 262_144.0, Scale::PowersOfTwo),
    whole("ffn", ParamId::MlpWidth, Unit::None, 1.0, 2_097_152.0, Scale::PowersOfTwo),
    whole("vocab", ParamId::VocabSize, Unit::None, 1.0, 16_777_216.0, Scale::PowersOfTwo),
    choice("mlp", ParamId::MlpKind, &["gated", "plain"]),
    choice("norm", ParamId::NormKind, &["rms", "layer", "layer-nobias"]),
    whole("norms", ParamId::NormsPerLayer, Unit::None, 0.0, 8.0, Scale::Linear),
    choice("qknorm", ParamId::QkNorm, &["no", "yes", "full"]),
    choice("bias", ParamId::AttentionBias, &["none", "qkv", "all"]),
    choice("mlpbias", ParamId::MlpBias, &["no", "yes"]),
    choice("tied", ParamId::TiedEmbeddings, &["no", "yes"]),
    whole("pos", ParamId::LearnedPositions, Unit::None, 0.0, 16_777_216.0, Scale::Linear),
    choice("embnorm", ParamId::EmbeddingNorm, &["no", "yes"]),
    whole("window", ParamId::SlidingWindow, Unit::None, 0.0, 16_777_216.0, Scale::Linear),
    whole("globalevery", ParamId::GlobalEvery, Unit::None, 0.0, 100.0, Scale::Linear),
    choice("chunked", ParamId::AttentionChunks, &["no", "yes"]),
    choice("sinks", ParamId::AttentionSinks, &["no", "yes"]),
    choice("headbias", ParamId::HeadBias, &["no", "yes"]),
    whole("kvrank", ParamId::KvRank, Unit::None, 0.0, 100_000.0, Scale::Linear),
    whole("qrank", ParamId::QueryRank, Unit::None, 0.0, 100_000.0, Scale::Linear),
    whole("nope", ParamId::NopeHeadDim, Unit::None, 0.0, 100_000.0, Scale::Linear),
    whole("rope", ParamId::RopeHeadDim, Unit::None, 0.0, 100_000.0, Scale::Linear),
    whole("vdim", ParamId::ValueHeadDim, Unit::None, 0.0, 100_000.0, Scale::Linear),
    whole("experts", ParamId::Experts, Unit::None, 0.0, 10_000.0, Scale::Linear),
    whole("topk", ParamId::TopK, Unit::None, 1.0, 256.0, Scale::PowersOfTwo),
    whole("effn", ParamId::ExpertWidth, Unit::None, 0.0, 2_000_000.0, Scale::Linear),
    whole("sharedffn", ParamId::SharedExpertWidth, Unit::None, 0.0, 2_000_000.0, Scale::Linear),
    choice("sharedgate", ParamId::SharedExpertGate, &["no", "yes"]),
    whole("firstdense", ParamId::FirstDenseLayers, Unit::None, 0.0, 2000.0, Scale::Linear),
    whole("moestep", ParamId::MoeStep, Unit::None, 1.0, 2048.0, Scale::PowersOfTwo),
    choice("routerbias", ParamId::RouterBias, &["no", "yes"]),
    choice("expertbias", ParamId::ExpertBias, &["no", "yes"]),
    whole("ngroup", ParamId::ExpertGroups, Unit::None, 0.0, 1000.0, Scale::Linear),
    whole("topkgroup", ParamId::TopKGroups, Unit::None, 0.0, 1000.0, Scale::Linear),
    choice("segments", ParamId::Segments, &["fixed", "expandable"]),
    choice("optkernel", ParamId::OptimizerKernel, &["foreach", "fused"]),
    choice("rcattn", ParamId::RecomputeCoreAttn, &["no", "yes"]),
    choice("rcmlp", ParamId::RecomputeMlp, &["no", "yes"]),
    choice("rcmoe", ParamId::RecomputeMoe, &["no", "yes"]),
    choice("rcmoeact", ParamId::RecomputeMoeAct, &["no", "yes"]),
    choice("rcnorm", ParamId::RecomputeLayernorm, &["no", "yes"]),
    choice("rcmla", ParamId::RecomputeMlaUpProj, &["no", "yes"]),
    choice("rcshared", ParamId::RecomputeSharedExperts, &["no", "yes"]),
    number("usable", ParamId::UsableMemory, Unit::Percent, 50.0, 100.0, Scale::Linear),
    number("hostmem", ParamId::HostMemory, Unit::Gib, 1.0, 65_536.0, Scale::Log),
    whole("hostgpus", ParamId::HostGpus, Unit::None, 0.0, 100.0, Scale::Linear),
    choice("fusedqkv", ParamId::FusedProjections, &["none", "attention", "all"]),
    choice("softcap", ParamId::LogitSoftcap, &["no", "yes"]),
    choice("train", ParamId::Method, &["all", "lora", "rslora", "dora", "layers"]),
    whole("rank", ParamId::LoraRank, Unit::None, 0.0, 4096.0, Scale::Linear),
    choice("targets", ParamId::LoraTargets, &["qv", "qkv", "attention", "mlp", "all"]),
    choice("loradrop", ParamId::LoraDropout, &["no", "yes"]),
    choice("trainemb", ParamId::TrainEmbeddings, &["no", "yes"]),
    whole("frozen", ParamId::FrozenLayers, Unit::None, 0.0, 2000.0, Scale::Linear),
    choice(
        "base",
        ParamId::BaseFormat,
        &["fp32", "bf16", "fp8", "int8", "int4", "nf4", "nf4dq", "mxfp4", "gptq", "bnb4", "bnb4d"],
    ),
    choice("texts", ParamId::Batching, &["full", "packed", "padded", "padmax", "grouped"]),
    number("meanlen", ParamId::MeanTextLength, Unit::Tokens, 1.0, 1_048_576.0, Scale::Log),
    number("samples", ParamId::Samples, Unit::None, 10.0, 1e9, Scale::Log),
    number("epochs", ParamId::Epochs, Unit::None, 0.01, 1000.0, Scale::Log),
    number("losstokens", ParamId::LossTokens, Unit::Percent, 1.0, 100.0, Scale::Linear),
    choice("objective", ParamId::Objective, &["lm", "dpo", "orpo", "kto", "reward", "ppo", "grpo"]),
    choice("ref", ParamId::Reference, &["model", "kept", "none"]),
    choice("rm", ParamId::RewardSource, &["function", "model"]),
    whole("prompt", ParamId::PromptTokens, Unit::Tokens, 1.0, 1_048_576.0, Scale::PowersOfTwo),
    whole("group", ParamId::Completions, Unit::None, 1.0, 1024.0, Scale::PowersOfTwo),
    whole("upd", ParamId::UpdatesPerRollout, Unit::None, 1.0, 1024.0, Scale::PowersOfTwo),
    whole("gentp", ParamId::EngineTp, Unit::None, 1.0, 64.0, Scale::PowersOfTwo),
    number("genmem", ParamId::EngineMemory, Unit::Percent, 1.0, 100.0, Scale::Linear),
    choice("sleep", ParamId::EngineSleeps, &["no", "yes"]),
    whole("gengpu", ParamId::EngineGpus, Unit::None, 0.0, 16_384.0, Scale::Linear),
    choice("inbwd", ParamId::UpdatePlace, &["no", "yes"]),
    whole("galrank", ParamId::GaloreRank, Unit::None, 1.0, 8192.0, Scale::PowersOfTwo),
    choice("paged", ParamId::PagedOptimizer, &["no", "yes"]),
    number("oversub", ParamId::Oversubscription, Unit::None, 1.0, 64.0, Scale::Log),
    choice("rails", ParamId::Rails, &["yes", "no"]),
    choice("pxn", ParamId::Relays, &["no", "yes"]),
    whole("torus", ParamId::TorusAxes, Unit::None, 0.0, 3.0, Scale::Linear),
    whole("cpheads", ParamId::SequenceHeads, Unit::None, 1.0, 1024.0, Scale::PowersOfTwo),
    choice("tiledmlp", ParamId::TiledMlp, &["no", "yes"]),
    number("hostbw", ParamId::HostBandwidth, Unit::GbPerS, 0.0, 20_000.0, Scale::Linear),
    choice("dispatch8", ParamId::Dispatch8Bit, &["no", "yes"]),
    number("matmul4", ParamId::Matmul4BitEfficiency, Unit::Percent, 1.0, 100.0, Scale::Linear),
    whole("expertlatent", ParamId::ExpertLatentSize, Unit::None, 0.0, 200_000.0, Scale::Linear),
    choice("attngate", ParamId::GatedAttention, &["no", "yes"]),
    choice(
        "mixer",
        ParamId::StateMixer,
        &["mamba", "mamba2", "gated-delta", "kimi-delta", "lightning", "rg-lru", "short-conv"],
    ),
    whole("stateheads", ParamId::StateHeads, Unit::None, 0.0, 50_000.0, Scale::Linear),
    whole("stateheaddim", ParamId::StateHeadDim, Unit::None, 0.0, 200_000.0, Scale::Linear),
    whole("statekeyheads", ParamId::StateKeyHeads, Unit::None, 0.0, 50_000.0, Scale::Linear),
    whole("statekeydim", ParamId::StateKeyDim, Unit::None, 0.0, 200_000.0, Scale::Linear),
    whole("convwidth", ParamId::ConvWidth, Unit::None, 0.0, 1000.0, Scale::Linear),
    whole("staterank", ParamId::StateRank, Unit::None, 0.0, 200_000.0, Scale::Linear),
    whole("statechunk", ParamId::StateChunk, Unit::None, 0.0, 50_000.0, Scale::Linear),
    choice("convbias", ParamId::ConvBias, &["no", "yes"]),
    choice("statebias", ParamId::StateBias, &["no", "yes"]),
    whole("extralayers", ParamId::ExtraInLayers, Unit::None, -1e12, 1e12, Scale::Linear),
    whole("extraoutside", ParamId::ExtraOutside, Unit::None, -1e12, 1e12, Scale::Linear),
    whole("mtp", ParamId::MultiTokenPrediction, Unit::None, 0.0, 8.0, Scale::Linear),
    whole("layers16", ParamId::LayersIn16Bits, Unit::None, 0.0, 2000.0, Scale::Linear),
    choice("nvme", ParamId::OffloadNvme, &["no", "optimizer", "all"]),
    number("nvmebw", ParamId::NvmeBandwidth, Unit::GbPerS, 0.1, 1000.0, Scale::Log),
    number("hostspeed", ParamId::HostSpeed, Unit::None, 0.1, 10.0, Scale::Log),
    number("loader", ParamId::Loader, Unit::None, 0.0, 1e6, Scale::Linear),
    choice("repeatkv", ParamId::RepeatedHeads, &["default", "yes", "no"]),
    choice("statekernel", ParamId::StateKernel, &["fused", "eager"]),
    number("anchortime", ParamId::AnchorTime, Unit::None, 0.5, 20.0, Scale::Log),
    number("anchormemory", ParamId::AnchorMemory, Unit::None, 0.5, 4.0, Scale::Log),
    whole("towerlayers", ParamId::TowerLayers, Unit::None, 0.0, 2000.0, Scale::Linear),
    whole("towerhidden", ParamId::TowerHiddenSize, Unit::None, 1.0, 262_144.0, Scale::PowersOfTwo),
    whole("towerheads", ParamId::TowerHeads, Unit::None, 1.0, 4096.0, Scale::PowersOfTwo),
    whole("towerffn", ParamId::TowerMlpWidth, Unit::None, 1.0, 2_097_152.0, Scale::PowersOfTwo),
    choice("towermlp", ParamId::TowerMlpKind, &["plain", "gated"]),
    whole("patch", ParamId::PatchSize, Unit::None, 1.0, 1024.0, Scale::PowersOfTwo),
    whole("imagesize", ParamId::ImageSize, Unit::None, 1.0, 65_536.0, Scale::PowersOfTwo),
    whole("merge", ParamId::PatchesMerged, Unit::None, 1.0, 64.0, Scale::PowersOfTwo),
    whole("positions", ParamId::TowerPositions, Unit::None, 0.0, 1_000_000.0, Scale::Linear),
    whole("imagetokens", ParamId::ImageTokens, Unit::None, 0.0, 1_000_000.0, Scale::Linear),
    choice("imagesin", ParamId::ImageTokensIn, &["sequence", "crossattention"]),
    whole("towerwindow", ParamId::TowerWindow, Unit::None, 0.0, 1000.0, Scale::Linear),
    whole("towerglobal", ParamId::TowerGlobalEvery, Unit::None, 0.0, 100.0, Scale::Linear),
    whole("towerparams", ParamId::TowerParams, Unit::None, 0.0, 1e12, Scale::Linear),
    whole("projparams", ParamId::ProjectorParams, Unit::None, 0.0, 1e12, Scale::Linear),
    whole("images", ParamId::Images, Unit::None, 0.0, 1000.0, Scale::Linear),
    whole("imageres", ParamId::ImageResolution, Unit::None, 0.0, 16_384.0, Scale::Linear),
    choice("tower", ParamId::TrainTower, &["frozen", "passed", "trained"]),
    choice("projector", ParamId::TrainProjector, &["frozen", "trained"]),
    choice("wgrad16", ParamId::GradientsIn16Bits, &["no", "yes"]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::every;

    /// Parameters that links of this version leave out.
    const LEFT_OUT: [ParamId; 0] = [];

    #[test]
    fn links_hold_every_parameter_once() {
        for param in every().filter(|param| !LEFT_OUT.contains(&param.id)) {
            assert_eq!(TABLE.iter().filter(|held| held.id == param.id).count(), 1, "{}", param.key);
        }
        for (place, held) in TABLE.iter().enumerate() {
            assert_eq!(TABLE.iter().position(|other| other.key == held.key), Some(place), "{}", held.key);
        }
    }

    #[test]
    fn links_hold_every_option_and_no_other() {
        for held in TABLE {
            let Some(Codec::Choice(choice, options)) = held.codec() else { continue };
            for (place, option) in choice.options.iter().enumerate() {
                let key = option_key(&choice, options, place);
                assert_eq!(index(&choice, options, key), Some(place), "{}: {}", held.key, option.key);
            }
            for option in options {
                assert!(index(&choice, options, names(option).0).is_some(), "{}: {option} means nothing", held.key);
            }
        }
    }

    #[test]
    fn links_hold_what_the_page_can_set() {
        for held in TABLE {
            let param = held.id.param();
            match held.codec() {
                Some(Codec::Number(number)) => {
                    let live = param.number().unwrap();
                    assert_eq!((number.unit, number.integer), (live.unit, live.integer), "{}", held.key);
                    assert_eq!((number.min, number.max), (live.min, live.max), "{}", held.key);
                    // It says what `k` means.
                    let doubles = |scale| scale == Scale::PowersOfTwo;
                    assert_eq!(doubles(number.scale), doubles(live.scale), "{}", held.key);
                }
                Some(Codec::Choice(..)) => {}
                None => panic!("{} is another kind of parameter", held.key),
            }
        }
    }

    #[test]
    fn a_renamed_option_keeps_its_name_in_links() {
        let choice = ParamId::Recompute.param().choice().unwrap();
        let options: &[&str] = &["keep-all=none", "full"];
        assert_eq!((index(choice, options, "keep-all"), index(choice, options, "none")), (Some(0), None));
        assert_eq!((option_key(choice, options, 0), option_key(choice, options, 3)), ("keep-all", "full"));
    }
}
