"""A watched run: statistics by a fake clock, real trainers where they are installed, histories, rows."""

import argparse
import contextlib
import csv
import dataclasses
import importlib.util
import io
import json
import os
import re
import struct
import sys
import tempfile
import types
import unittest
import warnings
from pathlib import Path
from unittest import mock

import shardwise
from shardwise.expected import beside
from shardwise.live import completed_by, lightning_values, scenario_of_trainer
from shardwise.rows import append_row
from shardwise.steps import statistics
from shardwise.watching import Watch

TESTS = Path(os.environ["SHARDWISE_TESTS"])
RUN = {"model": "llama-3-8b", "cluster": "dgx-h100", "gpus": 8, "seq": 4096, "mbs": 1}
CONFIG = json.loads((TESTS / "configs" / "llama-3.1-8b.json").read_text())
REPORT = shardwise.estimate(RUN)
STEP = REPORT["step_time_s"]


def missing(*names):
    """What a test lacks, for its skip."""
    return [name for name in names if importlib.util.find_spec(name) is None]


class Clock:
    """A clock that the test sets."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def watched(times, report=REPORT, **options):
    """A watch after steps of these times in seconds, and its lines."""
    clock, said = Clock(), []
    watch = Watch(report, log=said.append, clock=clock, **options)
    for time in times:
        clock.now += time
        watch.step()
    return watch, said


class Statistics(unittest.TestCase):
    def test_the_warm_up_is_left_out_and_a_pause_does_not_count(self):
        own = statistics([9.0, 5.0] + [1.0] * 7 + [30.0])
        self.assertEqual((own["steps"], own["step_time_s"], own["basis"]), (8, 1.0, "median"))
        # Later windows have no warm-up.
        self.assertEqual(statistics([2.0, 1.0, 1.0], is_first=False)["steps"], 3)

    def test_a_host_that_is_ahead_of_the_gpu_is_measured_by_the_mean(self):
        # Nine steps are launched in no time, the tenth waits for all of them.
        times = [0.01] * 9 + [9.91]
        self.assertAlmostEqual(statistics(times, is_first=False)["step_time_s"], 0.01)
        own = statistics(times, is_first=False, ahead=8.9)
        self.assertEqual((round(own["step_time_s"], 6), own["basis"]), (1.0, "mean"))

    def test_steps_of_different_lengths_are_a_rate(self):
        own = statistics([1.0, 3.0], tokens=[100, 300], is_first=False)
        self.assertEqual((own["tokens_per_step"], own["step_time_s"], own["basis"]), (200.0, 2.0, "mean"))


class Expected(unittest.TestCase):
    def test_it_is_the_report_with_its_ranges(self):
        expected = shardwise.expect(**RUN)
        self.assertEqual(expected["step_time_s"], {"expected": STEP, **REPORT["band"]["step_time_s"]})
        self.assertEqual(expected["mfu"]["expected"], REPORT["mfu"])
        allocated = expected["max_memory_allocated_bytes"]
        self.assertEqual(allocated["expected"], REPORT["memory_bytes"]["allocated"])
        # The range of measured over predicted peaks is of every kind of peak.
        needed = REPORT["band"]["needed_memory_bytes"]["high"] / REPORT["needed_memory_bytes"]
        self.assertAlmostEqual(allocated["high"] / allocated["expected"], needed)
        self.assertGreater(expected["max_memory_reserved_bytes"]["expected"], allocated["expected"])
        with self.assertRaisesRegex(ValueError, "Which model"):
            shardwise.expect(gpus=8, seq="4k")

    def test_a_run_without_a_measured_range_says_so(self):
        run = {"model": "qwen2.5-7b", "cluster": "dgx-h100", "gpus": 8, "seq": 4096, "mbs": 1, "objective": "grpo"}
        report = shardwise.estimate(run, assume=True)
        self.assertIsNone(shardwise.expect(run, assume=True)["step_time_s"]["low"])
        compared = beside(report, {"step_time_s": 3 * report["step_time_s"]})
        self.assertEqual((compared["inside"]["step_time_s"], compared["causes"]), (None, []))


class Watched(unittest.TestCase):
    def test_it_reports_at_the_steps_asked_for(self):
        watch, said = watched([5 * STEP] + [STEP] * 9 + [1.1 * STEP] * 20, at=(10, 30))
        report = watch.report()
        self.assertEqual((report["step"], report["measured"]["steps"]), (30, 20))
        self.assertAlmostEqual(report["measured"]["step_time_s"], 1.1 * STEP)
        self.assertAlmostEqual(report["measured"]["mfu"], REPORT["mfu"] / 1.1)
        self.assertAlmostEqual(report["measured"]["tokens_per_s_per_gpu"], REPORT["tokens_per_s_per_gpu"] / 1.1)
        self.assertEqual((set(report["inside"].values()), report["causes"]), ({True}, []))
        self.assertEqual(sum(line.startswith("shardwise, step") for line in said), 2)

    def test_a_scenario_is_that_of_estimate(self):
        for watch in (shardwise.watch(RUN), shardwise.watch(**RUN), shardwise.watch(REPORT["link"]), shardwise.watch(REPORT)):
            self.assertEqual(watch.scenario, REPORT["link"])
        # A namespace with a name of the Trainer's is no TrainingArguments.
        given = {key: value for key, value in RUN.items() if key != "mbs"}
        own = argparse.Namespace(**given, per_device_train_batch_size=1)
        self.assertEqual(shardwise.watch(own).scenario, REPORT["link"])

    def test_arguments_of_a_trainer_are_read_with_their_model(self):
        arguments = type("TrainingArguments", (Arguments,), {})(2, bf16=True, max_length=1024)
        watch = shardwise.watch(arguments, model=model(), cluster="dgx-h100")
        scenario = shardwise.estimate(watch.scenario)["scenario"]
        self.assertEqual((scenario["mbs"], scenario["seq"], scenario["gpus"], scenario["layers"]), (2, 1024, 8, 32))
        with self.assertRaisesRegex(ValueError, "no config to read"):
            shardwise.watch(arguments, cluster="dgx-h100")

    def test_a_callback_says_which_library_it_needs(self):
        absent = dict.fromkeys(("transformers", "lightning", "lightning.pytorch", "pytorch_lightning"))
        with mock.patch.dict(sys.modules, absent):
            for make, said in [(shardwise.callback, "pip install transformers"),
                               (shardwise.lightning_callback, "pip install lightning")]:
                with self.assertRaisesRegex(ImportError, f"which is not installed: {said}"):
                    make(RUN)

    def test_a_run_that_ends_before_the_first_report_is_compared(self):
        clock = Clock()
        with Watch(REPORT, log=lambda line: None, clock=clock) as watch:
            for _ in range(5):
                clock.now += STEP
                watch.step()
        self.assertEqual((watch.report()["step"], watch.report()["measured"]["steps"]), (5, 4))

    def test_a_slow_run_has_causes(self):
        watch, said = watched([3 * STEP] * 10, at=(10,))
        report = watch.report()
        self.assertIs(report["inside"]["step_time_s"], False)
        self.assertTrue(any("explains" in cause for cause in report["causes"]), report["causes"])
        self.assertTrue(any("Data loading" in cause for cause in report["causes"]), report["causes"])
        self.assertTrue(any("OUTSIDE" in line for line in said) and any("cause?" in line for line in said))

    def test_memory_alone_has_causes_too(self):
        for kind in ("allocated", "reserved"):
            peak = shardwise.expect(RUN)[f"max_memory_{kind}_bytes"]
            compared = beside(REPORT, {f"max_memory_{kind}_bytes": 1.3 * peak["expected"]})
            self.assertEqual(compared["inside"], {f"max_memory_{kind}_bytes": False})
            self.assertTrue(all("GiB, explains" in cause for cause in compared["causes"]) and compared["causes"], compared)

    def test_waiting_for_data_is_the_first_cause(self):
        clock = Clock()
        watch = Watch(REPORT, at=(10,), log=lambda line: None, clock=clock)

        def loader():
            while True:
                clock.now += 2 * STEP
                yield 0

        for _, _ in zip(range(10), watch.data(loader())):
            clock.now += STEP
            watch.step()
        self.assertIn("waits for its next batch for 67%", watch.report()["causes"][0])

    def test_another_batch_is_compared_by_its_tokens(self):
        clock = Clock()
        watch = Watch(REPORT, at=(10,), log=lambda line: None, clock=clock)
        for _ in range(10):
            clock.now += STEP / 2
            watch.step(tokens=REPORT["tokens_per_step"] / 2)
        report = watch.report()
        self.assertEqual((report["inside"]["step_time_s"], report["inside"]["tokens_per_s_per_gpu"]), (None, True))
        self.assertIn("16,384 tokens, not 32,768", report["notes"][-1])
        self.assertAlmostEqual(watch.row()["batch_share"], 0.5)

    def test_steps_counted_as_micro_batches_are_faster_than_the_peak(self):
        report = shardwise.estimate(RUN, accum=8)
        watch, _ = watched([report["step_time_s"] / 8] * 10, report, at=(10,))
        self.assertIn("each of 8 micro-batches", watch.report()["causes"][0])

    def test_what_is_wrong_is_said_before_the_first_step(self):
        for options, said in [({"at": (1,)}, "from 2 on"), ({"at": ()}, "from 2 on"),
                              ({"row": "no/such/row.csv"}, "folder of the row")]:
            with self.assertRaisesRegex(ValueError, said):
                shardwise.watch(RUN, **options)
        with self.assertRaisesRegex(ValueError, "Which model"):
            shardwise.watch(gpus=8)
        with mock.patch.dict(os.environ, {"WORLD_SIZE": "16"}), self.assertRaisesRegex(ValueError, "8 GPUs and this run 16"):
            shardwise.watch(RUN)

    def test_other_ranks_are_silent(self):
        with mock.patch.dict(os.environ, {"RANK": "1"}):
            watch, said = watched([STEP] * 10, at=(10,))
        self.assertEqual((watch.report(), watch.row(), said), (None, None, []))

    def test_an_error_never_reaches_the_training(self):
        def broken(line):
            raise RuntimeError("the disk is full")

        clock = Clock()
        watch = Watch(REPORT, at=(3, 5), log=broken, clock=clock)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            for _ in range(9):
                clock.now += 1
                watch.step()
        self.assertEqual([str(one.message) for one in found], ["shardwise stopped watching: the disk is full"])

    def test_the_gpu_is_waited_for_at_reported_steps_alone(self):
        waited, clock, peak = [], Clock(), [1e9]
        cuda = types.SimpleNamespace(
            is_available=lambda: True, get_device_name=lambda: "NVIDIA A100-SXM4-80GB",
            synchronize=lambda: waited.append(watch._step), max_memory_allocated=lambda: peak[0],
            max_memory_reserved=lambda: 1e9)
        with mock.patch.dict(sys.modules, {"torch": types.SimpleNamespace(cuda=cuda, __version__="2.15")}):
            watch = Watch(REPORT, at=(10,), log=lambda line: None, clock=clock)
            peak[0] = 41e9
            for _ in range(12):
                clock.now += STEP
                watch.step()
            self.assertIn("torch 2.15", watch.row()["notes"])
        report = watch.report()
        self.assertEqual((waited, report["measured"]["max_memory_allocated_bytes"]), ([9, 10], 41e9))
        # The reserved peak is that of loading the model: it is not of the steps.
        self.assertNotIn("max_memory_reserved_bytes", report["measured"])
        self.assertTrue(any("reserved peak was reached before" in note for note in report["notes"]))
        self.assertTrue(any("A100-SXM4-80GB; the scenario has h100-sxm" in note for note in report["notes"]))


class Row(unittest.TestCase):
    def test_it_has_columns_that_the_score_reads(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "row.csv"
            for _ in range(2):
                watched([STEP] * 10, shardwise.estimate(RUN, anchortime=2), at=(10,), row=path, source="my cluster")
            with path.open(newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual((len(rows), rows[0]["source"]), (2, "my cluster"))
            self.assertAlmostEqual(float(rows[0]["measured_step_time_s"]), STEP)
            # A row is predicted without corrections.
            self.assertEqual(shardwise.estimate(rows[0]["link"])["step_time_s"], STEP)
            with self.assertRaisesRegex(ValueError, "other columns"):
                append_row(path, {"a": 1})
        source = (TESTS.parent / "crates" / "score" / "src" / "columns.rs").read_text()
        known = re.findall(r'"(\w+)"', source[source.index("const APART") : source.index("];")])
        settings = {"model", "gpu", "num_gpus"}
        self.assertEqual(set(rows[0]) - set(known), settings)


@dataclasses.dataclass
class Arguments:
    """What a Trainer's arguments have."""

    per_device_train_batch_size: int = 8
    gradient_accumulation_steps: int = 1
    optim: str = "adamw_torch_fused"
    bf16: bool = False
    gradient_checkpointing: bool = False
    fsdp: bool = False
    fsdp_config: dict = None
    deepspeed: dict = None
    max_length: int = None
    world_size: int = dataclasses.field(default=8, init=False)
    n_gpu: int = dataclasses.field(default=1, init=False)

    def to_dict(self):
        return {one.name: getattr(self, one.name) for one in dataclasses.fields(self) if one.init}


def model(dtype="torch.bfloat16", **more):
    """What a model of transformers has."""
    config = types.SimpleNamespace(to_dict=lambda: CONFIG, _attn_implementation="sdpa")
    weight = types.SimpleNamespace(dtype=dtype, is_floating_point=lambda: True)
    return types.SimpleNamespace(config=config, parameters=lambda: iter([weight]), **more)


class Live(unittest.TestCase):
    def read(self, arguments, own=None, **values):
        link, notes = scenario_of_trainer(arguments, own or model(), {"gpu": "NVIDIA A100-SXM4-80GB", **values})
        return shardwise.estimate(link)["scenario"], notes

    def test_live_objects_are_a_scenario(self):
        scenario, notes = self.read(Arguments(2, 4, bf16=True, gradient_checkpointing=True), seq=2048)
        own = {key: scenario[key] for key in ("gpus", "mbs", "accum", "seq", "recompute", "strategy", "recipe", "gpu", "layers")}
        self.assertEqual(own, {"gpus": 8, "mbs": 2, "accum": 4, "seq": 2048, "recompute": "full", "strategy": "ddp",
                               "recipe": "pure-bf16", "gpu": "a100-80gb", "layers": 32})
        self.assertFalse(any("sequence length" in note or "GPUs" in note for note in notes), notes)
        self.assertEqual(self.read(Arguments(2, bf16=True), model("torch.float32"), seq=2048)[0]["recipe"], "autocast")
        self.assertEqual(self.read(Arguments(2, bf16=True, max_length=1024))[0]["seq"], 1024)

    def test_sharding_is_that_of_the_arguments(self):
        for arguments, strategy in [
            (Arguments(2, bf16=True, fsdp=True, fsdp_config={"version": 2, "reshard_after_forward": True}), "full-shard"),
            (Arguments(2, bf16=True, fsdp=True, fsdp_config={"version": 2, "reshard_after_forward": False}), "shard-grad-op"),
            (Arguments(2, bf16=True, fsdp=["shard_grad_op", "auto_wrap"]), "shard-grad-op"),
            (Arguments(2, bf16=True, fsdp="hybrid_shard offload"), "hybrid-shard"),
            (Arguments(2, bf16=True, deepspeed={"zero_optimization": {"stage": 2}, "bf16": {"enabled": True}}), "zero2"),
        ]:
            self.assertEqual(self.read(arguments, seq=2048)[0]["strategy"], strategy, arguments)

    def test_the_class_of_the_arguments_says_what_trains(self):
        def made(name, module="trl.trainer", base=Arguments):
            return type(name, (base,), {"__module__": module})(2, bf16=True, max_length=1024)

        own = made("MyArguments", "__main__", type(made("DPOConfig")))
        for arguments, objective in [(made("SFTConfig"), "lm"), (made("DPOConfig"), "dpo"), (made("KTOConfig"), "kto"),
                                     (own, "dpo"), (made("MyArguments", "__main__"), "lm")]:
            self.assertEqual(self.read(arguments)[0]["objective"], objective)
        with self.assertRaisesRegex(ValueError, "What does GKDConfig train"):
            self.read(made("GKDConfig"))
        self.assertEqual(self.read(made("GKDConfig"), objective="lm")[0]["objective"], "lm")

    def test_a_trainer_of_lightning_completes_a_scenario(self):
        known = {"model": "llama-3-8b", "seq": 4096, "mbs": 1, "cluster": "dgx-h100"}
        for name, attributes, precision, expected in [
            ("DDPStrategy", {}, "bf16-mixed", ("ddp", "autocast", "fsdp1")),
            ("FSDPStrategy", {"sharding_strategy": types.SimpleNamespace(name="SHARD_GRAD_OP")}, "bf16-mixed",
             ("shard-grad-op", "fsdp2-bf16-reduce16", "fsdp1")),
            ("DeepSpeedStrategy", {"config": {"zero_optimization": {"stage": 2}}}, "32-true", ("zero2", "fp32", "deepspeed")),
        ]:
            strategy = type(name, (), attributes)()
            trainer = types.SimpleNamespace(strategy=strategy, precision=precision, world_size=16, accumulate_grad_batches=4)
            scenario = shardwise.estimate(completed_by(known, lightning_values(trainer)))["scenario"]
            own = tuple(scenario[key] for key in ("strategy", "recipe", "framework", "gpus", "accum"))
            self.assertEqual(own, (*expected, 16, 4))
            # What was given counts, under any of its names.
            given = completed_by({**known, "num_gpus": 8, "recipe": "fp32"}, lightning_values(trainer))
            self.assertEqual((given["num_gpus"], given["recipe"], "gpus" in given), (8, "fp32", False))
        trainer.precision, trainer.strategy = "16-true", types.SimpleNamespace()
        for values, said in [({}, "How are states sharded"), ({"strategy": "ddp"}, "Which precision")]:
            with self.assertRaisesRegex(ValueError, said):
                completed_by({**known, **values}, lightning_values(trainer))

    def test_adapters_are_read(self):
        config = {"peft_type": "LORA", "r": 8, "lora_alpha": 16, "target_modules": {"q_proj", "v_proj"}}
        lora = types.SimpleNamespace(to_dict=lambda: config)
        scenario, _ = self.read(Arguments(2, bf16=True), model(peft_config={"default": lora}), seq=2048)
        self.assertEqual((scenario["train"], scenario["rank"], scenario["targets"]), ("lora", 8, "qv"))

    def test_what_is_not_known_is_asked(self):
        several = Arguments(2)
        several.n_gpu = 4
        known = {"gpu": "h100", "seq": 2048}
        for arguments, values, environment, said in [
            (Arguments(2), {"gpu": "h100"}, {}, "How long are the sequences"),
            (Arguments(2), {"seq": 2048}, {}, "Which GPU"),
            (Arguments(2), known, {"LOCAL_WORLD_SIZE": "4"}, "Which cluster"),
            (Arguments(2), known, {"ACCELERATE_USE_FSDP": "true"}, "How are states sharded"),
            (several, known, {}, "DataParallel"),
        ]:
            with mock.patch.dict(os.environ, environment), self.assertRaisesRegex(ValueError, said):
                scenario_of_trainer(arguments, model(), values)


@unittest.skipIf(missing("torch", "transformers", "accelerate"), f"not installed: {missing('torch', 'transformers', 'accelerate')}")
class RealTrainer(unittest.TestCase):
    def train(self, callback, folder, **options):
        import torch
        from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

        config = LlamaConfig(hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2, vocab_size=128)
        texts = [{"input_ids": (ids := torch.randint(0, 128, (128,))), "labels": ids} for _ in range(64)]
        arguments = TrainingArguments(folder, per_device_train_batch_size=1, gradient_accumulation_steps=4, use_cpu=True,
                                      report_to=[], disable_tqdm=True, save_strategy="no", **options)
        Trainer(LlamaForCausalLM(config), arguments, train_dataset=texts, eval_dataset=texts[:4], callbacks=[callback]).train()

    def test_a_step_is_an_optimizer_step(self):
        with tempfile.TemporaryDirectory() as folder:
            callback = shardwise.callback(seq=128, cluster="dgx-h100", at=(5, 12), log=lambda line: None)
            self.train(callback, folder, max_steps=12, eval_strategy="steps", eval_steps=6, include_num_input_tokens_seen=True)
            own = callback.report()
            # Of seven steps one is left out, as the evaluation is in its time.
            self.assertEqual((own["step"], own["measured"]["steps"], own["measured"]["tokens_per_step"]), (12, 6, 512))
            self.assertTrue(callback.row()["link"].startswith("v=1&cluster=dgx-h100&model=custom"))
            for callback, said in [(shardwise.callback(cluster="dgx-h100"), "How long"), (shardwise.callback(seq=128), "Which GPU"),
                                   (shardwise.callback(RUN), "8 GPUs and this run 1"),
                                   (shardwise.callback(RUN, gpus=1, strategy="ddp", model="llama-3.2-1b"),
                                    "1 steps of accumulation and this run 4")]:
                with self.assertRaisesRegex(ValueError, said):
                    self.train(callback, folder, max_steps=2)


@unittest.skipIf(missing("torch", "lightning"), f"not installed: {missing('torch', 'lightning')}")
class RealLightning(unittest.TestCase):
    def test_a_step_is_an_optimizer_step(self):
        import lightning
        import torch

        class Module(lightning.LightningModule):
            def __init__(self):
                super().__init__()
                self.layer = torch.nn.Linear(8, 8)

            def training_step(self, batch, index):
                return self.layer(batch).sum()

            def configure_optimizers(self):
                return torch.optim.SGD(self.parameters(), 1e-3)

        def fit(callback):
            loader = torch.utils.data.DataLoader(torch.randn(200, 8), batch_size=2)
            trainer = lightning.Trainer(max_steps=12, accumulate_grad_batches=4, accelerator="cpu", devices=1, callbacks=[callback],
                                        logger=False, enable_checkpointing=False, enable_progress_bar=False,
                                        enable_model_summary=False)
            trainer.fit(Module(), loader)

        callback = shardwise.lightning_callback(model="llama-3.2-1b", cluster="dgx-h100", seq=128, mbs=2, at=(5, 12),
                                                log=lambda line: None)
        fit(callback)
        own = callback.report()
        self.assertEqual((own["step"], own["measured"]["steps"], own["expected"]["gpus"]), (12, 7, 1))
        self.assertIn("accum=4", callback.row()["link"])
        with self.assertRaisesRegex(ValueError, "8 GPUs and this run 1"):
            fit(shardwise.lightning_callback(RUN, gpus=8))


def event(wall_time, step, tag, value):
    """A record of an event file with a scalar, as TensorBoard writes it."""
    def field(number, data):
        return bytes([number << 3 | 2, len(data)]) + data

    scalar = field(1, tag.encode()) + bytes([2 << 3 | 5]) + struct.pack("<f", value)
    data = bytes([1 << 3 | 1]) + struct.pack("<d", wall_time) + bytes([2 << 3]) + varint(step) + field(5, field(1, scalar))
    return struct.pack("<QI", len(data), 0) + data + b"\0\0\0\0"


def varint(number):
    data = []
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    return bytes([*data, number])


class History(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return Path(self.folder.name) / name

    def table(self, names, rows):
        with self.path("wandb.csv").open("w", newline="") as file:
            csv.writer(file).writerows([names, *rows])
        return self.path("wandb.csv")

    def test_a_csv_of_wandb_is_timed_by_its_optimizer_steps(self):
        rows = []
        for place in range(1, 21):
            # A row each ten steps; an evaluation of a hundred seconds is logged at step 100.
            time = place * 10 * STEP + (100 if place > 10 else 0)
            rows.append([len(rows), time, place * 10, 2.0, ""])
            if place == 10:
                rows.append([len(rows), time + 100, place * 10, "", 1.9])
        names = ["_step", "_runtime", "train/global_step", "train/loss", "eval/loss"]
        own = shardwise.compare(RUN, self.table(names, rows))
        self.assertAlmostEqual(own["measured"]["step_time_s"], STEP)
        self.assertEqual((own["measured"]["steps"], own["notes"], own["inside"]["mfu"]), (150, [], True))
        calls = shardwise.compare(RUN, self.table([names[0], names[1]], [row[:2] for row in rows]))
        self.assertIn("name the column", calls["notes"][0])
        with self.assertRaisesRegex(ValueError, "no column 'steps'"):
            shardwise.compare(RUN, self.path("wandb.csv"), step="steps")

    def test_figures_that_the_run_logged_count_first(self):
        rows = [[place, place * 7.0, 9000 if place < 3 else 6000, 40 + place % 2] for place in range(20)]
        own = shardwise.compare(RUN, self.table(["_step", "_runtime", "throughput(tps)", "memory/max_reserved(GiB)"], rows))
        self.assertEqual(own["measured"]["tokens_per_s_per_gpu"], 6000)
        self.assertEqual(own["measured"]["max_memory_reserved_bytes"], 41 * 2**30)
        self.assertAlmostEqual(own["measured"]["step_time_s"], REPORT["tokens_per_step"] / 8 / 6000)

    def test_event_files_of_tensorboard_are_read(self):
        records = [event(1e9 + place * STEP, place, "train/loss", 2.0) for place in range(1, 400)]
        # A file that is still written.
        self.path("events.out.tfevents.1").write_bytes(b"".join(records)[:-3])
        own = shardwise.compare(RUN, self.path("."))
        self.assertLess(abs(own["measured"]["step_time_s"] / STEP - 1), 1e-5)
        self.assertEqual(own["measured"]["steps"], 387)
        self.path("other").mkdir()
        (self.path("other") / "events.out.tfevents.1").write_bytes(b"".join(records))
        with self.assertRaisesRegex(ValueError, "several runs"):
            shardwise.compare(RUN, self.path("."))

    def test_what_is_no_history_is_said(self):
        self.path("note.txt").write_text("nothing of a run, but long enough")
        for file, error, said in [("no.csv", FileNotFoundError, "no file"), ("note.txt", ValueError, "no event file"),
                                  (".", ValueError, "no event file")]:
            with self.assertRaisesRegex(error, said):
                shardwise.compare(RUN, self.path(file))
        with self.assertRaisesRegex(ValueError, "neither a time of steps nor a peak"):
            shardwise.compare(RUN, self.table(["_step", "loss"], [[1, 2.0], [2, 1.0]]))

    @unittest.skipIf(missing("torch", "tensorboard"), f"not installed: {missing('torch', 'tensorboard')}")
    def test_files_of_pytorch_are_read_as_tensorboard_reads_them(self):
        import torch
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
        from torch.utils.tensorboard import SummaryWriter

        from shardwise.events import read_events

        with SummaryWriter(self.folder.name) as writer:
            for step in range(300):
                writer.add_scalar("loss", 1 / (step + 1), step, walltime=1e9 + step)
                writer.add_scalar("new", step * 0.5, step, walltime=1e9 + step, new_style=True)
                writer.add_scalar("double", step * 0.5, step, walltime=1e9 + step, new_style=True, double_precision=True)
            writer.add_text("text", "words", 1)
            writer.add_histogram("weights", torch.arange(4.0), 1)
        file = next(self.path(".").glob("*tfevents*"))
        known = EventAccumulator(str(file), {"scalars": 0, "tensors": 0})
        known.Reload()
        theirs = {tag: [(one.wall_time, one.step, one.value) for one in known.Scalars(tag)] for tag in known.Tags()["scalars"]}
        own = {}
        for wall_time, step, tag, value in read_events(file):
            own.setdefault(tag, []).append((wall_time, step, value))
        self.assertEqual((own["loss"], len(own["new"]), own["double"][7][2]), (theirs["loss"], 300, 3.5))
        self.assertEqual(set(own), {"loss", "new", "double"})


class Documentation(unittest.TestCase):
    def test_its_examples_run_or_need_torch(self):
        page = (TESTS.parent / "docs" / "book" / "watch.md").read_text(encoding="utf-8")
        blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
        needs = [block for block in blocks if re.search(r"^# Needs ", block)]
        self.assertEqual((len(blocks) > len(needs), len(needs) >= 2), (True, True))
        before = Path.cwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                rows = "\n".join(f"{step},{step * STEP}" for step in range(10, 400, 10))
                Path("wandb.csv").write_text(f"train/global_step,_runtime\n{rows}\n")
                names = {"loader": [0] * 60, "train_step": lambda batch: None, "print": lambda *words: None}
                for block in blocks:
                    code = compile(block, "watch.md", "exec")
                    if block not in needs:
                        with contextlib.redirect_stdout(io.StringIO()):
                            exec(code, names)  # noqa: S102
            finally:
                os.chdir(before)


if __name__ == "__main__":
    unittest.main()
