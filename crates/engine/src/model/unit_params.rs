//! Parameters of what a GPU holds, unit by unit.

/// Parameters of a GPU's units: its layers, and what is outside them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    /// Layers on the GPU.
    pub layers: f64,
    /// One layer without its routed experts, the mean over them.
    pub layer: f64,
    /// Of that, the matrices.
    pub layer_matrices: f64,
    /// The largest layer without its routed experts: the mean where layers are alike but for these.
    pub unit: f64,
    /// Routed experts of one layer, the mean over layers with experts and without: all of them
    /// matrices.
    pub expert: f64,
    /// Routed experts of one layer that has some.
    pub expert_unit: f64,
    /// What is outside the layers: the embedding, the head, the norms beside them. FSDP's root
    /// unit.
    pub root: f64,
    /// Of the root unit, the head.
    pub head: f64,
}

impl Units {
    /// Parameters of all units.
    pub fn all(&self) -> f64 {
        self.dense() + self.layers * self.expert
    }

    /// All but the routed experts: what the shard group of the dense parts shares.
    pub fn dense(&self) -> f64 {
        self.layers * self.layer + self.root
    }

    /// All routed experts on the GPU.
    pub fn experts(&self) -> f64 {
        self.layers * self.expert
    }

    /// One layer with its routed experts, each counted `padding` times.
    pub fn padded_layer(&self, padding: f64) -> f64 {
        self.unit + padding * self.expert_unit
    }

    /// What is left without these.
    pub(super) fn without(&self, other: &Self) -> Self {
        Self {
            layers: self.layers,
            layer: self.layer - other.layer,
            layer_matrices: self.layer_matrices - other.layer_matrices,
            unit: self.unit - other.unit,
            expert: self.expert - other.expert,
            expert_unit: self.expert_unit - other.expert_unit,
            root: self.root - other.root,
            head: self.head - other.head,
        }
    }

    /// `share` of each layer's parameters.
    pub(super) fn of_layers(&self, share: f64) -> Self {
        Self {
            layer: share * self.layer,
            layer_matrices: share * self.layer_matrices,
            unit: share * self.unit,
            expert: share * self.expert,
            expert_unit: share * self.expert_unit,
            ..*self
        }
    }
}
