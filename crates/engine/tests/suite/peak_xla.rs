//! Peaks and steps of programs that XLA compiles.

use engine::model::memory::{Gathered, PeakTerms};
use links::decode;

/// Llama 3.1 405B on 512 v6e, fully sharded, 8,192 tokens a chip, layers' inputs on the host:
/// it ran in 31.25 GiB (AI-Hypercomputer/tpu-recipes, training/trillium). Two matrices of
/// 16,384 x 53,248 are gathered; two layers as FSDP2 gathers them would take 12 GiB.
#[test]
fn llama_405b_fits_on_chips_of_32_gib_product_by_product() {
    let link = "cluster=tpu-v6e-pod&model=llama-3.1-405b&gpus=512&seq=8192&strategy=full-shard&recompute=full\
                &offloadact=yes&loss=chunked&recipe=fsdp2-bf16-reduce16";
    let of = |framework: &str| decode(&format!("{link}&framework={framework}&compile=yes")).scenario;
    let terms = PeakTerms::new(&of("maxtext").setup());
    assert_eq!(terms.gathered.what, Gathered::Live(2.0 * 16_384.0 * 53_248.0));
    assert!(of("maxtext").report().fits() && !of("pytorch").report().fits());
}

/// Step time of `MaxText`'s 32B on two slices of 256 v5e against one slice: 12.70 s and 12.32 s
/// (MaxText/configs/v5e/README.md). Gradients of all layers are reduced between slices after the
/// loop.
#[test]
fn gradients_are_reduced_between_slices_after_the_loop() {
    let link = "cluster=tpu-v5e-pod&model=custom&layers=32&hidden=10240&heads=32&kv=32&headdim=256&ffn=32768&vocab=32768\
                &mlp=plain&tied=yes&seq=2048&mbs=4&strategy=hybrid-shard&shard=256&recompute=full&framework=maxtext\
                &compile=yes&graphs=step&loss=chunked&attnkernel=flash-tuned&recipe=fsdp2-bf16-reduce16";
    let step = |chips: u32| decode(&format!("{link}&gpus={chips}")).scenario.report().update.time.step.get();
    let more = step(512) / step(256) - 1.0;
    assert!((0.005..0.04).contains(&more), "{more}, 0.031 measured");
}
