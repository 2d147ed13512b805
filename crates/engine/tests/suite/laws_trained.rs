//! Laws of what is trained, on which texts, and to which end, over random scenarios.

use crate::any::any_scenario;
use crate::laws::{any_valid_scenario, as_asked, laws};
use catalog::MODELS;
use engine::model::choices::Choices;
use engine::model::flops::model_flops_per_token;
use engine::model::lengths::Batching;
use engine::model::objective::{LeavesGpu, Objective, Reference, RewardSource, RolloutEngine, Task};
use engine::model::report::MemoryPart;
use engine::model::setup::Setup;
use engine::model::software::AttentionKernel;
use engine::model::stages::stages;
use engine::model::states::gpu_states;
use engine::model::trained::{BaseFormat, Method, Trained};
use engine::model::training::PrecisionPolicy;
use engine::scenario::data::TextList;
use engine::scenario::{ExpertChoice, Scenario};
use engine::units::{Bytes, Seconds};
use proptest::prelude::*;

proptest! {
    #![proptest_config(laws())]

    #[test]
    fn rank_zero_is_a_frozen_model(scenario in any_valid_scenario()) {
        let with = |method, rank, frozen_layers| {
            let mut setup = scenario.setup();
            setup.trained = Trained { method, rank, frozen_layers, dropout: false, embeddings: false, ..scenario.trained };
            setup
        };
        let (none, frozen) = (stages(&with(Method::Lora, 0, 0)), stages(&with(Method::Layers, 0, u32::MAX)));
        for (none, frozen) in none.iter().zip(frozen.iter()) {
            prop_assert_eq!(none.params.held, frozen.params.held);
            prop_assert_eq!(none.params.trained.all(), 0.0);
            prop_assert_eq!(frozen.params.trained.all(), 0.0);
        }
    }

    #[test]
    fn a_quantized_base_holds_no_more_than_adapters_on_16_bits(scenario in any_valid_scenario(), place in 0_usize..6) {
        use BaseFormat::{Fp8, Int4, Int8, Mxfp4, Nf4, Nf4Double};
        let narrow = [Fp8, Int8, Int4, Nf4, Nf4Double, Mxfp4][place];
        let with = |base| {
            let mut setup = scenario.setup();
            setup.trained = Trained { method: Method::Lora, base, ..scenario.trained };
            stages(&setup).iter().map(|stage| gpu_states(&setup, &stage.params).total().get()).sum::<f64>()
        };
        prop_assert!(with(narrow) <= with(BaseFormat::Bf16), "{} {}", with(narrow), with(BaseFormat::Bf16));
    }

    #[test]
    fn what_does_not_train_costs_nothing_of_training(scenario in any_valid_scenario(), layers in 0_u32..100) {
        let with = |trained| {
            let setup = scenario.setup();
            Setup { choices: Choices { trained, ..setup.choices }, ..setup }
        };
        let layers = Trained { method: Method::Layers, frozen_layers: layers, base: BaseFormat::Bf16, ..scenario.trained };
        for (some, all) in stages(&with(layers)).iter().zip(stages(&with(Trained::ALL)).iter()) {
            let [some, all] = [(layers, some), (Trained::ALL, all)].map(|(trained, stage)| gpu_states(&with(trained), &stage.params));
            prop_assert!(some.gradients <= all.gradients && some.optimizer <= all.optimizer, "{some:?} {all:?}");
        }
        let flops = |trained| model_flops_per_token(&with(trained)).get();
        prop_assert!(flops(layers) <= flops(Trained::ALL) * (1.0 + 1e-12));
    }

    #[test]
    fn packed_texts_are_never_slower_than_padded_ones(scenario in any_valid_scenario(), mean in 1.0..5000.0_f64) {
        // Kernels that write scores attend across the texts of a sequence.
        prop_assume!(scenario.setup().kernels.attention != AttentionKernel::Unfused);
        // The fastest degrees follow the lengths, and memory follows the degrees.
        let scenario = Scenario { expert_choice: ExpertChoice::NONE, ..scenario };
        let with = |batching| {
            let texts = TextList { batching, mean_length: mean, ..scenario.texts };
            Scenario { texts, ..scenario }.report()
        };
        let packed = with(Batching::Packed);
        for batching in [Batching::Padded, Batching::PaddedToLongest, Batching::Grouped] {
            let other = with(batching);
            prop_assert!(other.update.tokens_per_s_per_gpu <= packed.update.tokens_per_s_per_gpu * (1.0 + 1e-2), "{batching:?} {other:?} {packed:?}");
            // The longest batch is the same; what the allocator keeps of shorter ones it gives
            // back.
            prop_assert_eq!(other.memory.allocated, packed.memory.allocated);
            prop_assert_eq!(other.memory.needed, packed.memory.needed);
            prop_assert!(other.memory.peak >= packed.memory.peak);
        }
        prop_assert_eq!(with(Batching::Full).memory, packed.memory);
    }
}

/// The scenario under another objective, with its settings.
fn under(scenario: &Scenario, change: impl FnOnce(&mut Objective)) -> Scenario {
    let mut changed = as_asked(scenario);
    change(&mut changed.objective);
    changed
}

proptest! {
    #![proptest_config(laws())]

    #[test]
    fn the_next_token_needs_nothing_of_other_objectives(scenario in any_scenario(), other in any_scenario()) {
        let plain = under(&scenario, |objective| *objective = Objective::NEXT_TOKEN);
        // What a rollout would be changes nothing, to the bit.
        let with = under(&scenario, |objective| *objective = Objective { task: Task::NextToken, ..other.objective });
        prop_assert_eq!(plain.report(), with.report());
        let report = plain.report();
        prop_assert!(report.rollout.is_none());
        prop_assert_eq!(report.memory.parts.get(MemoryPart::Models), Bytes::ZERO);
        prop_assert_eq!(report.memory.parts.get(MemoryPart::Engine), Bytes::ZERO);
    }

    #[test]
    fn precomputed_log_probabilities_never_cost_more(scenario in any_valid_scenario(), is_kto in any::<bool>()) {
        let task = if is_kto { Task::Kto } else { Task::Dpo };
        let of = |reference| under(&scenario, |objective| (objective.task, objective.reference) = (task, reference)).report();
        let (every_step, precomputed) = (of(Reference::Model), of(Reference::Precomputed));
        // What an allocator leaves unused may be larger by some blocks.
        prop_assert!(precomputed.memory.needed <= every_step.memory.needed * 1.0001);
        prop_assert!(precomputed.update.time.step < every_step.update.time.step);
    }

    #[test]
    fn adapters_need_no_copy_of_the_reference(scenario in any_valid_scenario(), task in 0_usize..3) {
        let task = [Task::Dpo, Task::Kto, Task::Grpo][task];
        let mut scenario = under(&scenario, |objective| (objective.task, objective.reference) = (task, Reference::Model));
        scenario.trained.method = Method::Lora;
        let plain = Scenario { choices: Choices { objective: Objective { reward: RewardSource::Function, ..scenario.objective }, ..scenario.choices },
..scenario };
        prop_assert_eq!(plain.report().memory.parts.get(MemoryPart::Models), Bytes::ZERO);
    }

    #[test]
    fn an_engine_that_sleeps_never_takes_from_training(scenario in any_valid_scenario(), share in 0.01..1.0) {
        let of = |sleeps| {
            let engine = RolloutEngine { tp: 1, memory_share: share, sleeps, shares_weights: false, leaves: LeavesGpu::Nothing, gpus: 0, staleness: 0 };
            under(&scenario, |objective| (objective.task, objective.engine) = (Task::Grpo, engine)).report()
        };
        let (sleeping, awake) = (of(true), of(false));
        prop_assert!(sleeping.memory.needed <= awake.memory.needed);
        // What an engine keeps of the GPU, paged optimizer state has no room for.
        let is_alike = if scenario.offload.paged { sleeping.update.time.step <= awake.update.time.step } else { sleeping.update.time.step == awake.update.time.step };
        prop_assert!(is_alike);
    }

    #[test]
    fn a_larger_cache_never_generates_slower(scenario in any_valid_scenario(), share in 0.05..0.9, more in 0.0..0.1) {
        let decode = |memory_share| {
            let engine = RolloutEngine { tp: 1, memory_share, sleeps: true, shares_weights: false, leaves: LeavesGpu::Nothing, gpus: 0, staleness: 0 };
            let grpo = under(&scenario, |objective| (objective.task, objective.engine) = (Task::Grpo, engine));
            grpo.report().rollout.map(|rollout| rollout.decode)
        };
        let (less, larger) = (decode(share), decode(share + more));
        prop_assert!(larger.zip(less).is_some_and(|(larger, less)| larger <= less * (1.0 + 1e-12)), "{larger:?} {less:?}");
    }

    #[test]
    fn state_that_leaves_the_gpu_never_needs_more_of_it(scenario in any_valid_scenario()) {
        let of = |leaves| {
            let grpo = under(&scenario, |objective| {
                (objective.task, objective.engine.leaves, objective.engine.gpus) = (Task::Grpo, leaves, 0);
            });
            (grpo.report().rollout.expect("a rollout"), grpo.host_memory())
        };
        let [(stays, host), (some, _), (all, more)] = [LeavesGpu::Nothing, LeavesGpu::Optimizer, LeavesGpu::All].map(of);
        prop_assert!(all.memory.training <= some.memory.training && some.memory.training <= stays.memory.training);
        prop_assert!(stays.moving == Seconds::ZERO && some.moving <= all.moving);
        prop_assert!(host.offload <= more.offload && all.memory.engine() == stays.memory.engine());
        prop_assert!(all.memory.total() >= all.memory.engine() && (!stays.fits() || all.fits()));
    }

    #[test]
    fn older_rollouts_never_slow_a_step(scenario in any_valid_scenario(), staleness in 0_u32..16, gpus in 1_u32..64, mean in 1.0..5000.0_f64) {
        let with = |staleness, gpus| {
            let mut grpo = under(&scenario, |objective| {
                let engine = RolloutEngine { tp: 1, gpus, staleness, ..objective.engine };
                (objective.task, objective.engine) = (Task::Grpo, engine);
            });
            grpo.texts = TextList { batching: Batching::Packed, mean_length: mean, ..scenario.texts };
            grpo.report().rollout.expect("a rollout")
        };
        let (fresh, older, larger) = (with(staleness, gpus), with(staleness + 1, gpus), with(staleness + 1, gpus + 1));
        prop_assert!(older.step() <= fresh.step() * (1.0 + 1e-9), "{fresh:?} {older:?}");
        prop_assert!(older.step() >= older.training() && older.step() >= older.time() * (1.0 - 1e-9));
        prop_assert!(larger.decode <= older.decode * (1.0 + 1e-9));
        let (training, generating) = older.idle();
        // One of both sets the pace.
        prop_assert!(training.min(generating) < 1e-9 && training.max(generating) < 1.0, "{older:?}");
    }

    #[test]
    fn longer_completions_are_never_generated_faster(
        scenario in any_valid_scenario(), mean in 1.0..5000.0_f64, more in 1.0..2.0_f64, gpus in 0_u32..64,
    ) {
        // A mean that leaves no completion after the prompt is not known.
        let mean = mean + f64::from(scenario.setup().objective.prompt);
        // Packed sequences hold fewer of longer texts.
        let with = |mean_length, gpus| {
            let mut grpo = under(&scenario, |objective| (objective.task, objective.engine.gpus, objective.engine.tp) = (Task::Grpo, gpus, 1));
            grpo.texts = TextList { batching: Batching::PaddedToLongest, mean_length, ..scenario.texts };
            grpo.report().rollout.expect("a rollout")
        };
        let (short, long) = (with(mean, gpus), with(mean * more, gpus));
        prop_assert!(long.decode >= short.decode * (1.0 - 1e-9), "{short:?} {long:?}");
        prop_assert!(short.longest <= long.longest && short.memory.held <= short.memory.per_sequence * (1.0 + 1e-9));
        // Each engine has fewer of the completions.
        if gpus > 0 {
            prop_assert!(with(mean, gpus + 1).decode <= short.decode * (1.0 + 1e-9));
        }
    }

    #[test]
    fn a_rollout_is_never_no_number(scenario in any_scenario(), is_ppo in any::<bool>()) {
        let task = if is_ppo { Task::Ppo } else { Task::Grpo };
        let report = under(&scenario, |objective| objective.task = task).report();
        let rollout = report.rollout.expect("a rollout");
        for number in [
            rollout.decode.get(), rollout.update.get(), rollout.step().get(), rollout.tokens_per_s(),
            rollout.concurrent, rollout.decode_steps, rollout.tokens,
        ] {
            prop_assert!(number.is_finite() && number > 0.0, "{number} in {rollout:?}");
        }
        // Texts of one token are all completion.
        let prefill = rollout.prefill.get();
        prop_assert!(prefill.is_finite() && prefill >= 0.0, "{prefill} in {rollout:?}");
        prop_assert!(rollout.step() >= report.update.time.step);
    }
}

/// Every dense model of the catalog, in pure bf16: adapters of full rank have more parameters than
/// the matrices beside which they stand, and their states with the frozen base take more than those
/// of full training.
#[test]
fn adapters_of_full_rank_on_everything_need_no_less_than_full_training() {
    // Much of the layers of Gemma 4's small models stands beside their shape and has no adapters.
    let dense = |entry: &&catalog::ModelEntry| !entry.architecture.has_experts() && !entry.id.starts_with("gemma-4-e");
    for entry in MODELS.iter().filter(dense) {
        for tp in [1, 2, 8] {
            let scenario = Scenario {
                model: entry.pick(),
                tp,
                choices: Choices { recipe: PrecisionPolicy::PureBf16, ..Choices::DEFAULT },
                ..catalog::default_scenario()
            };
            let full = scenario.setup();
            let rank = full.architecture.hidden_size;
            let trained = Trained { method: Method::Lora, rank, embeddings: true, ..Trained::ALL };
            let adapted = Setup { choices: Choices { trained, ..full.choices }, ..full };
            let states = |setup: &Setup| {
                let stage = stages(setup).first;
                (stage.params, gpu_states(setup, &stage.params).total())
            };
            let ((adapters, more), (whole, less)) = (states(&adapted), states(&full));
            assert!(adapters.trained.layer_matrices >= whole.held.layer_matrices, "{} over {tp}", entry.id);
            assert!(more >= less, "{} over {tp}: {more:?} {less:?}", entry.id);
        }
    }
}
