//! The trained parts of the model.

use super::{Group, Param, Unit, choice, count, option, position, switched, whole};
use crate::model::trained::{BaseFormat, Method, ProductsKeep, Targets};
use crate::scenario::Scenario;

fn with_adapters(scenario: &Scenario) -> bool {
    scenario.trained.has_adapters()
}

fn in_part(scenario: &Scenario) -> bool {
    !scenario.trained.is_all()
}

counted!(
    /// The rank.
    RANK, Trained, trained.rank, "rank", "LoRA rank", "lora_rank", 0.0..=4096.0,
    [when(with_adapters), relevant(in_part), window(0.0, 128.0)],
    "The rank r of the adapters. It hardly matters for memory: activations and the frozen model do."
);
picked!(
    /// The method.
    METHOD, Trained, trained.method, "train", "What is trained", "trained", [],
    "Which weights the run changes: all of them, some layers, or small adapters beside a frozen model.",
    Method::All => "all", "All weights", "Full training or fine-tuning.";
    Method::Lora => "lora", "LoRA", "Two low-rank matrices beside each chosen matrix train; the model is frozen.";
    Method::RsLora => "rslora", "rsLoRA", "LoRA whose scale falls with the square root of the rank: memory and time are LoRA's.";
    Method::Dora => "dora", "DoRA", "LoRA and a magnitude for each row of the chosen matrices: it computes their norms in every pass.";
    Method::Layers => "layers", "Some layers", "The first layers are frozen, as many as chosen; the rest are fully trained.";
);

picked!(
    /// The targets.
    TARGETS, Trained, trained.targets, "targets", "LoRA targets", "lora_targets", [when(with_adapters), relevant(in_part)],
    "The matrices with adapters (target_modules).",
    Targets::QueryValue => "qv", "Query and value", "q_proj and v_proj.";
    Targets::QueryKeyValue => "qkv", "Query, key, value", "q_proj, k_proj and v_proj, or the one matrix that a model fuses them in.";
    Targets::Attention => "attention", "Attention", "q_proj, k_proj, v_proj and o_proj.";
    Targets::Mlp => "mlp", "MLP", "gate_proj, up_proj and down_proj, those of experts too.";
    Targets::AllLinear => "all", "All linear", "Every matrix of the layers, routers apart (all-linear).";
);
switched!(
    /// Dropout before adapters.
    DROPOUT, Trained, trained.dropout, "loradrop", "LoRA dropout", "lora_dropout",
    [when(with_adapters), relevant(in_part)],
    "Whether dropout stands before the adapters (lora_dropout above 0): each then keeps a copy of its input and a mask."
);
switched!(
    /// Embedding and head.
    EMBEDDINGS, Trained, trained.embeddings, "trainemb", "Train embedding and head", "train_embeddings",
    [when(in_part), relevant(in_part)],
    "Whether the embedding and the output head train as a whole too (PEFT's modules_to_save keeps a second copy of both)."
);
counted!(
    /// Frozen layers.
    FROZEN_LAYERS, Trained, trained.frozen_layers, "frozen", "Frozen layers", "frozen_layers", 0.0..=2000.0,
    [when(in_part), relevant(in_part), window(0.0, 128.0)],
    "Layers from the first on that do not train: gradients end above them, and they keep no activations."
);
/// The base's formats, with the tensors that their kernels keep, in the order of the options.
const BASES: [(BaseFormat, ProductsKeep); 11] = [
    (BaseFormat::Fp32, ProductsKeep::Nothing),
    (BaseFormat::Bf16, ProductsKeep::Nothing),
    (BaseFormat::Fp8, ProductsKeep::Nothing),
    (BaseFormat::Int8, ProductsKeep::Nothing),
    (BaseFormat::Int4, ProductsKeep::Nothing),
    (BaseFormat::Nf4, ProductsKeep::Nothing),
    (BaseFormat::Nf4Double, ProductsKeep::Nothing),
    (BaseFormat::Mxfp4, ProductsKeep::Nothing),
    (BaseFormat::Int4, ProductsKeep::Matrices),
    (BaseFormat::Nf4, ProductsKeep::Inputs),
    (BaseFormat::Nf4Double, ProductsKeep::Inputs),
];
/// The base's format and the tensors that its products keep: one choice, as few formats have
/// several kernels.
pub(in crate::params) const BASE: Param = Param {
    key: "base",
    label: "Frozen weights in",
    csv: "base_format",
    group: Group::Trained,
    help: "The format in which the frozen matrices of the layers are stored; narrower ones are turned into 16 bits for each product.",
    kind: choice(
        &[
            option("fp32", "fp32", "4 bytes a weight."),
            option("bf16", "bf16", "2 bytes a weight."),
            option("fp8", "FP8", "1 byte a weight."),
            option("int8", "int8", "LLM.int8(): 1 byte a weight; its products keep their inputs."),
            option("int4", "GPTQ or AWQ, 4 bits", "4-bit integers in groups of 128: 0.52 bytes a weight."),
            option(
                "nf4",
                "NF4",
                "QLoRA's 4-bit NormalFloat: 0.56 bytes a weight. FSDP shards it from bitsandbytes 0.43 on, stored as 16-bit numbers (bnb_4bit_quant_storage).",
            ),
            option("nf4dq", "NF4, double quantization", "NF4 whose scales are quantized too: 0.52 bytes a weight."),
            option("mxfp4", "MXFP4", "4-bit floating point in blocks of 32: 0.53 bytes a weight."),
            option(
                "gptq",
                "GPTQ by PyTorch's operators",
                "AutoGPTQ without exllama or Triton: a slow way to 16 bits, and autograd keeps each matrix in them.",
            ),
            option(
                "bnb4",
                "NF4, bitsandbytes before 0.43.2",
                "Its products kept inputs that nothing read: more activations where layers are not recomputed.",
            ),
            option("bnb4d", "NF4, double quantization, bitsandbytes before 0.43.2", "The same with quantized scales."),
        ],
        |scenario| position(&BASES, &(scenario.trained.base, scenario.trained.products_keep)),
        |scenario, index| {
            if let Some(&(base, keep)) = BASES.get(index) {
                (scenario.trained.base, scenario.trained.products_keep) = (base, keep);
            }
        },
    ),
    ..Param::DEFAULT
}
.when(in_part)
.relevant(in_part);
