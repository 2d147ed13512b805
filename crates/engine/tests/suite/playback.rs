//! Spans of a step: FLOPs, bytes and groups of each.

use catalog::default_scenario;
use engine::model::choices::Choices;
use engine::model::compute::{UnitCosts, unit_costs};
use engine::model::cost::{Amount, CollectiveKind, OperatorCost, Traffic};
use engine::model::experts::{Dispatcher, ExpertParallel};
use engine::model::flops;
use engine::model::layer::Layers;
use engine::model::report::{Lane, Span, Work};
use engine::model::step::playback::Playback;
use engine::model::training::Recompute;
use engine::model::transformer::{Architecture, Experts};
use engine::scenario::{Model, Scenario, Strategy};
use engine::units::Bytes;
use engine::units::Seconds;

fn spans(scenario: &Scenario) -> Vec<Span> {
    let playback = Playback::new(&scenario.setup());
    let mut spans = Vec::new();
    playback.micro_batch(0, &mut |span| spans.push(span));
    spans
}

fn of(spans: &[Span], work: Work, is_layer: bool) -> Vec<Span> {
    spans.iter().filter(|span| span.work == work && span.layer.is_some() == is_layer).copied().collect()
}

fn traffic(spans: &[Span], work: Work, is_layer: bool) -> (Traffic, Seconds) {
    let span = of(spans, work, is_layer)[0];
    match span.amount {
        Some(Amount::Traffic(traffic)) => (traffic, span.end - span.start),
        other => panic!("{other:?}"),
    }
}

fn flops(span: &Span) -> f64 {
    match span.amount {
        Some(Amount::Operations(operations)) => operations.flops.get(),
        other => panic!("{other:?}"),
    }
}

fn near(one: f64, other: f64) {
    assert!((one / other - 1.0).abs() < 1e-6, "{one} {other}");
}

#[test]
fn flops_of_all_spans_are_those_of_the_step() {
    let scenario =
        Scenario { choices: Choices { recompute: Recompute::None, ..Choices::DEFAULT }, ..default_scenario() };
    let of_compute = spans(&scenario).into_iter().filter(|span| span.lane == Lane::Compute);
    let sum: f64 = of_compute.map(|span| flops(&span)).sum();
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
    let spans = spans(&scenario);
    let setup = scenario.setup();
    for work in [Work::AllGather, Work::ReduceScatter] {
        let (moved, time) = traffic(&spans, work, true);
        assert_eq!(moved.ranks, 64.0);
        assert_eq!(moved.kind, CollectiveKind::Gather);
        near(moved.bus.get(), moved.size.get() * 63.0 / 64.0);
        let bus = engine::model::collectives::bus_bandwidth(
            &setup.network,
            engine::model::collectives::Group::consecutive(64, 64, &setup.network),
        );
        // Latency is the rest.
        let rate = moved.bus / time;
        assert!(rate < bus && rate.get() > 0.8 * bus.get(), "{rate:?} {bus:?}");
    }
    // bf16 weights of one of 40 layers of about 13B.
    let (gather, _) = traffic(&spans, Work::AllGather, true);
    assert!((0.9..1.1).contains(&(gather.size.get() / (2.0 * 12.6e9 / 40.0))), "{gather:?}");
}

#[test]
fn an_all_reduce_counts_twice_on_the_bus() {
    let of_ddp = spans(&Scenario { strategy: Strategy::Ddp, ..default_scenario() });
    let (ddp, _) = traffic(&of_ddp, Work::AllReduce, true);
    near(ddp.bus.get(), ddp.size.get() * 2.0 * 63.0 / 64.0);
    let hybrid = Scenario { strategy: Strategy::HybridShard, shard_size: 4, ..default_scenario() };
    let of_hybrid = spans(&hybrid);
    let (gather, _) = traffic(&of_hybrid, Work::AllGather, true);
    let (across, _) = traffic(&of_hybrid, Work::AllReduce, true);
    assert_eq!((gather.ranks, across.ranks), (4.0, 16.0));
    near(across.bus.get(), across.size.get() * 2.0 * 15.0 / 16.0);
}

#[test]
fn where_a_span_holds_two_kinds_of_collectives_only_the_bus_is_counted() {
    // Shard groups of two nodes: their replicas use the same links, and follow in the shard lane.
    let hybrid = Scenario { strategy: Strategy::HybridShard, shard_size: 16, ..default_scenario() };
    let of_hybrid = spans(&hybrid);
    assert!(of_hybrid.iter().all(|span| span.work != Work::AllReduce));
    let (moved, _) = traffic(&of_hybrid, Work::ReduceScatter, true);
    assert_eq!(moved.kind, CollectiveKind::Several);
    assert!(moved.bus > Bytes::ZERO);
}

#[test]
fn dispatches_of_a_layer_send_every_copy_once() {
    let usual = default_scenario();
    let shape = Experts { num_experts: 16, num_experts_per_tok: 2, moe_intermediate_size: 2048, ..Experts::NONE };
    let architecture = Architecture { experts: shape, ..usual.model.architecture() };
    let experts = ExpertParallel { chunks: 4, dispatcher: Dispatcher::AllToAll, ..ExpertParallel::USUAL };
    let recompute = Recompute::None;
    let scenario = Scenario {
        model: Model::Custom { architecture },
        ep: 8,
        choices: Choices { experts, recompute, ..usual.choices },
        ..usual
    };
    let spans = spans(&scenario);
    let setup = scenario.setup();
    // Every token, twice, 2 bytes for each of its H elements.
    let tokens = f64::from(setup.batch.seq_len) * f64::from(setup.batch.micro_batch_size);
    let sent = 2.0 * 2.0 * tokens * f64::from(architecture.hidden_size);
    let (chunk, _) = traffic(&spans, Work::Dispatch, true);
    assert_eq!((chunk.ranks, chunk.kind), (8.0, CollectiveKind::AllToAll));
    near(4.0 * chunk.size.get(), sent);
    let products = of(&spans, Work::Experts, true);
    near(flops(products.last().unwrap()), 2.0 * flops(products.first().unwrap()));
    // A quarter of the layer's in each chunk.
    let units: UnitCosts<OperatorCost> = unit_costs(&setup, &Layers::mixture(1.0));
    near(4.0 * flops(products.first().unwrap()), units.experts_forward.amount.flops.get());
}

/// Recomputed layers dispatch their copies again; a layer on average has as many experts as its
/// share.
#[test]
fn dispatches_are_those_of_a_layer_s_share_of_experts() {
    let usual = default_scenario();
    let shape = Experts { num_experts: 16, num_experts_per_tok: 2, moe_intermediate_size: 2048, ..Experts::NONE };
    for (recompute, passes) in [(Recompute::None, 1.0), (Recompute::Full, 2.0)] {
        for (dense, share) in [(0, 1.0), (usual.model.architecture().num_hidden_layers / 2, 0.5)] {
            let experts = Experts { first_k_dense_replace: dense, ..shape };
            let architecture = Architecture { experts, ..usual.model.architecture() };
            let choices = Choices { experts: ExpertParallel::USUAL, recompute, ..usual.choices };
            let spans = spans(&Scenario { model: Model::Custom { architecture }, ep: 8, choices, ..usual });
            let sizes: Vec<f64> = of(&spans, Work::Dispatch, true)
                .iter()
                .map(|span| match span.amount {
                    Some(Amount::Traffic(traffic)) => traffic.size.get(),
                    other => panic!("{other:?}"),
                })
                .collect();
            let tokens = f64::from(usual.seq_len) * f64::from(usual.micro_batch_size);
            let sent = 2.0 * 2.0 * tokens * f64::from(architecture.hidden_size);
            near(*sizes.first().unwrap(), share * sent);
            near(*sizes.last().unwrap(), share * passes * sent);
        }
    }
}

#[test]
fn weights_that_are_gathered_again_come_from_their_own_group() {
    let scenario = Scenario { strategy: Strategy::ReshardTo, shard_size: 8, ..default_scenario() };
    let spans = spans(&scenario);
    let gathers = of(&spans, Work::AllGather, true);
    let ranks = |span: &Span| match span.amount {
        Some(Amount::Traffic(traffic)) => traffic.ranks,
        other => panic!("{other:?}"),
    };
    assert_eq!(gathers.first().map(ranks), Some(64.0));
    assert_eq!(gathers.last().map(ranks), Some(8.0));
}

#[test]
fn what_moves_nothing_has_no_amount() {
    // One GPU whose weights cross the host's link: no other GPU has any part of them.
    let mut scenario = Scenario { gpus: 1, strategy: Strategy::FullShard, ..default_scenario() };
    scenario.offload.parameters = true;
    let gathers = of(&spans(&scenario), Work::AllGather, true);
    assert!(!gathers.is_empty() && gathers.iter().all(|span| span.amount.is_none()), "{gathers:?}");
}
