//! All inputs of the engine for one training step: numbers only, no names, no presets.

use super::choices::Choices;
use super::framework::{HostWaits, Layers, Traits};
use super::hardware::{Accelerator, Network};
use super::images::TowerTraining;
use super::lengths::Lengths;
use super::parallel::{LossParallel, Mesh, Schedule};
use super::software::{AttentionKernel, Cache, Graphs, RepeatedHeads, RootUnit};
use super::trained::BaseFormat;
use super::training::{AttentionMask, Batch, ComputeFormat, Recompute, Sharding};
use super::transformer::Architecture;
use crate::units::{Bytes, Seconds};
use std::ops::{Deref, DerefMut};

/// One training step to evaluate, built from a validated [`crate::scenario::Scenario`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    /// The model's shape.
    pub architecture: Architecture,
    /// The shape of the teacher that a distillation evaluates in every step ([`super::teacher`]).
    pub teacher: Option<Architecture>,
    /// One GPU.
    pub accelerator: Accelerator,
    /// The links between GPUs.
    pub network: Network,
    /// The device mesh.
    pub mesh: Mesh,
    /// The states that are sharded.
    pub sharding: Sharding,
    /// The batch of one step; for objectives over pairs it counts both sequences of each pair.
    pub batch: Batch,
    /// Lengths of the batch's sequences.
    pub lengths: Lengths,
    /// The score pairs that attention computes.
    pub mask: AttentionMask,
    /// Costs of the software beyond the mathematics.
    pub overheads: Overheads,
    /// Ratio of the measured to the predicted peak of memory: 1 if nothing was measured.
    pub measured_memory: f64,
    /// The user's choices, or the nearest possible ones.
    pub choices: Choices,
}

/// Gives access to the choices as fields of the setup: formulas read `setup.recompute`.
impl Deref for Setup {
    type Target = Choices;

    fn deref(&self) -> &Choices {
        &self.choices
    }
}

impl DerefMut for Setup {
    fn deref_mut(&mut self) -> &mut Choices {
        &mut self.choices
    }
}

impl Setup {
    /// Scales a host time of an EPYC 7742 to the host's speed.
    pub fn host_time(&self, of_reference: Seconds) -> Seconds {
        of_reference * (1.0 / self.network.host.speed)
    }

    /// Whether the host synchronises with the GPU in each pass of a micro-batch, so that slack in
    /// one pass cannot be used in another: at messages or gathers, and at token counts of experts
    /// (dropless dispatch copies them from the GPU, layer by layer).
    pub fn host_waits_in_each_pass(&self) -> bool {
        let counts = self.architecture.has_experts() && self.kernels.graphs != Graphs::Step;
        let traits = self.traits();
        let beside = traits.overlaps_messages && self.pipeline.schedule == Schedule::Interleaved && self.chunks() > 1;
        counts
            || match traits.host_waits {
                HostWaits::Never => false,
                HostWaits::AtMessages => self.mesh.pp > 1 && !beside,
                HostWaits::AtGathers => matches!(self.sharding, Sharding::Fsdp(_)),
            }
    }

    /// Returns the traits of the framework's code.
    pub fn traits(&self) -> &'static Traits {
        self.framework.traits()
    }

    /// Returns the weights that FSDP keeps gathered outside the layers. A tied head is in one unit
    /// with the embedding.
    pub fn root_unit(&self) -> RootUnit {
        let asked = match self.communication.root_unit {
            asked if asked != RootUnit::Default && self.traits().shards_by_fsdp => asked,
            _ => self.traits().root_unit,
        };
        let apart = asked == RootUnit::Head && self.architecture.tie_word_embeddings;
        if apart { RootUnit::Kept } else { asked }
    }

    /// Whether the activation of the MLP is GPT-2's, operator by operator.
    pub fn has_new_gelu(&self) -> bool {
        self.traits().new_gelu && !self.kernels.compile && self.architecture.is_gpt_2()
    }

    /// Whether keys and values are repeated for the query heads that share them, in layers of
    /// PyTorch.
    pub fn repeats_key_values(&self) -> bool {
        let repeats = match self.kernels.repeated_heads {
            RepeatedHeads::Default => self.kernels.attention == AttentionKernel::Unfused,
            RepeatedHeads::Yes => true,
            RepeatedHeads::No => false,
        };
        repeats && self.traits().layers != Layers::Own
    }

    /// Whether selective recomputation counts products with a bias. `addmm` is on torchtitan's list
    /// since 114151ad4 (March 2026); the policy for models of transformers only lists `mm`.
    pub fn keeps_biased_products(&self) -> bool {
        self.traits().layers != Layers::Transformers
    }

    /// Whether layers that are recomputed leave their inputs, and the inputs' gradients, until the
    /// end of the backward pass: beside adapters, FSDP1's unit of a layer has frozen weights alone,
    /// as PEFT's policy wraps each adapter.
    pub fn keeps_inputs_of_frozen_units(&self) -> bool {
        self.traits().keeps_inputs_of_frozen_units
            && self.trained.has_adapters()
            && matches!(self.sharding, Sharding::Fsdp(_))
            && self.mesh.shard_group() > 1
            && self.recompute == Recompute::Full
    }

    /// Returns the number of GPUs over which the logits of a token are split.
    pub fn loss_parallel(&self) -> u32 {
        let gathers = match self.tensor.loss {
            LossParallel::Default => self.traits().gathers_logits,
            LossParallel::Yes => false,
            LossParallel::No => true,
        };
        if gathers { 1 } else { self.mesh.tp.max(1) }
    }

    /// Returns the setup of the micro-batch with the longest sequence, which determines whether the
    /// run fits.
    #[must_use]
    pub fn at_longest(&self) -> Self {
        match self.lengths {
            Lengths::Equal | Lengths::LongestOf { .. } => *self,
            Lengths::OfTexts { longest, spread, .. } => {
                let lengths = if spread > 0.0 { Lengths::LongestOf { spread } } else { Lengths::Equal };
                Self { batch: Batch { seq_len: longest, ..self.batch }, lengths, ..*self }
            }
        }
    }

    /// Returns the share of layers whose products stay in the recipe's format while those of others
    /// run in fewer bits.
    pub fn share_in_16_bits(&self) -> f64 {
        if self.compute_format == ComputeFormat::AsPolicy || self.layers_in_16_bits == 0 {
            return 0.0;
        }
        let layers = self.architecture.num_hidden_layers.max(1);
        f64::from(self.layers_in_16_bits.min(layers)) / f64::from(layers)
    }

    /// Returns the tokens of a sequence that attention counts.
    pub fn attended(&self) -> f64 {
        match self.lengths {
            Lengths::Equal | Lengths::LongestOf { .. } => f64::from(self.batch.seq_len),
            Lengths::OfTexts { attended, .. } => attended,
        }
    }

    /// Returns the share of a step's tokens that are not padding.
    pub fn useful(&self) -> f64 {
        match self.lengths {
            Lengths::Equal | Lengths::LongestOf { .. } => 1.0,
            Lengths::OfTexts { useful, .. } => useful,
        }
    }

    /// Whether the frozen matrices are dequantized to 16 bits before each product; not if the
    /// products run in the stored format.
    pub fn dequantizes(&self) -> bool {
        let native = match self.compute_format {
            ComputeFormat::Fp8 | ComputeFormat::Fp8Gather => matches!(self.trained.base, BaseFormat::Fp8),
            ComputeFormat::Fp4 => matches!(self.trained.base, BaseFormat::Mxfp4),
            ComputeFormat::AsPolicy => false,
        };
        !self.trained.is_all() && self.trained.base.is_quantized() && !native
    }

    /// Whether a stage runs all forward passes before its first backward pass: under GPipe, if
    /// there is a pipeline.
    pub fn forwards_first(&self) -> bool {
        self.mesh.pp > 1 && self.pipeline.schedule == Schedule::GPipe
    }

    /// Returns the copies of a stage's weights and gradients among the GPUs of a pipeline.
    pub fn stage_copies(&self) -> f64 {
        if self.mesh.pp > 1 { self.pipeline.schedule.copies() } else { 1.0 }
    }

    /// Returns the model chunks on each GPU: two under ZB-V and `DualPipeV`, as chosen if
    /// interleaved, otherwise one.
    pub fn chunks(&self) -> u32 {
        match self.pipeline.schedule {
            // A chunk holds at least one layer.
            Schedule::Interleaved => {
                let layers = self.architecture.num_hidden_layers / self.mesh.pp.max(1);
                self.pipeline.virtual_stages.clamp(1, layers.max(1))
            }
            Schedule::ZeroBubbleV | Schedule::DualPipeV => 2,
            Schedule::GPipe | Schedule::OneForwardOneBackward | Schedule::ZeroBubble | Schedule::DualPipe => 1,
        }
    }

    /// Whether an image encoder runs.
    pub fn reads_images(&self) -> bool {
        self.architecture.tower.is_used() && self.images.per_sequence > 0
    }

    /// Whether gradients leave the language model for the image encoder or its projection: they
    /// then pass all layers of the language model, including frozen ones.
    pub fn gradients_reach_images(&self) -> bool {
        self.reads_images() && (self.images.trains_projector || self.gradients_pass_tower())
    }

    /// Whether gradients pass the encoder.
    pub fn gradients_pass_tower(&self) -> bool {
        self.reads_images() && !matches!(self.images.tower, TowerTraining::Frozen)
    }
}

/// Costs of the software beyond the mathematics: zero under the simplifications of the closed-form
/// bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overheads {
    /// Memory of the CUDA context and libraries.
    pub context: Bytes,
    /// Buffers of one communicator.
    pub per_communicator: Bytes,
    /// The allocator's overhead beyond allocated tensors.
    pub cache: Cache,
    /// Slow-down of compute that overlaps with a collective (1 = none).
    pub contention: f64,
    /// Rate of data-parallel collectives between nodes that overlap with compute, over their rate
    /// alone.
    pub rate_beside: f64,
    /// Host time to launch a layer's kernels in its forward pass, over
    /// [`super::hardware::Efficiency::launch_per_layer`]. This and all other host times refer to an
    /// EPYC 7742.
    pub launch: f64,
    /// Host time of a layer's backward pass without recomputation, over that of its forward pass.
    pub launch_backward: f64,
    /// Launches of a layer with its inputs' casts to 8 or 4 bits, over those without.
    pub launch_casts: f64,
    /// Share of the launches of a layer's experts that remains if the rest of the layer is one CUDA
    /// graph.
    pub launch_beside_graphs: f64,
    /// Additional host time of a layer with tensor parallelism, in the unit of `launch`.
    pub launch_exchange: f64,
    /// Additional host time of a layer with context parallelism, in the unit of `launch`.
    pub launch_context: f64,
    /// Additional host time of a layer with experts, for all experts together, in the unit of
    /// `launch`.
    pub launch_experts: f64,
    /// Additional host time for each expert of a GPU, if experts run one by one, in the unit of
    /// `launch`.
    pub launch_expert: f64,
    /// Additional host time of a layer with latent attention, in the unit of `launch`.
    pub launch_latent: f64,
    /// Host time of one message between pipeline stages, for each node of the run beyond the first
    /// and each GPU of a tensor-parallel group.
    pub message: Seconds,
    /// Host time between steps, for logging and checks, which is hidden if the host runs ahead of
    /// the GPU.
    pub between_steps: Seconds,
    /// Host time of one step outside its layers: the optimizer's launches, data, logging.
    pub step: Seconds,
    /// Element-wise traffic per token, layer and hidden channel, forward and backward together, in
    /// bytes.
    pub elementwise_bytes: f64,
}
