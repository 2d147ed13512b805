//! Images in the sequences, and the trained parts of their encoder.

/// Images or audio clips of a run, for models with a [`super::transformer::Tower`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Images {
    /// Images, tiles of images or clips in each sequence.
    pub per_sequence: u32,
    /// Pixels of each image along one side; 0 for the model's default.
    pub resolution: u32,
    /// The backward pass of the encoder.
    pub tower: TowerTraining,
    /// Whether the projection trains.
    pub trains_projector: bool,
}

/// The backward pass of an encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TowerTraining {
    /// Frozen: the encoder runs forward only.
    Frozen,
    /// Frozen, but gradients pass through it unused: Hugging Face's checkpointing of layers makes
    /// the outputs of all input embeddings, including that of the patches, require gradients
    /// (`activation_checkpointing_enable` and `enable_input_require_grads`, transformers 5.23.0,
    /// modeling_utils.py).
    Passed,
    /// The encoder is trained.
    Trained,
}

impl Images {
    /// Whether the encoder trains.
    pub const fn trains_tower(&self) -> bool {
        matches!(self.tower, TowerTraining::Trained)
    }

    /// One image of the default size per sequence, with a frozen encoder (LLaVA-1.5, arXiv
    /// 2310.03744; LLaMA-Factory's `freeze_vision_tower`).
    pub const ONE: Self = Self { per_sequence: 1, resolution: 0, tower: TowerTraining::Frozen, trains_projector: true };
}
