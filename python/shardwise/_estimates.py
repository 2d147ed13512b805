"""Answers to a scenario: its report, the best layouts, plans, two kinds of GPUs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Union, cast

from . import _engine
from ._asked import asked, word
from ._report import ShownReport

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keys import StepValues, Values
    from ._values import Scenario
    from .types import (
        Catalog, Export, Mixed, Parameter, Plan, Question, RankResult, Report, Understood,
    )


def shown(report: Dict[str, Any]) -> Report:
    """A report that a notebook shows."""
    return cast("Report", ShownReport(report))


def estimate(
    scenario: Scenario = "", *, strict: bool = True, assume: bool = False, **values: Unpack[Values]
) -> Report:
    """The whole report of a scenario; keywords set values of it: ``estimate(link, gpus=256, seq="32k")``.

    Args:
        scenario: a link of the calculator, its fragment, a mapping with a link's keys, a report, or
            an ``argparse.Namespace`` or dataclass with such fields.
        strict: whether what cannot be read is an error; ``False`` forgives it as the page does with
            an old link, and says it in ``report["issues"]``.
        assume: whether to go on where a model, a number of GPUs, a length or a micro-batch decides
            the answer and was not given; the first issues then say what was taken.
        **values: values that are set in the scenario, under a link's keys or any of their usual
            names: ``seq_len``, ``per_device_train_batch_size``, ``strategy="fsdp"``,
            ``model="meta-llama/Llama-3.1-8B"``. ``parameters()`` lists them with their units.
            ``model`` may be a config of transformers, a module that has one, or the path of a
            ``config.json``; ``adapter`` a config of PEFT; a value a member of an enum, a dtype of
            PyTorch, a number of NumPy. ``None`` is not said.

    Returns:
        A dict: ``fits``, ``fit_odds`` (0 to 1), ``mfu`` (0 to 1), ``step_time_s`` (seconds),
        ``needed_memory_bytes`` (of one GPU), ``limiter``, ``link``, ``scenario`` and more:
        :class:`shardwise.types.Report`. A notebook shows its verdict.

    Raises:
        TypeError: for a key that is none, or an object that is no value.
        ValueError: for a value that is none, and where something decides the answer and was not
            given.

    The book has it under “Programs” (docs/book/programs.md).
    """
    return shown(json.loads(_engine.estimate(asked("estimate", scenario, values, strict, assume))))


def rank(
    scenario: Scenario = "",
    top: int = 10,
    *,
    batch: Optional[float] = None,
    hold: Union[str, Iterable[str]] = (),
    strict: bool = True,
    assume: bool = False,
    **values: Unpack[StepValues],
) -> RankResult:
    """The best layouts that fit, for the same model, length, GPUs and tokens per step.

    Args:
        scenario: as of :func:`estimate`.
        top: how many layouts at most, 1 or more.
        batch: the tokens per step; without it the scenario's.
        hold: keys of parameters that every layout keeps as the scenario has them:
            ``["tp", "recompute"]``.
        strict: as of :func:`estimate`.
        assume: as of :func:`estimate`.
        **values: as of :func:`estimate`, but for ``batch``: ``global_batch_size`` are its sequences.

    Returns:
        A dict with ``tried``, ``fit``, ``issues`` and ``layouts``, those that fit surely before tight
        ones, the fastest first, each with ``name``, ``settings``, ``link``, ``report`` and whether its
        framework ``runs`` it; those that it does not come last.

    Raises:
        TypeError, ValueError: as of :func:`estimate`.

    The book has it under “Parallel layouts” (docs/book/parallel.md).
    """
    request = asked("rank", scenario, values, strict, assume)
    answer = json.loads(_engine.rank(request, batch, names(hold), _most("rank", top)))
    for layout in answer["layouts"]:
        layout["report"] = shown(layout["report"])
    return cast("RankResult", answer)


def mixed(
    scenario: Scenario = "",
    others: Optional[Mapping[str, Any]] = None,
    *,
    strict: bool = True,
    assume: bool = False,
    **values: Unpack[Values],
) -> Mixed:
    """One run on two kinds of GPUs: ``mixed(run, {"cluster": "dgx-a100-80", "gpus": 8})``.

    Args:
        scenario: as of :func:`estimate`; its ``gpus`` are those of both kinds.
        others: those of the run's GPUs that are of another kind: a mapping of their ``gpu``,
            ``cluster``, ``link`` and number of ``gpus``.
        strict: as of :func:`estimate`.
        assume: as of :func:`estimate`.
        **values: as of :func:`estimate`.

    Returns:
        A dict with the ``kinds``, what is ``divided`` (``sequences``, or the ``layers`` of a pipeline
        of two stages), the ``equal`` split of frameworks and the ``best`` that fits (``None`` where
        none does), each with ``step_time_s`` (seconds) and the ``shares`` of both kinds, and ``notes``.

    Raises:
        TypeError, ValueError: as of :func:`estimate`, and for runs that are not modelled.

    The book has it under “Parallel layouts” (docs/book/parallel.md).
    """
    if not isinstance(others, Mapping):
        raise TypeError(f"mixed: others must be a mapping of the other GPUs' values, not {type(others).__name__}.")
    pairs = [f"{key}={word('mixed', key, value)}" for key, value in others.items() if value is not None]
    return cast("Mixed", json.loads(_engine.mixed(asked("mixed", scenario, values, strict, assume), pairs)))


def plan(
    scenario: Scenario = "",
    question: Question = "fewest",
    days: Optional[float] = None,
    budget: Optional[float] = None,
    clusters: Union[str, Iterable[str]] = (),
    top: int = 24,
    *,
    batch: Optional[float] = None,
    sure: Optional[float] = None,
    hold: Union[str, Iterable[str]] = (),
    strict: bool = True,
    assume: bool = False,
    **values: Unpack[StepValues],
) -> Plan:
    """Plans backwards: from a model, tokens and a limit to GPUs, or from GPUs to what they can do.

    Args:
        scenario: as of :func:`estimate`.
        question: ``fewest`` GPUs that hold it, ``cheapest`` by a deadline, ``fastest`` within a
            budget, on clusters; the longest ``context``, the largest ``model``, the largest ``batch``
            on the scenario's own GPUs.
        days: the deadline of ``cheapest``, in days (30).
        budget: the budget of ``fastest``, in US dollars (100,000).
        clusters: ids of clusters of the catalog, all of them if left out; ``own`` is the scenario's
            hardware.
        top: the most answers, 1 or more.
        batch: the tokens per step; without it the scenario's where they were chosen, and else those
            of published runs.
        sure: the odds, 0 to 1, that an answer fits and holds its limit (0.8).
        hold: keys of parameters that every layout keeps as the scenario has them.
        strict: as of :func:`estimate`.
        assume: as of :func:`estimate`.
        **values: as of :func:`estimate`, but for ``batch``: ``global_batch_size`` are its sequences.

    Returns:
        A dict with ``answers``, the best first, which ``pandas.DataFrame`` takes, each with
        ``cost_usd``, ``time_s`` (seconds), ``gpus`` and a ``link``; the ``front`` of days against
        dollars; where nothing answers the ``nearest``.

    Raises:
        TypeError, ValueError: as of :func:`estimate`, and for what is no question or no limit of it.

    The book has it under “Plan backwards” (docs/book/plan.md).
    """
    for name, value, owner in (("days", days, "cheapest"), ("budget", budget, "fastest")):
        if value is not None and question != owner:
            raise ValueError(f"plan: “{name}” is no limit of “{question}”.")
    limit = days if days is not None else budget
    request = asked("plan", scenario, values, strict, assume)
    lists, most = [names(clusters), names(hold)], _most("plan", top)
    return cast("Plan", json.loads(_engine.plan(request, question, [limit, batch, sure], lists, most)))


def understand(text: str, link: Optional[Scenario] = None, *, strict: bool = True) -> Understood:
    """Reads a run in a person's own words: ``understand("llama 3.1 8b qlora on 2x4090, 8k")``.

    Args:
        text: the sentence. One that names a model is a new run.
        link: the scenario that a text without a model changes, ``understand("use 16 GPUs", link)``:
            a link, a mapping with a link's keys, or a report.
        strict: whether a link that cannot be read is an error.

    Returns:
        A dict with

        - ``understood``: the parts of the text, each with what it ``means``; ``from`` and ``to``
          count UTF-16 code units;
        - ``assumed``: what decides the answer and the text does not say, each with its ``value``
          and a ``sentence``;
        - ``unread``: what was not understood or contradicts itself, each with its ``text``, the
          ``near`` names that are known, and ``choices``, other texts that answer it; it is left out
          of the scenario, so look here first;
        - ``conflicts``: sentences on what cannot be; ``is_open``: whether there is anything in
          either, so that the scenario is not the one that was said;
        - ``compared``: links of the other runs of a text that compares GPUs; ``shown``: the view of
          the page that answers, or ``None``;
        - ``asks``: the question of a text such as ``"70B, 1T tokens, 30 days, cheapest"``, else
          ``None``;
        - ``link``, the fragment of the scenario's link; ``is_new``, whether it is a new run;
          ``report``, as of :func:`estimate`.

    Raises:
        TypeError: for what is no text.
        ValueError: for a text of which nothing is understood, and a link that cannot be read.

    The book has it under “Programs” (docs/book/programs.md).
    """
    now = "" if link is None else _engine.link(asked("understand", link, {}, strict))
    answer = json.loads(_engine.understand(text, now))
    answer["report"] = shown(answer["report"])
    return cast("Understood", answer)


def link(
    scenario: Scenario = "", page: Optional[str] = None, *, strict: bool = True, **values: Unpack[Values]
) -> str:
    """The fragment of a scenario's link, or with the address of a ``page`` the whole link.

    Raises:
        TypeError, ValueError: as of :func:`estimate`, but for what was not given.

    The book has it under “Links” (docs/book/links.md).
    """
    fragment = _engine.link(asked("link", scenario, values, strict))
    return fragment if page is None else f"{str(page).split('#')[0]}#{fragment}"


def export(
    scenario: Scenario,
    program: str,
    *,
    strict: bool = True,
    assume: bool = False,
    **values: Unpack[Values],
) -> Export:
    """The settings of a scenario for a training program, as the page writes them, or its job.

    Args:
        scenario: as of :func:`estimate`.
        program: ``pytorch``, ``torchtitan``, ``deepspeed``, ``megatron-lm``, ``accelerate``, ``peft``,
            ``trl``, ``axolotl``, ``llama-factory`` or ``torchtune``, or its name; or a job, with the
            settings of the program that it starts: ``torchrun``, ``srun``, ``slurm``, ``skypilot`` or
            ``kubernetes``.
        strict: as of :func:`estimate`.
        assume: as of :func:`estimate`.
        **values: as of :func:`estimate`.

    Returns:
        A dict with the ``program``'s key, ``files`` (the text of each, by its name), their
        ``language``, and ``notes``: sentences on what the program cannot express or only approximates.

    Raises:
        TypeError, ValueError: as of :func:`estimate`, for a program that has no settings, and for a run that a job cannot start.

    The book has it under “Settings” (docs/book/settings.md) and “Jobs” (docs/book/jobs.md).
    """
    request = asked("export", scenario, values, strict, assume)
    return cast("Export", json.loads(_engine.export(request, program)))


def catalog() -> Catalog:
    """Models, accelerators, interconnects, clusters and named scenarios, each with its source.

    The book has them under “Data” (docs/book/data.md).
    """
    return cast("Catalog", json.loads(_engine.catalog()))


def parameters(scenario: Scenario = "", *, strict: bool = True, **values: Unpack[Values]) -> List[Parameter]:
    """The keys of a scenario with their other ``names``, bounds, units and meaning.

    Args:
        scenario: as of :func:`estimate`; each row has the ``value`` in it.
        strict: as of :func:`estimate`.
        **values: as of :func:`estimate`.

    Returns:
        A list of dicts in the page's order; ``kind`` is ``number`` (with ``min``, ``max``, ``unit``) or
        ``choice`` (with ``options``).

    Raises:
        TypeError, ValueError: as of :func:`estimate`, but for what was not given.
    """
    return cast("List[Parameter]", json.loads(_engine.parameters(asked("parameters", scenario, values, strict))))


def names(given: Union[str, Iterable[str]]) -> List[str]:
    """One name or several, as a list."""
    return [given] if isinstance(given, str) else list(given)


def _most(caller: str, top: int) -> int:
    """How many answers are wanted."""
    if isinstance(top, bool) or not isinstance(top, int) or top < 1:
        raise ValueError(f"{caller}: top must be 1 or more, not {top!r}.")
    return top
