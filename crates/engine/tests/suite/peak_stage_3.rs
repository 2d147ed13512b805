//! Gathered and reduced buffers of `DeepSpeed`.

use engine::model::memory::{Gathered, PeakTerms, peak};
use engine::model::report::PeakMoment;
use engine::model::stages::stages;
use links::decode;

const LINK: &str = "cluster=dgx-h100&gpus=64&model=llama-3.1-8b&strategy=full-shard&recompute=full&framework=deepspeed";

fn terms(more: &str) -> PeakTerms {
    PeakTerms::new(&decode(&format!("{LINK}&{more}")).scenario.setup())
}

/// Hugging Face's documentation of DeepSpeed: 1e9 live parameters take about 2 GB; the bucket
/// is 5e8 elements by default.
#[test]
fn live_parameters_and_the_bucket_are_those_of_the_configuration() {
    const PREFETCH: f64 = 5e7;
    const MOST_LIVE: f64 = 1e9;
    for seq in ["512", "4096", "16384"] {
        let terms = terms(&format!("seq={seq}"));
        let Gathered::Live(live) = terms.gathered.what else { panic!("{:?}", terms.gathered.what) };
        assert!((PREFETCH..=MOST_LIVE + PREFETCH).contains(&live), "{live}");
        assert_eq!(terms.bytes.gathered * MOST_LIVE, 2e9);
        // In a layer's backward pass the reduce-scatter copies the bucket.
        let copies = if terms.moment == PeakMoment::Backward { 2.0 } else { 1.0 };
        assert_eq!(terms.unreduced.reduced, copies * 5e8);
        assert_eq!(terms.at_rest.reduced_layers, None, "the partition of the gradients is there from the start");
    }
}

#[test]
fn one_gpu_gathers_nothing() {
    let alone = PeakTerms::new(&decode(&LINK.replace("gpus=64", "gpus=1")).scenario.setup());
    assert_eq!(alone.gathered.what, Gathered::Nothing);
}

/// ColossalAI's benchmark with Lightning (2022): GPT-2 of 18 billion parameters with all states in
/// host memory on one A100 of 40 GB, 5.6 GiB of tensors. Half of them are weights that are gathered
/// and buckets.
#[test]
fn weights_from_host_memory_stay_gathered_on_one_gpu() {
    let shape =
        "layers=90&hidden=4096&heads=16&ffn=16384&vocab=50257&mlp=plain&norm=layer&bias=all&mlpbias=yes&tied=yes";
    let way = "recompute=full&recipe=zero-mixed&strategy=full-shard&framework=deepspeed&attnkernel=unfused&dropout=yes";
    let host = "offloadopt=yes&offloadparams=yes";
    let link = format!("cluster=dgx-a100-40&model=custom&seq=1024&gpus=1&{way}&{shape}&pos=1024&loss=bf16&{host}");
    let setup = decode(&link).scenario.setup();
    let terms = PeakTerms::new(&setup);
    let Gathered::Live(live) = terms.gathered.what else { panic!("{:?}", terms.gathered.what) };
    assert!(live >= 5e7 + 12.0 * 4096.0 * 4096.0, "{live}");
    assert_eq!(terms.unreduced.reduced, 1e9);
    let gib = peak(&setup, &stages(&setup)).allocated.gib();
    assert!((3.0..5.6).contains(&gib), "{gib}");
}

/// `setup_buckets` in `stage_1_and_2.py`: a buffer of 5e8 elements, two with `overlap_comm`.
#[test]
fn stage_2_has_a_second_bucket_if_reductions_overlap() {
    for (overlap, buckets) in [("no", 1.0), ("yes", 2.0)] {
        let link = LINK.replace("full-shard", "zero2");
        let setup = decode(&format!("{link}&overlap={overlap}&seq=16384")).scenario.setup();
        let terms = PeakTerms::new(&setup);
        assert_ne!(terms.moment, PeakMoment::Optimizer);
        assert_eq!(terms.unreduced.reduced, buckets * 5e8);
    }
}
