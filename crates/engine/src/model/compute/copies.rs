//! Copies of weights and gradients on the stream of the compute kernels: of FSDP around its
//! collectives, and the addition of a micro-batch's gradients to those of the step.

use super::{dtensor, memory_rate};
use crate::model::cost::{Cost, Operations};
use crate::model::framework::Accumulation;
use crate::model::per_rank::LocalParams;
use crate::model::setup::Setup;
use crate::model::stages::Stage;
use crate::model::states::{FrozenBytes, gathered_layer_bytes, recipe_bytes};
use crate::model::sync::GradientSyncPlan;
use crate::model::training::{Reshard, Sharding};
use crate::model::unit_params::Units;
use crate::units::{Bytes, Seconds};

/// Copies of one micro-batch, averaged over the micro-batches of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Copies<C = Seconds> {
    /// In one layer's forward pass.
    pub layer_forward: C,
    /// In one layer's backward pass.
    pub layer_backward: C,
    /// Of the root unit, forward.
    pub root_forward: C,
    /// Of the root unit, backward.
    pub root_backward: C,
}

impl<C: Cost<Operations>> Copies<C> {
    /// Returns the copies of a stage: around FSDP's collectives, around those of sequence
    /// parallelism ([`dtensor::copies`]), and of gradients that are added up.
    pub fn new(setup: &Setup, stage: &Stage, sync: GradientSyncPlan) -> Self {
        let fsdp = of_fsdp(setup, &stage.params, sync);
        let [forward, backward] = dtensor::copies(setup, &stage.blocks);
        let added = accumulated(setup, sync);
        let Units { layer, expert, root, .. } = stage.params.trained;
        let (stages, rate) = (setup.stage_copies(), memory_rate(setup));
        let copied = |bytes: f64| {
            let bytes = Bytes::new(bytes);
            C::new(bytes / rate, || Operations::streaming(bytes))
        };
        Self {
            layer_forward: copied(stages * fsdp.layer_forward + forward),
            layer_backward: copied(stages * (fsdp.layer_backward + added * (layer + expert)) + backward),
            root_forward: copied(stages * fsdp.root_forward),
            root_backward: copied(stages * (fsdp.root_backward + added * root)),
        }
    }

    /// Returns the copies of one micro-batch on a stage.
    pub fn all(&self, stage: &Stage) -> C {
        (self.layer_forward + self.layer_backward) * f64::from(stage.layers) + self.root_forward + self.root_backward
    }
}

/// Returns the bytes that FSDP copies around its collectives; none without PyTorch's FSDP.
///
/// ```text
/// bytes = (2 g (forward, and backward if resharded) + g + r (reduced)) P
/// ```
///
/// with g and r bytes a parameter, gathered and reduced. FSDP2 copies the gathered buffer into
/// the weights (`foreach_all_gather_copy_out`) and the gradients into the buffer that is reduced
/// (`chunk_cat`, `_fsdp_collectives.py`): 14 bytes in all. FSDP1's weights are views of the
/// buffer, and its gradients are concatenated before they are cast (`_runtime_utils.py`): 10.
///
/// ```
/// # use links::decode;
/// # use engine::{model::{compute::{copies::Copies, memory_rate}, stages::stages, sync::GradientSyncPlan}, units::Seconds};
/// let of = |link: &str| {
///     let setup = decode(&format!("cluster=dgx-h100&gpus=8&model=llama-2-7b&{link}")).scenario.setup();
///     let copies = Copies::<Seconds>::new(&setup, &stages(&setup).first, GradientSyncPlan::new(&setup));
///     // 202 million parameters in a layer.
///     (copies.layer_forward + copies.layer_backward).get() * memory_rate(&setup).get() / 202.4e6
/// };
/// assert!((of("") - 14.0).abs() < 0.01 && (of("framework=fsdp1") - 10.0).abs() < 0.01, "{}", of(""));
/// assert_eq!(of("strategy=ddp"), 0.0);
/// ```
fn of_fsdp(setup: &Setup, params: &LocalParams, sync: GradientSyncPlan) -> Copies<f64> {
    let Sharding::Fsdp(reshard) = setup.sharding else { return Copies::default() };
    let traits = setup.traits();
    if !traits.shards_by_fsdp || setup.mesh.shard_group() <= 1 {
        return Copies::default();
    }
    let bytes = recipe_bytes(setup.recipe);
    let trained = &params.trained;
    // Experts whose group is not sharded are not gathered.
    let are_gathered = setup.mesh.expert_shard_group() > 1;
    let experts = if are_gathered { trained.expert } else { 0.0 };
    let (mut layer, mut root) =
        (gathered_layer_bytes(setup) * (trained.layer + experts), bytes.gathered * trained.root);
    if !setup.trained.is_all() {
        let (frozen, of_frozen) = (params.frozen(), FrozenBytes::gathered(setup));
        let experts = if are_gathered { frozen.expert } else { 0.0 };
        layer += of_frozen.layer_bytes(&frozen) + of_frozen.matrices * experts;
        root += of_frozen.others * frozen.root;
    }
    // Reads and writes.
    let out = if traits.copies_gathered_weights { 2.0 } else { 0.0 };
    // Bytes of a gradient, read and written before its reduction; a cast is a copy of its own.
    let apart = !traits.copies_gathered_weights && bytes.reduced != bytes.gathered;
    let gradient = bytes.gathered + bytes.reduced + if apart { 2.0 * bytes.gathered } else { 0.0 };
    let micro_batches = f64::from(setup.batch.grad_accum_steps.max(1));
    let share = |each: bool| if each { 1.0 } else { 1.0 / micro_batches };
    let (gathers, reductions) = (share(sync.gather_each), share(sync.reduce_each));
    let again = if reshard == Reshard::Never { 0.0 } else { 1.0 };
    Copies {
        layer_forward: gathers * out * layer,
        layer_backward: gathers * again * out * layer + reductions * gradient * (trained.layer + experts),
        root_forward: gathers * out * root,
        root_backward: reductions * gradient * trained.root,
    }
}

/// Returns the bytes that the addition of a micro-batch's gradients to those of the step reads and
/// writes, for each parameter: the gradient as computed is read, the sum read and written.
///
/// ```text
/// g + 2 s, from the second micro-batch on where autograd adds
/// ```
///
/// None is added where sharded gradients are reduced in each micro-batch, or where the products of
/// the gradients add. A micro-batch of T tokens computes 6 T FLOPs a parameter: the addition takes
/// `10 / (6 T)` of that in bytes for FLOPs, 11 % of the time at 4,096 tokens on an H100.
///
/// ```
/// # use links::decode;
/// // nanotron's fp32 sums of 16-bit gradients: 10 bytes. Llama 2 7B on one node, pp 8.
/// let step = |framework: &str, accum: u32| {
///     let run = "cluster=dgx-h100&model=llama-2-7b&gpus=8&pp=8&recipe=megatron-mixed&strategy=ddp";
///     let link = format!("{run}&framework={framework}&accum={accum}");
///     decode(&link).scenario.report().update.time.compute.get()
/// };
/// let each = (step("nanotron", 64) - step("nanotron", 32)) / 32.0;
/// assert!(each > 10.0 * 6.7e9 / 8.0 / (0.724 * 3.35e12), "{each}");
/// ```
fn accumulated(setup: &Setup, sync: GradientSyncPlan) -> f64 {
    let bytes = recipe_bytes(setup.recipe);
    let micro_batches = f64::from(setup.batch.grad_accum_steps.max(1));
    let is_reduced_each = sync.reduce_each && matches!(setup.sharding, Sharding::Fsdp(_) | Sharding::Zero2);
    match setup.traits().accumulation {
        Accumulation::InProducts => 0.0,
        Accumulation::InKernel => bytes.gathered + 2.0 * bytes.gradients,
        Accumulation::ByAutograd if is_reduced_each => 0.0,
        Accumulation::ByAutograd => (bytes.gathered + 2.0 * bytes.gradients) * (micro_batches - 1.0) / micro_batches,
    }
}
