//! Memory of encoder and projection on one GPU.

use super::activations;
use crate::model::encoder::{encoder, projected};
use crate::model::layer::Layers;
use crate::model::per_rank;
use crate::model::setup::Setup;
use crate::model::stages::Stage;
use crate::model::states::{FrozenBytes, States, base, gpu_states, recipe_bytes, shard_degrees};
use crate::model::training::{Reshard, Sharding};
use crate::units::Bytes;

/// Memory of encoder and projection on one GPU of the first stage, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TowerMemory {
    /// Weights, gradients and optimizer state at rest.
    pub(super) states: States,
    /// Frozen weights, a part of `states`.
    pub(super) frozen: Bytes,
    /// Gathered weights while the language model is computed: those outside the encoder's layers,
    /// which are in FSDP's root unit; all of them if weights stay gathered.
    pub(super) gathered: Bytes,
    /// Activations kept from the forward pass until the end of the language model's backward pass,
    /// for all micro-batches in flight.
    pub(super) kept: Bytes,
    /// Gathered weights of one layer, while the encoder is computed.
    pub(super) gathered_unit: Bytes,
    /// Working memory while the encoder is computed, in addition to its kept activations.
    pub(super) working: Bytes,
}

impl TowerMemory {
    /// No encoder.
    pub(super) const NONE: Self = Self {
        states: States { weights: Bytes::ZERO, gradients: Bytes::ZERO, optimizer: Bytes::ZERO },
        frozen: Bytes::ZERO,
        gathered: Bytes::ZERO,
        kept: Bytes::ZERO,
        gathered_unit: Bytes::ZERO,
        working: Bytes::ZERO,
    };

    /// Returns the memory of a stage: zero if the stage does not hold the embedding.
    ///
    /// A trained encoder keeps as much of each position as a layer of a language model of a token,
    /// under the same recomputation mode; a frozen one keeps nothing, since it runs without
    /// gradients. A trained projection keeps its input, the encoder's output. If gradients pass the
    /// projection, it keeps two tensors of the language model's width for each token: before and
    /// after its activation.
    pub(super) fn new(setup: &Setup, on: &Stage) -> Self {
        /// Tensors between the two matrices of the projection.
        const INSIDE: f64 = 2.0;
        if !setup.architecture.tower.is_used() || !on.embedding {
            return Self::NONE;
        }
        let encoder = encoder(setup);
        let stage = Stage::of_encoder(setup, &encoder, on.in_flight);
        let (images, bytes) = (&setup.images, recipe_bytes(setup.recipe));
        let (params, layers) = (&stage.params, f64::from(stage.layers));
        let element = bytes.activation;
        let tokens = per_rank::tokens(&encoder);
        let of_layer = activations::layer(&encoder, element, &Layers::DENSE);
        let (width, out) = (f64::from(encoder.architecture.hidden_size), f64::from(setup.architecture.hidden_size));
        let when = |is: bool, bytes: f64| if is { bytes } else { 0.0 };
        let of_layers = when(setup.gradients_pass_tower(), layers * of_layer.kept * tokens);
        let output = when(images.trains_tower() || images.trains_projector, width * element * tokens);
        let inside = when(
            setup.gradients_reach_images() && setup.architecture.tower.projector_params > 0,
            INSIDE * out * element * projected(setup),
        );
        let kept = when(setup.reads_images(), of_layers + output + inside);
        let kept = if setup.offload.activations { 0.0 } else { kept * on.in_flight };
        let in_work = if setup.gradients_pass_tower() {
            of_layer.whole - of_layer.kept + of_layer.gradients
        } else {
            of_layer.whole
        };

        let sharded = shard_degrees(setup).weights > 1.0;
        let frozen = params.frozen();
        let for_compute = FrozenBytes::for_compute(&encoder, sharded);
        let casts = sharded || bytes.gathered < bytes.weights || setup.offload.parameters;
        let gathered = when(casts, bytes.gathered);
        let of_unit = gathered * params.trained.layer + for_compute.layer_bytes(&frozen);
        let of_root = gathered * params.trained.root + for_compute.others * frozen.root;
        let stays = !matches!(setup.sharding, Sharding::Fsdp(Reshard::Always | Reshard::To(_)));
        let kept_gathered = of_root + when(stays, layers * of_unit);
        let working = when(setup.reads_images(), in_work * tokens);
        Self {
            states: gpu_states(&encoder, params),
            frozen: base(&encoder, params),
            gathered: Bytes::new(kept_gathered),
            kept: Bytes::new(kept),
            gathered_unit: Bytes::new(of_unit),
            working: Bytes::new(working),
        }
    }

    /// Returns the states at rest; `gradients` is whether gradients are allocated.
    pub(super) fn at_rest(&self, gradients: bool) -> Bytes {
        let gradients = if gradients { self.states.gradients } else { Bytes::ZERO };
        self.states.weights + gradients + self.states.optimizer
    }
}
