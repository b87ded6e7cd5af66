"""Iterative consensus: a line per model execution, and what was said before a deliberation went on in another run."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_UTC_NOW = {"sqlite": "CURRENT_TIMESTAMP", "postgresql": "timezone('UTC', CURRENT_TIMESTAMP)"}


def upgrade() -> None:
    """From the first books."""
    _create_consensus_iterations()
    _create_turns()


def _create_consensus_iterations() -> None:
    utc_now = sa.text(_UTC_NOW[op.get_bind().dialect.name])
    op.create_table(
        "consensus_iterations",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("consensus_id", sa.Text, nullable=False),
        sa.Column("model_id", sa.Text, nullable=False),
        sa.Column("stage_name", sa.Text, nullable=False),
        sa.Column("tokens_used", sa.BigInteger),
        sa.Column("flag", sa.Integer, nullable=False),
        sa.Column("round_number", sa.Integer, nullable=False),
        sa.Column("datetime", sa.DateTime, nullable=False, server_default=utc_now),
        sa.Column("opinion", sa.Text),
        sa.Column("provider", sa.Text, nullable=False),
        sa.Column("call_id", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("rehearsal", sa.Boolean, nullable=False),
    )
    op.create_index("ix_consensus_iterations_consensus_id", "consensus_iterations", ["consensus_id"])


def _create_turns() -> None:
    op.create_table(
        "turns",
        sa.Column("chapter_key", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("deliberation_id", sa.Text, nullable=False),
        sa.Column("participant", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("stage", sa.Text, nullable=False),
        sa.Column("label", sa.Text),
        sa.Column("text", sa.LargeBinary, nullable=False),
    )
