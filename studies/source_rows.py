"""Sources in the long format: one row for each page that a provider named in a deliberation."""

from collections.abc import Iterator
from typing import Any

from ledger.studies.results import ResultRow
from protocols.model_call import FrozenModel


class SourceRow(FrozenModel):
    """One cited page, the participants that cited it, and the evidence made of it in a debate."""

    study: str
    number: int
    """Of the instance in its study, from 0."""
    deliberation_id: str
    row_id: str
    arm: str
    repeat: int
    protocol: str
    participant: str
    model: str
    stage: str
    round: int
    source: int
    """The page's number in the provider's list."""
    url: str
    title: str
    excerpt: str
    evidence: str
    """Id of the evidence of the same address in the debate's registry; blank where it is none."""
    rehearsal: bool


def rows_of_sources(row: ResultRow) -> Iterator[SourceRow]:
    """Yield the sources of one deliberation, read with its whole result, in the order of citation."""
    result = row.result or {}
    cited: list[dict[str, Any]] = result.get("cited") or []
    registry: list[dict[str, Any]] = (result.get("state") or {}).get("evidence") or []
    known = {one["url"]: one["id"] for one in reversed(registry) if one.get("url")}
    copied = ("study", "number", "deliberation_id", "row_id", "arm", "repeat", "protocol", "rehearsal")
    for one in cited:
        named = {name: one[name] for name in ("participant", "model", "stage", "round", "url", "title", "excerpt")}
        beside = {"source": one["number"], "evidence": known.get(one["url"], "")}
        yield SourceRow.model_validate({name: getattr(row, name) for name in copied} | named | beside)
