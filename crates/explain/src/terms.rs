//! The glossary: terms of the field, two sentences each. The help of controls is in the table of
//! parameters.

/// A term of the field.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// The key in links.
    pub key: &'static str,
    /// The term.
    pub name: &'static str,
    /// The definition.
    pub text: &'static str,
}

const fn term(key: &'static str, name: &'static str, text: &'static str) -> Term {
    Term { key, name, text }
}

/// Every term, by subject.
pub const TERMS: &[Term] = &[
    term(
        "ddp",
        "DDP",
        "Distributed data parallel: every GPU keeps the whole model and its optimizer state, computes the gradients of its own sequences, and an [all-reduce] sums them. It needs the most memory and the least traffic.",
    ),
    term(
        "fsdp",
        "FSDP",
        "Fully sharded data parallel, PyTorch’s name for [ZeRO-3]: weights, gradients and optimizer state are sharded over the GPUs, and each layer is gathered only while it is computed. Memory falls with the number of GPUs; weights travel in every pass.",
    ),
    term(
        "hsdp",
        "Hybrid sharding",
        "FSDP inside groups of GPUs, usually a node, replicated over the groups (HYBRID_SHARD). Gathers stay on fast links, and only gradients of shards cross the network.",
    ),
    term(
        "zero-1",
        "ZeRO-1",
        "The optimizer state is sharded over the GPUs; each GPU keeps whole weights and gradients. Megatron calls it the distributed optimizer.",
    ),
    term(
        "zero-2",
        "ZeRO-2",
        "The gradients are sharded too; the weights are whole. A [reduce-scatter] instead of an all-reduce gives each GPU the gradients of its part of the optimizer.",
    ),
    term(
        "zero-3",
        "ZeRO-3",
        "The weights are sharded as well and gathered layer by layer (arXiv 1910.02054). PyTorch’s [FSDP] does the same.",
    ),
    term(
        "lora",
        "LoRA",
        "Low-rank adapters: two thin matrices of rank r train next to each frozen matrix (arXiv 2106.09685). Only they have gradients and [optimizer state]; the frozen weights and most [activations] stay. rsLoRA scales them differently, DoRA also trains a magnitude for each row.",
    ),
    term(
        "encoder",
        "Encoder of images",
        "A transformer before the language model (vision tower) that turns the patches of an image, or the windows of an audio clip, into vectors. Every patch attends to its whole image; a projection merges patches into [image tokens] of the language model’s width.",
    ),
    term(
        "image-tokens",
        "Image tokens",
        "Positions of a sequence that hold an image: (resolution / patch size)², divided by the patches merged into one token. The sequence length counts them; 576 in LLaVA-1.5, 256 for a tile of InternVL.",
    ),
    term(
        "qlora",
        "QLoRA",
        "[LoRA] on weights stored in 4 bits (NF4, arXiv 2305.14314). Each matrix is dequantized to 16 bits for its product, in every pass: less memory, more time.",
    ),
    term(
        "packing",
        "Packing",
        "Several texts share a sequence, and each attends only to itself. Without packing, each sequence holds one text and is padded to the longest text of its batch.",
    ),
    term(
        "all-gather",
        "all-gather",
        "A collective that gives every GPU the parts of all GPUs. In a ring of n GPUs, (n − 1)/n of the whole passes through each link.",
    ),
    term(
        "reduce-scatter",
        "reduce-scatter",
        "A collective that sums the tensors of all GPUs and leaves each GPU one part of the sum. It moves as much as an [all-gather].",
    ),
    term(
        "all-reduce",
        "all-reduce",
        "A collective that gives every GPU the sum: a [reduce-scatter] and an [all-gather], with twice the traffic of either. Switches that reduce (NVLS) save almost half.",
    ),
    term(
        "all-to-all",
        "all-to-all",
        "A collective in which every GPU sends a different message to every other GPU. Mixtures of experts use it to send tokens to their experts and back.",
    ),
    term(
        "bus-bandwidth",
        "bus bandwidth",
        "The rate at which bytes cross each GPU’s link in a collective, as nccl-tests prints it: comparable across collectives and numbers of GPUs. Here it is the slower of NVLink and all network cards of a node together.",
    ),
    term(
        "roofline",
        "roofline",
        "An operator takes the longer of two times: its FLOPs at the tensor cores’ rate, or its bytes at the memory’s rate. Small and thin products reach less of either.",
    ),
    term(
        "checkpointing",
        "activation checkpointing",
        "Some or all activations are dropped in the forward pass and recomputed in the backward pass. It saves memory for up to a third more compute.",
    ),
    term(
        "micro-batch",
        "micro-batch",
        "The sequences that a GPU processes at once. A step accumulates the gradients of several micro-batches, which costs time but little memory.",
    ),
    term(
        "bubble",
        "bubble",
        "Time in which a pipeline stage waits for the others, at the start and the end of each step. More micro-batches reduce its share.",
    ),
    term(
        "exposed",
        "exposed communication",
        "Collectives that run while nothing is computed, so they lengthen the step. Collectives that overlap with compute are hidden and only slow the kernels.",
    ),
    term(
        "working-set",
        "working set",
        "The memory to compute one layer: its gathered weights, gradients and hidden tensors. More GPUs do not reduce it.",
    ),
    term(
        "fragmentation",
        "fragmentation",
        "Memory that the allocator has reserved but no tensor uses: gaps between blocks, and blocks that only another stream may use. PyTorch calls it reserved but unallocated.",
    ),
    term(
        "tensor-parallelism",
        "tensor parallelism",
        "Several GPUs share each matrix of a layer and exchange activations within the layer. It divides weights and activations, and needs the fastest links.",
    ),
    term(
        "sequence-parallelism",
        "sequence parallelism",
        "With tensor parallelism, norms and residuals are divided along the sequence (arXiv 2205.05198). It saves their memory and moves the same bytes.",
    ),
    term(
        "context-parallelism",
        "context parallelism",
        "Several GPUs share each sequence and pass keys and values around (ring attention). Long sequences fit.",
    ),
    term(
        "pipeline-parallelism",
        "pipeline parallelism",
        "Groups of GPUs hold consecutive layers and pass on activations. It moves few bytes but has a [bubble].",
    ),
    term(
        "expert-parallelism",
        "expert parallelism",
        "The experts of a layer are divided among GPUs, and tokens travel to them in an [all-to-all]. Each GPU holds few experts and computes them on more tokens.",
    ),
    term(
        "mfu-convention",
        "FLOPs convention",
        "Which FLOPs an MFU counts: full attention (6 P + 12 L H s), the half that a causal mask leaves, or only 6 P. Published figures differ, so compare like with like.",
    ),
    term(
        "critical-batch",
        "critical batch",
        "The batch, in tokens, at which twice the tokens are needed for the same loss (arXiv 1812.06162). Below it, more GPUs save time at little cost; above it, they waste data.",
    ),
    term(
        "pareto-front",
        "Pareto front",
        "The runs that no other run beats in both days and price: a faster run costs more. The plan draws a line through them.",
    ),
    term(
        "break-even-price",
        "break-even price",
        "The price of a GPU-hour at which two runs cost the same: the cost of one over the GPU-hours of the other. Below it, the other is cheaper.",
    ),
    term(
        "mixed-precision",
        "mixed precision",
        "Products run in 16 or 8 bits, the optimizer in 32. The recipe sets the format and bytes of weights, gradients and state.",
    ),
    term(
        "flash-attention",
        "flash attention",
        "Attention computed tile by tile, so scores are never written to memory (arXiv 2205.14135). Its memory grows with the sequence length, not with its square.",
    ),
    term(
        "host-launches",
        "Host launches",
        "The host puts every kernel into the GPU’s queue, and runs ahead if kernels take longer than their launches. Small layers run faster than they are launched; then a faster CPU thread, torch.compile or CUDA graphs help.",
    ),
    term(
        "loader",
        "Data loader",
        "Host processes that read, tokenize and collate the sequences of a replica while it trains. If they are slower than the step, they limit it: more workers, faster storage or texts tokenized in advance help.",
    ),
    term(
        "offloading",
        "offloading",
        "State is in host memory and crosses PCIe or NVLink-C2C when needed. It saves GPU memory and costs transfer time.",
    ),
    term(
        "nvlink",
        "NVLink",
        "Links between the GPUs of one node, several times as fast as a network card. Rates are per GPU and direction.",
    ),
    term(
        "contention",
        "contention",
        "Collectives take streaming multiprocessors and memory bandwidth from concurrent kernels. One factor slows compute while both run.",
    ),
    term(
        "dpo",
        "DPO",
        "Direct preference optimisation (arXiv 2305.18290): the model learns to prefer the chosen of two answers by more than a frozen [reference model] does. Every example has two sequences, and the reference reads both.",
    ),
    term(
        "orpo",
        "ORPO",
        "Odds-ratio preference optimisation (arXiv 2403.07691): next-token training on the chosen answer and a penalty on the odds of the rejected one. It needs no [reference model].",
    ),
    term(
        "kto",
        "KTO",
        "Kahneman-Tversky optimisation (arXiv 2402.01306): single answers, each good or bad. A second pass over mismatched answers estimates how far the model has moved from the [reference model].",
    ),
    term(
        "reference-model",
        "reference model",
        "A frozen copy of the initial model, whose log-probabilities keep the trained model close. It needs weights and a forward pass, but no gradients and no optimizer state.",
    ),
    term(
        "ppo",
        "PPO",
        "Proximal policy optimisation (arXiv 1707.06347): the policy generates completions, a reward scores them, and a critic that trains with the policy estimates how much better than expected each token was. With reference and reward model, there are four models.",
    ),
    term(
        "grpo",
        "GRPO",
        "Group-relative policy optimisation (arXiv 2402.03300): several completions of each prompt are compared with their mean, which replaces [PPO]’s critic.",
    ),
    term(
        "distillation",
        "distillation",
        "A student learns a frozen teacher’s distribution over the next token (arXiv 1503.02531), over a data set or over its own completions (GKD, arXiv 2306.13649). The teacher needs weights and a forward pass, or sends its logits, and the loss reads the logits of both.",
    ),
    term(
        "rollout-term",
        "rollout",
        "The completions that a policy generates for a batch of prompts before it trains on them. An inference engine such as vLLM or SGLang generates them, on the same or other GPUs; it often takes most of the step.",
    ),
    term(
        "kv-cache",
        "KV cache",
        "Keys and values of all earlier tokens, kept so that each new token needs a pass over only one position (arXiv 2309.06180). It grows with every token; its size limits the sequences generated at once.",
    ),
    term(
        "sleep-mode",
        "sleep mode",
        "An inference engine that shares GPUs with training frees its weights and [KV cache] while the policy trains, and allocates them again for the next [rollout].",
    ),
];
