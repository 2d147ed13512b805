//! Everything the engine needs to evaluate one training step: numbers only, no names, no presets.

use super::choices::Choices;
use super::framework::{HostWaits, Layers, Traits};
use super::hardware::{Accelerator, Network};
use super::images::TowerTraining;
use super::lengths::Lengths;
use super::parallel::{LossParallel, Mesh, Schedule};
use super::software::{AttentionKernel, Cache, Graphs, RepeatedHeads, RootUnit};
use super::trained::BaseFormat;
use super::training::{AttentionMask, Batch, ComputeFormat, Sharding};
use super::transformer::Architecture;
use crate::units::{Bytes, Seconds};
use std::ops::{Deref, DerefMut};

/// One training step to evaluate. Build it from a [`crate::scenario::Scenario`], which validates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    /// The model's shape.
    pub architecture: Architecture,
    /// One GPU.
    pub accelerator: Accelerator,
    /// The links between GPUs.
    pub network: Network,
    /// The device mesh.
    pub mesh: Mesh,
    /// What is sharded.
    pub sharding: Sharding,
    /// The batch of one step: of an objective over pairs both sequences of each.
    pub batch: Batch,
    /// Lengths of its sequences.
    pub lengths: Lengths,
    /// Which score pairs attention computes.
    pub mask: AttentionMask,
    /// What the software costs beside the mathematics.
    pub overheads: Overheads,
    /// The peak of memory that was measured over the predicted one: 1 where none was.
    pub measured_memory: f64,
    /// What the user chose, as far as it is possible.
    pub choices: Choices,
}

/// Lends the choices as fields of the setup: formulas read `setup.recompute`.
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
    /// Returns how long the host takes for what takes an EPYC 7742 so long.
    pub fn host_time(&self, of_reference: Seconds) -> Seconds {
        of_reference * (1.0 / self.network.host.speed)
    }

    /// Whether the host waits for the GPU in each pass of a micro-batch, so that it cannot make up
    /// in one pass for another: where messages or gathers make it wait, and where tokens come to
    /// experts whose numbers the host has to know (dropless dispatch copies them from the GPU,
    /// layer by layer).
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

    /// Returns what the code of the framework does.
    pub fn traits(&self) -> &'static Traits {
        self.framework.traits()
    }

    /// What FSDP keeps gathered outside the layers. A head that is the embedding too is in one unit
    /// with it.
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

    /// Whether keys and values are repeated for the query heads that share them, where PyTorch runs
    /// the layers.
    pub fn repeats_key_values(&self) -> bool {
        let repeats = match self.kernels.repeated_heads {
            RepeatedHeads::Default => self.kernels.attention == AttentionKernel::Unfused,
            RepeatedHeads::Yes => true,
            RepeatedHeads::No => false,
        };
        repeats && self.traits().layers != Layers::Own
    }

    /// Whether selective recomputation counts products with a bias. `addmm` is on torchtitan's list
    /// since 114151ad4 (March 2026); the policy that is put around models of transformers names
    /// `mm` alone.
    pub fn keeps_biased_products(&self) -> bool {
        self.traits().layers != Layers::Transformers
    }

    /// GPUs that share the logits of a token.
    pub fn loss_parallel(&self) -> u32 {
        let gathers = match self.tensor.loss {
            LossParallel::Default => self.traits().gathers_logits,
            LossParallel::Yes => false,
            LossParallel::No => true,
        };
        if gathers { 1 } else { self.mesh.tp.max(1) }
    }

    /// The share of whole layers whose activations are kept, 0 to 1: the others run their forward
    /// pass again.
    pub fn kept_layers(&self) -> f64 {
        self.recompute.kept_layers(self.keep_fraction)
    }

    /// The setup of the micro-batch with the longest sequence, which decides whether the run fits.
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

    /// The share of the layers whose products stay in the recipe's format, where the others' run in
    /// fewer bits.
    pub fn share_in_16_bits(&self) -> f64 {
        if self.compute_format == ComputeFormat::AsPolicy || self.layers_in_16_bits == 0 {
            return 0.0;
        }
        let layers = self.architecture.num_hidden_layers.max(1);
        f64::from(self.layers_in_16_bits.min(layers)) / f64::from(layers)
    }

    /// Tokens that attention counts of a sequence.
    pub fn attended(&self) -> f64 {
        match self.lengths {
            Lengths::Equal | Lengths::LongestOf { .. } => f64::from(self.batch.seq_len),
            Lengths::OfTexts { attended, .. } => attended,
        }
    }

    /// Share of a step's tokens that is no padding.
    pub fn useful(&self) -> f64 {
        match self.lengths {
            Lengths::Equal | Lengths::LongestOf { .. } => 1.0,
            Lengths::OfTexts { useful, .. } => useful,
        }
    }

    /// Whether the frozen matrices are turned into 16 bits before each product: not where the
    /// products run in the format in which they are stored.
    pub fn dequantizes(&self) -> bool {
        let native = match self.compute_format {
            ComputeFormat::Fp8 | ComputeFormat::Fp8Gather => matches!(self.trained.base, BaseFormat::Fp8),
            ComputeFormat::Fp4 => matches!(self.trained.base, BaseFormat::Mxfp4),
            ComputeFormat::AsPolicy => false,
        };
        !self.trained.is_all() && self.trained.base.is_quantized() && !native
    }

    /// Whether a stage runs all forward passes before its first backward pass: GPipe's schedule,
    /// where there is a pipeline.
    pub fn forwards_first(&self) -> bool {
        self.mesh.pp > 1 && self.pipeline.schedule == Schedule::GPipe
    }

    /// Copies of a stage's weights and gradients among the GPUs of a pipeline.
    pub fn stage_copies(&self) -> f64 {
        if self.mesh.pp > 1 { self.pipeline.schedule.copies() } else { 1.0 }
    }

    /// Model chunks on each GPU: two under ZB-V, as asked when interleaved, else one.
    pub fn chunks(&self) -> u32 {
        match self.pipeline.schedule {
            // A chunk holds a layer at least.
            Schedule::Interleaved => {
                let layers = self.architecture.num_hidden_layers / self.mesh.pp.max(1);
                self.pipeline.virtual_stages.clamp(1, layers.max(1))
            }
            Schedule::ZeroBubbleV | Schedule::DualPipeV => 2,
            Schedule::GPipe | Schedule::OneForwardOneBackward | Schedule::ZeroBubble | Schedule::DualPipe => 1,
        }
    }

    /// Whether an encoder of images runs.
    pub fn reads_images(&self) -> bool {
        self.architecture.tower.is_used() && self.images.per_sequence > 0
    }

    /// Whether gradients leave the language model for its images' encoder or projection: then they
    /// pass all of its layers, frozen ones too.
    pub fn gradients_reach_images(&self) -> bool {
        self.reads_images() && (self.images.trains_projector || self.gradients_pass_tower())
    }

    /// Whether gradients pass the encoder.
    pub fn gradients_pass_tower(&self) -> bool {
        self.reads_images() && !matches!(self.images.tower, TowerTraining::Frozen)
    }
}

/// What the software costs beside the mathematics: zero under the simplifications of the
/// closed-form bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overheads {
    /// Memory of the CUDA context and libraries.
    pub context: Bytes,
    /// Buffers of one communicator.
    pub per_communicator: Bytes,
    /// What the allocator holds beyond what tensors occupy.
    pub cache: Cache,
    /// Slow-down of compute while a collective runs beside it (1 = none).
    pub contention: f64,
    /// What data-parallel collectives between nodes reach beside compute, over what they reach
    /// alone.
    pub rate_beside: f64,
    /// Host time to launch a layer's kernels in its forward pass, over
    /// [`super::hardware::Efficiency::launch_per_layer`]; this and all other times of the host are
    /// those of an EPYC 7742.
    pub launch: f64,
    /// The same in its backward pass, recomputation apart, over that of its forward pass.
    pub launch_backward: f64,
    /// Launches of a layer with its inputs' casts to 8 or 4 bits, over those without.
    pub launch_casts: f64,
    /// Share of the launches of a layer's experts that is left where the rest of the layer is one
    /// CUDA graph.
    pub launch_beside_graphs: f64,
    /// The same for what tensor parallelism adds to it.
    pub launch_exchange: f64,
    /// The same for what context parallelism adds to it.
    pub launch_context: f64,
    /// The same for what a layer's experts add to it, all at once.
    pub launch_experts: f64,
    /// The same for each expert of a GPU, where they run one by one.
    pub launch_expert: f64,
    /// The same for what latent attention adds to it.
    pub launch_latent: f64,
    /// Host time of one message between pipeline stages, for each node of the run beyond the first
    /// and each GPU of a tensor-parallel group.
    pub message: Seconds,
    /// Host time between steps that hides where the host runs ahead of the GPU: logging, checks.
    pub between_steps: Seconds,
    /// Host time of one step beside its layers: the optimizer's launches, data, logging.
    pub step: Seconds,
    /// Element-wise traffic per token, layer and hidden channel, forward and backward together, in
    /// bytes.
    pub elementwise_bytes: f64,
}
