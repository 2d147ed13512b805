//! Gathered and reduced buffers of `DeepSpeed`'s stage 3.

use engine::model::memory::{Gathered, PeakTerms};
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
        assert_eq!(terms.unreduced.reduced, 5e8);
        assert_eq!(terms.at_rest.reduced_layers, None, "the partition of the gradients is there from the start");
    }
}

#[test]
fn one_gpu_gathers_nothing() {
    let alone = PeakTerms::new(&decode(&LINK.replace("gpus=64", "gpus=1")).scenario.setup());
    assert_eq!(alone.gathered.what, Gathered::Nothing);
}
