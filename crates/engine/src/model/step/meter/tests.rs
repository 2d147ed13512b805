use super::*;
use crate::catalog::default_scenario;
use crate::model::experts::exchange;
use crate::model::experts::{Dispatcher, ExpertParallel};
use crate::model::flops;
use crate::model::report::Span;
use crate::model::transformer::{Architecture, Experts};
use crate::scenario::{Model, RecomputeMode, Scenario, Strategy};

fn spans(scenario: &Scenario) -> (Meter, Vec<Span>) {
    let setup = scenario.setup();
    let playback = Playback::of(&setup);
    let mut spans = Vec::new();
    playback.micro_batch(0, &mut |span| spans.push(span));
    (Meter::of(&setup, &playback), spans)
}

fn done(meter: &Meter, spans: &[Span], work: Work, is_layer: bool) -> Vec<(Done, Seconds)> {
    let of = spans.iter().filter(|span| span.work == work && span.layer.is_some() == is_layer);
    of.map(|span| (meter.of_span(work, is_layer, span.end - span.start).unwrap(), span.end - span.start)).collect()
}

fn moved(meter: &Meter, spans: &[Span], work: Work, is_layer: bool) -> (Moved, Seconds) {
    match done(meter, spans, work, is_layer)[0] {
        (Done::Moved(moved), time) => (moved, time),
        other => panic!("{other:?}"),
    }
}

fn near(one: f64, other: f64) {
    assert!((one / other - 1.0).abs() < 1e-6, "{one} {other}");
}

#[test]
fn flops_of_all_spans_are_those_of_the_step() {
    let scenario = Scenario { recompute: RecomputeMode::None, ..default_scenario() };
    let (meter, spans) = spans(&scenario);
    let sum: f64 = spans
        .iter()
        .filter_map(|span| match meter.of_span(span.work, span.layer.is_some(), span.end - span.start) {
            Some(Done::Computed(flops)) => Some(flops.get()),
            _ => None,
        })
        .sum();
    let setup = scenario.setup();
    let arch = &setup.architecture;
    // Attention runs 2 products forward and 5 backward; the others 1 and 2.
    let tokens = f64::from(setup.batch.seq_len) * f64::from(setup.batch.micro_batch_size);
    let layers = f64::from(arch.num_hidden_layers);
    let attention = 3.5 * layers * flops::mean_executed_attention(&setup).get();
    let products = 3.0 * (layers * flops::layer_matmul(arch).get() + flops::head(arch).get());
    near(sum, tokens * (products + attention));
}

#[test]
fn a_gather_moves_its_layer_at_the_bandwidth_of_its_ring() {
    let scenario = default_scenario();
    let (meter, spans) = spans(&scenario);
    let setup = scenario.setup();
    for work in [Work::AllGather, Work::ReduceScatter] {
        let (moved, time) = moved(&meter, &spans, work, true);
        assert_eq!(moved.ranks, 64.0);
        near(moved.bus.get(), moved.size.unwrap().get() * 63.0 / 64.0);
        let bus = crate::model::collectives::bus_bandwidth(
            &setup.network,
            crate::model::collectives::Group::consecutive(64, 64, &setup.network),
        );
        // Latency takes the rest.
        let rate = moved.bus / time;
        assert!(rate < bus && rate.get() > 0.8 * bus.get(), "{rate:?} {bus:?}");
    }
    // bf16 weights of one of 40 layers of about 13B.
    let (gather, _) = moved(&meter, &spans, Work::AllGather, true);
    assert!((0.9..1.1).contains(&(gather.size.unwrap().get() / (2.0 * 12.6e9 / 40.0))), "{gather:?}");
}

#[test]
fn an_all_reduce_counts_twice_on_the_bus() {
    let (meter, spans_of_ddp) = spans(&Scenario { strategy: Strategy::Ddp, ..default_scenario() });
    let (ddp, _) = moved(&meter, &spans_of_ddp, Work::AllReduce, true);
    near(ddp.bus.get(), ddp.size.unwrap().get() * 2.0 * 63.0 / 64.0);
    let hybrid = Scenario { strategy: Strategy::HybridShard, shard_size: 4, ..default_scenario() };
    let (meter, of_hybrid) = spans(&hybrid);
    let (gather, _) = moved(&meter, &of_hybrid, Work::AllGather, true);
    let (across, _) = moved(&meter, &of_hybrid, Work::AllReduce, true);
    assert_eq!((gather.ranks, across.ranks), (4.0, 16.0));
    near(across.bus.get(), across.size.unwrap().get() * 2.0 * 15.0 / 16.0);
}

#[test]
fn where_a_span_holds_two_kinds_of_collectives_only_the_bus_is_counted() {
    // Shard groups of two nodes: their replicas use the same links, and follow on the same lane.
    let hybrid = Scenario { strategy: Strategy::HybridShard, shard_size: 16, ..default_scenario() };
    let (meter, of_hybrid) = spans(&hybrid);
    assert!(of_hybrid.iter().all(|span| span.work != Work::AllReduce));
    let (moved, _) = moved(&meter, &of_hybrid, Work::ReduceScatter, true);
    assert_eq!(moved.size, None);
    assert!(moved.bus > Bytes::ZERO);
}

#[test]
fn dispatches_of_a_layer_send_every_copy_once() {
    let usual = default_scenario();
    let shape = Experts { num_experts: 16, num_experts_per_tok: 2, moe_intermediate_size: 2048, ..Experts::NONE };
    let architecture = Architecture { experts: shape, ..usual.model.architecture() };
    let experts = ExpertParallel { chunks: 4, dispatcher: Dispatcher::AllToAll, ..ExpertParallel::USUAL };
    let recompute = RecomputeMode::None;
    let scenario = Scenario { model: Model::Custom { architecture }, ep: 8, experts, recompute, ..usual };
    let (meter, spans) = spans(&scenario);
    let (sent, ranks) = exchange::sent(&scenario.setup());
    let (chunk, _) = moved(&meter, &spans, Work::Dispatch, true);
    assert_eq!((chunk.ranks, ranks), (8.0, 8.0));
    near(4.0 * chunk.size.unwrap().get(), sent.get());
    let products = done(&meter, &spans, Work::Experts, true);
    let first = products.first().unwrap().0;
    let Done::Computed(forward) = first else { panic!("{first:?}") };
    let last = products.last().unwrap().0;
    let Done::Computed(backward) = last else { panic!("{last:?}") };
    near(backward.get(), 2.0 * forward.get());
}
