//! Keys of links: those of parameters stand in their rows, the others here.

use engine::params;

/// The key of the version.
pub const VERSION_KEY: &str = "v";
/// The key of the catalog's revision.
pub const REVISION_KEY: &str = "rev";
/// The key of the cluster.
pub const CLUSTER_KEY: &str = "cluster";
/// The key of the GPU.
pub const GPU_KEY: &str = "gpu";
/// The key of the generation of a custom GPU.
pub const GENERATION_KEY: &str = "generation";
/// The key of the model.
pub const MODEL_KEY: &str = "model";
/// The key of the release of a training program.
pub const RELEASE_KEY: &str = "release";
/// The key of the size to which a named or custom model is scaled.
pub const SCALE_KEY: &str = "scale";
/// The key of the number of GPUs, which a name such as `8xH100` holds too.
pub const GPUS_KEY: &str = "gpus";
/// The key of the number of nodes, from which the GPUs follow. Read, never written.
pub const NODES_KEY: &str = "nodes";
/// The key of the sequences of a step over all GPUs, from which the micro-batches follow. Read,
/// never written.
pub const BATCH_KEY: &str = "batch";
/// The key of the layers of a custom model as a list.
pub const BLOCKS_KEY: &str = "blocks";
/// The key that begins a pinned scenario.
pub const PIN_KEY: &str = "pin";

/// The keys that are not parameters.
pub(super) const OWN_KEYS: [&str; 11] = [
    VERSION_KEY,
    REVISION_KEY,
    CLUSTER_KEY,
    GPU_KEY,
    GENERATION_KEY,
    MODEL_KEY,
    RELEASE_KEY,
    SCALE_KEY,
    BLOCKS_KEY,
    NODES_KEY,
    BATCH_KEY,
];

/// Whether a text is a key of links.
pub fn is_key(text: &str) -> bool {
    params::find(text).is_some() || OWN_KEYS.contains(&text)
}
