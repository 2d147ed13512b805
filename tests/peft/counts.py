"""Counts parameters with PEFT: the table counts.csv, which the engine's counts are tested against.

    pip install torch transformers peft
    python tests/peft/counts.py > tests/peft/counts.csv

Models are built on the meta device from their shapes, without weights.
"""

import csv
import sys

import peft
import torch
import transformers
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM
from transformers.models.auto.configuration_auto import CONFIG_MAPPING


def llama(layers, hidden, heads, kv, ffn, vocab, **more):
    return dict(
        model_type="llama", num_hidden_layers=layers, hidden_size=hidden, num_attention_heads=heads,
        num_key_value_heads=kv, intermediate_size=ffn, vocab_size=vocab, tie_word_embeddings=False, **more,
    )


# Shapes as in the models' config.json.
MODELS = {
    "llama-2-7b": llama(32, 4096, 32, 32, 11008, 32000),
    "llama-2-13b": llama(40, 5120, 40, 40, 13824, 32000),
    "llama-2-70b": llama(80, 8192, 64, 8, 28672, 32000),
    "llama-3.1-8b": llama(32, 4096, 32, 8, 14336, 128256),
    "llama-3.1-70b": llama(80, 8192, 64, 8, 28672, 128256),
    "llama-3.2-1b": llama(16, 2048, 32, 8, 8192, 128256) | {"tie_word_embeddings": True, "head_dim": 64},
    "mistral-7b": llama(32, 4096, 32, 8, 14336, 32000) | {"model_type": "mistral"},
    "qwen-2.5-7b": llama(28, 3584, 28, 4, 18944, 152064) | {"model_type": "qwen2"},
    "qwen-2.5-0.5b": llama(24, 896, 14, 2, 4864, 151936) | {"model_type": "qwen2", "tie_word_embeddings": True},
    "qwen-3-8b": llama(36, 4096, 32, 8, 12288, 151936) | {"model_type": "qwen3", "head_dim": 128},
    "qwen-3-0.6b": llama(28, 1024, 16, 8, 3072, 151936)
    | {"model_type": "qwen3", "head_dim": 128, "tie_word_embeddings": True},
    "gemma-2-9b": llama(42, 3584, 16, 8, 14336, 256000)
    | {"model_type": "gemma2", "head_dim": 256, "tie_word_embeddings": True},
    "phi-3-mini": llama(32, 3072, 32, 32, 8192, 32064) | {"model_type": "phi3", "pad_token_id": 0},
    "gpt-2-xl": dict(model_type="gpt2", n_layer=48, n_embd=1600, n_head=25, vocab_size=50257),
    "falcon-7b": dict(
        model_type="falcon", num_hidden_layers=32, hidden_size=4544, num_attention_heads=71, vocab_size=65024,
        multi_query=True, parallel_attn=True, bias=False, new_decoder_architecture=False,
    ),
    "opt-6.7b": dict(
        model_type="opt", num_hidden_layers=32, hidden_size=4096, num_attention_heads=32, ffn_dim=16384,
        vocab_size=50272, word_embed_proj_dim=4096,
    ),
    "bloom-7.1b": dict(model_type="bloom", n_layer=30, hidden_size=4096, n_head=32, vocab_size=250880),
    "pythia-6.9b": dict(
        model_type="gpt_neox", num_hidden_layers=32, hidden_size=4096, num_attention_heads=32,
        intermediate_size=16384, vocab_size=50432,
    ),
}

SEPARATE = {"qv": ["q_proj", "v_proj"], "qkv": ["q_proj", "k_proj", "v_proj"],
            "attention": ["q_proj", "k_proj", "v_proj", "o_proj"], "mlp": ["gate_proj", "up_proj", "down_proj"]}
PHI_3 = {"qkv": ["qkv_proj"], "attention": ["qkv_proj", "o_proj"], "mlp": ["gate_up_proj", "down_proj"]}
GPT_2 = {"qkv": ["c_attn"], "attention": ["attn.c_attn", "attn.c_proj"], "mlp": ["c_fc", "mlp.c_proj"]}
FUSED = {"qkv": ["query_key_value"], "attention": ["query_key_value", "dense"], "mlp": ["dense_h_to_4h", "dense_4h_to_h"]}
OPT = {"qv": ["q_proj", "v_proj"], "attention": ["q_proj", "k_proj", "v_proj", "out_proj"], "mlp": ["fc1", "fc2"]}
NAMES = {"phi3": PHI_3, "gpt2": GPT_2, "falcon": FUSED, "bloom": FUSED, "gpt_neox": FUSED, "opt": OPT}

# Model, targets, rank, DoRA, embedding and head trained too.
PAIRS = [
    ("llama-2-7b", "qv", 8, False, False),
    ("llama-2-7b", "all", 64, False, False),
    ("llama-2-7b", "all", 16, True, False),
    ("llama-2-7b", "attention", 8, False, True),
    ("llama-2-13b", "qv", 16, False, False),
    ("llama-2-70b", "attention", 16, False, False),
    ("llama-2-70b", "all", 8, False, False),
    ("llama-3.1-8b", "all", 16, False, False),
    ("llama-3.1-8b", "qkv", 32, False, False),
    ("llama-3.1-8b", "mlp", 8, False, False),
    ("llama-3.1-8b", "all", 16, False, True),
    ("llama-3.1-70b", "all", 16, False, False),
    ("llama-3.2-1b", "attention", 8, False, False),
    ("llama-3.2-1b", "all", 128, False, False),
    ("mistral-7b", "all", 16, False, False),
    ("mistral-7b", "qv", 64, True, False),
    ("qwen-2.5-7b", "all", 8, False, False),
    ("qwen-2.5-7b", "attention", 64, False, False),
    ("qwen-2.5-0.5b", "all", 16, False, False),
    ("qwen-3-8b", "all", 16, False, False),
    ("qwen-3-0.6b", "attention", 16, True, False),
    ("gemma-2-9b", "all", 16, False, False),
    ("gemma-2-9b", "qv", 4, False, False),
    ("phi-3-mini", "all", 16, False, False),
    ("phi-3-mini", "attention", 8, False, False),
    ("gpt-2-xl", "qkv", 8, False, False),
    ("gpt-2-xl", "all", 16, False, False),
    ("falcon-7b", "qkv", 16, False, False),
    ("falcon-7b", "all", 64, False, False),
    ("opt-6.7b", "qv", 16, False, False),
    ("opt-6.7b", "all", 8, False, False),
    ("bloom-7.1b", "qkv", 8, False, False),
    ("pythia-6.9b", "all", 16, False, False),
]


def main():
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["model", "targets", "rank", "dora", "embeddings", "trainable", "total", "versions"])
    versions = f"peft {peft.__version__}, transformers {transformers.__version__}"
    for name, targets, rank, dora, embeddings in PAIRS:
        shape = dict(MODELS[name])
        kind = shape.pop("model_type")
        with torch.device("meta"):
            model = AutoModelForCausalLM.from_config(CONFIG_MAPPING[kind](**shape))
            names = "all-linear" if targets == "all" else NAMES.get(kind, SEPARATE)[targets]
            save = ["embed_tokens", "lm_head"] if embeddings else None
            config = LoraConfig(r=rank, target_modules=names, use_dora=dora, modules_to_save=save, task_type="CAUSAL_LM")
            trainable, total = get_peft_model(model, config).get_nb_trainable_parameters()
        row = [name, targets, rank, int(dora), int(embeddings), trainable, total, versions]
        out.writerow(row)
        sys.stdout.flush()


main()
