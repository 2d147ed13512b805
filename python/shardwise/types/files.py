"""Answers to files and sentences."""

from __future__ import annotations

from typing import Dict, List, Literal, Optional, TypedDict

from .answers import Question
from .report import Report

#: A key of a file that a suggested change alters: the value as written, ``None`` for a key that is
#: added; the new one, ``None`` for a key that is left out; and its line, from 1.
Edit = TypedDict(
    "Edit",
    {"file": str, "key": str, "from": Optional[str], "to": Optional[str], "line": Optional[int]},
)

#: A part of a sentence that was understood, and what it was taken for. Places are in UTF-16 code
#: units.
Mark = TypedDict(
    "Mark",
    {
        "from": int,
        "to": int,
        "text": str,
        "means": str,
        "kind": Literal[
            "model", "gpu", "count", "length", "batch", "method", "precision", "kernel", "layout",
            "framework", "tokens", "price", "question", "filler",
        ],
        "taken": List[str],
    },
)


class Choice(TypedDict):
    """An answer to what was not understood: another text."""

    label: str
    text: str


#: A part of a sentence that was not understood, the names that are near, and other texts that
#: answer it. Places are in UTF-16 code units.
Unread = TypedDict(
    "Unread",
    {
        "from": int, "to": int, "text": str, "near": List[str], "sentence": str,
        "choices": List[Choice],
    },
)


class Offer(TypedDict):
    """A change that is offered."""

    #: The code of its kind, such as ``SW101``; ``None`` where no setting changes.
    code: Optional[str]
    severity: Optional[Literal["error", "warning", "note"]]
    #: What it changes and what that helps.
    what: str
    #: The fragment of the changed scenario's link.
    scenario: Optional[str]
    #: Name and text of each file that differs.
    files: List[List[str]]
    #: What it does to what is trained.
    changes: Literal["nothing", "numerics", "training"]
    #: The relative gain of speed of a run that fits.
    gain: Optional[float]
    edits: List[Edit]
    #: The file that it concerns, empty for a text without a name, and the line, from 1, of the first
    #: key that it alters or names.
    file: str
    line: Optional[int]


class Assumption(TypedDict):
    """A value that decides the answer and was not said."""

    key: str
    label: str
    value: str
    why: str
    sentence: str


class Unsaid(TypedDict):
    """What no file says: a sentence in ``why``, and of a sentence's values the rest."""

    key: str
    label: str
    value: str
    why: str


class Asked(TypedDict):
    """A question about a part of a sentence; its ``text`` is empty if it is about the whole."""

    text: str
    sentence: str
    choices: List[List[str]]


class Section(TypedDict):
    """Lines under a title."""

    title: str
    lines: List[str]


class Spread(TypedDict):
    """The likely values of what no file says: those that decide, and the odds of each likely run."""

    said: List[str]
    odds: List[float]


class _Read(TypedDict):
    kind: Literal[
        "model", "adapter", "lengths", "scenario", "run", "links", "rates", "error", "sentence", "measured"
    ]
    #: The scenario that it becomes: a link's fragment, or JSON.
    scenario: str
    said: str
    read: str
    sections: List[Section]
    offers: List[Offer]
    #: What decides whether a run fits and no file says.
    open: List[str]
    names_gpus: bool
    #: Questions for what is missing: without an answer there is no verdict.
    missing: List[str]
    contradictions: List[str]
    assumed: List[Unsaid]
    understood: List[str]
    #: Keys that were passed over, as nothing is known of them that decides.
    ignored: List[str]
    #: Keys that were not read and may decide, as ``key = value``.
    unread: List[str]
    spread: Optional[Spread]
    #: Of a sentence the parts that were understood, and questions about others.
    marks: List[Mark]
    questions: List[Asked]
    #: Of a sentence that asks something the query of the page that answers, and the answer.
    plan: Optional[str]
    view: Optional[str]
    answer: str
    #: Links of the other runs of a sentence that compares GPUs.
    compared: List[str]


class Read(_Read, total=False):
    """What was read."""

    #: The model that the text names and the catalog lacks.
    unknown_model: str


class Asks(TypedDict):
    """What a sentence asks backwards."""

    #: A question for ``plan``; ``None`` for the best layout, which ``rank`` gives.
    question: Optional[Question]
    words: str
    clusters: List[str]
    batch_tokens: Optional[float]
    query: Optional[str]


class Shown(TypedDict):
    """The view of the page that answers."""

    query: str
    says: str


class Understood(TypedDict):
    """A run in a person's own words."""

    text: str
    understood: List[Mark]
    #: What decides the answer and was not said, what decides most first.
    assumed: List[Assumption]
    #: What was not understood: it is left out of the scenario.
    unread: List[Unread]
    conflicts: List[str]
    asks: Optional[Asks]
    shown: Optional[Shown]
    link: str
    compared: List[str]
    #: Whether something is unread or cannot be: the scenario is then not the one that was said.
    is_open: bool
    is_new: bool
    report: Report


class Export(TypedDict):
    """Settings of a scenario for a training program."""

    #: The program's key: ``torchtitan``.
    program: str
    #: The text of each file, by its name.
    files: Dict[str, str]
    language: str
    #: What the program cannot express or only approximates, and last what differs when it is read.
    notes: List[str]
