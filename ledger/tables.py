"""The tables of the ledger: journal, calls, requests, deliberations, and those of single protocols.

``journal`` holds, per call, who is paying for it (a lease) and then the answer. ``calls`` is the ledger's line for
every call, ``requests`` has what was asked, once for all calls that ask the same, ``consensus_iterations`` a second
line for every call of a consensus, ``deliberations`` the line for every deliberation, ``patterns`` a line for every
pattern that a fire circle found. ``turns`` has those of the earlier runs of a deliberation. ``installation`` holds one
row, the id of the installation that owns the ledger. One database holds them all, because an answer and its lines in
the ledger become durable in one transaction.

No column refuses what a model or a provider sent: text loses NUL and lone surrogates (PostgreSQL stores neither),
counts stop at 2^53, and whole answers and results are compressed bytes. Anything that a column refused would be a
paid answer that cannot be kept.

The tables of studies are in ``study_tables``. A change here or there needs a revision under
``migrations/versions``; a test compares the two.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    FetchedValue,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    func,
)

_LARGEST = 2**53


def storable(text: str) -> str:
    """Return ``text`` with NUL and lone surrogates replaced, because databases cannot store them."""
    if text.isascii():
        return text.replace("\x00", "\ufffd")
    return text.replace("\x00", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def storable_json(value: Any) -> Any:
    """Return JSON with every text as a database can store it, names of fields included."""
    match value:
        case str():
            return storable(value)
        case dict():
            return {storable(name): storable_json(inner) for name, inner in value.items()}
        case list():
            return [storable_json(inner) for inner in value]
        case _:
            return value


class CleanText(TypeDecorator[str]):
    """Text that every database takes; see ``storable``."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's port
        """Clean a value pending to the database, also in comparisons."""
        return None if value is None else storable(value)


class Count(TypeDecorator[int]):
    """A count that fits: a provider may name any number of tokens, but their sum must fit into 64 bits."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: int | None, dialect: Dialect) -> int | None:  # noqa: ARG002 - SQLAlchemy's port
        """Stop at the largest number that can be kept."""
        return None if value is None else min(value, _LARGEST)


class Moment(TypeDecorator[datetime]):
    """A moment in UTC. SQLite keeps no zone, so it is taken off on the way in and put on again on the way out."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert to UTC; naive moments are refused by the models that carry them here."""
        if value is None:
            return None
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy's port
        """Restore the time zone."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


METADATA = MetaData()


def texts(*names: str) -> Iterator[Column[str]]:
    """Yield a column of required text for each name."""
    return (Column(name, CleanText, nullable=False) for name in names)


def keys(*names: str) -> Iterator[Column[str]]:
    """Yield a column of text for each name; together they are the key, or its beginning."""
    return (Column(name, CleanText, primary_key=True) for name in names)


def number(name: str = "number") -> Column[int]:
    """Return the last column of a key: a number that the writer gives."""
    return Column(name, Integer, primary_key=True, autoincrement=False)


JOURNAL = Table(
    "journal",
    METADATA,
    Column("key", String(64), primary_key=True),
    *texts("workflow_id", "call_id"),
    Column("owner", String(64), nullable=False),  # the attempt that pays, and after that the one that paid
    Column("beat", Float(53), nullable=False),  # seconds since 1970 by the database's clock: the owner lived then
    Column("answer", LargeBinary),  # compressed JSON of a Reply; null while it is being paid for
)

CALLS = Table(
    "calls",
    METADATA,
    Column("key", String(64), primary_key=True),
    *texts("deliberation_id", "call_id", "salt", "fingerprint", "stage"),
    Column("round", Integer, nullable=False),
    *texts("participant", "model", "provider"),
    Column("served_model", CleanText),
    Column("upstream", CleanText),
    Column("request_id", CleanText),
    Column("outcome", CleanText, nullable=False),  # answered, or the kind of failure
    Column("error_type", CleanText),
    Column("message", CleanText),
    Column("prompt_tokens", Count),
    Column("completion_tokens", Count),
    Column("reasoning_tokens", Count),
    Column("cached_tokens", Count),
    Column("cost_usd", Float(53)),  # null: unknown, never 0
    Column("cost_source", CleanText, nullable=False),
    Column("finish", CleanText),
    Column("attempts", Integer, nullable=False),
    Column("unanswered_requests", Integer, nullable=False),  # they may be billed as well
    Column("seconds", Float(53)),
    Column("rehearsal", Boolean, nullable=False),
    Column("recorded_at", Moment, nullable=False, server_default=func.now()),
    Index("ix_calls_deliberation_id", "deliberation_id"),
)

REQUESTS = Table(
    "requests",
    METADATA,
    Column("key", String(64), primary_key=True),  # the fingerprint of every call that asked this
    Column("request", LargeBinary, nullable=False),  # compressed JSON: model, messages, parameters
)

CONSENSUS_ITERATIONS = Table(
    "consensus_iterations",
    METADATA,
    Column("key", String(64), primary_key=True),
    # the columns of seed 004, "Database Tracking", under its names
    *texts("consensus_id", "model_id", "stage_name"),
    Column("tokens_used", Count),  # null: unknown, never 0
    Column("flag", Integer, nullable=False),  # 1 when a check accepted, else 0
    Column("round_number", Integer, nullable=False),
    # without a zone and filled in by the database with the UTC time, so that DATE() is the UTC day everywhere
    Column("datetime", DateTime, nullable=False, server_default=FetchedValue()),
    # further columns for researchers
    Column("opinion", CleanText),  # NO: a check accepted; YES: it corrected or objected; null: no vote
    Column("stance", CleanText),  # accept, correction, objection, doubtful; null: nothing was read as one
    *texts("provider", "call_id", "run_id"),
    Column("attempt", Integer, nullable=False),
    Column("outcome", CleanText, nullable=False),  # answered, or the kind of failure
    Column("rehearsal", Boolean, nullable=False),
    Index("ix_consensus_iterations_consensus_id", "consensus_id"),
)

DELIBERATIONS = Table(
    "deliberations",
    METADATA,
    *keys("id"),
    *texts("run_id", "protocol", "protocol_version", "prompts", "title", "question"),
    Column("verdict", CleanText),
    Column("stop_reason", CleanText, nullable=False),
    Column("partial", Boolean, nullable=False),
    Column("failure_mode", CleanText, nullable=False),
    Column("models", JSON, nullable=False),
    Column("served_models", JSON, nullable=False),
    Column("upstreams", JSON, nullable=False),
    Column("calls", Count, nullable=False),
    Column("prompt_tokens", Count, nullable=False),
    Column("completion_tokens", Count, nullable=False),
    Column("cost_usd", Float(53)),  # the known part; null when nothing is known
    Column("calls_of_unknown_cost", Count, nullable=False),
    Column("rehearsal", Boolean, nullable=False),
    Column("batch_id", CleanText),
    Column("continues", CleanText),  # the deliberation that it is a follow-up of
    Column("started_at", Moment, nullable=False),
    Column("ended_at", Moment, nullable=False),
    Column("result", LargeBinary, nullable=False),  # compressed JSON of the protocol's own result
    Column("scores", JSON, nullable=False),  # what the protocol measured, by name
    Column("votes", JSON, nullable=False),
    Column("quorum", JSON, nullable=False),  # by stage, how many were asked and how many answered
    Column("degraded", Boolean, nullable=False),  # something was lost or could not be used as it was meant
    Column("flaws", JSON, nullable=False),  # by kind, how often; kinds that did not occur are left out
    Column("cost_source", CleanText, nullable=False),  # provider, price_list, mixed or unknown
    Column("version", CleanText, nullable=False),  # of Parley
    Column("seats", JSON, nullable=False),  # by seat its name, its model and its own settings
    Column("sampling", JSON, nullable=False),  # parameters of all calls; those left to the provider are left out
    Column("recorded_at", Moment, nullable=False, server_default=func.now()),
    Index("ix_deliberations_batch_id", "batch_id"),
    Index("ix_deliberations_continues", "continues"),
)

PATTERNS = Table(
    "patterns",
    METADATA,
    *keys("deliberation_id"),
    number(),  # from 0, as the result ranks them
    # the pattern bank of seed 000, section 11.2, under its names
    Column("category", CleanText, nullable=False),
    Column("subcategory", CleanText, nullable=False),  # the type of the pattern
    *texts("attack_id", "description"),
    Column("agreement", Float(53), nullable=False),  # a share of the models that were active in the end, 0 to 1
    Column("examples", JSON, nullable=False),
    Column("models", JSON, nullable=False),  # those that named it, in the spelling of their providers
    # further columns for researchers
    Column("recorded_at", Moment, nullable=False, server_default=func.now()),
    Column("rehearsal", Boolean, nullable=False),
    Index("ix_patterns_subcategory", "subcategory"),
    Index("ix_patterns_attack_id", "attack_id"),
)

TURNS = Table(
    "turns",
    METADATA,
    *keys("chapter_key"),
    number(),  # from 0, over all runs
    *texts("deliberation_id", "participant", "model"),
    Column("round", Integer, nullable=False),
    Column("stage", CleanText, nullable=False),
    Column("label", CleanText),
    Column("text", LargeBinary, nullable=False),  # compressed JSON of the contributions and their details
)

INSTALLATION = Table(
    "installation",
    METADATA,
    number("only"),  # always 1: there is one row
    Column("id", String(36), nullable=False),
    Column("created_at", Moment, nullable=False, server_default=func.now()),
)
