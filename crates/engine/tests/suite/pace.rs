//! Waiting times between stages of a pipeline.

use engine::model::compute;
use engine::model::compute::UnitTimes;
use engine::model::layer::Layers;
use engine::model::pace::pipeline_fill;
use engine::model::parallel::Schedule;
use engine::model::pipeline::{self, StageTimes};
use engine::model::stages::{ByStage, stages};
use engine::units::Seconds;
use links::decode;

/// DeepSeek's table 2 (arXiv 2412.19437), in passes of F = 10, B = 20 and W = 9 ms: `(pp/2 -
/// 1)(F&B + B - 3W)` and twice the weights; the half of it in a V holds them once.
#[test]
fn dualpipe_waits_as_in_its_table_and_holds_two_copies() {
    let scenario = |schedule: &str| decode(&format!("pp=8&accum=32&gpus=64&schedule={schedule}")).scenario.setup();
    let setup = scenario("dualpipe");
    let [forward, backward, gradient] = [1.0, 2.0, 0.9].map(Seconds::from_ms);
    let units = UnitTimes {
        layer_forward: forward,
        layer_backward: backward,
        layer_weight_gradient: gradient,
        ..compute::unit_times(&setup, &Layers::DENSE)
    };
    let fill = pipeline_fill(&setup, 10.0 * (forward + backward), 10.0, &units);
    let stage = StageTimes { count: 8.0, forward: 10.0 * forward, backward: 10.0 * backward, pipeline_fill: fill };
    let waits = |schedule| pipeline::bubble(schedule, 1, 32.0, &ByStage::only(stage)).ms();
    assert!((waits(Schedule::DualPipe) - 3.0 * (10.0 + 40.0 - 27.0)).abs() < 1e-9);
    assert!((waits(Schedule::DualPipeV) - 3.5 * (10.0 + 40.0 - 27.0)).abs() < 1e-9);

    let weights = |schedule: &str| {
        let setup = scenario(schedule);
        engine::model::states::gpu_states(&setup, &stages(&setup).first.params).weights.get()
    };
    assert_eq!(weights("dualpipe"), 2.0 * weights("1f1b"));
    assert_eq!(weights("dualpipe-v"), weights("zero-bubble-v"));
    let in_flight = |schedule: &str| stages(&scenario(schedule)).first.in_flight;
    assert_eq!([in_flight("dualpipe"), in_flight("1f1b"), in_flight("interleaved&vpp=1")], [9.0, 8.0, 8.0]);
}

/// Megatron hides the hops of an interleaved pipeline, but for those in which it fills and
/// drains: more chunks are no slower by their messages (the audit's 70B at pp 8, of 5 and 10
/// chunks).
#[test]
fn chunks_cost_no_exposed_messages_where_they_overlap() {
    let step = |link: &str| {
        let base = "cluster=dgx-h100&model=llama-3-70b&gpus=64&pp=8&accum=64&strategy=zero1&recipe=megatron-mixed";
        decode(&format!("{base}&{link}")).scenario.report().update.time.step
    };
    let of = |framework: &str, vpp: u32| step(&format!("schedule=interleaved&vpp={vpp}&framework={framework}"));
    assert!(of("megatron", 10) < of("megatron", 5));
    assert!(of("megatron", 5) < of("megatron", 2));
    assert_eq!(of("megatron", 1), step("schedule=1f1b&framework=megatron"));
}

/// Ten layers of 1 + 2 ms, of which gradients of weights take 0.9: what is left of them fills
/// the bubble twice under ZB-H1 and three times under ZB-V (arXiv 2401.10241, table 1; arXiv
/// 2405.15362).
#[test]
fn zero_bubble_v_fills_with_gradients_of_weights_three_times() {
    let [forward, backward, gradient] = [1.0, 2.0, 0.9].map(Seconds::from_ms);
    let waits = |schedule| {
        let setup = decode(&format!("pp=4&schedule={schedule}")).scenario.setup();
        let units = UnitTimes {
            layer_forward: forward,
            layer_backward: backward,
            layer_weight_gradient: gradient,
            ..compute::unit_times(&setup, &Layers::DENSE)
        };
        pipeline_fill(&setup, 10.0 * (forward + backward), 10.0, &units).ms()
    };
    assert!((waits("zero-bubble") - 10.0 * (3.0 - 2.0 * 0.9)).abs() < 1e-9, "{}", waits("zero-bubble"));
    assert!((waits("zero-bubble-v") - 10.0 * (3.0 - 3.0 * 0.9)).abs() < 1e-9, "{}", waits("zero-bubble-v"));
}

/// Other stages wait for gradients of activations, not for the reduction of a single micro-batch:
/// half of the micro-batches are no slower (docs/book/model/overlap.md).
#[test]
fn the_bubble_has_no_reductions_of_a_single_micro_batch() {
    let link = "cluster=server-8x-l40s&model=olmo-2-7b&gpus=4096&pp=4&seq=4096&mbs=1";
    let time = |accum: u32| decode(&format!("{link}&accum={accum}")).scenario.report().update.time;
    let (one, two) = (time(1), time(2));
    assert!(one.step < two.step, "{one:?} {two:?}");
    // The second of two micro-batches adds its gradients to those of the first.
    assert!((one.bubble / two.bubble - 1.0).abs() < 2e-3, "{one:?} {two:?}");
}

/// A pass without gradients takes at least as long as its launches, which the timeline and the
/// waterfall show once.
#[test]
fn forward_passes_without_gradients_are_launched_too() {
    let link = "cluster=gcp-a4x-max&model=smollm-2-360m&seq=512&gpus=4&mbs=4&recompute=modules&hbm=7200";
    let time = |more: &str| decode(&format!("{link}{more}")).scenario.report().update.time;
    let (orpo, dpo) = (time("&objective=orpo"), time("&objective=dpo"));
    // Nothing else changes where the host sets the pace; a forward pass has half of the launches.
    let launches = orpo.forward + orpo.backward;
    let share = (dpo.step - orpo.step) / launches;
    assert!((0.45..0.55).contains(&share), "{share}");
    assert!(dpo.launch_bound > orpo.launch_bound);
    // The backward pass has the other half.
    assert!((orpo.backward / launches - 0.5).abs() < 0.03, "{orpo:?}");
}
