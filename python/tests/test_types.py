"""Type checkers find mistakes in calls and in what is read of answers, and nothing else."""

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import typing
import unittest
from pathlib import Path

import shardwise
from shardwise import types

TESTS = Path(os.environ["SHARDWISE_TESTS"])
SCENARIO = {"model": "llama-3-8b", "cluster": "dgx-h100", "gpus": 64, "seq": 4096, "mbs": 1}

#: A mistake on a line, and words of what mypy and pyright say of it.
MISTAKES = [
    ('shardwise.estimate(modle="llama-3-8b")', "modle"),
    ("shardwise.estimate(gpus=[8])", "gpus"),
    ('print(report["mfuu"])', "mfuu"),
    ('shardwise.estimate(strategy="fsdp9")', "strategy"),
    ('shardwise.plan(report, "soonest")', "plan"),
    ('shardwise.rank(report, top="5")', "top"),
    ("shardwise.export(report)", "program"),
    ('shardwise.rank(report)["layouts"][0]["speed"]', "speed"),
    ('shardwise.watch(report, strategy="fsdp9")', "strategy"),
    ("shardwise.watch(report, at=50)", "at"),
    ("shardwise.callback(sqe=4096)", "sqe"),
    ("shardwise.lightning_callback(report, row=7)", "row"),
    ('shardwise.expect(report)["step_time_s"]["median"]', "median"),
    ('shardwise.compare(report, "wandb.csv")["insides"]', "insides"),
]
BEFORE = 'import shardwise\n\nreport = shardwise.estimate(model="llama-3-8b", gpus=8)\n'

#: What is right, and typed as the package says.
RIGHT = '''
import argparse
import dataclasses
import enum
from pathlib import Path

import shardwise
from shardwise.types import Comparison, Plan, RankResult, Read, Report, Scenario, Values


class Sharding(enum.Enum):
    FULL_SHARD = enum.auto()


@dataclasses.dataclass
class Arguments:
    model: str = "llama-3-8b"
    gpus: int = 8


class Config:
    def to_dict(self) -> dict[str, object]:
        return {"model_type": "llama"}


report: Report = shardwise.estimate(model="llama-3-70b", cluster="dgx-h100", gpus=256, tp=8, seq="8k", mbs=1)
fits: bool = report["fits"]
shardwise.estimate(report, strategy="FULL_SHARD", optim="adamw_torch_fused", bf16=True, zero_stage=3)
shardwise.estimate(report, strategy=Sharding.FULL_SHARD, gradient_checkpointing=True, precision="bf16")
shardwise.estimate({"gpus": 8}, model=Config(), zero_optimization={"stage": 3}, mixed_precision="bf16")
shardwise.estimate(argparse.Namespace(model="llama-3-8b"), assume=True)
shardwise.estimate(Arguments(), assume=True, batch=64, nodes=None, compile=True)
ranked: RankResult = shardwise.rank(report, top=5, batch=4e6, hold="tp", global_batch_size=64)
for layout in ranked["layouts"]:
    print(layout["name"].upper(), layout["report"]["mfu"] + 1, layout["link"])
planned: Plan = shardwise.plan(report, "cheapest", days=60, clusters=["own"])
print(planned["answers"][0]["cost_usd"])
print(shardwise.mixed(report, {"cluster": "dgx-a100-80", "gpus": 128})["best"])
brought: Read = shardwise.read(Path("config.json"), Config(), scenario=report)
shardwise.estimate(brought["scenario"], recompute="full")
print(shardwise.lint("axolotl.yaml", {"base_model": "x"}, [100, 200])[0]["edits"][0]["from"])
print(shardwise.understand("llama 3.1 8b qlora on 2x4090, 8k", report)["unread"][0]["near"])
print(shardwise.sweep(report, {"gpus": [64, 128], "mbs": (1, 2)}, run=True)["mfu"])
shardwise.figure(report, ("seq", "mbs"), dark=True).save("x.svg")
print(shardwise.export(report, "axolotl")["files"]["axolotl.yaml"])
for row in shardwise.parameters(report):
    if row["kind"] == "number":
        print(row["max"] + 1)


class Model:
    """As a module of transformers."""

    config = Config()


class Callback:
    pass


class Trainer:
    """As those of transformers and Lightning: a list of their own callbacks."""

    def __init__(self, callbacks: list[Callback]) -> None:
        pass


shardwise.estimate(report, model=Model(), adapter=Config())
said: list[str] = []
with shardwise.watch(report, at=(10, 50), row=Path("row.csv"), source="own", log=said.append, seq="8k") as watched:
    for batch in watched.data([1, 2]):
        watched.step(tokens=4096 * batch)
    watched.pause()
now = watched.report()
measured = watched.row()
if now is not None and measured is not None:
    print(now["step"] + 1, now["inside"].get("mfu") is False, "; ".join(now["causes"]), measured["link"].upper())
shardwise.watch(Arguments(), model=Model(), cluster="dgx-h100")
hugging = shardwise.callback(seq=4096, cluster="dgx-h100", at=[10])
lightning = shardwise.lightning_callback(model="llama-3-8b", seq=4096, mbs=1)
Trainer(callbacks=[hugging, lightning])
later = hugging.report() or lightning.report()
print(later["measured"].get("step_time_s", 0.0) * 2 if later else "")
limit: float = shardwise.expect(report, seq="4k")["mfu"]["low"] or 0.0
compared: Comparison = shardwise.compare(report, "wandb.csv", step="train/global_step")
print(compared["notes"], compared["expected"]["gpus"] + 1)


def known(scenario: Scenario, values: Values) -> float:
    return shardwise.estimate(scenario, **values)["fit_odds"]
'''


def mypy(folder, *names):
    """What mypy says of files, a line each."""
    options = ["--strict", "--no-error-summary", "--no-pretty", "--disable-error-code", "import-untyped"]
    ran = subprocess.run([sys.executable, "-m", "mypy", *options, *names], cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode in (0, 1), ran.stderr + ran.stdout
    return [line for line in ran.stdout.splitlines() if ": error:" in line]


def pyright(folder, *names):
    """What pyright says of files, a line each."""
    command = [os.environ["SHARDWISE_NODE"], os.environ["SHARDWISE_PYRIGHT"], "--outputjson", "--pythonpath", sys.executable]
    ran = subprocess.run([*command, *names], cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode in (0, 1), ran.stderr + ran.stdout
    said = json.loads(ran.stdout)["generalDiagnostics"]
    return [
        f"{Path(one['file']).name}:{one['range']['start']['line'] + 1}: {one['message']}"
        for one in said
        if one["severity"] == "error"
    ]


CHECKERS = (mypy, pyright)


class Checked(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_every_mistake_is_found(self):
        (self.folder / "wrong.py").write_text(BEFORE + "".join(f"{line}\n" for line, _ in MISTAKES))
        first = BEFORE.count("\n") + 1
        for checker in CHECKERS:
            said = checker(self.folder, "wrong.py")
            for place, (line, word) in enumerate(MISTAKES):
                own = [text for text in said if text.startswith(f"wrong.py:{first + place}:")]
                self.assertTrue(any(word in text for text in own), f"{checker.__name__} of {line}: {own}")
            self.assertTrue(all(re.match(r"wrong\.py:\d+", text) for text in said), said)

    def test_what_is_right_passes(self):
        (self.folder / "right.py").write_text(RIGHT)
        for checker in CHECKERS:
            self.assertEqual(checker(self.folder, "right.py"), [], checker.__name__)

    def test_the_documentation_passes(self):
        root, names = TESTS.parent, []
        for page in ("README.md", "python/README.md", "docs/book/programs.md"):
            blocks = re.findall(r"```python\n(.*?)```", (root / page).read_text(encoding="utf-8"), re.DOTALL)
            names.append(f"{re.sub(r'[^a-z]', '_', page.lower())}.py")
            # Each page is a program, whose imports may stand on another. The types of pandas are not ours.
            program = re.sub(r"import pandas\b(, |\n)", lambda found: found[1].replace(", ", "import "), "".join(blocks))
            (self.folder / names[-1]).write_text(f"from typing import Any\nimport shardwise\npandas: Any = None\n{program}")
        for checker in CHECKERS:
            self.assertEqual(checker(self.folder, *names), [], checker.__name__)

    def test_the_package_itself_passes(self):
        self.assertEqual(mypy(self.folder, "--package", "shardwise"), [])
        self.assertEqual(pyright(self.folder, str(Path(shardwise.__file__).parent)), [])


class Declared(unittest.TestCase):
    """Every key of a real answer is declared, and the other way round."""

    def holds(self, kind, value, place):
        origin, parts = typing.get_origin(kind), typing.get_args(kind)
        if kind is typing.Any:
            return
        if hasattr(kind, "__required_keys__"):
            self.assertIsInstance(value, dict, place)
            fields = typing.get_type_hints(kind)
            missing = [name for name in kind.__required_keys__ if name not in value]
            self.assertEqual(([], []), (missing, [name for name in value if name not in fields]), place)
            for name, own in value.items():
                self.holds(fields[name], own, f"{place}.{name}")
        elif origin is typing.Union:
            for part in parts:
                with contextlib.suppress(AssertionError):
                    return self.holds(part, value, place)
            self.fail(f"{place}: {value!r} is none of {parts}")
        elif origin is typing.Literal:
            self.assertIn(value, parts, place)
        elif origin is list:
            self.assertIsInstance(value, list, place)
            for own in value:
                self.holds(parts[0], own, f"{place}[]")
        elif origin is dict:
            for own in value.values():
                self.holds(parts[1], own, f"{place}{{}}")
        else:
            self.assertIsInstance(value, (int, float) if kind is float else kind, place)

    def test_reports(self):
        texts = [line.strip() for line in (TESTS / "links" / "v1.txt").read_text().splitlines() if line.startswith("v=1")]
        for text in texts:
            self.holds(types.Report, shardwise.estimate(text, strict=False), text)
        forever = shardwise.estimate(mtbf=1, gpus=16384, size="300B", storage=1e-9, strict=False)
        self.holds(types.Report, forever, "forever")

    def compared(self, run):
        """A slow run in a table, with causes."""
        with tempfile.TemporaryDirectory() as folder:
            rows = "".join(f"{step},{step * 100},{step * 5000}\n" for step in range(1, 20))
            table = Path(folder) / "wandb.csv"
            table.write_text(f"global_step,_runtime,num_input_tokens_seen\n{rows}")
            compared = shardwise.compare(run, table)
        self.assertTrue(compared["causes"] and compared["notes"], compared)
        return compared

    def test_other_answers(self):
        with shardwise.watch(SCENARIO, at=(5,), log=lambda line: None) as watched:
            for _ in watched.data(range(5)):
                watched.step()
        run = {"model": "llama-3.1-8b", "cluster": "dgx-h100", "gpus": 16, "seq": 4096, "mbs": 2}
        axolotl = "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 1\nbf16: true\nadapter: lora\n"
        for kind, answer in [
            (types.RankResult, shardwise.rank(SCENARIO, top=2)),
            (types.Plan, shardwise.plan(SCENARIO, "cheapest", days=3650, clusters=["own", "dgx-h200"], tokens="1T")),
            (types.Plan, shardwise.plan(SCENARIO, "cheapest", days=0.001, clusters="own", tokens="1T")),
            (types.Mixed, shardwise.mixed(run, {"cluster": "dgx-a100-80", "gpus": 8})),
            (types.Read, shardwise.read(axolotl, **SCENARIO)),
            (types.Read, shardwise.read("base_model: no/such\nsequence_len: 8\nmicro_batch_size: 1\nadapter: lora\n")),
            (types.Understood, shardwise.understand("llama 3.1 8b qlora on 2x4090 with hyperdrive")),
            (types.Read, shardwise.read("70B on 64 H100 with hyperdrive, 8k")),
            (types.Understood, shardwise.understand("70B, 1T tokens, 30 days, cheapest")),
            (types.Export, shardwise.export(SCENARIO, "torchtitan")),
            (types.Catalog, shardwise.catalog()),
            (typing.List[types.Parameter], shardwise.parameters(SCENARIO)),
            (typing.List[types.Offer], shardwise.lint(axolotl, **SCENARIO)),
            (types.Expected, shardwise.expect(SCENARIO)),
            (types.WatchedComparison, watched.report()),
            (types.MeasuredRow, watched.row()),
            (types.Comparison, self.compared(run)),
            (types.Expected, shardwise.expect({**run, "objective": "grpo"}, assume=True)),
        ]:
            self.holds(kind, answer, getattr(kind, "__name__", str(kind)))

    def test_what_is_missing_or_too_much_is_found(self):
        report = dict(shardwise.estimate(SCENARIO))
        for wrong in ({**report, "speed": 1}, {key: value for key, value in report.items() if key != "mfu"}, {**report, "fits": "no"}):
            with self.assertRaises(AssertionError):
                self.holds(types.Report, wrong, "wrong")


if __name__ == "__main__":
    unittest.main()
