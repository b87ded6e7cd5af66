"""The first revision: every table of the ledger."""

import uuid
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "r0002"
down_revision = None
branch_labels = None
depends_on = None

_UTC_NOW = {"sqlite": "CURRENT_TIMESTAMP", "postgresql": "timezone('UTC', CURRENT_TIMESTAMP)"}
_JSON = sa.JSON(none_as_null=True)
_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create the tables in an empty database, and make the id of the installation that owns it."""
    _create_calls()
    _create_consensus_iterations()
    _create_deliberations()
    _create_patterns_and_turns()
    _create_studies()
    _create_instances()
    _create_scores()
    installation = op.create_table(
        "installation",
        sa.Column("only", sa.Integer, primary_key=True, autoincrement=False),
        *_required(sa.String(36), "id"),
        _now("created_at"),
    )
    op.bulk_insert(installation, [{"only": 1, "id": str(uuid.uuid4())}])


def _create_calls() -> None:
    op.create_table(
        "journal",
        sa.Column("key", sa.String(64), primary_key=True),
        *_required(sa.Text, "workflow_id", "call_id"),
        *_required(sa.String(64), "owner"),
        *_required(sa.Float(53), "beat"),
        *_optional(sa.LargeBinary, "answer"),
    )
    op.create_table(
        "calls",
        sa.Column("key", sa.String(64), primary_key=True),
        *_required(sa.Text, "deliberation_id", "call_id", "salt", "fingerprint", "stage"),
        *_required(sa.Integer, "round"),
        *_required(sa.Text, "participant", "model", "provider"),
        *_optional(sa.Text, "served_model", "upstream", "request_id"),
        *_required(sa.Text, "outcome"),
        *_optional(sa.Text, "error_type", "message"),
        *_optional(sa.BigInteger, "prompt_tokens", "completion_tokens", "reasoning_tokens", "cached_tokens"),
        *_optional(sa.Float(53), "cost_usd"),
        *_required(sa.Text, "cost_source"),
        *_optional(sa.Text, "finish"),
        *_required(sa.Integer, "attempts"),
        *_optional(sa.Float(53), "seconds"),
        *_required(sa.Boolean, "rehearsal"),
        _now("recorded_at"),
    )
    op.create_index("ix_calls_deliberation_id", "calls", ["deliberation_id"])
    op.create_table(
        "requests", sa.Column("key", sa.String(64), primary_key=True), *_required(sa.LargeBinary, "request")
    )


def _create_consensus_iterations() -> None:
    utc_now = sa.text(_UTC_NOW[op.get_bind().dialect.name])
    op.create_table(
        "consensus_iterations",
        sa.Column("key", sa.String(64), primary_key=True),
        *_required(sa.Text, "consensus_id", "model_id", "stage_name"),
        *_optional(sa.BigInteger, "tokens_used"),
        *_required(sa.Integer, "flag", "round_number"),
        sa.Column("datetime", sa.DateTime, nullable=False, server_default=utc_now),
        *_optional(sa.Text, "opinion", "stance"),
        *_required(sa.Text, "provider", "call_id", "run_id"),
        *_required(sa.Integer, "attempt"),
        *_required(sa.Text, "outcome"),
        *_required(sa.Boolean, "rehearsal"),
    )
    op.create_index("ix_consensus_iterations_consensus_id", "consensus_iterations", ["consensus_id"])


def _create_deliberations() -> None:
    op.create_table(
        "deliberations",
        sa.Column("id", sa.Text, primary_key=True),
        *_required(sa.Text, "run_id", "protocol", "protocol_version", "prompts", "title", "question"),
        *_optional(sa.Text, "verdict"),
        *_required(sa.Text, "stop_reason"),
        *_required(sa.Boolean, "partial"),
        *_required(sa.Text, "failure_mode"),
        *_required(sa.JSON, "models", "served_models", "upstreams"),
        *_required(sa.BigInteger, "calls", "prompt_tokens", "completion_tokens"),
        *_optional(sa.Float(53), "cost_usd"),
        *_required(sa.BigInteger, "calls_of_unknown_cost"),
        *_required(sa.Boolean, "rehearsal"),
        *_optional(sa.Text, "batch_id", "continues"),
        *_required(_MOMENT, "started_at", "ended_at"),
        *_required(sa.LargeBinary, "result"),
        *_required(sa.JSON, "scores", "votes", "quorum"),
        *_required(sa.Boolean, "degraded"),
        *_required(sa.Text, "cost_source"),
        *_required(sa.JSON, "flaws"),
        *_required(sa.Text, "version"),
        *_required(sa.JSON, "seats", "sampling"),
        _now("recorded_at"),
    )
    op.create_index("ix_deliberations_batch_id", "deliberations", ["batch_id"])
    op.create_index("ix_deliberations_continues", "deliberations", ["continues"])


def _create_patterns_and_turns() -> None:
    op.create_table(
        "patterns",
        sa.Column("deliberation_id", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        *_required(sa.Text, "category", "subcategory", "attack_id", "description"),
        *_required(sa.Float(53), "agreement"),
        *_required(sa.JSON, "examples", "models"),
        *_required(sa.Boolean, "rehearsal"),
        _now("recorded_at"),
    )
    for column in ("subcategory", "attack_id"):
        op.create_index(f"ix_patterns_{column}", "patterns", [column])
    op.create_table(
        "turns",
        sa.Column("chapter_key", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        *_required(sa.Text, "deliberation_id", "participant", "model"),
        *_required(sa.Integer, "round"),
        *_required(sa.Text, "stage"),
        *_optional(sa.Text, "label"),
        *_required(sa.LargeBinary, "text"),
    )


def _create_studies() -> None:
    op.create_table(
        "studies",
        sa.Column("name", sa.Text, primary_key=True),
        *_required(sa.String(64), "fingerprint"),
        *_required(sa.JSON, "content"),
        *_optional(_JSON, "about", "terms"),
        *_required(sa.Boolean, "rehearsal"),
        _now("created_at"),
    )
    op.create_table(
        "study_arms",
        *(sa.Column(name, sa.Text, primary_key=True) for name in ("study", "arm")),
        *_required(sa.Text, "protocol", "workflow"),
        *_required(sa.JSON, "models"),
        *_required(sa.LargeBinary, "template"),
    )
    op.create_table(
        "study_rows",
        *(sa.Column(name, sa.Text, primary_key=True) for name in ("study", "row_id")),
        *_required(sa.Integer, "number", "line"),
        *_required(sa.Text, "question"),
        *_optional(sa.Text, "expected"),
        *_optional(_JSON, "extra"),
    )
    op.create_table("rejected_rows", *_numbered("line"), *_required(sa.Text, "reason"))


def _create_instances() -> None:
    op.create_table(
        "instances",
        *_numbered("number"),
        sa.Column("deliberation_id", sa.Text, nullable=False, unique=True),
        *_required(sa.Text, "row_id", "arm"),
        *_required(sa.Integer, "repeat"),
        *_required(sa.Text, "title"),
        *_required(sa.LargeBinary, "changes"),
        *_required(sa.Float(53), "estimate_usd"),
        *_required(sa.BigInteger, "estimate_tokens"),
        *_optional(_JSON, "shown_options"),
    )
    op.create_table(
        "missing_instances",
        *_numbered("number"),
        *_required(sa.Text, "deliberation_id", "error_type", "message"),
        _now("recorded_at"),
    )


def _create_scores() -> None:
    op.create_table(
        "scores",
        *(sa.Column(name, sa.Text, primary_key=True) for name in ("study", "scorer", "deliberation_id", "other_id")),
        *_required(sa.Text, "outcome"),
        *_optional(sa.Float(53), "value"),
        *_optional(sa.Text, "label"),
        *_optional(sa.Boolean, "correct"),
        *_required(sa.Text, "reason"),
        *_optional(_JSON, "details"),
        *_required(sa.Text, "kind"),
        *_required(sa.String(64), "fingerprint"),
        *_required(sa.Text, "version", "prompts"),
        *_optional(sa.Float(53), "cost_usd"),
        *_required(sa.BigInteger, "tokens", "calls"),
        *_required(sa.Boolean, "rehearsal"),
        _now("recorded_at"),
    )
    op.create_table(
        "gradings",
        sa.Column("grading", sa.Text, primary_key=True),
        *_required(sa.Text, "study", "scorer"),
        *_required(sa.String(64), "fingerprint"),
        _now("recorded_at"),
    )


def _numbered(name: str) -> list[sa.Column[Any]]:
    return [
        sa.Column("study", sa.Text, primary_key=True),
        sa.Column(name, sa.Integer, primary_key=True, autoincrement=False),
    ]


def _required(kind: Any, *names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind, nullable=False) for name in names]


def _optional(kind: Any, *names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind) for name in names]


def _now(name: str) -> sa.Column[Any]:
    return sa.Column(name, _MOMENT, nullable=False, server_default=sa.func.now())
