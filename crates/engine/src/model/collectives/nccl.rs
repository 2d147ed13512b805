//! NCCL's own constants, at commit 5067397c of 11 June 2026 (2.30), and its chunk sizes.

/// Slices of a chunk, each forwarded as it arrives (`src/include/collectives.h`,
/// `ALLGATHER_CHUNKSTEPS` over `ALLGATHER_SLICESTEPS`, equal for reduce-scatters and all-reduces).
pub const SLICES: f64 = 2.0;
/// Rate of a double binary tree over the ring's (`src/graph/tuning.cc`, the factor of
/// `NCCL_ALGO_TREE`).
pub const TREE_RATE: f64 = 0.92;
/// Share of [`TREE_RATE`] reached by size, from 64 bytes on in powers of two, with the Simple
/// protocol (`treeCorrectionFactor` in `src/graph/tuning.cc`): the tree fills and drains. 1 from
/// 512 MB on.
pub const TREE_CORRECTION: [f64; 23] =
    [0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5, 0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.7, 0.7, 0.8, 0.9, 0.9];
/// Size of the first entry of [`TREE_CORRECTION`], in bytes.
pub const SMALLEST: f64 = 64.0;
/// Latencies of a hop in a ring with the Simple protocol, over NVLink and over the network, in
/// microseconds (`hwLatencies`).
pub const RING_HOP_US: [f64; 2] = [3.4, 14.0];
/// Latencies of a hop inside the node and between nodes, in microseconds, where switches reduce
/// inside the node and a tree runs between nodes (`NCCL_ALGO_NVLS_TREE`).
pub const SWITCH_HOP_US: [f64; 2] = [25.0, 20.9];
/// Rate of parallel aggregated trees (PAT) over a ring's, from 2.23 on.
pub const PAT_RATE: f64 = 0.75;
/// Latency of one rank's share of the buffer in a parallel aggregated tree, in microseconds.
pub const PAT_RANK_US: f64 = 2.8;
/// Channels over switches that reduce (`src/transport/nvls.cc`, `NVLS_NCHANNELS_SM90`).
pub const SWITCH_CHANNELS: f64 = 16.0;
/// Maximum number of ranks of a node that each handle a part of the buffer (`NCCL_MAX_NVLS_ARITY`).
pub const MOST_HEADS: f64 = 32.0;
/// Maximum number of GPUs in a node for which its switches do not reduce (`src/transport/nvls.cc`).
pub const NO_SWITCH: f64 = 2.0;
/// The largest chunk of a channel and rank, in bytes, on one to three nodes and on more
/// (`NVLS_CHUNKSIZE`, `treeMaxChunkSize`).
const LARGEST_CHUNK: [f64; 2] = [131_072.0, 65_536.0];
/// Number of nodes from which the smaller of [`LARGEST_CHUNK`] applies.
const MANY_NODES: f64 = 4.0;
/// Chunk limits for small buffers, on one node and in a tree over several (`src/enqueue.cc`,
/// `calcCollChunking`): for buffers of fewer rounds of all chunks than the first number, chunks are
/// at most the second.
const CHUNKS_INSIDE: [(f64, f64); 3] = [(64.0, 65_536.0), (8.0, 32_768.0), (2.0, 16_384.0)];
const CHUNKS_BETWEEN: [(f64, f64); 2] = [(4.0, 65_536.0), (1.0, 32_768.0)];

/// Returns the bytes of one round of all channels and ranks of a node over switches that reduce,
/// for a buffer of `size` bytes S over m nodes of r ranks: `min(S, 16 r k)` with k from 16 KiB to
/// 128 KiB by size.
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

/// Returns the bytes for which a tree at its full rate takes as long as for `size` bytes S: `S /
/// c(S)`, with c from [`TREE_CORRECTION`], interpolated linearly between its sizes.
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
