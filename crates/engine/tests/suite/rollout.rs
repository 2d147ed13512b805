//! Rollouts by hand, and against published figures.

use engine::model::report::{MemoryPart, Report};
use engine::model::rollout::RolloutReport;
use engine::model::step::pace;
use engine::units::{Bytes, Seconds};
use links::decode;

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
    let all = rollout.sync + rollout.prefill + rollout.decode + rollout.scoring + rollout.update + rollout.critic;
    assert!((rollout.step() / all - 1.0).abs() < 1e-12);
    assert_eq!(rollout.update, 4.0 * report.time.step);
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
    let ratio = report.time.step / rollout.scoring;
    assert!((3.4..4.6).contains(&ratio), "{ratio}");
    assert_eq!(rollout.scoring, pace::forward_pass(&setup));
}

/// Whole steps of GRPO that NeMo RL publishes for on-policy training on H100
/// (docs/about/performance-summary.md, v0.4): 2,048 completions a rollout, four updates, mean
/// lengths near their maximum. Assumes prompts of 150 tokens and NeMo RL's default share for the
/// engine. Llama 3.1 8B, with completions of 1,060 tokens on average and at most 4,096, takes 97.7
/// s instead of 47, as the longest completions delay the others.
#[test]
fn whole_steps_are_those_of_nemo_rl() {
    let all = "cluster=dgx-h100&gpus=32&framework=megatron&strategy=zero1&recipe=megatron-mixed&objective=grpo&upd=4\
               &group=32&prompt=150&gentp=4&genmem=60";
    for (link, measured) in [
        ("model=qwen-3-32b&seq=3206&tp=4&pp=4&accum=256", 393.0),
        ("model=qwen-3-30b-a3b&seq=3154&tp=2&ep=8&accum=32", 225.0),
    ] {
        let rollout = decode(&format!("{all}&{link}")).scenario.report().rollout.unwrap();
        assert_eq!(rollout.sequences, 2048.0, "{link}");
        let step = rollout.step().get();
        assert!((0.8..1.05).contains(&(step / measured)), "{link}: {step} for {measured}");
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
    assert!(with.critic > Seconds::ZERO && with.scoring > 3.5 * without.scoring);
}
