"""What a scenario predicts of a run, and a measured run next to it.

A *measured* dict has any of these keys; a missing or ``None`` value was not measured:

- ``step_time_s``: seconds of an optimizer step; ``steps``: how many steps that is the figure of;
  ``basis``: how it was formed (``median`` or ``mean``); ``spread``: interquartile range over median;
  ``drift``: median of the later half of the steps over that of the earlier half;
- ``tokens_per_step``: tokens of a step on all GPUs; ``tokens_per_s_per_gpu``; ``mfu``, a fraction;
- ``data_wait_s``: seconds of a step that the program waited for its next batch;
- ``max_memory_allocated_bytes``, ``max_memory_reserved_bytes``: peaks of PyTorch's allocator.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Optional, cast

from . import estimate, read

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keys import Values
    from ._values import Scenario
    from .types import Band, Comparison, Expectation, Expected, Inside, Measured, Report

#: A figure that is compared.
Figure = Literal[
    "step_time_s", "tokens_per_s_per_gpu", "mfu", "max_memory_allocated_bytes", "max_memory_reserved_bytes"
]
#: Name and, for people, label, factor and unit of each figure that is compared.
FIGURES: dict[Figure, tuple[str, float, str]] = {
    "step_time_s": ("step time", 1.0, "s"),
    "tokens_per_s_per_gpu": ("tokens/s a GPU", 1.0, ""),
    "mfu": ("MFU", 100.0, "%"),
    "max_memory_allocated_bytes": ("peak allocated", 2.0**-30, "GiB"),
    "max_memory_reserved_bytes": ("peak reserved", 2.0**-30, "GiB"),
}

#: The peaks of PyTorch's allocator by their kinds.
PEAKS: dict[
    Literal["allocated", "reserved"],
    Literal["max_memory_allocated_bytes", "max_memory_reserved_bytes"],
] = {
    "allocated": "max_memory_allocated_bytes",
    "reserved": "max_memory_reserved_bytes",
}
#: Relative difference below which two numbers of tokens are one batch; as crates/diagnose has it.
SAME_BATCH = 0.03
#: Shares of a step above which waiting, variation and drift are named as causes.
WAITS, VARIES, DRIFTS = 0.1, 0.2, 1.15
#: Reserved over allocated bytes, measured over predicted, above which fragments are named.
FRAGMENTS = 1.1


def expect(
    scenario: Scenario = "", *, strict: bool = True, assume: bool = False, **values: Unpack[Values]
) -> Expected:
    """What a run of this scenario is expected to measure, for alert rules of a monitor.

    A dict with the ``link`` of the scenario, its ``gpus`` and ``tokens_per_step``, and for each of
    ``step_time_s`` (seconds), ``tokens_per_s_per_gpu``, ``mfu`` (a fraction),
    ``max_memory_allocated_bytes`` and ``max_memory_reserved_bytes`` (peaks of PyTorch's allocator, on
    the GPU that holds most) a dict with ``expected``, ``low`` and ``high``, the 10th and 90th
    percentiles of measured runs of the kind (docs/book/accuracy/ranges.md): about two of ten were
    outside. Where no runs of the kind were measured, ``low`` and ``high`` are ``None``.
    Scenario, keywords and errors are those of ``estimate``.
    """
    return expected_of(estimate(scenario, strict=strict, assume=assume, **values))


def expected_of(report: Report) -> Expected:
    """:func:`expect` of a report."""
    memory = report["memory_bytes"]
    parts = memory["parts"]
    # The range is of measured over predicted peaks, whichever kind of peak was measured.
    needed, band = report["needed_memory_bytes"], report["band"]
    around = band["needed_memory_bytes"]

    def peak(figure: float) -> Expectation:
        return {
            "expected": figure,
            "low": figure * (around["low"] / needed),
            "high": figure * (around["high"] / needed),
        }

    return {
        "link": report["link"],
        "gpus": int(report["scenario"]["gpus"]),
        "tokens_per_step": report["tokens_per_step"],
        "step_time_s": _around(report["step_time_s"], band["step_time_s"]),
        "tokens_per_s_per_gpu": _around(report["tokens_per_s_per_gpu"], band["tokens_per_s_per_gpu"]),
        "mfu": _around(report["mfu"], band["mfu"]),
        "max_memory_allocated_bytes": peak(memory["allocated"]),
        "max_memory_reserved_bytes": peak(memory["peak"] - parts["context"] - parts["rollout_engine"]),
    }


def _around(figure: float, band: Optional[Band]) -> Expectation:
    """A figure with its range, if one was measured."""
    low, high = (band["low"], band["high"]) if band else (None, None)
    return {"expected": figure, "low": low, "high": high}


def completed(measured: Measured, expected: Expected) -> Measured:
    """The measured dict with the tokens, rate and MFU that follow from others of its values.

    MFU counts FLOPs a token and the GPU's peak as the scenario does. Tokens that were not counted are
    those of the scenario's full batch: ``tokens_counted`` says which.
    """
    own = cast("Measured", {key: value for key, value in measured.items() if value is not None})
    gpus, time, tokens = expected["gpus"], own.get("step_time_s"), own.get("tokens_per_step")
    rate = own.get("tokens_per_s_per_gpu")
    if tokens is None and rate and time:
        tokens = rate * gpus * time
    own["tokens_counted"] = tokens is not None or rate is not None
    if tokens is None:
        tokens = expected["tokens_per_step"]
    if time is None and rate:
        time = own["step_time_s"] = tokens / gpus / rate
    if rate is None and time:
        rate = tokens / gpus / time
    if rate:
        own["tokens_per_s_per_gpu"] = rate
        own.setdefault("mfu", expected["mfu"]["expected"] * rate / expected["tokens_per_s_per_gpu"]["expected"])
        own["tokens_per_step"] = tokens
    return own


def beside(report: Report, measured: Measured, notes: Sequence[str] = ()) -> Comparison:
    """A measured run next to the prediction of a report.

    A dict with ``expected`` (of :func:`expect`), ``measured`` (completed), ``inside`` (for each figure
    measured, whether it is inside the range; ``None`` where there is no range or the step was of
    another batch), ``causes`` (sentences, the likeliest first, where a figure is outside) and
    ``notes``.
    """
    expected = expected_of(report)
    own = completed(measured, expected)
    tokens = own.get("tokens_per_step") or expected["tokens_per_step"]
    is_other = abs(tokens / expected["tokens_per_step"] - 1.0) > SAME_BATCH
    inside: Inside = {}
    for name in FIGURES:
        figure, low, high = own.get(name), expected[name]["low"], expected[name]["high"]
        if figure is None:
            continue
        if low is None or high is None or (is_other and name == "step_time_s"):
            inside[name] = None
        else:
            inside[name] = low <= figure <= high
    said = list(notes)
    if is_other:
        said.append(
            f"A step has {tokens:,.0f} tokens, not {expected['tokens_per_step']:,.0f} as "
            "predicted: compare tokens/s, not the step time."
        )
    outside = [name for name in FIGURES if inside.get(name) is False]
    causes = _causes(report, expected, own, outside, is_other) if outside else []
    return {"expected": expected, "measured": own, "inside": inside, "causes": causes, "notes": said}


def _causes(
    report: Report, expected: Expected, own: Measured, outside: Sequence[str], is_other: bool
) -> list[str]:
    """The likeliest causes of figures outside their ranges: first what was measured in the run,
    then the single changes of the scenario that would explain the difference."""
    accum = report["scenario"]["accum"]
    if (own.get("mfu") or 0.0) > 1.0 and not own.get("tokens_counted"):
        often = f", or step() was called after each of {accum:g} micro-batches" if accum > 1 else ""
        return [f"No GPU is faster than its peak: the steps had fewer tokens than the scenario's{often}."]
    causes = []
    rate = own.get("tokens_per_s_per_gpu")
    time = own.get("step_time_s")
    if rate and time and rate < (expected["tokens_per_s_per_gpu"]["low"] or 0.0):
        waits = (own.get("data_wait_s") or 0.0) / time
        if waits > WAITS:
            causes.append(f"The program waits for its next batch for {waits:.0%} of a step: more workers, or prefetching.")
        drift = own.get("drift")
        if drift and max(drift, 1 / drift) > DRIFTS:
            how = "faster" if drift < 1 else "slower"
            causes.append(f"Later steps are {max(drift, 1 / drift) - 1:.0%} {how} than earlier ones: compilation, caches, "
                          "clocks or lengths still change.")
        spread = own.get("spread") or 0.0
        if spread > VARIES:
            causes.append(f"Steps vary by {spread:.0%} of the median: lengths of texts, recompilation, or a shared "
                          "machine.")
    allocated, reserved = (own.get(name) for name in PEAKS.values())
    if allocated and reserved and PEAKS["reserved"] in outside:
        predicted, of_tensors = (expected[name]["expected"] for name in (PEAKS["reserved"], PEAKS["allocated"]))
        of_run, of_model = reserved / allocated, predicted / of_tensors
        if of_run > FRAGMENTS * of_model:
            causes.append(f"Reserved memory is {of_run:.2f} times the allocated, {of_model:.2f} predicted: fragments, which "
                          "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True avoids.")
    return causes + _explained(report, own, outside, is_other)


def _explained(report: Report, own: Measured, outside: Sequence[str], is_other: bool) -> list[str]:
    """What the engine says of a log with these figures, for the figures that are outside."""
    # It compares the update alone of a step that also generates its texts, and without corrections.
    scenario = report["scenario"]
    if report["rollout"] is not None or scenario["anchortime"] != 1 or scenario["anchormemory"] != 1:
        return []
    # The names of a log that has all of them: crates/diagnose/src/log/patterns.rs. Its lines have a
    # time of a step, and 0 is none.
    parts = [
        ("time_per_iteration_ms: ", own.get("step_time_s") or 0.0, 1e3),
        ("tokens_per_sec_per_gpu: ", own.get("tokens_per_s_per_gpu"), 1.0),
        ("cuda_max_memory_allocated: ", own.get("max_memory_allocated_bytes"), 1.0),
        ("cuda_max_memory_reserved: ", own.get("max_memory_reserved_bytes"), 1.0),
    ]
    line = " | ".join(f"{name}{value * scale!r}" for name, value, scale in parts if value is not None)
    titles = ["What would explain the time"] if any("bytes" not in name for name in outside) else []
    titles += ["What would explain the memory"] if any("bytes" in name for name in outside) else []
    sections = {section["title"]: section["lines"] for section in read(line.encode(), scenario=report["link"])["sections"]}
    found = [line for title in titles for line in sections.get(title, [])[:2]]
    # Of another batch it says first that it is another, which is a note already.
    if "What would explain the time" in titles and not is_other:
        found += sections.get("To know", [])[:1]
    return [" ".join(line.split()) + ("" if line.endswith(".") else ".") for line in found]


def lines(compared: Comparison, title: str) -> list[str]:
    """A comparison of :func:`beside` as lines for people."""
    own, expected = compared["measured"], compared["expected"]
    written = [title]
    for name, (label, scale, unit) in FIGURES.items():
        measured, around = own.get(name), expected[name]
        if measured is None:
            continue
        figures = [around["expected"], around["low"], around["high"]]
        said, low, high = (_digits(figure * scale) if figure is not None else "" for figure in figures)
        verdict = {True: "inside", False: "OUTSIDE", None: ""}[compared["inside"].get(name)]
        among = f" ({low} to {high})" if low else " (no measured range)"
        of_run = f"  {label:<15}{_digits(measured * scale):>9} {unit:<4}"
        written.append(f"{of_run} predicted {said}{among}  {verdict}".rstrip())
    written += [f"  cause? {cause}" for cause in compared["causes"]]
    return written + [f"  note: {note}" for note in compared["notes"]]


def _digits(figure: float) -> str:
    """A number with three or more digits."""
    return f"{figure:,.0f}" if abs(figure) >= 1000 else f"{figure:.3g}"
