//! Starting points for planning a run.

use super::{entry, seen};
use crate::catalog::ScenarioEntry;

/// The list.
pub(super) const LIST: &[ScenarioEntry] = &[
    entry(
        "plan-8b-one-node",
        "Fine-tune 8B on one node",
        "Llama 3.1 8B with every weight trained, 8,192 tokens a sequence: without recomputation 11 GiB stay free. Full checkpointing \
         (A) would free 40 GiB more, and cost 22 % of the speed.",
        "v=1&cluster=dgx-h100&model=llama-3.1-8b&gpus=8&seq=8192&mbs=1&strategy=full-shard&recompute=none&tokens=1B\
         &pin=1&recompute=full",
        "Llama 3 (arXiv 2407.21783), Table 3; NVIDIA DGX H100 data sheet",
    ),
    entry(
        "plan-7b-ethernet",
        "Pretrain 7B on 100 Gbit/s Ethernet",
        "Eight GPUs share one 100 Gbit/s port. Micro-batches of 8 sequences give compute enough to hide the transfers: 41 % MFU, where one \
         sequence each (A) reaches 7 %.",
        "v=1&cluster=gcp-a2-ultra&model=llama-2-7b&gpus=64&seq=4096&mbs=8&strategy=full-shard&recompute=full&pin=1&mbs=1",
        "Llama 2 (arXiv 2307.09288); Google Cloud A2: 100 Gbit/s a machine",
    ),
    entry(
        "plan-70b-64-h100",
        "70B on 64 H100",
        "Selective checkpointing fits once four GPUs split each layer (tp 4): 37 % MFU. Without (A) 28 GiB are missing; full \
         checkpointing (B) fits without, at 41 %.",
        "v=1&cluster=dgx-h100&model=llama-3-70b&gpus=64&seq=8192&mbs=1&accum=4&strategy=full-shard&recompute=selective&tp=4\
         &pin=1&accum=1&tp=1&pin=2&accum=1&recompute=full&tp=1",
        "Llama 3 (arXiv 2407.21783), Table 3; NVIDIA DGX H100 data sheet",
    ),
    entry(
        "plan-405b",
        "405B on 16,384 H100",
        "tp 8 × pp 16 × dp 128, as published. With eight chunks of layers on each GPU 14 % of the step is bubble: 38 % MFU (reported: \
         41 %). Plain 1F1B (A) waits almost half of the time.",
        "v=1&cluster=grand-teton&model=llama-3.1-405b&gpus=16384&seq=8192&mbs=1&accum=16&strategy=zero1&recompute=none\
         &recipe=megatron-mixed&tp=8&pp=16&schedule=interleaved&vpp=8&firstlayers=7&lastlayers=7&framework=megatron\
         &attnkernel=flash-tuned&tokens=15.6T&pin=1&schedule=1f1b",
        "Llama 3 (arXiv 2407.21783), section 3.3.2 and Table 4",
    ),
    seen(
        "?map=seq.gpus&curve=seq&metric=memory",
        entry(
            "plan-8b-longest-context",
            "Longest context for 8B",
            "Half a million tokens on one node: each sequence is split over its 8 GPUs (without: A), and a chunked loss never holds all \
             logits (without: B). Either alone does not fit.",
            "v=1&cluster=dgx-h100&model=llama-3.1-8b&gpus=8&seq=524288&mbs=1&strategy=full-shard&recompute=full&cp=8\
             &loss=chunked&pin=1&cp=1&pin=2&loss=standard",
            "Llama 3 (arXiv 2407.21783), section 3.4.2; NVIDIA DGX H100 data sheet",
        ),
    ),
    seen(
        "?curve=ep",
        entry(
            "plan-moe-slow-links",
            "Mixture of experts on slow links",
            "Experts inside each node (ep 8): copies of tokens stay off the 100 Gbit/s network. Spread over all 64 GPUs (A) the same step takes \
             four times as long, 81 % of it waiting for them.",
            "v=1&cluster=atorch-a100&model=qwen-3-30b-a3b&gpus=64&seq=4096&mbs=4&strategy=full-shard&recompute=full&ep=8\
             &pin=1&ep=64",
            "Qwen3 (arXiv 2505.09388), Table 2; expert parallelism after GShard (arXiv 2006.16668)",
        ),
    ),
    entry(
        "tune-70b-lora",
        "LoRA 70B on 4 A100",
        "207M of 70.8B parameters train, so that gradients and optimizer state are next to nothing: the frozen weights, shared by four GPUs, are \
         most of the memory. Training all weights (A) would lack 204 GiB on each.",
        "v=1&cluster=dgx-a100-80&model=llama-3.1-70b&gpus=4&seq=4096&mbs=1&strategy=full-shard&recompute=full\
         &framework=transformers&train=lora&rank=16&targets=all&pin=1&train=all",
        "LoRA (arXiv 2106.09685); Llama 3 (arXiv 2407.21783), Table 3",
    ),
    entry(
        "tune-70b-qlora",
        "QLoRA 70B on two 24 GB cards",
        "Weights in 4 bits, sharded over two RTX 4090: it fits, with nothing to spare. With the base in 16 bits (A) 49 GiB are missing on each.",
        "v=1&cluster=workstation-4x-4090&model=llama-2-70b&gpus=2&seq=512&mbs=1&strategy=full-shard&recompute=full\
         &framework=fsdp1&recipe=pure-bf16&train=lora&rank=64&targets=all&base=nf4dq&pin=1&base=bf16",
        "QLoRA (arXiv 2305.14314); Answer.AI, “You can now train a 70b language model at home”",
    ),
    entry(
        "tune-8b-conversations",
        "SFT 8B on 8 H100 from 100,000 conversations",
        "Three epochs of conversations of 1,024 tokens on average and 8,192 at most take an hour and a half packed. Padded to the longest of \
         each batch (A) they take six times as long: 82 % of what is computed is padding.",
        "v=1&cluster=dgx-h100&model=llama-3.1-8b&gpus=8&seq=8192&mbs=2&strategy=full-shard&recompute=full\
         &framework=transformers&texts=packed&meanlen=1024&samples=100k&epochs=3&pin=1&texts=padded",
        "Llama 3 (arXiv 2407.21783), Table 3; TRL's SFTTrainer, packing",
    ),
    entry(
        "tune-7b-grpo",
        "GRPO 7B on one node",
        "Training and generation share the GPUs in turn, as the engine sleeps while the policy is updated: more than half of each step is rollout. \
         An engine that stays awake (A) leaves training too little memory.",
        "v=1&cluster=dgx-h100&model=qwen-2.5-7b&gpus=8&seq=4096&mbs=4&accum=8&strategy=full-shard&recompute=full\
         &framework=transformers&objective=grpo&prompt=512&group=8&genmem=60&sleep=yes&pin=1&sleep=no",
        "GRPO (arXiv 2402.03300); vLLM's sleep mode",
    ),
];
