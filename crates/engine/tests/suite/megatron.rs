//! Memory of Megatron-Core against what Megatron-LM's continuous integration logs (its
//! `golden_values` on H100, commit d98e8a64).

use engine::model::choices::Choices;
use engine::model::memory::workspaces;
use engine::model::software::{AttentionKernel, Framework, Kernels};
use engine::model::states::{shard_degrees, states};
use engine::model::training::{PrecisionPolicy, Recompute};
use engine::model::transformer::Architecture;
use engine::scenario::{Model, Scenario, Strategy};
use links::decode;

const MIB: f64 = 1_048_576.0;

/// GPT of 64 million parameters, 12 layers of width 512 and GPT-2's vocabulary padded to 50,304, on
/// 8 GPUs, each with 4 sequences of 1,024 tokens: `gpt3_mcore_te_tp1_pp1`.
fn small(strategy: Strategy, attention: AttentionKernel, recompute: Recompute) -> Scenario {
    let style = catalog::model("gpt-3-175b").unwrap().architecture;
    let architecture = Architecture {
        num_hidden_layers: 12,
        hidden_size: 512,
        num_attention_heads: 8,
        num_key_value_heads: 8,
        head_dim: 64,
        intermediate_size: 2048,
        vocab_size: 50_304,
        learned_positions: 1024,
        ..style
    };
    Scenario {
        model: Model::Custom { architecture },
        gpus: 8,
        seq_len: 1024,
        micro_batch_size: 4,
        grad_accum_steps: 1,
        strategy,
        choices: Choices {
            recompute,
            recipe: PrecisionPolicy::MegatronMixed,
            framework: Framework::Megatron,
            kernels: Kernels { attention, dropout: true, ..Kernels::USUAL },
            ..Choices::DEFAULT
        },
        ..decode("cluster=dgx-h100").scenario
    }
}

#[test]
fn between_steps_states_and_workspaces_are_allocated() {
    // gpt3_mcore_te_tp1_pp1_resume_torch_dist_dist_optimizer: 581,489,664 bytes.
    let scenario = small(Strategy::Zero1, AttentionKernel::FlashTuned, Recompute::None);
    let setup = scenario.setup();
    let params = scenario.model.architecture().params();
    assert_eq!(params, 64_109_568);
    let states = states(params as f64, setup.recipe, shard_degrees(&setup)).total();
    let allocated = (states + workspaces(&setup)).get();
    assert!((allocated - 581_489_664.0).abs() < 0.01 * MIB, "{allocated}");
}

#[test]
fn peaks_are_those_logged() {
    for (strategy, attention, recompute, logged) in [
        (Strategy::Zero1, AttentionKernel::FlashTuned, Recompute::None, 2567.1),
        (Strategy::Zero1, AttentionKernel::Unfused, Recompute::None, 4484.6),
        (Strategy::Ddp, AttentionKernel::FlashTuned, Recompute::Full, 2442.7),
    ] {
        let allocated = small(strategy, attention, recompute).report().memory.allocated.get() / MIB;
        assert!((allocated / logged - 1.0).abs() < 0.01, "{allocated} against {logged}");
    }
}
