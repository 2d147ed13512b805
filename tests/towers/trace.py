"""Memory of training steps of models that read images: Hugging Face's own code on fake tensors, every storage followed.

    python trace.py TOOLS OUT.csv                    # the rows of tests/measured/tower_memory.csv
    python trace.py TOOLS --detail ROW               # what is alive at the peak, by operator and shape

TOOLS is the folder of memtrace.py.
"""
import collections, csv, gc, json, os, sys, time
sys.path.insert(0, sys.argv[1])
import torch, transformers
import memtrace as mt
from torch._subclasses.fake_tensor import FakeTensorMode

torch.set_num_threads(1)
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
VERSION = f"transformers {transformers.__version__}, torch {torch.__version__.split('+')[0]}"

LLAMA = dict(model_type="llama", hidden_size=4096, intermediate_size=11008, num_attention_heads=32, num_key_value_heads=32,
             vocab_size=32064)
QWEN = dict(model_type="qwen2", hidden_size=3584, intermediate_size=18944, num_attention_heads=28, num_key_value_heads=4, vocab_size=151936)
CLIP = dict(model_type="clip_vision_model", hidden_size=1024, intermediate_size=4096, num_hidden_layers=24, num_attention_heads=16,
            image_size=336, patch_size=14, projection_dim=768)
SIGLIP = dict(model_type="siglip_vision_model", hidden_size=1152, intermediate_size=4304, num_hidden_layers=27, num_attention_heads=16,
              image_size=384, patch_size=14, vision_use_head=False)
VIT = dict(model_type="internvl_vision", hidden_size=1024, intermediate_size=4096, num_hidden_layers=24, num_attention_heads=16,
           image_size=[448, 448], patch_size=[14, 14], attention_bias=True, use_mean_pooling=True)
GEMMA = dict(model_type="siglip_vision_model", hidden_size=1152, intermediate_size=4304, num_hidden_layers=27, num_attention_heads=16,
             image_size=896, patch_size=14, vision_use_head=False)
GEMMA_TEXT = dict(model_type="gemma3_text", hidden_size=2560, intermediate_size=10240, num_attention_heads=8, num_key_value_heads=4,
                  head_dim=256, vocab_size=262208)


def llava(vision, text, layers):
    last = dict(vision_feature_layer=-1, vision_feature_select_strategy="full") if vision is SIGLIP else {}
    return dict(model_type="llava", architectures=["LlavaForConditionalGeneration"], vision_config=vision, image_token_index=32000,
                text_config={**text, "num_hidden_layers": layers, "tie_word_embeddings": False}, **last)


def internvl(layers):
    return dict(model_type="internvl", architectures=["InternVLForConditionalGeneration"], vision_config=VIT, image_token_id=151667,
                downsample_ratio=0.5, text_config={**QWEN, "num_hidden_layers": layers, "tie_word_embeddings": False})


def gemma(layers):
    return dict(model_type="gemma3", architectures=["Gemma3ForConditionalGeneration"], vision_config=GEMMA, image_token_index=262144,
                mm_tokens_per_image=256, tie_word_embeddings=False,
                text_config={**GEMMA_TEXT, "num_hidden_layers": layers, "tie_word_embeddings": False})


def R(name, config, images, seq, mb, gpus, ckpt, tower, projector=True):
    return dict(name=name, config=config, images=images, seq=seq, mb=mb, gpus=gpus, ckpt=ckpt, tower=tower, projector=projector)


ROWS = [
    R("LLaVA, CLIP ViT-L/14-336", llava(CLIP, LLAMA, 4), 1, 2048, 4, 8, "none", False),
    R("LLaVA, CLIP ViT-L/14-336", llava(CLIP, LLAMA, 4), 1, 2048, 4, 8, "none", True),
    R("LLaVA, CLIP ViT-L/14-336", llava(CLIP, LLAMA, 4), 2, 2048, 8, 8, "full", False),
    R("LLaVA, CLIP ViT-L/14-336", llava(CLIP, LLAMA, 4), 2, 2048, 8, 8, "full", True),
    R("LLaVA, CLIP ViT-L/14-336", llava(CLIP, LLAMA, 3), 1, 1024, 8, 1, "none", True),
    R("LLaVA, CLIP ViT-L/14-336", llava(CLIP, LLAMA, 4), 1, 2048, 4, 16, "none", False, False),
    R("LLaVA, SigLIP SO400M/14-384", llava(SIGLIP, QWEN, 4), 2, 4096, 2, 16, "none", True),
    R("LLaVA, SigLIP SO400M/14-384", llava(SIGLIP, QWEN, 4), 4, 4096, 2, 64, "full", True),
    R("LLaVA, SigLIP SO400M/14-384", llava(SIGLIP, QWEN, 4), 4, 4096, 1, 64, "none", False),
    R("InternVL, InternViT 300M", internvl(4), 8, 4096, 1, 8, "none", True),
    R("InternVL, InternViT 300M", internvl(4), 12, 4096, 2, 8, "full", True),
    R("InternVL, InternViT 300M", internvl(4), 12, 4096, 2, 8, "full", False),
    R("Gemma 3, SigLIP at 896", gemma(6), 1, 2048, 2, 8, "none", False),
    R("Gemma 3, SigLIP at 896", gemma(6), 2, 2048, 2, 8, "full", True),
]
SHAPE = ["layers", "hidden", "ffn", "heads", "kv_heads", "head_dim", "vocab", "norms", "qk_norm", "window", "global_every", "tower_layers",
         "tower_hidden", "tower_heads", "tower_ffn", "patch", "image_size", "merge", "image_tokens", "tower_params", "projector_params"]
COLUMNS = ["row_id", "source_code", "version", "model"] + SHAPE + ["images", "seq", "micro_batch", "gpus", "activation_checkpointing", "tower",
           "projector", "param_storage", "params", "peak_allocated_bytes", "peak_param", "peak_grad", "peak_optimizer", "peak_activation",
           "peak_logits", "peak_unsharded_param", "peak_unsharded_grad", "peak_comm", "peak_temp", "peak_optimizer_temp", "peak_buffer",
           "peak_input", "moment", "moment_op"]
GET = [None]


def patched(model):
    """What the library decides by values that fake tensors do not have: texts are not packed, and there is a place for each token."""
    import transformers.masking_utils as masks
    masks.find_packed_sequence_indices = lambda *a, **k: None
    inner = model.model

    def places(input_ids, inputs_embeds, image_features=None, **_):
        return (input_ids == model.config.image_token_id).unsqueeze(-1).expand_as(inputs_embeds)
    inner.get_placeholder_mask = places


def step(row):
    import torch.distributed as dist
    from torch.testing._internal.distributed.fake_pg import FakeStore
    gpus = row["gpus"]
    config = transformers.AutoConfig.for_model(**json.loads(json.dumps(row["config"])))
    cls = getattr(transformers, row["config"]["architectures"][0])
    for c in (config, config.text_config, config.vision_config):
        c._attn_implementation = "sdpa"
    if dist.is_initialized():
        dist.destroy_process_group()
    dist.init_process_group("fake", rank=0, world_size=max(gpus, 1), store=FakeStore())
    mesh = torch.distributed.device_mesh.init_device_mesh("cpu", (gpus,))
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    mode.__enter__()
    try:
        dtype = torch.float32 if gpus > 1 else torch.bfloat16
        torch.set_default_dtype(dtype)
        init = transformers.initialization
        with init.no_init_weights() if hasattr(init, "no_init_weights") else mt.contextlib.nullcontext():
            model = cls._from_config(config, dtype=dtype)
        torch.set_default_dtype(torch.float32)
        number = lambda of: sum(p.numel() for p in of.parameters())
        params, inner = number(model), model.model
        tower = inner.vision_tower
        counts = dict(params=params, tower_params=number(tower), projector_params=number(inner.multi_modal_projector))
        tower.requires_grad_(row["tower"])
        inner.multi_modal_projector.requires_grad_(row["projector"])
        model.train()
        if row["ckpt"] == "full":
            model.gradient_checkpointing_enable(gradient_checkpointing_kwargs=dict(use_reentrant=False))
        patched(model)
        layers = inner.language_model.layers
        of_tower = next(m for n, m in tower.named_modules() if isinstance(m, torch.nn.ModuleList))
        if gpus > 1:
            from torch.distributed.fsdp import fully_shard, MixedPrecisionPolicy
            mp = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
            for one in list(of_tower) + list(layers):
                fully_shard(one, mesh=mesh, mp_policy=mp, reshard_after_forward=True)
            fully_shard(model, mesh=mesh, mp_policy=mp, reshard_after_forward=True)
        opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-4, foreach=True)
        ids = torch.zeros(row["mb"], row["seq"], dtype=torch.long)
        labels = torch.zeros(row["mb"], row["seq"], dtype=torch.long)
        size = config.vision_config.image_size
        size = size[0] if isinstance(size, (list, tuple)) else size
        pixels = torch.zeros(row["mb"] * row["images"], 3, size, size, dtype=torch.bfloat16)
        more = {}
        if row["config"]["model_type"] == "gemma3":
            more["token_type_ids"] = torch.zeros_like(ids)
        tr = mt.Tracer()
        tr.mode = mode
        vocab = config.text_config.vocab_size
        tr.vocab = vocab
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
            for t in [ids, labels, pixels, *more.values()]:
                note(t, "input")
            mt.layer_hooks(tr, list(layers), head=model.lm_head, embed=model.get_input_embeddings())
            mark = None
            for n in range(2):
                if n == 1:
                    tr.peak, tr.peak_at = 0, -1
                    mark = len(tr.ev)
                    tr.mark("step 1")
                tr.phase, tr.layer = "fwd", ""
                tr.mark("fwd")
                logits = model(input_ids=ids, pixel_values=pixels, use_cache=False, **more).logits
                tr.phase = "loss"
                tr.mark("loss")
                loss = model.loss_function(logits, labels, vocab)
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
        names = dict(param="peak_param", grad="peak_grad", optimizer="peak_optimizer", activation="peak_activation", logits="peak_logits",
                     unsharded_param="peak_unsharded_param", unsharded_grad="peak_unsharded_grad", comm="peak_comm", temp="peak_temp",
                     optimizer_temp="peak_optimizer_temp", buffer="peak_buffer", input="peak_input")
        out = {names[k]: v for k, v in by.items()}
        words = dict(fwd="forward", loss="loss", bwd="backward", opt="optimizer")
        out.update(**counts, peak_allocated_bytes=peak, moment=f"{words[phase]} {layer}".strip(), moment_op=op)
        return out, tr, live, persistent
    finally:
        mode.__exit__(None, None, None)
        torch.set_default_dtype(torch.float32)
        gc.collect()


def shape_of(row):
    """The row's columns of a configuration."""
    t, v, gemma = row["config"]["text_config"], row["config"]["vision_config"], row["config"]["model_type"] == "gemma3"
    one = lambda x: x[0] if isinstance(x, list) else x
    side = one(v["image_size"]) // one(v["patch_size"])
    tokens = 256 if gemma else 0
    merge = 4 if gemma else 2 if row["config"]["model_type"] == "internvl" else 1
    return dict(layers=t["num_hidden_layers"], hidden=t["hidden_size"], ffn=t["intermediate_size"], heads=t["num_attention_heads"],
                kv_heads=t["num_key_value_heads"], head_dim=t.get("head_dim") or t["hidden_size"] // t["num_attention_heads"],
                vocab=t["vocab_size"], norms=4 if gemma else 2, qk_norm=int(gemma), window=4096 if gemma else 0,
                global_every=6 if gemma else 0, tower_layers=v["num_hidden_layers"], tower_hidden=v["hidden_size"],
                tower_heads=v["num_attention_heads"], tower_ffn=v["intermediate_size"], patch=one(v["patch_size"]),
                image_size=one(v["image_size"]), merge=merge, image_tokens=tokens)


def line_of(k, row, out):
    gpus = row["gpus"]
    word = lambda trains: "trained" if trains else "frozen"
    return dict(row_id=f"TW-{k:04d}", source_code="transformers", version=VERSION, model=row["name"],
                **shape_of(row), images=row["images"], seq=row["seq"],
                micro_batch=row["mb"], gpus=gpus, activation_checkpointing=row["ckpt"], tower=word(row["tower"]),
                projector=word(row["projector"]), param_storage="fp32" if gpus > 1 else "bf16", **out)


def main():
    mt.patch_kernels(lambda: GET[0])
    mt.patch_fsdp(lambda: GET[0])
    if sys.argv[2] == "--detail":
        row = ROWS[int(sys.argv[3])]
        out, tr, live, persistent = step(row)
        for k, v in out.items():
            print(f"  {k}: {v}")
        groups, number = collections.Counter(), collections.Counter()
        for i, b in live.items():
            phase, layer, op, shape, region = tr.meta[i]
            key = (mt.classify(tr, i, persistent), phase, layer, op, shape)
            groups[key] += b
            number[key] += 1
        for key, b in sorted(groups.items(), key=lambda x: (x[0][0], x[0][1], x[0][2], -x[1])):
            if b > 5e6:
                print(f"{b / 1e6:10.2f} MB x{number[key]:<3}", *key)
        return
    done = {}
    if os.path.exists(sys.argv[2]):
        done = {r["row_id"]: r for r in csv.DictReader(open(sys.argv[2]))}
    for k, row in enumerate(ROWS):
        if f"TW-{k:04d}" in done:
            continue
        t0 = time.time()
        try:
            out, *_ = step(row)
            done[f"TW-{k:04d}"] = line_of(k, row, out)
            print(k, row["name"], f"{out['peak_allocated_bytes'] / 1e9:.2f} GB", out["moment"], out["moment_op"], f"{time.time() - t0:.0f} s",
                  flush=True)
        except Exception as e:
            import traceback
            traceback.print_exc()
            print(k, row["name"], "failed:", repr(e)[:300], flush=True)
        with open(sys.argv[2], "w", newline="") as f:
            w = csv.DictWriter(f, COLUMNS, restval="", lineterminator="\n")
            w.writeheader()
            w.writerows(done[k] for k in sorted(done))


if __name__ == "__main__":
    main()
