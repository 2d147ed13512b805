//! Recomputation by module: what each drops, and what runs again.

use engine::model::choices::Choices;
use engine::model::compute::unit_times;
use engine::model::experts::exchange::repeated;
use engine::model::flops::recomputed_per_token;
use engine::model::layer::Layers;
use engine::model::memory::activations::{LayerBytes, layer};
use engine::model::setup::Setup;
use engine::model::training::{Recompute, RecomputeModules};
use links::decode;

/// Bytes of bf16, in which every link here computes.
const BF16: f64 = 2.0;
/// DeepSeek-V3 (its config.json) on Megatron-Core, tokens sent once: H = 7,168, 128 heads of 128 +
/// 64 and values of 128, ranks of 1,536 and 512, MLPs of 18,432 in three layers, and 8 of 256
/// experts of 2,048 plus a shared one in 58.
const V3: &str = "cluster=h800-400g&model=deepseek-v3&gpus=256&ep=64&framework=megatron&dispatcher=fused";
const NONE: RecomputeModules = RecomputeModules::NONE;
/// Queries and keys, and values of all heads.
const QUERY: f64 = 128.0 * 192.0;
const VALUE: f64 = 128.0 * 128.0;

fn setup(link: &str, recompute_modules: RecomputeModules) -> Setup {
    let asked = decode(link).scenario.setup();
    Setup { choices: Choices { recompute: Recompute::Modules, recompute_modules, ..asked.choices }, ..asked }
}

/// Returns the bytes per token that the modules drop in a dense layer and in an expert layer.
fn dropped(link: &str, modules: RecomputeModules) -> [f64; 2] {
    let setup = setup(link, modules);
    [0.0, 1.0].map(Layers::mixture).map(|shares| {
        let LayerBytes { whole, kept, .. } = layer(&setup, BF16, &shares);
        assert_eq!(
            whole,
            layer(&Setup { choices: Choices { recompute: Recompute::None, ..setup.choices }, ..setup }, BF16, &shares)
                .whole
        );
        whole - kept
    })
}

/// Returns the weights of V3 whose products are recomputed for a token, all layers together, and
/// whether the backward pass of a dense layer and of an expert layer is longer.
fn again(modules: RecomputeModules) -> (f64, [bool; 2]) {
    let (with, without) = (setup(V3, modules), setup(V3, NONE));
    let slower = [0.0, 1.0].map(Layers::mixture).map(|shares| {
        let [with, without] = [with, without].map(|setup| unit_times(&setup, &shares));
        assert_eq!(with.layer_forward, without.layer_forward);
        assert!(with.layer_backward >= without.layer_backward && with.experts_backward >= without.experts_backward);
        with.layer_backward > without.layer_backward
    });
    assert_eq!(recomputed_per_token(&without, 2048.0).get(), 0.0);
    ((recomputed_per_token(&with, 2048.0).get() / 2.0).round(), slower)
}

#[test]
fn latent_attention_drops_what_it_expands() {
    let modules = RecomputeModules { mla_up_proj: true, ..NONE };
    let bytes = BF16 * (QUERY + QUERY + VALUE);
    assert_eq!(dropped(V3, modules), [bytes, bytes]);
    assert_eq!(again(modules), (61.0 * (1536.0 * QUERY + 512.0 * (VALUE + VALUE)), [true, true]));
    // Without latent attention there is nothing to expand.
    assert_eq!(dropped("model=llama-3-8b", modules), [0.0, 0.0]);
}

#[test]
fn norms_drop_their_outputs_where_they_are_modules() {
    let modules = RecomputeModules { layernorm: true, ..NONE };
    let norm = BF16 * 7168.0;
    // The norm before a dense MLP is fused with the product after it.
    assert_eq!(dropped(V3, modules), [norm, 2.0 * norm]);
    assert_eq!(again(modules), (0.0, [true, true]));
    assert_eq!(dropped("model=llama-3-8b&framework=megatron", modules)[0], 0.0);
    assert_eq!(dropped("model=llama-3-8b&framework=pytorch", modules)[0], BF16 * 2.0 * 4096.0);
}

#[test]
fn dense_mlps_run_again_with_their_norm() {
    let modules = RecomputeModules { mlp: true, ..NONE };
    // Gate, up and their product.
    assert_eq!(dropped(V3, modules), [BF16 * (3.0 * 18_432.0 + 7168.0), 0.0]);
    assert_eq!(again(modules), (3.0 * 3.0 * 7168.0 * 18_432.0, [true, false]));
}

#[test]
fn the_activation_of_experts_drops_its_output() {
    let modules = RecomputeModules { moe_act: true, ..NONE };
    assert_eq!(dropped(V3, modules), [0.0, BF16 * 8.0 * 2048.0]);
    assert_eq!(again(modules), (0.0, [false, true]));
}

#[test]
fn shared_experts_run_again() {
    let modules = RecomputeModules { shared_experts: true, ..NONE };
    assert_eq!(dropped(V3, modules), [0.0, BF16 * 3.0 * 2048.0]);
    assert_eq!(again(modules), (58.0 * 3.0 * 7168.0 * 2048.0, [false, true]));
    assert_eq!(dropped("model=mixtral-8x7b&ep=8", modules), [0.0, 0.0]);
}

#[test]
fn experts_run_again_as_a_whole_with_their_exchanges() {
    let modules = RecomputeModules { moe: true, ..NONE };
    // Copies of tokens, their experts' and the shared expert's hidden tensors, logits and softmax
    // of the router in fp32.
    let bytes = BF16 * 8.0 * 7168.0 + BF16 * 3.0 * 9.0 * 2048.0 + 2.0 * 4.0 * 256.0;
    assert_eq!(dropped(V3, modules), [0.0, bytes]);
    assert_eq!(again(modules), (58.0 * 7168.0 * (3.0 * 9.0 * 2048.0 + 256.0), [false, true]));
    assert_eq!((repeated(&setup(V3, modules)), repeated(&setup(V3, NONE))), (1.0, 0.0));
    // Modules inside the experts add nothing.
    let inside = RecomputeModules { moe_act: true, shared_experts: true, ..modules };
    assert_eq!((dropped(V3, inside), again(inside)), (dropped(V3, modules), again(modules)));
}

/// The default is Megatron's selective recomputation of 2022 (arXiv 2205.05198).
#[test]
fn the_attention_core_alone_is_the_mode_of_that_name() {
    let link = "model=gpt-3-175b&seq=2048&attnkernel=unfused&dropout=yes&framework=megatron-legacy";
    let module = setup(link, RecomputeModules::USUAL);
    let mode = Setup { choices: Choices { recompute: Recompute::AttentionCore, ..module.choices }, ..module };
    assert_eq!(layer(&module, BF16, &Layers::DENSE), layer(&mode, BF16, &Layers::DENSE));
    assert_eq!(recomputed_per_token(&module, 2048.0), recomputed_per_token(&mode, 2048.0));
    assert_eq!(unit_times(&module, &Layers::DENSE), unit_times(&mode, &Layers::DENSE));
    assert_eq!(dropped(link, RecomputeModules::USUAL)[0], 5.0 * 96.0 * 2048.0);
}

/// Products in 8 bits keep their inputs in 8 bits: there is less to drop.
#[test]
fn inputs_in_8_bits_are_dropped_as_they_are_kept() {
    let fp8 = format!("{V3}&compute=fp8");
    let of = |modules| dropped(&fp8, modules);
    assert_eq!(of(RecomputeModules { moe_act: true, ..NONE }), [0.0, 8.0 * 2048.0]);
    assert_eq!(of(RecomputeModules { layernorm: true, ..NONE }), [7168.0, 2.0 * 7168.0]);
    assert_eq!(of(RecomputeModules { mlp: true, ..NONE })[0], 5.0 * 18_432.0 + 7168.0);
}

/// Tiles and recomputed modules drop only what a frozen MLP keeps: its last product needs no input.
#[test]
fn a_frozen_mlp_has_less_to_drop() {
    const FROZEN: &str = "model=gemma-2b&train=lora&targets=attention";
    let tiles = |link: &str| {
        let kept = |tiled: &str| layer(&decode(&format!("{link}{tiled}")).scenario.setup(), BF16, &Layers::DENSE).kept;
        kept("") - kept("&tiledmlp=yes")
    };
    let width = BF16 * 16_384.0;
    assert_eq!([tiles("model=gemma-2b"), tiles(FROZEN)], [4.0 * width, 3.0 * width]);
    let mlp = RecomputeModules { mlp: true, ..NONE };
    assert_eq!([dropped("model=gemma-2b", mlp)[0], dropped(FROZEN, mlp)[0]], [4.0 * width, 3.0 * width]);
    // A tiled MLP has nothing left to drop.
    assert_eq!(dropped("model=gemma-2b&tiledmlp=yes", mlp)[0], 0.0);
}
