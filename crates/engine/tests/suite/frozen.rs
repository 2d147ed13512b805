//! Activations that products with a quantized base keep.

use engine::model::layer::Layers;
use engine::model::memory::activations::layer;
use engine::model::per_rank::tokens;
use links::decode;

/// Bytes that a layer of Llama 2 7B keeps of a micro-batch beyond those under kernels that keep
/// nothing, and its tokens.
fn more(base: &str) -> (f64, f64) {
    let of = |base: &str| {
        let link = "cluster=dgx-a100-80&gpus=1&model=llama-2-7b&train=lora&targets=qv&loradrop=yes&base=";
        let setup = decode(&format!("{link}{base}")).scenario.setup();
        (layer(&setup, 2.0, &Layers::DENSE).whole * tokens(&setup), tokens(&setup))
    };
    let ((with, tokens), (without, _)) = (of(base), of("nf4"));
    (with - without, tokens)
}

#[test]
fn early_bitsandbytes_keeps_the_inputs_of_its_products() {
    // The outputs of two norms and of the MLP's activation; that of attention is kept for
    // itself.
    let inputs = 2.0 * (2.0 * 4096.0 + 11_008.0);
    for (base, expected) in [("bnb4", inputs), ("bnb4d", inputs), ("nf4dq", 0.0), ("bf16", 0.0), ("int8", inputs)] {
        let (more, tokens) = more(base);
        assert_eq!(more / tokens, expected, "{base}");
    }
}

#[test]
fn a_kernel_that_autograd_follows_keeps_the_matrices() {
    // Four of attention, three of the MLP.
    let weights = 4.0 * 4096.0 * 4096.0 + 3.0 * 4096.0 * 11_008.0;
    let (kept, _) = more("gptq");
    assert!((kept / (2.0 * weights) - 1.0).abs() < 1e-12, "{kept}");
}
