//! Named scenarios: links that each show one effect. Rows of `data/examples.toml`.

use super::ScenarioEntry;
use super::accelerators::{A100_40GB, prices};
use super::clusters::A100_40GB_200G;
use super::interconnects::{IB_200, NVLINK_3};
use engine::model::anchor::Anchor;
use engine::model::choices::Choices;
use engine::model::hardware::Topology;
use engine::model::run::RunChoices;
use engine::scenario::data::{TextList, UNSAID};
use engine::scenario::{ExpertChoice, Model, Scenario, Strategy};
use engine::units::{BytesPerSecond, Seconds};

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
        cp: 1,
        pp: 1,
        ep: 1,
        etp: 1,
        expert_choice: ExpertChoice::NONE,
        shard_size: A100_40GB_200G.gpus_per_node,
        release: None,
        topology: Topology::Aware,
        anchor: Anchor::NONE,
        choices: Choices::DEFAULT,
        run: RunChoices { price_per_gpu_hour: prices::usd_per_hour(A100_40GB.id), ..RUN },
    }
}

/// The run of the first visit, except for the price, which is its GPU's. Tokens are LLaMA 13B's
/// (arXiv 2302.13971), PUE and grid are LLaMA's (Table 15), and failures are Llama 3's: 419 in 54
/// days on 16,384 GPUs. The critical batch is a little above the 16.8M tokens of Llama 3's steps
/// (arXiv 2407.21783). Storage and restart time are those of a mid-sized cluster.
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

/// Starting points for planning a run.
pub const PLANS: &[ScenarioEntry] = SCENARIOS.split_at(FIRST_CLAIM).0.split_at(FIRST_PLAN).1;

/// Claims of papers, with the scenario to compare with pinned.
pub const CLAIMS: &[ScenarioEntry] = SCENARIOS.split_at(FIRST_CLAIM).1;

/// Every named scenario.
pub const SCENARIOS: &[ScenarioEntry] = &ALL;

include!(concat!(env!("OUT_DIR"), "/scenarios.rs"));
