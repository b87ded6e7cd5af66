"""The first books: journal, calls, deliberations."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """From an empty database."""
    _create_journal()
    _create_calls()
    _create_deliberations()


def _create_journal() -> None:
    op.create_table(
        "journal",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("workflow_id", sa.Text, nullable=False),
        sa.Column("call_id", sa.Text, nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("beat", sa.Float(53), nullable=False),
        sa.Column("answer", sa.LargeBinary),
    )


def _create_calls() -> None:
    op.create_table(
        "calls",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("deliberation_id", sa.Text, nullable=False),
        sa.Column("call_id", sa.Text, nullable=False),
        sa.Column("salt", sa.Text, nullable=False),
        sa.Column("fingerprint", sa.Text, nullable=False),
        sa.Column("stage", sa.Text, nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("participant", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("provider", sa.Text, nullable=False),
        sa.Column("served_model", sa.Text),
        sa.Column("upstream", sa.Text),
        sa.Column("request_id", sa.Text),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("error_type", sa.Text),
        sa.Column("message", sa.Text),
        sa.Column("prompt_tokens", sa.BigInteger),
        sa.Column("completion_tokens", sa.BigInteger),
        sa.Column("reasoning_tokens", sa.BigInteger),
        sa.Column("cached_tokens", sa.BigInteger),
        sa.Column("cost_usd", sa.Float(53)),
        sa.Column("cost_source", sa.Text, nullable=False),
        sa.Column("finish", sa.Text),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("seconds", sa.Float(53)),
        sa.Column("rehearsal", sa.Boolean, nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    )
    op.create_index("ix_calls_deliberation_id", "calls", ["deliberation_id"])


def _create_deliberations() -> None:
    op.create_table(
        "deliberations",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("protocol", sa.Text, nullable=False),
        sa.Column("protocol_version", sa.Text, nullable=False),
        sa.Column("prompts", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("verdict", sa.Text),
        sa.Column("stop_reason", sa.Text, nullable=False),
        sa.Column("partial", sa.Boolean, nullable=False),
        sa.Column("failure_mode", sa.Text, nullable=False),
        sa.Column("models", sa.JSON, nullable=False),
        sa.Column("served_models", sa.JSON, nullable=False),
        sa.Column("upstreams", sa.JSON, nullable=False),
        sa.Column("calls", sa.BigInteger, nullable=False),
        sa.Column("prompt_tokens", sa.BigInteger, nullable=False),
        sa.Column("completion_tokens", sa.BigInteger, nullable=False),
        sa.Column("cost_usd", sa.Float(53)),
        sa.Column("calls_of_unknown_cost", sa.BigInteger, nullable=False),
        sa.Column("rehearsal", sa.Boolean, nullable=False),
        sa.Column("batch_id", sa.Text),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("result", sa.LargeBinary, nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    )
    op.create_index("ix_deliberations_batch_id", "deliberations", ["batch_id"])
