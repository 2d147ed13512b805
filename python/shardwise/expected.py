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

from . import estimate, read

#: Name and, for people, label, factor and unit of each figure that is compared.
FIGURES = {
    "step_time_s": ("step time", 1.0, "s"),
    "tokens_per_s_per_gpu": ("tokens/s a GPU", 1.0, ""),
    "mfu": ("MFU", 100.0, "%"),
    "max_memory_allocated_bytes": ("peak allocated", 2.0**-30, "GiB"),
    "max_memory_reserved_bytes": ("peak reserved", 2.0**-30, "GiB"),
}

#: Relative difference below which two numbers of tokens are one batch; as crates/diagnose has it.
SAME_BATCH = 0.03
#: Shares of a step above which waiting, variation and drift are named as causes.
WAITS, VARIES, DRIFTS = 0.1, 0.2, 1.15
#: Reserved over allocated bytes, measured over predicted, above which fragments are named.
FRAGMENTS = 1.1


def expect(scenario="", *, strict=True, assume=False, **values):
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


def expected_of(report):
    """:func:`expect` of a report."""
    memory = report["memory_bytes"]
    parts = memory["parts"]
    # The range is of measured over predicted peaks, whichever kind of peak was measured.
    needed, band = report["needed_memory_bytes"], report["band"]
    around = band["needed_memory_bytes"] or {}
    ratios = {side: around[side] / needed if around else None for side in ("low", "high")}

    def peak(figure):
        return {"expected": figure, **{side: ratio and figure * ratio for side, ratio in ratios.items()}}

    def paced(name):
        return {"expected": report[name], **(band[name] or {"low": None, "high": None})}

    return {
        "link": report["link"],
        "gpus": int(report["scenario"]["gpus"]),
        "tokens_per_step": report["tokens_per_step"],
        **{name: paced(name) for name in ("step_time_s", "tokens_per_s_per_gpu", "mfu")},
        "max_memory_allocated_bytes": peak(memory["allocated"]),
        "max_memory_reserved_bytes": peak(memory["peak"] - parts["context"] - parts["rollout_engine"]),
    }


def completed(measured, expected):
    """The measured dict with the tokens, rate and MFU that follow from others of its values.

    MFU counts FLOPs a token and the GPU's peak as the scenario does. Tokens that were not counted are
    those of the scenario's full batch: ``tokens_counted`` says which.
    """
    own = {key: value for key, value in measured.items() if value is not None}
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


def beside(report, measured, notes=()):
    """A measured run next to the prediction of a report.

    A dict with ``expected`` (of :func:`expect`), ``measured`` (completed), ``inside`` (for each figure
    measured, whether it is inside the range; ``None`` where there is no range or the step was of
    another batch), ``causes`` (sentences, the likeliest first, where a figure is outside) and
    ``notes``.
    """
    expected = expected_of(report)
    own = completed(measured, expected)
    share = own["tokens_per_step"] / expected["tokens_per_step"] if own.get("tokens_per_step") else 1.0
    is_other = abs(share - 1.0) > SAME_BATCH
    inside = {}
    for name in FIGURES:
        figure, around = own.get(name), expected[name]
        if figure is not None:
            known = around["low"] is not None and not (is_other and name == "step_time_s")
            inside[name] = around["low"] <= figure <= around["high"] if known else None
    notes = list(notes)
    if is_other:
        notes.append(
            f"A step has {own['tokens_per_step']:,.0f} tokens, not {expected['tokens_per_step']:,.0f} as predicted: "
            "compare tokens/s, not the step time."
        )
    outside = [name for name, is_inside in inside.items() if is_inside is False]
    causes = _causes(report, expected, own, outside, is_other) if outside else []
    return {"expected": expected, "measured": own, "inside": inside, "causes": causes, "notes": notes}


def _causes(report, expected, own, outside, is_other):
    """The likeliest causes of figures outside their ranges: first what was measured in the run,
    then the single changes of the scenario that would explain the difference."""
    accum = report["scenario"]["accum"]
    if (own.get("mfu") or 0.0) > 1.0 and not own["tokens_counted"]:
        often = f", or step() was called after each of {accum:g} micro-batches" if accum > 1 else ""
        return [f"No GPU is faster than its peak: the steps had fewer tokens than the scenario's{often}."]
    causes = []
    rate = own.get("tokens_per_s_per_gpu")
    is_slow = bool(rate) and rate < (expected["tokens_per_s_per_gpu"]["low"] or 0.0)
    time = own.get("step_time_s")
    if is_slow and time:
        waits = (own.get("data_wait_s") or 0.0) / time
        if waits > WAITS:
            causes.append(f"The program waits for its next batch for {waits:.0%} of a step: more workers, or prefetching.")
        drift = own.get("drift")
        if drift and max(drift, 1 / drift) > DRIFTS:
            how = "faster" if drift < 1 else "slower"
            causes.append(f"Later steps are {max(drift, 1 / drift) - 1:.0%} {how} than earlier ones: compilation, caches, "
                          "clocks or lengths still change.")
        if (own.get("spread") or 0.0) > VARIES:
            causes.append(f"Steps vary by {own['spread']:.0%} of the median: lengths of texts, recompilation, or a shared "
                          "machine.")
    kinds = ("max_memory_allocated_bytes", "max_memory_reserved_bytes")
    allocated, reserved = (own.get(name) for name in kinds)
    if allocated and reserved and kinds[1] in outside:
        of_run, of_model = reserved / allocated, expected[kinds[1]]["expected"] / expected[kinds[0]]["expected"]
        if of_run > FRAGMENTS * of_model:
            causes.append(f"Reserved memory is {of_run:.2f} times the allocated, {of_model:.2f} predicted: fragments, which "
                          "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True avoids.")
    return causes + _explained(report, own, outside, is_other)


def _explained(report, own, outside, is_other):
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


def lines(compared, title):
    """A comparison of :func:`beside` as lines for people."""
    own, expected = compared["measured"], compared["expected"]
    written = [title]
    for name, is_inside in compared["inside"].items():
        label, scale, unit = FIGURES[name]
        around = expected[name]
        figures = [around["expected"], around["low"], around["high"]]
        said, low, high = (_digits(figure * scale) if figure is not None else "" for figure in figures)
        verdict = {True: "inside", False: "OUTSIDE", None: ""}[is_inside]
        among = f" ({low} to {high})" if low else " (no measured range)"
        written.append(f"  {label:<15}{_digits(own[name] * scale):>9} {unit:<4} predicted {said}{among}  {verdict}".rstrip())
    written += [f"  cause? {cause}" for cause in compared["causes"]]
    return written + [f"  note: {note}" for note in compared["notes"]]


def _digits(figure):
    """A number with three or more digits."""
    return f"{figure:,.0f}" if abs(figure) >= 1000 else f"{figure:.3g}"
