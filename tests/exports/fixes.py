"""Holds what the linter writes into the recorded files against the programs' own validation.

`cargo xtask test --exports` writes the files (examples/fixes) and runs this file. Recorded files hold what decides memory and speed
alone: data, folders and models are filled in. A file that its program refuses before it is changed says nothing about the change.
"""

import json
import os
import sys
import tempfile
import types
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parent))

import yaml  # noqa: E402

import frameworks  # noqa: E402


def axolotl(text):
    from axolotl.utils.config import validate_config
    from axolotl.utils.dict import DictDefault

    config = yaml.safe_load(text)
    config.setdefault("datasets", [{"path": "a", "type": "alpaca"}])
    config.setdefault("learning_rate", 1e-4)
    # A recorded file may name its only plugin without a list.
    if isinstance(config.get("plugins"), str):
        config["plugins"] = [config["plugins"]]
    for plugin in config.get("plugins") or ():
        from axolotl.integrations.base import PluginManager

        PluginManager.get_instance().register(plugin)
    capabilities = {"bf16": True, "fp8": True, "n_gpu": 8, "n_node": 1, "compute_capability": "sm_90"}
    # What it looks for and does not use here.
    sys.modules.setdefault("ring_flash_attn", mock.Mock(__version__="0.1.4"))
    sys.modules.setdefault("mistral_common", types.SimpleNamespace(__spec__=True))
    validate_config(DictDefault(config), capabilities, {"torch_version": "2.12.0"})


def deepspeed(text):
    from deepspeed.runtime.config import DeepSpeedConfig

    config = json.loads(text)

    # The Trainer fills in what is `auto`.
    def filled(value):
        return {k: filled(v) for k, v in value.items() if v != "auto"} if isinstance(value, dict) else value

    config = filled(config)
    config.setdefault("train_micro_batch_size_per_gpu", 1)
    with mock.patch("deepspeed.comm.get_rank", lambda: 0):
        DeepSpeedConfig(config, mpu=mock.Mock(get_data_parallel_world_size=lambda: 8))


def llama_factory(text):
    with mock.patch.dict(os.environ, {"DISABLE_VERSION_CHECK": "1"}):
        from llamafactory.hparams import get_train_args, parser
        from transformers.training_args import ParallelMode, TrainingArguments

        config = yaml.safe_load(text)
        # The DeepSpeed file is another one.
        config.pop("deepspeed", None)
        config |= {"dataset": config.get("dataset", "a"), "output_dir": config.get("output_dir", "a"), "do_train": True}
        with (
            mock.patch.object(TrainingArguments, "parallel_mode", ParallelMode.DISTRIBUTED),
            frameworks.half_formats(),
            mock.patch.object(parser, "is_torch_bf16_gpu_available", lambda: True),
            mock.patch.object(parser, "check_version", lambda *_, **__: None),
        ):
            get_train_args(config)


def trl(text):
    from trl import DPOConfig, GRPOConfig, ModelConfig, ScriptArguments, SFTConfig, TrlParser

    config = yaml.safe_load(text)
    kind = GRPOConfig if "num_generations" in config else DPOConfig if "beta" in config else SFTConfig
    config |= {"dataset_name": "a", "output_dir": "a", "report_to": "none"}
    # The recipes' own scripts have arguments of their own.
    known = {name for part in (kind, ModelConfig, ScriptArguments) for name in part.__dataclass_fields__}
    config = {key: value for key, value in config.items() if key in known}
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        yaml.safe_dump(config, file)
        file.flush()
        with mock.patch.dict(os.environ), frameworks.half_formats():
            TrlParser((ScriptArguments, kind, ModelConfig)).parse_args_and_config(["--config", file.name])


CHECKS = {"axolotl": axolotl, "deepspeed": deepspeed, "llama-factory": llama_factory, "trl": trl}


def error_of(check, path):
    """Why a program refuses a file; nothing if it accepts it."""
    try:
        with frameworks.quiet(True):
            check(path.read_text())
    except ImportError:
        raise
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    return ""


def main():
    folder = Path(sys.argv[1])
    frameworks.stub_gpu()
    accepted, skipped, failed = 0, 0, 0
    for program, check in CHECKS.items():
        if len(sys.argv) > 2 and program not in sys.argv[2:]:
            continue
        for path in sorted((folder / program).iterdir()):
            before = error_of(check, path / "before")
            after = error_of(check, path / "after")
            accepted += not after
            skipped += bool(before and after)
            if before:
                print(f"    {program}/{path.name} before the fix: {before}")
            elif after:
                failed += 1
                print(f"    {program}/{path.name}: {after}")
    print(f"test result: {'ok' if failed == 0 else 'FAILED'}. {accepted} passed; {failed} failed; {skipped} ignored")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
