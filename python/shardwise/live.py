"""Scenarios of live objects: the Trainer's arguments and model, Lightning's trainer."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from . import parameters, read

#: Attributes of TRL's arguments that are a length of texts.
LENGTHS = ("max_length", "max_seq_length", "max_completion_length", "response_length")
#: Arguments whose default decides and is therefore always told to the reader.
ALWAYS = ("per_device_train_batch_size", "gradient_accumulation_steps", "gradient_checkpointing", "optim", "bf16", "fp16",
          "torch_compile", "num_generations", *LENGTHS)
#: What trains by the class of the Trainer's arguments: its keys may all have their defaults.
OBJECTIVES = {"SFTConfig": "lm", "DPOConfig": "dpo", "ORPOConfig": "orpo", "KTOConfig": "kto", "RewardConfig": "reward",
              "GRPOConfig": "grpo", "TrainingArguments": "lm"}
#: Lightning's strategies by class: the scenario's strategy and framework.
LIGHTNING = {"DDPStrategy": ("ddp", "fsdp1"), "FSDPStrategy": ("full-shard", "fsdp1"),
             "DeepSpeedStrategy": ("ddp", "deepspeed"), "SingleDeviceStrategy": ("ddp", "fsdp1")}
#: Lightning's precisions by framework: its FSDP gathers and reduces in 16 bits
#: (plugins/precision/fsdp.py), DeepSpeed keeps an fp32 copy of 16-bit weights.
PRECISIONS = {
    "ddp": {"bf16-mixed": "autocast", "16-mixed": "autocast", "bf16-true": "pure-bf16", "32-true": "fp32"},
    "fsdp": {"bf16-mixed": "fsdp2-bf16-reduce16", "16-mixed": "fsdp2-bf16-reduce16", "bf16-true": "pure-bf16", "32-true": "fp32"},
    "deepspeed": {"bf16-mixed": "zero-mixed", "16-mixed": "zero-mixed", "bf16-true": "zero-mixed", "32-true": "fp32"},
}
#: What a run of Lightning is asked for where its trainer has something that no row knows.
ASKED = {"strategy": "How are states sharded?", "recipe": "Which precision?"}


def scenario_of_trainer(
    args: Any, model: Any, values: Mapping[str, Any] = MappingProxyType({})
) -> tuple[str, list[str]]:
    """The link of the scenario of a Trainer's arguments and model, and notes on what was assumed.

    ``values`` are keywords of ``estimate`` that count more. What decides and is not known raises
    ``ValueError``, with what to give.
    """
    given: Any = dict(values)
    if getattr(args, "n_gpu", 1) > 1:
        raise ValueError("nn.DataParallel is not modelled: start a process for each GPU, with torchrun.")
    if model is None or not hasattr(model, "config"):
        raise ValueError("The model has no config to read: give the scenario, as in "
                         "shardwise.callback({'model': …, 'seq': …}).")
    told = _arguments(args)
    told["attn_implementation"] = getattr(model.config, "_attn_implementation", None)
    dtype = next((one.dtype for one in model.parameters() if one.is_floating_point()), None)
    told["dtype"] = str(dtype).replace("torch.", "") if dtype is not None else None
    if "objective" not in given:
        given["objective"] = _objective(args)
    lengths = {"seq", *_names("seq")} & set(given)
    if not any(getattr(args, name, None) for name in LENGTHS):
        if not lengths:
            raise ValueError("How long are the sequences? The Trainer's arguments do not say: give seq=….")
        told["block_size"] = given[lengths.pop()]
    texts = [told, model.config.to_dict(), *_adapters(model), *_launched(args, given)]
    if not {"cluster", "gpu"} & set(given):
        given.update(_own_gpu())
    in_node = int(os.environ.get("LOCAL_WORLD_SIZE", "0") or 0) or args.world_size
    if args.world_size > in_node and not {"cluster", "link"} & set(given):
        raise ValueError("Which cluster? The network between nodes decides the time of a step: give cluster=… or link=….")
    written = [json.dumps({key: value for key, value in text.items() if value is not None}, default=str) for text in texts]
    found = read(*(text.encode() for text in written), **given)
    if found["missing"] or found["kind"] != "run":
        raise ValueError(" ".join(found["missing"]) or "The Trainer's arguments could not be read: give the scenario.")
    notes = [f"Assumed: {one['why']}" for one in found["assumed"]]
    return found["scenario"], notes + list(found["contradictions"])


def _objective(args: Any) -> str:
    """What trains, by the nearest class that is known; another class of TRL is asked about."""
    for kind in type(args).__mro__:
        if kind.__name__ in OBJECTIVES:
            return OBJECTIVES[kind.__name__]
        if kind.__module__.split(".")[0] == "trl" and kind.__name__.endswith("Config"):
            raise ValueError(f"What does {kind.__name__} train? Give objective=…, or the scenario.")
    return "lm"


def _arguments(args: Any) -> dict[str, Any]:
    """The arguments that were set, as a configuration's keys; defaults are the reader's."""
    told: dict[str, Any] = args.to_dict()
    defaults: dict[str, Any] = {}
    for field in dataclasses.fields(args):
        make = field.default_factory
        defaults[field.name] = field.default if make is dataclasses.MISSING else make()
    # Later releases have one of the names.
    told.setdefault("gradient_checkpointing", told.pop("activation_checkpointing", None))
    if isinstance(told.get("accelerator_config"), Mapping):
        fresh = type(args.accelerator_config)()
        told["accelerator_config"] = {key: value for key, value in told["accelerator_config"].items()
                                      if value != getattr(fresh, key, None)}
    # TRL completes these: with its defaults, a generation is of one step.
    of_step = args.per_device_train_batch_size * args.world_size * args.gradient_accumulation_steps
    if told.get("generation_batch_size") == of_step and told.get("steps_per_generation") == args.gradient_accumulation_steps:
        told.pop("generation_batch_size")
        told.pop("steps_per_generation")
    for name in ("fsdp", "fsdp_config", "deepspeed", "hub_token", "push_to_hub_token"):
        told.pop(name, None)
    return {name: value for name, value in told.items()
            if value not in (None, [], {}) and (name in ALWAYS or value != defaults.get(name))}


def _adapters(model: Any) -> list[dict[str, Any]]:
    """The configuration of the model's adapters, as PEFT writes it."""
    configs = getattr(model, "peft_config", None)
    if not isinstance(configs, Mapping):
        return []
    return [{key: sorted(value) if isinstance(value, set) else value for key, value in config.to_dict().items()}
            for config in list(configs.values())[:1]]


def _launched(args: Any, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """How the processes were launched, as Accelerate's and DeepSpeed's files say it."""
    kind = "MULTI_GPU" if args.world_size > 1 else "NO"
    more: list[dict[str, Any]] = []
    by_launcher = [name for name in ("FSDP", "DEEPSPEED") if os.environ.get(f"ACCELERATE_USE_{name}", "").lower() == "true"]
    launcher: dict[str, Any] = {}
    if getattr(args, "deepspeed", None):
        kind, config = "DEEPSPEED", args.deepspeed
        more = [dict(config) if isinstance(config, Mapping) else json.loads(Path(config).read_text(encoding="utf-8"))]
    elif getattr(args, "fsdp", None):
        kind = "FSDP"
        own = {key.replace("fsdp_", ""): value for key, value in (getattr(args, "fsdp_config", None) or {}).items()}
        own.update(_in_words(args.fsdp))
        names = {"cpu_offload": "offload_params"}
        keys = ("version", "reshard_after_forward", "cpu_offload", "activation_checkpointing", "sharding_strategy")
        launcher["fsdp_config"] = {f"fsdp_{names.get(key, key)}": own[key] for key in keys if own.get(key) is not None}
    elif by_launcher and "strategy" not in values:
        raise ValueError(f"How are states sharded? Accelerate was started with {by_launcher[0]}, which the Trainer's arguments do "
                         "not show: give strategy=….")
    return [{"compute_environment": "LOCAL_MACHINE", "distributed_type": kind, "num_processes": args.world_size, **launcher},
            *more]


def _in_words(fsdp: Any) -> dict[str, Any]:
    """What ``fsdp`` said before transformers 5: words such as ``shard_grad_op``, of FSDP1."""
    listed = fsdp.split() if isinstance(fsdp, str) else fsdp if isinstance(fsdp, (list, tuple)) else []
    words = {str(getattr(word, "value", word)) for word in listed}
    sharding = next((word for word in sorted(words) if word.endswith("shard") or word.startswith(("shard_", "hybrid_"))), None)
    found: dict[str, Any] = {"version": 1, "sharding_strategy": sharding.upper()} if sharding else {}
    return {**found, **({"cpu_offload": True} if "offload" in words else {})}


def lightning_values(trainer: Any) -> dict[str, Any]:
    """The values of a scenario that a Lightning trainer knows."""
    strategy = trainer.strategy
    name = type(strategy).__name__
    sharding, framework = LIGHTNING.get(name, (None, None))
    if name == "FSDPStrategy":
        sharding = getattr(getattr(strategy, "sharding_strategy", None), "name", sharding)
    elif name == "DeepSpeedStrategy":
        stage = (strategy.config or {}).get("zero_optimization", {}).get("stage", 0)
        sharding = f"deepspeed_stage_{stage}" if stage else sharding
    kind = {"FSDPStrategy": "fsdp", "DeepSpeedStrategy": "deepspeed"}.get(name, "ddp")
    live = {"gpus": trainer.world_size, "accum": trainer.accumulate_grad_batches, "strategy": sharding,
            "framework": framework, "recipe": PRECISIONS[kind].get(str(trainer.precision)), **_own_gpu()}
    return {key: value for key, value in live.items() if value is not None}


def completed_by(given: Mapping[str, Any], live: Mapping[str, Any]) -> dict[str, Any]:
    """Given values with those of the live objects that nobody gave under any name.

    A strategy or a precision that is neither given nor known raises ``ValueError``.
    """
    said = {key for key in {*live, *ASKED} if {key, *_names(key)} & set(given)}
    if {"cluster", "gpu"} & set(given):
        said.add("gpu")
    for key, question in ASKED.items():
        if key not in said and key not in live:
            raise ValueError(f"{question} That of this trainer is not known: give {key}=….")
    return {**{key: value for key, value in live.items() if key not in said}, **given}


def _names(key: str) -> list[str]:
    """Other names of a scenario's key."""
    return next((row["names"] for row in parameters() if row["key"] == key), [])


def _own_gpu() -> dict[str, str]:
    """The GPU of this process by its name, where the program has imported PyTorch."""
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    return {"gpu": cuda.get_device_name()} if cuda is not None and cuda.is_available() else {}
