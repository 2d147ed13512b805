//! Rollouts by hand, and against published figures.

use crate::laws::{any_valid_scenario, laws};
use engine::model::collectives::{Group, all_reduce, bus_bandwidth};
use engine::model::compute::{matmul_rate, memory_rate};
use engine::model::flops;
use engine::model::host;
use engine::model::memory::context;
use engine::model::memory::reserved;
use engine::model::objective::Task;
use engine::model::pace;
use engine::model::report::{MemoryPart, Report};
use engine::model::rollout::{LAYER_LATENCY, RolloutReport, cache_bytes, decode_step, sync, whole_step};
use engine::model::setup::Setup;
use engine::model::stages::stages;
use engine::model::training::AttentionMask;
use engine::units::{Bytes, Seconds};
use links::decode;
use proptest::prelude::*;

const GRPO: &str = "cluster=dgx-h100&gpus=8&model=qwen-2.5-7b&seq=2048&mbs=4&accum=4&recompute=full&objective=grpo";

fn report(more: &str) -> (Report, RolloutReport) {
    let report = decode(&format!("{GRPO}&{more}")).scenario.report();
    (report, report.rollout.unwrap())
}

#[test]
fn a_rollout_generates_what_the_updates_train_on() {
    let (report, rollout) = report("prompt=512&upd=4");
    // 8 GPUs, 4 sequences in each of 4 micro-batches, four updates.
    assert_eq!((rollout.sequences, rollout.tokens), (512.0, 512.0 * 1536.0));
    assert_eq!((rollout.concurrent, rollout.decode_steps), (64.0, 1536.0));
    assert_eq!(report.tokens_per_step, 128.0 * 2048.0);
    let whole = report.whole();
    let all = whole.refit + whole.generation + whole.preparation + whole.update;
    assert!((rollout.step() / all - 1.0).abs() < 1e-12 && whole.time == rollout.step());
    assert_eq!(rollout.update, 4.0 * report.update.time.step);
}

#[test]
fn a_cache_that_holds_fewer_sequences_takes_more_passes() {
    let (_, all) = report("");
    let (_, few) = report("genmem=23");
    let room = few.memory.room();
    assert!(room > 1.0 && room < 16.0 && few.concurrent == room, "{room}");
    assert!((few.decode_steps / all.decode_steps - 16.0 / room).abs() < 1e-9);
    assert!(few.decode > all.decode);
}

/// Texts of 1,024 of at most 2,048 tokens, of which 512 are the prompt: completions of 512 of at
/// most 1,536 are `1,536 u²`. Of 128 completions the longest has `128 / 130` of the most, and 16 on
/// each of 8 GPUs run at once: 16 x 512 tokens over its passes.
#[test]
fn an_engine_waits_for_the_longest_completion_while_the_others_end() {
    let (_, all) = report("prompt=512&texts=grouped&meanlen=1024");
    assert_eq!((all.sequences, all.each, all.concurrent), (128.0, 16.0, 16.0));
    close(all.longest, 1536.0 * 128.0 / 130.0);
    close(all.decode_steps, all.longest);
    close(all.running, 16.0 * 512.0 / all.longest);
    close(all.tokens, 128.0 * 512.0);
    // `E[l²] / 2 E[l]` is 1,536 x 3/5 x 1/2, less than the mean; a prompt is shared by eight.
    close(all.memory.held.get(), CACHED * (512.0 + 512.0 / 8.0));
    close(all.memory.per_sequence.get(), CACHED * (1536.0 + 512.0 / 8.0));
    // With room for fewer, the others begin as completions end.
    let (_, few) = report("prompt=512&texts=grouped&meanlen=1024&genmem=22.6");
    let room = few.memory.room();
    assert!(room > 1.0 && room < 16.0 && few.concurrent == room, "{room}");
    close(few.decode_steps, (16.0 / room - 1.0) * 512.0 + few.longest);
}

/// Packed texts: two of 1,024 tokens in each of the 128 sequences.
#[test]
fn packed_completions_share_training_sequences() {
    let (_, packed) = report("prompt=512&texts=packed&meanlen=1024");
    assert_eq!((packed.sequences, packed.each), (256.0, 32.0));
    close(packed.tokens, 256.0 * 512.0);
}

/// Texts as long as the longest are full sequences.
#[test]
fn completions_of_equal_length_are_full_sequences() {
    for more in ["genmem=23", "", "prompt=512&upd=4", "gengpu=4&gentp=2"] {
        let (_, full) = report(more);
        for texts in ["packed", "padmax", "grouped"] {
            let (_, equal) = report(&format!("{more}&texts={texts}&meanlen=2048"));
            assert_eq!(equal, full, "{more} {texts}");
        }
    }
}

/// A mean that leaves no completion says nothing about completions, as the mean of a typical list
/// does: they have full length, and a note asks for their mean.
#[test]
fn a_mean_within_the_prompt_is_asked_about() {
    let (_, full) = report("prompt=512");
    for texts in ["packed", "grouped"] {
        let more = format!("prompt=512&texts={texts}");
        let (_, unsaid) = report(&more);
        assert_eq!((unsaid.tokens, unsaid.decode, unsaid.memory), (full.tokens, full.decode, full.memory), "{texts}");
        let asks = |link: &str| {
            let issues = decode(&format!("{GRPO}&{link}")).scenario.issues();
            issues.iter().any(|issue| issue.message.contains("leave no completion"))
        };
        assert!(asks(&more) && !asks(&format!("{more}&meanlen=513")));
    }
}

/// Two rollouts of 16 completions an engine run together on 8 separate GPUs, and the longest of 256
/// is waited for once in both. Training takes longer than half of it here.
#[test]
fn rollouts_ahead_of_training_run_together() {
    let link = "prompt=512&texts=grouped&meanlen=1024&gengpu=8&genmem=90";
    let [(_, in_turns), (_, one), (_, two)] = ["", "&stale=1", "&stale=2"].map(|more| report(&format!("{link}{more}")));
    assert_eq!((one.decode, one.each, one.staleness), (in_turns.decode, in_turns.each, 1));
    close(one.step().get(), ((one.prefill + one.decode).max(one.training()) + one.sync).get());
    assert_eq!((two.concurrent, two.each), (32.0, 16.0));
    close(two.longest, 1536.0 * 256.0 / 258.0);
    close(two.decode_steps, 0.5 * two.longest);
    close(two.running, 16.0 * 512.0 / two.decode_steps);
    assert!(two.step() < one.step() && one.step() < in_turns.step());
    // Engines on the training GPUs take turns with training.
    assert_eq!(report("prompt=512&stale=4").1, report("prompt=512").1);
}

#[test]
fn an_engine_with_gpus_of_its_own_leaves_training_alone() {
    let (beside, awake) = report("sleep=no&genmem=30");
    let (apart, own) = report("sleep=no&genmem=30&gengpu=4");
    assert!((beside.memory.parts.get(MemoryPart::Engine).gib() - 0.3 * 79.11).abs() < 0.01);
    assert_eq!(apart.memory.parts.get(MemoryPart::Engine), Bytes::ZERO);
    assert_eq!((own.gpus, own.own_gpus, own.memory.training), (4, 4, Bytes::ZERO));
    assert!(own.decode > awake.decode && own.sync > awake.sync);
}

#[test]
fn the_weights_of_a_large_policy_want_tensor_parallelism() {
    let link = "cluster=dgx-h100&gpus=8&model=llama-3-70b&objective=grpo&seq=2k&train=lora&genmem=90";
    let rollout = |more: &str| decode(&format!("{link}&{more}")).scenario.report().rollout.unwrap();
    assert!(!rollout("").memory.fits() && rollout("").step().get().is_finite());
    assert!(rollout("gentp=8").memory.cache > Bytes::ZERO);
}

/// A forward pass of the policy takes a quarter of its update if layers are recomputed: forward,
/// forward again, and twice that backward. verl on GH200 with sequences for 8 GPUs logs 3.42 s for
/// the reference, 3.57 s for old log-probabilities and 14.30 s for the update (github
/// verl-project/verl issue 1208): 4.2 and 4.0 times.
#[test]
fn the_reference_takes_a_fourth_of_an_update() {
    let setup = decode(GRPO).scenario.setup();
    let (report, rollout) = report("");
    // The old log-probabilities and the reference's.
    let pass = 0.5 * rollout.scoring;
    let ratio = report.update.time.step / pass;
    assert!((3.4..4.6).contains(&ratio), "{ratio}");
    assert_eq!(pass, pace::forward_pass(&setup));
}

/// Whole steps of GRPO that NeMo RL publishes for on-policy training on H100
/// (docs/about/performance-summary.md, v0.4): 2,048 completions a rollout, four updates, mean and
/// longest length. Assumes prompts of 150 tokens and NeMo RL's default share for the engine.
#[test]
fn whole_steps_are_those_of_nemo_rl() {
    let all = "cluster=dgx-h100&framework=megatron&strategy=zero1&recipe=megatron-mixed&objective=grpo&upd=4&group=32\
               &prompt=150&genmem=60&genoff=all&seq=4096&texts=packed";
    for (link, measured) in [
        ("gpus=32&gentp=4&model=qwen-3-32b&meanlen=3206&tp=4&pp=4&accum=200", 393.0),
        ("gpus=32&gentp=4&model=qwen-3-30b-a3b&meanlen=3154&tp=2&ep=8&accum=25", 225.0),
        ("gpus=16&model=llama-3.1-8b&meanlen=1060&pp=2&accum=17", 97.7),
    ] {
        let rollout = decode(&format!("{all}&{link}")).scenario.report().rollout.unwrap();
        assert!((rollout.sequences / 2048.0 - 1.0).abs() < 0.03 && rollout.fits(), "{link}");
        let step = rollout.step().get();
        assert!((0.7..1.05).contains(&(step / measured)), "{link}: {step} for {measured}");
    }
}

#[test]
fn ppo_trains_a_critic_beside_the_policy() {
    let (grpo, without) = report("");
    let of_ppo = decode(&format!("{GRPO}&objective=ppo&rm=model").replace("&objective=grpo", "")).scenario;
    let (ppo, with) = (of_ppo.report(), of_ppo.report().rollout.unwrap());
    let part = |report: &Report| report.memory.parts.get(MemoryPart::Models);
    // A reference and a reward model of 2 bytes a weight, a critic of 4 bytes of weights, 4 of
    // gradients, 8 of moments.
    assert!((9.2..9.5).contains(&(part(&ppo) / part(&grpo))), "{}", part(&ppo) / part(&grpo));
    assert!(with.critic > Seconds::ZERO && with.scoring > 1.9 * without.scoring);
}

fn close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-6, "{found} is not {expected}");
}

/// Qwen2.5 7B (its config.json): 28 layers of width 3,584, 4 heads of keys and of values, 128 wide,
/// and a vocabulary of 152,064 twice.
const LAYERS: f64 = 28.0;
const WIDTH: f64 = 3584.0;
const TABLE: f64 = 152_064.0 * WIDTH;
const CACHED: f64 = 2.0 * LAYERS * 2.0 * 4.0 * 128.0;

fn params(setup: &Setup) -> f64 {
    setup.architecture.params() as f64
}

/// Four weights of 4 and two moments of 4 bytes each a parameter and the reference's 2, an eighth
/// of them on each of eight GPUs; gradients are gone between steps.
#[test]
fn training_that_stays_is_what_is_at_rest() {
    let setup = decode(GRPO).scenario.setup();
    let (_, rollout) = report("");
    close(rollout.memory.training.get(), (4.0 + 8.0 + 2.0) * params(&setup) / 8.0 + context(&setup).get());
    close(rollout.memory.weights.get(), 2.0 * params(&setup));
    let share = reserved(&setup).get();
    close(share, setup.accelerator.usable_memory().get() * setup.objective.engine.memory_share);
    close(rollout.memory.engine().get(), share);
}

/// NeMo RL moves all but the context to the host while vLLM generates, verl the optimizer if asked:
/// 8 of 14 bytes a parameter. Both directions go over the GPU's link.
#[test]
fn training_that_leaves_moves_twice_over_the_link_and_needs_the_host() {
    let scenario = |more: &str| decode(&format!("{GRPO}&{more}")).scenario;
    let setup = scenario("").setup();
    let (eighth, context) = (params(&setup) / 8.0, context(&setup).get());
    let stays = scenario("").host_memory().offload;
    for (leaves, moved) in [("none", 0.0), ("optimizer", 8.0), ("all", 14.0)] {
        let (report, rollout) = report(&format!("genoff={leaves}"));
        close(rollout.memory.training.get(), (14.0 - moved) * eighth + context);
        let both = 2.0 * moved * eighth / host::transfer_rate(&setup).get();
        assert!((rollout.moving.get() - both).abs() < 1e-9, "{leaves}");
        assert_eq!(report.memory, scenario("").report().memory, "while training");
        let host = scenario(&format!("genoff={leaves}")).host_memory().offload - stays;
        assert!((host.get() - 8.0 * moved * eighth).abs() < 1.0, "{leaves}: {host:?}");
    }
    // An engine with its own GPUs leaves no reason to move anything.
    let (_, apart) = report("genoff=all&gengpu=4");
    assert_eq!((apart.moving, apart.memory.training), (Seconds::ZERO, Bytes::ZERO));
}

/// Weights of two tensor-parallel ranks: each GPU lacks the other's half, which passes over the
/// links inside the node; the engine reads and writes its copy.
#[test]
fn weights_of_other_ranks_pass_to_the_engine() {
    let setup = |more: &str| decode(&format!("{GRPO}&strategy=zero1&{more}")).scenario.setup();
    let (whole, halves) = (setup(""), setup("tp=2"));
    let copied = Bytes::new(2.0 * 2.0 * params(&whole)) / memory_rate(&whole);
    close(sync(&whole).get(), copied.get());
    // Norms are whole on either GPU: two a layer and the final one.
    let norms = (2.0 * LAYERS + 1.0) * WIDTH;
    let lacking = 2.0 * (0.5 * (params(&whole) - norms - 2.0 * TABLE) + 0.5 * TABLE);
    let other = (sync(&halves) - copied).get()
        * bus_bandwidth(&halves.network, Group::consecutive(2, 8, &halves.network)).get();
    assert!((other / lacking - 1.0).abs() < 0.1, "{other} for {lacking}");
}

/// A sequence of 2,048 tokens with a prompt of 512 that eight completions share: an eighth of it.
/// With windows of 1,024 tokens in three of four layers, 4,096 tokens are 1,024 + 3/4 x 1,024 of
/// whole layers.
#[test]
fn completions_share_the_cache_of_their_prompt_and_windows_limit_it() {
    let (_, rollout) = report("prompt=512&group=8");
    close(rollout.memory.per_sequence.get(), CACHED * (2048.0 - 512.0 + 512.0 / 8.0));
    let mut setup = decode(GRPO).scenario.setup();
    close(cache_bytes(&setup, 4096.0).get(), CACHED * 4096.0);
    (setup.architecture.sliding_window, setup.architecture.global_every) = (1024, 4);
    close(cache_bytes(&setup, 4096.0).get(), CACHED * (1024.0 + 768.0));
    assert_eq!(cache_bytes(&setup, 1024.0).get(), CACHED * 1024.0);
    // Two GPUs split four heads, eight hold one each.
    setup.mesh.tp = 2;
    close(cache_bytes(&setup, 1024.0).get(), 0.5 * CACHED * 1024.0);
    setup.mesh.tp = 8;
    close(cache_bytes(&setup, 1024.0).get(), 0.25 * CACHED * 1024.0);
}

fn one_gpu(model: &str) -> Setup {
    decode(&format!("cluster=dgx-h100&gpus=1&model={model}&seq=4096")).scenario.setup()
}

/// A pass reads all weights but the embedding and the cache of each sequence; a tied table is read
/// as the head. With thousands of sequences it takes as long as their products.
#[test]
fn a_decoding_pass_reads_weights_and_caches_or_computes() {
    let setup = one_gpu("qwen-2.5-7b");
    let step = |setup: &Setup, sequences: f64| decode_step(setup, &stages(setup).first, sequences, 1000.0);
    let rate = memory_rate(&setup);
    let read = Bytes::new(2.0 * (params(&setup) - TABLE) + 3.0 * CACHED * 1000.0);
    close(step(&setup, 3.0).get(), (read / rate + LAYERS * LAYER_LATENCY).get());
    // Few keys, so that their cache is read in less time.
    let token = flops::forward_per_token(&setup.architecture, 10.0);
    let compute = |sequences: f64| decode_step(&setup, &stages(&setup).first, sequences, 10.0);
    let many = compute(20_000.0) - compute(10_000.0);
    close(many.get(), (10_000.0 * token / matmul_rate(&setup)).get());
    let mut tied = setup;
    tied.architecture.tie_word_embeddings = true;
    close(step(&tied, 3.0).get(), step(&setup, 3.0).get());
    // Of Mixtral's eight experts a token reads two, and four tokens may read all.
    let mixtral = one_gpu("mixtral-8x7b");
    let arch = &mixtral.architecture;
    let (experts, table) = (32.0 * 8.0 * 3.0 * 4096.0 * 14_336.0, 32_000.0 * 4096.0);
    let cached = 2.0 * 32.0 * 2.0 * 1024.0 * 1000.0;
    for (sequences, share) in [(1.0, 0.25), (2.0, 0.5), (4.0, 1.0), (8.0, 1.0)] {
        let weights = arch.params() as f64 - table - (1.0 - share) * experts;
        let read = Bytes::new(2.0 * weights + sequences * cached);
        close(step(&mixtral, sequences).get(), (read / rate + 32.0 * LAYER_LATENCY).get());
    }
}

/// With tensor parallelism each of two GPUs reads half of the weights and of the heads; two
/// all-reduces of the hidden states in each layer.
#[test]
fn engines_split_by_tensor_parallelism_reduce_twice_a_layer() {
    let [one, two] = ["", "gentp=2"].map(|more| report(&format!("prompt=512&{more}")).1);
    assert_eq!((one.each, two.each), (16.0, 32.0));
    let setup = decode(GRPO).scenario.setup();
    let size = Bytes::new(2.0 * 32.0 * WIDTH);
    let reduced = 2.0 * LAYERS * all_reduce(&setup.network, Group::consecutive(2, 2, &setup.network), size);
    // Norms are whole on either GPU: two a layer and the final one; biases are split.
    let norms = (2.0 * LAYERS + 1.0) * WIDTH;
    let weights = 0.5 * (params(&setup) - norms - 2.0 * TABLE) + norms + 0.5 * TABLE;
    // 1,024 tokens are cached on average after a prompt of 512.
    let cached = 32.0 * 0.5 * CACHED * (512.0 + 0.5 * 1536.0);
    let read = Bytes::new(2.0 * weights + cached) / memory_rate(&setup);
    close(two.decode_step.get(), (read + LAYERS * LAYER_LATENCY + reduced).get());
    close(two.decode.get(), two.decode_steps * two.decode_step.get());
}

/// Prompts run once for each group of completions at the rate of products.
#[test]
fn prompts_run_once_for_each_group() {
    let setup = decode(GRPO).scenario.setup();
    let keys = flops::mean_keys(&setup.architecture, 512.0, AttentionMask::Causal);
    let prompt = 512.0 * flops::forward_per_token(&setup.architecture, keys) / matmul_rate(&setup);
    for (group, prompts) in [(1, 16.0), (8, 2.0), (16, 1.0), (64, 1.0)] {
        close(report(&format!("prompt=512&group={group}")).1.prefill.get(), (prompts * prompt).get());
    }
}

/// Each update is scored by policy and reference. The engine's own GPUs get the weights through a
/// card, and are counted with the step.
#[test]
fn scoring_and_weights_repeat_with_updates_and_engines() {
    let setup = decode(GRPO).scenario.setup();
    let forward = pace::forward_pass(&setup);
    for (updates, reference, passes) in [(1.0, "none", 1.0), (1.0, "model", 2.0), (4.0, "model", 2.0)] {
        let (report, rollout) = report(&format!("upd={updates}&ref={reference}"));
        close(rollout.scoring.get(), (updates * passes * forward).get());
        close(rollout.update.get(), updates * report.update.time.step.get());
    }
    let own = decode(&format!("{GRPO}&gengpu=4&upd=4")).scenario.setup();
    let (report, rollout) = report("gengpu=4&upd=4");
    let card = setup.network.inter_node * setup.network.inter_node_efficiency;
    let sent = Bytes::new(2.0 * params(&setup)) / card;
    close((rollout.sync - pace::gather_all(&setup)).get(), sent.get());
    assert_eq!(whole_step(&own, &report), (0.25 * rollout.step(), 12.0));
    let whole = report.whole();
    close(whole.rollout, rollout.time() / rollout.step());
    // Of twelve GPUs eight train, for the part of the step that is updates.
    close(whole.mfu, report.update.mfu * (rollout.update / rollout.step()) * 8.0 / 12.0);
}

/// PPO: a critic of a scalar head is trained as often as the policy and scores once each.
#[test]
fn a_critic_is_trained_as_often_as_the_policy() {
    let link = format!("{GRPO}&objective=ppo&upd=2&rm=rule").replace("&objective=grpo", "");
    let setup = decode(&link).scenario.setup();
    let rollout = decode(&link).scenario.report().rollout.unwrap();
    let mut scalar = setup;
    scalar.objective.task = Task::Reward;
    close(rollout.critic.get(), 2.0 * pace::time(&scalar, &stages(&scalar)).step.get());
    let models = 1.0 + f64::from(u8::from(setup.objective.runs_reward_model()));
    let scored = 2.0 * (2.0 * pace::forward_pass(&setup) + models * pace::forward_pass(&scalar));
    close(rollout.scoring.get(), scored.get());
}

proptest! {
    #![proptest_config(laws())]

    /// A run with rollouts needs what its training needs, and what its engine needs beside it.
    #[test]
    fn a_rollout_needs_its_engine_and_its_training(mut scenario in any_valid_scenario(), group in 1_u32..64) {
        (scenario.objective.task, scenario.objective.group) = (Task::Grpo, group);
        let report = scenario.report();
        let rollout = report.rollout.unwrap();
        let memory = rollout.memory;
        let parts: Bytes = memory.parts().into_iter().map(|(_, bytes)| bytes).sum();
        prop_assert!(memory.cache < Bytes::ZERO || (parts / memory.total() - 1.0).abs() < 1e-9, "{memory:?}");
        prop_assert_eq!(report.fits(), report.memory.fits() && rollout.fits());
        prop_assert!(!rollout.fits() || memory.training + memory.weights + memory.per_sequence <= memory.capacity);
    }
}
