//! The encoder of images or sound as a separate setup, and its parameters
//! (docs/book/model/images.md).

use super::choices::Choices;
use super::layer::Layers;
use super::lengths::Lengths;
use super::objective::Objective;
use super::parallel::Mesh;
use super::per_rank::{self, LocalParams};
use super::setup::{Overheads, Setup};
use super::software::{Kernels, NormKernel};
use super::states::recipe_bytes;
use super::trained::{BaseFormat, Method, Trained};
use super::training::{AttentionMask, Batch};
use super::transformer::Norm;
use crate::units::Seconds;

/// Returns the encoder of a setup as a separate setup, with one sequence per image.
pub fn encoder(setup: &Setup) -> Setup {
    let tower = &setup.architecture.tower;
    let images = &setup.images;
    let architecture = tower.encoder();
    let mesh = &setup.mesh;
    let tp = if setup.traits().splits_encoder { mesh.tp } else { 1 };
    let trained = if images.trains_tower() && images.trains_projector {
        Trained::ALL
    } else {
        let frozen_layers = if images.trains_tower() { 0 } else { tower.layers };
        // Gradients pass frozen layers on their way to earlier modules.
        let embeddings = setup.gradients_pass_tower();
        Trained { method: Method::Layers, frozen_layers, embeddings, base: frozen_format(setup), ..Trained::ALL }
    };
    // Upcasting implementations have their own root-mean-square norms; layer norms are PyTorch's.
    let norms = if architecture.norm == Norm::Layer { NormKernel::Fused } else { setup.kernels.norms };
    Setup {
        architecture,
        // GPUs of context parallelism have equal images, and shard the same weights.
        mesh: Mesh {
            dp_replicate: mesh.dp_replicate,
            dp_shard: mesh.dp_shard.saturating_mul(mesh.cp),
            cp: 1,
            tp,
            pp: 1,
            ep: 1,
            etp: 1,
        },
        batch: Batch {
            seq_len: tower.positions(images.resolution),
            micro_batch_size: setup.batch.micro_batch_size.saturating_mul(images.per_sequence),
            ..setup.batch
        },
        lengths: Lengths::Equal,
        // One update and one process serve the whole model.
        overheads: Overheads { step: Seconds::ZERO, ..setup.overheads },
        mask: AttentionMask::Full,
        choices: Choices {
            sequence_heads: 1,
            trained,
            objective: Objective::NEXT_TOKEN,
            layers_in_16_bits: 0,
            mtp: 0,
            kernels: Kernels { norms, dropout: false, tiled_mlp: false, ..setup.kernels },
            ..setup.choices
        },
        ..*setup
    }
}

/// Returns the format of frozen parts of encoder and projection: that of the recipe if the whole
/// language model is trained, otherwise that of the frozen base; 16 bits for GPTQ and AWQ, whose
/// published checkpoints exclude the encoder (`modules_to_not_convert`).
fn frozen_format(setup: &Setup) -> BaseFormat {
    const FULL: f64 = 4.0;
    let at_rest = recipe_bytes(setup.recipe).weights;
    match setup.trained.method {
        Method::All if at_rest >= FULL => BaseFormat::Fp32,
        Method::All => BaseFormat::Bf16,
        Method::Layers | Method::Lora | Method::RsLora | Method::Dora if setup.trained.base == BaseFormat::Int4 => {
            BaseFormat::Bf16
        }
        Method::Layers | Method::Lora | Method::RsLora | Method::Dora => setup.trained.base,
    }
}

/// Returns the parameters of encoder and projection on one GPU; `encoder` is the result of
/// [`encoder`](encoder()).
pub(super) fn local_params(setup: &Setup, encoder: &Setup) -> LocalParams {
    let layers = encoder.architecture.num_hidden_layers;
    let of_encoder = per_rank::params(encoder, layers, &Layers::DENSE, true, false);
    let images = &setup.images;
    let projector = setup.architecture.tower.projector_params as f64 / f64::from(encoder.mesh.tp.max(1));
    let trained = |is: bool, params: f64| if is { params } else { 0.0 };
    let mut params = LocalParams { neighbour: 1.0, ..of_encoder };
    params.trained.root =
        trained(images.trains_tower(), of_encoder.held.root) + trained(images.trains_projector, projector);
    params.held.root += projector;
    params
}

/// Returns the parameters of encoder and projection of a setup on one GPU.
pub fn tower_params(setup: &Setup) -> LocalParams {
    local_params(setup, &encoder(setup))
}

/// Returns the tokens that the projection reads in one micro-batch.
pub(super) fn projected(setup: &Setup) -> f64 {
    let images = f64::from(setup.batch.micro_batch_size) * f64::from(setup.images.per_sequence);
    images * f64::from(setup.architecture.tower.tokens(setup.images.resolution))
}
