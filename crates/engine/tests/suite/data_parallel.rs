//! Traffic of data parallelism, and buckets of gradients.

use engine::model::comm::{DataParallelComm, layers_in_a_bucket};
use engine::model::cost::{CollectiveCost, CollectiveKind, Traffic};
use engine::model::stages::stages;
use engine::model::unit_params::Units;
use links::decode;

/// Megatron-LM's `bucket_size = max(40000000, 1000000 * dp_group.size())` counts the GPUs of
/// context parallelism in the group: 32 x 2 of them reduce 64M parameters at once, of layers of
/// 10M six.
#[test]
fn a_bucket_of_megatron_grows_with_context_parallelism() {
    let layers = |cp: u32| {
        let link = format!("gpus={}&cp={cp}&framework=megatron&size=13B", 32 * cp);
        let setup = decode(&link).scenario.setup();
        let params = Units { layer: 10e6, layers: 40.0, ..stages(&setup).first.params.trained };
        layers_in_a_bucket(&setup, &params)
    };
    assert_eq!((layers(1), layers(2)), (4.0, 6.0));
}

fn close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} is not {expected}");
}

fn traffic(link: &str) -> DataParallelComm<CollectiveCost> {
    let setup = decode(&format!("cluster=dgx-h100&gpus=64&recipe=fsdp2-mixed-bf16&{link}")).scenario.setup();
    DataParallelComm::new(&setup, &stages(&setup).first.params)
}

/// A layer of Llama 3 8B, and what is outside: two vocabularies of 128,256 and the final norm.
const LAYER: f64 = 2.0 * 4096.0 * (4096.0 + 1024.0) + 3.0 * 4096.0 * 14_336.0 + 2.0 * 4096.0;
const ROOT: f64 = 2.0 * 128_256.0 * 4096.0 + 4096.0;

/// Weights are gathered in 16 bits in either pass, gradients reduced in 32; replicas of a shard
/// reduce an eighth of them.
#[test]
fn full_sharding_gathers_twice_and_reduces_once() {
    let is = |cost: CollectiveCost, kind, bytes: f64, ranks| {
        let Traffic { kind: found, size, ranks: over, .. } = cost.amount;
        assert_eq!((found, over), (kind, ranks));
        close(size.get(), bytes);
    };
    for (link, shards) in [("strategy=full-shard", 64.0), ("strategy=hybrid-shard&shard=8", 8.0)] {
        let comm = traffic(&format!("model=llama-3-8b&{link}"));
        let all = comm.micro_batch;
        for (cost, bytes) in [
            (all.gather_layer, 2.0 * LAYER),
            (all.regather_layer, 2.0 * LAYER),
            (all.gather_root, 2.0 * ROOT),
            (all.reduce_layer, 4.0 * LAYER),
            (all.reduce_root, 4.0 * ROOT),
        ] {
            is(cost, CollectiveKind::Gather, bytes, shards);
        }
        if shards < 64.0 {
            is(all.replicate_layer, CollectiveKind::AllReduce, 4.0 * LAYER / shards, 64.0 / shards);
            is(all.replicate_root, CollectiveKind::AllReduce, 4.0 * ROOT / shards, 64.0 / shards);
        }
        assert_eq!((comm.after_backward, comm.after_update), <(CollectiveCost, CollectiveCost)>::default());
    }
}

/// DDP reduces all gradients, ZeRO-1 scatters them and gathers updated weights of 32 bits, whenever
/// each takes place.
#[test]
fn whole_weights_are_reduced_once_a_step_and_gathered_if_their_state_is_sharded() {
    for framework in ["pytorch", "megatron", "deepspeed"] {
        for (strategy, gathered) in [("ddp", 0.0), ("zero1", 4.0)] {
            let comm = traffic(&format!("model=llama-3-8b&strategy={strategy}&framework={framework}&accum=1"));
            let all = comm.micro_batch;
            let size = |layer: CollectiveCost, root: CollectiveCost, once: CollectiveCost| {
                32.0 * layer.amount.size.get() + root.amount.size.get() + once.amount.size.get()
            };
            let params = 32.0 * LAYER + ROOT;
            close(size(all.reduce_layer, all.reduce_root, comm.after_backward), 4.0 * params);
            let found = size(all.gather_layer, all.gather_root, comm.after_update);
            assert!((found - gathered * params).abs() <= 1e-9 * params, "{framework} {strategy}: {found}");
        }
    }
}

/// Mixtral's experts on eight GPUs, one each: its weights are gathered among eight GPUs with the
/// same expert, all others among 64.
#[test]
fn experts_are_gathered_among_those_that_hold_them() {
    let all = traffic("model=mixtral-8x7b&ep=8&strategy=full-shard").micro_batch;
    let dense = 2.0 * 4096.0 * (4096.0 + 1024.0) + 8.0 * 4096.0 + 2.0 * 4096.0;
    let expert = 3.0 * 4096.0 * 14_336.0;
    close(all.gather_layer.amount.size.get(), 2.0 * (dense + expert));
    close(all.reduce_layer.amount.size.get(), 4.0 * (dense + expert));
    let bus = 4.0 * (dense * 63.0 / 64.0 + expert * 7.0 / 8.0);
    close(all.reduce_layer.amount.bus.get(), bus);
}
