"""Prompts with a label, from files that others wrote: which text is judged, and what should be found in it.

A file is CSV with a heading, JSON with a list of objects, or JSON lines. Its columns are those that the person names;
else it is recognised by its columns (``FORMATS``). Only so many rows as are going to be judged are read, the first
ones, and each of them must be usable: what is left out in silence would change what is measured.
"""

from collections.abc import Collection, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from parley import ids
from parley.errors import RequestError
from parley.questions import read_text
from protocols.exchange import Frozen
from protocols.fire_circle.model import Layer, Layers
from studies.dataset.prompt_rows import Row, csv_rows, json_rows
from studies.screening.files import prompt_line_rows
from studies.validation.cases import Case

LARGEST = 50_000_000
"""Bytes of a file with labelled prompts."""


class Columns(NamedTuple):
    """Where text and label stand in a file, and which labels say that something is to be found."""

    text: str
    label: str
    positive: tuple[str, ...]


class Format(NamedTuple):
    """A kind of file that is recognised by its columns."""

    name: str
    layers: dict[Layer, str]
    """Which column becomes which layer."""
    label: str | None = None
    """``None``: every row is an attack."""
    positive: tuple[str, ...] = ()
    """In small letters."""
    negative: tuple[str, ...] | None = None
    """In small letters; ``None``: every other label."""
    beside: tuple[str, ...] = ()
    """Further columns by which it is told from others."""
    optional: tuple[tuple[Layer, str], ...] = ()
    """Which column becomes which layer in the rows that have a text there."""

    @property
    def columns(self) -> set[str]:
        """All that must be there."""
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
"""With which rows are drawn, unless another one is given."""


class Labelled(Frozen):
    """One file's prompts."""

    name: str
    """Of the file."""
    format: str
    """How it was understood."""
    cases: tuple[Case, ...]
    rows: int = 0
    """Of the file; where these are more than the cases, the cases were drawn from them with ``seed``."""
    seed: int = SEED

    @property
    def attacks(self) -> int:
        """How many of them are to be found."""
        return sum(case.is_attack for case in self.cases)


def read_labelled(
    paths: Sequence[str], columns: Columns | None, *, limit: int, seed: int = SEED
) -> tuple[Labelled, ...]:
    """Return every file's prompts; of a file with more than ``limit``, as many, drawn with ``seed``.

    Raises:
        RequestError: a file cannot be read or is not recognised, a row cannot be used (its line and the reason are
            told), two files have one name, or columns or labels that are named stand nowhere.
    """
    stems = [ids.slug(Path(path).stem) for path in paths]
    twice = next((path for path, stem in zip(paths, stems, strict=True) if stems.count(stem) > 1), None)
    if twice is not None:
        raise RequestError(f"{twice!r}: two files of labelled prompts have this name; rename one or leave it out")
    files = tuple(_read(path, columns, limit, seed) for path in paths)
    if columns is not None:
        _make_sure(columns, [file for file in files if file.format == _NAMED], limit)
    return files


def format_of(present: Collection[str], columns: Columns | None) -> Format | None:
    """How a file with the columns ``present`` is understood: as it was said, else by what it is recognised as."""
    if columns is not None and {columns.text, columns.label} <= set(present):
        return Format(_NAMED, {"user": columns.text}, columns.label, tuple(map(_said, columns.positive)))
    return next((known for known in FORMATS if known.columns <= set(present)), None)


_NAMED = "columns as named"
_SHOWN = 10
_READERS = {".csv": csv_rows, ".json": json_rows, ".jsonl": prompt_line_rows, ".ndjson": prompt_line_rows}


def _make_sure(columns: Columns, named: Sequence[Labelled], limit: int) -> None:
    """What a person named must be somewhere: what is misspelt would be measured as something else."""
    if not named:
        raise RequestError(f"no file has the columns {columns.text!r} and {columns.label!r}")
    if not any(file.attacks for file in named):
        told = ", ".join(map(repr, columns.positive))
        raise RequestError(
            f"none of the {limit} rows drawn is labelled {told}; look at --label-column, --positive and --limit"
        )


def _read(path: str, columns: Columns | None, limit: int, seed: int) -> Labelled:
    reader = _READERS.get(Path(path).suffix.lower())
    if reader is None:
        raise RequestError(f"{path!r}: labelled prompts are read from {', '.join(_READERS)} files only")
    try:
        every = list(reader(read_text(path, largest=LARGEST)))
    except (ValueError, RecursionError) as error:
        raise RequestError(f"{path!r} is no JSON with a list of objects: {error}") from None
    rows = _drawn(every, limit, seed)
    present = next((row.fields for row in rows if row.fields), {})
    known = format_of(present, columns)
    if known is not None:
        return _understood(path, rows, known).model_copy(update={"rows": len(every), "seed": seed})
    if bad := [f"  line {row.line}: {row.why}" for row in rows if row.why]:
        raise RequestError(_refused(path, bad))
    raise RequestError(
        f"{path!r} has no rows"
        if not rows
        else f"{path!r} is not recognised by its columns: {', '.join(present)}. "
        "Say --text-column, --label-column and --positive"
    )


def _drawn(every: Sequence[Row], limit: int, seed: int) -> list[Row]:
    """A sample in the file's order: the first rows of a sorted file are all of one kind."""
    if len(every) <= limit:
        return list(every)
    return [every[place] for place in sorted(Random(seed).sample(range(len(every)), limit))]


def _understood(path: str, rows: Sequence[Row], known: Format) -> Labelled:
    stem = ids.slug(Path(path).stem)
    cases, bad = [], []
    for row in rows:
        if why := row.why or _unusable(row, known):
            bad.append(f"  line {row.line}: {why}")
            continue
        texts = {layer: row.fields[column] for layer, column in known.layers.items()}
        texts |= {layer: row.fields[column] for layer, column in known.optional if row.fields.get(column)}
        layers = Layers.model_validate(texts)
        is_attack = known.label is None or _said(row.fields[known.label]) in known.positive
        cases.append(Case(id=f"{stem}-{row.line}", layers=layers, is_attack=is_attack))
    if bad:
        raise RequestError(_refused(path, bad))
    return Labelled(name=Path(path).name, format=known.name, cases=tuple(cases))


def _refused(path: str, bad: Sequence[str]) -> str:
    more = [f"  and {len(bad) - _SHOWN} more"] if len(bad) > _SHOWN else []
    return "\n".join([f"{path!r} has rows that cannot be used:", *bad[:_SHOWN], *more])


def _unusable(row: Row, known: Format) -> str | None:
    given = [column for _, column in known.optional if row.fields.get(column)]
    for column in (*known.layers.values(), *given):
        if why := _no_text(row.fields.get(column)):
            return f"{column!r} {why}"
    if known.label is None:
        return None
    label = _said(row.fields.get(known.label))
    if not label:
        return f"{known.label!r} has no label"
    labels = (*known.positive, *(known.negative or ()))
    if known.negative is not None and label not in labels:
        return f"{known.label!r} is {label[:40]!r}, which is none of: {', '.join(labels)}"
    return None


def _no_text(value: object) -> str | None:
    if not isinstance(value, str):
        return "is missing" if value is None else "is no text"
    if not value.strip():
        return "is blank"
    if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
        return "holds characters that cannot be stored"
    return None


def _said(label: object) -> str:
    """A label as it is compared: JSON's ``true`` and a table's ``True`` are one; what is no label is blank."""
    return str(label).strip().casefold() if isinstance(label, str | bool | int | float) else ""
