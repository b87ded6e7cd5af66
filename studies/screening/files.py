"""Prompts from a file: read whole before the first is judged, so that a bad row is known before anything is paid."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from parley.errors import RequestError, require
from parley.questions import STANDARD_INPUT, read_question, read_text, why_unreadable
from protocols.fire_circle.model import Layers
from studies.dataset.prompt_rows import READERS, SUFFIXES, Row, json_line_rows, refusal
from studies.screening.shapes import is_prompt, name_in, prompts_in

LARGEST = 50_000_000
"""Bytes of a file with prompts."""


class Prompt(NamedTuple):
    """One prompt, and its name in the file."""

    name: str
    layers: Layers


class PromptFile(NamedTuple):
    """The prompts of a file."""

    prompts: tuple[Prompt, ...]
    skipped: tuple[str, ...] = ()
    """Rows that cannot be used and were left out, each with its place and the reason."""


def read_prompts(
    path: str | Path, *, kind: str | None = None, column: str | None = None, skip_bad: bool = False
) -> PromptFile:
    """Read all prompts of the file at ``path``; ``-`` is standard input in the given format.

    Args:
        path: Of the file.
        kind: Its format, one of ``READERS``; by default that of its name.
        column: The column of the prompt, if the row does not name it.
        skip_bad: Leave rows out that cannot be used, in place of refusing the file.

    Raises:
        RequestError: the file cannot be read, or has no prompts, or has rows that cannot be used.
    """
    require(path, str | Path, "a file of prompts is named by its path, as in 'prompts.csv'")
    path = str(path)
    written = None if path == STANDARD_INPUT else read_text(path, largest=LARGEST)
    form = _format(path, kind)
    if written is None:
        written = read_question(path)
    try:
        rows = list(READERS[form](written))
    except (ValueError, RecursionError, RequestError) as error:
        raise RequestError(f"{path!r} cannot be read as {form}: {why_unreadable(error)}") from None
    prompts, bad = _understood(rows, column)
    if bad and not skip_bad:
        raise RequestError(refusal(path, bad, "Correct them, or add --skip-bad"))
    if not prompts:
        raise RequestError(f"{path!r} has no prompts")
    return PromptFile(tuple(prompts), tuple(bad))


def prompt_line_rows(text: str) -> Iterator[Row]:
    """Yield the rows of JSON lines; of garak's only attempts, each once, with its layers as fields of their own."""
    seen: set[str] = set()
    for row in json_line_rows(text):
        if row.why or "entry_type" not in row.fields:
            yield row
        elif is_prompt(row.fields) and not _is_seen(row, seen):
            try:
                [layers] = prompts_in(row.fields)
            except ValueError as error:
                yield row._replace(why=str(error))
            else:
                yield row._replace(fields={**row.fields, **layers})


def _format(path: str, kind: str | None) -> str:
    found = kind or SUFFIXES.get(Path(path).suffix.lower())
    if found is None:
        raise RequestError(f"{path!r}: the name does not say the format. Say --format {', '.join(READERS)}")
    return found


def _understood(rows: Sequence[Row], column: str | None) -> tuple[list[Prompt], list[str]]:
    prompts: list[Prompt] = []
    bad: list[str] = []
    seen: set[str] = set()
    for row in rows:
        if not row.why and (not is_prompt(row.fields) or _is_seen(row, seen)):
            continue
        try:
            prompts += _of_row(row, column)
        except ValueError as error:
            bad.append(f"{row.unit} {row.line}: {error}")
    return prompts, bad


def _is_seen(row: Row, seen: set[str]) -> bool:
    """Return whether the same attempt was in an earlier row: garak writes it again after grading."""
    uuid = row.fields.get("uuid") if "entry_type" in row.fields else None
    if not isinstance(uuid, str):
        return False
    is_known = uuid in seen
    seen.add(uuid)
    return is_known


def _of_row(row: Row, column: str | None) -> list[Prompt]:
    if row.why:
        raise ValueError(row.why)
    name = name_in(row.fields) or f"{row.unit} {row.line}"
    found = [Layers.model_validate(layers) for layers in prompts_in(row.fields, column)]
    if len(found) == 1:
        return [Prompt(name, found[0])]
    return [Prompt(f"{name} ({number})", layers) for number, layers in enumerate(found, 1)]
