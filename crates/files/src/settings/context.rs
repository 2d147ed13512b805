//! Input of every framework's settings: the scenario, its numbers, and the notes about missing
//! features.

use askama::Template;

use engine::model::run::{batch, budget};
use engine::model::setup::Setup;
use engine::model::software::Segments;
use engine::model::sync::GradientSyncPlan;
use engine::model::training::{Optimizer, PrecisionPolicy, UpdatePlace};
use engine::scenario::{Model, Scenario, Strategy};

/// The columns at which comments are wrapped.
const COMMENT_COLUMNS: usize = 92;

/// A scenario, the setup that the engine evaluates, and the notes collected for one framework.
pub(crate) struct ExportContext {
    /// The choices of the user.
    pub(crate) scenario: Scenario,
    /// The numbers that follow from the choices.
    pub(crate) setup: Setup,
    /// Which micro-batches communicate.
    pub(super) sync: GradientSyncPlan,
    /// Notes about features that the framework cannot express.
    pub(super) notes: Vec<&'static str>,
}

impl ExportContext {
    /// Whether the optimizer is `GaLore`.
    pub(super) fn projects(&self) -> bool {
        matches!(self.setup.optimizer, Optimizer::GaLore | Optimizer::GaLore8bit)
    }

    /// Whether the optimizer updates in the backward pass.
    pub(super) fn updates_in_backward(&self) -> bool {
        matches!(self.setup.update_place, UpdatePlace::InBackward)
    }

    pub(crate) fn new(scenario: &Scenario) -> Self {
        let mut setup = scenario.setup();
        // Frameworks count examples: a pair is one example.
        setup.batch.micro_batch_size = scenario.micro_batch_size.max(1);
        Self { scenario: *scenario, setup, sync: GradientSyncPlan::new(&setup), notes: Vec::new() }
    }

    /// Adds a note if a condition holds.
    pub(super) fn note_if(&mut self, condition: bool, note: &'static str) {
        if condition {
            self.notes.push(note);
        }
    }

    /// Returns the sequences of one step over all GPUs.
    pub(super) fn global_batch(&self) -> f64 {
        f64::from(self.setup.mesh.replicas()) * self.local_batch()
    }

    /// Returns the sequences that one data-parallel replica processes in a step.
    pub(super) fn local_batch(&self) -> f64 {
        let batch = &self.setup.batch;
        f64::from(batch.micro_batch_size) * f64::from(batch.grad_accum_steps)
    }

    /// Returns the optimizer steps of the whole run.
    pub(super) fn steps(&self) -> f64 {
        budget::steps(self.scenario.train_tokens(), batch::global_batch_tokens(&self.scenario.setup()))
    }

    /// Returns `[nodes, GPUs per node]`; one node if the GPUs do not fill whole nodes. Processes
    /// are started on each host: a rack of one link domain has several.
    pub(crate) fn nodes(&self) -> [u32; 2] {
        let (gpus, node) = (self.setup.mesh.gpus(), self.setup.network.gpus_per_host());
        if gpus > node && gpus.is_multiple_of(node) { [gpus / node, node] } else { [1, gpus] }
    }

    /// Returns the command that starts the processes.
    pub(crate) fn torchrun(&self) -> String {
        let [nodes, gpus_per_node] = self.nodes();
        format!("{}torchrun --nnodes {nodes} --nproc-per-node {gpus_per_node}", self.environment())
    }

    /// Returns the environment variables of every process, as a prefix of the command.
    pub(crate) fn environment(&self) -> &'static str {
        match self.setup.segments {
            Segments::Fixed => "",
            Segments::Expandable => "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True ",
        }
    }

    /// Whether the model is a mixture of experts.
    pub(super) fn has_experts(&self) -> bool {
        self.setup.architecture.has_experts()
    }

    /// Whether the strategy is FSDP, with or without resharding.
    pub(crate) fn is_fsdp(&self) -> bool {
        self.scenario.strategy.shards_weights()
    }

    /// Whether the user chose this strategy.
    pub(super) fn has_strategy(&self, strategy: Strategy) -> bool {
        self.scenario.strategy == strategy
    }

    /// Whether sequences do not split into two chunks per GPU of context parallelism, which balance
    /// a causal mask.
    pub(super) fn splits_sequences_unevenly(&self) -> bool {
        let cp = self.setup.mesh.cp;
        cp > 1 && !self.setup.batch.seq_len.is_multiple_of(cp.saturating_mul(2))
    }

    /// Whether weights, gradients and products are all fp32.
    pub(super) fn is_fp32(&self) -> bool {
        self.setup.recipe == PrecisionPolicy::Fp32
    }

    /// Whether the 16-bit format is fp16, by choice or as the GPU has no units for bf16.
    pub(super) fn takes_fp16(&self) -> bool {
        !self.is_fp32() && !self.scenario.computes_in_bf16()
    }

    /// Returns the 16-bit format.
    pub(super) fn half_format(&self) -> &'static str {
        if self.takes_fp16() { "fp16" } else { "bf16" }
    }

    /// Returns the id of the model in the catalog, or `custom`.
    pub(crate) fn model_name(&self) -> &'static str {
        match self.scenario.model {
            Model::Preset { id, .. } => id,
            Model::Ladder { .. } | Model::Custom { .. } | Model::Scaled { .. } => "custom",
        }
    }

    /// Returns how many of `layers` layers are recomputed as a whole.
    pub(super) fn recomputed_layers(&self, layers: u32) -> u32 {
        (f64::from(layers) * (1.0 - self.setup.kept_layers())).round() as u32
    }

    /// Returns the notes as comment lines.
    pub(super) fn comments(&self) -> Vec<String> {
        self.notes.iter().flat_map(|note| comment_lines(note)).collect()
    }
}

/// Wraps a sentence in lines that start with `# `.
pub(crate) fn comment_lines(sentence: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in sentence.split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + word.len() < COMMENT_COLUMNS => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(["# ", word].concat()),
        }
    }
    lines
}

/// Renders a template without a final line break, and adds one.
pub(crate) fn render(template: &impl Template) -> String {
    // Rendering only fails on a value that cannot be formatted, and the templates have none.
    template.render().unwrap_or_default() + "\n"
}
