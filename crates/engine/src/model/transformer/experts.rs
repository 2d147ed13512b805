//! The experts of a mixture-of-experts model: the shape
//! (docs/book/model/experts.md).

use super::Architecture;

/// The experts of a model, with the field names of a Hugging Face `config.json` where models use
/// common names. A dense model has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Experts {
    /// Routed experts of one layer, E (`num_experts`, `num_local_experts`, `n_routed_experts`); 0
    /// in a dense model.
    pub num_experts: u32,
    /// Experts that each token is sent to, k (`num_experts_per_tok`).
    pub num_experts_per_tok: u32,
    /// Width of one expert's MLP (`moe_intermediate_size`).
    pub moe_intermediate_size: u32,
    /// Width at which routed experts read and write tokens (`moe_latent_size`; Nemotron 3 Super),
    /// with two matrices a layer to it and back; 0 for the width of the model.
    pub latent_size: u32,
    /// Summed width of the shared experts' MLPs, which every token passes; 0 without shared
    /// experts.
    pub shared_intermediate_size: u32,
    /// Whether a gate of width H scales the shared experts (Qwen 2's `shared_expert_gate`).
    pub shared_expert_gate: bool,
    /// Dense layers before the first layer with experts (`first_k_dense_replace`).
    pub first_k_dense_replace: u32,
    /// Distance between expert layers after the dense ones: 1 for all, 2 for every second
    /// (`interleave_moe_layer_step`).
    pub moe_layer_step: u32,
    /// Whether the router has a bias for each expert (gpt-oss), or a correction of its scores
    /// (DeepSeek V3).
    pub router_bias: bool,
    /// Whether the experts' matrices have biases (gpt-oss).
    pub expert_bias: bool,
    /// Whether the experts' gate is clamped (`swiglu_limit`, gpt-oss), which kernels run operator
    /// by operator.
    pub clamped_gate: bool,
    /// Groups of experts, of which a token uses [`Self::topk_group`]: device-limited routing
    /// (`n_group`); 0 or 1 for none.
    pub n_group: u32,
    /// Maximum number of groups of experts that a token is sent to (`topk_group`).
    pub topk_group: u32,
}

impl Experts {
    /// The experts of a dense model.
    pub const NONE: Self = Self {
        num_experts: 0,
        num_experts_per_tok: 1,
        moe_intermediate_size: 0,
        latent_size: 0,
        shared_intermediate_size: 0,
        shared_expert_gate: false,
        first_k_dense_replace: 0,
        moe_layer_step: 1,
        router_bias: false,
        expert_bias: false,
        clamped_gate: false,
        n_group: 0,
        topk_group: 0,
    };

    /// Returns the experts that a token is sent to, at most the number of experts.
    pub fn top_k(&self) -> u32 {
        self.num_experts_per_tok.min(self.num_experts)
    }

    /// Returns the number of expert layers among the first `layers` layers.
    ///
    /// ```
    /// # use engine::model::transformer::Experts;
    /// // DeepSeek V3: 61 layers, the first three dense (arXiv 2412.19437, section 4.2).
    /// let experts = Experts { num_experts: 256, first_k_dense_replace: 3, ..Experts::NONE };
    /// assert_eq!(experts.layers_among(61), 58);
    /// // Llama 4 Maverick: every second layer, the second first.
    /// let every_second = Experts { num_experts: 128, moe_layer_step: 2, ..Experts::NONE };
    /// assert_eq!((every_second.layers_among(1), every_second.layers_among(48)), (0, 24));
    /// ```
    pub fn layers_among(&self, layers: u32) -> u32 {
        // Dense models skip the division, which is expensive.
        if self.num_experts == 0 {
            return 0;
        }
        layers.saturating_sub(self.first_k_dense_replace) / self.moe_layer_step.max(1)
    }
}

impl Architecture {
    /// Whether any layer has experts.
    pub fn has_experts(&self) -> bool {
        self.moe_layers() > 0
    }

    /// Returns the width at which routed experts read and write tokens: H, or
    /// [`Experts::latent_size`].
    pub fn expert_hidden_size(&self) -> u32 {
        if self.experts.latent_size > 0 { self.experts.latent_size } else { self.hidden_size }
    }

    /// Returns the share of layers with experts.
    pub fn moe_share(&self) -> f64 {
        f64::from(self.moe_layers()) / f64::from(self.num_hidden_layers.max(1))
    }

    /// Returns the number of layers with experts.
    pub fn moe_layers(&self) -> u32 {
        // Counting the other blocks of a list is expensive.
        match self.experts.num_experts {
            0 => 0,
            _ if self.pattern.is_used() => self.pattern.experts_among(self.num_hidden_layers),
            _ => self.experts.layers_among(self.num_hidden_layers),
        }
    }
}
