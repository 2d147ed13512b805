//! Gradients where the optimizer updates in the backward pass.

use engine::model::memory::{InBackward, PeakTerms};
use links::decode;

const LLAMA: &str =
    "gpu=h100-sxm&model=llama-2-7b&gpus=1&strategy=ddp&framework=transformers&recipe=pure-bf16&optimizer=sgd&mbs=1";

fn gradient_gib(link: &str) -> f64 {
    let setup = decode(link).scenario.setup();
    let terms = PeakTerms::new(&setup);
    let params = InBackward::new(&setup, &terms.stage.params).unwrap();
    terms.bytes.gradients * params.root.max(params.head).max(params.layer) / f64::from(1 << 30)
}

#[test]
fn one_gradient_is_alive_under_lomo() {
    // LOMO (arXiv 2306.09782), Table 1, LLaMA-7B, whose shape Llama 2 7B has: 0.24 GB of
    // gradients in place of 12.55, in GiB.
    let gradients = gradient_gib(&format!("{LLAMA}&inbwd=yes"));
    assert!((gradients - 0.24).abs() < 0.005, "{gradients}");
    let after = decode(LLAMA).scenario.report().memory;
    let gradients = after.parts.get(engine::model::report::MemoryPart::Gradients).gib();
    assert!((gradients - 12.55).abs() < 0.005, "{gradients}");
}

#[test]
fn a_head_in_chunks_and_a_tied_one_keep_more() {
    let of = |link: &str| {
        let setup = decode(&format!("{LLAMA}&inbwd=yes&{link}")).scenario.setup();
        InBackward::new(&setup, &PeakTerms::new(&setup).stage.params).unwrap()
    };
    let (whole, chunked, tied) = (of("loss=standard"), of("loss=chunked"), of("model=llama-3.2-1b&loss=standard"));
    assert_eq!([whole.loss, chunked.loss], [0.0, 2.0 * chunked.head]);
    // 128,256 x 2,048: once beside each layer, twice when the embedding's own comes.
    assert_eq!(tied.root, 2.0 * 128_256.0 * 2048.0);
    assert_eq!(tied.layer, 128_256.0 * 2048.0 + 8192.0 * 2048.0);
}

#[test]
fn several_micro_batches_update_after_the_backward_pass() {
    let setup = decode(&format!("{LLAMA}&inbwd=yes&accum=2")).scenario.setup();
    assert_eq!(InBackward::new(&setup, &PeakTerms::new(&setup).stage.params), None);
}
