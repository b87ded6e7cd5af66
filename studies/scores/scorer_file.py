"""The file ``scorers.toml``: scorers by name, each with what its kind takes.

::

    [scorers.right]
    kind = "answer"
    read = "choice"
    choices = ["A", "B", "C", "D"]
    aliases = { A = ["alpha", "the first"] }

An unknown key is an error, and every refusal names the key, the value and the remedy.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from parley.errors import RequestError
from parley.questions import LARGEST, read_keys, read_text
from protocols.constraints import did_you_mean, quoted, sentence_of
from studies.definition.study_file import Table
from studies.scores.scorers import KINDS

SCORER_NAME = r"^[a-z0-9][a-z0-9_-]{0,39}$"


class ScorerFile(NamedTuple):
    """The scorers of a file by name, and its panels as they are written."""

    scorers: Mapping[str, Any]
    panels: Mapping[str, Any] = {}
    rehearse: bool = False
    """Whether scripted models grade; their grades are none of real ones."""


def read_scorers(path: str) -> ScorerFile:
    """Return the scorers of the file at ``path``, their paths in full.

    Raises:
        RequestError: the file cannot be read or something in it cannot be used.
    """
    raw = read_keys(read_text(path, largest=LARGEST), path)
    if unknown := sorted(set(raw) - {"scorers", "panels"}):
        raise RequestError(f"{unknown[0]!r} is not a key of a file of scorers; each scorer is a table [scorers.NAME]")
    given = raw.get("scorers")
    if not isinstance(given, dict) or not given:
        raise RequestError(f'{path!r} has no scorer; add a table [scorers.NAME] with kind = "answer"')
    folder = Path(path).expanduser().absolute().parent
    scorers = {name: _resolved(parse_scorer(name, table), folder) for name, table in given.items()}
    return ScorerFile(scorers, raw.get("panels", {}))


def parse_scorer(name: str, table: Any) -> Any:
    """Return the scorer called ``name`` from the keys of its ``table``.

    Raises:
        RequestError: a key or a value of it cannot be used.
    """
    where = f"scorers.{name}"
    if not re.fullmatch(SCORER_NAME, name):
        raise RequestError(f"{where}: a name has up to 40 of a-z, 0-9, - and _, and begins with a letter or a digit")
    if name == "label":
        raise RequestError(f"{where}: in logs for Inspect this is the study's own label rule; choose another name")
    if not isinstance(table, dict):
        raise RequestError(f'{where} is {table!r}; it is a table: [{where}] with kind = "answer"')
    kind = table.get("kind", "answer")
    if not isinstance(kind, str) or kind not in KINDS:
        raise RequestError(f"{where}.kind is {quoted(kind)}; known are {', '.join(KINDS)}")
    try:
        return KINDS[kind].model_validate({**table, "kind": kind})
    except ValidationError as error:
        raise RequestError(_problem(where, kind, dict(error.errors(include_url=False)[0]))) from None


def fingerprint_of(scorer: Table, *contents: bytes) -> str:
    """Return the SHA-256 of a scorer and of the ``contents`` of the files it reads, in hex digits."""
    values = scorer.model_dump(mode="json", exclude_defaults=True, exclude={"budget", "window"})
    digest = hashlib.sha256(json.dumps([type(scorer).__name__, values], sort_keys=True).encode())
    for content in contents:
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()


def _problem(where: str, kind: str, problem: dict[str, Any]) -> str:
    place = [str(part) for part in problem["loc"]]
    key = ".".join((where, *place))
    if problem["type"] == "extra_forbidden":
        known = list(KINDS[kind].model_fields)
        hint = did_you_mean(place[-1], known, f"Known there are: {', '.join(known)}.")
        return f"{key!r} is not a key of a scorer of kind {kind!r}. {hint}"
    if problem["type"] == "missing":
        return f"{key} is missing"
    said, value = sentence_of(problem), problem["input"]
    return f"{key}: {said}" if isinstance(value, dict | list) else f"{key} is {quoted(value)}: {said}"


def _resolved(scorer: Any, folder: Path) -> Any:
    """Return ``scorer`` with its paths in full; a relative one is below the folder of the file or named from it."""
    changes: dict[str, Any] = {
        name: folder / getattr(scorer, name) for name in ("path", "file") if hasattr(scorer, name)
    }
    if getattr(scorer, "labels", None) is not None:
        changes["labels"] = scorer.labels.model_copy(update={"path": folder / scorer.labels.path})
    return scorer.model_copy(update=changes)
