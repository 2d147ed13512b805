//! Single layers of experts that a publication measured: Tutel's (arXiv 2206.03382, MLSys 2023), on
//! Azure NDm A100 v4.
//!
//! Its runs compute in fp32 with the tensor cores' TF32 products, the default of the library's own
//! example: Table 2's exchanges then fill 91 % of the network cards, against 45 % in 16 bits.
//! Tokens are per GPU. The constants below are fitted to the tables that
//! `crates/engine/tests/suite/tutel.rs` compares with, all settings together, so agreement there
//! shows that the model can express the paper's figures, not how well it predicts others.

use super::interconnects::{IB_200, NVLINK_3};
use engine::fitted;
use engine::model::experts::layer::{Layout, MoeLayer, SLOWDOWN_PER_KERNEL};
use engine::model::experts::routing::Encode;
use engine::model::hardware::Network;
use engine::model::layer::mlp;
use engine::units::{BytesPerSecond, FlopsPerSecond, Seconds};

/// GPUs of a node.
const GPUS_PER_NODE: u32 = 8;
/// Fraction of a network card's rate that exchanges of more than 100 MB reach on two and on eight
/// nodes, 22.7 and 23.2 of 25 GB/s (Table 2).
const FABRIC: f64 = 0.93;
/// Relative loss of exchanges with each node: 16.9 GB/s remain on 32 nodes (Table 2), part of the
/// loss due to the messages themselves.
const NODE_DECAY: f64 = 0.0088;
/// Peak of TF32 products on an A100, from its data sheet.
const TF32: FlopsPerSecond = FlopsPerSecond::from_tflops(156.0);
/// Fraction of that peak that batched products reach under PyTorch 1.8: the compute part of Table
/// 2.
const MATMUL: f64 = 0.5;
/// Memory bandwidth of an A100 80 GB, from its data sheet, and the fraction that element-wise
/// kernels reach.
const MEMORY: BytesPerSecond = BytesPerSecond::from_gb_per_s(2039.0);
const MEMORY_REACHED: f64 = 0.75;
/// Host time of a pass outside the experts (gate, masks, cumulative sums, losses, encoding), which
/// dominates the smallest settings.
const HOST: Seconds = Seconds::from_ms(fitted::TUTEL_HOST_MS);
/// Bytes of an fp32 element.
const FP32: f64 = 4.0;

/// Returns the network of the paper's cluster, at the rates that its exchanges reach.
pub fn network() -> Network {
    let nodes = NVLINK_3.nodes(GPUS_PER_NODE, &IB_200);
    Network { inter_node_efficiency: FABRIC, node_decay: NODE_DECAY, relays: false, ..nodes }
}

/// Returns a layer of the paper: tokens of one GPU, hidden size D, width of experts H, experts,
/// GPUs; top-2 routing, f = 1, Tutel's kernels.
pub fn layer(tokens: f64, hidden_size: f64, intermediate_size: f64, experts: u32, gpus: u32) -> MoeLayer {
    MoeLayer {
        tokens,
        top_k: 2.0,
        capacity_factor: 1.0,
        experts,
        hidden_size,
        expert: mlp::between(hidden_size, intermediate_size, false, false, 1.0),
        element: FP32,
        gpus,
        network: network(),
        matmul_rate: TF32 * MATMUL,
        half_saturation_rows: fitted::TUTEL_HALF_SATURATION_ROWS,
        memory_rate: MEMORY * MEMORY_REACHED,
        slowdown_per_kernel: SLOWDOWN_PER_KERNEL,
        host: HOST,
        encode: Encode::Sparse,
        layout: Layout::Flexible,
    }
}

/// Returns the layer with the kernels and the layout that Fairseq and DeepSpeed had at the time,
/// the paper's baseline.
pub fn with_dense_kernels(layer: MoeLayer) -> MoeLayer {
    MoeLayer { encode: Encode::Dense, layout: Layout::Conventional, ..layer }
}

/// Returns the layer of the headline, Figure 14: 16,384 tokens per GPU, D = H = 2,048, two experts
/// per GPU, 16 to 2,048 GPUs; 4.96 times as fast as the baseline on 16 GPUs and 5.75 times on
/// 2,048.
pub fn headline(gpus: u32) -> MoeLayer {
    layer(16384.0, 2048.0, 2048.0, gpus.saturating_mul(2), gpus)
}

/// Returns a layer of Table 2: 65,536 tokens, D = H = 4,096, two experts per GPU.
pub fn table_2(gpus: u32) -> MoeLayer {
    layer(65536.0, 4096.0, 4096.0, gpus.saturating_mul(2), gpus)
}

/// Returns a layer of Table 5: D = H = 4,096 and two experts on one GPU.
pub fn table_5(tokens: f64, encode: Encode) -> MoeLayer {
    MoeLayer { encode, ..layer(tokens, 4096.0, 4096.0, 2, 1) }
}

/// Returns the base layer of Figure 12: 4,096 tokens, D = 2,048, H = 2,048, 16 experts on 64 GPUs.
/// The figure does not print k; 1 is assumed.
pub fn figure_12_base(capacity_factor: f64) -> MoeLayer {
    MoeLayer { top_k: 1.0, capacity_factor, ..layer(4096.0, 2048.0, 2048.0, 16, 64) }
}

/// Returns the large layer of Figure 12: 1,024 tokens and H = 32,768, else as the base layer.
pub fn figure_12_large(capacity_factor: f64) -> MoeLayer {
    MoeLayer { top_k: 1.0, capacity_factor, ..layer(1024.0, 2048.0, 32768.0, 16, 64) }
}

/// Returns a layer of Figure 13: 4,096 tokens, D = H = 4,096, two experts per GPU.
pub fn figure_13(capacity_factor: f64, gpus: u32) -> MoeLayer {
    MoeLayer { capacity_factor, ..layer(4096.0, 4096.0, 4096.0, gpus.saturating_mul(2), gpus) }
}

/// Peak of 16-bit products on an A100, from its data sheet.
const PEAK_16BIT: FlopsPerSecond = FlopsPerSecond::from_tflops(312.0);
/// Bytes of a 16-bit element.
const HALF: f64 = 2.0;
/// Hidden size, width of an expert, and number of experts in the third stage of SwinV2-MoE-B.
const SWIN: [u32; 3] = [512, 2048, 32];
/// Tokens per GPU in that stage: 12 x 12 for each of 128 images of 192 x 192, as 4,096 images are
/// spread over 32 GPUs.
const SWIN_TOKENS: f64 = 128.0 * 144.0;

/// Returns the expert layer of SwinV2-MoE-B's third stage, which has nine of the model's ten expert
/// layers: D = 512, H = 2,048, 32 experts on 32 GPUs, top-1, mixed precision, f = 1 as in Table 7
/// (configs/swinmoe of microsoft/Swin-Transformer).
pub fn swin_v2_moe() -> MoeLayer {
    let [hidden, width, experts] = SWIN;
    MoeLayer {
        top_k: 1.0,
        element: HALF,
        matmul_rate: PEAK_16BIT * MATMUL,
        ..layer(SWIN_TOKENS, f64::from(hidden), f64::from(width), experts, experts)
    }
}

/// A named layer that a publication measured.
#[derive(Clone, Copy, Debug)]
pub struct ExpertLayerEntry {
    /// The key in links.
    pub id: &'static str,
    /// The name on the page.
    pub name: &'static str,
    /// The publication's finding, in one sentence.
    pub found: &'static str,
    /// Builds the layer.
    pub layer: fn() -> MoeLayer,
}

/// The layers that figures offer, in display order: rows of `data/examples.toml`. Each can be swept
/// over its GPUs, its tokens and its capacity factor.
pub const EXPERT_LAYERS: &[ExpertLayerEntry] = include!(concat!(env!("OUT_DIR"), "/expert_layers.rs"));
