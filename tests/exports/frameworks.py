"""One check a framework: it reads the file with the framework's own parser and raises where that refuses, or where what was read
is not what the scenario says."""

import ast
import contextlib
import copy
import functools
import importlib.util
import io
import json
import logging
import math
import os
import re
import shlex
import sys
from pathlib import Path
from unittest import mock

import torch
import yaml

import fsdp2


def stub_gpu():
    """Three answers that a parser wants of a GPU before it reads on: that there is an H100 or newer, and Transformer Engine's
    version (Megatron-LM and torchtitan's 8- and 4-bit converters ask)."""
    torch.cuda.get_device_capability = lambda *_: (10, 0)
    torch.cuda.get_device_properties = lambda *_: mock.Mock(major=10, minor=0)
    logging.disable(logging.WARNING)


@contextlib.contextmanager
def quiet(is_on):
    """Parsers greet and warn at length."""
    if not is_on:
        yield
        return
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def same(what, read, asked):
    if read != asked:
        raise ValueError(f"{what} was read as {read}, and is {asked}")


def module(path):
    """A Python file, run."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    made = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = made
    spec.loader.exec_module(made)
    return made


def differs(scenario, name):
    """Whether a note says that the model is another."""
    return any("parameters differ" in note or "one of its own" in note for note in scenario["notes"][name])


def has_adapters(scenario):
    return scenario["trained"]["method"] in ("Lora", "RsLora", "Dora")


# ---------------------------------------------------------------------------------------------------------------------------
def torchtitan(path, scenario):
    import torchtitan.components.quantization.float8 as float8
    import torchtitan.components.quantization.mx as mx
    import torchtitan.components.quantization.nvfp4 as nvfp4
    from torchtitan.config.manager import ConfigManager
    from torchtitan.distributed import ParallelDims

    for part in (float8, mx, nvfp4):
        part.has_cuda_capability = lambda *_: True
    module(path)
    with mock.patch.object(torch.cuda, "is_available", lambda: True):
        config = ConfigManager().parse_args(["--module", path.stem, "--config", "shardwise"])
    dims = ParallelDims.from_config(config.parallelism, scenario["gpus"])
    mesh = scenario["mesh"]
    for axis in ("dp_replicate", "dp_shard", "cp", "tp", "pp"):
        same(axis, getattr(dims, axis), mesh[axis])
    if dims.dp_shard * dims.cp * dims.tp % dims.ep:
        raise ValueError(f"ep {dims.ep} does not divide a shard group")
    batches = dims.dp_replicate * dims.dp_shard
    same("global batch", config.training.global_batch_size, scenario["global_batch"])
    in_step = config.training.local_batch_size * batches * (1 if dims.pp > 1 else scenario["grad_accum_steps"])
    same("batch of a step", in_step, scenario["global_batch"])
    model = config.model_spec.model
    model.update_from_config(config=config)
    if dims.pp > 1:
        held = [sum(name.startswith("layers.") for name in part) for part in config.parallelism.module_fqns_per_model_part]
        same("layers of all stages", sum(held), scenario["layers"])
        same("stages a GPU", len(held) % dims.pp, 0)
        from torch.distributed.pipelining.schedules import get_schedule_class

        get_schedule_class(config.parallelism.pipeline_parallel_schedule)
    # DeepEP is CUDA code, and 8- and 4-bit layers are built for a GPU.
    if "fp" not in scenario["compute"].lower() and "deepep" not in path.read_text():
        with torch.device("meta"):
            built = model.build()
        named = list(built.named_parameters())
        adapters = [(name, p) for name, p in named if ".lora_a." in name or ".lora_b." in name]
        if not differs(scenario, "torchtitan"):
            whole = sum(p.numel() for _, p in named) - sum(p.numel() for _, p in adapters)
            same("parameters", whole, scenario["params"])
        if has_adapters(scenario):
            same("trainable parameters", {n for n, p in named if p.requires_grad}, {n for n, _ in adapters})
            plain = scenario["is_llama"] and scenario["trained"]["method"] != "Dora" and not scenario["trained"]["frozen"]
            if plain and scenario["trained"]["targets"] != "QueryValue":
                same("adapters", sum(p.numel() for _, p in adapters), scenario["adapters"])


# ---------------------------------------------------------------------------------------------------------------------------
# What DeepSpeedConfig reads at the top level; it ignores anything else without a word.
DEEPSPEED_KEYS = {
    "train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps", "gradient_clipping", "optimizer",
    "zero_allow_untested_optimizer", "bf16", "fp16", "torch_autocast", "data_types", "communication_data_type", "zero_optimization",
    "tensor_parallel", "sequence_parallel_size", "pipeline", "expert_parallel", "activation_checkpointing",
}
# The same of the sections that are read key by key.
DEEPSPEED_SECTIONS = {
    "optimizer": {"type", "params"},
    "torch_autocast": {"enabled", "dtype"},
    "data_types": {"grad_accum_dtype"},
    "pipeline": {"stages", "activation_checkpoint_interval"},
    "expert_parallel": {"enabled", "autoep_size", "expert_tensor_parallel_size", "use_grouped_mm"},
    "activation_checkpointing": {"partition_activations", "cpu_checkpointing"},
}


def deepspeed(path, scenario):
    from deepspeed.module_inject.auto_ep_config import AutoEPConfig
    from deepspeed.runtime.activation_checkpointing.config import ACT_CHKPT_DEFAULT
    from deepspeed.runtime.config import DEEPSPEED_OPTIMIZERS, DeepSpeedConfig

    text = json.loads(path.read_text())
    same("unknown keys", set(text) - DEEPSPEED_KEYS, set())
    for section, known in DEEPSPEED_SECTIONS.items():
        same(f"unknown keys of {section}", set(text.get(section, {})) - known, set())
    same("keys of AutoEP", set(text.get("expert_parallel", {})) - set(AutoEPConfig.__dataclass_fields__), set())
    same("keys of recomputation", set(text.get("activation_checkpointing", {})) - set(ACT_CHKPT_DEFAULT), set())
    mesh = scenario["mesh"]
    replicas = mesh["dp_replicate"] * mesh["dp_shard"]
    degrees = mock.Mock(get_data_parallel_world_size=lambda: replicas)
    with mock.patch("deepspeed.comm.get_rank", lambda: 0):
        config = DeepSpeedConfig(str(path), mpu=degrees)
    same("global batch", config.train_batch_size, scenario["global_batch"])
    same("accumulation", config.gradient_accumulation_steps, scenario["grad_accum_steps"])
    tensor = text.get("tensor_parallel", {}).get("autotp_size", 1)
    pipeline = text.get("pipeline", {}).get("stages", 1)
    degree = replicas * tensor * pipeline * text.get("sequence_parallel_size", 1)
    same("product of degrees", degree, scenario["gpus"])
    if config.optimizer_name not in DEEPSPEED_OPTIMIZERS:
        # DeepSpeed takes PyTorch's own of that name.
        getattr(torch.optim, config.optimizer_name)
    same("GPUs left by hpZ's group", replicas % config.zero_config.zero_hpz_partition_size, 0)


# ---------------------------------------------------------------------------------------------------------------------------
def megatron_arguments(path):
    """The words of `ARGS=(...)`, and the variables that are exported."""
    lines = path.read_text().splitlines()
    exported = dict(line.removeprefix("export ").split("=") for line in lines if line.startswith("export "))
    begin, end = lines.index("ARGS=("), lines.index(")")
    return shlex.split("\n".join(lines[begin + 1 : end])), exported


def megatron(path, scenario):
    import megatron.core.utils
    import megatron.training.arguments as arguments
    from megatron.core.models.common.embeddings import rope_utils
    from megatron.core.transformer import transformer_config
    from megatron.training.argument_utils import core_transformer_config_from_args

    newest = lambda *_, **__: True  # noqa: E731
    for part in (arguments, megatron.core.utils, transformer_config):
        part.is_te_min_version = newest
    rope_utils.fused_apply_rotary_pos_emb = newest
    words, exported = megatron_arguments(path)
    environment = {"WORLD_SIZE": str(scenario["gpus"]), "RANK": "0", **exported}
    with mock.patch.dict(os.environ, environment), mock.patch.object(sys, "argv", ["pretrain_gpt.py", *words]):
        if "CUDA_DEVICE_MAX_CONNECTIONS" not in exported:
            os.environ.pop("CUDA_DEVICE_MAX_CONNECTIONS", None)
        try:
            read = arguments.parse_args()
        except SystemExit as unknown:
            raise ValueError(f"flags that argparse refuses in {words}") from unknown
        arguments.validate_args(read)
        config = core_transformer_config_from_args(read)
    mesh = scenario["mesh"]
    same("data parallelism", read.data_parallel_size, mesh["dp_replicate"] * mesh["dp_shard"])
    for axis, name in {"tp": "tensor", "pp": "pipeline", "ep": "expert"}.items():
        same(axis, getattr(config, f"{name}_model_parallel_size"), mesh[axis])
    same("cp", config.context_parallel_size, mesh["cp"])
    if scenario["mesh"]["ep"] * scenario["mesh"]["etp"] > 1:
        same("etp", config.expert_tensor_parallel_size, mesh["etp"])
        stage = scenario["gpus"] // mesh["pp"]
        same("GPUs left by the experts", stage % (mesh["ep"] * mesh["etp"]), 0)
    same("global batch", read.global_batch_size, scenario["global_batch"])
    same("layers", config.num_layers, scenario["layers"])
    if read.num_distributed_optimizer_instances > 1:
        same("groups", read.data_parallel_size % read.num_distributed_optimizer_instances, 0)


# ---------------------------------------------------------------------------------------------------------------------------
def accelerate(path, scenario):
    from accelerate.commands.config.config_args import load_config_from_file
    from accelerate.commands.launch import _validate_launch_command, launch_command_parser
    from accelerate.parallelism_config import ParallelismConfig
    from accelerate.utils import FullyShardedDataParallelPlugin
    from accelerate.utils.launch import prepare_multi_gpu_env

    load_config_from_file(str(path))
    text = yaml.safe_load(path.read_text())
    same("processes", text["num_processes"], scenario["gpus"])
    parser = launch_command_parser()
    # Sections are copied onto the launcher's arguments without a look at their names.
    known = {action.dest for action in parser._actions}
    for section, values in text.items():
        if isinstance(values, dict):
            prefix = {"deepspeed_config": ""}.get(section, "")
            same(f"unknown keys of {section}", {prefix + key for key in values} - known, set())
    read = parser.parse_args(["--config_file", str(path), "--machine_rank", "1", "--main_process_ip", "node", "train.py"])
    with mock.patch.dict(os.environ), mock.patch("accelerate.utils.launch.is_fp8_available", lambda: True):
        read, _, _ = _validate_launch_command(read)
        if text["distributed_type"] in ("FSDP", "MULTI_GPU", "MEGATRON_LM"):
            read.main_process_port = 29500
            with mock.patch("accelerate.utils.launch.is_port_in_use", lambda *_: False):
                os.environ.update(prepare_multi_gpu_env(read))
        mesh = scenario["mesh"]
        if text["distributed_type"] == "FSDP":
            plugin = FullyShardedDataParallelPlugin()
            same("FSDP version", plugin.fsdp_version, 2)
            same("resharding", plugin.reshard_after_forward, text["fsdp_config"]["fsdp_reshard_after_forward"])
            degrees = ParallelismConfig()
            same("product of degrees", degrees.total_size, scenario["gpus"])
            for axis in ("dp_replicate", "dp_shard", "cp", "tp"):
                same(axis, getattr(degrees, f"{axis}_size"), mesh[axis])
            if not degrees.dp_shard_enabled and not degrees.cp_enabled:
                raise ValueError("nothing is sharded")
        elif text["distributed_type"] == "MEGATRON_LM":
            degrees = [read.megatron_lm_tp_degree, read.megatron_lm_pp_degree, read.megatron_lm_context_parallel_size]
            same("degrees", degrees, [mesh["tp"], mesh["pp"], mesh["cp"]])


def pytorch(path, scenario):
    fsdp2.check(module(path), scenario)


# ---------------------------------------------------------------------------------------------------------------------------
@functools.cache
def llama(layers, **shape):
    """A Llama on the meta device."""
    from transformers import LlamaConfig, LlamaForCausalLM

    with torch.device("meta"):
        return LlamaForCausalLM(LlamaConfig(num_hidden_layers=layers, **shape))


# Adapters that were made.
SEEN = set()


def adapted(config, scenario):
    """PEFT makes the adapters that a configuration asks for on a Llama of the scenario's shape; their number is the engine's."""
    from peft import get_peft_model

    if not scenario["is_llama"] or config.target_parameters:
        return
    asked = (repr(config), scenario["layers"], repr(scenario["shape"]), scenario["adapters"])
    if asked in SEEN:
        return
    SEEN.add(asked)
    model = get_peft_model(copy.deepcopy(llama(scenario["layers"], **scenario["shape"])), config)
    named = [(name, p) for name, p in model.named_parameters() if p.requires_grad and "lora_" in name]
    same("adapters", sum(p.numel() for _, p in named), scenario["adapters"])
    saved = [name for name, p in model.named_parameters() if p.requires_grad and "modules_to_save" in name]
    same("embedding and head", bool(saved), scenario["trained"]["embeddings"])


def peft(path, scenario):
    from peft import PeftConfig

    text = json.loads(path.read_text())
    if not has_adapters(scenario):
        same("the file", text, {})
        return
    config = PeftConfig.from_pretrained(path.parent)
    same("unknown keys", set(text) - set(config.to_dict()), set())
    same("rank", config.r, scenario["trained"]["rank"])
    same("DoRA", config.use_dora, scenario["trained"]["method"] == "Dora")
    adapted(config, scenario)


# ---------------------------------------------------------------------------------------------------------------------------
def trainer(arguments, scenario, length):
    """What Hugging Face's Trainer was told."""
    same("batch", arguments.per_device_train_batch_size, scenario["micro_batch"])
    same("accumulation", arguments.gradient_accumulation_steps, scenario["grad_accum_steps"])
    same("sequence", length, scenario["seq"])


def half_formats():
    """The Trainer asks a GPU whether it has bf16."""
    import transformers.training_args as arguments

    return mock.patch.object(arguments, "is_torch_bf16_gpu_available", lambda: True)


def trl(path, scenario):
    from trl import ModelConfig, ScriptArguments, SFTConfig, TrlParser, get_peft_config, get_quantization_config
    from trl.scripts.utils import DatasetMixtureConfig

    parser = TrlParser((ScriptArguments, SFTConfig, ModelConfig, DatasetMixtureConfig))
    with mock.patch.dict(os.environ), half_formats():
        _, arguments, model, _ = parser.parse_args_and_config(["--config", str(path)])
    trainer(arguments, scenario, arguments.max_length)
    config = get_peft_config(model)
    same("adapters", config is not None, has_adapters(scenario))
    base, quantization = scenario["trained"]["base"], get_quantization_config(model)
    four, eight = (config is not None and base in bases for bases in (("Nf4", "Nf4Double"), ("Int8",)))
    same("4 bits", bool(quantization and quantization.load_in_4bit), four)
    same("8 bits", bool(quantization and quantization.load_in_8bit), eight)
    if four:
        same("nested scales", quantization.bnb_4bit_use_double_quant, base == "Nf4Double")
    if config is not None and not scenario["trained"]["frozen"]:
        adapted(config, scenario)


# ---------------------------------------------------------------------------------------------------------------------------
def axolotl(path, scenario):
    from axolotl.utils.config import validate_config
    from axolotl.utils.dict import DictDefault
    from axolotl.utils.schemas.config import AxolotlInputConfig

    text = yaml.safe_load(path.read_text())
    known = set(AxolotlInputConfig.model_fields)
    if text.get("plugins"):
        from axolotl.integrations.base import PluginManager
        from axolotl.integrations.liger.args import LigerArgs

        known |= set(LigerArgs.model_fields)
        for plugin in text["plugins"]:
            PluginManager.get_instance().register(plugin)
    same("unknown keys", set(text) - known, set())
    capabilities = {"bf16": True, "fp8": True, "n_gpu": scenario["gpus"], "n_node": 1, "compute_capability": "sm_90"}
    # CUDA code, which context parallelism looks for.
    sys.modules.setdefault("ring_flash_attn", mock.Mock(__version__="0.1.4"))
    with contextlib.chdir(path.parent):
        config = validate_config(DictDefault(text), capabilities, {"torch_version": "2.12.0"})
    same("batch", config.micro_batch_size, scenario["micro_batch"])
    same("accumulation", config.gradient_accumulation_steps, scenario["grad_accum_steps"])
    same("sequence", config.sequence_len, scenario["seq"])
    same("adapters", bool(config.adapter), has_adapters(scenario))
    mesh = scenario["mesh"]
    if config.fsdp_config and mesh["pp"] == 1:
        degrees = [config.dp_replicate_size, config.dp_shard_size, config.tensor_parallel_size, config.context_parallel_size]
        same("product of degrees", math.prod(degree or 1 for degree in degrees), scenario["gpus"])
    if scenario["trained"]["method"] == "Layers" and scenario["is_llama"]:
        trains = lambda name: any(re.match(pattern, name) for pattern in config.unfrozen_parameters)  # noqa: E731
        names = [name for name, _ in llama(scenario["layers"], **scenario["shape"]).named_parameters()]
        layers = {int(name.split(".")[2]) for name in names if trains(name) and ".layers." in name}
        same("layers that train", layers, set(range(scenario["trained"]["frozen"], scenario["layers"])))


# ---------------------------------------------------------------------------------------------------------------------------
def llama_factory(path, scenario):
    with mock.patch.dict(os.environ, {"DISABLE_VERSION_CHECK": "1"}):
        from llamafactory.hparams import get_train_args, parser
        from transformers.training_args import ParallelMode, TrainingArguments

        text = yaml.safe_load(path.read_text())
        with (
            mock.patch.object(TrainingArguments, "parallel_mode", ParallelMode.DISTRIBUTED),
            half_formats(),
            mock.patch.object(parser, "is_torch_bf16_gpu_available", lambda: True),
            mock.patch.object(parser, "check_version", lambda *_, **__: None),
        ):
            model, data, arguments, tuning, _ = get_train_args(text)
    # One token of a pack is kept back.
    trainer(arguments, scenario, data.cutoff_len + 1)
    same("method", tuning.finetuning_type, {"All": "full", "Layers": "freeze"}.get(scenario["trained"]["method"], "lora"))
    if tuning.finetuning_type == "lora":
        same("rank", tuning.lora_rank, scenario["trained"]["rank"])
        bits = {"Nf4": 4, "Nf4Double": 4, "Int8": 8}.get(scenario["trained"]["base"])
        same("bits", model.quantization_bit, bits)
    if tuning.finetuning_type == "freeze":
        same("layers", tuning.freeze_trainable_layers, scenario["layers"] - scenario["trained"]["frozen"])


# ---------------------------------------------------------------------------------------------------------------------------
@functools.cache
def parameters(function, package):
    """The parameters of a function of torchtune's, and those without a default, read from its source: 0.6.1 is the last release,
    and neither PyTorch nor torchao has kept what it imports."""
    for file in sorted(package.glob("**/*.py")):
        for node in ast.walk(ast.parse(file.read_text())) if f"def {function}(" in file.read_text() else ():
            if isinstance(node, ast.FunctionDef) and node.name == function:
                a = node.args
                plain = [x.arg for x in a.args[: len(a.args) - len(a.defaults)]]
                alone = [x.arg for x, default in zip(a.kwonlyargs, a.kw_defaults, strict=True) if default is None]
                return {x.arg for x in a.args + a.kwonlyargs}, set(plain + alone)
    raise ValueError(f"torchtune has no {function}")


def torchtune(path, scenario):
    text = yaml.safe_load(path.read_text())
    root = Path(importlib.util.find_spec("torchtune").origin).parent
    name = next(word for word in path.read_text().splitlines()[0].split() if "finetune" in word)
    code = (root.parent / "recipes" / f"{name}.py").read_text()
    wanted = set(re.findall(r"cfg\.([a-z_]+)\b(?!\()", code))
    same("keys that the recipe reads and the file lacks", wanted - {"get"} - set(text), set())
    read = wanted | set(re.findall(r"cfg\.get\(\s*\"([a-z_]+)\"", code))
    same("keys that the recipe does not read", set(text) - read - {"checkpoint", "output_dir"}, set())
    for section in ("model", "tokenizer"):
        arguments = dict(text[section])
        component = arguments.pop("_component_")
        module, function = component.rsplit(".", 1)
        known, needed = parameters(function, root.joinpath(*module.split(".")[1:]))
        same(f"arguments unknown to {component}", set(arguments) - known, set())
        same(f"arguments missing for {component}", needed - set(arguments), set())
    types = (root / "training" / "checkpointing" / "_utils.py").read_text()
    same("type of the checkpoint", f"{text['checkpointer']['model_type']}: str" in types, True)
    same("batch", text["batch_size"], scenario["micro_batch"])
    same("accumulation", text["gradient_accumulation_steps"], scenario["grad_accum_steps"])
    if has_adapters(scenario):
        same("rank", text["model"]["lora_rank"], scenario["trained"]["rank"])


ALL = {
    "PyTorch FSDP2": ("torch", "train_fsdp2.py", pytorch),
    "torchtitan": ("torchtitan", "shardwise_config.py", torchtitan),
    "DeepSpeed": ("deepspeed", "ds_config.json", deepspeed),
    "Megatron-LM": ("megatron-core", "megatron.sh", megatron),
    "Accelerate": ("accelerate", "accelerate.yaml", accelerate),
    "PEFT": ("peft", "adapter_config.json", peft),
    "TRL": ("trl", "trl.yaml", trl),
    "Axolotl": ("axolotl", "axolotl.yaml", axolotl),
    "LLaMA-Factory": ("llamafactory", "llamafactory.yaml", llama_factory),
    "torchtune": ("torchtune", "torchtune.yaml", torchtune),
}
READ_BY = {
    "PyTorch FSDP2": "a step of a small Llama on a fake process group",
    "torchtitan": "`ConfigManager`, `ParallelDims` and the model's `update_from_config`",
    "DeepSpeed": "`DeepSpeedConfig`",
    "Megatron-LM": "`parse_args`, `validate_args` and `TransformerConfig`",
    "Accelerate": "`load_config_from_file`, the launcher, the FSDP plugin and `ParallelismConfig`",
    "PEFT": "`PeftConfig.from_pretrained` and `get_peft_model` on Llamas",
    "TRL": "`TrlParser`, `get_peft_config` and `get_quantization_config`",
    "Axolotl": "`validate_config`",
    "LLaMA-Factory": "`get_train_args`",
    "torchtune": "the keys that its recipes read and the arguments of its builders, in the source",
}
