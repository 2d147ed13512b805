//! Bytes of the optimizers' moments, against their papers.

use engine::model::choices::Choices;
use engine::model::setup::Setup;
use engine::model::states::moments::{LowRank, low_rank};
use engine::model::states::optimizer_bytes;
use links::decode;

fn bytes(optimizer: &str, recipe: &str) -> (f64, f64) {
    let link = format!("model=llama-2-7b&gpus=1&strategy=ddp&galrank=1024&optimizer={optimizer}&recipe={recipe}");
    optimizer_bytes(&decode(&link).scenario.setup())
}

fn close(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() < tolerance, "{value} in place of {expected}");
}

#[test]
fn galore_keeps_what_its_paper_counts() {
    // GaLore (arXiv 2403.03507), abstract: in 8 bits "82.5%" less optimizer state than bf16 Adam
    // for LLaMA 7B (rank 1,024), with Table 1's m r + 2 n r elements a matrix, one byte each. Llama
    // 2 7B has LLaMA's shape.
    let setup = decode("model=llama-2-7b&gpus=1&galrank=1024").scenario.setup();
    let LowRank { short, long, elements, .. } = low_rank(&setup);
    let (params, layers) = (setup.architecture.params() as f64, f64::from(setup.architecture.num_hidden_layers));
    let in_8_bits = layers * (short + 2.0 * long) + 2.0 * (params - layers * elements);
    close(1.0 - in_8_bits / (4.0 * params), 0.825, 0.001);
    // GaLore's code keeps the projection in the format of the gradients.
    let (matrix, other) = bytes("galore-8bit", "pure-bf16");
    let kept = layers * elements * matrix + other * (params - layers * elements);
    close(1.0 - kept / (4.0 * params), 0.7885, 0.0005);
    // A rank above the shorter side is reduced to it: whole moments, and a square projection.
    let wide = Setup { choices: Choices { galore_rank: 8192, ..setup.choices }, ..setup };
    close(low_rank(&wide).long, elements, 1.0);
}

#[test]
fn adam_mini_halves_the_state() {
    // Adam-mini (arXiv 2406.16793), abstract: 50% less; at least 99.9% of the second moment
    // removed.
    let ((adam, _), (mini, other)) = (bytes("adamw", "fp32"), bytes("adam-mini", "fp32"));
    assert_eq!((adam, mini), (8.0, other));
    close(mini / adam, 0.5, 0.0005);
}

#[test]
fn moments_in_8_and_4_bits_have_scales() {
    // torchao/optim/README.md: AdamW8bit in blocks of 256, AdamW4bit of 128, an fp32 scale each.
    assert_eq!(bytes("adamw-8bit", "pure-bf16"), (2.03125, 2.03125));
    assert_eq!(bytes("adamw-4bit", "pure-bf16"), (1.0625, 1.0625));
}
