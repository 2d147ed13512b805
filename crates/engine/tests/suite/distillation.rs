//! Distillation: memory and time of a teacher.

use crate::laws::{any_valid_scenario, as_asked, laws};
use engine::model::memory::{live_bytes_per_logit, logits};
use engine::model::objective::{Divergence, Objective, Task, Teacher, TeacherFormat, TeacherPlace};
use engine::model::report::{MemoryPart, Report};
use engine::model::stages::stages;
use engine::model::step::playback::Playback;
use engine::model::teacher_engine;
use engine::model::transformer::Architecture;
use engine::scenario::{Model, Scenario};
use engine::units::Bytes;
use links::{decode, encode};
use proptest::prelude::*;

const RUN: &str = "cluster=dgx-h100&gpus=8&model=llama-3.1-8b&seq=4096&mbs=1&strategy=full-shard&recompute=full";
const GIB: f64 = 1_073_741_824.0;

fn report(more: &str) -> Report {
    decode(&format!("{RUN}&{more}")).scenario.report()
}

fn shape(more: &str) -> Architecture {
    decode(&format!("{RUN}&objective=distill&{more}")).scenario.setup().teacher.expect("a teacher")
}

fn part(report: &Report, part: MemoryPart) -> f64 {
    report.memory.parts.get(part).gib()
}

/// Llama 3.1 70B beside 8B on 8 GPUs: an eighth of 70,553,706,496 weights in 16 bits; and nine
/// bytes for each of 4,096 x 128,256 logits beside the student's twelve.
#[test]
fn a_teacher_adds_its_weights_and_its_logits() {
    let (plain, distilled) = (report(""), report("objective=distill&teacher=70B"));
    let weights = 2.0 * 70_553_706_496.0 / 8.0 / GIB;
    assert!((part(&distilled, MemoryPart::Models) - weights).abs() < 1e-6, "{}", part(&distilled, MemoryPart::Models));
    let of_loss = 9.0 * 4096.0 * 128_256.0 / GIB;
    let added = part(&distilled, MemoryPart::Logits) - part(&plain, MemoryPart::Logits);
    assert!((added - of_loss).abs() < 1e-6, "{added}");
    for same in [MemoryPart::Weights, MemoryPart::Optimizer] {
        assert_eq!(part(&distilled, same), part(&plain, same));
    }
    // The 64 largest logits: 16 bytes each, of a token.
    let top = part(&report("objective=distill&teacher=70B&teachertopk=64"), MemoryPart::Logits);
    assert!((top - part(&plain, MemoryPart::Logits) - 16.0 * 64.0 * 4096.0 / GIB).abs() < 1e-6);
}

/// TRL's divergences by PyTorch's operators, traced with 16-bit and with fp32 logits: 18, 20 and 34
/// bytes a logit, and twice as many.
#[test]
fn a_divergence_is_so_many_tensors_of_logits() {
    let of = |loss: &str, divergence: &str| {
        let link = format!("{RUN}&objective=distill&teacher=70B&loss={loss}&divergence={divergence}");
        live_bytes_per_logit(&decode(&link).scenario.setup())
    };
    for (divergence, bytes) in [("forward", 18.0), ("reverse", 20.0), ("jsd", 34.0)] {
        assert_eq!([of("bf16", divergence), of("fp32-logits", divergence)], [bytes, 2.0 * bytes]);
    }
    assert_eq!([of("standard", "forward"), of("chunked", "forward"), of("fused-linear", "jsd")], [21.0, 18.0, 1.0]);
}

/// The top-k loss of NeMo RL on an RTX 4090 with V = 151,936, k = 64 and 16-bit logits peaked at
/// 4.06, 8.12 and 16.23 GiB for 2,048, 4,096 and 8,192 tokens (forward and backward pass,
/// github NVIDIA-NeMo/RL pull 3314, "main"): 14 bytes a logit, those of a loss that keeps its
/// logits.
#[test]
fn the_loss_over_the_largest_logits_is_that_of_nemo_rl() {
    for (tokens, measured) in [(2048, 4.06), (4096, 8.12), (8192, 16.23)] {
        let link = format!(
            "gpu=rtx-4090&gpus=1&model=qwen-3-4b&seq={tokens}&loss=kept&objective=distill&teacherat=offline&teachertopk=64"
        );
        let setup = decode(&link).scenario.setup();
        assert_eq!(setup.architecture.vocab_size, 151_936);
        let predicted = live_bytes_per_logit(&setup) * logits(&setup, &stages(&setup).first) / GIB;
        assert!((predicted / measured - 1.0).abs() < 0.01, "{tokens}: {predicted} for {measured}");
    }
}

/// A forward pass of 70B parameters has 8.7 times the FLOPs of one of 8B, in larger products.
#[test]
fn a_teacher_adds_a_forward_pass_and_no_model_flops() {
    let (plain, distilled) = (report("recompute=none"), report("recompute=none&objective=distill&teacher=70B"));
    // 2 P without the embedding, and scores of 4 L n_q d s: 149.7 GFLOP of a token over 17.2.
    let forward =
        |params: f64, layers: f64, width: f64| 2.0 * (params - 128_256.0 * width) + 4.0 * layers * width * 4096.0;
    let expected = forward(70.553_706e9, 80.0, 8192.0) / forward(8.030_261e9, 32.0, 4096.0);
    let ratio = (distilled.update.hfu / distilled.update.mfu - 1.0) * 3.0;
    assert!((ratio / expected - 1.0).abs() < 0.01, "{ratio} {expected}");
    let time = |report: &Report| report.update.time.forward / plain.update.time.forward;
    assert!((6.0..9.0).contains(&(time(&distilled) - 1.0)), "{}", time(&distilled));
    assert!(distilled.update.mfu < plain.update.mfu);
}

#[test]
fn a_teacher_elsewhere_takes_its_logits_alone() {
    let of = |place: &str| report(&format!("objective=distill&teacher=70B&teachertopk=64&teacherat={place}"));
    let [trainer, turns, engine, offline] = ["trainer", "turns", "engine&teachergpu=8", "offline"].map(of);
    for elsewhere in [&turns, &engine, &offline] {
        assert_eq!(part(elsewhere, MemoryPart::Models), 0.0);
        assert!(elsewhere.memory.needed < trainer.memory.needed);
        assert_eq!(part(elsewhere, MemoryPart::Logits), part(&offline, MemoryPart::Logits));
    }
    // Its weights cross the host link twice a step.
    let moved = turns.update.time.step.get() - trainer.update.time.step.get();
    assert!(moved > 0.0 && (moved - turns.update.time.host_link.get()).abs() < 1e-9, "{moved}");
    // Eight GPUs read for a student that needs less than they: it waits for them.
    assert!(engine.update.time.loading.get() > 0.0 && offline.update.time.loading.get() == 0.0);
    assert!(offline.update.time.step < engine.update.time.step && engine.update.time.step < trainer.update.time.step);
}

#[test]
fn gpus_of_a_teacher_are_paid_for() {
    let hours = |place: &str| {
        let scenario = decode(&format!("{RUN}&objective=distill&teacher=8B&{place}")).scenario;
        let report = scenario.report();
        let (_, gpus) = engine::model::rollout::whole_step(&scenario.setup(), &report);
        gpus
    };
    assert_eq!([hours("teacherat=engine&teachergpu=4"), hours("teacherat=trainer&teachergpu=4")], [12.0, 8.0]);
}

#[test]
fn a_student_that_generates_is_scored_by_its_teacher_alone() {
    let rollout = |more: &str| report(&format!("objective=opd&teacher=70B&{more}")).rollout.expect("a rollout");
    let (beside, served) = (rollout("teacherat=trainer"), rollout("teacherat=engine&teachergpu=8"));
    assert_eq!(beside.scoring.get(), 0.0);
    assert!(served.scoring.get() > 0.0 && served.update < beside.update);
    assert!(report("objective=distill&teacher=70B").rollout.is_none());
}

/// The shape is the published one of the student's family; a mixture of another family has the
/// parameters of Qwen3 235B A22B.
#[test]
fn the_shape_of_a_teacher_follows_from_its_size() {
    let llama = |id: &str| catalog::model(id).expect("a model").architecture;
    assert_eq!(shape("teacher=70B"), llama("llama-3.1-70b"));
    assert_eq!(shape("teacher=405B"), llama("llama-3.1-405b"));
    let mixture = shape("teacher=235B&teacheractive=22B");
    assert!((mixture.params() as f64 / 235e9 - 1.0).abs() < 0.01, "{}", mixture.params());
    assert!((mixture.active_params() as f64 / 22e9 - 1.0).abs() < 0.02, "{}", mixture.active_params());
    let dense = shape("teacher=32B");
    assert!((dense.params() as f64 / 32e9 - 1.0).abs() < 0.01 && dense.vocab_size == 128_256);
}

#[test]
fn a_teacher_without_a_size_is_asked_for() {
    let said = |link: &str| {
        let decoded = decode(link);
        engine::validate::issues(&decoded.scenario).into_iter().map(|issue| issue.message).collect::<Vec<_>>()
    };
    let unsaid = said(&format!("{RUN}&objective=distill"));
    assert!(unsaid.iter().any(|message| message.starts_with("The size of the teacher is not given:")), "{unsaid:?}");
    for known in ["objective=distill&teacher=70B", "objective=distill&teacherat=offline", "objective=lm"] {
        let said = said(&format!("{RUN}&{known}"));
        assert!(!said.iter().any(|message| message.contains("size of the teacher")), "{known}: {said:?}");
    }
    // Nobody's size is not written.
    let link = encode(&decode(&format!("{RUN}&objective=distill")).scenario);
    assert!(link.contains("objective=distill") && !link.contains("teacher"), "{link}");
}

fn with(scenario: &Scenario, task: Task, teacher: Teacher) -> Scenario {
    let mut changed = as_asked(scenario);
    changed.objective = Objective { task, teacher, ..changed.objective };
    changed
}

fn any_teacher() -> impl Strategy<Value = Teacher> {
    use TeacherPlace::{Engine, Offline, Trainer, Turns, Whole};
    let place = prop::sample::select(vec![Trainer, Whole, Turns, Engine, Offline]);
    let format = prop::sample::select(vec![TeacherFormat::Half, TeacherFormat::Single]);
    let divergence = prop::sample::select(vec![Divergence::Forward, Divergence::Reverse, Divergence::JensenShannon]);
    let top_k = prop_oneof![Just(0_u32), 1_u32..512];
    let kind = (format, divergence, place);
    (7.0..13.0_f64, prop::option::of(0.01..1.0_f64), kind, 1_u32..64, top_k).prop_map(
        |(power, active, (format, divergence, place), gpus, top_k)| {
            let size = 10_f64.powf(power);
            Teacher { size, active: active.map_or(0.0, |share| share * size), format, divergence, place, gpus, top_k }
        },
    )
}

proptest! {
    #![proptest_config(laws())]

    #[test]
    fn a_teacher_has_no_state_of_training(scenario in any_valid_scenario(), teacher in any_teacher()) {
        let plain = with(&scenario, Task::NextToken, teacher);
        let setup = with(&scenario, Task::Distill, teacher).setup();
        for stage in stages(&setup).iter() {
            let of = engine::model::memory::OtherModels::new(&setup, stage);
            prop_assert_eq!(of.total(), of.teacher);
            let states = |setup| engine::model::states::gpu_states(setup, &stage.params);
            let mut without = plain.setup();
            without.choices.mtp = setup.mtp;
            prop_assert_eq!(states(&setup), states(&without));
        }
    }

    #[test]
    fn the_sizes_of_a_teacher_are_kept(scenario in any_valid_scenario(), teacher in any_teacher()) {
        // The shape of a custom model may hold more outside its layers than the teacher's size.
        let is_odd = scenario.model.architecture().learned_positions > 100_000;
        prop_assume!(!is_odd && !matches!(scenario.model, Model::Custom { .. }));
        let setup = with(&scenario, Task::Distill, Teacher { place: TeacherPlace::Trainer, active: 0.0, size: teacher.size.max(5e9), ..teacher }).setup();
        let shape = setup.teacher.expect("a teacher");
        let ratio = shape.params() as f64 / teacher.size.max(5e9);
        prop_assert!((0.8..1.25).contains(&ratio), "{ratio} {:?}", shape);
    }

    #[test]
    fn logits_from_disk_never_cost_more_than_a_teacher(scenario in any_valid_scenario(), teacher in any_teacher()) {
        for task in [Task::Distill, Task::OnPolicyDistill] {
            let of = |place| with(&scenario, task, Teacher { place, ..teacher }).report();
            let (beside, offline) = (of(TeacherPlace::Trainer), of(TeacherPlace::Offline));
            prop_assert!(offline.memory.allocated <= beside.memory.allocated * (1.0 + 1e-9));
            prop_assert!(offline.update.time.step < beside.update.time.step);
            // What is not sharded takes at least as much, and has nothing to gather.
            let held = |place| {
                let setup = with(&scenario, task, Teacher { place, ..teacher }).setup();
                stages(&setup).iter().map(|stage| engine::model::memory::teacher::weights(&setup, stage)).fold(Bytes::ZERO, Bytes::max)
            };
            prop_assert!(held(TeacherPlace::Whole) >= held(TeacherPlace::Trainer) * (1.0 - 1e-9));
            for place in [TeacherPlace::Turns, TeacherPlace::Engine] {
                let elsewhere = of(place);
                prop_assert!(elsewhere.memory.allocated <= beside.memory.allocated * (1.0 + 1e-9));
                prop_assert!(elsewhere.update.time.step >= offline.update.time.step * (1.0 - 1e-9));
            }
        }
    }

    /// Without a teacher, the step is that of the next token.
    #[test]
    fn a_step_without_teacher_is_plain(scenario in any_valid_scenario(), teacher in any_teacher()) {
        let offline = with(&scenario, Task::Distill, Teacher { place: TeacherPlace::Offline, top_k: 1, ..teacher });
        let mut plain = with(&scenario, Task::NextToken, teacher);
        plain.mtp = 0;
        let (distilled, plain) = (offline.report(), plain.report());
        prop_assert_eq!(distilled.update.time, plain.update.time);
        let setup = offline.setup().at_longest();
        let of_loss: f64 = stages(&setup).iter().map(|stage| 16.0 * logits(&setup, stage) / f64::from(setup.architecture.vocab_size.max(1))).sum();
        let added = (distilled.memory.allocated - plain.memory.allocated).get();
        let most = of_loss * setup.measured_memory.max(1.0) * f64::from(setup.loss_parallel()) * (1.0 + 1e-6) + 1.0;
        // Stages of a pipeline keep the loss of several micro-batches.
        prop_assert!(added >= -1e-6 * most - 1.0 && (added <= most || setup.mesh.pp > 1), "{added} {of_loss}");
    }

    #[test]
    fn a_distillation_is_played_as_it_is_timed(scenario in any_valid_scenario(), teacher in any_teacher()) {
        let distilled = with(&scenario, Task::Distill, teacher);
        let (setup, report) = (distilled.setup(), distilled.report());
        let time = report.update.time;
        let end = Playback::new(&setup).end() + time.loading;
        prop_assert!((end.get() / time.step.get() - 1.0).abs() < 1e-6, "{end:?} {:?}", time.step);
        prop_assert!(time.step.get().is_finite() && report.memory.needed.get().is_finite());
        prop_assert!(report.update.hfu >= report.update.mfu && report.memory.parts.get(MemoryPart::Models) >= Bytes::ZERO);
        prop_assert!(live_bytes_per_logit(&setup) > 0.0 && teacher_engine::own_gpus(&setup) <= teacher.gpus);
    }

    #[test]
    fn a_distillation_survives_its_link(scenario in any_valid_scenario(), teacher in any_teacher()) {
        let distilled = with(&scenario, Task::Distill, teacher);
        let read = decode(&encode(&distilled)).scenario;
        prop_assert_eq!(read.objective, distilled.objective);
    }
}
