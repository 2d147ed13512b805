//! What every framework's settings are written from, and how lines are put together.

use crate::model::run::{batch, budget};
use crate::model::setup::Setup;
use crate::model::sync::Sync;
use crate::model::training::Recipe;
use crate::scenario::{Model, Scenario, Strategy};

/// Columns in which a comment is wrapped.
const COLUMNS: usize = 92;

/// A scenario as it is computed with, and the notes that gather while its settings are written.
pub(super) struct Asked {
    /// The choices.
    pub(super) scenario: Scenario,
    /// Their numbers.
    pub(super) setup: Setup,
    /// Which micro-batches communicate.
    pub(super) sync: Sync,
    /// What cannot be said.
    pub(super) notes: Vec<&'static str>,
}

impl Asked {
    pub(super) fn new(scenario: &Scenario) -> Self {
        let setup = scenario.setup();
        Self { scenario: *scenario, setup, sync: Sync::of(&setup), notes: Vec::new() }
    }

    /// Adds a note where something holds.
    pub(super) fn note(&mut self, holds: bool, note: &'static str) {
        if holds {
            self.notes.push(note);
        }
    }

    /// Sequences in one step, over all GPUs.
    pub(super) fn global_batch(&self) -> String {
        let batch = &self.setup.batch;
        (f64::from(self.setup.mesh.replicas()) * f64::from(batch.micro_batch_size) * f64::from(batch.grad_accum_steps))
            .to_string()
    }

    /// Sequences that one data-parallel GPU processes in a step.
    pub(super) fn local_batch(&self) -> String {
        let batch = &self.setup.batch;
        (f64::from(batch.micro_batch_size) * f64::from(batch.grad_accum_steps)).to_string()
    }

    /// Steps of the whole run.
    pub(super) fn steps(&self) -> f64 {
        budget::steps(self.scenario.run.tokens, batch::global_batch_tokens(&self.setup))
    }

    /// Nodes, and GPUs on each; one node where the last would not be full.
    pub(super) fn nodes(&self) -> [u32; 2] {
        let (gpus, node) = (self.setup.mesh.gpus(), self.setup.network.gpus_per_node);
        if gpus > node && gpus.is_multiple_of(node) { [gpus / node, node] } else { [1, gpus] }
    }

    /// What starts the processes.
    pub(super) fn torchrun(&self) -> String {
        let [nodes, each] = self.nodes().map(number);
        ["torchrun --nnodes ", &nodes, " --nproc-per-node ", &each].concat()
    }

    pub(super) fn has_experts(&self) -> bool {
        self.setup.architecture.has_experts()
    }

    /// FSDP, whatever becomes of gathered weights.
    pub(super) fn is_fsdp(&self) -> bool {
        self.scenario.strategy.shards_weights()
    }

    pub(super) fn is(&self, strategy: Strategy) -> bool {
        self.scenario.strategy == strategy
    }

    /// Whether sequences do not cut into two parts for each GPU of context parallelism, which balance a causal mask.
    pub(super) fn cuts_unevenly(&self) -> bool {
        let cp = self.setup.mesh.cp;
        cp > 1 && !self.setup.batch.seq_len.is_multiple_of(cp.saturating_mul(2))
    }

    /// Everything in 32 bits.
    pub(super) fn is_fp32(&self) -> bool {
        self.setup.recipe == Recipe::Fp32
    }

    /// Whether the 16-bit format is fp16: of the GPUs only Volta has no bf16.
    pub(super) fn is_volta(&self) -> bool {
        self.scenario.accelerator.id.starts_with("v100")
    }

    /// A sentence about a model of the catalog's name, or none.
    pub(super) fn model_name(&self) -> &'static str {
        match self.scenario.model {
            Model::Preset { id, .. } => id,
            Model::Ladder { .. } | Model::Custom { .. } => "custom",
        }
    }

    /// Of the layers, those whose activations are recomputed, of so many.
    pub(super) fn recomputed(&self, layers: u32) -> u32 {
        use crate::model::training::Recompute;
        match self.setup.recompute {
            Recompute::Full => layers,
            Recompute::Fraction(kept) => (f64::from(layers) * (1.0 - kept)).round() as u32,
            Recompute::None | Recompute::AttentionCore | Recompute::Selective => 0,
        }
    }

    /// The notes as comments.
    pub(super) fn comments(&self) -> String {
        self.notes.iter().map(|note| comment(note)).collect()
    }
}

/// A whole number.
pub(super) fn number(value: u32) -> String {
    value.to_string()
}

/// A sentence in lines behind `# `.
pub(super) fn comment(sentence: &str) -> String {
    let (mut text, mut column) = (String::new(), COLUMNS);
    for word in sentence.split(' ') {
        if column + word.len() >= COLUMNS {
            text.push_str(if text.is_empty() { "# " } else { "\n# " });
            column = 1;
        } else {
            text.push(' ');
        }
        text.push_str(word);
        column += word.len() + 1;
    }
    text.push('\n');
    text
}

/// Lines of a file.
#[derive(Default)]
pub(super) struct Lines(pub(super) String);

impl Lines {
    /// A line of these parts.
    pub(super) fn add(&mut self, parts: &[&str]) {
        for part in parts {
            self.0.push_str(part);
        }
        self.0.push('\n');
    }

    /// The same where something holds.
    pub(super) fn add_if(&mut self, holds: bool, parts: &[&str]) {
        if holds {
            self.add(parts);
        }
    }
}

/// `a, b, c` of what is there.
pub(super) fn listed(parts: &[(bool, &str)]) -> String {
    parts.iter().filter(|part| part.0).map(|part| part.1).collect::<Vec<_>>().join(", ")
}

/// A word for yes and one for no.
pub(super) fn either(holds: bool, [yes, no]: [&'static str; 2]) -> &'static str {
    if holds { yes } else { no }
}
