"""Files, texts and objects that describe a run."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from . import _engine
from ._asked import asked
from ._objects import as_file

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keys import Values
    from ._values import Scenario, Source
    from .types import Offer, Read

#: How the names of files that are read end.
_ENDINGS = (
    ".yaml", ".yml", ".json", ".toml", ".py", ".sh", ".txt", ".log", ".csv", ".pickle", ".ipynb", ".png", ".svg",
)
#: Letters of the longest path.
_LONGEST = 4096


def read(
    *files: Source,
    scenario: Scenario = "",
    strict: bool = True,
    assume: bool = False,
    **values: Unpack[Values],
) -> Read:
    """Reads files, texts or objects for a scenario, as the calculator's page does.

    These are the configuration of a run (Axolotl, LLaMA-Factory, torchtune, TRL, Accelerate, DeepSpeed,
    torchtitan, Megatron-LM, NeMo, llm-foundry, nanotron, MaxText), a model's ``config.json``, an
    ``adapter_config.json``, an out-of-memory message, a memory snapshot, a log, tables of nccl-tests,
    rates of GPUs (``shardwise measure``), lengths of texts, a link.

    Args:
        files: a path (``Path``, or a text that is the path of a file), any other text, bytes, an open
            file; a mapping; or an object with the fields of a configuration: ``TrainingArguments``
            and those of TRL, a config of transformers or PEFT, a module that has one, OmegaConf, a
            dataclass, an ``argparse.Namespace``. Files of the run that a file names by relative
            paths (DeepSpeed's JSON, Accelerate's YAML, a model's folder) are opened too.
        scenario: a scenario that the files change, as of :func:`estimate`.
        strict: whether what cannot be read of the scenario is an error.
        assume: as of :func:`estimate`.
        **values: values of the scenario, which count more than what files say.

    Returns:
        A dict with ``kind``, ``scenario`` (a link's fragment), ``said``, ``read``, ``sections``,
        ``offers``, what was ``assumed``, ``ignored`` and ``unread``, and what is ``missing`` for a
        verdict.

    Raises:
        FileNotFoundError: for a file that is not there.
        TypeError: for an object that holds no configuration.
        ValueError: for what cannot be read.

    The book has it under “Bring your own” (docs/book/bring.md).
    """
    given = [_content("read", file) for file in files]
    request = asked("read", scenario, values, strict, assume)
    answer = _engine.read(request, [name for name, _ in given], [content for _, content in given])
    return cast("Read", json.loads(answer))


def lint(
    *files: Source,
    scenario: Scenario = "",
    strict: bool = True,
    assume: bool = False,
    **values: Unpack[Values],
) -> list[Offer]:
    """What would make the run of these files fit or faster.

    Args:
        files: as of :func:`read`.
        scenario: as of :func:`read`.
        strict: as of :func:`read`.
        assume: as of :func:`read`.
        **values: as of :func:`read`.

    Returns:
        A list of dicts with the ``code`` (``SW101``) and ``severity`` (``error``, ``warning``,
        ``note``) of its kind, ``what``, the changed ``scenario`` and the changed ``files`` (name and
        text).

    Raises:
        ValueError: for files that are not the configuration of a run, and for runs whose model or
            size decides the answer and is not known.

    The book has it under “Lint” (docs/book/lint.md).
    """
    brought = read(*files, scenario=scenario, strict=strict, assume=assume, **values)
    if brought["kind"] != "run":
        raise ValueError("lint: this is not the configuration of a run; read() says what it is.")
    if brought["missing"]:
        raise ValueError(" ".join(brought["missing"]))
    return brought["offers"]


def _content(caller: str, file: Any) -> tuple[str, bytes]:
    """The name and the bytes of a file; a text has no name."""
    if isinstance(file, (bytes, bytearray, memoryview)):
        return "", bytes(file)
    if isinstance(file, os.PathLike) or _is_path(file):
        path = Path(file)
        return str(path), path.read_bytes()
    if isinstance(file, str):
        return "", file.encode()
    if callable(getattr(file, "read", None)):
        content = file.read()
        name = getattr(file, "name", "")
        return name if isinstance(name, str) else "", content.encode() if isinstance(content, str) else content
    return as_file(caller, file)


def _is_path(text: Any) -> bool:
    """Whether a text names a file; one that looks like a name and names none raises ``FileNotFoundError``."""
    if not isinstance(text, str) or "\n" in text or len(text) >= _LONGEST or "{" in text:
        return False
    if Path(text).is_file():
        return True
    if text.lower().endswith(_ENDINGS) and not any(sign in text for sign in "=&"):
        raise FileNotFoundError(f"There is no file {text}.")
    return False
