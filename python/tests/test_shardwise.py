"""The package answers what the native engine answers, to the last bit."""

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import pandas
import shardwise

TESTS = Path(os.environ["SHARDWISE_TESTS"])
SCENARIO = {"model": "llama-3-8b", "cluster": "dgx-h100", "gpus": 64, "seq": 4096, "mbs": 1}


def native(text):
    """The report of the native engine."""
    ran = subprocess.run([os.environ["SHARDWISE_CLI"], "estimate", "--json", "--lenient", text], capture_output=True, check=False)
    assert ran.returncode in (0, 1), ran.stderr
    return json.loads(ran.stdout)


def links():
    """Every published link."""
    return [line.strip() for line in (TESTS / "links" / "v1.txt").read_text().splitlines() if line.startswith("v=1")]


class Estimate(unittest.TestCase):
    def test_a_report_has_the_bits_of_the_native_engine(self):
        texts = links()
        self.assertGreater(len(texts), 60)
        for text in texts:
            # The text of a number is its bits: repr is the shortest that reads back.
            self.assertEqual(repr(shardwise.estimate(text, strict=False)), repr(native(text)), text)

    def test_a_scenario_is_a_link_a_mapping_or_a_report(self):
        report = shardwise.estimate(SCENARIO)
        self.assertTrue(report["fits"])
        self.assertEqual(shardwise.estimate(report), report)
        self.assertEqual(shardwise.estimate(shardwise.link(SCENARIO)), report)
        self.assertEqual(shardwise.estimate(shardwise.link(SCENARIO, "https://example.org/x/#y")), report)
        self.assertEqual(shardwise.estimate(**SCENARIO), report)
        longer = shardwise.estimate(shardwise.link(SCENARIO), seq="32k", compile=True)
        self.assertEqual((longer["scenario"]["seq"], longer["scenario"]["compile"]), (32768, "yes"))
        self.assertEqual(longer["scenario"]["model"], "llama-3-8b")
        # A cluster brings its GPU.
        self.assertEqual(shardwise.estimate(SCENARIO, cluster="dgx-b200"), shardwise.estimate({**SCENARIO, "cluster": "dgx-b200"}))

    def test_what_is_wrong_is_said(self):
        issues = shardwise.estimate(gpus="many", strict=False)["issues"]
        self.assertTrue(any("many" in issue["message"] for issue in issues), issues)
        for values, error, said in [
            ({"gpus": "many"}, ValueError, "“many”"),
            ({"gpus": -3}, ValueError, "at least 1"),
            ({"no_such": 1}, TypeError, "is not a key"),
            ({"modle": "llama-3-70b"}, TypeError, "Did you mean “model”"),
            ({"model": "no-such"}, ValueError, "no model"),
            ({"model": "llama-3-8c"}, ValueError, "“llama-3-8b”"),
            ({"layers": 40}, ValueError, "model=custom"),
        ]:
            for call in (lambda: shardwise.estimate(SCENARIO, **values), lambda: shardwise.estimate(**{**SCENARIO, **values})):
                with self.assertRaisesRegex(error, said):
                    call()
        with self.assertRaisesRegex(ValueError, "Which model"):
            shardwise.estimate(gpus=8, seq="4k")
        assumed = shardwise.estimate(gpus=8, seq="4k", assume=True)["issues"]
        self.assertIn("Assumed, as not given: a GPT-style model", assumed[0]["message"])
        with self.assertRaisesRegex(FileNotFoundError, "no-such.yaml"):
            shardwise.read("no-such.yaml")
        with self.assertRaisesRegex(TypeError, "must be a link or a mapping"):
            shardwise.estimate(7)
        with self.assertRaisesRegex(TypeError, "“gpus” must be a number"):
            shardwise.estimate(gpus=[8])


    def test_names_that_people_know_are_read(self):
        known = shardwise.estimate(model="meta-llama/Meta-Llama-3-8B", cluster="h100", num_gpus=64, seq_len=4096,
                                   per_device_train_batch_size=1, gradient_checkpointing=True, strategy="fsdp", optim="adamw")
        own = shardwise.estimate(SCENARIO, seq=4096, mbs=1, recompute="full")
        self.assertEqual(known["link"], own["link"])
        table = shardwise.sweep(SCENARIO, {"seq_len": [4096, 8192]})
        self.assertEqual((list(table)[0], table["mfu"]), ("seq_len", shardwise.sweep(SCENARIO, {"seq": [4096, 8192]})["mfu"]))


class Sweep(unittest.TestCase):
    def test_every_point_is_the_estimate_of_its_values(self):
        table = shardwise.sweep(SCENARIO, {"seq": [4096, "8k", "32k"], "strategy": ["full-shard", "hybrid-shard"]}, run=True)
        self.assertEqual(table["seq"], [4096, 4096, 8192, 8192, 32768, 32768])
        for place in range(6):
            report = shardwise.estimate(SCENARIO, seq=table["seq"][place], strategy=table["strategy"][place])
            for name in ("mfu", "step_time_s", "needed_memory_bytes", "fits", "limiter"):
                self.assertEqual(table[name][place], report[name], name)
            self.assertEqual(table["cost_usd"][place], report["run"]["cost_usd"])

    def test_pandas_takes_it(self):
        frame = pandas.DataFrame(shardwise.sweep(SCENARIO, {"gpus": [8, 16, 32, 64]}))
        self.assertEqual(list(frame.columns[:2]), ["gpus", "mfu"])
        self.assertEqual(len(frame[frame.fits]), sum(frame.fits))

    def test_what_is_wrong_is_said(self):
        for axes, error, said in [
            ({"no-such": [1]}, TypeError, "not a parameter"),
            ({"seq": []}, ValueError, "one value or more"),
            ({"gpu": ["no-such"]}, ValueError, "no gpu"),
        ]:
            with self.assertRaisesRegex(error, said):
                shardwise.sweep(SCENARIO, axes)
        with self.assertRaisesRegex(TypeError, "one or two keys"):
            shardwise.sweep(SCENARIO, {})


class Others(unittest.TestCase):
    def test_two_kinds_of_gpus(self):
        run = {"model": "llama-3.1-8b", "cluster": "dgx-h100", "gpus": 16, "seq": 4096, "mbs": 2, "accum": 4, "recompute": "full"}
        answer = shardwise.mixed(run, {"cluster": "dgx-a100-80", "gpus": 8})
        self.assertLess(answer["best"]["step_time_s"], answer["equal"]["step_time_s"])
        with self.assertRaises(ValueError):
            shardwise.mixed(run, {"cluster": "dgx-a100-80"})

    def test_the_best_layouts_come_first(self):
        ranked = shardwise.rank(SCENARIO, top=3)
        mfu = [layout["report"]["mfu"] for layout in ranked["layouts"]]
        self.assertEqual((len(mfu), mfu), (3, sorted(mfu, reverse=True)))
        self.assertEqual(shardwise.estimate(ranked["layouts"][0]["link"])["mfu"], mfu[0])
        self.assertGreater(ranked["tried"], ranked["fit"])

    def test_a_plan_has_the_bits_of_the_native_engine(self):
        for text in links()[:8]:
            ran = subprocess.run(
                [os.environ["SHARDWISE_CLI"], "plan", "fewest", text, "--cluster", "own", "--json", "--top", "24"],
                capture_output=True, check=False,
            )
            self.assertIn(ran.returncode, (0, 1), ran.stderr)
            self.assertEqual(repr(shardwise.plan(text, clusters="own")), repr(json.loads(ran.stdout)), text)

    def test_a_plan_is_a_table(self):
        plan = shardwise.plan(SCENARIO, "cheapest", days=3650, clusters=["own", "dgx-h200"], tokens="1T")
        frame = pandas.DataFrame(plan["answers"])
        self.assertEqual(sorted(frame.cost_usd), list(frame.cost_usd))
        best = shardwise.estimate(plan["answers"][0]["link"])
        self.assertEqual((best["mfu"], best["run"]["cost_usd"]), (frame.mfu[0], frame.cost_usd[0]))
        for values, said in [
            ({"question": "soonest"}, "not a question"),
            ({"clusters": ["no-such"]}, "no cluster"),
            ({"days": 3}, "no limit"),
            ({"question": "cheapest", "days": -1}, "above 0"),
        ]:
            with self.assertRaisesRegex(ValueError, said):
                shardwise.plan(SCENARIO, **values)

    def test_measured_rates_are_read(self):
        brought = shardwise.read(TESTS / "rates" / "h200.json", **{**SCENARIO, "cluster": "dgx-h200"})
        self.assertEqual(brought["kind"], "rates")
        self.assertIn("matmul=69.2", brought["scenario"])
        with self.assertRaisesRegex(ValueError, "measured on a processor"):
            shardwise.read(TESTS / "rates" / "cpu.json")

    def test_the_script_that_measures_compiles(self):
        script = TESTS.parent / "static" / "measure.py"
        compile(script.read_text(), str(script), "exec")

    def test_files_are_read(self):
        brought = shardwise.read(TESTS / "configs" / "llama-3.1-8b.json", **SCENARIO)
        self.assertEqual((brought["kind"], shardwise.estimate(brought["scenario"])["scenario"]["gpus"]), ("model", 64))
        self.assertEqual(shardwise.read("[100, 300]")["kind"], "lengths")
        with self.assertRaisesRegex(ValueError, r"\.$"):
            shardwise.read("no such thing")

    def test_a_run_is_linted(self):
        run = "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 1\nadapter: lora\nbf16: true\ngradient_checkpointing: true\n"
        offers = shardwise.lint(run, **SCENARIO)
        self.assertTrue(any("faster" in offer["what"] and offer["scenario"] for offer in offers), offers)
        with self.assertRaisesRegex(ValueError, "not the configuration of a run"):
            shardwise.lint("[100, 300]")

    def test_a_sentence_has_the_bits_of_the_native_engine(self):
        for text in ("llama 3.1 8b qlora on 2x4090, 8k", "70B on 64 H100, zero-3, 8k", "qwen 2.5 7b full fine-tune on 8 A100 80GB"):
            read = shardwise.understand(text)
            # The command lists what the sentence says beside its report.
            lists = ("assumed", "understood", "ignored", "unread")
            report = {key: value for key, value in native(text).items() if key not in lists}
            self.assertEqual(repr(read["report"]), repr(report), text)
            self.assertEqual(read["report"]["scenario"], shardwise.estimate(read["link"])["scenario"])
            self.assertEqual((read["unread"], read["asks"], read["is_new"]), ([], None, True))

    def test_a_sentence_is_answered_with_what_was_understood_of_it(self):
        read = shardwise.understand("70B, 1T tokens, 30 days, hyperdrive, cheapest")
        self.assertEqual((read["understood"][0]["text"], read["unread"][0]["text"]), ("70B", "hyperdrive"))
        self.assertEqual((read["asks"]["question"], read["asks"]["query"]), ("cheapest", "?plan=cheapest&days=30"))
        self.assertTrue(read["assumed"] and all(value["sentence"].endswith(".") for value in read["assumed"]))
        # Without a model it changes the scenario of a link, a mapping or a report.
        for scenario in (SCENARIO, shardwise.link(SCENARIO), shardwise.estimate(SCENARIO)):
            changed = shardwise.understand("use 16 GPUs", scenario)
            self.assertEqual((changed["report"]["scenario"]["model"], changed["report"]["scenario"]["gpus"]), ("llama-3-8b", 16))
            self.assertFalse(changed["is_new"])
        with self.assertRaisesRegex(ValueError, "Nothing was understood"):
            shardwise.understand("does it fit?")
        with self.assertRaisesRegex(TypeError, "Did you mean “model”"):
            shardwise.understand("use 16 GPUs", {"modle": "llama-3-8b"})
        self.assertEqual(shardwise.understand("use 16 GPUs", "modle=x", strict=False)["report"]["scenario"]["gpus"], 16)
        with self.assertRaises(TypeError):
            shardwise.understand(7)

    def test_catalog_and_parameters(self):
        self.assertIn("llama-3-8b", [model["id"] for model in shardwise.catalog()["models"]])
        rows = {row["key"]: row for row in shardwise.parameters(SCENARIO)}
        self.assertEqual(rows["gpus"]["value"], 64)
        self.assertEqual(shardwise.__version__, "0.1.0")


class Command(unittest.TestCase):
    def test_the_package_is_the_program_of_the_shell(self):
        run = ["estimate", "--json", "model=llama-3-8b", "cluster=dgx-h100", "gpus=64", "seq=4096", "mbs=1"]
        folder = Path(sys.executable).parent
        for program in ([sys.executable, "-m", "shardwise"], [folder / "shardwise"]):
            ran = subprocess.run([*program, *run], capture_output=True, check=False)
            self.assertEqual((ran.returncode, ran.stderr), (0, b""), program)
            self.assertEqual(repr(json.loads(ran.stdout)), repr(shardwise.estimate(SCENARIO)))
            refused = subprocess.run([*program, "estimate", "model=no-such"], capture_output=True, check=False)
            self.assertEqual((refused.returncode, refused.stdout), (2, b""))
            self.assertIn(b"no-such", refused.stderr)


class Documentation(unittest.TestCase):
    def test_its_examples_run(self):
        run = "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 1\nbf16: true\nadapter: lora\n"
        root, count, before = TESTS.parent, 0, Path.cwd()
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "axolotl.yaml").write_text(run)
            (Path(folder) / "config.json").write_text((TESTS / "configs" / "llama-3.1-8b.json").read_text())
            os.chdir(folder)
            try:
                for page in ("README.md", "python/README.md", "docs/book/programs.md"):
                    names = {"shardwise": shardwise, "pandas": pandas}
                    for block in re.findall(r"```python\n(.*?)```", (root / page).read_text(encoding="utf-8"), re.DOTALL):
                        with contextlib.redirect_stdout(io.StringIO()):
                            exec(compile(block, page, "exec"), names)  # noqa: S102
                        count += 1
            finally:
                os.chdir(before)
        self.assertGreaterEqual(count, 4)

    def test_the_tutorial_prints_what_it_shows(self):
        page = (TESTS.parent / "docs" / "book" / "tutorials" / "python.md").read_text(encoding="utf-8")
        names, printed, shown = {}, "", 0
        for language, block in re.findall(r"^```(python|text)\n(.*?)^```", page, re.DOTALL | re.MULTILINE):
            if language == "python":
                with contextlib.redirect_stdout(io.StringIO()) as output:
                    exec(compile(block, "python.md", "exec"), names)  # noqa: S102
                printed = output.getvalue()
            else:
                self.assertEqual(block, printed)
                shown += 1
        self.assertGreaterEqual(shown, 5)


class Comparison(unittest.TestCase):
    def test_the_chapter_has_the_tables_of_its_script(self):
        folder = TESTS.parent / "examples" / "compare"
        sys.path.insert(0, str(folder))
        try:
            import peak_memory
        finally:
            sys.path.remove(str(folder))
        chapter = peak_memory.CHAPTER.read_text(encoding="utf-8")
        expected = peak_memory.recorded(chapter, peak_memory.tables(list(peak_memory.measured())))
        self.assertEqual(chapter, expected, "python examples/compare/peak_memory.py --record writes the tables")


class Widget(unittest.TestCase):
    def test_a_slider_changes_what_is_shown(self):
        widget = shardwise.Widget(SCENARIO)
        self.assertEqual([row["key"] for row in widget._sliders], ["mem", "link", "seq", "size", "gpus"])
        before = dict(widget._shown)
        self.assertTrue(before["region"].startswith("<svg") and before["curve"].startswith("<svg"))
        widget._slide(widget, {"key": "gpus", "value": 128}, [])
        self.assertIn("gpus=128", widget.scenario)
        self.assertEqual(widget.report["scenario"]["gpus"], 128)
        self.assertNotEqual(widget._shown["curve"], before["curve"])
        self.assertEqual(widget._shown["mfu"], shardwise.estimate(widget.scenario)["mfu"])


if __name__ == "__main__":
    unittest.main()
