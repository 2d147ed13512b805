"""Asks transformers itself how many parameters each family of decoders has, and writes the record that the ordinary tests read.

A family is a `model_type` of AutoModelForCausalLM, or of AutoModelForImageTextToText and AutoModelForMultimodalLM where the
first has none, whose default configuration builds on the meta device; NOT_DECODERS are left out. A parameter counts once,
however many modules share it; buffers do not count. Active: of E experts those that one token is sent to.

    python tests/families/ask.py --record      writes recorded.jsonl: a line a family, then a line a random configuration
    python tests/families/ask.py               says what the installed library counts otherwise
    python tests/families/ask.py --show NAME   the tensors of one family
"""

import argparse
import json
import os
import random
import re
import sys
import warnings
from collections import Counter, OrderedDict
from pathlib import Path

os.environ["TRANSFORMERS_VERBOSITY"] = "critical"
warnings.filterwarnings("ignore")

import torch  # noqa: E402
import transformers  # noqa: E402
from transformers.models.auto import modeling_auto as auto  # noqa: E402
from transformers.models.auto.configuration_auto import CONFIG_MAPPING  # noqa: E402

RECORD = Path(__file__).parent / "recorded.jsonl"
SEED = 17
RANDOM = 200
# Random configurations of encoders.
SEEN = 150

# Encoders that predict the next word only behind a flag (`is_decoder`), the second halves of encoder-decoder models, and what is not
# made of layers of one width.
NOT_DECODERS = """
bert bert-generation big_bird camembert data2vec-text electra ernie megatron-bert rembert roberta roberta-prelayernorm roc_bert
roformer xlm-roberta xlm-roberta-xl xmod xlm xlnet reformer
bart bigbird_pegasus blenderbot blenderbot-small marian mbart mvp pegasus plbart prophetnet trocr whisper
vision-encoder-decoder pix2struct udop florence2 t5gemma2 pp_formulanet blip git
""".split()
# Names of the same class with the same values.
SAME = {"gpt-sw3": "gpt2"}


def classes():
    """The class of each family, text first."""
    found = OrderedDict()
    for mapping in (
        auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
        getattr(auto, "MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES", {}),
    ):
        for kind, name in mapping.items():
            name = name[0] if isinstance(name, (tuple, list)) else name
            if kind not in NOT_DECODERS and kind not in SAME:
                found.setdefault(kind, name)
    return found


def causal():
    """The families of AutoModelForCausalLM: the count of the issue."""
    return [kind for kind in classes() if kind in auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES]


def build(config, name):
    """The model on the meta device."""
    with torch.device("meta"):
        model = getattr(transformers, name)(config)
    model.tie_weights()
    return model


EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")
OF_A_TOKEN = ("num_experts_per_tok", "num_experts_per_token", "moe_k", "moe_topk", "top_k_experts", "moe_top_k")


def first(config, names):
    """The first of these fields that is set, in the configuration or in those within."""
    for part in (config, *(getattr(config, key, None) for key in ("text_config", "llm_config", "ffn_config", "thinker_config"))):
        for name in names if part is not None else ():
            value = getattr(part, name, None)
            if isinstance(value, int) and value > 0:
                return value
    return None


def counts(model, config):
    """All parameters, and those that one token uses."""
    total = active = 0
    experts, used = first(config, EXPERTS), first(config, OF_A_TOKEN)
    parallel = {id(tensor) for module in model.modules() if type(module).__name__.endswith("ParallelExperts") for tensor in module.parameters()}
    for name, tensor in model.named_parameters():
        total += tensor.numel()
        # Shared experts are not routed; a fused tensor has its experts first, a list has them as modules.
        routed = (re.search(r"(^|\.)experts\.", name) and "shared" not in name) or id(tensor) in parallel
        share = min(used, experts) / experts if routed and experts and used else 1
        active += round(tensor.numel() * share) if share < 1 else tensor.numel()
    return total, active


def numel_by_shape(model):
    """Lines `count x name shape` with the numbers of layers and experts left out."""
    rows = Counter()
    for name, tensor in model.named_parameters():
        rows[re.sub(r"\.\d+\.", ".#.", re.sub(r"\.\d+\.", ".#.", name)), tuple(tensor.shape)] += 1
    return rows


def show(kind):
    name = classes()[kind]
    config = CONFIG_MAPPING[kind]()
    model = build(config, name)
    print("##", kind, name, *counts(model, config))
    print(text(config))
    for (row, shape), times in numel_by_shape(model).items():
        print(f"{times}x", row, "x".join(map(str, shape)))
    print("buffers", {n.split(".")[-1] for n, _ in model.named_buffers()})


DROPPED = re.compile(r"token_id|^transformers_version|^dtype|^_name|^id2label|^label2id|^chunk_size_feed|^output_|^return_dict|^problem_type")


def plain(value):
    """A configuration as JSON without what never matters."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items() if not DROPPED.search(key)}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return value


def as_json(config):
    return plain(json.loads(config.to_json_string(use_diff=False)))


def text(config):
    return json.dumps(as_json(config), separators=(",", ":"), sort_keys=True)


VALUES = Path(__file__).parents[2] / "crates/huggingface/src/classes.txt"
# What no reader looks at.
UNREAD = re.compile(
    r"token|dropout|initializer|rope|use_cache|_eps$|^eps$|theta|architectures|is_encoder|_act$|activation|scal|multiplier"
    r"|aux_loss|softcap|quant|limit|pdrop|cache|dtype|^output_|^return|id2label|label2id|problem_type|chunk_size_feed|_std$"
    r"|max_position|_ids$|transformers_version|^bos|^eos|^pad|layer_norm_eps|temperature|norm_topk|jitter|pretraining_tp|summary"
    r"|sampling_rate|loss|router_logits|_name$|mask_|apply_|mup_|^vision_feature|interpolat"
)


def reached():
    """The types of the families' configurations and of those within."""
    found = set()

    def gather(value):
        if isinstance(value, dict):
            if value.get("model_type"):
                found.add(value["model_type"])
            for entry in value.values():
                gather(entry)

    for kind in classes():
        found.add(kind)
        try:
            gather(CONFIG_MAPPING[kind]().to_dict())
        except Exception:
            pass
    return found & set(CONFIG_MAPPING)


def classes_text():
    """A line a class: what its fields are by themselves."""
    import dataclasses

    lines = []
    for kind in sorted(reached()):
        try:
            own = CONFIG_MAPPING[kind]
            fields = dataclasses.fields(own)
        except Exception:
            continue
        values = {}
        for field in fields:
            value = field.default
            if UNREAD.search(field.name) or isinstance(value, (str, float)) and not str(value).replace(".", "").isdigit():
                continue
            if isinstance(value, (bool, int, float)) or isinstance(value, (list, tuple)) and len(value) < 10:
                values[field.name] = list(value) if isinstance(value, (list, tuple)) else value
        if values:
            lines.append(kind + " " + json.dumps(values, separators=(",", ":")))
    return "\n".join(lines) + "\n"


SMALL = [16, 32, 48, 64]
# Fields that are drawn anew, by what they hold, and from what.
DRAWN = [
    (re.compile(r"^(vocab_size|unpadded_vocab_size)$"), lambda draw: draw.choice([1000, 1024, 4099, 32000])),
    (re.compile(r"intermediate_size|^ffn_dim$|ffn_hidden_size$|^dim_ff$|^dff$|^n_inner$"), lambda draw: 32 * draw.randint(2, 40)),
    (re.compile(r"^(num_hidden_layers|n_layer|n_layers|num_layers|num_blocks)$"), lambda draw: draw.randint(2, 14)),
    (re.compile(r"^(num_experts|num_local_experts|n_routed_experts|moe_num_experts)$"), lambda draw: draw.choice([8, 12, 16, 32])),
    (re.compile(r"^(num_experts_per_tok|num_experts_per_token|moe_k|moe_topk)$"), lambda draw: draw.choice([1, 2, 4])),
    (re.compile(r"^(n_shared_experts|num_shared_experts|moe_num_shared_experts)$"), lambda draw: draw.choice([0, 1, 2])),
    (re.compile(r"lora_rank$|^laurel_rank$|^adapter_rank$|^gated_norm_rank$"), lambda draw: 16 * draw.randint(1, 12)),
    (re.compile(r"^(qk_nope_head_dim|qk_rope_head_dim|v_head_dim|index_head_dim|linear_.*head_dim)$"), lambda draw: draw.choice(SMALL)),
    (re.compile(r"d_conv$|conv_kernel|conv_L_cache|conv1d_width|conv_kernel_dim"), lambda draw: draw.randint(2, 6)),
    (re.compile(r"state_size|d_state|ssm_state"), lambda draw: draw.choice(SMALL)),
    (re.compile(r"^first_k_dense_replace$|^num_dense_layers$"), lambda draw: draw.randint(0, 2)),
    (re.compile(r"_bias$|^use_bias$|^qkv_bias$|^tie_word_embeddings$|qk_layernorm|use_qk_norm|^bias$"), lambda draw: draw.random() < 0.5),
]


def resized(values, old, new):
    """Lists of one entry a layer, for another number of layers."""
    for key, value in values.items():
        if isinstance(value, list) and len(value) == old and not key.startswith("rope"):
            values[key] = [value[i % old] for i in range(new)]
    keyed = values.get("per_layer_config")
    if isinstance(keyed, dict):
        values["per_layer_config"] = {key: entry for key, entry in keyed.items() if int(key) < new}


def drawn(values, draw):
    """A configuration with other values in about two thirds of its fields of shape; widths and heads go together."""
    values = json.loads(json.dumps(values))
    names = next((names for names in (("num_hidden_layers",), ("n_layer",), ("n_layers",), ("num_layers",)) if names[0] in values), None)
    old = values.get(names[0]) if names else None
    for key in list(values):
        rule = next((rule for pattern, rule in DRAWN if pattern.search(key)), None)
        if rule and values[key] is not None and not isinstance(values[key], (list, dict)) and draw.random() < 0.65:
            values[key] = rule(draw)
    if old and values[names[0]] != old:
        resized(values, old, values[names[0]])
    heads, dim = draw.choice([2, 4, 8]), draw.choice(SMALL)
    for key in ("num_attention_heads", "n_head", "n_heads", "num_heads"):
        if key in values:
            values[key] = heads
    for key in ("num_key_value_heads", "n_head_kv", "num_kv_heads"):
        if values.get(key):
            values[key] = draw.choice([n for n in (1, 2, 4, 8) if heads % n == 0])
    if values.get("head_dim"):
        values["head_dim"] = dim
    wide = heads * dim * (1 if values.get("head_dim") is None or draw.random() < 0.5 else 2)
    for key in ("hidden_size", "n_embd", "d_model", "embedding_dim"):
        if key in values:
            values[key] = wide
    return values


ENCODERS = re.compile(r"^(vision|audio|high_res_vision|qformer|perceiver|encoder|projector|adapter|sam|vq)_config$")
# Fields of encoders that are drawn anew.
DRAWN_SEEN = [
    (re.compile(r"^(num_hidden_layers|depth|encoder_layers|num_layers|num_blocks|resampler_depth)$"), lambda draw: draw.randint(2, 14)),
    (re.compile(r"^(intermediate_size|mlp_dim|encoder_ffn_dim)$"), lambda draw: 64 * draw.randint(2, 40)),
    (re.compile(r"^patch_size$"), lambda draw: draw.choice([14, 16])),
    (re.compile(r"^image_size$"), lambda draw: draw.choice([224, 336, 448])),
    (re.compile(r"^(num_mel_bins)$"), lambda draw: draw.choice([80, 128])),
    (re.compile(r"^(out_hidden_size|projection_dim|projector_hidden_size|downsample_hidden_size)$"), lambda draw: 64 * draw.randint(2, 20)),
    (re.compile(r"^(resampler_n_latents)$"), lambda draw: draw.choice([32, 64])),
    (re.compile(r"^(attention_bias|qkv_bias|use_qk_norm|vision_use_head|mlp_bias)$"), lambda draw: draw.random() < 0.5),
]


def drawn_seen(values, draw):
    """The configuration of an encoder with other values in about two thirds of its fields of shape."""
    values = json.loads(json.dumps(values))
    for key in list(values):
        rule = next((rule for pattern, rule in DRAWN_SEEN if pattern.search(key)), None)
        if rule and values[key] is not None and not isinstance(values[key], (list, dict)) and draw.random() < 0.65:
            values[key] = rule(draw)
    heads = draw.choice([4, 8, 16])
    for key in ("num_attention_heads", "num_heads", "encoder_attention_heads", "attention_heads", "num_key_value_heads"):
        if values.get(key):
            values[key] = heads
    wide = heads * draw.choice([32, 64])
    for key in ("hidden_size", "embed_dim", "d_model", "hidden_dim"):
        if values.get(key):
            values[key] = wide
    return values


def attempt(kind, change, attempts):
    """A configuration with `change` made to a copy of the usual one, and its model: the first that builds, or nothing."""
    name, own = classes()[kind], CONFIG_MAPPING[kind]
    usual = as_json(own())
    for _ in range(attempts):
        values = change(json.loads(json.dumps(usual)))
        try:
            config = own.from_dict(values)
            model = build(config, name)
        except Exception:
            continue
        return config, model
    return None


def random_seen(kind, draw):
    """A random configuration of a family with an encoder and its model, or nothing where none of some builds."""
    usual = as_json(CONFIG_MAPPING[kind]())
    parts = [key for key in usual if ENCODERS.match(key) and isinstance(usual[key], dict)]

    def change(values):
        for key in parts:
            values[key] = drawn_seen(values[key], draw)
        if isinstance(values.get("text_config"), dict) and draw.random() < 0.5:
            values["text_config"] = drawn(values["text_config"], draw)
        return values

    return attempt(kind, change, 12 if parts else 0)


def random_config(kind, draw):
    """A random configuration of a family and its model, or nothing where none of some builds."""

    def change(values):
        if not isinstance(values.get("text_config"), dict):
            return drawn(values, draw)
        values["text_config"] = drawn(values["text_config"], draw)
        if draw.random() < 0.3:
            values["tie_word_embeddings"] = draw.random() < 0.5
        return values

    return attempt(kind, change, 25)


def difference(usual, values):
    """What another configuration has otherwise; None for what it lacks."""
    changed = {}
    for key in sorted(set(usual) | set(values)):
        one, other = usual.get(key), values.get(key)
        if isinstance(one, dict) and isinstance(other, dict) and key.endswith("_config") and "model_type" in one:
            if inner := difference(one, other):
                changed[key] = inner
        elif one != other:
            changed[key] = other
    return changed


def rows(kinds, number):
    """The lines of the record: a family each, then as many random configurations."""
    usual, others = {}, []
    for kind in kinds:
        try:
            config = CONFIG_MAPPING[kind]()
            params, active = counts(build(config, classes()[kind]), config)
        except Exception as error:
            print(f"{kind}: the default configuration does not build ({type(error).__name__})", file=sys.stderr)
            continue
        usual[kind] = as_json(config)
        yield {"kind": kind, "class": classes()[kind], "causal": kind in causal(), "params": params, "active": active, "config": usual[kind]}
    draw = random.Random(SEED)
    order = [kind for kind in usual if kind in causal()]
    while order and number > len(others):
        found_any = False
        for kind in order:
            if len(others) >= number:
                break
            found = random_config(kind, draw)
            if found is None:
                continue
            found_any = True
            config, model = found
            params, active = counts(model, config)
            others.append(kind)
            yield {"of": kind, "params": params, "active": active, "with": difference(usual[kind], as_json(config))}
        if not found_any:
            break
    draw, left = random.Random(SEED + 1), SEEN
    order = [kind for kind in usual if random_seen(kind, random.Random(0))]
    while order and left > 0:
        for kind in order[:left]:
            found = random_seen(kind, draw)
            if found is None:
                continue
            config, model = found
            params, active = counts(model, config)
            left -= 1
            yield {"of": kind, "seen": True, "params": params, "active": active, "with": difference(usual[kind], as_json(config))}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--record", action="store_true", help="write the record anew")
    parser.add_argument("--show", nargs="*", help="print the tensors of these families")
    parser.add_argument("--classes", action="store_true", help="write what the importer knows of classes")
    parser.add_argument("--random", type=int, default=RANDOM, help="how many random configurations")
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.classes:
        VALUES.write_text(classes_text())
    elif options.show:
        for kind in options.show:
            try:
                show(kind)
            except Exception as error:
                print("##", kind, "does not build:", type(error).__name__, str(error)[:200])
    elif options.record:
        with open(RECORD, "w") as file:
            for row in rows(classes(), options.random):
                file.write(json.dumps(row, separators=(",", ":"), sort_keys=True) + "\n")
                file.flush()
    else:
        sys.exit(compare(options.random))


def compare(number):
    """Says what the installed library counts otherwise than the record."""
    recorded = [json.loads(line) for line in RECORD.read_text().splitlines()]
    kinds = [row["kind"] for row in recorded if "kind" in row]
    known = {json.dumps([row.get("kind"), row.get("of"), row.get("with")], sort_keys=True): row for row in recorded}
    differ, found = 0, set()
    for row in rows(kinds, number):
        # Two draws may change nothing: one configuration twice.
        key = json.dumps([row.get("kind"), row.get("of"), row.get("with")], sort_keys=True)
        was = known.get(key)
        found.add(key)
        if was != json.loads(json.dumps(row)):
            differ += 1
            print(f"{row.get('kind') or row.get('of')}: {row['params']:,} parameters, recorded {was['params']:,}" if was else f"{key[:200]}: not recorded")
    for key in known.keys() - found:
        differ += 1
        print(f"{key[:200]}: recorded, and the library does not have it")
    print(f"transformers {transformers.__version__}: {len(recorded)} configurations, {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    main()
