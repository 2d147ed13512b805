//! Modules to recompute that the model lacks or that Megatron-Core rejects.

use crate::model::memory::activations::layer;
use crate::model::states::recipe_bytes;
use crate::model::training::Recompute;
use crate::params::ParamId;
use crate::scenario::Scenario;
use crate::scenario::issue::Issue;

impl Scenario {
    /// Adds the issues about recomputation by module.
    pub(super) fn recomputation(&self, issues: &mut Vec<Issue>) {
        if self.recompute != Recompute::Modules {
            return;
        }
        if !self.framework.traits().recomputes_modules {
            let message = "Only Megatron-Core has recomputation by module: other frameworks need checkpoints in the model's code.";
            issues.push(Issue::note(ParamId::Recompute, message));
        }
        if self.recomputes_nothing() {
            let message = "None of these modules has activations to recompute: choose another module or mode.";
            issues.push(Issue::note(ParamId::Recompute, message));
        }
        if !self.model.architecture().has_experts() {
            return;
        }
        if self.recompute_modules.moe && self.experts.across_micro_batches {
            let message = "Megatron-Core does not overlap the experts' exchange with another micro-batch if it \
                           recomputes whole experts: recompute only their activation and the shared experts.";
            issues.push(Issue::note(ParamId::RecomputeMoe, message));
        }
        if self.recompute_modules.moe_act && !self.experts.grouped {
            let message =
                "Megatron-Core recomputes the experts' activation only between grouped products: switch them on.";
            issues.push(Issue::note(ParamId::RecomputeMoeAct, message));
        }
    }

    /// Whether the modules drop no activations of the mean layer.
    fn recomputes_nothing(&self) -> bool {
        let setup = self.resolve_without_search();
        let bytes = layer(&setup, recipe_bytes(setup.recipe).activation, &setup.architecture.layers());
        bytes.kept >= bytes.whole
    }
}
