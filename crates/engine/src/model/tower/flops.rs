//! FLOPs of encoder and projection.

use super::encoder::encoder;
use crate::model::flops::backward::recomputed_per_token;
use crate::model::flops::layer::{layer_attention, layer_matmul, layer_mixing, mean_keys};
use crate::model::setup::Setup;
use crate::model::training::{AttentionMask, MfuConvention};
use crate::model::transformer::{Architecture, Tower};
use crate::units::Flops;

/// A multiply and an add.
const MULTIPLY_ADD: f64 = 2.0;

/// Forward FLOPs of one image: `2 (L (4 H² + 2 H F) + 3 patch² H) p + 4 L H p²` of the encoder over
/// p patches, and `2 P_proj` for each token of the projection; F twice and a half where MLPs are
/// gated, windows instead of all patches where attention stays in them.
///
/// ```
/// # use engine::model::{tower::flops::of_image, training::MfuConvention, transformer::Tower};
/// let gflop = |tower: &Tower| of_image(tower, 0, MfuConvention::FullAttention).get() / 1e9;
/// // github mlfoundations/open_clip, docs/model_profile.csv: ViT-L-14-336 takes 381.92 GFLOP an image (of 577 positions, the class one of
/// // them), ViT-SO400M-14-SigLIP-384 670.35.
/// let clip = Tower { layers: 24, image_size: 336, merge: 1, ..Tower::NONE };
/// assert!((gflop(&clip) / 381.92 - 1.0).abs() < 0.005, "{}", gflop(&clip));
/// let siglip = Tower { layers: 27, hidden_size: 1152, mlp_width: 4304, image_size: 384, ..clip };
/// assert!((gflop(&siglip) / 670.35 - 1.0).abs() < 0.01, "{}", gflop(&siglip));
/// ```
pub fn of_image(tower: &Tower, resolution: u32, convention: MfuConvention) -> Flops {
    let encoder = tower.encoder();
    let positions = f64::from(tower.positions(resolution));
    let layers = f64::from(tower.layers);
    let attention = layer_attention(&encoder, counted_keys(&encoder, positions, convention));
    let per_position = layers * (layer_matmul(&encoder) + attention) + Flops::new(MULTIPLY_ADD * tower.patch_params());
    positions * per_position + of_projector(tower, resolution)
}

/// Positions that each of them attends to: attention of an image is full under either convention
/// that counts it.
fn counted_keys(encoder: &Architecture, positions: f64, convention: MfuConvention) -> f64 {
    match convention {
        MfuConvention::ParametersOnly => 0.0,
        MfuConvention::FullAttention | MfuConvention::CausalAttention => {
            mean_keys(encoder, positions, AttentionMask::Full)
        }
    }
}

/// Forward FLOPs of the projection of one image.
fn of_projector(tower: &Tower, resolution: u32) -> Flops {
    Flops::new(MULTIPLY_ADD * tower.projector_params as f64 * f64::from(tower.tokens(resolution)))
}

/// Model FLOPs of encoder and projection for each useful token of the language model's sequences.
/// Of a frozen part the forward pass counts, and gradients of its inputs where something before it
/// trains, as for the frozen base beside adapters ([`crate::model::flops::of_setup`]).
pub fn per_token(setup: &Setup) -> Flops {
    if !setup.reads_images() {
        return Flops::ZERO;
    }
    let (tower, images) = (&setup.architecture.tower, &setup.images);
    let one = |is: bool| f64::from(u8::from(is));
    let projector = of_projector(tower, images.resolution);
    let of_encoder = of_image(tower, images.resolution, setup.mfu_convention) - projector;
    // Gradients of weights and of inputs; none of the pixels.
    let patches = Flops::new(MULTIPLY_ADD * tower.patch_params() * f64::from(tower.positions(images.resolution)));
    let trained = one(images.trains_tower());
    let of_encoder = (1.0 + 2.0 * trained) * of_encoder - trained * patches;
    let of_projector = (1.0 + trained + one(images.trains_projector)) * projector;
    per_sequence(setup) * (of_encoder + of_projector)
}

/// FLOPs for each useful token that no weight's gradient needs: what is computed again, and
/// gradients of inputs of a frozen encoder.
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

/// Forward FLOPs for each useful token: a pass without gradients.
pub fn forward_per_token(setup: &Setup) -> Flops {
    if !setup.reads_images() {
        return Flops::ZERO;
    }
    per_sequence(setup) * of_image(&setup.architecture.tower, setup.images.resolution, setup.mfu_convention)
}

/// Images for each useful token.
fn per_sequence(setup: &Setup) -> f64 {
    f64::from(setup.images.per_sequence) / (f64::from(setup.batch.seq_len) * setup.useful())
}
