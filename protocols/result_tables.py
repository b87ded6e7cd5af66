"""Tables of every result: lost calls, flaws, attached files, and sources named by providers."""

from collections.abc import Sequence

from protocols.attachments import Attachment
from protocols.cited import CitedSource
from protocols.flaws import WORDS, Degraded, Flaw, kind_of
from protocols.model_call import LostCall
from protocols.panel import name_of
from protocols.tables import Cell, Column, Table, columns, rows

_MOST_FLAWS, _MOST_SOURCES = 20, 40
"""Rows on a terminal."""
_SOURCE_WIDTH = 200


def lost_table(failed: Sequence[LostCall]) -> Table:
    """Return the calls that failed, with the reason of each."""
    has_rounds = any(call.round > 1 for call in failed)
    return Table(
        title="Lost calls",
        columns=columns("seat", "model", "stage", "why", "attempts", "message"),
        rows=rows(
            (
                call.participant,
                name_of(call.model),
                _stage(call.stage, call.round, has_rounds=has_rounds),
                f"{call.kind} ({call.error_type})",
                str(call.attempts),
                call.message,
            )
            for call in failed
        ),
        tone="bad",
    )


def flaws_table(degraded: Degraded, failed: Sequence[LostCall]) -> Table:
    """Return the flaws that are not among the lost calls."""
    lost = {(call.stage, call.round, call.participant, kind_of(call.kind)) for call in failed}
    others = [one for one in degraded.flaws if (one.stage, one.round, one.participant, one.kind) not in lost]
    has_rounds = any(one.round > 1 for one in others)
    return Table(
        title="Flaws",
        columns=columns("what", "seat", "stage", "note"),
        rows=rows(_flaw(one, has_rounds=has_rounds) for one in others),
        tone="warning",
        most_rows=_MOST_FLAWS,
    )


def sources_table(cited: Sequence[CitedSource]) -> Table:
    """Return the pages that providers named as sources, their addresses as plain text."""
    return Table(
        title="Sources that providers named",
        columns=(*columns("seat", "stage", "number", "title", "address"), Column("excerpt", least="page")),
        rows=rows(_source(one) for one in cited),
        most_rows=_MOST_SOURCES,
    )


def attachments_table(attached: Sequence[Attachment]) -> Table:
    """Return the attached files with all that a file can be checked by."""
    return Table(
        title="Attachments",
        columns=columns("file", "kind", "bytes", "tokens", "sha256", right={"bytes", "tokens"}),
        rows=rows((one.name, one.kind, f"{one.size:,}", f"{one.tokens:,}", one.sha256) for one in attached),
    )


def _flaw(one: Flaw, *, has_rounds: bool) -> tuple[str, ...]:
    return WORDS[one.kind][0], one.participant, _stage(one.stage, one.round, has_rounds=has_rounds), one.note


def _source(one: CitedSource) -> tuple[Cell, ...]:
    stage = _stage(one.stage, one.round, has_rounds=one.round > 1)
    texts = (one.participant, stage, f"[{one.number}]", one.title, one.url, one.excerpt)
    return tuple(Cell(text, width=_SOURCE_WIDTH) for text in texts)


def _stage(stage: str, number: int, *, has_rounds: bool) -> str:
    return f"{stage}, round {number}" if has_rounds else stage
