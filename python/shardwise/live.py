"""Scenarios of live objects: the Trainer's arguments and model, Lightning's trainer."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from . import parameters, read

#: Attributes of TRL's arguments that are a length of texts.
LENGTHS = ("max_length", "max_seq_length", "max_completion_length", "response_length")
#: Arguments whose default decides and is therefore always told to the reader.
ALWAYS = ("per_device_train_batch_size", "gradient_accumulation_steps", "optim", "bf16", "fp16", "torch_compile")
#: Lightning's strategies by class: the scenario's strategy and framework.
LIGHTNING = {"DDPStrategy": ("ddp", "fsdp1"), "FSDPStrategy": ("full-shard", "fsdp1"),
             "DeepSpeedStrategy": (None, "deepspeed"), "SingleDeviceStrategy": ("ddp", "fsdp1")}
#: Lightning's precisions whose names are none of the scenario's.
PRECISIONS = {"32-true": "fp32"}


def scenario_of_trainer(args, model, values=()):
    """The link of the scenario of a Trainer's arguments and model, and notes on what was assumed.

    ``values`` are keywords of ``estimate`` that count more. What decides and is not known raises
    ``ValueError``, with what to give.
    """
    values = dict(values)
    if getattr(args, "n_gpu", 1) > 1:
        raise ValueError("nn.DataParallel is not modelled: start a process for each GPU, with torchrun.")
    if model is None or not hasattr(model, "config"):
        raise ValueError("The model has no config to read: give the scenario, as in shardwise.callback(model=…, seq=…).")
    told = _arguments(args)
    told["attn_implementation"] = getattr(model.config, "_attn_implementation", None)
    dtype = next((one.dtype for one in model.parameters() if one.is_floating_point()), None)
    told["dtype"] = str(dtype).replace("torch.", "") if dtype is not None else None
    lengths = {"seq", *_names("seq")} & set(values)
    if not any(getattr(args, name, None) for name in LENGTHS):
        if not lengths:
            raise ValueError("How long are the sequences? The Trainer's arguments do not say: give seq=….")
        told["block_size"] = values[lengths.pop()]
    texts = [told, model.config.to_dict(), *_adapters(model), *_launched(args, values)]
    if not {"cluster", "gpu"} & set(values):
        values.update(_own_gpu())
    in_node = int(os.environ.get("LOCAL_WORLD_SIZE", "0") or 0) or args.world_size
    if args.world_size > in_node and not {"cluster", "link"} & set(values):
        raise ValueError("Which cluster? The network between nodes decides the time of a step: give cluster=… or link=….")
    written = [json.dumps({key: value for key, value in text.items() if value is not None}, default=str) for text in texts]
    found = read(*(text.encode() for text in written), **values)
    if found["missing"] or found["kind"] != "run":
        raise ValueError(" ".join(found["missing"]) or "The Trainer's arguments could not be read: give the scenario.")
    return found["scenario"], [f"Assumed: {one['why']}" for one in found["assumed"]] + list(found["contradictions"])


def _arguments(args):
    """The arguments that were set, as a configuration's keys; defaults are the reader's."""
    told = args.to_dict()
    defaults = {}
    for field in dataclasses.fields(args):
        is_made = field.default_factory is not dataclasses.MISSING
        defaults[field.name] = field.default_factory() if is_made else field.default
    # Later releases have one of the names.
    told.setdefault("gradient_checkpointing", told.pop("activation_checkpointing", None))
    if isinstance(told.get("accelerator_config"), Mapping):
        fresh = type(args.accelerator_config)()
        told["accelerator_config"] = {key: value for key, value in told["accelerator_config"].items()
                                      if value != getattr(fresh, key, None)}
    for name in ("fsdp", "fsdp_config", "deepspeed", "hub_token", "push_to_hub_token"):
        told.pop(name, None)
    return {name: value for name, value in told.items()
            if value not in (None, [], {}) and (name in ALWAYS or value != defaults.get(name))}


def _adapters(model):
    """The configuration of the model's adapters, as PEFT writes it."""
    configs = getattr(model, "peft_config", None)
    if not isinstance(configs, Mapping):
        return []
    return [{key: sorted(value) if isinstance(value, set) else value for key, value in config.to_dict().items()}
            for config in list(configs.values())[:1]]


def _launched(args, values):
    """How the processes were launched, as Accelerate's and DeepSpeed's files say it."""
    kind = "MULTI_GPU" if args.world_size > 1 else "NO"
    more = []
    by_launcher = [name for name in ("FSDP", "DEEPSPEED") if os.environ.get(f"ACCELERATE_USE_{name}", "").lower() == "true"]
    launcher = {}
    if getattr(args, "deepspeed", None):
        kind, config = "DEEPSPEED", args.deepspeed
        more = [config if isinstance(config, Mapping) else json.loads(Path(config).read_text(encoding="utf-8"))]
    elif getattr(args, "fsdp", None):
        kind = "FSDP"
        own = {key.replace("fsdp_", ""): value for key, value in (getattr(args, "fsdp_config", None) or {}).items()}
        names = {"cpu_offload": "offload_params"}
        keys = ("version", "reshard_after_forward", "cpu_offload", "activation_checkpointing", "sharding_strategy")
        launcher["fsdp_config"] = {f"fsdp_{names.get(key, key)}": own[key] for key in keys if own.get(key) is not None}
    elif by_launcher and "strategy" not in values:
        raise ValueError(f"How are states sharded? Accelerate was started with {by_launcher[0]}, which the Trainer's arguments do "
                         "not show: give strategy=….")
    return [{"compute_environment": "LOCAL_MACHINE", "distributed_type": kind, "num_processes": args.world_size, **launcher},
            *more]


def lightning_values(trainer):
    """The values of a scenario that a Lightning trainer knows."""
    strategy = trainer.strategy
    name = type(strategy).__name__
    sharding, framework = LIGHTNING.get(name, (None, None))
    if name == "FSDPStrategy":
        sharding = getattr(getattr(strategy, "sharding_strategy", None), "name", sharding)
    elif name == "DeepSpeedStrategy":
        sharding = f"deepspeed_stage_{(strategy.config or {}).get('zero_optimization', {}).get('stage', 0)}"
    precision = str(trainer.precision)
    live = {"gpus": trainer.world_size, "accum": trainer.accumulate_grad_batches, "strategy": sharding,
            "framework": framework, "precision": PRECISIONS.get(precision, precision), **_own_gpu()}
    return {key: value for key, value in live.items() if value is not None}


def completed_by(given, live):
    """Given values with those of the live objects that nobody gave under any name."""
    own = {"precision": "recipe"}
    said = {key for key in live if {key, own.get(key, key), *_names(own.get(key, key))} & set(given)}
    if {"cluster", "gpu"} & set(given):
        said.add("gpu")
    return {**{key: value for key, value in live.items() if key not in said}, **given}


def _names(key):
    """Other names of a scenario's key."""
    return next((row["names"] for row in parameters() if row["key"] == key), [])


def _own_gpu():
    """The GPU of this process by its name, where the program has imported PyTorch."""
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    return {"gpu": cuda.get_device_name()} if cuda is not None and cuda.is_available() else {}
