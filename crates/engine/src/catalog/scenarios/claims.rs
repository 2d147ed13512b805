//! Claims of papers. If a claim compares two runs, the second is pinned, so that the page shows the
//! difference.

use super::{BOUNDS, FSDP, MODALITIES, PTD_P, ZERO, entry, seen};
use crate::catalog::ScenarioEntry;

/// The paper on adaptive parallelism and pipelining of experts.
const TUTEL: &str = "Tutel (arXiv 2206.03382), sections 4 and 5.2";
/// Follow-up questions to the study on bounds.
const FOLLOW_UP: &str = "Follow-up questions to the FSDP bounds after Wang et al. 2025 (arXiv 2504.03655)";

/// The list, in the order of the claims.
pub(super) const LIST: &[ScenarioEntry] = &[
    entry(
        "compare-bandwidth-7b",
        "Twice the bandwidth, 7B",
        "200 against 100 Gbit/s (A): 10.5 points of MFU more, as compute now hides nearly all transfers.",
        "v=1&cluster=a100-40gb-200g&size=7B&gpus=64&seq=3328&mbs=1&strategy=full-shard&recompute=full\
         &pin=1&cluster=a100-40gb-100g",
        BOUNDS,
    ),
    entry(
        "compare-bandwidth-13b",
        "Twice the bandwidth, 13B",
        "200 against 100 Gbit/s (A): 12.5 points of MFU more, a little more than 7B gains.",
        "v=1&cluster=a100-40gb-200g&size=13B&gpus=64&seq=3328&mbs=1&strategy=full-shard&recompute=full\
         &pin=1&cluster=a100-40gb-100g",
        BOUNDS,
    ),
    entry(
        "compare-bandwidth-65b",
        "Twice the bandwidth, 65B",
        "The larger the model, the more bandwidth matters: 16 points of MFU more than at 100 Gbit/s (A), where 7B gains 10.5.",
        "v=1&cluster=a100-40gb-200g&size=65B&gpus=64&seq=3328&mbs=1&strategy=full-shard&recompute=full\
         &pin=1&cluster=a100-40gb-100g",
        BOUNDS,
    ),
    entry(
        "compare-longer-sequence",
        "Longer sequences need more bandwidth",
        "With 2,048 tokens twice the bandwidth brings 14 points of MFU (against A); with 1,024 tokens 7 (B against C). As long as the \
         network limits, every Gbit/s is worth as much more as the sequence is longer.",
        "v=1&cluster=a100-40gb-200g&size=13B&gpus=64&seq=2048&mbs=1&strategy=full-shard&recompute=full\
         &pin=1&cluster=a100-40gb-100g&pin=2&seq=1024&pin=3&cluster=a100-40gb-100g&seq=1024",
        BOUNDS,
    ),
    entry(
        "compare-memory-bandwidth",
        "Memory traded for bandwidth",
        "Twice the memory at half the bandwidth: 80 GiB at 100 Gbit/s hold twice the tokens, which hide the same transfers. The MFU is \
         within 2 points of 40 GiB at 200 Gbit/s (A) and 19 above 40 GiB at 100 Gbit/s (B).",
        "v=1&cluster=a100-40gb-100g&mem=80&size=13B&gpus=64&seq=4096&mbs=2&strategy=full-shard&recompute=none\
         &pin=1&cluster=a100-40gb-200g&mem=40&mbs=1&pin=2&mem=40&mbs=1",
        BOUNDS,
    ),
    seen(
        "?map=best",
        entry(
            "compare-best-memory-bandwidth",
            "What memory and bandwidth allow",
            "At every point of the map the best MFU over sequence, batch and checkpointing, for 13B on 64 A100: 54.6 % here. Above 185 Gbit/s \
             compute limits; below 252 GiB memory does. Twice the memory more than makes up for half of the bandwidth (A).",
            "v=1&cluster=a100-40gb-200g&size=13B&gpus=64&seq=32768&mbs=1&strategy=full-shard&recompute=full\
             &pin=1&mem=80&link=100&seq=65536",
            BOUNDS,
        ),
    ),
    seen(
        "?curve=size&metric=memory",
        entry(
            "compare-fsdp-ddp",
            "FSDP holds five times the model",
            "17.5B fit with half of the memory free. Under DDP (A) they need almost 300 GiB more than there is; it ends near 3.5B (B).",
            "v=1&cluster=dgx-a100-80&size=17.5B&gpus=8&seq=2048&mbs=1&strategy=full-shard&recompute=full\
             &pin=1&strategy=ddp&pin=2&strategy=ddp&size=3.5B",
            FSDP,
        ),
    ),
    entry(
        "compare-small-fsdp-ddp",
        "Small models lose nothing under FSDP",
        "1.3B fit either way: the step takes as long as under DDP (A), to 2 %, for less than half of the memory.",
        "v=1&cluster=dgx-a100-80&size=1.3B&gpus=8&seq=2048&mbs=4&strategy=full-shard&recompute=none&recipe=fsdp2-bf16\
         &pin=1&strategy=ddp",
        FSDP,
    ),
    seen(
        "?curve=gpus&metric=tokens",
        entry(
            "compare-scaling",
            "Eight times the GPUs",
            "Near-linear: each of 512 GPUs trains 5 % fewer tokens a second than each of 64 (A).",
            "v=1&cluster=a100-40gb-200g&size=13B&gpus=512&seq=4096&mbs=1&strategy=full-shard&recompute=none\
             &pin=1&gpus=64",
            FSDP,
        ),
    ),
    entry(
        "compare-sharding-factor",
        "Sharding over F of 128 GPUs",
        "F = 4, one node: weights never cross the network. Sharded over all 128 (A) a GPU needs half of the memory, but 10 % more time; \
         with F = 1 (B), DDP, 7B does not fit at all.",
        "v=1&cluster=leonardo-booster&size=7B&gpus=128&seq=4096&strategy=hybrid-shard&shard=4&recompute=none\
         &recipe=fsdp2-bf16-reduce16&pin=1&strategy=full-shard&pin=2&strategy=ddp",
        MODALITIES,
    ),
    seen(
        "?curve=gpus&metric=memory",
        entry(
            "compare-pure-bf16",
            "14 + 14 + 28 GB, over N GPUs",
            "Weights, gradients and Adam's moments of 7B in bf16: 2, 2 and 4 bytes a parameter. FULL_SHARD over 8 GPUs leaves each an \
             eighth; on one GPU (A) it is all of the 54 GB, and activations.",
            "v=1&cluster=dgx-a100-80&model=llama-2-7b&gpus=8&seq=2048&strategy=full-shard&recompute=full\
             &recipe=pure-bf16&pin=1&gpus=1&strategy=ddp",
            ZERO,
        ),
    ),
    entry(
        "compare-175b-3d",
        "175B on 3,072 GPUs in 3D",
        "tp 8 × pp 12 × dp 32. With 48 micro-batches 18 % of the step is the pipeline's bubble; the same batch on half of the GPUs \
         (A) halves it, and interleaved stages (B) do so on all of them.",
        "v=1&cluster=selene&model=gpt-3-175b&gpus=3072&seq=2048&mbs=1&accum=48&recompute=full&recipe=zero-mixed\
         &strategy=zero1&tp=8&sp=no&pp=12&framework=megatron-legacy&attnkernel=unfused\
         &pin=1&gpus=1536&accum=96&pin=2&schedule=interleaved&vpp=2",
        PTD_P,
    ),
    seen(
        "?layer=gpus",
        entry(
            "compare-tutel-2048",
            "Tutel: adaptive against static",
            "One layer of experts on 2,048 GPUs: the whole step is 2.9 times as fast as with linear exchanges in one piece (A). In the \
             figure of one layer, further down, the best choice changes along the axis, and the adaptive one is below all others.",
            "v=1&cluster=azure-ndm-a100-v4&model=custom&seq=512&gpus=2048&mbs=32&recipe=fp32&adaptdegrees=yes\
             &adaptchunks=yes&grouped=no&critbatch=34M&eff=93&peak32=156&matmul=50&elem=75&half=8&launch=250\
             &nodedecay=0.88&pxn=no&layers=1&hidden=2048&heads=16&ffn=2048&vocab=1&mlp=plain&experts=4096&topk=2&effn=2048\
             &pin=1&adaptchunks=no&a2a=linear&chunks=1",
            TUTEL,
        ),
    ),
    entry(
        "compare-hopper-ampere",
        "Hopper against Ampere, 175B",
        "H100 at 400 Gbit/s trains 2.6 times as fast as A100 at 200 (A), yet reaches 8 points of MFU less: three times the compute \
         waits for twice the bandwidth. At A100's bandwidth (B) it keeps 19 % of its peak.",
        "v=1&cluster=dgx-h100&size=175B&gpus=512&seq=2048&mbs=1&strategy=full-shard&recompute=full\
         &pin=1&cluster=dgx-a100-80&pin=2&link=200",
        FOLLOW_UP,
    ),
    entry(
        "compare-hierarchical",
        "Hierarchical against ring",
        "Sharded in groups of 64 with an all-reduce between the groups: within 5 % of rings over all 512 GPUs (A), for twice the \
         memory. Rings that ignore the nodes (B), one card for every byte, take 8 times as long.",
        "v=1&cluster=dgx-h100&size=175B&gpus=512&seq=2048&mbs=1&strategy=hybrid-shard&shard=64&recompute=full\
         &pin=1&strategy=full-shard&pin=2&strategy=full-shard&topology=flat",
        FOLLOW_UP,
    ),
];
