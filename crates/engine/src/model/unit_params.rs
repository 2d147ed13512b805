//! Parameters of a GPU, by unit.

/// Parameters of a GPU's units: its layers, and the parameters outside the layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    /// Layers on the GPU.
    pub layers: f64,
    /// One layer without its routed experts, averaged over layers.
    pub layer: f64,
    /// Matrices in one layer without its routed experts.
    pub layer_matrices: f64,
    /// The largest layer without its routed experts: the mean if layers only differ in their
    /// experts.
    pub unit: f64,
    /// Routed experts of one layer, averaged over layers with experts and without; all of them are
    /// matrices.
    pub expert: f64,
    /// Routed experts of one expert layer.
    pub expert_unit: f64,
    /// Parameters outside the layers, FSDP's root unit: the embedding, the head, and their norms.
    pub root: f64,
    /// The head, a part of the root unit.
    pub head: f64,
}

impl Units {
    /// Returns the parameters of all units.
    pub fn all(&self) -> f64 {
        self.dense() + self.layers * self.expert
    }

    /// Returns all parameters except routed experts, which the shard group of the dense parts
    /// shards.
    pub fn dense(&self) -> f64 {
        self.layers * self.layer + self.root
    }

    /// Returns all routed experts on the GPU.
    pub fn experts(&self) -> f64 {
        self.layers * self.expert
    }

    /// Returns one layer with its routed experts, each counted `padding` times.
    pub fn padded_layer(&self, padding: f64) -> f64 {
        self.unit + padding * self.expert_unit
    }

    /// Returns the difference of two sets of units.
    pub(super) fn minus(&self, other: &Self) -> Self {
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

    /// Returns the share `share` of each layer's parameters.
    pub(super) fn scale_layers(&self, share: f64) -> Self {
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

#[cfg(test)]
mod tests {
    use super::*;

    const UNITS: Units = Units {
        layers: 3.0,
        layer: 10.0,
        layer_matrices: 8.0,
        unit: 12.0,
        expert: 100.0,
        expert_unit: 200.0,
        root: 7.0,
        head: 5.0,
    };

    /// Three layers of 10 and 100, and 7 outside; twice 200 where an expert layer is padded.
    #[test]
    fn units_add_up() {
        assert_eq!((UNITS.dense(), UNITS.experts(), UNITS.all()), (37.0, 300.0, 337.0));
        assert_eq!(UNITS.padded_layer(2.0), 412.0);
    }

    #[test]
    fn a_share_of_layers_and_its_rest_are_the_layers() {
        let half = UNITS.scale_layers(0.5);
        assert_eq!((half.dense(), half.experts(), half.root, half.head), (22.0, 150.0, 7.0, 5.0));
        let rest = UNITS.minus(&half);
        let of_layers = Units { root: 0.0, head: 0.0, ..half };
        assert_eq!(rest, of_layers);
    }
}
