//! Mixtures of experts.

use super::entry;
use crate::catalog::ScenarioEntry;

/// The paper on adaptive parallelism and pipelining of experts.
const TUTEL: &str = "Tutel (arXiv 2206.03382), section 5.2, Figure 14";
/// A model of many small experts.
const QWEN_3: &str = "Qwen3 (arXiv 2505.09388), Table 2; expert parallelism after GShard (arXiv 2006.16668)";
/// The report on the largest published run of a mixture of experts.
const DEEPSEEK_V3: &str = "DeepSeek-V3 (arXiv 2412.19437), sections 3.2, 3.3 and 4.2, Table 1";

/// The list. Tutel's layer is written out in full: fp32 with TF32 products, PyTorch 1.8's kernels,
/// the rates its network reaches.
pub(super) const LIST: &[ScenarioEntry] = &[
    entry(
        "tutel-16",
        "Tutel's layer on 16 GPUs",
        "In the figure of one layer the best pipelining is 5.5 times as fast as linear exchanges with dense kernels; \
         measured: 4.96 times, with all of Tutel's features.",
        "v=1&cluster=azure-ndm-a100-v4&model=custom&seq=512&gpus=16&mbs=32&recipe=fp32&adaptdegrees=yes\
         &adaptchunks=yes&grouped=no&eff=93&peak32=156&matmul=50&elem=75&half=8&launch=250&nodedecay=0.88&pxn=no&layers=1\
         &hidden=2048&heads=16&ffn=2048&vocab=1&mlp=plain&experts=32&topk=2&effn=2048",
        TUTEL,
    ),
    entry(
        "tutel-2048",
        "Tutel's layer on 2,048 GPUs",
        "Messages are small and many: the best is now two-dimensional, and 4.5 times as fast as the same baseline (measured: \
         5.75 times). No choice is best on both ends of the figure of one layer.",
        "v=1&cluster=azure-ndm-a100-v4&model=custom&seq=512&gpus=2048&mbs=32&recipe=fp32&adaptdegrees=yes\
         &adaptchunks=yes&grouped=no&critbatch=34M&eff=93&peak32=156&matmul=50&elem=75&half=8&launch=250\
         &nodedecay=0.88&pxn=no&layers=1&hidden=2048&heads=16&ffn=2048&vocab=1&mlp=plain&experts=4096&topk=2&effn=2048",
        TUTEL,
    ),
    entry(
        "moe-slow-links",
        "Experts across slow links",
        "Eight copies of every token cross 100 Gbit/s to their experts and back: 81 % of the step. Expert parallelism of 8 \
         keeps them inside the node: four times the speed.",
        "v=1&cluster=atorch-a100&model=qwen-3-30b-a3b&gpus=64&seq=4096&mbs=4&strategy=full-shard&recompute=full&ep=64",
        QWEN_3,
    ),
    entry(
        "deepseek-v3",
        "DeepSeek-V3 on 2,048 H800",
        "Tokens reach at most four nodes, beside the compute of another micro-batch; norms, up-projections and activations are \
         recomputed, without which it would not fit. Predicted: 1,520 tokens a second on each GPU; reported: 180,000 GPU-hours a \
         trillion tokens, which is 1,540.",
        "v=1&cluster=h800-400g&model=deepseek-v3&seq=4096&gpus=2048&mbs=1&accum=120&strategy=zero1&recompute=modules\
         &recipe=megatron-mixed&compute=fp8&pp=16&schedule=zero-bubble-v&firstlayers=3&lastlayers=2&ep=64\
         &dispatcher=fused&epoverlap=yes&framework=megatron&critbatch=63M&rcmoeact=yes&rcnorm=yes\
         &rcmla=yes",
        DEEPSEEK_V3,
    ),
];
