//! Checkpoints: how large, how long to write.

use crate::model::collectives::{self, Group};
use crate::model::flops::layer_matmul_params;
use crate::model::memory::recipe_bytes;
use crate::model::setup::Setup;
use crate::model::training::{Optimizer, Recipe};
use crate::model::transformer::Architecture;
use crate::units::{Bytes, BytesPerSecond, Seconds};

/// Bytes of the fp32 copy of a 16-bit weight.
const MASTER_COPY: f64 = 4.0;
/// Moments that Adam keeps.
const ADAM_MOMENTS: f64 = 2.0;
/// Bytes of a moment in 8 bits, and of the fp32 scale that 2,048 of them share (arXiv 2110.02861, section 2.1).
const MOMENT_8BIT: f64 = 1.0 + 4.0 / 2048.0;

/// One checkpoint, `P (weights + optimizer state)`: everything a run needs to go on, every replica's part once.
///
/// P parameters; bytes of weights and optimizer state by recipe and optimizer ([`optimizer_state`]). No gradients, no state
/// of data loader and random numbers, and weights shared by two pipeline stages once.
///
/// ```
/// # use shardwise::{catalog, model::{run::checkpoint::size, training::{Optimizer, Recipe}}};
/// // BLOOM: “2.3TB” with optimizer states, in units of 2⁴⁰ bytes as its “329GB” of weights are in 2³⁰ (BigScience's model
/// // page). Both end stages of its pipeline hold the embedding, which is the 2 % between 2.24 and 2.29.
/// let bloom = catalog::model("bloom-176b").unwrap().architecture;
/// let whole = size(&bloom, Recipe::ZeroMixed, Optimizer::AdamW);
/// assert_eq!((whole.gib() / 1024.0 * 100.0).round(), 224.0);
/// ```
pub fn size(arch: &Architecture, recipe: Recipe, optimizer: Optimizer) -> Bytes {
    Bytes::new(recipe_bytes(recipe).weights * arch.params() as f64) + optimizer_state(arch, recipe, optimizer)
}

/// Optimizer state of the whole model: the moments, and the fp32 copy where weights are 16-bit and the recipe keeps one.
///
/// Adam keeps two moments, in 8 bits with block scales if asked; Lion and SGD with momentum keep one; Adafactor a row and a
/// column a matrix and one moment of each vector; Muon one on the layers' matrices and Adam's two on the rest.
///
/// ```
/// # use shardwise::{catalog, model::{run::checkpoint::optimizer_state, training::{Optimizer, Recipe}}};
/// // Mixed-precision Adam: K = 12 bytes a parameter (ZeRO, arXiv 1910.02054, section 3.1). Lion lacks one moment.
/// let arch = catalog::model("llama-2-7b").unwrap().architecture;
/// let per_param = |optimizer| optimizer_state(&arch, Recipe::ZeroMixed, optimizer).get() / arch.params() as f64;
/// assert_eq!(per_param(Optimizer::AdamW), 12.0);
/// assert_eq!(per_param(Optimizer::Lion), 8.0);
/// assert!(per_param(Optimizer::Adafactor) < 4.01);
/// ```
pub fn optimizer_state(arch: &Architecture, recipe: Recipe, optimizer: Optimizer) -> Bytes {
    let params = arch.params() as f64;
    let master = match recipe {
        Recipe::ZeroMixed | Recipe::MegatronMixed => MASTER_COPY,
        Recipe::Fsdp2MixedBf16 | Recipe::Fsdp2MixedBf16Reduce16 | Recipe::PureBf16 | Recipe::Fp32 => 0.0,
    };
    let moment = (recipe_bytes(recipe).optimizer - master) / ADAM_MOMENTS;
    let in_layers = f64::from(arch.num_hidden_layers) * layer_matmul_params(arch);
    let moments = match optimizer {
        Optimizer::AdamW => ADAM_MOMENTS * moment * params,
        Optimizer::AdamW8bit => ADAM_MOMENTS * MOMENT_8BIT * params,
        Optimizer::Sgd => 0.0,
        Optimizer::SgdMomentum | Optimizer::Lion => moment * params,
        Optimizer::Muon => moment * (in_layers + ADAM_MOMENTS * (params - in_layers)),
        Optimizer::Adafactor => moment * factored(arch, in_layers),
    };
    Bytes::new(master * params + moments)
}

/// Elements of Adafactor's second moment: rows and columns of matrices, vectors whole.
fn factored(arch: &Architecture, in_layers: f64) -> f64 {
    let [layers, hidden, width, vocabulary] =
        [arch.num_hidden_layers, arch.hidden_size, arch.intermediate_size, arch.vocab_size].map(f64::from);
    let inputs = if arch.gated_mlp { 2.0 } else { 1.0 };
    let attention = 4.0 * hidden + 2.0 * arch.query_width() + 2.0 * arch.key_value_width();
    let mlp = (inputs + 1.0) * (hidden + width);
    let tables = if arch.tie_word_embeddings { 1.0 } else { 2.0 };
    let vectors = arch.params() as f64 - in_layers - tables * vocabulary * hidden;
    layers * (attention + mlp) + tables * (vocabulary + hidden) + vectors
}

/// Time to write a checkpoint, while training waits: `gather + S/(w B_host) + S/min(B_storage, w B_nic)`.
///
/// S bytes; w ranks that write: all N of a sharded checkpoint, one of a gathered one, which gathers the shards of the others
/// first; `B_host` link from GPU to host; `B_nic` network card of one GPU; `B_storage` rate of the file system for all nodes
/// together. Writing in the background (asynchronous checkpoints) would leave the copy to the host alone to wait for.
///
/// ```
/// # use shardwise::{catalog, model::run::checkpoint::write_time, units::{Bytes, BytesPerSecond}};
/// // 156 GB (13B parameters in fp32 with Adam's moments) at 10 GB/s: about 16 s, or 31 s by one rank's PCIe and network card.
/// let setup = catalog::default_scenario().setup();
/// let time = |sharded| write_time(&setup, Bytes::new(156e9), BytesPerSecond::from_gb_per_s(10.0), sharded).get();
/// assert_eq!(time(true).round(), 16.0);
/// assert!(time(false) > 20.0);
/// ```
pub fn write_time(setup: &Setup, size: Bytes, storage: BytesPerSecond, sharded: bool) -> Seconds {
    let network = &setup.network;
    let gpus = setup.mesh.gpus();
    let writers = if sharded { f64::from(gpus) } else { 1.0 };
    let card = network.inter_node * network.inter_node_efficiency;
    let gather = if sharded {
        Seconds::ZERO
    } else {
        let parts = gpus / setup.mesh.dp_replicate.max(1);
        collectives::all_gather(network, Group::consecutive(parts, gpus, network), size)
    };
    gather + size / (setup.accelerator.host_link * writers) + size / storage.min(card * writers)
}
