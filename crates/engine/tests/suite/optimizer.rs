//! The traffic, products and time of an update, on the GPU, on the host and from drives.

use engine::model::compute::{memory_rate, optimizer, optimizer_cost};
use engine::model::cost::OperatorCost;
use engine::model::host::{transfer_rate, update_rate};
use engine::model::setup::Setup;
use engine::model::stages::stages;
use engine::model::training::Optimizer;
use engine::units::{Bytes, Seconds};
use links::decode;

/// DeepSpeed #1776: 50.4 billion parameters on one DGX-2, all on its drives. The optimizer took
/// 92.6 s, and 89.5 s with other settings of its reads.
#[test]
fn an_update_from_drives_takes_what_deepspeed_logged() {
    let link = "cluster=dgx-2&gpus=16&model=custom&layers=62&hidden=8192&heads=64&kv=64&ffn=32768&vocab=50304&mlp=plain\
                &recipe=zero-mixed&strategy=full-shard&framework=deepspeed&offloadopt=yes&offloadparams=yes&nvme=all";
    let setup = decode(link).scenario.setup();
    let params = setup.architecture.params() as f64;
    assert!((params / 50.356e9 - 1.0).abs() < 0.02, "{params}");
    let stages = stages(&setup);
    let seconds = optimizer(&setup, stages.iter().next().unwrap()).get();
    assert!((seconds / 92.6 - 1.0).abs() < 0.1, "{seconds}");
}

fn update(setup: &Setup) -> OperatorCost {
    optimizer_cost(setup, &stages(setup).first)
}

fn of(model: &str) -> Setup {
    let link = format!("cluster=dgx-h100&gpus=8&model={model}&strategy=full-shard&recipe=fsdp2-mixed-bf16");
    let mut setup = decode(&link).scenario.setup();
    setup.overheads.step = Seconds::ZERO;
    setup
}

fn close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} is not {expected}");
}

/// AdamW in fp32: 4 bytes of gradient are read, 4 of weight and 8 of moments read and written, for
/// an eighth of the parameters.
#[test]
fn an_update_reads_gradients_and_reads_and_writes_states() {
    let mut setup = of("llama-3-8b");
    let sharded = setup.architecture.params() as f64 / 8.0;
    let bytes = (4.0 + 2.0 * (4.0 + 8.0)) * sharded;
    close(update(&setup).amount.bytes.get(), bytes);
    close(update(&setup).time.get(), (Bytes::new(bytes) / memory_rate(&setup)).get());
    // On the host, gradients cross the link there and weights back.
    setup.offload.optimizer = true;
    let crossing = Bytes::new((4.0 + 4.0) * sharded) / transfer_rate(&setup);
    close(update(&setup).time.get(), (Bytes::new(bytes) / update_rate(&setup) + crossing).get());
}

/// Muon's five iterations of `4 m + 2 m² / n` FLOPs a parameter of m x n matrices, m the shorter
/// side: H and 2 H on average in dense layers, experts' own sides in theirs.
#[test]
fn muon_makes_products_of_the_shorter_side() {
    let iterations = |m: f64, n: f64| 5.0 * (4.0 * m + 2.0 * m * m / n);
    let attention = 2.0 * 4096.0 * (4096.0 + 1024.0);
    let products = |model: &str| {
        let mut setup = of(model);
        setup.optimizer = Optimizer::Muon;
        update(&setup).amount.flops.get() * 8.0 / 32.0
    };
    let dense = attention + 3.0 * 4096.0 * 14_336.0;
    close(products("llama-3-8b"), dense * iterations(4096.0, 8192.0));
    let (router, experts) = (8.0 * 4096.0, 8.0 * 3.0 * 4096.0 * 14_336.0);
    close(
        products("mixtral-8x7b"),
        (attention + router) * iterations(4096.0, 8192.0) + experts * iterations(4096.0, 14_336.0),
    );
    // Experts of Qwen3 30B A3B are narrower than its residual stream: 768 of 2,048.
    let mut qwen = of("qwen-3-30b-a3b");
    qwen.optimizer = Optimizer::Muon;
    let found = update(&qwen).amount.flops.get() * 8.0 / 48.0;
    let (attention, router) = (2.0 * 2048.0 * (4096.0 + 512.0), 128.0 * 2048.0);
    let experts = 128.0 * 3.0 * 2048.0 * 768.0;
    close(found, (attention + router) * iterations(2048.0, 4096.0) + experts * iterations(768.0, 2048.0));
}
