//! Vocabulary of the field: patterns, topics and meanings.
//!
//! A pattern is a sequence of words separated by spaces. `a/b` matches either word, `word?` is
//! optional, and `|` separates patterns with one meaning. A slot matches a value: `{n}` a count,
//! `{kn}` a count in thousands of 1,024, `{len}` a length, `{klen}` a length without further words,
//! `{many}` a million or more, `{trill}` trillions, `{size}` billions, `{gb}` memory, `{rate}` the
//! rate of a network, `{amount}` any number, `{dollars}` a budget, `{model}`, `{gpu}`, `{node}`,
//! `{program}` entries of the catalog.
//!
//! A meaning is a list of pairs in the notation of links, in which `*`, `**` and `***` stand for
//! the first, second and third slot. Keys and options are those of the table of parameters. Further
//! keys are planning questions (`ask.…`), values that are resolved later (`hw`, `card`, `pernode`,
//! `batchtokens`, …) and unsupported values (`refuse`).

use crate::Kind;
use crate::Kind::{
    Batch, Count, Filler, Framework, Gpu, Kernel, Layout, Length, Method, Model, Precision, Price, Question, Tokens,
};

/// A row: patterns, topic, meaning.
pub(crate) type Row = (&'static str, Kind, &'static str);

/// All rows; among equally long matches the first applies.
pub(crate) const ROWS: &[Row] = &[
    // Models.
    ("{model}", Model, "model=*"),
    ("{size}|{size} parameters/params/param/model|{many} parameters/params/param/model", Model, "size=*"),
    // GPUs: counts before and after names.
    ("{n} x/×/* {gpu}|{n} of? {gpu}|{n} pieces/units of {gpu}", Gpu, "gpus=*&hw=**"),
    ("{n} x/×/* {gb} {gpu}|{n} {gb} {gpu}", Gpu, "gpus=*&card=**&hw=***"),
    ("{gpu} x/×/* {n}|{gpu} ( x/×/* {n} )", Gpu, "hw=*&gpus=**"),
    (
        "{n} nodes/node/machines/machine/servers/server/hosts/knoten of/with/x/à/a/mit {n} x? {gpu} each?",
        Gpu,
        "nodes=*&pernode=**&hw=***",
    ),
    ("{n} x/×/* {n} x/×/*? {gpu}", Gpu, "nodes=*&pernode=**&hw=***"),
    (
        "{n} nodes/node/machines/machine/servers/server/hosts of/with/x/mit {n} gpus/gpu each?",
        Count,
        "nodes=*&pernode=**",
    ),
    ("{n} nodes/node/machines/servers of {gpu}|{n} {gpu} nodes/node/servers/machines", Gpu, "nodes=*&hw=**"),
    ("{n} x/×/* {node}|{n} {node} nodes/node/instances/instance?|{n} nodes of {node}", Gpu, "nodes=*&cluster=**"),
    ("{node} x/×/* {n}", Gpu, "cluster=*&nodes=**"),
    ("{node}|{node} node/cluster/instance/machine", Gpu, "cluster=*"),
    ("a/an/one/single/my/ein/eine/einer/une/un/1 {gpu} gpu/card?|a/one single {gpu} gpu/card?", Gpu, "gpus=1&hw=*"),
    ("{gpu}|{gpu} gpus/gpu/cards/card", Gpu, "hw=*"),
    ("tpu? v4 {n}", Gpu, "hw=tpu-v4&cores=*"),
    ("tpu? v5p {n}", Gpu, "hw=tpu-v5p&cores=*"),
    ("tpu? v5e {n}", Gpu, "hw=tpu-v5e&gpus=*"),
    ("tpu? v6e {n}", Gpu, "hw=tpu-v6e&gpus=*"),
    ("{gpu} {n} chips/chip", Gpu, "hw=*&gpus=**"),
    ("{n} gpus/gpu/cards/card/accelerators/accelerator/chips/devices/gpu's/grafikkarten/cartes", Count, "gpus=*"),
    ("{n} x/×/* gpus/gpu/cards/card", Count, "gpus=*"),
    ("{kn} gpus/gpu", Count, "gpus=*"),
    ("{kn} {gpu}", Gpu, "gpus=*&hw=**"),
    ("one/single gpu/card/device|on a single gpu/card|a single gpu/card", Count, "gpus=1"),
    ("{n} nodes/node/machines/servers/knoten|nodes/nnodes {n}", Count, "nodes=*"),
    ("{n} gpus/gpu per/a/je node|{n} gpus/gpu on each node", Count, "pernode=*"),
    ("world size {n}|gpus/ngpus {n}|num gpus {n}", Count, "gpus=*"),
    // Memory.
    (
        "{n} x/×/* {gb} gpus/gpu/cards/card?|{n} {gb} gpus/gpu/cards/card|{n} gpus/gpu/cards with/of {gb} vram/memory/each?",
        Gpu,
        "gpus=*&card=**",
    ),
    ("a/one/single/my {gb} card/gpu/graphics", Gpu, "gpus=1&card=*"),
    (
        "{gb} of? vram|{gb} of? gpu? memory/speicher|{gb} cards/card/gpus/gpu/class|{gb}|vram {gb}|with {gb}",
        Gpu,
        "card=*",
    ),
    ("{gb} of? cpu/system/host memory/ram|{gb} of? ram", Gpu, "hostmem=*"),
    // Networks.
    (
        "infiniband/ib/ethernet/roce/network/interconnect/link/links? {rate} ethernet/infiniband/ib/network/interconnect/link/links/roce/fabric/between? nodes?",
        Gpu,
        "link=*",
    ),
    ("ib/infiniband? hdr", Gpu, "link=200"),
    ("ib/infiniband? ndr", Gpu, "link=400"),
    ("ib/infiniband? edr", Gpu, "link=100"),
    ("ib/infiniband? xdr", Gpu, "link=800"),
    // Lengths.
    (
        "{len} context/ctx/seq/sequence/sequences/seqlen/kontext/contexte length/len/window/länge? tokens?",
        Length,
        "seq=*",
    ),
    (
        "{len} tokens/token/tok/токенов context/ctx/sequence/sequences/seq/length/long/kontext? length/window?",
        Length,
        "seq=*",
    ),
    (
        "context/ctx/seq/sequence/seqlen/kontext/sequences/contexte length/len/window/lengths/longueur? of/is/at? {len} tokens/token?",
        Length,
        "seq=*",
    ),
    (
        "max? seq/sequence length/len {len} tokens/token?|cutoff len/length? {len}|max length {len}|at {len} tokens",
        Length,
        "seq=*",
    ),
    ("{klen}|{klen} long", Length, "seq=*"),
    // Batches.
    ("micro/microbatch/mbs batch/batches? size? of? {n}|mbs {n}|{n} micro batch size?", Batch, "mbs=*"),
    (
        "per device/gpu train? batch size? of? {n}|batch size? of? {n} per gpu/device|bs {n} per gpu/device|local batch size? {n}|{n} per gpu/device|{n} sequences per gpu",
        Batch,
        "mbs=*",
    ),
    ("bs/batch/batchsize size? of? {n}|batch size? is {n}|{n} batch size?", Batch, "batchword=*"),
    (
        "gradient/grad accumulation/accum/acc steps? of? {n}|ga/accum {n}|accumulation steps? {n}|accumulate {n}|{n} micro batches|{n} microbatches|{n} gradient/grad accumulation steps?",
        Batch,
        "accum=*",
    ),
    (
        "global/total/effective batch/bs size? of? {n}|gbs {n}|{n} global batch size?|batch size? of? {n} globally/total",
        Batch,
        "batch=*",
    ),
    ("global/total/effective batch/bs size? of? {n} sequences/samples", Batch, "batch=*"),
    (
        "global/total/effective? batch size? of? {many} tokens?|gbs/bs {many} tokens?|{many} tokens? batch size?|{many} tokens per/a/each step/batch|{many} tokens global batch",
        Batch,
        "batchtokens=*",
    ),
    // The whole run.
    (
        "{many} tokens/token/tok/toks/токенов|train/trained/training/pretrain/pretraining on/for/over/with {many} tokens?|tokens {many}|{many} training tokens",
        Tokens,
        "tokens=*",
    ),
    ("{trill}", Tokens, "tokens=*"),
    ("{amount} samples/examples/conversations/documents/rows/instances/beispiele", Tokens, "samples=*"),
    ("{amount} samples/examples/conversations/rows x/×/* {n} epochs/epoch?", Tokens, "samples=*&epochs=**"),
    ("{n} epochs/epoch/epochen/ep|epochs {n}", Tokens, "epochs=*"),
    // Methods.
    ("qlora", Method, "train=lora&base=nf4"),
    ("r {n}|rank {n}|lora_r {n}", Method, "rank=*"),
    ("qlora rank/r {n}", Method, "train=lora&base=nf4&rank=*"),
    ("lora rank/r {n}", Method, "train=lora&rank=*"),
    ("dora rank/r {n}", Method, "train=dora&rank=*"),
    ("all linear layers/targets/modules?|target all linear", Method, "targets=all"),
    (
        "full/fully fine tune/tuning/tuned/tunes|full/fully finetune/finetuning/finetuned/ft/fft/sft/parameter/parameters/weights/training tuning/finetuning/finetune?|fft|all/every parameters/weights/weight|full parameter fine tuning",
        Method,
        "train=all",
    ),
    ("full/fully lora", Method, "train=lora"),
    ("sft|supervised fine tuning/tune|supervised finetuning|instruction tuning/tune", Method, "objective=lm"),
    (
        "pretrain/pretraining/pre? training? from scratch|pretrain/pretraining|pre training/train|from scratch|continued/continual pretraining/pretrain|continued pre training|cpt|midtraining",
        Method,
        "objective=lm",
    ),
    ("reward model/modelling/modeling", Method, "objective=reward"),
    ("{n} generations/completions/rollouts per? prompt?|group size {n}", Method, "group=*"),
    ("frozen/freeze base|adapters/adapter", Method, "train=lora"),
    ("peft", Framework, ""),
    // Optimizers.
    (
        "adam/adamw 8 bit|8 bit adam/adamw optimizer/optimiser?|8 bit optimizer/optimiser|bnb adam/adamw|adam/adamw8bit",
        Method,
        "optimizer=adamw-8bit",
    ),
    ("paged adam/adamw 8 bit|paged 8 bit adam/adamw", Method, "optimizer=adamw-8bit&paged=yes"),
    ("paged adam/adamw 32 bit|paged adam/adamw", Method, "optimizer=adamw&paged=yes"),
    ("adam/adamw optimizer/optimiser?|adamw torch", Method, "optimizer=adamw"),
    ("adam/adamw 4 bit|4 bit adam/adamw", Method, "optimizer=adamw-4bit"),
    ("adam/adamw in bf16|bf16 adam/adamw|16 bit adam/adamw|bf16 moments", Method, "optimizer=adamw-16bit"),
    ("sgd with momentum", Method, "optimizer=sgd-momentum"),
    // Precision.
    ("pure bf16|bf16 params/parameters/weights|bf16 true|full bf16", Precision, "recipe=pure-bf16"),
    ("bf16/bfloat16/bfloat mixed? precision?|mixed precision|amp bf16|bf16 amp|amp", Precision, "sixteen=bf16"),
    ("fp16/float16/half precision?|16 bit", Precision, "sixteen=fp16"),
    ("fp32/float32/f32 params/parameters/weights/training/precision?|full precision|32 bit", Precision, "recipe=fp32"),
    ("fp8/float8/mxfp8 training/matmuls/compute/precision?|8 bit floats", Precision, "compute=fp8"),
    ("fp4/nvfp4 training?", Precision, "compute=fp4"),
    ("4 bit base/weights/quantized/quantised/quantization/model?|in 4 bits|load in 4 bit", Precision, "quantized=nf4"),
    ("nf4", Precision, "quantized=nf4"),
    ("double quantization/quant/quantisation|nf4 double quant", Precision, "quantized=nf4dq"),
    ("8 bit base/weights/quantized/quantised/model?|int8|load in 8 bit", Precision, "quantized=int8"),
    ("gptq|awq|int4", Precision, "quantized=int4"),
    ("fp8 base", Precision, "quantized=fp8"),
    // Kernels.
    ("flash attention/attn 3/4|fa 3/4|flashattention 3/4", Kernel, "attnkernel=flash-tuned"),
    ("flash attention/attn 2?|fa 2|flashattention 2?|with? flash|sdpa", Kernel, "attnkernel=flash"),
    ("flash attention/attn 1|fa 1", Kernel, "attnkernel=flash-1"),
    (
        "eager attention?|unfused attention|no flash attention/attn?|not flash|without flash attention?",
        Kernel,
        "attnkernel=unfused",
    ),
    ("torch? compile/compiled", Kernel, "compile=yes"),
    ("no torch? compile|without torch? compile|eager mode", Kernel, "compile=no"),
    ("liger kernels/kernel?", Kernel, "loss=fused-linear&normkernel=fused"),
    ("cut cross entropy|cce|fused linear cross? entropy? loss?", Kernel, "loss=fused-linear"),
    ("chunked loss/cross entropy?", Kernel, "loss=chunked"),
    ("cuda graphs/graph", Kernel, "graphs=layers"),
    ("expandable segments", Kernel, "segments=expandable"),
    // Recomputation.
    (
        "gradient/activation/grad/act checkpointing/checkpoints/checkpoint/ckpt/recomputation/recompute on?|full? activation? recomputation/recompute|full ac|with? ac|full gradient/activation checkpointing/checkpoint/recompute|full recompute",
        Layout,
        "recompute=full",
    ),
    (
        "no gradient/activation/grad/act checkpointing/checkpoints/checkpoint/ckpt/recomputation/recompute|no ac/checkpointing/recompute/recomputation|not/without/never use? using? gradient/activation/grad? checkpointing/recomputation|without gradient/activation? checkpointing/recompute/recomputation/ac|ac off|gradient/activation checkpointing off",
        Layout,
        "recompute=none",
    ),
    (
        "selective activation? ac/recompute/recomputation/checkpointing?|selective gradient? checkpointing",
        Layout,
        "recompute=selective",
    ),
    // Offloading.
    (
        "cpu offload/offloading optimizer?|offload/offloading/offloaded to? cpu/host/ram?|params/parameters/param +/and/& optimizer/optimizers cpu? offload/offloading|optimizer/optimizers +/and/& params/parameters/param cpu? offload/offloading",
        Layout,
        "offloadopt=yes&offloadparams=yes",
    ),
    (
        "offload optimizer/optimiser states/state? to? cpu/host?|optimizer/optimiser offload to? cpu?|cpu adam|zero offload|optimizer cpu offload",
        Layout,
        "offloadopt=yes",
    ),
    ("activation/activations offload/offloading|offload activations", Layout, "offloadact=yes"),
    ("nvme offload/offloading|offload to nvme|zero infinity", Layout, "offloadopt=yes&offloadparams=yes&nvme=all"),
    // Strategies in addition to those of the table.
    (
        "zero stage? 3|deepspeed stage 3|ds z3|z3|stage 3|full shard|fully sharded|sharded over? all?",
        Layout,
        "strategy=full-shard",
    ),
    ("zero stage? 2|deepspeed stage 2|z2|stage 2", Layout, "strategy=zero2"),
    ("zero stage? 1|deepspeed stage 1|z1|stage 1|distributed optimizer", Layout, "strategy=zero1"),
    ("hybrid shard/sharding|hsdp", Layout, "strategy=hybrid-shard"),
    ("shard/sharded/sharding inside/within/in each/the/a? node/nodes", Layout, "strategy=hybrid-shard"),
    ("shard grad op", Layout, "strategy=shard-grad-op"),
    ("data parallel/parallelism|ddp|no sharding", Layout, "strategy=ddp"),
    // Degrees.
    (
        "tp size/degree/of? {n}|{n} way tensor parallel/parallelism?|{n} way tp|tensor parallel/parallelism size/degree/of? {n}|tensor model parallel size? {n}",
        Layout,
        "tp=*",
    ),
    (
        "pp size/degree/of? {n}|{n} way pipeline parallel/parallelism?|{n} way pp|pipeline parallel/parallelism size/degree/of? {n}|{n} pipeline? stages",
        Layout,
        "pp=*",
    ),
    (
        "cp size/degree/of? {n}|{n} way context parallel/parallelism?|{n} way cp|context parallel/parallelism size/degree/of? {n}",
        Layout,
        "cp=*",
    ),
    (
        "ep size/degree/of? {n}|{n} way expert parallel/parallelism?|{n} way ep|expert parallel/parallelism size/degree/of? {n}",
        Layout,
        "ep=*",
    ),
    ("etp {n}", Layout, "etp=*"),
    ("vpp {n}|virtual pipeline/stages {n}|{n} virtual stages", Layout, "schedule=interleaved&vpp=*"),
    ("ulysses {n}|sequence parallel size {n}", Layout, "cp=*&cpcomm=alltoall"),
    ("sequence parallel/parallelism", Layout, "sp=yes"),
    ("interleaved 1f1b?", Layout, "schedule=interleaved"),
    // Data.
    ("packed|packing|sequence packing|padding free", Length, "texts=packed"),
    ("padded|padding", Length, "texts=padded"),
    // Programs.
    ("{program}", Framework, "release=*"),
    ("megatron lm/core?|mcore", Framework, "release=megatron-lm"),
    ("megatron fsdp", Framework, "framework=megatron-fsdp"),
    ("hf/huggingface trainer/accelerate?|hugging face trainer?|transformers", Framework, "framework=transformers"),
    ("jax", Framework, "framework=maxtext"),
    ("pytorch|torch", Framework, ""),
    ("fsdp 2", Layout, "strategy=full-shard"),
    ("fsdp 1", Layout, "strategy=full-shard&framework=fsdp1"),
    // Programs whose releases are not distinguished.
    ("verl|ms swift|swift|fastchat|open instruct", Framework, "framework=transformers"),
    ("openrlhf|deepspeed chat", Framework, "framework=deepspeed"),
    ("megatron swift|nemo rl|nemo megatron", Framework, "framework=megatron"),
    // Prices.
    (
        "$ {amount} per/a/an/the/each/pro / ? gpu/card/chip? hour/h/hr/stunde|$ {amount} / gpu? / ? hour/h/hr/gpuh|$ {amount} / hour/h/hr per? gpu?",
        Price,
        "price=*",
    ),
    (
        "{amount} $/dollars/dollar/usd/cents per/a/an gpu? hour/h/hr|{amount} dollars/usd/$ / gpu? h/hour/hr",
        Price,
        "price=*",
    ),
    // Planning questions.
    (
        "$ {amount}|budget/budgets of/is? $? {amount} dollars/usd/$?|{amount} dollars/dollar/usd/bucks/$ budget?|for/under/below/within $ {amount}|$ {amount} budget|for/under/below/within $? {amount} dollars/usd",
        Question,
        "ask.budget=*",
    ),
    (
        "in/within/by/under/finish/done? {amount} days/day/tage/tag/tagen/jours/jour/días/дней|{amount} day deadline/run",
        Question,
        "ask.days=*",
    ),
    ("in/within/by/under? {amount} weeks/week/wochen/woche/semaines/semaine/semanas", Question, "ask.weeks=*"),
    ("in/within/by/under? {amount} months/month/monate/monat/monaten/mois", Question, "ask.months=*"),
    ("in/within/under? {amount} hours/hour/hrs/stunden", Question, "ask.hours=*"),
    ("a/one week", Question, "ask.weeks=1"),
    ("a/one month", Question, "ask.months=1"),
    ("a/one day", Question, "ask.days=1"),
    (
        "cheapest/cheaply/günstigste/billigste/cheap way/hardware/run/option/cluster/gpus/gpu?|lowest/least cost/expensive|minimal/minimum cost|what would/will/does it? cost",
        Question,
        "ask.question=cheapest",
    ),
    ("fastest way/hardware/run/option/cluster?|as fast as possible|quickest", Question, "ask.question=fastest"),
    (
        "fewest/minimum/smallest/minimal number? of? gpus/gpu/cards/hardware|how many gpus/gpu/cards/gpu's/h100s/a100s|least gpus|minimum number of gpus|wie viele gpus|combien de gpus/gpu|smallest cluster",
        Question,
        "ask.question=fewest",
    ),
    (
        "longest/max/maximum/largest/biggest possible? context/sequence/sequences/seq/ctx length/len/window?|how long a? context/sequence/sequences|how much context|how long can the? context/sequences/sequence be?",
        Question,
        "ask.question=context",
    ),
    (
        "largest/biggest/max/maximum possible? model size?|how big/large a? model|what size model|which model size",
        Question,
        "ask.question=model",
    ),
    (
        "largest/biggest/max/maximum possible? batch/bs/batchsize size?|how big/large a? batch",
        Question,
        "ask.question=batch",
    ),
    (
        "best/optimal/fastest/good layout/parallelism/config/configuration/settings/setup/strategy|which parallelism/layout",
        Question,
        "ask.layout=best",
    ),
    ("prompt/prompts length? of? {n} tokens?", Method, "prompt=*"),
    ("{n} of them/those/these", Count, "gpus=*"),
    // Fillers of several words.
    ("lr/learning rate? of? {amount}|lr/learning rate? of? {amount} e {n}|warmup {n} steps?|alpha {n}", Filler, ""),
    ("fine tune/tuning/tuned|fine - tune/tuning/tuned|post training|out of memory|oom 'd", Filler, ""),
    // Unsupported values.
    (
        "€ {amount}|{amount} €/eur/euro/euros|budget of? € {amount}|£ {amount}|{amount} gbp/pounds/£|¥ {amount}|{amount} yuan/rmb/yen/¥/rub",
        Price,
        "refuse=currency",
    ),
];

/// Filler words: politeness, grammar, and words common to most questions.
pub(crate) const FILLERS: &str = "\
    puis je entraîner avec am dem den einem einer im zum con en para puedo entrenar lange dauert bei ist dann sind habe haben combien temps quel quelle sous \
    a about above across actually add again ai all allowed also an and any are around as at attention auf \
    base batch be been being below between bitte bring but by bytes can card cards change chat checkpoint \
    checkpoints cloud cluster comfortably config configuration context could cuda currently dans das data \
    dataset day days de der des die do does doing dollars each ein eine einen en enough est estimate et \
    every faire fast fine fine-tune fine-tuned fine-tuning finetune finetuned finetuning fit fits fitting \
    for framework from ft fully für geforce get given go goes going google gpu gpu's gpus hardware have \
    having hello help hey hf hi hour hours how i i'd i'm ich if in inside instead instruct into is it it's \
    its j'ai je just kann kernel kernels know l'a la language large le length les let let's lets library \
    like llm llms long loss machine machines made make many max maximum me mein memory meta mfu mit model \
    modell models modèle month months most much my myself need needed needs network node nodes now nvidia o \
    oder of off ok okay on only oom optimiser optimizer or our out over parallel param parameter parameters \
    params passe passt per please pls possible pour precision pretrained pro problem question rate rather \
    required rtx run running runs say seconds seq sequence sequences set setup should show single size so \
    some speed step still strategy style sur switch take takes tell than thank thanks that the their them \
    then there these they think this throughput time to today together token tokens too train trained \
    trainiere trainieren training try trying tune tuned tuning und une up us use used using usual very via \
    von vram want wants was way we week weeks weight weights what what's when which while wie will with \
    within wollen work works would x y you your yours zu";
