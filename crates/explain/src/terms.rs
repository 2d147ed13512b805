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
        "Distributed data parallel: every GPU keeps the whole model and its optimizer state, computes gradients of its own sequences, and an [all-reduce] makes them the same everywhere. It needs the most memory and the least traffic.",
    ),
    term(
        "fsdp",
        "FSDP",
        "Fully sharded data parallel, PyTorch’s name for [ZeRO-3]: weights, gradients and optimizer state are shared among the GPUs, and each layer is gathered for as long as it is computed with. Memory goes down with the number of GPUs; weights travel in every pass.",
    ),
    term(
        "hsdp",
        "Hybrid sharding",
        "FSDP inside groups of GPUs, usually a node, replicated over the groups (HYBRID_SHARD). Gathers stay on fast links, and only gradients of shards cross the network.",
    ),
    term(
        "zero-1",
        "ZeRO-1",
        "The optimizer state is shared among the GPUs, weights and gradients are whole on each. Megatron calls it the distributed optimizer.",
    ),
    term(
        "zero-2",
        "ZeRO-2",
        "Gradients are shared too, weights are whole. A [reduce-scatter] in place of an all-reduce gives each GPU the gradients that its part of the optimizer needs.",
    ),
    term(
        "zero-3",
        "ZeRO-3",
        "Weights are shared as well and gathered layer by layer (arXiv 1910.02054). PyTorch’s [FSDP] does the same.",
    ),
    term(
        "lora",
        "LoRA",
        "Low-rank adapters: beside a frozen matrix two thin ones train, of rank r (arXiv 2106.09685). Gradients and [optimizer state] are theirs alone; the frozen weights and most [activations] stay. rsLoRA scales them differently, DoRA trains a magnitude for each row as well.",
    ),
    term(
        "encoder",
        "Encoder of images",
        "A transformer before the language model that turns the patches of an image, or the windows of a clip of sound, into vectors (vision tower). Every patch sees its whole image; a projection merges patches and brings them to the language model’s width as [image tokens].",
    ),
    term(
        "image-tokens",
        "Image tokens",
        "Places of a sequence that hold an image: resolution over patch size, squared, over the patches that are merged. The sequence length counts them; 576 in LLaVA-1.5, 256 for a tile of InternVL.",
    ),
    term(
        "qlora",
        "QLoRA",
        "[LoRA] beside weights stored in 4 bits (NF4, arXiv 2305.14314). Each matrix is turned into 16 bits for its product, in every pass: less memory, more time.",
    ),
    term(
        "packing",
        "Packing",
        "Several texts share a sequence, and each attends to itself alone. A text a sequence is padded instead: its batch is as long as its longest text, and so is the wait.",
    ),
    term(
        "all-gather",
        "all-gather",
        "A collective after which every GPU has what each of them had a part of. In a ring of n GPUs (n − 1)/n of the whole passes through each link.",
    ),
    term(
        "reduce-scatter",
        "reduce-scatter",
        "A collective that sums what the GPUs have and leaves each with one part of the sum. It moves as much as an [all-gather].",
    ),
    term(
        "all-reduce",
        "all-reduce",
        "A collective after which every GPU has the sum: a [reduce-scatter] and an [all-gather], with twice the traffic of either. Switches that add up on the way (NVLS) save almost half.",
    ),
    term(
        "all-to-all",
        "all-to-all",
        "A collective in which every GPU sends every other one a message of its own. Mixtures of experts send tokens to their experts with it, and back.",
    ),
    term(
        "bus-bandwidth",
        "bus bandwidth",
        "The rate at which bytes cross each GPU’s link in a collective, as nccl-tests print it: comparable between collectives and numbers of GPUs. Here it is the slower of NVLink and of all network cards of a node together.",
    ),
    term(
        "roofline",
        "roofline",
        "An operator takes the longer of two times: its FLOPs at the rate of the tensor cores, its bytes at the rate of memory. Small and thin products reach less of either.",
    ),
    term(
        "checkpointing",
        "activation checkpointing",
        "Activations are thrown away in the forward pass and computed again in the backward pass, all or some of them. It buys memory with up to a third more compute.",
    ),
    term(
        "micro-batch",
        "micro-batch",
        "The sequences that a GPU works on at once. A step adds up the gradients of several of them, which costs time but little memory.",
    ),
    term(
        "bubble",
        "bubble",
        "Time in which a stage of a pipeline waits for the others, at the start and the end of each step. More micro-batches make its share smaller.",
    ),
    term(
        "exposed",
        "exposed communication",
        "Collectives that run while nothing is computed, and so make the step longer. What runs beside compute is hidden, and costs only a slow-down of the kernels.",
    ),
    term(
        "working-set",
        "working set",
        "What must be in memory to compute one layer: its gathered weights, its gradients, its hidden tensors. It does not go down with more GPUs.",
    ),
    term(
        "fragmentation",
        "fragmentation",
        "Memory that the allocator has reserved and no tensor uses: gaps between blocks, and blocks that only another stream may use. PyTorch calls it reserved but unallocated.",
    ),
    term(
        "tensor-parallelism",
        "tensor parallelism",
        "Several GPUs share each matrix of a layer and exchange activations inside it. It divides weights and activations, and needs the fastest links.",
    ),
    term(
        "sequence-parallelism",
        "sequence parallelism",
        "Beside tensor parallelism, norms and residuals are divided along the sequence (arXiv 2205.05198). It saves their memory and moves the same bytes.",
    ),
    term(
        "context-parallelism",
        "context parallelism",
        "Several GPUs share each sequence and pass keys and values around (ring attention). It makes long sequences fit.",
    ),
    term(
        "pipeline-parallelism",
        "pipeline parallelism",
        "Groups of GPUs hold consecutive layers and pass activations on. It moves few bytes and has a [bubble].",
    ),
    term(
        "expert-parallelism",
        "expert parallelism",
        "The experts of a layer are divided among GPUs, and tokens travel to them in an [all-to-all]. Each GPU then holds few experts and computes with more tokens.",
    ),
    term(
        "mfu-convention",
        "FLOPs convention",
        "Which FLOPs an MFU counts: with full attention (6 P + 12 L H s), with half of it as a causal mask leaves, or 6 P alone. Published figures differ in it, so compare like with like.",
    ),
    term(
        "critical-batch",
        "critical batch",
        "The batch, in tokens, at which twice the tokens are needed for the same loss (arXiv 1812.06162). Below it more GPUs save time at little cost, above it they waste data.",
    ),
    term(
        "pareto-front",
        "Pareto front",
        "Of runs by days and price those that no other beats in both: whoever wants it faster pays more. The plan draws a line through them.",
    ),
    term(
        "break-even-price",
        "break-even price",
        "The price of a GPU-hour at which two runs cost the same: the cost of the one over the GPU-hours of the other. Below it the other is the cheaper one.",
    ),
    term(
        "mixed-precision",
        "mixed precision",
        "Products run in 16 or 8 bits, the optimizer in 32. The recipe says in which format weights, gradients and state lie, and how many bytes each takes.",
    ),
    term(
        "flash-attention",
        "flash attention",
        "Attention computed tile by tile, so that scores are never written to memory (arXiv 2205.14135). Its memory grows with the sequence, not with its square.",
    ),
    term(
        "host-launches",
        "Host launches",
        "The host puts every kernel into the GPU’s queue, and runs ahead where kernels take longer than that. Small layers run faster than they are launched; a faster thread of its CPUs, torch.compile or CUDA graphs help then.",
    ),
    term(
        "loader",
        "Data loader",
        "Processes of the host that read, tokenize and collate the sequences of a replica beside its training. Slower than the step they set its pace: more of their workers, faster storage, or texts that are tokenized ahead help then.",
    ),
    term(
        "offloading",
        "offloading",
        "State lies in host memory and crosses PCIe or NVLink-C2C when it is needed. It saves GPU memory and costs the time of that link.",
    ),
    term(
        "nvlink",
        "NVLink",
        "Links between the GPUs of one node, several times as fast as a network card. Rates here are for each GPU and direction.",
    ),
    term(
        "contention",
        "contention",
        "Collectives take streaming multiprocessors and memory bandwidth from the kernels beside them. One factor says by how much compute is slower while both run.",
    ),
    term(
        "dpo",
        "DPO",
        "Direct preference optimisation (arXiv 2305.18290): the model learns to prefer the chosen of two answers by more than a frozen [reference model] does. Every example is two sequences, and the reference reads both.",
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
        "A frozen copy of the model as it was before, whose log-probabilities hold the trained one near. It takes weights and a forward pass, and neither gradients nor optimizer state.",
    ),
    term(
        "ppo",
        "PPO",
        "Proximal policy optimisation (arXiv 1707.06347): the policy generates completions, a reward scores them, and a critic that trains beside the policy says how much better than expected each token was. With reference and reward model that is four models.",
    ),
    term(
        "grpo",
        "GRPO",
        "Group-relative policy optimisation (arXiv 2402.03300): several completions of each prompt are compared with their mean, which takes the place of [PPO]’s critic.",
    ),
    term(
        "rollout-term",
        "rollout",
        "The completions that a policy generates for a batch of prompts, before it trains on them. An inference engine such as vLLM or SGLang generates them, on the same GPUs or on others; often it takes most of the step.",
    ),
    term(
        "kv-cache",
        "KV cache",
        "Keys and values of all tokens so far, which generation keeps so that each new token is one pass over one position (arXiv 2309.06180). It grows with every token; what it can hold says how many sequences run at once.",
    ),
    term(
        "sleep-mode",
        "sleep mode",
        "An inference engine that shares GPUs with training frees its weights and [KV cache] while the policy trains, and takes them again for the next [rollout].",
    ),
];
