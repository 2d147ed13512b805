"""Memory of training steps of models that read images: Hugging Face's own code on fake tensors, every storage followed.

    python trace.py TOOLS OUT.csv                    # the rows of tests/measured/tower_memory.csv
    python trace.py TOOLS --detail ROW               # what is alive at the peak, by operator and shape

TOOLS is the folder of memtrace.py; the step itself is tests/traced/step.py.
"""
import json, os, sys
sys.path[:0] = [sys.argv[1], os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "traced")]
import torch, transformers
import step as of

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


def step(row):
    gpus = row["gpus"]
    config = transformers.AutoConfig.for_model(**json.loads(json.dumps(row["config"])))
    cls = getattr(transformers, row["config"]["architectures"][0])
    for c in (config, config.text_config, config.vision_config):
        c._attn_implementation = "sdpa"
    with of.fake(gpus) as (mode, mesh):
        model = of.build(cls, config, gpus)
        number = lambda part: sum(p.numel() for p in part.parameters())
        inner = model.model
        tower = inner.vision_tower
        counts = dict(params=number(model), tower_params=number(tower), projector_params=number(inner.multi_modal_projector))
        tower.requires_grad_(row["tower"])
        inner.multi_modal_projector.requires_grad_(row["projector"])
        # The library looks for the images' places by values that fake tensors do not have.
        inner.get_placeholder_mask = lambda input_ids, inputs_embeds, image_features=None, **_: (
            input_ids == config.image_token_id).unsqueeze(-1).expand_as(inputs_embeds)
        layers = inner.language_model.layers
        of_tower = next(m for n, m in tower.named_modules() if isinstance(m, torch.nn.ModuleList))
        size = config.vision_config.image_size
        size = size[0] if isinstance(size, (list, tuple)) else size
        more = dict(pixel_values=torch.zeros(row["mb"] * row["images"], 3, size, size, dtype=torch.bfloat16))
        if row["config"]["model_type"] == "gemma3":
            more["token_type_ids"] = torch.zeros(row["mb"], row["seq"], dtype=torch.long)
        more["use_cache"] = False
        out, *rest = of.follow(mode, mesh, model, [*of_tower, *layers], layers, config.text_config.vocab_size, row["seq"], row["mb"], gpus,
                               row["ckpt"], more)
    return {**counts, **out}, *rest


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


def line_of(key, row, out):
    gpus = row["gpus"]
    word = lambda trains: "trained" if trains else "frozen"
    return dict(row_id=key, source_code="transformers", version=of.VERSION, model=row["name"],
                **shape_of(row), images=row["images"], seq=row["seq"],
                micro_batch=row["mb"], gpus=gpus, activation_checkpointing=row["ckpt"], tower=word(row["tower"]),
                projector=word(row["projector"]), param_storage="fp32" if gpus > 1 else "bf16", **out)


def main():
    of.prepare()
    if sys.argv[2] == "--detail":
        row = ROWS[int(sys.argv[3])]
        out, *rest = step(row)
        of.detail(out, *rest, row["seq"] * row["mb"], 5e6)
        return
    rows = [(f"TW-{k:04d}", row) for k, row in enumerate(ROWS)]
    of.table(sys.argv[2], COLUMNS, rows, lambda key, row: line_of(key, row, step(row)[0]))


if __name__ == "__main__":
    main()
