//! Contradictions in a mixture of experts: degrees, tokens, groups, stages.

use super::neighbours;
use crate::model::parallel::common_divisor;
use crate::params::ParamId;
use crate::scenario::issue::Issue;
use crate::scenario::resolve::Degrees;
use crate::scenario::{Scenario, Strategy};

impl Scenario {
    /// Adds the issues about experts.
    pub(super) fn experts(&self, issues: &mut Vec<Issue>) {
        if !self.model.architecture().has_experts() {
            return;
        }
        let degrees = self.degrees();
        issues.extend(self.experts_of_a_token());
        if !self.expert_choice.degrees {
            issues.extend(self.expert_parallel(degrees));
            issues.extend(self.expert_tensor_parallel(degrees));
            issues.extend(self.experts_in_a_shard_group(degrees));
        }
        if degrees.tp > 1 && !self.tensor.sequence_parallel {
            let message = "Megatron does not train experts under tensor parallelism without sequence parallelism: \
                           switch it on.";
            let note = Issue::note(ParamId::SequenceParallel, message);
            issues.push(note.instead("The exchange of the experts is as if it were on."));
        }
        if self.experts.across_micro_batches && self.grad_accum_steps <= 1 {
            let message = "The experts' exchange has no other micro-batch to overlap with: enter at least two gradient \
                           accumulation steps.";
            let error = Issue::error(ParamId::ExpertOverlap, message);
            issues.push(error.instead("The numbers are as if there were two."));
        }
        issues.extend(self.stages_with_experts(degrees));
    }

    /// Returns an issue if a token is sent to more experts than the model has.
    fn experts_of_a_token(&self) -> Option<Issue> {
        let experts = self.model.architecture().experts;
        let (asked, all) = (experts.num_experts_per_tok, experts.num_experts);
        let message =
            format!("{asked} experts per token are more than the {all} experts of a layer: enter at most {all}.");
        (asked > all).then(|| Issue::error(ParamId::TopK, message).uses(all))
    }

    /// Returns an issue if expert parallelism does not divide the experts or the GPUs of a stage.
    fn expert_parallel(&self, Degrees { pp, ep, .. }: Degrees) -> Option<Issue> {
        let (asked, all) = (self.ep, self.model.architecture().experts.num_experts);
        let stage = self.gpus.max(1) / pp;
        if asked == 0 || asked == ep {
            return None;
        }
        let what = if all.is_multiple_of(asked) { gpus_of(stage, pp) } else { format!("{all} experts") };
        let message = format!(
            "{asked} GPUs of expert parallelism do not evenly divide {what}: enter {}.",
            neighbours(common_divisor(stage, all), asked)
        );
        Some(Issue::error(ParamId::Ep, message).uses(ep))
    }

    /// Returns an issue if expert tensor parallelism does not divide the GPUs of a stage that
    /// remain after expert parallelism.
    fn expert_tensor_parallel(&self, Degrees { pp, ep, etp, .. }: Degrees) -> Option<Issue> {
        let asked = self.etp;
        let stage = self.gpus.max(1) / pp;
        if asked == 0 || asked == etp {
            return None;
        }
        let left = stage / ep;
        let what = if ep > 1 {
            format!("the {left} GPUs that expert parallelism leaves of {stage}")
        } else {
            gpus_of(stage, pp)
        };
        let message = format!(
            "{asked} GPUs of expert tensor parallelism do not evenly divide {what}: enter {}.",
            neighbours(left, asked)
        );
        Some(Issue::error(ParamId::Etp, message).uses(etp))
    }

    /// Returns an issue if the experts use more GPUs than a shard group of HSDP has, from which
    /// frameworks take expert parallelism.
    fn experts_in_a_shard_group(&self, Degrees { ep, etp, .. }: Degrees) -> Option<Issue> {
        let mesh = self.resolve_without_search().mesh;
        let (group, experts) = (mesh.shard_group().saturating_mul(mesh.tp), ep.saturating_mul(etp));
        if self.strategy != Strategy::HybridShard || group.is_multiple_of(experts) {
            return None;
        }
        let message = format!(
            "One copy of the experts is on {experts} GPUs (expert times expert tensor parallelism), which do not \
             divide the {group} GPUs of a shard group with its tensor-parallel GPUs: enter a larger shard group, or less \
             expert parallelism."
        );
        Some(Issue::error(ParamId::Ep, message).instead("The experts are not sharded further instead."))
    }

    /// Returns a note if dense layers make the first stage of a pipeline lighter than the others.
    fn stages_with_experts(&self, Degrees { pp, .. }: Degrees) -> Option<Issue> {
        let shape = self.model.architecture();
        let dense = shape.experts.first_k_dense_replace;
        let even = shape.num_hidden_layers.is_multiple_of(pp) && self.pipeline.first_stage_layers == 0;
        if pp <= 1 || dense == 0 || !even {
            return None;
        }
        let message = format!(
            "The first {dense} {} no experts: the first pipeline stage has less work than the others and could take \
             more layers.",
            if dense == 1 { "layer has" } else { "layers have" }
        );
        Some(Issue::note(ParamId::FirstLayers, message))
    }
}

/// Names the GPUs: `64 GPUs`, or in a pipeline `the 16 GPUs of a pipeline stage`.
fn gpus_of(stage: u32, pp: u32) -> String {
    if pp > 1 { format!("the {stage} GPUs of a pipeline stage") } else { format!("{stage} GPUs") }
}
