//! Copies of FSDP around its collectives, on the stream of the compute kernels.

use super::memory_rate;
use crate::model::per_rank::LocalParams;
use crate::model::setup::Setup;
use crate::model::states::{FrozenBytes, gathered_layer_bytes, recipe_bytes};
use crate::model::sync::GradientSyncPlan;
use crate::model::training::{Reshard, Sharding};
use crate::units::{Bytes, Seconds};

/// Time of the copies of one micro-batch, averaged over the micro-batches of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Copies {
    /// In one layer's forward pass.
    pub layer_forward: Seconds,
    /// In one layer's backward pass.
    pub layer_backward: Seconds,
    /// Of the root unit, forward.
    pub root_forward: Seconds,
    /// Of the root unit, backward.
    pub root_backward: Seconds,
}

impl Copies {
    /// Returns the copies of a stage with these parameters; none without PyTorch's FSDP.
    ///
    /// ```text
    /// T = (2 g (forward, and backward if resharded) + g + r (reduced)) P / (share of the memory's bandwidth)
    /// ```
    ///
    /// with g and r bytes a parameter, gathered and reduced. FSDP2 copies the gathered buffer into
    /// the weights (`foreach_all_gather_copy_out`) and the gradients into the buffer that is reduced
    /// (`chunk_cat`, `_fsdp_collectives.py`): 14 bytes in all. FSDP1's weights are views of the
    /// buffer, and its gradients are concatenated before they are cast (`_runtime_utils.py`): 10.
    ///
    /// ```
    /// # use links::decode;
    /// # use engine::model::{compute::copies::Copies, stages::stages, sync::GradientSyncPlan};
    /// let of = |link: &str| {
    ///     let setup = decode(&format!("cluster=dgx-h100&gpus=8&model=llama-2-7b&{link}")).scenario.setup();
    ///     let copies = Copies::new(&setup, &stages(&setup).first.params, GradientSyncPlan::new(&setup));
    ///     (copies.layer_forward + copies.layer_backward).ms()
    /// };
    /// // 202 million parameters in a layer, at 0.72 of 3.35 TB/s.
    /// assert!((of("") - 14.0 * 202.4e6 / (0.724 * 3.35e12) * 1e3).abs() < 0.02, "{}", of(""));
    /// assert!((of("framework=fsdp1") / of("") - 10.0 / 14.0).abs() < 1e-3);
    /// assert_eq!(of("strategy=ddp"), 0.0);
    /// ```
    pub fn new(setup: &Setup, params: &LocalParams, sync: GradientSyncPlan) -> Self {
        let Sharding::Fsdp(reshard) = setup.sharding else { return Self::default() };
        let traits = setup.traits();
        if !traits.shards_by_fsdp || setup.mesh.shard_group() <= 1 {
            return Self::default();
        }
        let bytes = recipe_bytes(setup.recipe);
        let (frozen, of_frozen) = (params.frozen(), FrozenBytes::gathered(setup));
        let trained = &params.trained;
        // Experts whose group is not sharded are not gathered.
        let experts = f64::from(u8::from(setup.mesh.expert_shard_group() > 1));
        let layer = gathered_layer_bytes(setup) * (trained.layer + experts * trained.expert)
            + of_frozen.layer_bytes(&frozen)
            + experts * of_frozen.matrices * frozen.expert;
        let root = bytes.gathered * trained.root + of_frozen.others * frozen.root;
        // Reads and writes.
        let out = if traits.copies_gathered_weights { 2.0 } else { 0.0 };
        // Bytes of a gradient, read and written before its reduction; a cast is a copy of its own.
        let apart = !traits.copies_gathered_weights && bytes.reduced != bytes.gathered;
        let gradient = bytes.gathered + bytes.reduced + if apart { 2.0 * bytes.gathered } else { 0.0 };
        let micro_batches = f64::from(setup.batch.grad_accum_steps.max(1));
        let share = |each: bool| if each { 1.0 } else { 1.0 / micro_batches };
        let (gathers, reductions) = (share(sync.gather_each), share(sync.reduce_each));
        let again = if reshard == Reshard::Never { 0.0 } else { 1.0 };
        let time = |bytes: f64| Bytes::new(setup.stage_copies() * bytes) / memory_rate(setup);
        Self {
            layer_forward: time(gathers * out * layer),
            layer_backward: time(
                gathers * again * out * layer + reductions * gradient * (trained.layer + experts * trained.expert),
            ),
            root_forward: time(gathers * out * root),
            root_backward: time(reductions * gradient * trained.root),
        }
    }
}
