//! Laws of collectives over random networks and groups: nothing passes a cut faster than its links
//! carry, and more of anything that is better takes no longer.

use crate::laws::laws;
use catalog::{CLUSTERS, cluster};
use engine::model::collectives::{AllToAll, Group, all_gather, all_reduce, all_to_all, reduce_scatter};
use engine::model::hardware::{Fabric, Host, Network, Rails, Topology};
use engine::units::{Bytes, BytesPerSecond, Seconds};
use links::decode;
use proptest::prelude::*;
use proptest::strategy::Strategy;

type Collective = fn(&Network, Group, Bytes) -> Seconds;

const COLLECTIVES: [Collective; 5] = [
    all_gather,
    reduce_scatter,
    all_reduce,
    |network, group, size| all_to_all(network, group, size, AllToAll::Linear),
    |network, group, size| all_to_all(network, group, size, AllToAll::TwoDimensional),
];

/// Rounding.
const NEAR: f64 = 1.0 + 1e-9;

fn any_network() -> impl Strategy<Value = Network> {
    let rates = (1.0..2000.0_f64, 0.1..200.0_f64, 0.2..1.0_f64, 0.2..1.0_f64);
    let hops = (0.0..20.0_f64, 0.0..500.0_f64);
    let fabric = (1.0..16.0_f64, any::<bool>());
    (0..CLUSTERS.len(), 1_u32..100, prop::option::of(1_u32..8), rates, hops, fabric, 1.0..2.0_f64).prop_map(
        |(place, node, hosts, (intra, inter, reached, between), (hop, far), (oversubscription, by_rails), passes)| {
            let gpus = hosts.map_or(0, |hosts| node.div_ceil(hosts));
            Network {
                gpus_per_node: node,
                intra_node: BytesPerSecond::from_gb_per_s(intra),
                inter_node: BytesPerSecond::from_gb_per_s(inter),
                intra_node_latency: Seconds::from_us(hop),
                inter_node_latency: Seconds::from_us(far),
                intra_node_efficiency: reached,
                inter_node_efficiency: between,
                all_reduce_passes: passes,
                fabric: Fabric { oversubscription, rails: if by_rails { Rails::Optimised } else { Rails::TopOfRack } },
                host: Host { gpus, ..Host::USUAL },
                ..CLUSTERS[place].network().unwrap().values
            }
        },
    )
}

/// A group of any number of GPUs, a power of two apart.
fn any_group() -> impl Strategy<Value = (u32, u32)> {
    (prop_oneof![1_u32..600, (0_u32..15).prop_map(|power| 1 << power)], (0_u32..8).prop_map(|power| 1 << power))
}

fn group_of((ranks, stride): (u32, u32), network: &Network) -> Group {
    Group::strided(ranks, stride, ranks * stride * 4, network)
}

/// The least time that the links around one node, and around one GPU, leave a collective of `size`
/// bytes.
fn floors(network: &Network, group: Group, size: f64) -> [f64; 5] {
    let (ranks, here, nodes) = (group.ranks, group.ranks_per_node, group.nodes());
    let [inside, outside] = [network.intra_node.get(), network.inter_node.get()];
    // What a node has to get of the others, and to give them, passes through the cards of its
    // ranks.
    let cut = if nodes > 1.0 { (nodes - 1.0) / nodes * size / (here * outside) } else { 0.0 };
    let link = if nodes > 1.0 { 0.0 } else { (ranks - 1.0) / ranks * size / inside };
    let away = (ranks - here) / ranks * size / outside;
    let gather = cut.max(link);
    let exchange = away.max(link);
    [gather, gather, (2.0 * cut).max(link), exchange, exchange]
}

proptest! {
    #![proptest_config(laws())]

    #[test]
    fn no_collective_is_faster_than_its_narrowest_cut(network in any_network(), group in any_group(), log in 0.0..36.0_f64) {
        let (group, size) = (group_of(group, &network), log.exp2());
        for (place, (collective, floor)) in COLLECTIVES.iter().zip(floors(&network, group, size)).enumerate() {
            let time = collective(&network, group, Bytes::new(size)).get();
            prop_assert!(time.is_finite() && time * NEAR >= floor, "{place}: {time} {floor} {group:?}");
        }
    }

    #[test]
    fn collectives_take_no_longer_on_better_networks(
        network in any_network(),
        group in any_group(),
        log in 0.0..36.0_f64,
        better in 1.0..4.0_f64,
    ) {
        let fabric = network.fabric;
        let faster = [
            Network { intra_node: network.intra_node * better, ..network },
            Network { inter_node: network.inter_node * better, ..network },
            Network { intra_node_latency: network.intra_node_latency / better, ..network },
            Network { inter_node_latency: network.inter_node_latency / better, ..network },
            Network { all_reduce_passes: (network.all_reduce_passes / better).max(1.0), ..network },
            Network {
                fabric: Fabric { oversubscription: (fabric.oversubscription / better).max(1.0), ..fabric },
                ..network
            },
            Network { fabric: Fabric { rails: Rails::Optimised, ..fabric }, ..network },
        ];
        let (group, size) = (group_of(group, &network), Bytes::new(log.exp2()));
        for (place, collective) in COLLECTIVES.iter().enumerate() {
            let time = collective(&network, group, size);
            prop_assert!(time <= collective(&network, group, size * better), "{place}: size");
            for (number, faster) in faster.iter().enumerate() {
                let then = collective(faster, group, size);
                prop_assert!(then.get() <= time.get() * NEAR, "{place}: {number}: {then:?} {time:?}");
            }
        }
    }

    /// The fastest of what NCCL chooses from is no slower than a ring over the same links.
    #[test]
    fn no_choice_is_slower_than_the_ring(network in any_network(), group in any_group(), log in 0.0..36.0_f64) {
        let group = group_of(group, &network);
        let size = Bytes::new(log.exp2());
        if group.ranks > 1.0 {
            let gathered = all_gather(&network, group, size);
            prop_assert!(all_reduce(&network, group, size).get() <= 2.0 * gathered.get().max(ring(&network, group, size)) * NEAR);
        }
    }
}

fn ring(network: &Network, group: Group, size: Bytes) -> f64 {
    let bus = engine::model::collectives::bus_bandwidth(network, group).get();
    let all = group.ranks - 1.0;
    let between = if group.crosses_nodes() { group.nodes().min(all) } else { 0.0 };
    let slice = size.get() / group.ranks / bus / 2.0;
    let shows = |latency: Seconds| (latency.get() - slice).max(0.0);
    let hops = between * shows(network.inter_node_latency) + (all - between) * shows(network.intra_node_latency);
    all / group.ranks * size.get() / bus + hops + 6.0 * network.intra_node_latency.get()
}

/// The node's slider from 64 to 72 GPUs, on racks of trays: groups of 16, 32 and 64 stay inside,
/// and those that leave a node take as many of its GPUs.
#[test]
fn there_is_no_jump_between_64_and_72_gpus_of_a_rack() {
    let rack = cluster("gb200-nvl72").unwrap().network().unwrap().values;
    let of = |node| Network { gpus_per_node: node, ..rack };
    for node in 64..=72 {
        for (ranks, stride) in [(16, 1), (32, 1), (64, 1), (4, 16), (8, 8), (2, 32), (256, 1), (512, 1)] {
            let [here, there] = [64, node].map(|node| Group::strided(ranks, stride, 1024, &of(node)));
            assert_eq!(
                (here.ranks_per_node, here.nodes()),
                (there.ranks_per_node, there.nodes()),
                "{node} {ranks} {stride}"
            );
        }
    }
}

/// The audit's three scenarios on 128 and 256 GB200: nodes of 64 and of 72 take the same time.
#[test]
fn steps_on_racks_of_72_are_those_of_64() {
    for link in [
        "cluster=gb200-nvl72&model=llama-3.1-405b&gpus=128&tp=16&strategy=zero1",
        "cluster=gb200-nvl72&model=llama-3-70b&gpus=256&strategy=hybrid-shard&shard=64",
        "cluster=gb200-nvl72&model=deepseek-v3&gpus=256&ep=32&strategy=zero1",
    ] {
        let step = |node: u32| decode(&format!("{link}&node={node}")).scenario.report().update.time.step.get();
        let [of_64, of_68, of_72] = [64, 68, 72].map(step);
        assert!(
            (of_72 / of_64 - 1.0).abs() < 0.02 && (of_68 / of_64 - 1.0).abs() < 0.02,
            "{link}: {of_64} {of_68} {of_72}"
        );
    }
}

/// Published bus bandwidths: 16 H100 of two A3 Mega over GPUDirect-TCPXO reduce 8 GB in 47.5 ms
/// (ztan's log of nccl-tests).
#[test]
fn two_a3_mega_reduce_as_logged() {
    let network = cluster("gcp-a3-mega").unwrap().network().unwrap().values;
    let group = Group::consecutive(16, 16, &network);
    for (size, logged_ms) in
        [(8_589_934_592.0, 47.535), (1_073_741_824.0, 6.759), (268_435_456.0, 2.361), (67_108_864.0, 1.262)]
    {
        let time = all_reduce(&network, group, Bytes::new(size)).ms();
        assert!((time / logged_ms - 1.0).abs() < 0.25, "{size}: {time} {logged_ms}");
    }
}

/// Four p4d take 70 ms for an all-reduce of 1 GB (NCCL issue 527).
#[test]
fn four_p4d_reduce_as_reported() {
    let network = cluster("p4d").unwrap().network().unwrap().values;
    let time = all_reduce(&network, Group::consecutive(32, 32, &network), Bytes::new(1_073_741_824.0)).ms();
    assert!((time / 70.0 - 1.0).abs() < 0.12, "{time}");
}

/// 128 nodes with eight ways of tensor parallelism each gather in seven steps, not around 127 hops;
/// hybrid sharding over racks too.
#[test]
fn one_rank_a_node_gathers_by_trees() {
    let network = cluster("dgx-h100").unwrap().network().unwrap().values;
    let group = Group::strided(128, 8, 1024, &network);
    assert_eq!((group.ranks_per_node, group.nodes()), (1.0, 128.0));
    let time = all_gather(&network, group, Bytes::new(1024.0));
    assert!(time.ms() < 0.7, "{}", time.ms());
    // Large messages go around the ring, at its full rate.
    let large = Bytes::new(8.6e9);
    let ringed = ring(&network, group, large);
    assert!((all_gather(&network, group, large).get() / ringed - 1.0).abs() < 1e-9);
}

/// 131,072 GPUs, and links of fewer as before.
#[test]
fn the_largest_runs_are_computed() {
    let decoded = decode("cluster=grand-teton&model=llama-3.1-405b&gpus=131072&tp=8&pp=16&strategy=zero1&accum=4");
    assert_eq!((decoded.scenario.gpus, decoded.issues), (131_072, vec![]));
    let report = decoded.scenario.report();
    assert!(
        report.update.time.step.get().is_finite() && report.update.mfu > 0.0 && report.update.mfu < 1.0,
        "{}",
        report.update.mfu
    );
    assert_eq!(Topology::Aware, decoded.scenario.network.values.topology);
}

/// Llama 3 8B under full sharding on p5 keeps most of its speed from 256 to 1,024 GPUs: with the
/// latency of another cluster on EFA it lost two thirds of it.
#[test]
fn full_sharding_scales_on_p5() {
    let mfu = |gpus: u32| {
        let link = format!("cluster=p5&model=llama-3-8b&strategy=full-shard&seq=4096&mbs=2&recompute=full&gpus={gpus}");
        decode(&link).scenario.report().update.mfu
    };
    let [few, more, most] = [256, 512, 1024].map(mfu);
    assert!(few > 0.29 && more > 0.95 * few && most > 0.8 * few, "{few} {more} {most}");
}
