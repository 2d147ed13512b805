//! What the encoder of images or sound takes: FLOPs, time, collectives and memory.
//!
//! The encoder is a transformer of its own ([`Tower::encoder`](super::transformer::Tower::encoder)), and its layers are priced as those of
//! a language model are, on micro-batches of its own: the images of the language model's micro-batch, each a sequence of its patches under
//! full attention. It lies on the first pipeline stage. Megatron-Core splits it by tensor parallelism as the language model; elsewhere
//! every GPU of a tensor-parallel group runs all of it. So do the GPUs that share a sequence.

mod comm;
mod costs;
pub mod flops;
pub mod memory;

pub use comm::with_tower;
pub use costs::{TowerCosts, costs, parts};

use super::compute;
use super::cost::{Cost, Operations};
use super::lengths::Lengths;
use super::objective::Objective;
use super::parallel::Mesh;
use super::per_rank::{self, LocalParams};
use super::setup::{Overheads, Setup};
use super::software::{Kernels, NormKernel};
use super::stages::Stage;
use super::trained::{BaseFormat, Method, Trained};
use super::training::{AttentionMask, Batch};
use super::transformer::{LayerShares, Norm};
use crate::units::Seconds;

/// The encoder of a setup as a setup of its own: one sequence an image.
pub fn encoder(setup: &Setup) -> Setup {
    let tower = &setup.architecture.tower;
    let images = &setup.images;
    let architecture = tower.encoder();
    let mesh = &setup.mesh;
    let tp = if setup.framework.is_megatron_core() { mesh.tp } else { 1 };
    let trained = if images.trains_tower() && images.trains_projector {
        Trained::ALL
    } else {
        let frozen_layers = if images.trains_tower() { 0 } else { tower.layers };
        // Gradients pass frozen layers on their way to what is before them.
        let embeddings = setup.gradients_pass_tower();
        Trained { method: Method::Layers, frozen_layers, embeddings, base: frozen_format(setup), ..Trained::ALL }
    };
    // Upcasting implementations have root-mean-square norms of their own; layer norms are PyTorch's.
    let norms = if architecture.norm == Norm::Layer { NormKernel::Fused } else { setup.kernels.norms };
    Setup {
        architecture,
        // GPUs that share a sequence have the same images, and shard the same weights.
        mesh: Mesh {
            dp_replicate: mesh.dp_replicate,
            dp_shard: mesh.dp_shard.saturating_mul(mesh.cp),
            cp: 1,
            tp,
            pp: 1,
            ep: 1,
            etp: 1,
        },
        sequence_heads: 1,
        trained,
        objective: Objective::NEXT_TOKEN,
        batch: Batch {
            seq_len: tower.positions(images.resolution),
            micro_batch_size: setup.batch.micro_batch_size.saturating_mul(images.per_sequence),
            ..setup.batch
        },
        lengths: Lengths::Equal,
        layers_in_16_bits: 0,
        mtp: 0,
        // One update and one process beside all of the model.
        overheads: Overheads { step: Seconds::ZERO, ..setup.overheads },
        kernels: Kernels { norms, dropout: false, tiled_mlp: false, ..setup.kernels },
        mask: AttentionMask::Full,
        ..*setup
    }
}

/// The format of what does not train of encoder and projection: that of the recipe where the language model trains whole, else the
/// frozen base's; 16 bits beside GPTQ and AWQ, whose published checkpoints leave the encoder out (`modules_to_not_convert`).
fn frozen_format(setup: &Setup) -> BaseFormat {
    const FULL: f64 = 4.0;
    let at_rest = super::memory::recipe_bytes(setup.recipe).weights;
    match setup.trained.method {
        Method::All if at_rest >= FULL => BaseFormat::Fp32,
        Method::All => BaseFormat::Bf16,
        Method::Layers | Method::Lora | Method::RsLora | Method::Dora if setup.trained.base == BaseFormat::Int4 => {
            BaseFormat::Bf16
        }
        Method::Layers | Method::Lora | Method::RsLora | Method::Dora => setup.trained.base,
    }
}

/// Encoder and projection on one GPU, as a stage; `encoder` is that of [`encoder`].
pub(super) fn stage(setup: &Setup, encoder: &Setup, in_flight: f64) -> Stage {
    let layers = encoder.architecture.num_hidden_layers;
    let of_encoder = per_rank::params(encoder, layers, LayerShares::DENSE, true, false);
    let images = &setup.images;
    let projector = setup.architecture.tower.projector_params as f64 / f64::from(encoder.mesh.tp.max(1));
    let trained = |is: bool, params: f64| if is { params } else { 0.0 };
    let mut params = LocalParams { neighbour: 1.0, ..of_encoder };
    params.trained.root =
        trained(images.trains_tower(), of_encoder.held.root) + trained(images.trains_projector, projector);
    params.held.root += projector;
    Stage {
        layers,
        moe_layers: 0.0,
        shares: LayerShares::DENSE,
        count: 1.0,
        embedding: true,
        head: false,
        in_flight,
        params,
    }
}

/// Parameters of encoder and projection on one GPU.
pub(super) fn params(setup: &Setup) -> LocalParams {
    stage(setup, &encoder(setup), 1.0).params
}

/// The cost of the optimizer's update of encoder and projection.
pub(super) fn update<C: Cost<Operations>>(setup: &Setup) -> C {
    let encoder = encoder(setup);
    compute::optimizer_cost(&encoder, &stage(setup, &encoder, 1.0))
}

/// Tokens that the projection reads in one micro-batch.
fn projected(setup: &Setup) -> f64 {
    let images = f64::from(setup.batch.micro_batch_size) * f64::from(setup.images.per_sequence);
    images * f64::from(setup.architecture.tower.tokens(setup.images.resolution))
}
