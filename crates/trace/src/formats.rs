//! In which formats weights are, and which of them train.

use engine::model::memory::states::{FrozenBytes, recipe_bytes};
use engine::model::setup::Setup;
use engine::model::trained::{Method, TargetModules};

/// A weight's format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Format {
    /// Whether it trains.
    pub trains: bool,
    /// Bytes of an element at rest, and as gathered.
    pub stored: f64,
    pub gathered: f64,
    /// Bytes of an element in products, and of its gradient.
    pub width: u64,
    /// Whether it is turned into 16 bits for each product.
    pub is_quantized: bool,
}

/// The formats of a model's weights.
#[derive(Clone, Copy, Debug)]
pub(super) struct Formats {
    /// Of what trains.
    pub trained: Format,
    /// Of frozen matrices of the layers, and of all else that is frozen.
    matrices: Format,
    others: Format,
    /// Layers that do not train; whether the embedding and the head train; the norms, and these
    /// alone.
    frozen_layers: u32,
    pub tables_train: bool,
    norms_train: bool,
    norms_alone: bool,
    /// Whether a copy of the embedding and the head trains, beside the frozen ones.
    pub copies_tables: bool,
    pub adapters: Option<Adapters>,
}

/// How adapters are made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Adapters {
    pub rank: u64,
    pub targets: TargetModules,
    /// Whether each has a magnitude for each output (DoRA).
    pub has_magnitudes: bool,
    pub dropout: bool,
    /// Whether they are PEFT's; bytes of an element to which these cast their input.
    pub is_peft: bool,
    pub input: u64,
    /// Whether a compiler joins what is between their products.
    pub is_compiled: bool,
}

/// The formats of one layer's weights.
#[derive(Clone, Copy, Debug)]
pub(super) struct LayerFormats {
    /// Of its matrices, of its norms and of its biases.
    pub matrices: Format,
    pub norms: Format,
    pub others: Format,
    pub adapters: Option<Adapters>,
}

impl Formats {
    /// Those of a setup where `group` GPUs share each weight and compute is in `compute` bytes,
    /// under autocast or not; Hugging Face's model and its adapters (`peft`) or another's.
    pub(super) fn of(setup: &Setup, group: u64, compute: u64, autocast: bool, peft: bool) -> Self {
        let (bytes, of) = (recipe_bytes(setup.recipe), &setup.trained);
        // As FSDP's policy gathers them; where nothing does and nothing casts, as they are stored.
        let as_stored = group == 1 && !autocast && of.has_adapters();
        let width = if as_stored { bytes.weights as u64 } else { compute };
        let trained =
            Format { trains: true, stored: bytes.weights, gathered: bytes.gathered, width, is_quantized: false };
        let (at_rest, gathered) = (FrozenBytes::at_rest(setup), FrozenBytes::gathered(setup));
        let is_quantized = of.base.is_quantized();
        let others = Format {
            trains: false,
            stored: at_rest.others,
            gathered: gathered.others,
            width: if group == 1 { at_rest.others } else { gathered.others } as u64,
            is_quantized: false,
        };
        let matrices = Format { stored: at_rest.matrices, gathered: gathered.matrices, is_quantized, ..others };
        let seen = if group == 1 { bytes.weights } else { bytes.gathered };
        let adapters = Adapters {
            rank: u64::from(of.rank),
            targets: of.targets.of(),
            has_magnitudes: of.method == Method::Dora,
            dropout: of.dropout,
            is_peft: peft,
            input: if peft { seen as u64 } else { compute },
            is_compiled: setup.kernels.compile,
        };
        Self {
            trained,
            matrices,
            others,
            frozen_layers: if of.is_all() { 0 } else { of.frozen_layers },
            tables_train: of.is_all() || of.embeddings,
            norms_train: of.is_all(),
            norms_alone: false,
            copies_tables: of.has_adapters() && of.embeddings && setup.traits().peft_adapters,
            adapters: of.has_adapters().then_some(adapters),
        }
    }

    /// The same with the norms alone trained.
    pub(super) const fn of_norms(self) -> Self {
        Self { frozen_layers: 0, tables_train: false, norms_train: true, norms_alone: true, adapters: None, ..self }
    }

    /// Those of a layer.
    pub(super) fn of_layer(&self, layer: u32) -> LayerFormats {
        let Self { trained, matrices, others, frozen_layers, adapters, .. } = *self;
        if layer < frozen_layers {
            return LayerFormats { matrices, norms: others, others, adapters: None };
        }
        let norms = if self.norms_train { trained } else { others };
        match adapters {
            None if !self.norms_alone => LayerFormats { matrices: trained, norms: trained, others: trained, adapters },
            _ => LayerFormats { matrices, norms, others, adapters },
        }
    }

    /// Those of the embedding and the head, and of the final norm.
    pub(super) fn of_root(&self) -> [Format; 2] {
        let of = |trains: bool| if trains { self.trained } else { self.others };
        [of(self.tables_train), of(self.norms_train)]
    }

    /// That of a frozen copy beside what trains.
    pub(super) const fn of_copy(&self) -> Format {
        self.others
    }
}
