//! Contradictions on the device mesh: degrees, heads, sequences, stages.

use super::neighbours;
use crate::model::collectives::Group;
use crate::model::parallel::{ContextExchange, Schedule};
use crate::model::transformer::recurrent::RecurrentKind;
use crate::params::ParamId;
use crate::scenario::issue::Issue;
use crate::scenario::resolve::{Degrees, nearest_divisor};
use crate::scenario::{Model, Scenario};

/// The remedy of what does not divide over GPUs that must share it.
const AS_IF_THEY_DID: &str = "The numbers are as if they did.";

impl Scenario {
    /// Adds the issues about the mesh.
    pub(super) fn mesh(&self, issues: &mut Vec<Issue>) {
        let degrees = self.degrees();
        let left = self.gpus.max(1) / degrees.tp;
        issues.extend(self.degree(ParamId::Tp, "GPUs of tensor parallelism", self.tp, self.gpus, ""));
        issues.extend(self.degree(
            ParamId::Cp,
            "GPUs of context parallelism",
            self.cp,
            left,
            "tensor parallelism leaves",
        ));
        let before = "tensor and context parallelism leave";
        issues.extend(
            self.depth(degrees.pp)
                .or_else(|| self.degree(ParamId::Pp, "pipeline stages", self.pp, left / degrees.cp, before)),
        );
        issues.extend(self.shard_group(degrees));
        if degrees.tp > 1 {
            issues.extend(self.tensor_nodes(degrees.tp));
            issues.extend(self.tensor_heads(degrees.tp));
        }
        issues.extend(self.state_heads(degrees));
        issues.extend(self.sequence_parts(degrees));
        issues.extend(self.sequence_heads(degrees));
        if degrees.pp > 1 {
            issues.extend(self.stages(degrees.pp));
            issues.extend(self.micro_batches(degrees.pp));
        }
    }

    /// Returns an issue if a degree does not divide the GPUs that remain after the previous
    /// degrees.
    fn degree(&self, id: ParamId, what: &str, asked: u32, left: u32, before: &str) -> Option<Issue> {
        if asked == 0 || self.gpus == 0 || left.is_multiple_of(asked) {
            return None;
        }
        let rest = if left == self.gpus {
            format!("{left} GPUs")
        } else {
            format!("the {left} GPUs that {before} of {}", self.gpus)
        };
        let used = nearest_divisor(left, asked);
        let message = format!("{asked} {what} do not evenly divide {rest}: enter {}.", neighbours(left, asked));
        Some(Issue::error(id, message).uses(used))
    }

    /// Returns an issue if the pipeline has more stages than the model has layers.
    fn depth(&self, used: u32) -> Option<Issue> {
        let (asked, layers) = (self.pp, self.model.architecture().num_hidden_layers);
        let message =
            format!("{asked} pipeline stages are more than the model's {layers} layers: enter at most {used}.");
        (asked > layers && asked != used).then(|| Issue::error(ParamId::Pp, message).uses(used))
    }

    /// Returns an issue if the shard group is larger than the data-parallel GPUs, or does not
    /// divide them.
    fn shard_group(&self, Degrees { dp, .. }: Degrees) -> Option<Issue> {
        let size = self.shard_size;
        if !self.strategy.uses_shard_size() || size == 0 || self.gpus == 0 || dp.is_multiple_of(size) {
            return None;
        }
        let used = nearest_divisor(dp, size);
        let whole = dp == self.gpus;
        let message = if size > dp {
            let run = if whole { format!("run of {dp}") } else { format!("{dp} data-parallel GPUs") };
            format!("The shard group of {size} GPUs is larger than the {run}: enter at most {dp}, or more GPUs.")
        } else {
            format!(
                "A shard group of {size} GPUs does not divide {}{dp} {}GPUs evenly: enter {}.",
                if whole { "" } else { "the " },
                if whole { "" } else { "data-parallel " },
                neighbours(dp, size)
            )
        };
        Some(Issue::error(ParamId::ShardSize, message).uses(format!("A group of {used}")))
    }

    /// Returns an issue if tensor parallelism crosses nodes.
    fn tensor_nodes(&self, tp: u32) -> Option<Issue> {
        let (network, node) = (&self.network.values, self.network.values.gpus_per_node.max(1));
        if !Group::consecutive(tp, self.gpus, network).crosses_nodes() {
            return None;
        }
        let message = format!(
            "{tp} GPUs of tensor parallelism are not within one node of {node}: every layer waits for the network \
             between nodes. Enter {}.",
            neighbours(node, tp)
        );
        Some(Issue::note(ParamId::Tp, message))
    }

    /// Returns an issue if tensor parallelism does not divide the heads. Ladder and scaled shapes
    /// only represent a size, so their heads are not checked.
    fn tensor_heads(&self, tp: u32) -> Option<Issue> {
        let (Model::Custom { architecture } | Model::Preset { architecture, .. }) = self.model else { return None };
        let (heads, kv) = (architecture.num_attention_heads, architecture.num_key_value_heads);
        if heads == 0 || kv == 0 {
            return None;
        }
        if !heads.is_multiple_of(tp) {
            let message = format!(
                "{heads} attention heads do not divide over {tp} GPUs of tensor parallelism: enter {}.",
                neighbours(heads, tp)
            );
            return Some(Issue::error(ParamId::Tp, message).instead(AS_IF_THEY_DID));
        }
        let message = format!(
            "{kv} key and value heads do not divide over {tp} GPUs of tensor parallelism: each holds {}, and some are repeated.",
            kv.div_ceil(tp)
        );
        (!kv.is_multiple_of(tp)).then(|| Issue::note(ParamId::Tp, message))
    }

    /// Returns an issue if tensor and context parallelism do not divide the heads of the recurrent
    /// mixer, or tensor parallelism its groups (asserted by Megatron-Core's `MambaMixer` and
    /// `MambaContextParallel`).
    fn state_heads(&self, Degrees { tp, cp, .. }: Degrees) -> Option<Issue> {
        let (Model::Custom { architecture } | Model::Preset { architecture, .. }) = self.model else { return None };
        let mixer = architecture.recurrent;
        let (heads, parts) = (mixer.shareable(), tp.saturating_mul(cp));
        if !mixer.is_used() || parts <= 1 {
            return None;
        }
        if !heads.is_multiple_of(parts) {
            let what = if mixer.heads > 1 { "heads" } else { "channels" };
            let (by, id) = match (tp > 1, cp > 1) {
                (true, true) => ("tensor and context parallelism", ParamId::Cp),
                (_, true) => ("context parallelism, which exchange tokens for heads", ParamId::Cp),
                _ => ("tensor parallelism", ParamId::Tp),
            };
            let message = format!(
                "{heads} {what} of the state mixer do not divide over {parts} GPUs of {by}: enter {} GPUs.",
                neighbours(heads, parts)
            );
            return Some(Issue::error(id, message).instead(AS_IF_THEY_DID));
        }
        let groups = mixer.key_heads;
        let message = format!(
            "{groups} groups of the state mixer's keys do not divide over {tp} GPUs of tensor parallelism: Megatron-Core refuses \
             it. Enter {}.",
            neighbours(groups, tp)
        );
        let is_grouped = groups > 0 && mixer.kind == RecurrentKind::Mamba2;
        (is_grouped && !groups.is_multiple_of(tp)).then(|| Issue::error(ParamId::Tp, message).instead(AS_IF_THEY_DID))
    }

    /// Returns an issue if context and sequence parallelism do not divide the sequence: two parts
    /// per GPU balance a causal mask.
    fn sequence_parts(&self, Degrees { tp, cp, .. }: Degrees) -> Option<Issue> {
        let of_context = if cp > 1 { cp.saturating_mul(2) } else { 1 };
        let parts = of_context.saturating_mul(if self.tensor.sequence_parallel { tp } else { 1 });
        if self.seq_len.is_multiple_of(parts) {
            return None;
        }
        let (balanced, id) =
            if cp > 1 { (" (two per GPU of context parallelism)", ParamId::Cp) } else { ("", ParamId::Tp) };
        let message = format!(
            "Sequences of {} tokens cannot be cut into {parts} equal parts{balanced}: enter a multiple of \
             {parts}.",
            self.seq_len
        );
        Some(Issue::note(id, message).instead("The numbers are as if they could."))
    }

    /// Returns an issue if an all-to-all of context parallelism has more GPUs than heads, or a
    /// number of GPUs that does not divide the heads.
    fn sequence_heads(&self, Degrees { tp, cp, .. }: Degrees) -> Option<Issue> {
        let (asked, id) = match self.context {
            ContextExchange::AllToAll => (cp, ParamId::Cp),
            ContextExchange::Mixed if cp > 1 => (self.sequence_heads.min(cp), ParamId::SequenceHeads),
            ContextExchange::Ring | ContextExchange::AllGather | ContextExchange::Mixed => return None,
        };
        let setup = self.resolve_without_search();
        let used = setup.sequence_heads;
        let heads = self.heads_to_share(&setup.architecture, setup.mesh.tp);
        let of = if self.framework.traits().hands_out_groups { "key and value heads" } else { "attention heads" };
        let on = if tp > 1 { " of a tensor-parallel GPU" } else { "" };
        let message = format!(
            "{asked} GPUs cannot exchange tokens for heads: they must divide the {heads} {of}{on} and the {cp} GPUs of \
             context parallelism."
        );
        let instead = format!("{used} do instead, with ring attention among the others.");
        (asked != used).then(|| Issue::error(id, message).instead(instead))
    }

    /// Returns an issue if stages have no layers, or more than others.
    fn stages(&self, pp: u32) -> Option<Issue> {
        let layers = self.model.architecture().num_hidden_layers;
        let chunks = match self.pipeline.schedule {
            Schedule::Interleaved => self.pipeline.virtual_stages.max(1),
            Schedule::ZeroBubbleV | Schedule::DualPipeV => 2,
            Schedule::GPipe | Schedule::OneForwardOneBackward | Schedule::ZeroBubble | Schedule::DualPipe => 1,
        };
        // An end stage may be set to fewer layers than it has chunks: Llama 3's 126 layers omit one
        // at each end.
        let missing = |asked: u32| if asked > 0 { chunks.saturating_sub(asked) } else { 0 };
        let asked = [self.pipeline.first_stage_layers, self.pipeline.last_stage_layers];
        let all = pp.saturating_mul(chunks);
        if layers.saturating_add(asked.into_iter().map(missing).sum()) < all {
            let message = format!(
                "{layers} layers do not fill {pp} pipeline stages of {chunks} chunks each: enter at most {} stages.",
                (layers / chunks).max(1)
            );
            return Some(Issue::error(ParamId::Pp, message));
        }
        let (first, last) = (self.pipeline.first_stage_layers, self.pipeline.last_stage_layers);
        let others = pp.saturating_sub(u32::from(first > 0)).saturating_sub(u32::from(last > 0));
        let ends = first.saturating_add(last);
        let rest = layers.saturating_sub(ends);
        if ends > 0 {
            let whole = if others == 0 { ends == layers } else { ends < layers && rest >= others };
            let message = format!(
                "{ends} layers on the first and last stage leave {rest} of {layers} for the other {others} stages: each layer \
                 needs a stage, and each stage a layer."
            );
            return (!whole).then(|| Issue::error(if first > 0 { "firstlayers" } else { "lastlayers" }, message));
        }
        let balanced = self.framework.traits().balances_parameters;
        // Ladder and scaled shapes only represent a size: a note should not flicker while the
        // slider moves.
        if balanced || matches!(self.model, Model::Ladder { .. } | Model::Scaled { .. }) || layers.is_multiple_of(all) {
            return None;
        }
        let (share, longer) = (layers / all, layers % all);
        let what = if chunks == 1 { "stages" } else { "chunks" };
        let message = format!(
            "{layers} layers do not divide over {all} pipeline {what}: {longer} of them hold {} layers, the other {} \
             hold {share}, and the longest limit the step.",
            share.saturating_add(1),
            all.saturating_sub(longer)
        );
        Some(Issue::note(ParamId::Pp, message))
    }

    /// Returns an issue if the micro-batches do not fill the pipeline.
    fn micro_batches(&self, pp: u32) -> Option<Issue> {
        let micro_batches = self.grad_accum_steps.max(1);
        let schedule = self.pipeline.schedule;
        let fill = match schedule {
            Schedule::ZeroBubbleV => pp.saturating_mul(2).saturating_sub(1),
            // `num_chunks >= num_ranks * 2` in DeepSeek's code.
            Schedule::DualPipe | Schedule::DualPipeV => pp.saturating_mul(2),
            Schedule::GPipe | Schedule::OneForwardOneBackward | Schedule::Interleaved | Schedule::ZeroBubble => pp,
        };
        if micro_batches < fill {
            let message = format!(
                "{micro_batches} micro-batch{} (gradient accumulation steps) {} too few for {pp} pipeline stages, \
                 which mostly wait for each other: enter at least {fill}.",
                if micro_batches == 1 { "" } else { "es" },
                if micro_batches == 1 { "is" } else { "are" },
            );
            return Some(Issue::note(ParamId::GradAccumSteps, message));
        }
        if schedule != Schedule::Interleaved || micro_batches.is_multiple_of(pp) {
            return None;
        }
        let below = micro_batches / pp * pp;
        let message = format!(
            "{micro_batches} micro-batches are not a multiple of the {pp} pipeline stages, as interleaved 1F1B \
             requires: enter {below} or {} gradient accumulation steps.",
            below.saturating_add(pp)
        );
        Some(Issue::note(ParamId::GradAccumSteps, message))
    }
}
