//! Terms of the kernels of tensor and context parallelism, launches, mixtures and hybrids, each
//! against a number derived from its definition: a wrong term written together with its record
//! passes the guard.

use engine::model::adapters::modules;
use engine::model::collectives::{AllToAll, Group, all_gather, all_reduce, all_to_all, point_to_point, reduce_scatter};
use engine::model::comm::tp_cp::{Hiding, TpCpComm};
use engine::model::compute::roofline::{Operator, operator_cost};
use engine::model::compute::{UnitCosts, UnitTimes, launches, matmul_rate, memory_rate, unit_costs, unit_times};
use engine::model::cost::OperatorCost;
use engine::model::experts::exchange::{ExpertExchange, both_ways, dispatch_time, in_chunks};
use engine::model::experts::{Dispatcher, ExpertParallel};
use engine::model::flops::recurrent::executed;
use engine::model::flops::tower as tower_flops;
use engine::model::images::TowerTraining;
use engine::model::layer::{Block, Layers};
use engine::model::lengths::{Batching, Texts, lengths_from_texts};
use engine::model::memory::activations::{Moment, layer, mixer_bytes_per_token};
use engine::model::parallel::{ContextExchange, Mesh};
use engine::model::routing::{copies, local_experts, local_tokens, received};
use engine::model::setup::Setup;
use engine::model::software::{AttentionKernel, Graphs, NormKernel, RepeatedHeads, StateKernel};
use engine::model::stages::stages;
use engine::model::step::parts;
use engine::model::tower::{self, TowerCosts};
use engine::model::trained::Method;
use engine::model::training::{Batch, ComputeFormat, MfuConvention, Recompute, Reshard, Sharding};
use engine::model::transformer::Architecture;
use engine::model::transformer::pattern::{LayerKind, Mixer, Mlp, Pattern};
use engine::model::transformer::recurrent::{Recurrent, RecurrentKind};
use engine::units::{Bytes, Flops, Seconds};
use links::decode;

fn setup(link: &str) -> Setup {
    decode(link).scenario.setup()
}

fn close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} is not {expected}");
}

const UNHIDDEN: Hiding = Hiding {
    matmul: Seconds::ZERO,
    matmul_backward: Seconds::ZERO,
    attention: Seconds::ZERO,
    attention_backward: Seconds::ZERO,
};

/// A layer with a recurrent mixer alone.
const MIXER: Layers = Layers::NONE.with(Block::State, 1.0);

fn exchanges(setup: &Setup, shares: &Layers) -> TpCpComm {
    TpCpComm::new(setup, 2.0, &UNHIDDEN, shares)
}

/// Llama 3 8B: 32 heads of queries and 8 of keys and of values, 128 wide.
const LLAMA: &str = "cluster=dgx-h100&model=llama-3-8b&gpus=64&recompute=none&seq=32768";

fn in_context(link: &str, context: ContextExchange, sequence_heads: u32) -> Setup {
    let mut setup = setup(&format!("{LLAMA}&{link}"));
    (setup.context, setup.sequence_heads) = (context, sequence_heads);
    setup
}

/// A ring of n GPUs sends keys and values n - 1 times (arXiv 2310.01889), backward their gradients
/// as well: twice the time.
#[test]
fn a_ring_passes_keys_and_values_on_once_less_than_it_has_gpus() {
    for (cp, hops) in [(2_u32, 1.0), (4, 3.0)] {
        let setup = in_context(&format!("cp={cp}"), ContextExchange::Ring, 1);
        let network = &setup.network;
        let size = 2.0 * (8.0 * 128.0) * 2.0 * 32_768.0 / f64::from(cp);
        let rate = network.intra_node.get() * network.intra_node_efficiency;
        let hop = size / rate + network.intra_node_latency.get();
        let comm = exchanges(&setup, &Layers::DENSE);
        close(comm.layer_forward.get(), hops * hop);
        close(comm.layer_backward.get(), hops * (2.0 * hop));
        assert_eq!(comm.layer_between_nodes, Seconds::ZERO);
    }
}

/// Eight GPUs as two rings' worth of four: heads are exchanged among four, 4,096 columns of queries
/// and 2 x 1,024 of keys and values there and 4,096 back, and one hop joins the halves.
#[test]
fn heads_are_exchanged_inside_a_ring() {
    let setup = in_context("cp=8", ContextExchange::AllToAll, 4);
    let (network, sent) = (&setup.network, 2.0 * 32_768.0 / 8.0);
    let inside =
        |width: f64| all_to_all(network, Group::strided(4, 1, 64, network), Bytes::new(width * sent), AllToAll::Linear);
    let hop = point_to_point(network, Group::strided(2, 4, 64, network), false, Bytes::new(2048.0 * sent));
    let comm = exchanges(&setup, &Layers::DENSE);
    close(comm.layer_forward.get(), (inside(4096.0 + 2048.0) + inside(4096.0) + hop).get());
    close(comm.layer_backward.get(), (inside(4096.0 + 2048.0) + inside(4096.0) + 2.0 * hop).get());
}

/// Half of the heads on each GPU of two: half of the columns are exchanged.
#[test]
fn tensor_parallelism_splits_the_heads_that_are_exchanged() {
    let setup = in_context("tp=2&cp=4", ContextExchange::AllToAll, 4);
    let (network, sent) = (&setup.network, 2.0 * 32_768.0 / 4.0);
    let group = Group::strided(4, 2, 64, network);
    let inside = |width: f64| all_to_all(network, group, Bytes::new(width * sent), AllToAll::Linear);
    let of_tensor = exchanges(&setup, &Layers::DENSE).layer_tensor[0];
    let comm = exchanges(&setup, &Layers::DENSE).layer_forward - of_tensor;
    close(comm.get(), (inside(2048.0 + 1024.0) + inside(2048.0)).get());
}

/// Keys and values are gathered before attention, in the backward pass again, and their gradients
/// reduced after it (arXiv 2407.21783, section 3.3.2). Sixteen GPUs are two nodes.
#[test]
fn gathered_keys_and_values_have_reduced_gradients() {
    let setup = in_context("cp=16", ContextExchange::AllGather, 1);
    let (network, size) = (&setup.network, Bytes::new(2.0 * 1024.0 * 2.0 * 32_768.0));
    let group = Group::consecutive(16, 64, network);
    let (gather, scatter) = (all_gather(network, group, size), reduce_scatter(network, group, size));
    let comm = exchanges(&setup, &Layers::DENSE);
    close(comm.layer_forward.get(), gather.get());
    close(comm.layer_backward.get(), (gather + scatter).get());
    close(comm.layer_between_nodes.get(), (2.0 * gather + scatter).get());
}

/// The whole output of Nemotron 3 Nano's input projection and the scan's output (64 heads of 64)
/// are exchanged for heads (`MambaContextParallel`): 2 x 4,096 + 2 x 8 x 128 + 64 columns there.
#[test]
fn a_mixer_exchanges_its_tokens_for_heads_in_either_pass() {
    let mut setup = setup("cluster=dgx-h100&model=nemotron-3-nano&gpus=64&cp=4&recompute=none&seq=32768");
    setup.context = ContextExchange::Ring;
    let (network, sent) = (&setup.network, 2.0 * 32_768.0 / 4.0);
    let group = Group::consecutive(4, 64, network);
    let exchange = |width: f64| all_to_all(network, group, Bytes::new(width * sent), AllToAll::Linear);
    let once = exchange(8192.0 + 2048.0 + 64.0) + exchange(4096.0);
    let comm = exchanges(&setup, &MIXER);
    close(comm.layer_forward.get(), once.get());
    close(comm.layer_backward.get(), once.get());
    let none = exchanges(&setup, &Layers::NONE);
    assert_eq!(none.layer_forward, Seconds::ZERO);
}

/// Two all-reduces of `e T H` bytes in each pass (arXiv 1909.08053, section 3), one each for
/// embedding and head, and maximum, sum and target's logit of each token in fp32 for the loss;
/// recomputed layers repeat those of the forward pass. With sequence parallelism a gather and a
/// scatter replace each (arXiv 2205.05198, section 4.2.2).
#[test]
fn tensor_parallelism_reduces_twice_a_layer_and_pass() {
    for (recompute, repeated) in [(Recompute::None, 0.0), (Recompute::Full, 1.0)] {
        for sequence in [false, true] {
            let mut setup = setup(&format!("{LLAMA}&tp=8"));
            (setup.recompute, setup.tensor.sequence_parallel, setup.tensor.asynchronous) = (recompute, sequence, false);
            let network = &setup.network;
            let group = Group::consecutive(8, 64, network);
            let size = Bytes::new(2.0 * 32_768.0 * 4096.0);
            let pair = if sequence {
                all_gather(network, group, size) + reduce_scatter(network, group, size)
            } else {
                all_reduce(network, group, size)
            };
            let statistics = all_reduce(network, group, Bytes::new(3.0 * 4.0 * 32_768.0));
            let comm = exchanges(&setup, &Layers::DENSE);
            close(comm.layer_forward.get(), 2.0 * pair.get());
            close(comm.layer_backward.get(), 2.0 * (1.0 + repeated) * pair.get());
            close(comm.embedding.get(), pair.get());
            close(comm.head.get(), (pair + statistics).get());
            assert_eq!((comm.layer_between_nodes, comm.ends_between_nodes), (Seconds::ZERO, Seconds::ZERO));
        }
    }
    let crossing = exchanges(&setup(&format!("{LLAMA}&tp=16")), &Layers::DENSE);
    close(crossing.layer_between_nodes.get(), (crossing.layer_forward + crossing.layer_backward).get());
    close(crossing.ends_between_nodes.get(), (crossing.embedding + crossing.head).get());
}

/// Host times in units of one layer's launches, simple numbers: a half for each of attention and
/// MLP.
fn host(link: &str) -> Setup {
    let mut setup = setup(link);
    let overheads = &mut setup.overheads;
    (overheads.launch, overheads.launch_casts, overheads.launch_beside_graphs) = (10.0, 3.0, 0.25);
    (overheads.launch_exchange, overheads.launch_context, overheads.launch_latent) = (1.0, 2.0, 4.0);
    (overheads.launch_experts, overheads.launch_expert, overheads.launch_backward) = (100.0, 7.0, 0.5);
    setup.accelerator.efficiency.launch_per_layer = Seconds::new(1.0);
    setup.network.host.speed = 1.0;
    setup
}

fn launched(setup: &Setup, shares: &Layers) -> f64 {
    launches::forward(setup, shares).get()
}

/// The slowest of n hosts takes `1 + 0.05 sqrt(2 ln n)` times the mean; 2, 4 and 8 hosts.
#[test]
fn exchanges_are_launched_too() {
    // DeepSpeed's tensor parallelism has no `DTensor`s.
    let of = |link: &str| launched(&host(&format!("{LLAMA}&framework=deepspeed&{link}")), &Layers::DENSE);
    let slowest = |hosts: f64| 1.0 + 0.05 * (2.0 * hosts.ln()).sqrt();
    close(of("tp=1"), 10.0);
    close(of("tp=2"), (10.0 + 1.0) * slowest(2.0));
    close(of("tp=8"), (10.0 + 1.0) * slowest(8.0));
    close(of("cp=4"), 10.0 + 2.0);
    close(of("tp=4&cp=4"), (10.0 + 1.0 + 2.0) * slowest(4.0));
    // A host of twice the speed.
    let mut fast = host(&format!("{LLAMA}&framework=deepspeed&tp=2&cp=4"));
    fast.network.host.speed = 2.0;
    close(launched(&fast, &Layers::DENSE), 0.5 * (10.0 + 1.0 + 2.0) * slowest(2.0));
}

/// Casts to 8 bits are launched with each block, latent attention's with attention; a compiler
/// leaves two fifths; a graph of the step launches nothing.
#[test]
fn launches_of_a_layer_are_those_of_its_blocks() {
    let setup = host(&format!("{LLAMA}&framework=pytorch"));
    for (shares, blocks) in [
        (Layers::DENSE.with(Block::Mlp, 0.0), 0.5),
        (Layers::DENSE.with(Block::Attention, 0.0), 0.5),
        (MIXER, 0.5),
        (Layers::DENSE.with(Block::State, 1.0), 1.5),
    ] {
        close(launched(&setup, &shares), 10.0 * blocks);
    }
    let with = |change: &dyn Fn(&mut Setup)| {
        let mut setup = setup;
        change(&mut setup);
        launched(&setup, &Layers::DENSE)
    };
    close(with(&|setup| setup.compute_format = ComputeFormat::Fp8), 3.0 * 10.0);
    close(with(&|setup| setup.kernels.compile = true), 0.4 * 10.0);
    assert_eq!(with(&|setup| setup.kernels.graphs = Graphs::Step), 0.0);
    close(launched(&host("cluster=dgx-h100&model=deepseek-v3&gpus=64&framework=pytorch"), &Layers::DENSE), 14.0);
    // Backward: half of the forward pass's time, and recomputed layers once more.
    let mut setup = setup;
    for (recompute, factor) in [(Recompute::None, 0.5), (Recompute::Full, 1.5)] {
        setup.recompute = recompute;
        close(launches::backward(&setup, Seconds::new(8.0)).get(), 8.0 * factor);
    }
}

/// Router and exchanges of Mixtral's eight experts, two on each of four GPUs; one set for each
/// expert where they run one by one. A faster host gains nothing.
#[test]
fn experts_are_launched_one_by_one_unless_grouped() {
    let mut setup = host("cluster=dgx-h100&model=mixtral-8x7b&gpus=64&ep=4&framework=pytorch");
    setup.network.host.speed = 5.0;
    let all = Layers::mixture(1.0);
    setup.experts.grouped = true;
    close(launched(&setup, &all), 10.0 / 5.0 + 100.0);
    setup.experts.grouped = false;
    close(launched(&setup, &all), 10.0 / 5.0 + 100.0 + 2.0 * 7.0);
    close(launched(&setup, &Layers::mixture(0.25)), 10.0 / 5.0 + 0.25 * (100.0 + 14.0));
    setup.kernels.graphs = Graphs::Layers;
    close(launched(&setup, &all), 0.25 * 114.0);
}

/// Loops of transformers' code over tokens or chunks, in launches over the 35 of a layer: five for
/// each of 1,024 tokens in Mamba, three in RG-LRU, nine for each of 16 chunks of 64 under delta
/// rules, twelve for each of 4 of 256 in lightning attention.
#[test]
fn loops_of_mixers_are_launched_step_by_step() {
    for (kind, kernels) in [
        (RecurrentKind::Mamba, 5.0 * 1024.0),
        (RecurrentKind::RgLru, 3.0 * 1024.0),
        (RecurrentKind::GatedDelta, 9.0 * 16.0),
        (RecurrentKind::KimiDelta, 9.0 * 16.0),
        (RecurrentKind::Lightning, 12.0 * 4.0),
        (RecurrentKind::Mamba2, 0.0),
    ] {
        let mut setup = hybrid(kind, 1, 1);
        setup.kernels.state = StateKernel::Eager;
        close(launched(&setup, &MIXER), 10.0 * (0.5 + kernels / 35.0));
        let mut halved = hybrid(kind, 1, 2);
        halved.kernels.state = StateKernel::Eager;
        close(launched(&halved, &MIXER), 10.0 * (0.5 + kernels / 2.0 / 35.0) + 2.0);
        setup.kernels.state = StateKernel::Fused;
        close(launched(&setup, &MIXER), 10.0 * 0.5);
    }
}

/// Two layers with a mixer of 8 heads of 16 channels, 4 heads of keys of 32 and a rank of 8, and
/// nothing else, over 1,024 tokens: I = 128 channels of values and K = 128 of keys.
fn hybrid(kind: RecurrentKind, tp: u32, cp: u32) -> Setup {
    let mut setup = host(&format!(
        "cluster=dgx-h100&model=llama-3-8b&gpus=8&recompute=none&seq=1024&mbs=1&accum=1&tp={tp}&cp={cp}&framework=pytorch"
    ));
    let recurrent = Recurrent {
        kind,
        heads: 8,
        head_dim: 16,
        key_heads: 4,
        key_dim: 32,
        conv_kernel: 4,
        rank: 8,
        ..Recurrent::NONE
    };
    let mixer = LayerKind { mixer: Mixer::Recurrent, mlp: Mlp::None };
    let list =
        Architecture { num_hidden_layers: 2, pattern: Pattern::from_layers([mixer]), recurrent, ..setup.architecture };
    setup.architecture = list;
    setup
}

const KINDS: [RecurrentKind; 7] = [
    RecurrentKind::Mamba,
    RecurrentKind::Mamba2,
    RecurrentKind::GatedDelta,
    RecurrentKind::KimiDelta,
    RecurrentKind::Lightning,
    RecurrentKind::RgLru,
    RecurrentKind::ShortConv,
];

/// FLOPs a token of the kernels, in the order of [`KINDS`]. Mamba: seven for each of I x 32
/// elements of the state. Mamba-2, chunks of Q = 256: `2 Q (K + I) + 4 x 32 I`. Delta rules, Q =
/// 64, for each head `6 x 32 x 16 + 2 Q (3 x 32 + 2 x 16)`. Lightning, Q = 256, for each head `4 Q
/// 16 + 4 x 16²`. RG-LRU: four for each channel. A convolution of four: eight for each channel.
const EXECUTED: [f64; 7] = [
    7.0 * 128.0 * 32.0,
    2.0 * 256.0 * 256.0 + 4.0 * 32.0 * 128.0,
    8.0 * (3072.0 + 16_384.0),
    8.0 * (3072.0 + 16_384.0),
    8.0 * (16_384.0 + 1024.0),
    4.0 * 128.0,
    8.0 * 128.0,
];

/// Elements a token that the fused kernels read and write, in units of 128, and bytes of the states
/// in fp32 that cross memory four times, a Q-th for each token.
const STREAMED: [(f64, f64); 7] = [
    // Convolution 2 I, scan 4 I, gate and norm 3 I.
    (2.0 + 4.0 + 3.0, 0.0),
    // The convolution covers B and C too: 2 (I + 2 K).
    (2.0 * 3.0 + 3.0 + 3.0 + 3.0, 16.0 * 4096.0 / 256.0),
    (2.0 * 3.0 + 5.0 + 5.0 + 3.0, 16.0 * 4096.0 / 64.0),
    (2.0 * 3.0 + 5.0 + 5.0 + 3.0, 16.0 * 4096.0 / 64.0),
    (6.0 + 3.0, 16.0 * 2048.0 / 256.0),
    (2.0 + 8.0 + 3.0, 0.0),
    (2.0 + 3.0, 0.0),
];

#[test]
fn tensor_parallelism_splits_the_kernels_of_mixers() {
    for ((kind, flops), (widths, states)) in KINDS.into_iter().zip(EXECUTED).zip(STREAMED) {
        for tp in [1, 2] {
            let mut setup = hybrid(kind, tp, 1);
            close(executed(&setup.architecture.recurrent).get(), flops);
            let tokens = 2.0 * 1024.0 / f64::from(tp);
            // Backward: three and a half times the forward pass.
            let fused = operator_cost(&parts(&setup), Operator::StateCore);
            close(fused.amount.flops.get(), 4.5 * tokens * flops);
            close(fused.amount.bytes.get(), 4.5 * tokens * (2.0 * 128.0 * widths + states));
            // Operator by operator: each kept tensor is written and read, and twice that backward.
            setup.kernels.state = StateKernel::Eager;
            let eager = operator_cost(&parts(&setup), Operator::StateCore);
            close(eager.amount.flops.get(), 3.0 * tokens * flops);
            close(eager.amount.bytes.get(), 3.0 * 2.0 * 2.0 * 1024.0 * mixer_bytes_per_token(&setup, 2.0));
            let rate = setup.accelerator.peak_32bit * setup.accelerator.efficiency.attention;
            close(eager.time.get(), (eager.amount.flops / rate + eager.amount.bytes / memory_rate(&setup)).get());
        }
    }
}

/// Columns of the input projection, weights between the projections, and whether there are two
/// products more, to and from the rank of 8 or the gates' blocks.
#[test]
fn products_of_mixers_are_their_projections() {
    let shapes = [
        (256.0, 128.0 * (8.0 + 64.0) + 8.0 * 128.0, true),
        (2.0 * 128.0 + 2.0 * 128.0 + 8.0, 0.0, false),
        (2.0 * 128.0 + 2.0 * 128.0 + 16.0, 0.0, false),
        (2.0 * 128.0 + 128.0 + 8.0 + 16.0, 8.0 * 256.0, true),
        (4.0 * 128.0, 0.0, false),
        (256.0, 2.0 * 128.0 * 16.0, true),
        (3.0 * 128.0, 0.0, false),
    ];
    for (kind, (columns, middle, is_more)) in KINDS.into_iter().zip(shapes) {
        for tp in [1.0, 2.0] {
            let found = operator_cost(&parts(&hybrid(kind, tp as u32, 1)), Operator::Projections).amount;
            let weights = (4096.0 * (columns + 128.0) + middle) / tp;
            let rows = 4096.0 + 128.0 / tp + columns / tp + 4096.0;
            let rows = rows + if is_more { 2.0 * (128.0 / tp + 8.0) } else { 0.0 };
            // Two layers, three products of each matrix, two bytes an element.
            close(found.flops.get(), 2.0 * 3.0 * 2.0 * 1024.0 * weights);
            close(found.bytes.get(), 2.0 * 3.0 * 2.0 * (weights + 1024.0 * rows));
        }
    }
}

/// Each product reads its weights and its input and writes its output, once in each of three
/// passes: queries, keys and values in one product, the output, gate and up in one, down.
#[test]
fn products_read_their_operands_and_write_their_result() {
    for tp in [1.0, 2.0] {
        let setup = setup(&format!("{LLAMA}&mbs=1&accum=1&tp={tp}"));
        let (found, tokens) = (parts(&setup), 32_768.0);
        let bytes = |weights: f64, rows: f64| 32.0 * 3.0 * 2.0 * (weights + tokens * rows);
        let (query, key, wide) = (4096.0 / tp, 1024.0 / tp, 14_336.0 / tp);
        let attention = operator_cost(&found, Operator::Projections).amount;
        close(
            attention.bytes.get(),
            bytes(4096.0 * (2.0 * query + 2.0 * key), 4096.0 + query + (query + 2.0 * key) + 4096.0),
        );
        close(attention.flops.get(), 32.0 * 6.0 * tokens * 4096.0 * (2.0 * query + 2.0 * key));
        let mlp = operator_cost(&found, Operator::Mlp).amount;
        close(mlp.bytes.get(), bytes(3.0 * 4096.0 * wide, 4096.0 + wide + 2.0 * wide + 4096.0));
        close(mlp.flops.get(), 32.0 * 6.0 * tokens * 3.0 * 4096.0 * wide);
    }
}

/// Scores of Llama 3 8B, 4,096 channels of queries by the keys before each query: two products
/// forward and five backward in fused kernels, four in unfused ones, which compute the whole
/// square. Queries, keys, values and output are read or written, backward with their gradients;
/// scores move 24 bytes each, attention in 8 bits casts its inputs (12 bytes an element).
#[test]
fn the_core_of_attention_is_its_scores_and_their_operands() {
    let (tokens, keys) = (8192.0, 8192.0);
    for (kernel, counted, backward) in [
        (AttentionKernel::Flash, 0.5 * (keys + 1.0), 2.5),
        (AttentionKernel::Flash8bit, 0.5 * (keys + 1.0), 2.5),
        (AttentionKernel::Unfused, keys, 2.0),
    ] {
        for tp in [1.0, 2.0] {
            let mut setup = setup(&format!("{LLAMA}&seq=8192&mbs=1&accum=1&tp={tp}&framework=megatron"));
            (setup.kernels.attention, setup.kernels.repeated_heads) = (kernel, RepeatedHeads::No);
            let core = operator_cost(&parts(&setup), Operator::AttentionCore).amount;
            let forward = 32.0 * 4.0 * (4096.0 / tp) * tokens * counted;
            assert!((core.flops.get() / ((1.0 + backward) * forward) - 1.0).abs() < 2e-4, "{kernel:?} {core:?}");
            let widths = (2.0 * 4096.0 + 2.0 * 1024.0) / tp;
            let more = match kernel {
                AttentionKernel::Flash8bit => 12.0 * widths,
                AttentionKernel::Unfused => 24.0 * 32.0 / tp * keys,
                _ => 0.0,
            };
            close(core.bytes.get(), 32.0 * tokens * ((1.0 + 2.0) * 2.0 * widths + more));
        }
    }
    // Each GPU of a ring sees the keys of all.
    let ring =
        operator_cost(&parts(&setup(&format!("{LLAMA}&seq=8192&mbs=1&accum=1&cp=2"))), Operator::AttentionCore).amount;
    close(ring.bytes.get(), 32.0 * 4096.0 * 3.0 * 2.0 * (2.0 * 4096.0 + 2.0 * 2.0 * 1024.0));
}

/// With A the output size that halves a product's rate, an m x k by k x n product takes `2 k A`
/// more: V columns of H forward, `2 V A` for the input's gradient, `2 T A` for the weight's. The
/// standard loss moves 32 bytes a logit.
#[test]
fn the_last_wave_of_the_head_is_part_of_each_pass() {
    let mut setup = setup("cluster=dgx-h100&model=llama-3-8b&gpus=8&seq=8192&mbs=1&accum=1&loss=standard");
    let (tokens, hidden, columns) = (8192.0, 4096.0, 128_256.0);
    let head = |setup: &Setup| operator_cost(&parts(setup), Operator::Head);
    setup.accelerator.efficiency.half_saturation_tokens = 0.0;
    let whole = head(&setup);
    close(whole.amount.flops.get(), 6.0 * tokens * hidden * columns);
    let operands = hidden * columns + tokens * (hidden + columns);
    close(whole.amount.bytes.get(), 3.0 * 2.0 * operands + 32.0 * tokens * columns);
    let loss = Bytes::new(32.0 * tokens * columns) / memory_rate(&setup);
    close((whole.time - loss).get(), (whole.amount.flops / matmul_rate(&setup)).get());
    setup.accelerator.efficiency.half_saturation_tokens = 512.0;
    let half = 512.0 * 4096.0;
    let longer = Flops::new(2.0 * half * (hidden + columns + tokens)) / matmul_rate(&setup);
    close((head(&setup).time - whole.time).get(), longer.get());
}

/// One and two modules that predict further tokens: a head and a projection of `2 H x H` for each.
#[test]
fn each_further_token_has_a_head_and_a_projection() {
    let flops = |mtp: u32| {
        let mut setup = setup("cluster=dgx-h100&model=llama-3-8b&gpus=8&seq=8192&mbs=1&accum=1&tp=2");
        setup.mtp = mtp;
        operator_cost(&parts(&setup), Operator::Head).amount.flops.get()
    };
    let (head, projection) = (4096.0 * 128_256.0 / 2.0, 2.0 * 4096.0 * 4096.0 / 2.0);
    for mtp in [0.0, 1.0, 2.0] {
        close(flops(mtp as u32), 6.0 * 8192.0 * ((1.0 + mtp) * head + mtp * projection));
    }
}

/// Half of the element-wise traffic is on the residual stream, which sequence parallelism splits,
/// half on hidden tensors as wide as two of `4 H`; unfused norms move 82 bytes an element each
/// (`LlamaRMSNorm`), rotary positions 40 for each of queries and keys. The embedding reads and
/// writes 4 bytes an element in either pass.
#[test]
fn element_wise_work_is_of_the_residual_stream_and_of_hidden_tensors() {
    let of_kernels = |tp: f64, norms: NormKernel, framework: &str| {
        let mut setup = setup(&format!("{LLAMA}&mbs=1&accum=1&tp={tp}&framework={framework}"));
        (setup.overheads.elementwise_bytes, setup.kernels.norms, setup.kernels.compile) = (100.0, norms, false);
        setup.tensor.sequence_parallel = true;
        operator_cost(&parts(&setup), Operator::Elementwise).amount.bytes.get() / 32_768.0
    };
    for tp in [1.0, 2.0] {
        let hidden = 3.0 * 14_336.0 / tp / 8.0;
        let fused = 32.0 * 50.0 * (4096.0 / tp + hidden) + 2.0 * 4.0 * 4096.0;
        close(of_kernels(tp, NormKernel::Fused, "megatron"), fused);
        let norms = 32.0 * 2.0 * (32.0 + 50.0) * 4096.0 / tp;
        close(of_kernels(tp, NormKernel::Upcast, "megatron"), fused + norms);
        let rotary = 32.0 * 40.0 * (4096.0 + 1024.0) / tp;
        close(of_kernels(tp, NormKernel::Fused, "pytorch"), fused + rotary);
    }
}

/// Mixtral: two of eight experts, 3 x 4,096 x 14,336 weights each, two experts on each GPU of four.
fn mixtral(link: &str) -> Setup {
    let mut setup = setup(&format!(
        "cluster=dgx-h100&model=mixtral-8x7b&gpus=64&ep=4&seq=8192&mbs=1&accum=1&recompute=none&{link}"
    ));
    setup.experts = ExpertParallel::USUAL;
    setup.accelerator.efficiency.half_saturation_tokens = 0.0;
    setup
}

const EXPERT: f64 = 3.0 * 4096.0 * 14_336.0;

/// Tensor parallelism splits the tokens, GPUs that share an expert gather each other's copies, and
/// the busiest GPU receives more.
#[test]
fn copies_go_to_experts_and_arrive_there() {
    let mut setup = mixtral("tp=2");
    assert_eq!((local_tokens(&setup), copies(&setup)), (4096.0, 2.0 * 4096.0));
    (setup.mesh.etp, setup.experts.imbalance, setup.experts.capacity_factor) = (2, 1.25, 1.5);
    assert_eq!((copies(&setup), received(&setup)), (2.0 * 1.5 * 4096.0, 2.0 * 1.25 * 2.0 * 1.5 * 4096.0));
    assert_eq!(local_experts(&setup), 2.0);
}

/// FLOPs of copies that arrive; two experts' weights are read, and each copy's rows. In one kernel
/// the two experts are padded by half a tile of 128 rows each.
#[test]
fn products_of_experts_are_of_copies() {
    let setup = mixtral("");
    let found = operator_cost(&parts(&setup), Operator::Experts);
    let copies = 2.0 * 8192.0;
    close(found.amount.flops.get(), 32.0 * 6.0 * copies * EXPERT);
    let rows = 4096.0 + 14_336.0 + 2.0 * 14_336.0 + 4096.0;
    close(found.amount.bytes.get(), 32.0 * 3.0 * 2.0 * (2.0 * EXPERT + copies * rows));
    let padded = Flops::new(32.0 * 6.0 * (copies + 2.0 * 64.0) * EXPERT);
    close(found.time.get(), (padded / matmul_rate(&setup)).get());
    let mut one_by_one = setup;
    one_by_one.experts.grouped = false;
    close(
        operator_cost(&parts(&one_by_one), Operator::Experts).time.get(),
        (found.amount.flops / matmul_rate(&setup)).get(),
    );
}

/// The last wave of tiles once for a grouped kernel, once for each expert otherwise: `2 (H + F) A`
/// forward, `2 (2 F + H) A` for the input's gradient; the weight gradients contract each expert's
/// own rows, `2 x 2 A` for each.
#[test]
fn the_last_wave_of_experts_is_shared_by_a_grouped_kernel() {
    let (half, rows) = (512.0 * 4096.0, 2.0 * 8192.0);
    for (grouped, launches, contracted) in [(true, 1.0, rows / 2.0 + 64.0), (false, 2.0, rows)] {
        let mut setup = mixtral("");
        setup.experts.grouped = grouped;
        let passes = |setup: &Setup| {
            let units = unit_times(setup, &Layers::mixture(1.0));
            [units.experts_forward, units.experts_backward]
        };
        let whole = passes(&setup);
        setup.accelerator.efficiency.half_saturation_tokens = 512.0;
        let longer = passes(&setup);
        let rate = matmul_rate(&setup);
        let [forward, backward] = [longer[0] - whole[0], longer[1] - whole[1]].map(Seconds::get);
        close(forward, (Flops::new(2.0 * half * launches * (4096.0 + 14_336.0)) / rate).get());
        let gradients = launches * (2.0 * 14_336.0 + 4096.0) + 2.0 * contracted;
        close(backward, (Flops::new(2.0 * half * gradients) / rate).get());
    }
}

/// Four copies of 16 bits a pass are read and written to sort tokens by expert, two with a fused
/// dispatcher; a third of the traffic is forward.
#[test]
fn tokens_are_sorted_by_expert_and_back() {
    for (dispatcher, bytes) in [(Dispatcher::AllToAll, 32.0), (Dispatcher::Fused, 16.0)] {
        let mut setup = mixtral("");
        (setup.experts.dispatcher, setup.overheads.elementwise_bytes) = (dispatcher, 0.0);
        let units: UnitCosts<OperatorCost> = unit_costs(&setup, &Layers::mixture(1.0));
        let (copies, rows) = (2.0 * 8192.0, 2.0 * 4096.0 + 3.0 * 14_336.0);
        let products = 2.0 * (2.0 * EXPERT + copies * rows);
        close(units.experts_forward.amount.bytes.get() - products, copies * bytes * 4096.0 / 3.0);
        close(units.experts_backward.amount.bytes.get() - 2.0 * products, copies * bytes * 4096.0 * 2.0 / 3.0);
    }
}

/// Each GPU sends its 2 T copies of H elements of 2 bytes, as often as imbalance and capacity say;
/// two GPUs that share an expert gather as much from each other.
#[test]
fn a_dispatch_sends_each_copy_once() {
    let mut setup = mixtral("");
    let network = setup.network;
    let sent = Bytes::new(2.0 * 8192.0 * 4096.0 * 2.0);
    let to_experts = |size| all_to_all(&network, Group::consecutive(4, 64, &network), size, AllToAll::Linear);
    close(dispatch_time(&setup).get(), to_experts(sent).get());
    assert_eq!(both_ways(&setup), 2.0 * dispatch_time(&setup));
    (setup.experts.imbalance, setup.experts.capacity_factor, setup.experts.chunks) = (1.5, 2.0, 3);
    close(dispatch_time(&setup).get(), (3.0 * to_experts(sent)).get());
    setup.experts = ExpertParallel::USUAL;
    setup.mesh = Mesh { tp: 2, etp: 2, dp_shard: 32, ..setup.mesh };
    let (half, sharing) = (0.5 * sent, Group::consecutive(2, 64, &network));
    let among = all_to_all(&network, Group::strided(4, 2, 64, &network), half, AllToAll::Linear);
    close(dispatch_time(&setup).get(), (among + all_gather(&network, sharing, 2.0 * half)).get());
}

/// Dispatch and combine are exposed unless another micro-batch's compute hides them: what exceeds
/// it, and the slow-down of what overlaps. Full recomputation repeats those of the forward pass.
#[test]
fn exchanges_of_experts_are_exposed_or_slow_the_compute_that_hides_them() {
    let mut setup = mixtral("");
    setup.overheads.contention = 1.25;
    let units = unit_times(&setup, &Layers::mixture(1.0));
    let both = both_ways(&setup);
    let alone = ExpertExchange::new(&setup, &units);
    assert_eq!((alone.forward, alone.backward), (both, both));
    close(alone.exposed_forward.get(), both.get());
    close(alone.exposed_backward.get(), both.get());
    setup.experts.across_micro_batches = true;
    let times = UnitTimes { layer_forward: 4.0 * both, layer_backward: 0.25 * both, ..units };
    let hidden = ExpertExchange::new(&setup, &times);
    close(hidden.exposed_forward.get(), 0.25 * both.get());
    close(hidden.exposed_backward.get(), (0.25 * 0.25 + 0.75) * both.get());
    setup.recompute = Recompute::Full;
    assert_eq!(ExpertExchange::new(&setup, &times).backward, 2.0 * both);
    // Two chunks of 2 ms each way beside 3 ms of products: 2 x 2 / 2 + 3 ms, less the products.
    let shown = in_chunks(Seconds::from_ms(4.0), Seconds::from_ms(3.0), 2);
    close(shown.ms(), 2.0);
    // Four groups of four GPUs cover two nodes.
    setup.mesh.etp = 4;
    assert!(ExpertExchange::new(&setup, &units).crosses && !alone.crosses);
}

/// `MaxText`'s `minimal` keeps every product's output but the last: the layer's input, the
/// attention block's output, queries, keys and values, gate and up.
#[test]
fn maxtext_keeps_the_outputs_of_products() {
    let llama = setup("cluster=tpu-v5p-pod&model=llama-3-8b&gpus=8&framework=maxtext&recompute=selective");
    assert!(llama.traits().selective_keeps_products);
    let kept = layer(&llama, 2.0, &Layers::DENSE).kept;
    assert_eq!(kept, 2.0 * (2.0 * 4096.0 + (4096.0 + 2.0 * 1024.0) + 2.0 * 14_336.0));
    // DeepSeek V3: ranks of 1,536 and 512 before and after their norms, and 64 rotary dimensions.
    let deepseek = setup("cluster=tpu-v5p-pod&model=deepseek-v3&gpus=8&framework=maxtext&recompute=selective");
    let latent = 2.0 * (1536.0 + 512.0) + 64.0;
    let kept = layer(&deepseek, 2.0, &Layers::DENSE).kept;
    assert_eq!(kept, 2.0 * (2.0 * 7168.0 + latent + 2.0 * 18_432.0));
}

/// Gradients stop above the frozen layers, unless embeddings or images below are trained.
#[test]
fn gradients_stop_at_frozen_layers_unless_something_below_is_trained() {
    let below = |change: &dyn Fn(&mut Setup)| {
        let mut setup = setup("cluster=dgx-h100&model=llama-3-8b&gpus=8");
        (setup.trained.method, setup.trained.frozen_layers) = (Method::Layers, 10);
        change(&mut setup);
        let params = stages(&setup).first.params;
        close(params.trained.layer, params.held.layer * 22.0 / 32.0);
        params.below
    };
    assert_eq!(below(&|setup| setup.trained.embeddings = false), 10.0);
    assert_eq!(below(&|setup| setup.trained.embeddings = true), 0.0);
    let mut images = setup("cluster=dgx-h100&model=gemma-3-4b-vision&gpus=8");
    (images.trained.method, images.trained.frozen_layers, images.trained.embeddings) = (Method::Layers, 10, false);
    images.images.per_sequence = 0;
    assert_eq!(stages(&images).first.params.below, 10.0);
    (images.images.per_sequence, images.images.trains_projector) = (1, true);
    assert_eq!(stages(&images).first.params.below, 0.0);
}

/// 32 layers over four stages, of which the ends may be asked for: the others share what is left,
/// the remainder between the ends.
#[test]
fn one_layer_may_be_asked_of_either_end() {
    let of = |link: &str| {
        let all =
            stages(&setup(&format!("cluster=dgx-h100&model=llama-3-8b&gpus=8&pp=4&accum=8&framework=megatron&{link}")));
        [Some(all.first), all.between, all.last].map(|stage| stage.unwrap().layers)
    };
    assert_eq!(of(""), [8, 8, 8]);
    assert_eq!(of("lastlayers=1"), [10, 11, 1]);
    assert_eq!(of("firstlayers=1"), [1, 11, 10]);
    assert_eq!(of("firstlayers=1&lastlayers=1"), [1, 15, 1]);
}

/// The MLP's last product leaves the gradients of its input and its weight, the product of gate and
/// up creates those of both; the gradient of the block's output is there, under sequence
/// parallelism gathered. Unfused, two gradients of the scores in 16 bits meet all weights'
/// gradients of the MLP and the output projection's.
#[test]
fn gradients_inside_a_backward_pass_are_those_of_its_products() {
    for tp in [1.0, 2.0] {
        let mut setup = setup(&format!("{LLAMA}&seq=4096&tp={tp}&framework=torchtitan"));
        (setup.tensor.sequence_parallel, setup.kernels.compile, setup.tensor.asynchronous) = (true, false, false);
        let moments = |setup: &Setup| layer(setup, 2.0, &Layers::DENSE).backward.unwrap();
        let found = moments(&setup);
        let (hidden, input) = (2.0 * 14_336.0 / tp, 2.0 * 4096.0 / tp);
        let gathered = if tp > 1.0 { 2.0 * 4096.0 } else { 0.0 };
        assert_eq!(found.mlp, Moment { beside: 2.0 * hidden + input + gathered, computed: 4096.0 * 14_336.0 / tp });
        assert_eq!(found.other, None);
        setup.kernels.attention = AttentionKernel::Unfused;
        let unfused = moments(&setup).other.unwrap();
        close(unfused.computed, (3.0 * 4096.0 * 14_336.0 + 4096.0 * 4096.0) / tp);
        // Each kept score has two bytes; a query and the block's input are added, and the MLP's
        // tensors, with its norm, are gone.
        let scores = 32.0 / tp * 4096.0 * 2.0;
        let longer = Setup { batch: Batch { seq_len: 8192, ..setup.batch }, ..setup };
        close(moments(&longer).other.unwrap().beside - unfused.beside, 2.0 * scores);
    }
}

/// Adapters of rank 16 at queries, keys, values and output of Llama 3 8B: frozen matrices have a
/// forward product and an input gradient, adapters a weight gradient too. Operator by operator six
/// elements an input and ten an output move, with fused kernels six.
#[test]
fn adapters_are_two_products_beside_each_frozen_one() {
    let link = "cluster=dgx-h100&model=llama-3-8b&gpus=8&seq=4096&mbs=1&accum=1&recompute=none&train=lora&rank=16";
    let mut setup = setup(&format!("{link}&targets=attention&framework=pytorch"));
    (setup.kernels.compile, setup.kernels.norms) = (false, NormKernel::Fused);
    let (inputs, outputs) = (4.0 * 4096.0, 4096.0 + 2.0 * 1024.0 + 4096.0);
    let weights = 4096.0 * (4096.0 + 2.0 * 1024.0 + 4096.0);
    let of_all = |setup: &Setup, operator| operator_cost(&parts(setup), operator).amount;
    let products = of_all(&setup, Operator::Projections);
    close(products.flops.get(), 32.0 * 4096.0 * (4.0 * weights + 6.0 * 16.0 * (inputs + outputs)));
    let streams = |setup: &Setup| of_all(setup, Operator::Elementwise).bytes.get();
    let mut whole = setup;
    whole.trained.method = Method::All;
    close(streams(&setup) - streams(&whole), 32.0 * 4096.0 * 2.0 * (6.0 * inputs + 10.0 * outputs));
    (setup.kernels.compile, whole.kernels.compile) = (true, true);
    close(streams(&setup) - streams(&whole), 32.0 * 4096.0 * 2.0 * 6.0 * (inputs + outputs));
}

/// An encoder runs once for each image, and its projection; trained, it has gradients of inputs and
/// of weights, but none of pixels.
#[test]
fn an_encoder_passes_each_image_once() {
    let mut setup = setup("cluster=dgx-h100&model=gemma-3-4b-vision&gpus=8&seq=4096&mbs=2&recompute=none");
    (setup.images.per_sequence, setup.mfu_convention) = (3, MfuConvention::FullAttention);
    let (tower, images) = (setup.architecture.tower, setup.images);
    let image = tower_flops::image_flops(&tower, images.resolution, MfuConvention::FullAttention).get();
    close(tower_flops::forward_per_token(&setup).get(), 3.0 * image / 4096.0);
    let costs: TowerCosts<OperatorCost> = tower::costs(&setup);
    close(costs.forward.amount.flops.get(), 2.0 * 3.0 * image);
    let projector = 2.0 * tower.projector_params as f64 * f64::from(tower.tokens(images.resolution));
    let patches = 2.0 * tower.patch_params() * f64::from(tower.positions(images.resolution));
    for (training, projects, expected) in [
        (TowerTraining::Frozen, false, image),
        (TowerTraining::Frozen, true, image + projector),
        (TowerTraining::Trained, true, 3.0 * image - patches),
    ] {
        (setup.images.tower, setup.images.trains_projector) = (training, projects);
        close(tower_flops::per_token(&setup).get(), 3.0 * expected / 4096.0);
    }
}

/// Every token passes the router and a shared expert of 1,000 channels.
#[test]
fn every_token_passes_router_and_shared_experts() {
    let mut setup = mixtral("");
    setup.architecture.experts.shared_intermediate_size = 1000;
    let weights = 4096.0 * 8.0 + 3.0 * 4096.0 * 1000.0;
    close(operator_cost(&parts(&setup), Operator::Mlp).amount.flops.get(), 32.0 * 6.0 * 8192.0 * weights);
}

/// Inputs of products in 8 bits are cast and transposed, 12 bytes an element: of the queries' and
/// the output's products, of gate and up, of down.
#[test]
fn inputs_of_products_in_8_bits_are_cast() {
    let streams = |format| {
        let mut setup = setup(&format!("{LLAMA}&mbs=1&accum=1"));
        setup.compute_format = format;
        operator_cost(&parts(&setup), Operator::Elementwise).amount.bytes.get()
    };
    let widths = 4096.0 + 4096.0 + 4096.0 + 14_336.0;
    close(streams(ComputeFormat::Fp8) - streams(ComputeFormat::AsPolicy), 32.0 * 32_768.0 * 12.0 * widths);
}

/// Texts of any length up to 8,192 tokens, one to a micro-batch: the longest of four GPUs' has 4/5
/// of them. Without FSDP a GPU's four micro-batches average out to half of the wait.
#[test]
fn padded_texts_wait_for_the_longest_less_the_more_micro_batches() {
    let texts = Texts::new(4096.0, 8192);
    let batch = |grad_accum_steps| Batch { seq_len: 8192, micro_batch_size: 1, grad_accum_steps };
    let tokens =
        |sharding, accumulated| lengths_from_texts(Batching::Padded, texts, &batch(accumulated), sharding, 4).0;
    assert_eq!(tokens(Sharding::Ddp, 1), 6554);
    assert_eq!(tokens(Sharding::Ddp, 4), 5325);
    // 8192 * 4 / 5, and 4096 + (6553.6 - 4096) / 2.
    assert_eq!(tokens(Sharding::Fsdp(Reshard::Always), 4), 6554);
}

/// Latent attention has five matrices, of which DeepSeek-V2-Lite has no pair for queries
/// (`modeling_deepseek.py`: `q_proj` in place of `q_a_proj` and `q_b_proj`).
#[test]
fn adapters_of_latent_attention_stand_beside_its_own_matrices() {
    let widths = |model: &str| -> Vec<(f64, f64)> {
        let setup = setup(&format!("cluster=dgx-h100&model={model}&train=lora&targets=attention"));
        modules(&setup, Block::Attention).iter().map(|module| (module.inner, module.outer)).collect()
    };
    // 16 heads of 128 + 64 and 128 + 128, rank 512 with 64 shared positions, width 2048.
    let lite = [(2048.0, 3072.0), (2048.0, 576.0), (512.0, 4096.0), (2048.0, 2048.0)];
    assert_eq!(widths("deepseek-v2-lite"), lite);
    // 128 heads, rank 1536 of queries, width 7168.
    let large = [(7168.0, 1536.0), (1536.0, 24576.0), (7168.0, 576.0), (512.0, 32768.0), (16384.0, 7168.0)];
    assert_eq!(widths("deepseek-v3"), large);
}
