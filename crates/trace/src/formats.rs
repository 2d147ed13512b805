//! Formats of weights, and the weights that train.

use engine::model::setup::Setup;
use engine::model::states::{FrozenBytes, recipe_bytes};
use engine::model::trained::{Method, TargetModules};

/// Format of a weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Format {
    /// Whether the weight trains.
    pub trains: bool,
    /// Bytes per element at rest, and when gathered.
    pub stored: f64,
    pub gathered: f64,
    /// Bytes per element in matmuls, and of the gradient.
    pub width: u64,
    /// Whether the weight is dequantized to 16 bits for each matmul.
    pub is_quantized: bool,
}

/// Formats of a model's weights.
#[derive(Clone, Copy, Debug)]
pub(super) struct Formats {
    /// Format of trained weights.
    pub trained: Format,
    /// Formats of frozen matrices of the layers, and of all other frozen weights.
    matrices: Format,
    others: Format,
    /// Number of frozen layers; whether embedding and head train; whether the norms train; whether
    /// only the norms train.
    frozen_layers: u32,
    pub tables_train: bool,
    norms_train: bool,
    norms_alone: bool,
    /// Whether a copy of embedding and head trains next to the frozen originals.
    pub copies_tables: bool,
    pub adapters: Option<Adapters>,
}

/// Configuration of adapters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Adapters {
    pub rank: u64,
    pub targets: TargetModules,
    /// Whether each adapter has a magnitude per output (DoRA).
    pub has_magnitudes: bool,
    pub dropout: bool,
    /// Whether the adapters are PEFT's, and bytes per element to which PEFT's adapters cast their
    /// input.
    pub is_peft: bool,
    pub input: u64,
    /// Whether a compiler fuses the operators between matmuls.
    pub is_compiled: bool,
}

/// Formats of one layer's weights.
#[derive(Clone, Copy, Debug)]
pub(super) struct LayerFormats {
    /// Formats of matrices, of norms and of biases.
    pub matrices: Format,
    pub norms: Format,
    pub others: Format,
    pub adapters: Option<Adapters>,
}

impl Formats {
    /// Returns the formats of a setup that shards each weight over `group` GPUs and computes in
    /// `compute` bytes, with or without autocast; `peft` for Hugging Face's models and adapters.
    pub(super) fn new(setup: &Setup, group: u64, compute: u64, autocast: bool, peft: bool) -> Self {
        let (bytes, of) = (recipe_bytes(setup.recipe), &setup.trained);
        // As gathered by FSDP's policy; without FSDP and casts, as stored.
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
            targets: of.targets.modules(),
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

    /// Returns formats in which only the norms train.
    pub(super) const fn for_norms(self) -> Self {
        Self { frozen_layers: 0, tables_train: false, norms_train: true, norms_alone: true, adapters: None, ..self }
    }

    /// Returns the formats of a layer.
    pub(super) fn layer_formats(&self, layer: u32) -> LayerFormats {
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

    /// Returns the formats of embedding and head, and of the final norm.
    pub(super) fn root_formats(&self) -> [Format; 2] {
        let of = |trains: bool| if trains { self.trained } else { self.others };
        [of(self.tables_train), of(self.norms_train)]
    }

    /// Returns the format of a frozen copy next to trained weights.
    pub(super) const fn copy_format(&self) -> Format {
        self.others
    }
}
