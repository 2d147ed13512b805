//! What a run reads beside text, and what of the model for it trains.

/// Images or clips of sound of a run, for models with a [`super::transformer::Tower`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Images {
    /// Images, tiles of images or clips in each sequence.
    pub per_sequence: u32,
    /// Pixels of each along one side; 0 for as many as the model usually reads.
    pub resolution: u32,
    /// What of the encoder trains.
    pub tower: TowerTraining,
    /// Whether the projection trains.
    pub trains_projector: bool,
}

/// What the backward pass does with an encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TowerTraining {
    /// It runs forward alone.
    Frozen,
    /// It is frozen, and gradients pass it for nothing: Hugging Face's checkpointing of layers
    /// makes what each module's embedding puts out, the patches' too, require gradients
    /// (`activation_checkpointing_enable` and `enable_input_require_grads`, transformers 5.23.0,
    /// modeling_utils.py).
    Passed,
    /// It trains.
    Trained,
}

impl Images {
    /// Whether the encoder trains.
    pub const fn trains_tower(&self) -> bool {
        matches!(self.tower, TowerTraining::Trained)
    }

    /// One image of the usual size a sequence, before a frozen encoder (LLaVA-1.5, arXiv
    /// 2310.03744; LLaMA-Factory's `freeze_vision_tower`).
    pub const ONE: Self = Self { per_sequence: 1, resolution: 0, tower: TowerTraining::Frozen, trains_projector: true };
}
