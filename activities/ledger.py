"""The ledger's line for a deliberation, written at its end, and its chapters, written when it continues in another run.

Answered calls are already in the ledger: the journal wrote each with its answer, and each that was paid for in vain.
Missing are the other lost calls, and the deliberation itself. Both are in one ``DeliberationRecord``, and writing it
twice leaves the same rows: the deliberation is replaced by itself, and a lost call replaces no answer. One that is
there has the cause of its latest loss, and the cost of all. A fire circle's patterns become durable with it.

A run that continues in another run writes a ``ChapterRecord``: its turns, for later runs to load, and its
lost calls. Turns are counted over all runs, so a chapter that is written twice replaces itself too.
"""

from collections.abc import Sequence
from typing import Any

from pydantic import AwareDatetime, Field, JsonValue
from sqlalchemy import Connection, Row, case, delete, func, select
from temporalio import activity

from activities.ledger_errors import StoreActivities, failing_clearly
from ledger.call_rows import CallContext, call_rows
from ledger.identity import CallIdentity
from ledger.patterns import FIRE_CIRCLE, pattern_rows
from ledger.stage_counts import calls_of, cost_source, quorum
from ledger.store import Store, packed_json, unpacked_json
from ledger.tables import CALLS, DELIBERATIONS, PATTERNS, TURNS, storable_json
from protocols.flaws import FlawKind
from protocols.model_call import Failed, FrozenModel, ModelId, Spending, Usage
from protocols.panel import FailureMode
from protocols.transcript import Transcript, Turn

_COSTS = (*Usage.model_fields, "cost_usd", "cost_source", "unanswered_requests")


class LostEntry(FrozenModel):
    """A lost call, with all columns of its ledger row."""

    identity: CallIdentity
    stage: str
    round: int = Field(default=1, ge=1)
    reply: Failed


class DeliberationRecord(FrozenModel):
    """A completed deliberation of any protocol."""

    id: str = Field(min_length=1)
    """The workflow id."""
    run_id: str
    salt: str | None = None
    """That of its calls; ``None`` from an older worker."""
    protocol: str
    protocol_version: str
    prompts: str
    """``version@fingerprint`` of the prompt pack that was used."""
    title: str
    question: str
    verdict: str | None
    stop_reason: str
    partial: bool
    degraded: bool = False
    flaws: dict[FlawKind, int] = Field(default_factory=dict)
    """Counts by kind; the flaws themselves are in ``result``."""
    failure_mode: FailureMode
    models: tuple[ModelId, ...]
    """Who was asked to take part, in panel order; who really served them is read from the calls."""
    seats: tuple[dict[str, JsonValue], ...] = ()
    """By seat its name, its model and its own settings."""
    sampling: dict[str, JsonValue] = Field(default_factory=dict)
    """The parameters of all calls, where a seat has none of its own; those left to the provider are left out."""
    spent: Spending
    """As counted by the protocol; answers that arrived after it gave up are in ``calls`` only."""
    rehearsal: bool
    batch_id: str | None = None
    continues: str | None = None
    """The deliberation that it is a follow-up of."""
    started_at: AwareDatetime
    ended_at: AwareDatetime
    scores: dict[str, float] = Field(default_factory=dict)
    """What the protocol measured."""
    votes: dict[str, JsonValue] = Field(default_factory=dict)
    """Who voted how."""
    result: JsonValue
    """The protocol's own result, whole."""
    lost: tuple[LostEntry, ...] = ()


class ChapterRecord(FrozenModel):
    """The turns and lost calls of one run before it continued as new."""

    deliberation_id: str = Field(min_length=1)
    """The workflow id."""
    run_id: str
    protocol: str
    chapter_key: str = Field(min_length=1)
    """Under which the runs of one deliberation find each other's turns."""
    first: int = Field(ge=0)
    """The number of the first turn here; 0 is the first turn of the deliberation."""
    turns: tuple[Turn, ...] = ()
    lost: tuple[LostEntry, ...] = ()


class RecallRequest(FrozenModel):
    """Ask for the first ``count`` turns under one key: a run that was reset may have left more of another course."""

    chapter_key: str = Field(min_length=1)
    count: int = Field(ge=0)


class LedgerActivities(StoreActivities):
    """The activities that write the ledger and load earlier turns.

    Args:
        store: The ledger.
        version: Of Parley, for the ledger's lines.
    """

    def __init__(self, store: Store, version: str = "") -> None:
        super().__init__(store)
        self._version = version
        # Made once: to make it for each deliberation takes longer than to run it.
        line = self._store.insert(DELIBERATIONS)
        again = {column.name: line.excluded[column.name] for column in DELIBERATIONS.c} | {"recorded_at": func.now()}
        self._line = line.on_conflict_do_update(index_elements=[DELIBERATIONS.c.id], set_=again)
        lost, is_lost = self._store.insert(CALLS), CALLS.c.outcome != "answered"
        cause = {name: lost.excluded[name] for name in ("outcome", "error_type", "message")}
        # A loss that has reached a provider knows what those before it cost, and any other one costs nothing.
        new, old = (func.coalesce(table.cost_usd, 0) + table.unanswered_requests for table in (lost.excluded, CALLS.c))
        cost = {name: case((new > old, lost.excluded[name]), else_=CALLS.c[name]) for name in _COSTS}
        self._lost = lost.on_conflict_do_update(index_elements=[CALLS.c.key], set_=cause | cost, where=is_lost)

    @activity.defn(name="record_deliberation")
    async def record_deliberation(self, entry: DeliberationRecord) -> None:
        """Write the deliberation and the calls it lost; doing it again changes nothing.

        Raises:
            ApplicationError: of type ``store.busy`` or ``store.full`` (tried again) or ``store.refused`` (final).
        """
        is_lone = not entry.lost and entry.protocol != FIRE_CIRCLE  # only its line is written
        with failing_clearly():
            await self._store.transaction(lambda connection: self._record(connection, entry), is_lone=is_lone)

    @activity.defn(name="record_chapter")
    async def record_chapter(self, entry: ChapterRecord) -> None:
        """Write what a run said and the calls it lost; doing it again changes nothing.

        Raises:
            ApplicationError: as ``record_deliberation``.
        """
        with failing_clearly():
            await self._store.transaction(lambda connection: self._add(connection, entry))

    @activity.defn(name="recall_turns")
    async def recall_turns(self, request: RecallRequest) -> Transcript:
        """Load the turns of the chapters under the key, in order.

        Raises:
            ApplicationError: as ``record_deliberation``; also ``store.refused`` when a text is damaged.
        """
        asked = (TURNS.c.chapter_key == request.chapter_key, TURNS.c.number < request.count)
        wanted = select(TURNS).where(*asked).order_by(TURNS.c.number)
        with failing_clearly():
            return Transcript(turns=tuple(_turn(row) for row in await self._store.rows(wanted)))

    def _add(self, connection: Connection, entry: ChapterRecord) -> None:
        self._lose(connection, entry.lost, entry.protocol, entry.run_id)
        rows = [_turn_row(entry, number, turn) for number, turn in enumerate(entry.turns, start=entry.first)]
        if rows:
            connection.execute(self._store.replacement(TURNS), rows)

    def _lose(self, connection: Connection, lost: Sequence[LostEntry], protocol: str, run_id: str) -> None:
        for entry in lost:
            occasion = CallContext(protocol=protocol, run_id=run_id, stage=entry.stage, round=entry.round)
            for line in call_rows(entry.identity, entry.reply, occasion):
                other = self._store.insert(line.table).on_conflict_do_nothing()
                connection.execute(self._lost if line.table is CALLS else other, line.values)

    def _record(self, connection: Connection, entry: DeliberationRecord) -> None:
        self._lose(connection, entry.lost, entry.protocol, entry.run_id)
        connection.execute(self._line, _row(entry) | {"version": self._version, **_counted(connection, entry)})
        if entry.protocol == FIRE_CIRCLE:
            _bank(connection, entry)


def _bank(connection: Connection, entry: DeliberationRecord) -> None:
    """Put the patterns in the place of those that were there.

    Another writer of the same deliberation waits at its line, which is written first.
    """
    connection.execute(delete(PATTERNS).where(PATTERNS.c.deliberation_id == entry.id))
    rows = pattern_rows(entry.id, entry.result, rehearsal=entry.rehearsal)
    if rows:
        connection.execute(PATTERNS.insert(), rows)


_PACKED = {"text", "counts", "note"}
"""What the column ``text`` of the table ``turns`` holds of a turn."""


def _turn_row(entry: ChapterRecord, number: int, turn: Turn) -> dict[str, Any]:
    return turn.model_dump(exclude=_PACKED) | {
        "chapter_key": entry.chapter_key,
        "number": number,
        "deliberation_id": entry.deliberation_id,
        "text": packed_json(turn.model_dump(include=_PACKED)),
    }


def _turn(row: Row[Any]) -> Turn:
    values = {name: row._mapping[name] for name in set(Turn.model_fields) - _PACKED}  # noqa: SLF001 - SQLAlchemy's public name
    return Turn.model_validate(values | unpacked_json(row.text))


def _counted(connection: Connection, entry: DeliberationRecord) -> dict[str, Any]:
    """Return the columns that are read from the calls; the lost ones are in the ledger by now."""
    calls = calls_of(connection, entry.id, entry.salt)
    return {
        "served_models": sorted({call.served_model for call in calls if call.served_model is not None}),
        "upstreams": sorted({call.upstream for call in calls if call.upstream is not None}),
        "quorum": quorum(calls, {one.identity.key for one in entry.lost}),
        "cost_source": cost_source(calls),
    }


def _row(entry: DeliberationRecord) -> dict[str, Any]:
    whole = entry.model_dump(exclude={"salt", "models", "spent", "result", "lost"})
    spent = entry.spent
    return whole | {
        "scores": storable_json(entry.scores),
        "votes": storable_json(entry.votes),
        "models": list(entry.models),
        "seats": storable_json(list(entry.seats)),
        "calls": spent.calls,
        "prompt_tokens": spent.prompt_tokens,
        "completion_tokens": spent.completion_tokens,
        "cost_usd": spent.known_usd,
        "calls_of_unknown_cost": spent.calls_of_unknown_cost,
        "result": packed_json(entry.result),
    }
