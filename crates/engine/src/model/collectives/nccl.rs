//! NCCL's own numbers, at commit 5067397c of 11 June 2026 (2.30), and how its messages are cut.

/// Slices of a chunk, each handed on as it arrives (`src/include/collectives.h`,
/// `ALLGATHER_CHUNKSTEPS` over `ALLGATHER_SLICESTEPS`, the same for reduce-scatters and
/// all-reduces).
pub const SLICES: f64 = 2.0;
/// Rate of a double binary tree over the ring's (`src/graph/tuning.cc`, the factor of
/// `NCCL_ALGO_TREE`).
pub const TREE_RATE: f64 = 0.92;
/// Share of that rate by size, from 64 bytes on, each twice the one before, with the Simple
/// protocol (`treeCorrectionFactor` in the same file): the tree fills and drains. From 512 MB on 1.
pub const TREE_CORRECTION: [f64; 23] =
    [0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5, 0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.7, 0.7, 0.8, 0.9, 0.9];
/// The size of its first entry, in bytes.
pub const SMALLEST: f64 = 64.0;
/// Latencies of a hop in a ring with the Simple protocol, over NVLink and over the network, in
/// microseconds (`hwLatencies`).
pub const RING_HOP_US: [f64; 2] = [3.4, 14.0];
/// The same where switches reduce inside the node and a tree runs between nodes
/// (`NCCL_ALGO_NVLS_TREE`).
pub const SWITCH_HOP_US: [f64; 2] = [25.0, 20.9];
/// Rate of parallel aggregated trees (PAT) over a ring's, from 2.23 on.
pub const PAT_RATE: f64 = 0.75;
/// Time of one rank's share of the buffer in such a tree, in microseconds.
pub const PAT_RANK_US: f64 = 2.8;
/// Channels over switches that reduce (`src/transport/nvls.cc`, `NVLS_NCHANNELS_SM90`).
pub const SWITCH_CHANNELS: f64 = 16.0;
/// The most ranks of a node that have a part of the buffer each (`NCCL_MAX_NVLS_ARITY`).
pub const MOST_HEADS: f64 = 32.0;
/// GPUs of a communicator in a node up to which its switches do not reduce
/// (`src/transport/nvls.cc`).
pub const NO_SWITCH: f64 = 2.0;
/// The largest chunk of a channel and rank, in bytes, on one to three nodes and on more
/// (`NVLS_CHUNKSIZE`, `treeMaxChunkSize`).
const LARGEST_CHUNK: [f64; 2] = [131_072.0, 65_536.0];
/// Nodes from which the smaller one holds.
const MANY_NODES: f64 = 4.0;
/// Where the buffer is less than so many rounds of all chunks, chunks are no larger than this
/// (`src/enqueue.cc`, `calcCollChunking`): on one node, and in a tree over several.
const CHUNKS_INSIDE: [(f64, f64); 3] = [(64.0, 65_536.0), (8.0, 32_768.0), (2.0, 16_384.0)];
const CHUNKS_BETWEEN: [(f64, f64); 2] = [(4.0, 65_536.0), (1.0, 32_768.0)];

/// Bytes that all channels and ranks of a node pass on at once over switches that reduce, of a
/// buffer of `size` bytes S over m nodes of r ranks: `min(S, 16 r k)` with k from 16 KiB to 128 KiB
/// by size.
///
/// ```
/// # use engine::model::collectives::nccl::round;
/// // 64 MiB on one node of eight: 16 x 8 chunks of 64 KiB; 32 MiB over two: the same; 1 GiB over two: of 128 KiB.
/// assert_eq!(round(67_108_864.0, 8.0, 1.0), 128.0 * 65_536.0);
/// assert_eq!(round(33_554_432.0, 8.0, 2.0), 128.0 * 65_536.0);
/// assert_eq!(round(1_073_741_824.0, 8.0, 2.0), 128.0 * 131_072.0);
/// ```
pub fn round(size: f64, ranks_per_node: f64, nodes: f64) -> f64 {
    let parts = SWITCH_CHANNELS * ranks_per_node.min(MOST_HEADS);
    let [few, many] = LARGEST_CHUNK;
    let largest = if nodes >= MANY_NODES { many } else { few };
    let limits: &[(f64, f64)] = if nodes > 1.0 { &CHUNKS_BETWEEN } else { &CHUNKS_INSIDE };
    let chunk = limits.iter().fold(
        largest,
        |chunk: f64, (rounds, at_most)| {
            if size < rounds * parts * chunk { chunk.min(*at_most) } else { chunk }
        },
    );
    (parts * chunk).min(size)
}

/// Bytes that a tree takes as long for at its full rate as for `size` bytes S: `S / c(S)`, c from
/// [`TREE_CORRECTION`], between its sizes by a straight line.
///
/// ```
/// # use engine::model::collectives::nccl::corrected;
/// // 0.7 of the rate at 32 MiB, all of it from 512 MiB on.
/// assert!((corrected(33_554_432.0) - 33_554_432.0 / 0.7).abs() < 1e-6);
/// assert_eq!(corrected(1_073_741_824.0), 1_073_741_824.0);
/// ```
pub fn corrected(size: f64) -> f64 {
    let at = |power: usize| {
        let size = SMALLEST * (1_u64 << power) as f64;
        [size, size / TREE_CORRECTION.get(power).copied().unwrap_or(1.0)]
    };
    let last = TREE_CORRECTION.len();
    if size <= SMALLEST || size >= at(last)[0] {
        let first = TREE_CORRECTION.first().filter(|_| size <= SMALLEST);
        return size / first.copied().unwrap_or(1.0);
    }
    let power = (size / SMALLEST) as u64;
    let power = power.max(1).ilog2() as usize;
    let ([from, slow], [to, slower]) = (at(power), at(power + 1));
    slow + (slower - slow) * ((size - from) / (to - from))
}
