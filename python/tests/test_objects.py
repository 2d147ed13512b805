"""Objects of Python, PyTorch and Hugging Face are read as what they are, or refused by name.

The classes here have what is looked for of the libraries' own: their modules, names and methods.
"""

import argparse
import dataclasses
import enum
import json
import os
import re
import struct
import sys
import tempfile
import types
import unittest
from pathlib import Path

import numpy
import shardwise

TESTS = Path(os.environ["SHARDWISE_TESTS"])
HARDWARE = {"cluster": "dgx-h100", "gpus": 8, "seq": 4096, "mbs": 1}
SCENARIO = {"model": "llama-3-8b", **HARDWARE}
#: The shape of no model of the catalog.
SHAPE = {
    **json.loads((TESTS / "configs" / "llama-3.1-8b.json").read_text()), "num_hidden_layers": 17,
}


class ShardingStrategy(enum.Enum):
    """As torch.distributed.fsdp's, whose values count the members."""

    FULL_SHARD = enum.auto()
    SHARD_GRAD_OP = enum.auto()
    HYBRID_SHARD = enum.auto()


class Stage(enum.IntEnum):
    GRADIENTS = 2


class Optimizer(str, enum.Enum):
    ADAMW_TORCH_FUSED = "adamw_torch_fused"


class PretrainedConfig:
    def __init__(self, fields):
        self.fields = fields

    def to_dict(self):
        return self.fields


class LoraConfig(PretrainedConfig):
    pass


LORA = LoraConfig({"peft_type": Optimizer, "r": 64, "lora_alpha": 8, "target_modules": {"q_proj", "v_proj"}})
LORA.fields["peft_type"] = "LORA"


class TrainingArguments:
    """Some fields of the class in transformers; its ``to_dict`` gives enums as their values."""

    def to_dict(self):
        return {
            "output_dir": "out", "per_device_train_batch_size": 4, "gradient_checkpointing": True, "bf16": True,
            "optim": Optimizer.ADAMW_TORCH_FUSED, "fsdp": [], "deepspeed": None, "learning_rate": 5e-5, "push_to_hub": False,
        }


class SFTConfig(TrainingArguments):
    def to_dict(self):
        return {**TrainingArguments.to_dict(self), "max_length": 2048}


def of_torch(name, module, **members):
    """A class of a library that is not installed."""
    return type(name, (), {"__module__": module, **members})


Module = of_torch(
    "Module", "torch.nn.modules.module",
    parameters=lambda self: [of_torch("Parameter", "torch", numel=lambda self: 1000)()],
)


class Network(Module):
    pass


class Values(unittest.TestCase):
    def same(self, values, own):
        self.assertEqual(shardwise.estimate(SCENARIO, **values)["link"], shardwise.estimate(SCENARIO, **own)["link"])

    def test_members_of_enums(self):
        self.same({"strategy": ShardingStrategy.HYBRID_SHARD}, {"strategy": "hybrid-shard"})
        self.same({"zero_stage": Stage.GRADIENTS}, {"strategy": "zero2"})
        self.same({"optim": Optimizer.ADAMW_TORCH_FUSED}, {"optim": "adamw_torch_fused"})

    def test_formats_of_numbers(self):
        dtype = of_torch("dtype", "torch", __str__=lambda self: "torch.float32")
        for value in (dtype(), numpy.dtype("float32"), "torch.float32"):
            self.same({"dtype": value}, {"recipe": "fp32"})
        self.same({"dtype": "torch.bfloat16"}, {"bf16": True})

    def test_numbers_of_numpy(self):
        for value in (numpy.int64(16), numpy.float64(16), numpy.array(16)):
            self.same({"gpus": value}, {"gpus": 16})

    def test_spellings_of_frameworks(self):
        for values, own in [
            ({"training.seq_len": 8192}, {"seq": 8192}),
            ({"parallelism.tensor_parallel_degree": 2}, {"tp": 2}),
            ({"--tensor-model-parallel-size": 2}, {"tp": 2}),
            ({"zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}}, {"strategy": "zero2", "offloadopt": True}),
            ({"offload_optimizer": "cpu"}, {"offloadopt": True}),
            ({"use_qlora": True}, {"train": "lora", "base": "nf4"}),
            ({"use_peft": True}, {"train": "lora"}),
            ({"float8": True}, {"compute": "fp8"}),
        ]:
            base = {key: value for key, value in SCENARIO.items() if key not in own}
            self.assertEqual(shardwise.estimate({**base, **values})["link"], shardwise.estimate({**base, **own})["link"], values)
        self.assertEqual(
            shardwise.estimate(model="llama-3-8b", hardware="8xH100", seq=4096, mbs=1)["link"], shardwise.estimate(SCENARIO)["link"]
        )

    def test_what_says_no_value_is_refused_by_name(self):
        for values, error, said in [
            ({"mbs": True}, ValueError, "“mbs” is a number, not True"),
            ({"per_device_train_batch_size": False}, ValueError, "is a number, not False"),
            ({"gpus": numpy.array([8, 8])}, TypeError, "numpy.ndarray"),
            ({"strategy": PretrainedConfig(SHAPE)}, TypeError, "“strategy” cannot be .*PretrainedConfig"),
            ({"gpus": object()}, TypeError, "not object"),
            ({"use_lora": False}, ValueError, "give use_lora=yes, or leave it out"),
            ({"nproc_per_node": 8}, TypeError, "give gpus"),
            ({"torch_dtype": "bfloat16"}, TypeError, "precision=bf16"),
            ({"lora_alpha": 8}, TypeError, "neither memory nor speed"),
        ]:
            with self.assertRaisesRegex(error, said):
                shardwise.estimate(SCENARIO, **values)


class Models(unittest.TestCase):
    def test_a_config_is_the_model_of_a_run(self):
        config = PretrainedConfig(SHAPE)
        network = Network()
        network.config = config
        links = {
            shardwise.estimate(**call)["link"]
            for call in (
                {"model": config, **HARDWARE},
                {"scenario": {"model": config, **HARDWARE}},
                {"scenario": SCENARIO, "model": config},
                {"scenario": "model=gpt2&cluster=dgx-h100&gpus=8&seq=4096&mbs=1", "model": config},
                {"scenario": shardwise.link(SCENARIO), "model": config},
                {"scenario": shardwise.estimate(SCENARIO), "model": config},
                {"model": network, **HARDWARE},
            )
        }
        self.assertEqual(len(links), 1, links)
        self.assertIn("layers=17", links.pop())
        # Nothing else is taken for said.
        with self.assertRaisesRegex(ValueError, "Which GPU"):
            shardwise.estimate(model=config, gpus=8)

    def test_a_path_is_its_config(self):
        own = shardwise.estimate(SCENARIO)["link"]
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "config.json"
            config.write_text((TESTS / "configs" / "llama-3.1-8b.json").read_text())
            for path in (config, Path(folder)):
                self.assertEqual(shardwise.estimate(model=path, **HARDWARE)["link"], own)
        with self.assertRaises(FileNotFoundError):
            shardwise.estimate(model=config, **HARDWARE)

    def test_an_adapter_is_what_trains(self):
        own = shardwise.estimate(SCENARIO, train="lora", rank=64, targets="qv")["link"]
        self.assertEqual(shardwise.estimate(SCENARIO, adapter=LORA)["link"], own)
        # A rank as the usual one replaces the scenario's.
        usual = LoraConfig({**LORA.fields, "r": 16})
        changed = shardwise.estimate(shardwise.link(SCENARIO, train="lora", rank=64), adapter=usual)
        self.assertEqual(changed["scenario"]["rank"], 16)

    def test_a_module_without_a_config_is_refused(self):
        for call in (lambda: shardwise.estimate(model=Network(), **HARDWARE), lambda: shardwise.read(Network())):
            with self.assertRaisesRegex(TypeError, "Network is a module without a config.*size=1000"):
                call()
        with self.assertRaisesRegex(TypeError, "model=config"):
            shardwise.estimate(PretrainedConfig(SHAPE))
        with self.assertRaisesRegex(TypeError, "does not describe the model"):
            shardwise.estimate(model=LORA, **HARDWARE)


class Scenarios(unittest.TestCase):
    def test_namespaces_and_dataclasses(self):
        own = shardwise.estimate(SCENARIO)["link"]
        fields = dataclasses.make_dataclass("Arguments", [(key, object, value) for key, value in SCENARIO.items()])
        for scenario in (argparse.Namespace(**SCENARIO, optim=None), fields()):
            self.assertEqual(shardwise.estimate(scenario)["link"], own)
        with self.assertRaisesRegex(TypeError, "learning_rate"):
            shardwise.estimate(argparse.Namespace(**SCENARIO, learning_rate=0.1))

    def test_omegaconf(self):
        library = types.ModuleType("omegaconf")
        library.OmegaConf = types.SimpleNamespace(to_container=lambda config, resolve: config.own)
        config = of_torch("DictConfig", "omegaconf.dictconfig", own=SCENARIO)()
        sys.modules["omegaconf"] = library
        try:
            self.assertEqual(shardwise.estimate(config)["link"], shardwise.estimate(SCENARIO)["link"])
        finally:
            del sys.modules["omegaconf"]


class Files(unittest.TestCase):
    def test_configs_are_read(self):
        for given in (PretrainedConfig(SHAPE), SHAPE, json.dumps(SHAPE)):
            brought = shardwise.read(given)
            self.assertEqual((brought["kind"], "layers=17" in brought["scenario"]), ("model", True))
        self.assertEqual(shardwise.read(LORA)["kind"], "adapter")
        self.assertEqual(shardwise.read(numpy.array([100, 300]))["kind"], "lengths")
        with (TESTS / "configs" / "llama-3.1-8b.json").open() as file:
            self.assertEqual(shardwise.read(file)["kind"], "model")

    def test_training_arguments_are_read_by_their_fields(self):
        brought = shardwise.read(SFTConfig(), PretrainedConfig(SHAPE), LORA, cluster="dgx-h100", gpus=8)
        self.assertEqual((brought["kind"], brought["missing"], brought["unread"]), ("run", [], []))
        scenario = shardwise.estimate(brought["scenario"])["scenario"]
        self.assertEqual(
            [scenario[key] for key in ("mbs", "seq", "recompute", "train", "rank", "layers")], [4, 2048, "full", "lora", 64, 17]
        )
        self.assertIn("TRL", brought["said"])
        # The class says what is trained for, and one's own is read as that of its library.
        for name, objective in (("DPOConfig", "dpo"), ("GRPOConfig", "grpo"), ("RewardConfig", "reward")):
            library = of_torch(name, "trl.trainer", to_dict=SFTConfig.to_dict)
            for own in (type(name, (library, TrainingArguments), {}), type("Own", (library, TrainingArguments), {})):
                self.assertIn(f"objective={objective}", shardwise.read(own())["scenario"])
        self.assertIn("Which model", shardwise.read(TrainingArguments())["missing"][0])

    def test_what_holds_no_configuration_is_refused_by_name(self):
        for given in (object(), 7, None, PretrainedConfig, lambda: 1):
            with self.assertRaisesRegex(TypeError, rf"read: (\w+\.)?{type(given).__name__} is not something to read"):
                shardwise.read(given)


class Notebooks(unittest.TestCase):
    def test_a_report_is_a_dict_that_a_notebook_shows(self):
        report = shardwise.estimate(SCENARIO)
        plain = json.loads(json.dumps(report))
        self.assertEqual((report, repr(report)), (plain, repr(plain)))
        for shown in (report, shardwise.rank(SCENARIO, top=1)["layouts"][0]["report"], shardwise.understand("8b on 8 h100")["report"]):
            html = shown._repr_html_()
            self.assertIn(shown["link"].replace("&", "&amp;"), html)
            self.assertIn(f"{shown['fit_odds']:.0%}", html)

    def test_figures_are_drawn(self):
        region, curve = shardwise.figure(SCENARIO), shardwise.figure(SCENARIO, "num_gpus", metric="days", dark=True)
        self.assertNotEqual(region.svg, curve.svg)
        self.assertIn("Time to train", repr(curve))
        self.assertTrue(region._repr_svg_().startswith("<svg") and "model=llama-3-8b" in region.svg)
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(region.save(Path(folder) / "region.svg").read_text(encoding="utf-8"), region.svg)
            with self.assertRaisesRegex(ValueError, "not “region.pdf”"):
                region.save(Path(folder) / "region.pdf")
        for axes, error, said in [
            ("strategy", ValueError, "No figure"),
            (("seq", "seq"), ValueError, "No figure"),
            (("seq", "size", "gpus"), ValueError, "No figure"),
            ((), ValueError, "one or two"),
            ("no_such", TypeError, "not a parameter"),
        ]:
            with self.assertRaisesRegex(error, said):
                shardwise.figure(SCENARIO, axes)
        with self.assertRaisesRegex(ValueError, "Which GPU.*"):
            shardwise.figure({"model": "llama-3-8b"}, "gpus")
        self.assertIn("<svg", shardwise.figure({key: value for key, value in SCENARIO.items() if key != "gpus"}, "gpus").svg)
        with self.assertRaisesRegex(ValueError, "not a metric"):
            shardwise.figure(SCENARIO, "seq", metric="speed")
        with self.assertRaisesRegex(ValueError, "no size"):
            shardwise.figure(SCENARIO, width=0)

    def test_figures_are_painted(self):
        small = shardwise.figure(SCENARIO, width=240, height=160)
        whole = small.png(1)
        self.assertTrue(whole.startswith(b"\x89PNG\r\n"))
        # Letters and the field are painted, too.
        for part in (r"<text.*?</text>", r"<image[^>]*>"):
            without = re.sub(part, "", small.svg, flags=re.DOTALL)
            self.assertNotEqual(without, small.svg)
            self.assertNotEqual(type(small)(without).png(1), whole, part)
        (width, height), double = (struct.unpack(">II", small.png(scale)[16:24]) for scale in (1, 2))
        self.assertEqual((width, double), (240, (480, 2 * height)))
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(small.save(Path(folder) / "region.png", scale=1).read_bytes(), whole)
        for scale in (0, float("nan"), 9):
            with self.assertRaisesRegex(ValueError, "scale"):
                small.png(scale)
        with self.assertRaisesRegex(ValueError, "100 million pixels"):
            shardwise.figure(SCENARIO, "gpus", width=4000, height=4000).png(4)
        with self.assertRaisesRegex(ValueError, "could not be painted"):
            type(small)("no SVG").png()

    def test_settings_are_exported(self):
        written = shardwise.export(SCENARIO, "LLaMA-Factory", seq=2048)
        ((name, text),) = written["files"].items()
        self.assertEqual((written["program"], name), ("llama-factory", "llamafactory.yaml"))
        self.assertIn("cutoff_len: 2048", text)
        with self.assertRaisesRegex(ValueError, "Did you mean “axolotl”"):
            shardwise.export(SCENARIO, "axolotel")

    def test_only_public_names_are_listed(self):
        public = [name for name in dir(shardwise) if not name.startswith("__")]
        self.assertEqual(sorted([*shardwise.__all__, "Widget"]), public)
        for name in shardwise.__all__:
            self.assertTrue(getattr(shardwise, name).__doc__, name)

    def test_a_widget_without_anywidget_says_what_to_install(self):
        hidden = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] in ("anywidget",)}
        hidden.update({"shardwise.widget": sys.modules.pop("shardwise.widget")} if "shardwise.widget" in sys.modules else {})
        sys.modules["anywidget"] = None
        try:
            with self.assertRaisesRegex(ImportError, r"pip install shardwise\[widget\]"):
                shardwise.Widget  # noqa: B018
        finally:
            del sys.modules["anywidget"]
            sys.modules.update(hidden)


if __name__ == "__main__":
    unittest.main()
