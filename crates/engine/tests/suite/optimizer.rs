//! The time of an update from drives.

use engine::model::compute::optimizer;
use engine::model::stages::stages;
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
