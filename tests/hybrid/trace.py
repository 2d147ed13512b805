"""Memory of training steps of models with state mixers: Hugging Face's own code on fake tensors, every storage followed.

    python trace.py TOOLS OUT.csv [FILTER]           # the rows of tests/measured/hybrid_memory.csv
    python trace.py TOOLS --detail ROW               # what is alive at the peak, by operator and shape

TOOLS is the folder of memtrace.py and allocsim.py.  Without the packages mamba-ssm, causal-conv1d and
flash-linear-attention the library runs its own code in PyTorch ("eager" in the column `state_kernel`).
"""
import os, sys
sys.path[:0] = [sys.argv[1], os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "traced")]
import torch, transformers
import allocsim
import step as of

MEASURED = ["params", "peak_allocated_bytes", "peak_param", "peak_grad", "peak_optimizer", "peak_activation", "peak_logits",
            "peak_unsharded_param", "peak_unsharded_grad", "peak_comm", "peak_temp", "peak_optimizer_temp", "peak_buffer",
            "peak_input", "moment", "moment_op", "simulated_reserved", "simulated_reserved_expandable"]
SHAPE = ["pattern", "layers", "hidden", "ffn", "heads", "kv_heads", "head_dim", "vocab", "tied_embeddings", "mixer", "mixer_heads",
         "mixer_head_dim", "mixer_key_heads", "mixer_key_dim", "conv_kernel", "mixer_rank", "chunk", "experts", "top_k", "moe_ffn",
         "shared_ffn", "window", "kv_lora_rank", "qk_rope_head_dim", "v_head_dim", "gated_attention", "qk_norm", "mlp_gated"]
RUN = ["seq", "micro_batch", "gpus", "activation_checkpointing", "param_storage", "compute", "reduce_dtype", "optimizer", "attention",
       "state_kernel"]
COLUMNS = ["row_id", "source_code", "version", "model"] + SHAPE + RUN + MEASURED

# A layer below: its mixer (a attention, w attention in a window, r state, b both, - none) and what follows (d MLP, e experts, - nothing).


def shape_of(name, c):
    """The row's columns of a configuration."""
    g = lambda n, d=0: getattr(c, n, d) or d
    s = dict(hidden=c.hidden_size, ffn=g("intermediate_size"), heads=c.num_attention_heads, kv_heads=c.num_key_value_heads,
             head_dim=g("head_dim") or c.hidden_size // c.num_attention_heads, vocab=c.vocab_size,
             tied_embeddings=int(c.tie_word_embeddings), mlp_gated=1, layers=c.num_hidden_layers)
    kinds = list(getattr(c, "layer_types", None) or [])
    n = c.num_hidden_layers
    if name in ("qwen3_next", "qwen3_5"):
        s.update(mixer="gated-delta", mixer_heads=c.linear_num_value_heads, mixer_head_dim=c.linear_value_head_dim,
                 mixer_key_heads=c.linear_num_key_heads, mixer_key_dim=c.linear_key_head_dim, conv_kernel=c.linear_conv_kernel_dim,
                 chunk=64, gated_attention=1, qk_norm=1)
        moe = name == "qwen3_next"
        if moe:
            s.update(experts=c.num_experts, top_k=c.num_experts_per_tok, moe_ffn=c.moe_intermediate_size,
                     shared_ffn=c.shared_expert_intermediate_size, ffn=0)
        pat = ["ar"[k == "linear_attention"] + "de"[moe] for k in kinds]
    elif name == "kimi_linear":
        s.update(mixer="kimi-delta", mixer_heads=c.linear_num_heads, mixer_head_dim=c.linear_head_dim, mixer_key_heads=c.linear_num_heads,
                 mixer_key_dim=c.linear_head_dim, conv_kernel=c.linear_conv_kernel_dim, mixer_rank=c.linear_head_dim, chunk=64,
                 experts=c.num_experts, top_k=c.num_experts_per_token, moe_ffn=c.moe_intermediate_size,
                 shared_ffn=c.moe_intermediate_size * c.num_shared_experts, kv_lora_rank=c.kv_lora_rank,
                 qk_rope_head_dim=c.qk_rope_head_dim, v_head_dim=c.v_head_dim, head_dim=c.qk_nope_head_dim)
        mlps = c.mlp_layer_types
        pat = ["ar"[k == "linear_attention"] + "de"[m == "sparse"] for k, m in zip(kinds, mlps)]
    elif name == "nemotron_h":
        blocks = c.layers_block_type if hasattr(c, "layers_block_type") else kinds
        code = dict(linear_attention="r-", mamba="r-", moe="-e", full_attention="a-", attention="a-", mlp="-d")
        pat = [code[k] for k in blocks]
        s.update(mixer="mamba2", mixer_heads=c.mamba_num_heads, mixer_head_dim=c.mamba_head_dim, mixer_key_heads=c.n_groups,
                 mixer_key_dim=c.ssm_state_size, conv_kernel=c.conv_kernel, chunk=c.chunk_size, mlp_gated=0, layers=len(pat))
        if "-e" in pat:
            s.update(experts=c.n_routed_experts, top_k=c.num_experts_per_tok, moe_ffn=c.moe_intermediate_size,
                     shared_ffn=c.moe_shared_expert_intermediate_size)
    elif name in ("bamba", "granitemoehybrid", "falcon_h1"):
        inner = c.mamba_d_ssm if name == "falcon_h1" and c.mamba_d_ssm else c.mamba_expand * c.hidden_size
        s.update(mixer="mamba2", mixer_heads=c.mamba_n_heads, mixer_head_dim=inner // c.mamba_n_heads, mixer_key_heads=c.mamba_n_groups,
                 mixer_key_dim=c.mamba_d_state, conv_kernel=c.mamba_d_conv, chunk=c.mamba_chunk_size)
        if name == "falcon_h1":
            pat = ["bd"] * n
        else:
            moe = name == "granitemoehybrid" and c.num_local_experts > 0
            if name == "granitemoehybrid":
                s.update(ffn=c.shared_intermediate_size)
            if moe:
                s.update(experts=c.num_local_experts, top_k=c.num_experts_per_tok, moe_ffn=c.intermediate_size,
                         shared_ffn=c.shared_intermediate_size, ffn=0)
            pat = ["ar"[k != "full_attention" and k != "attention"] + "de"[moe] for k in kinds]
    elif name == "jamba":
        pat = []
        for k in range(n):
            a = k % c.attn_layer_period == c.attn_layer_offset
            e = c.num_experts > 1 and k % c.expert_layer_period == c.expert_layer_offset
            pat.append("ra"[a] + "de"[e])
        s.update(mixer="mamba", mixer_heads=1, mixer_head_dim=c.mamba_expand * c.hidden_size, mixer_key_heads=1,
                 mixer_key_dim=c.mamba_d_state, conv_kernel=c.mamba_d_conv, mixer_rank=c.mamba_dt_rank)
        if c.num_experts > 1:
            s.update(experts=c.num_experts, top_k=c.num_experts_per_tok, moe_ffn=c.intermediate_size)
    elif name == "minimax":
        s.update(mixer="lightning", mixer_heads=c.num_attention_heads, mixer_head_dim=s["head_dim"], mixer_key_heads=c.num_attention_heads,
                 mixer_key_dim=s["head_dim"], chunk=c.block_size, experts=c.num_local_experts, top_k=c.num_experts_per_tok,
                 moe_ffn=c.intermediate_size, ffn=0)
        pat = ["ar"[k == "linear_attention"] + "e" for k in kinds]
    elif name == "recurrent_gemma":
        w = c.lru_width
        s.update(mixer="rg-lru", mixer_heads=c.num_attention_heads, mixer_head_dim=w // c.num_attention_heads, conv_kernel=c.conv1d_width,
                 ffn=c.intermediate_size // 2, window=c.attention_window_size)
        pat = ["wr"[c.layers_block_type[k] in ("recurrent", LIN)] + "d" for k in range(n)]
    elif name == "lfm2":
        f = c.intermediate_size
        if c.block_auto_adjust_ff_dim:
            f = int(2 * f / 3)
            f = c.block_multiple_of * -(-int(c.block_ffn_dim_multiplier * f) // c.block_multiple_of)
        s.update(mixer="short-conv", mixer_heads=1, mixer_head_dim=c.hidden_size, conv_kernel=c.conv_L_cache, ffn=f, qk_norm=1)
        pat = ["ar"[k == "conv"] + "d" for k in kinds]
    s["pattern"] = ".".join(p.replace("r", "s").replace("-", "") for p in pat)
    return s


def spread(c, kinds):
    """Sets the kinds of layers."""
    c.num_hidden_layers = len(kinds)
    c.layer_types = kinds


LIN, FULL = "linear_attention", "full_attention"
CLASSES = dict(qwen3_next="Qwen3Next", qwen3_5="Qwen3_5Text", kimi_linear="KimiLinear", nemotron_h="NemotronH", bamba="Bamba",
               granitemoehybrid="GraniteMoeHybrid", falcon_h1="FalconH1", jamba="Jamba", minimax="MiniMax",
               recurrent_gemma="RecurrentGemma", lfm2="Lfm2")


def R(model, seq, mb, gpus, ckpt, **config):
    return dict(model=model, seq=seq, mb=mb, gpus=gpus, ckpt=ckpt, config=config)


M2 = [LIN, LIN, FULL]
ROWS = [
    R("qwen3_next", 4096, 1, 64, "none", layer_types=[LIN, LIN, LIN, FULL]),
    R("qwen3_next", 2048, 1, 8, "full", layer_types=[LIN, LIN, LIN, FULL]),
    R("qwen3_next", 8192, 1, 128, "full", layer_types=[LIN, LIN, LIN, FULL]),
    R("qwen3_next", 4096, 2, 1, "full", layer_types=[LIN, FULL], num_experts=64),
    R("qwen3_5", 4096, 1, 8, "none", layer_types=[LIN, LIN, LIN, FULL]),
    R("qwen3_5", 2048, 2, 1, "full", layer_types=[LIN, LIN, LIN, FULL]),
    R("qwen3_5", 2048, 2, 8, "full", layer_types=[LIN, LIN, LIN, FULL], vocab_size=32000),
    R("qwen3_5", 3072, 1, 32, "full", layer_types=[LIN, LIN, LIN, FULL], hidden_size=5120, intermediate_size=17408,
      num_attention_heads=24, linear_num_value_heads=48),
    R("nemotron_h", 4096, 1, 8, "none", layers_block_type=[LIN, "mlp", LIN, "mlp", FULL, "mlp"]),
    R("nemotron_h", 8192, 1, 64, "full", layers_block_type=[LIN, "mlp", LIN, "mlp", FULL, "mlp"]),
    R("nemotron_h", 4096, 1, 16, "full", layers_block_type=[LIN, "moe", LIN, "moe", FULL, "moe"], hidden_size=2688, mamba_num_heads=64,
      n_routed_experts=128, num_experts_per_tok=6, moe_intermediate_size=1856, moe_shared_expert_intermediate_size=3712,
      num_key_value_heads=2, intermediate_size=1856),
    R("nemotron_h", 2048, 2, 8, "none", layers_block_type=[LIN, "moe", LIN, "moe", FULL, "moe"], hidden_size=2688, mamba_num_heads=64,
      n_routed_experts=128, num_experts_per_tok=6, moe_intermediate_size=1856, moe_shared_expert_intermediate_size=3712,
      num_key_value_heads=2, intermediate_size=1856),
    R("bamba", 4096, 1, 8, "none", num_hidden_layers=3, attn_layer_indices=[2]),
    R("bamba", 4096, 1, 64, "full", num_hidden_layers=3, attn_layer_indices=[2]),
    R("bamba", 2048, 4, 1, "full", num_hidden_layers=3, attn_layer_indices=[2]),
    R("granitemoehybrid", 4096, 1, 8, "none", layer_types=M2, hidden_size=1536, num_attention_heads=12, num_key_value_heads=4,
      vocab_size=100352, num_local_experts=62, num_experts_per_tok=6, intermediate_size=512, mamba_n_heads=48, mamba_d_state=128,
      tie_word_embeddings=True),
    R("granitemoehybrid", 4096, 2, 8, "full", layer_types=M2, hidden_size=1536, num_attention_heads=12, num_key_value_heads=4,
      vocab_size=100352, num_local_experts=62, num_experts_per_tok=6, intermediate_size=512, mamba_n_heads=48, mamba_d_state=128,
      tie_word_embeddings=True),
    R("granitemoehybrid", 2048, 2, 1, "none", layer_types=M2, hidden_size=2048, num_attention_heads=32, num_key_value_heads=8,
      vocab_size=100352, num_local_experts=0, num_experts_per_tok=0, shared_intermediate_size=8192, mamba_n_heads=64, mamba_d_state=128,
      tie_word_embeddings=True),
    R("granitemoehybrid", 8192, 1, 8, "full", layer_types=M2, hidden_size=4096, num_attention_heads=32, num_key_value_heads=8,
      vocab_size=32000, num_local_experts=72, num_experts_per_tok=10, intermediate_size=768, shared_intermediate_size=1536,
      mamba_n_heads=128, mamba_d_state=128),
    R("falcon_h1", 4096, 1, 8, "none", num_hidden_layers=3),
    R("falcon_h1", 8192, 1, 8, "full", num_hidden_layers=4),
    R("falcon_h1", 4096, 1, 16, "full", num_hidden_layers=3, hidden_size=3072, intermediate_size=12288, num_attention_heads=12,
      num_key_value_heads=2, vocab_size=32784, mamba_d_ssm=3072, mamba_n_heads=24, mamba_d_head=128),
    R("jamba", 512, 1, 8, "none", num_hidden_layers=4, attn_layer_offset=2),
    R("jamba", 512, 1, 64, "full", num_hidden_layers=4, attn_layer_offset=2, num_experts=4),
    R("jamba", 512, 1, 4, "full", num_hidden_layers=4, attn_layer_offset=2, num_experts=1, vocab_size=16384, hidden_size=2048,
      num_attention_heads=16, intermediate_size=7168, mamba_dt_rank=128),
    R("minimax", 4096, 1, 8, "none", layer_types=[LIN, FULL, LIN, FULL]),
    R("minimax", 8192, 1, 64, "full", layer_types=[LIN, FULL, LIN, FULL]),
    R("minimax", 4096, 2, 16, "full", layer_types=[LIN, LIN, LIN, FULL], num_attention_heads=64),
    R("recurrent_gemma", 1024, 2, 8, "none", num_hidden_layers=3, vocab_size=32000),
    R("recurrent_gemma", 512, 4, 1, "none", num_hidden_layers=3, vocab_size=64000),
    R("recurrent_gemma", 512, 2, 8, "none", num_hidden_layers=3, hidden_size=4096, lru_width=4096, num_attention_heads=16,
      num_key_value_heads=16, intermediate_size=24576, vocab_size=32000),
    R("lfm2", 4096, 2, 8, "none", layer_types=["conv", "conv", FULL, "conv"]),
    R("lfm2", 8192, 1, 1, "full", layer_types=["conv", "conv", FULL, "conv"]),
    R("lfm2", 4096, 4, 8, "none", layer_types=["conv", "conv", FULL, "conv"], hidden_size=2048, vocab_size=16384),
    R("kimi_linear", 2048, 1, 64, "none", layer_types=[LIN, LIN, LIN, FULL]),
    R("kimi_linear", 1024, 4, 8, "full", layer_types=[LIN, LIN, LIN, FULL], num_experts=64),
    R("kimi_linear", 4096, 1, 128, "full", layer_types=[LIN, LIN, LIN, FULL]),
]


def config_of(row):
    name = row["model"]
    kw = dict(row["config"])
    if "layer_types" in kw:
        kw["num_hidden_layers"] = len(kw["layer_types"])
    cls = getattr(transformers, CLASSES[name] + "Config")
    c = cls(**kw)
    c.tie_word_embeddings = False                     # modules are built without their initialisation, which would tie them
    return c


def step(row):
    """Traces two steps: (configuration, columns, tracer, live at the peak, what outlives a step)."""
    c = config_of(row)
    c._attn_implementation = "sdpa"
    c.use_cache = False
    cls = getattr(transformers, CLASSES[row["model"]].replace("Text", "") + "ForCausalLM")
    with of.fake(row["gpus"]) as (mode, mesh):
        model = of.build(cls, c, row["gpus"])
        if hasattr(model, "set_experts_implementation"):
            try:
                model.set_experts_implementation("grouped_mm")
            except Exception as e:
                print("  experts:", e)
        if row["model"] == "minimax":                 # its decays multiply bf16: they are cast as a checkpoint in bf16 has them
            for b in model.buffers():
                b.data = b.data.to(torch.bfloat16) if b.is_floating_point() else b.data
        params = sum(p.numel() for p in model.parameters())
        layers = model.model.layers
        out, tr, *rest = of.follow(mode, mesh, model, layers, layers, c.vocab_size, row["seq"], row["mb"], row["gpus"], row["ckpt"])
        sims = [allocsim.simulate(tr.ev, expandable=x, workspace=False)["reserved"] for x in (False, True)]
        out.update(params=params, simulated_reserved=sims[0], simulated_reserved_expandable=sims[1])
    return c, out, tr, *rest


def line_of(key, row, c, out):
    gpus = row["gpus"]
    base = dict(row_id=key, source_code="transformers", version=of.VERSION, model=CLASSES[row["model"]], seq=row["seq"],
                micro_batch=row["mb"], gpus=gpus, activation_checkpointing=row["ckpt"], param_storage="fp32" if gpus > 1 else "bf16",
                compute="bf16", reduce_dtype="fp32" if gpus > 1 else "bf16", optimizer="AdamW foreach", attention="flash",
                state_kernel="eager")
    return {**base, **shape_of(row["model"], c), **out}


def main():
    of.prepare()
    if sys.argv[2] == "--detail":
        row = ROWS[int(sys.argv[3])]
        if "VOCAB" in os.environ:
            row["config"]["vocab_size"] = int(os.environ["VOCAB"])
            row["config"].pop("pad_token_id", None)
        row["ckpt"] = os.environ.get("CKPT", row["ckpt"])
        row["seq"] = int(os.environ.get("SEQ", row["seq"]))
        c, out, *rest = step(row)
        of.detail(line_of("HM", row, c, out), *rest, row["seq"] * row["mb"], 1e5)
        return
    wanted = sys.argv[3] if len(sys.argv) > 3 else ""
    slow = ["jamba", "recurrent_gemma"]
    rows = [(f"HM-{k:04d}", row) for k, row in enumerate(ROWS) if wanted in row["model"]]
    rows.sort(key=lambda one: one[1]["model"] in slow)
    of.table(sys.argv[2], COLUMNS, rows, lambda key, row: line_of(key, row, *step(row)[:2]))


if __name__ == "__main__":
    main()
