//! Named scenarios: links that each show one thing.

mod claims;
mod mixtures;
mod plans;
pub mod published;

use super::ScenarioEntry;
use super::accelerators::{A100_40GB, prices};
use super::clusters::A100_40GB_200G;
use super::interconnects::{IB_200, NVLINK_3};
use super::lists::{count, joined};
use crate::model::anchor::Anchor;
use crate::model::experts::ExpertParallel;
use crate::model::hardware::Topology;
use crate::model::images::Images;
use crate::model::objective::Objective;
use crate::model::parallel::{ContextExchange, Pipeline, TensorParallel};
use crate::model::run::RunChoices;
use crate::model::software::{Communication, Framework, Kernels, Offload, Segments};
use crate::model::trained::Trained;
use crate::model::training::{
    ComputeFormat, MfuConvention, Optimizer, OptimizerKernel, PrecisionPolicy, Recompute, RecomputeModules, UpdatePlace,
};
use crate::scenario::data::{TextList, UNSAID};
use crate::scenario::{ExpertChoice, Model, Scenario, Strategy};
use crate::units::{BytesPerSecond, Seconds};

/// Returns the scenario of the first visit: 13B of the ladder on 64 A100 40 GB, where memory,
/// network and compute are all near their limits.
pub fn first_visit() -> Scenario {
    Scenario {
        model: Model::Ladder { size: 13e9 },
        accelerator: A100_40GB.pick(),
        network: A100_40GB_200G.joined_by(&NVLINK_3, &IB_200),
        gpus: 64,
        seq_len: 4096,
        micro_batch_size: 1,
        grad_accum_steps: 1,
        texts: TextList::USUAL,
        strategy: Strategy::FullShard,
        tp: 1,
        tensor: TensorParallel::USUAL,
        cp: 1,
        context: ContextExchange::Ring,
        sequence_heads: 8,
        pp: 1,
        pipeline: Pipeline::USUAL,
        ep: 1,
        etp: 1,
        experts: ExpertParallel::USUAL,
        expert_choice: ExpertChoice::NONE,
        shard_size: A100_40GB_200G.gpus_per_node,
        trained: Trained::ALL,
        objective: Objective::NEXT_TOKEN,
        recompute: Recompute::None,
        keep_fraction: 0.5,
        recompute_modules: RecomputeModules::USUAL,
        recipe: PrecisionPolicy::Fsdp2MixedBf16,
        compute_format: ComputeFormat::AsPolicy,
        optimizer: Optimizer::AdamW,
        optimizer_kernel: OptimizerKernel::Fused,
        update_place: UpdatePlace::AfterBackward,
        galore_rank: 128,
        layers_in_16_bits: 0,
        gradients_in_16_bits: false,
        mtp: 0,
        images: Images::ONE,
        communication: Communication::USUAL,
        offload: Offload::NONE,
        framework: Framework::Torchtitan,
        release: None,
        kernels: Kernels::USUAL,
        segments: Segments::Fixed,
        topology: Topology::Aware,
        mfu_convention: MfuConvention::FullAttention,
        anchor: Anchor::NONE,
        run: RunChoices { price_per_gpu_hour: prices::usd_per_hour(A100_40GB.id), ..RUN },
    }
}

/// The run of the first visit, but for the price, which is its GPU's. Tokens are LLaMA 13B's (arXiv 2302.13971), PUE and grid are LLaMA's (Table 15), and failures are
/// Llama 3's: 419 in 54 days on 16,384 GPUs. The critical batch is a little above the 16.8M tokens
/// of Llama 3's steps (arXiv 2407.21783). Storage and restart time are those of a mid-sized
/// cluster.
const RUN: RunChoices = RunChoices {
    tokens: UNSAID,
    price_per_gpu_hour: prices::UNLISTED,
    pue: 1.1,
    grid_intensity: 385.0,
    storage: BytesPerSecond::from_gb_per_s(10.0),
    mtbf: Seconds::from_hours(50_700.0),
    restart: Seconds::from_minutes(10.0),
    checkpoint_interval: Seconds::ZERO,
    sharded_checkpoint: true,
    deferred_init: true,
    critical_batch_tokens: 20e6,
};

/// The study behind the bounds of the model's section 8.
const BOUNDS: &str = "FSDP bounds after Wang et al. 2025 (arXiv 2504.03655)";
/// The paper on FSDP itself.
const FSDP: &str = "PyTorch FSDP (arXiv 2304.11277), sections 5.2 and 5.4";
/// The paper on tensor, pipeline and data parallelism together.
const PTD_P: &str = "Efficient Large-Scale Language Model Training (arXiv 2104.04473), sections 3 and 5";
/// Measurements of full against hybrid sharding.
const MODALITIES: &str = "Modalities' scaling experiments, docs/scaling_experiments/scaling_leonardo.md";
/// The state of mixed-precision Adam and of 16-bit Adam.
const ZERO: &str = "ZeRO (arXiv 1910.02054), section 3";

const fn entry(
    id: &'static str,
    name: &'static str,
    notice: &'static str,
    link: &'static str,
    source: &'static str,
) -> ScenarioEntry {
    ScenarioEntry { id, name, notice, link, view: "", source }
}

/// Returns the entry with a view that shows it best.
const fn seen(view: &'static str, entry: ScenarioEntry) -> ScenarioEntry {
    ScenarioEntry { view, ..entry }
}

const FIRST_VISIT: ScenarioEntry = entry(
    "first-visit",
    "13B on 64 A100",
    "Memory, network and compute are all close: every slider changes what limits the run.",
    "v=1&cluster=a100-40gb-200g&size=13B&gpus=64&seq=4096&mbs=1&strategy=full-shard&recompute=none",
    BOUNDS,
);

/// The lists, in display order.
const LISTS: [&[ScenarioEntry]; 4] = [DENSE, mixtures::LIST, plans::LIST, claims::LIST];

/// Starting points for planning a run.
pub const PLANS: &[ScenarioEntry] = plans::LIST;

/// Claims of papers, with the compared scenario pinned.
pub const CLAIMS: &[ScenarioEntry] = claims::LIST;

/// Every named scenario. Each link is complete, independent of the starting point.
pub const SCENARIOS: &[ScenarioEntry] = &ALL;

static ALL: [ScenarioEntry; count(&LISTS)] = joined(&LISTS, FIRST_VISIT);

/// Dense models.
const DENSE: &[ScenarioEntry] = &[
    FIRST_VISIT,
    entry(
        "bandwidth-7b-100g",
        "7B at 100 Gbit/s",
        "Communication takes longer than the forward pass. The same run at 200 Gbit/s reaches 8 points of MFU more.",
        "v=1&cluster=a100-40gb-100g&size=7B&gpus=64&seq=3328&mbs=1&strategy=full-shard&recompute=full",
        BOUNDS,
    ),
    entry(
        "bandwidth-7b-200g",
        "7B at 200 Gbit/s",
        "Compute now hides nearly all transfers: eight times the bandwidth adds less than three points of MFU.",
        "v=1&cluster=a100-40gb-200g&size=7B&gpus=64&seq=3328&mbs=1&strategy=full-shard&recompute=full",
        BOUNDS,
    ),
    entry(
        "bandwidth-13b-100g",
        "13B at 100 Gbit/s",
        "The same run at 200 Gbit/s reaches 10 points of MFU more: a little more than 7B gains.",
        "v=1&cluster=a100-40gb-100g&size=13B&gpus=64&seq=3328&mbs=1&strategy=full-shard&recompute=full",
        BOUNDS,
    ),
    entry(
        "bandwidth-13b-200g",
        "13B at 200 Gbit/s",
        "Shorten the sequence: with fewer tokens for each GPU the same transfers come out from under the compute.",
        "v=1&cluster=a100-40gb-200g&size=13B&gpus=64&seq=3328&mbs=1&strategy=full-shard&recompute=full",
        BOUNDS,
    ),
    entry(
        "bandwidth-65b-100g",
        "65B at 100 Gbit/s",
        "The larger the model, the more bandwidth matters: the same run at 200 Gbit/s reaches 13 points of MFU more.",
        "v=1&cluster=a100-40gb-100g&size=65B&gpus=64&seq=3328&mbs=1&strategy=full-shard&recompute=full",
        BOUNDS,
    ),
    entry(
        "bandwidth-65b-200g",
        "65B at 200 Gbit/s",
        "Compute still hides the transfers of the largest of the three; half of the bandwidth would cost 13 points of MFU.",
        "v=1&cluster=a100-40gb-200g&size=65B&gpus=64&seq=3328&mbs=1&strategy=full-shard&recompute=full",
        BOUNDS,
    ),
    entry(
        "memory-for-bandwidth",
        "Memory instead of bandwidth",
        "Twice the memory holds twice the tokens, which hide the same transfers: 80 GB at 100 Gbit/s reach the MFU of \
         the first visit's 40 GB at 200 Gbit/s.",
        "v=1&cluster=a100-40gb-100g&mem=80&size=13B&gpus=64&seq=4096&mbs=2&strategy=full-shard&recompute=none",
        BOUNDS,
    ),
    entry(
        "gpt-175b-3d",
        "175B in three dimensions",
        "Tensor parallelism inside the nodes, 12 stages, 32 replicas: with only 48 micro-batches a fifth of the step is the \
         pipeline's bubble. Halve the GPUs and it halves; interleave the stages and it shrinks.",
        "v=1&cluster=selene&model=gpt-3-175b&gpus=3072&seq=2048&mbs=1&accum=48&recompute=full&recipe=zero-mixed\
         &strategy=zero1&tp=8&sp=no&pp=12&framework=megatron-legacy&attnkernel=unfused",
        PTD_P,
    ),
    entry(
        "ddp-largest",
        "The largest model under DDP",
        "Raise the model size: with all of the state on every GPU memory ends below 4B, however many GPUs there are.",
        "v=1&cluster=dgx-a100-80&size=3.5B&gpus=8&seq=2048&mbs=1&strategy=ddp&recompute=full&recipe=fsdp2-bf16",
        FSDP,
    ),
    entry(
        "fsdp-largest",
        "Five times as large under FSDP",
        "FULL_SHARD holds five times the model on the same eight GPUs, with memory to spare; add GPUs and it grows on.",
        "v=1&cluster=dgx-a100-80&size=17.5B&gpus=8&seq=2048&mbs=1&strategy=full-shard&recompute=full",
        FSDP,
    ),
    entry(
        "ddp-small",
        "1.3B under DDP",
        "A model that fits either way: under FULL_SHARD the step takes as long, for half of the memory.",
        "v=1&cluster=dgx-a100-80&size=1.3B&gpus=8&seq=2048&mbs=4&strategy=ddp&recompute=none&recipe=fsdp2-bf16",
        FSDP,
    ),
    entry(
        "full-shard-7b",
        "7B sharded over 128 GPUs",
        "Weights cross a slow network twice in each step. Measured: 38 % MFU, against 50 % under HYBRID_SHARD.",
        "v=1&cluster=leonardo-booster&size=7B&gpus=128&seq=4096&strategy=full-shard&recompute=none\
         &recipe=fsdp2-bf16-reduce16",
        MODALITIES,
    ),
    entry(
        "hybrid-shard-7b",
        "7B sharded inside each node",
        "Weights stay inside the node and only gradients cross the network: faster than FULL_SHARD, for more memory.",
        "v=1&cluster=leonardo-booster&size=7B&gpus=128&seq=4096&strategy=hybrid-shard&shard=4&recompute=none\
         &recipe=fsdp2-bf16-reduce16",
        MODALITIES,
    ),
    entry(
        "pure-bf16-7b",
        "7B in pure bf16 on one GPU",
        "Weights, gradients and Adam's moments take 2, 2 and 4 bytes a parameter: about 14, 14 and 28 GB (13, 13 and 25 GiB).",
        "v=1&cluster=dgx-a100-80&model=llama-2-7b&gpus=1&seq=2048&strategy=ddp&recompute=full&recipe=pure-bf16",
        ZERO,
    ),
    entry(
        "pure-bf16-7b-sharded",
        "7B in pure bf16 on eight GPUs",
        "FULL_SHARD over eight GPUs leaves each an eighth of those states; activations are what remains.",
        "v=1&cluster=dgx-a100-80&model=llama-2-7b&gpus=8&seq=2048&strategy=full-shard&recompute=full\
         &recipe=pure-bf16",
        ZERO,
    ),
    entry(
        "zero3-175b",
        "175B under ZeRO-3",
        "16 bytes a parameter over 512 GPUs are 5.5 GB each: the states of 175B take less than 1B would alone.",
        "v=1&cluster=a100-40gb-200g&size=175B&gpus=512&seq=2048&strategy=full-shard&recompute=full\
         &recipe=zero-mixed",
        ZERO,
    ),
];
