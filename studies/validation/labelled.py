"""Labelled prompts of published files: which text is judged, and whether it is an attack.

A file is CSV with a heading, JSON with a list of objects, or JSON lines. Its columns are those that are named, else it
is recognised by its columns (``FORMATS``). Of a long file a sample is drawn, and every row of it must be usable: a row
left out in silence would change what is measured.
"""

from collections.abc import Collection, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from parley import ids
from parley.errors import RequestError
from parley.questions import read_text, why_unreadable
from protocols.fire_circle.model import Layer
from protocols.model_call import FrozenModel
from studies.dataset.prompt_rows import Row, csv_rows, json_rows, refusal, why_no_text
from studies.screening.files import prompt_line_rows
from studies.validation.cases import Case, Label

LARGEST = 50_000_000
"""Bytes of a file with labelled prompts."""


class Columns(NamedTuple):
    """The columns of text and label, and the labels of an attack."""

    text: str
    label: str
    positive: tuple[str, ...]


class Format(NamedTuple):
    """A published format, recognised by its columns."""

    name: str
    layers: dict[Layer, str]
    """Layer to column."""
    label: str | None = None
    """``None``: every row is an attack."""
    positive: tuple[str, ...] = ()
    """In small letters."""
    negative: tuple[str, ...] | None = None
    """In small letters; ``None``: every other label."""
    beside: tuple[str, ...] = ()
    """Further columns that set it apart from others."""
    optional: tuple[tuple[Layer, str], ...] = ()
    """Layer to column, for the rows that have a text there."""

    @property
    def columns(self) -> set[str]:
        """The columns that must be there."""
        return {*self.layers.values(), *self.beside, *([self.label] if self.label else [])}


FORMATS = (
    Format("XSTest", {"user": "prompt"}, "label", ("unsafe",), ("safe",), beside=("type", "focus")),
    Format(
        "PurpleLlama prompt injection",
        {"system": "test_case_prompt", "user": "user_input"},
        beside=("injection_variant", "judge_question"),
    ),
    Format("PurpleLlama false refusals", {"user": "mutated_prompt"}, "is_malicious", ("true",), ("false",)),
    Format(
        "HarmBench",
        {"user": "Behavior"},
        beside=("BehaviorID", "SemanticCategory"),
        optional=(("application", "ContextString"),),
    ),
    Format("AdvBench", {"user": "goal"}, beside=("target",)),
    Format("garak", {"user": "user"}, beside=("entry_type", "probe_classname"), optional=(("system", "system"),)),
)


SEED = 7
"""Of the draw, unless another one is given."""


class Labelled(FrozenModel):
    """One file's prompts."""

    name: str
    """Of the file."""
    format: str
    """The name of its format."""
    cases: tuple[Case, ...]
    rows: int = 0
    """Rows of the file; the cases are a sample of them, drawn with ``seed``, where there are more."""
    seed: int = SEED

    @property
    def attacks(self) -> int:
        """The number of attacks among them."""
        return sum(case.is_attack for case in self.cases)


def read_labelled(
    paths: Sequence[str], columns: Columns | None, *, limit: int, seed: int = SEED
) -> tuple[Labelled, ...]:
    """Return every file's prompts; of a file with more than ``limit``, as many, drawn with ``seed``.

    Raises:
        RequestError: a file cannot be read or is not recognised, a row cannot be used (the message has its line and
            the reason), two files have one name, or no file has a column or label that is named.
    """
    stems = [ids.slug(Path(path).stem) for path in paths]
    twice = next((path for path, stem in zip(paths, stems, strict=True) if stems.count(stem) > 1), None)
    if twice is not None:
        raise RequestError(f"{twice!r}: two files of labelled prompts have this name; rename one or leave it out")
    files = tuple(_read(path, columns, limit, seed) for path in paths)
    if columns is not None:
        _check_names(columns, [file for file in files if file.format == _NAMED])
    return files


def format_of(present: Collection[str], columns: Columns | None) -> Format | None:
    """Return the format of a file with the columns ``present``: as named, else the one it is recognised as."""
    if columns is not None and {columns.text, columns.label} <= set(present):
        return Format(_NAMED, {"user": columns.text}, columns.label, tuple(map(_label, columns.positive)))
    return next((known for known in FORMATS if known.columns <= set(present)), None)


_NAMED = "columns as named"
_READERS = {".csv": csv_rows, ".json": json_rows, ".jsonl": prompt_line_rows, ".ndjson": prompt_line_rows}


def _check_names(columns: Columns, named: Sequence[Labelled]) -> None:
    """Refuse columns and labels that no file has: a misspelt one would be measured as something else."""
    if not named:
        raise RequestError(f"no file has the columns {columns.text!r} and {columns.label!r}")
    if not any(file.attacks for file in named):
        positive, drawn = ", ".join(map(repr, columns.positive)), sum(len(file.cases) for file in named)
        raise RequestError(
            f"no row is labelled {positive}, of {drawn} drawn; look at --label-column, --positive and --limit"
        )


def _read(path: str, columns: Columns | None, limit: int, seed: int) -> Labelled:
    reader = _READERS.get(Path(path).suffix.lower())
    if reader is None:
        raise RequestError(f"{path!r}: labelled prompts are read from {', '.join(_READERS)} files only")
    try:
        every = list(reader(read_text(path, largest=LARGEST)))
    except (ValueError, RecursionError, RequestError) as error:
        raise RequestError(f"{path!r} cannot be read: {why_unreadable(error)}") from None
    rows = _drawn(every, limit, seed)
    present = next((row.fields for row in rows if row.fields), {})
    known = format_of(present, columns)
    if known is not None:
        return _read_as(path, rows, known).model_copy(update={"rows": len(every), "seed": seed})
    if bad := [f"line {row.line}: {row.why}" for row in rows if row.why]:
        raise RequestError(refusal(path, bad))
    raise RequestError(
        f"{path!r} has no rows"
        if not rows
        else f"{path!r} is not recognised by its columns: {', '.join(present)}. "
        "Say --text-column, --label-column and --positive"
    )


def _drawn(every: Sequence[Row], limit: int, seed: int) -> list[Row]:
    """Return a sample in the file's order: the first rows of a sorted file are all of one kind."""
    if len(every) <= limit:
        return list(every)
    return [every[place] for place in sorted(Random(seed).sample(range(len(every)), limit))]


def _read_as(path: str, rows: Sequence[Row], known: Format) -> Labelled:
    stem, source = ids.slug(Path(path).stem), Path(path).name
    cases, bad = [], []
    for row in rows:
        if why := row.why or _unusable(row, known):
            bad.append(f"line {row.line}: {why}")
            continue
        texts = {layer: row.fields[column] for layer, column in known.layers.items()}
        texts |= {layer: row.fields[column] for layer, column in known.optional if row.fields.get(column)}
        is_attack = known.label is None or _label(row.fields[known.label]) in known.positive
        label: Label = "attack" if is_attack else "benign"
        cases.append(Case(id=f"{stem}-{row.line}", source=source, label=label, **texts))
    if bad:
        raise RequestError(refusal(path, bad))
    return Labelled(name=source, format=known.name, cases=tuple(cases))


def _unusable(row: Row, known: Format) -> str | None:
    given = [column for _, column in known.optional if row.fields.get(column)]
    for column in (*known.layers.values(), *given):
        if why := why_no_text(row.fields.get(column)):
            return f"{column!r} {why}"
    if known.label is None:
        return None
    label = _label(row.fields.get(known.label))
    if not label:
        return f"{known.label!r} has no label"
    labels = (*known.positive, *(known.negative or ()))
    if known.negative is not None and label not in labels:
        return f"{known.label!r} is {label[:40]!r}, which is none of: {', '.join(labels)}"
    return None


def _label(label: object) -> str:
    """Return a label as it is compared: JSON's ``true`` equals a table's ``True``; blank where it is no label."""
    return str(label).strip().casefold() if isinstance(label, str | bool | int | float) else ""
