"""Memory of training steps of models with state mixers: Hugging Face's own code on fake tensors, every storage followed.

    python trace.py TOOLS OUT.csv [FILTER]           # the rows of tests/measured/hybrid_memory.csv
    python trace.py TOOLS --detail ROW               # what is alive at the peak, by operator and shape

TOOLS is the folder of memtrace.py and allocsim.py.  Without the packages mamba-ssm, causal-conv1d and
flash-linear-attention the library runs its own code in PyTorch ("eager" in the column `state_kernel`).
"""
import collections, csv, gc, os, sys, time
sys.path.insert(0, sys.argv[1])
import torch, transformers
import memtrace as mt
import allocsim
from torch._subclasses.fake_tensor import FakeTensorMode

torch.set_num_threads(1)
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")

GB = 1e9
MEASURED = ["params", "peak_allocated_bytes", "peak_param", "peak_grad", "peak_optimizer", "peak_activation", "peak_logits",
            "peak_unsharded_param", "peak_unsharded_grad", "peak_comm", "peak_temp", "peak_optimizer_temp", "peak_buffer",
            "peak_input", "moment", "moment_op", "simulated_reserved", "simulated_reserved_expandable"]
SHAPE = ["pattern", "layers", "hidden", "ffn", "heads", "kv_heads", "head_dim", "vocab", "tied_embeddings", "mixer", "mixer_heads",
         "mixer_head_dim", "mixer_key_heads", "mixer_key_dim", "conv_kernel", "mixer_rank", "chunk", "experts", "top_k", "moe_ffn",
         "shared_ffn", "window", "kv_lora_rank", "qk_rope_head_dim", "v_head_dim", "gated_attention", "qk_norm", "mlp_gated"]
RUN = ["seq", "micro_batch", "gpus", "activation_checkpointing", "param_storage", "compute", "reduce_dtype", "optimizer", "attention",
       "state_kernel"]
COLUMNS = ["row_id", "source_code", "version", "model"] + SHAPE + RUN + MEASURED
VERSION = f"transformers {transformers.__version__}, torch {torch.__version__.split('+')[0]}"

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


def on_gpu():
    """What the library decides by values that fake tensors do not have: texts are not packed, so that SDPA needs no mask."""
    import transformers.masking_utils as masks
    masks.find_packed_sequence_indices = lambda *a, **k: None


def step(row):
    """Traces two steps: (columns, tracer, live at the peak)."""
    import torch.distributed as dist
    from torch.testing._internal.distributed.fake_pg import FakeStore
    c = config_of(row)
    gpus = row["gpus"]
    on_gpu()
    c._attn_implementation = "sdpa"
    c.use_cache = False
    cls = getattr(transformers, CLASSES[row["model"]].replace("Text", "") + "ForCausalLM")
    if dist.is_initialized():
        dist.destroy_process_group()
    dist.init_process_group("fake", rank=0, world_size=max(gpus, 1), store=FakeStore())
    mesh = torch.distributed.device_mesh.init_device_mesh("cpu", (gpus,))
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    mode.__enter__()
    try:
        dtype = torch.float32 if gpus > 1 else torch.bfloat16
        torch.set_default_dtype(dtype)
        with transformers.initialization.no_init_weights() if hasattr(transformers.initialization, "no_init_weights") else mt.contextlib.nullcontext():
            model = cls._from_config(c, dtype=dtype)
        torch.set_default_dtype(torch.float32)
        for fn in ("set_experts_implementation",):
            if hasattr(model, fn):
                try:
                    getattr(model, fn)("grouped_mm")
                except Exception as e:
                    print("  experts:", e)
        if row["model"] == "minimax":                 # its decays multiply bf16: they are cast as a checkpoint in bf16 has them
            for b in model.buffers():
                b.data = b.data.to(torch.bfloat16) if b.is_floating_point() else b.data
        params = sum(p.numel() for p in model.parameters())
        model.train()
        if row["ckpt"] == "full":
            model.gradient_checkpointing_enable(gradient_checkpointing_kwargs=dict(use_reentrant=False))
        layers = model.model.layers
        if gpus > 1:
            from torch.distributed.fsdp import fully_shard, MixedPrecisionPolicy
            mp = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
            for l in layers:
                fully_shard(l, mesh=mesh, mp_policy=mp, reshard_after_forward=True)
            fully_shard(model, mesh=mesh, mp_policy=mp, reshard_after_forward=True)
        opt = torch.optim.AdamW(model.parameters(), lr=1e-4, foreach=True)
        ids = torch.zeros(row["mb"], row["seq"], dtype=torch.long)
        labels = torch.zeros(row["mb"], row["seq"], dtype=torch.long)
        tr = mt.Tracer()
        tr.mode = mode
        tr.vocab = c.vocab_size
        GET[0] = tr
        with tr:
            persistent = {}

            def note(t, kind):
                t = getattr(t, "_local_tensor", t)
                i = tr.see(t, kind)
                if i is not None:
                    persistent[i] = kind
            for p in model.parameters():
                note(p, "param")
            for b in model.buffers():
                note(b, "buffer")
            note(ids, "input")
            note(labels, "input")
            mt.layer_hooks(tr, layers, head=model.lm_head, embed=model.get_input_embeddings())
            mark = None
            for n in range(2):
                if n == 1:
                    tr.peak, tr.peak_at = 0, -1
                    mark = len(tr.ev)
                    tr.mark("step 1")
                tr.phase, tr.layer = "fwd", ""
                tr.mark("fwd")
                logits = model(input_ids=ids).logits
                tr.phase = "loss"
                tr.mark("loss")
                loss = model.loss_function(logits, labels, c.vocab_size)
                del logits
                tr.phase = "bwd"
                tr.mark("bwd")
                loss.backward()
                del loss
                for p in model.parameters():
                    if p.grad is not None:
                        note(p.grad, "grad")
                tr.phase, tr.layer = "opt", ""
                tr.mark("optimizer")
                opt.step()
                for st in opt.state.values():
                    for v in st.values():
                        if isinstance(v, torch.Tensor) and v.numel() > 1:
                            note(v, "optimizer")
                opt.zero_grad(set_to_none=True)
            GET[0] = None
        ev = tr.ev
        cur = peak = 0
        at = -1
        for n, e in enumerate(ev):
            if e[0] == mt.ALLOC:
                cur += e[2]
                if n >= mark and cur > peak:
                    peak, at = cur, n
            elif e[0] == mt.FREE:
                cur -= e[2]
        live = {}
        for e in ev[:at + 1]:
            if e[0] == mt.ALLOC:
                live[e[1]] = e[2]
            elif e[0] == mt.FREE:
                live.pop(e[1], None)
        by = collections.Counter()
        for i, b in live.items():
            by[mt.classify(tr, i, persistent)] += b
        phase, layer, op, shape, region = tr.meta[ev[at][1]]
        sims = [allocsim.simulate(ev, expandable=x, workspace=False)["reserved"] for x in (False, True)]
        names = dict(param="peak_param", grad="peak_grad", optimizer="peak_optimizer", activation="peak_activation", logits="peak_logits",
                     unsharded_param="peak_unsharded_param", unsharded_grad="peak_unsharded_grad", comm="peak_comm", temp="peak_temp",
                     optimizer_temp="peak_optimizer_temp", buffer="peak_buffer", input="peak_input")
        out = {names[k]: v for k, v in by.items()}
        words = dict(fwd="forward", loss="loss", bwd="backward", opt="optimizer")
        out.update(params=params, peak_allocated_bytes=peak, moment=f"{words[phase]} {layer}".strip(), moment_op=op,
                   simulated_reserved=sims[0], simulated_reserved_expandable=sims[1])
        del model, opt
        return c, out, tr, live, persistent, at
    finally:
        mode.__exit__(None, None, None)
        torch.set_default_dtype(torch.float32)
        gc.collect()


GET = [None]


def line_of(k, row, c, out):
    gpus = row["gpus"]
    base = dict(row_id=f"HM-{k:04d}", source_code="transformers", version=VERSION, model=CLASSES[row["model"]], seq=row["seq"],
                micro_batch=row["mb"], gpus=gpus, activation_checkpointing=row["ckpt"], param_storage="fp32" if gpus > 1 else "bf16",
                compute="bf16", reduce_dtype="fp32" if gpus > 1 else "bf16", optimizer="AdamW foreach", attention="flash",
                state_kernel="eager")
    return {**base, **shape_of(row["model"], c), **out}


def main():
    mt.patch_kernels(lambda: GET[0])
    mt.patch_fsdp(lambda: GET[0])
    if sys.argv[2] == "--detail":
        row = ROWS[int(sys.argv[3])]
        if "VOCAB" in os.environ:
            row["config"]["vocab_size"] = int(os.environ["VOCAB"])
            row["config"].pop("pad_token_id", None)
        row["ckpt"] = os.environ.get("CKPT", row["ckpt"])
        row["seq"] = int(os.environ.get("SEQ", row["seq"]))
        c, out, tr, live, persistent, at = step(row)
        for k, v in line_of(0, row, c, out).items():
            print(f"  {k}: {v}")
        t = row["seq"] * row["mb"]
        groups = collections.Counter()
        number = collections.Counter()
        for i, b in live.items():
            phase, layer, op, shape, region = tr.meta[i]
            key = (mt.classify(tr, i, persistent), phase, layer, op, shape)
            groups[key] += b
            number[key] += 1
        for key, b in sorted(groups.items(), key=lambda x: (x[0][0], x[0][1], x[0][2], -x[1])):
            if b > 1e5:
                print(f"{b / 1e6:10.2f} MB {b / t:12.1f} B/token x{number[key]:<3}", *key)
        return
    wanted = sys.argv[3] if len(sys.argv) > 3 else ""
    done = {}
    if os.path.exists(sys.argv[2]):
        done = {r["row_id"]: r for r in csv.DictReader(open(sys.argv[2]))}
    for k, row in sorted(enumerate(ROWS), key=lambda one: ["nemotron_h", "bamba"].count(one[1]["model"]) * -1 + ["jamba", "recurrent_gemma"].count(one[1]["model"])):
        if wanted not in row["model"] or f"HM-{k:04d}" in done:
            continue
        t0 = time.time()
        try:
            c, out, *_ = step(row)
            done[f"HM-{k:04d}"] = line_of(k, row, c, out)
            print(k, row["model"], f"{out['peak_allocated_bytes'] / GB:.2f} GB", out["moment"], out["moment_op"], f"{time.time() - t0:.0f} s",
                  flush=True)
        except Exception as e:
            import traceback
            traceback.print_exc()
            print(k, row["model"], "failed:", repr(e)[:300], flush=True)
        with open(sys.argv[2], "w", newline="") as f:
            w = csv.DictWriter(f, COLUMNS, restval="", lineterminator="\n")
            w.writeheader()
            w.writerows(done[k] for k in sorted(done))


if __name__ == "__main__":
    main()
