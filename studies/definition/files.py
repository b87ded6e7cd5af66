"""Reading a study file, or building one around a dataset, with options of the command line on top.

A file may come from others: its relative paths must stay below its own directory, links
resolved; paths elsewhere must be absolute.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from parley import ids
from parley.errors import RequestError
from parley.panel_files import UNSHOWN
from parley.questions import LARGEST, read_keys, read_option_files, read_seat_texts, read_text
from protocols.constraints import did_you_mean, quoted, sentence_of
from protocols.named_panel import NamedPanel
from studies.definition.grid import keep_protocols
from studies.definition.study_file import ArmTable, BudgetTable, DatasetTable, GridTable, LabelTable, StudyFile

EXAMPLE = files(__package__) / "example.toml"
"""A study file with every key and a comment to each, as ``parley batch init`` writes it."""
EXAMPLE_QUESTIONS = files(__package__) / "example.csv"

_TABLES: Mapping[str, type[BaseModel]] = {
    "budget": BudgetTable,
    "dataset": DatasetTable,
    "label": LabelTable,
    "panels": NamedPanel,
    "arms": ArmTable,
    "grid": GridTable,
}
_LAYOUT = ("format", "encoding", "delimiter", "sheet")
"""Keys about the format of one dataset, and of no other."""
_MADE_UP = "models"
_LONGEST_NAME = 60


class Overrides(NamedTuple):
    """Options of the command line; ``None`` and ``()`` leave a value to the file."""

    dataset: str | None = None
    """Seen from where the command runs."""
    format: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    sheet: str | None = None
    question: str | None = None
    template: str | None = None
    id: str | None = None
    label: str | None = None
    allow_blank: tuple[str, ...] = ()
    allow_json: tuple[str, ...] = ()
    rows: str | None = None
    skip_bad: bool | None = None
    name: str | None = None
    protocols: tuple[str, ...] = ()
    """Of a study file, these of its arms alone."""
    models: tuple[str, ...] = ()
    """Without a study file alone, like ``chair``: a file has panels."""
    chair: str | None = None
    panel: str | None = None
    """Name of a panel; without a study file alone too."""
    repeats: int | None = None
    seed: int | None = None
    window: int | None = None
    priority: int | None = None
    failure_mode: str | None = None
    rehearse: bool | None = None
    budget_usd: float | None = None
    budget_tokens: int | None = None


def read_study(path: str, overrides: Overrides = Overrides()) -> StudyFile:  # noqa: B008 - a value that never changes
    """Return the study in the file at ``path``, or one made of ``overrides`` over a dataset there.

    Raises:
        RequestError: the file cannot be read, or something that it or the command line has cannot be used.
    """
    path = os.path.expanduser(path)  # noqa: PTH111 - pathlib's fails where there is no such home
    if Path(path).suffix.lower() == ".toml":
        if overrides.models or overrides.chair or overrides.panel:
            raise RequestError(
                "the models of a study are in its file, under [panels]; leave --models, --chair, --panel out"
            )
        folder = Path(path).absolute().parent.resolve()
        keys = read_keys(read_text(path, largest=LARGEST), path)
        raw, protocols = read_seat_texts(folder, keys), overrides.protocols
    else:
        raw, protocols = _around(path, overrides), ()
    study = parse_study(_with(raw, overrides))
    study = keep_protocols(study, protocols) if protocols else study
    return _resolved(study, Path(path).absolute().parent, typed=not raw.get("dataset", {}).get("path"))


def parse_study(raw: Mapping[str, Any]) -> StudyFile:
    """Return the study in ``raw``, the keys of a file.

    Raises:
        RequestError: a key is not known or a value cannot be used; every line names the key and the remedy.
    """
    try:
        return StudyFile.model_validate(raw)
    except ValidationError as error:
        raise RequestError("\n".join(_one(dict(problem)) for problem in error.errors(include_url=False))) from None


def _around(path: str, overrides: Overrides) -> dict[str, Any]:
    with suppress(FileNotFoundError):
        Path(path).stat()  # to whatever fails otherwise, pathlib's questions answer "no" from Python 3.14 on
    if Path(path).is_dir():
        raise RequestError(f"{path!r} is a directory; name the study file or the dataset in it")
    if not overrides.protocols and not Path(path).exists():
        raise RequestError(
            f"there is no file {path!r}; name a study file, which parley batch init writes, or a dataset"
        )
    if not overrides.protocols:
        raise RequestError(
            f"{path!r} is a dataset, and it names no protocol: add --protocol council to parley batch run, or write a "
            "study file (parley batch init) and name that"
        )
    if overrides.panel and overrides.models:
        raise RequestError("--panel and --models both say who takes part; leave one of them out")
    panel = _MADE_UP if overrides.models else overrides.panel
    made_up = {"models": overrides.models, "chair": overrides.chair}
    arms = [{"name": name, "protocol": name, "panel": panel} for name in overrides.protocols]
    if overrides.chair and not overrides.models:
        raise RequestError("--chair goes with --models; a panel names its own")
    return {
        "name": "-".join([ids.slug(Path(path).stem), *overrides.protocols])[:_LONGEST_NAME].rstrip("-"),
        "arms": arms,
        "panels": {_MADE_UP: made_up} if overrides.models else {},
        "dataset": {"path": str(_absolute(path))},
    }


def _with(raw: dict[str, Any], overrides: Overrides) -> dict[str, Any]:
    given = overrides._asdict()
    top = ("name", "repeats", "seed", "window", "priority", "failure_mode", "rehearse")
    columns = (*_LAYOUT, "question", "template", "id", "label", "allow_blank", "allow_json", "rows", "skip_bad")
    dataset = {key: given[key] for key in columns}
    if overrides.dataset is not None:
        dataset |= {"path": str(_absolute(overrides.dataset))}
        raw = {**raw, "dataset": _left_out(raw.get("dataset", {}), set(_LAYOUT))}
    if overrides.question or overrides.template:
        raw = {**raw, "dataset": _left_out(raw.get("dataset", {}), {"question", "template"})}
    budget = {"usd": overrides.budget_usd, "tokens": overrides.budget_tokens}
    laid = _laid(raw, {key: given[key] for key in top})
    for name, values in (("dataset", dataset), ("budget", budget)):
        table = laid.get(name, {})
        laid = {**laid, name: _laid(table, values) if isinstance(table, dict) else table}
    return laid


def _laid(table: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    return {**table, **{key: value for key, value in over.items() if value not in (None, ())}}


def _left_out(table: Any, keys: set[str]) -> Any:
    return {key: value for key, value in table.items() if key not in keys} if isinstance(table, dict) else table


def _absolute(path: str) -> Path:
    return Path(os.path.expanduser(path)).absolute()  # noqa: PTH111 - see above


def _resolved(study: StudyFile, folder: Path, *, typed: bool) -> StudyFile:
    """Return the study with its paths in full; only a typed path may leave its folder."""
    dataset = study.dataset.path if typed else _below(folder, "dataset.path", study.dataset.path)
    providers = None if study.providers is None else _below(folder, "providers", study.providers)
    table = study.dataset.model_copy(update={"path": dataset})
    read = [read_option_files(folder.resolve(), arm.options) for arm in study.arms]
    arms = tuple(arm.model_copy(update={"options": options}) for arm, options in zip(study.arms, read, strict=True))
    return study.model_copy(update={"dataset": table, "providers": providers, "arms": arms})


def _below(folder: Path, key: str, named: Path) -> Path:
    if named.is_absolute():
        return named
    try:
        found, within = (folder / named).resolve(), folder.resolve()
    except (OSError, ValueError, RuntimeError) as error:  # ValueError: a NUL in the name; RuntimeError: a loop
        raise RequestError(f"{key}: {str(named)!r} cannot be opened: {error}") from None
    if not found.is_relative_to(within):
        raise RequestError(
            f"{key}: {str(named)!r} leads out of {str(within)!r}; name a file below it, or name it in full"
        )
    return found


def _one(problem: Mapping[str, Any]) -> str:
    shown = (part for part in problem["loc"] if part not in UNSHOWN)
    where = ".".join(str(part + 1) if isinstance(part, int) else part for part in shown)
    if problem["type"] == "extra_forbidden":
        return _unknown(where, problem["loc"])
    if problem["type"] == "missing":
        return f"{where} is missing; parley batch init writes a study file with every key"
    message = sentence_of(problem)
    shown = problem["input"]
    if not where or isinstance(shown, dict | list):
        return f"{where}: {message}" if where else message
    return f"{where}: {quoted(shown)} cannot be used: {message}"


def _unknown(where: str, loc: tuple[Any, ...]) -> str:
    table = _TABLES.get(str(loc[0]), StudyFile) if len(loc) > 1 else StudyFile
    known = list(table.model_fields)
    options = " What its protocol takes is in its options: options = { models = […] }." if loc[0] == "arms" else ""
    hint = did_you_mean(str(loc[-1]), known, f"Known there are: {', '.join(known)}.{options}")
    return f"{where!r} is not a key of a study file. {hint}"
