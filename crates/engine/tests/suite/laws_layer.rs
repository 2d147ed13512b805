//! A law of the layer: a product that is wider or new adds as much to the weights as to FLOPs, time
//! and states, whichever kind of layer it is in.

use crate::cases::cases;
use catalog::MODELS;
use engine::model::compute::{matmul_rate, memory_rate, unit_times};
use engine::model::flops::layer_matmul_params;
use engine::model::hardware::{Accelerator, Efficiency};
use engine::model::layer::{Block, Layers};
use engine::model::memory::activations::layer;
use engine::model::parallel::{ExpertParallel, Mesh};
use engine::model::per_rank::tokens;
use engine::model::setup::Setup;
use engine::model::software::Kernels;
use engine::model::stages::stages;
use engine::model::states::gpu_states;
use engine::model::transformer::{Architecture, AttentionBias, Experts, LatentAttention, QkNorm, Tower};
use engine::units::BytesPerSecond;
use links::decode;
use proptest::prelude::*;

/// Widths are multiples of it, so that alignment costs nothing.
const WIDE: u32 = 64;

/// A shape with one product wider, or with one more.
type Change = fn(&mut Architecture, u32);

const CHANGES: [(&str, Change); 13] = [
    ("MLP", |shape, more| shape.intermediate_size += more),
    ("gate of attention", |shape, _| shape.gated_attention = true),
    ("query heads", |shape, _| shape.num_attention_heads *= 2),
    ("key heads", |shape, _| shape.num_key_value_heads = shape.num_attention_heads),
    ("width of heads", |shape, more| shape.head_dim += more),
    ("rank of queries", |shape, more| shape.latent.q_lora_rank += more),
    ("rank of keys", |shape, more| shape.latent.kv_lora_rank += more),
    ("width of latent heads", |shape, more| shape.latent.qk_nope_head_dim += more),
    ("width of latent values", |shape, more| shape.latent.v_head_dim += more),
    ("routed experts", |shape, more| shape.experts.moe_intermediate_size += more),
    ("shared experts", |shape, more| shape.experts.shared_intermediate_size += more),
    ("latent width of experts", |shape, more| shape.experts.latent_size += more),
    ("heads of a mixer", |shape, _| shape.recurrent.heads *= 2),
];

/// Returns a model of the catalog without what is not a product: biases, vectors, an encoder.
fn plain(model: usize) -> Architecture {
    let shape = MODELS[model % MODELS.len()].architecture;
    Architecture {
        attention_bias: AttentionBias::None,
        mlp_bias: false,
        attention_sinks: false,
        qk_norm: QkNorm::None,
        experts: Experts { router_bias: false, expert_bias: false, shared_expert_gate: false, ..shape.experts },
        extra: engine::model::transformer::ExtraParams::NONE,
        tower: Tower::NONE,
        ..shape
    }
}

/// One GPU whose kernels reach every peak.
fn ideal(architecture: Architecture) -> Setup {
    let base = decode("cluster=dgx-h100&gpus=1&seq=2048&groupedexperts=no").scenario.setup();
    let accelerator =
        Accelerator { memory_bandwidth: BytesPerSecond::UNLIMITED, efficiency: Efficiency::IDEAL, ..base.accelerator };
    let mut setup = Setup { architecture, accelerator, mesh: Mesh::data_parallel(1, 1), ..base };
    setup.experts = ExpertParallel { grouped: false, imbalance: 1.0, capacity_factor: 1.0, ..ExpertParallel::USUAL };
    setup.kernels = Kernels::USUAL;
    setup
}

/// Weights, gradients and two moments in 32 bits.
const STATE_BYTES: f64 = 16.0;

/// Returns what a shape has of each quantity, in weights: active parameters of the layers, FLOPs,
/// time, all parameters, states.
fn counted(shape: &Architecture) -> [f64; 5] {
    let setup = ideal(*shape);
    let layers = f64::from(shape.num_hidden_layers);
    let time = unit_times(&setup, &shape.layers()).layer_matmul;
    let params = stages(&setup).first.params;
    [
        shape.active_params() as f64,
        layers * layer_matmul_params(shape),
        layers * time.get() * matmul_rate(&setup).get() / (2.0 * tokens(&setup)),
        shape.params() as f64,
        gpu_states(&setup, &params).total().get() / STATE_BYTES,
    ]
}

/// Whether a shape has the product that a change widens.
fn exists(shape: &Architecture, change: &str) -> bool {
    let latent = shape.latent.is_used();
    match change {
        "rank of queries" => shape.latent.q_lora_rank > 0,
        "rank of keys" | "width of latent heads" | "width of latent values" => latent,
        "key heads" | "width of heads" => !latent,
        "routed experts" | "shared experts" => shape.has_experts(),
        "latent width of experts" => shape.experts.latent_size > 0,
        "heads of a mixer" => shape.recurrent.is_used() && shape.recurrent.heads > 1,
        _ => true,
    }
}

proptest! {
    #![proptest_config(cases(400))]

    /// Weights, FLOPs, time and states grow by the same product. Vectors, such as those of a
    /// mixer's convolution, are less than two percent.
    #[test]
    fn a_product_counts_as_much_everywhere(model in 0..MODELS.len(), more in 1_u32..64) {
        let before = plain(model);
        let one = counted(&before);
        for (name, change) in CHANGES.into_iter().filter(|(name, _)| exists(&before, name)) {
            let mut after = before;
            change(&mut after, WIDE * more);
            let other = counted(&after);
            let [params, flops, time, all, states] = core::array::from_fn(|of| other[of] - one[of]);
            let near = |grown: f64, by: f64, within: f64| (grown - by).abs() <= within * by.abs() + 1e-9 * one[0];
            let of = format!("{name} of {}: {params} {flops} {time} {all} {states}", MODELS[model].id);
            prop_assert!(near(time, flops, 1e-6), "time and FLOPs, {of}");
            prop_assert!(near(flops, params, 0.02), "FLOPs and weights, {of}");
            prop_assert!(near(states, all, 1e-6), "states and weights, {of}");
        }
    }
}

/// Two more norms a layer are read and written in time, as they are kept: two tensors of 16 bits
/// forward, three backward, and two for the weights' gradients.
#[test]
fn more_norms_take_time() {
    for model in ["llama-3-8b", "mixtral-8x7b"] {
        let of = |norms: u32| {
            let mut setup = decode(&format!("cluster=dgx-h100&gpus=1&model={model}")).scenario.setup();
            setup.architecture.norms_per_layer = norms;
            let units = unit_times(&setup, &setup.architecture.layers());
            let bytes = (units.layer_forward + units.layer_backward).get() * memory_rate(&setup).get();
            let channels = tokens(&setup) * f64::from(setup.architecture.hidden_size);
            (bytes / channels, layer(&setup, 2.0, &setup.architecture.layers()).whole)
        };
        let ((two, kept), (four, kept_of_four)) = (of(2), of(4));
        assert!((four - two - 2.0 * 14.0).abs() < 1e-6, "{model}: {two} {four}");
        assert!(kept_of_four > kept);
    }
}

/// A bias adds no time to speak of, and nothing of latent attention is as wide as `head_dim`.
#[test]
fn a_bias_is_no_clock_and_latent_heads_have_their_own_width() {
    let step = |link: &str| decode(&format!("cluster=dgx-h100&{link}")).scenario.report().update.time.step;
    let mixture = "model=mixtral-8x7b&gpus=64";
    let slower = step(&format!("{mixture}&expertbias=yes")) / step(mixture) - 1.0;
    assert!((0.0..0.01).contains(&slower), "{slower}");
    let latent = "model=deepseek-v3&gpus=512&ep=64";
    assert_eq!(step(&format!("{latent}&headdim=64")), step(latent));
    let list = |shape: LatentAttention| {
        let shape = Architecture { latent: shape, ..plain(0) };
        engine::model::layer::products(&shape, Block::Attention, 1.0)
    };
    assert_eq!(list(LatentAttention::DEEPSEEK).iter().count(), 5);
    assert_eq!(Layers::DENSE.count(), 2.0);
}
