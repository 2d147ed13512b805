//! FLOPs of encoder and projection.

use super::backward::recomputed_per_token;
use super::layer::{layer_attention, layer_matmul, layer_mixing, mean_keys};
use crate::model::encoder::encoder;
use crate::model::setup::Setup;
use crate::model::training::{AttentionMask, MfuConvention};
use crate::model::transformer::{Architecture, Tower};
use crate::units::Flops;

/// A multiply and an add.
const MULTIPLY_ADD: f64 = 2.0;

/// Returns the forward FLOPs of one image: `2 (L (4 H² + 2 H F) + 3 patch² H) p + 4 L H p²` of the
/// encoder over p patches, and `2 P_proj` for each token of the projection; the MLP has three
/// matrices if it is gated, and windowed attention counts windows instead of all patches.
///
/// ```
/// # use engine::model::{flops::tower::image_flops, training::MfuConvention, transformer::Tower};
/// let gflop = |tower: &Tower| image_flops(tower, 0, MfuConvention::FullAttention).get() / 1e9;
/// // github mlfoundations/open_clip, docs/model_profile.csv: ViT-L-14-336 takes 381.92 GFLOP an image (of 577 positions, the class one of
/// // them), ViT-SO400M-14-SigLIP-384 670.35.
/// let clip = Tower { layers: 24, image_size: 336, merge: 1, ..Tower::NONE };
/// assert!((gflop(&clip) / 381.92 - 1.0).abs() < 0.005, "{}", gflop(&clip));
/// let siglip = Tower { layers: 27, hidden_size: 1152, mlp_width: 4304, image_size: 384, ..clip };
/// assert!((gflop(&siglip) / 670.35 - 1.0).abs() < 0.01, "{}", gflop(&siglip));
/// ```
pub fn image_flops(tower: &Tower, resolution: u32, convention: MfuConvention) -> Flops {
    let encoder = tower.encoder();
    let positions = f64::from(tower.positions(resolution));
    let layers = f64::from(tower.layers);
    let attention = layer_attention(&encoder, counted_keys(&encoder, positions, convention));
    let per_position = layers * (layer_matmul(&encoder) + attention) + Flops::new(MULTIPLY_ADD * tower.patch_params());
    positions * per_position + projector_flops(tower, resolution)
}

/// Returns the positions that each position attends to: attention over an image is full under
/// either convention that counts attention.
fn counted_keys(encoder: &Architecture, positions: f64, convention: MfuConvention) -> f64 {
    match convention {
        MfuConvention::ParametersOnly => 0.0,
        MfuConvention::FullAttention | MfuConvention::CausalAttention => {
            mean_keys(encoder, positions, AttentionMask::Full)
        }
    }
}

/// Returns the forward FLOPs of the projection of one image.
fn projector_flops(tower: &Tower, resolution: u32) -> Flops {
    Flops::new(MULTIPLY_ADD * tower.projector_params as f64 * f64::from(tower.tokens(resolution)))
}

/// Returns the model FLOPs of encoder and projection per useful token of the language model's
/// sequences. A frozen part counts its forward pass, and its input gradients if a module before it
/// is trained, like the frozen base of adapters ([`crate::model::flops::model_flops_per_token`]).
pub fn per_token(setup: &Setup) -> Flops {
    if !setup.reads_images() {
        return Flops::ZERO;
    }
    let (tower, images) = (&setup.architecture.tower, &setup.images);
    let one = |is: bool| f64::from(u8::from(is));
    let projector = projector_flops(tower, images.resolution);
    let of_encoder = image_flops(tower, images.resolution, setup.mfu_convention) - projector;
    // Gradients of weights and of inputs; pixels have none.
    let patches = Flops::new(MULTIPLY_ADD * tower.patch_params() * f64::from(tower.positions(images.resolution)));
    let trained = one(images.trains_tower());
    let of_encoder = (1.0 + 2.0 * trained) * of_encoder - trained * patches;
    let of_projector = (1.0 + trained + one(images.trains_projector)) * projector;
    per_sequence(setup) * (of_encoder + of_projector)
}

/// Returns the FLOPs per useful token that no weight gradient needs: recomputation, and input
/// gradients of a frozen encoder.
pub fn again_per_token(setup: &Setup) -> Flops {
    if !setup.gradients_pass_tower() {
        return Flops::ZERO;
    }
    let encoder = encoder(setup);
    let positions = f64::from(encoder.batch.seq_len);
    let keys = counted_keys(&encoder.architecture, positions, setup.mfu_convention);
    let again = recomputed_per_token(&encoder, keys);
    let unused = if setup.images.trains_tower() {
        Flops::ZERO
    } else {
        let shape = &encoder.architecture;
        f64::from(shape.num_hidden_layers) * (layer_matmul(shape) + 2.0 * layer_mixing(shape, keys))
    };
    per_sequence(setup) * positions * (again + unused)
}

/// Returns the forward FLOPs per useful token, for a pass without gradients.
pub fn forward_per_token(setup: &Setup) -> Flops {
    if !setup.reads_images() {
        return Flops::ZERO;
    }
    per_sequence(setup) * image_flops(&setup.architecture.tower, setup.images.resolution, setup.mfu_convention)
}

/// Returns the images per useful token.
fn per_sequence(setup: &Setup) -> f64 {
    f64::from(setup.images.per_sequence) / (f64::from(setup.batch.seq_len) * setup.useful())
}
