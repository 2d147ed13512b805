//! Multi-token prediction (arXiv 2412.19437, section 2.2): a module that predicts one token further
//! from the hidden state and the next token's embedding, through a separate layer and the model's
//! output head.

use super::pattern::BlockCounts;
use super::{Architecture, count};
use core::num::Saturating;

impl Architecture {
    /// Returns the blocks that `applications` applications of a module add: attention, and experts
    /// or an MLP, for each.
    pub fn mtp_blocks(&self, applications: u32) -> BlockCounts {
        let (dense, experts) = if self.has_experts() { (0, applications) } else { (applications, 0) };
        // Nemotron's layers are one block each; a module has two of them.
        let layers = if self.norms_per_layer == 1 && self.pattern.is_used() { 2 } else { 1 };
        BlockCounts {
            layers: applications.saturating_mul(layers),
            attention: applications,
            window: 0,
            recurrent: 0,
            dense,
            experts,
        }
    }

    /// Returns the parameters of a module outside its layer: the projection of hidden state and
    /// embedding, `2 H²`, their norms, and the norm before the model's head.
    ///
    /// ```
    /// // DeepSeek V3's module has 14B parameters, of which 11.5B are its own (github deepseek-ai/DeepSeek-V3, README_WEIGHTS.md).
    /// let v3 = catalog::model("deepseek-v3").unwrap().architecture;
    /// let layer = v3.attention_params_per_layer() + v3.norm_params_per_layer() + v3.routed_params_per_layer()
    ///     + v3.router_and_shared_params_per_layer();
    /// assert_eq!((layer + v3.mtp_projection_params()) / 100_000_000, 116);
    /// ```
    pub fn mtp_projection_params(&self) -> u64 {
        let norms = Saturating(3_u64) * Saturating(self.norm_params());
        (Saturating(2_u64) * count(self.hidden_size) * count(self.hidden_size) + norms).0
    }
}
