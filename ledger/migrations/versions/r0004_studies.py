"""Studies: what is to be held and what became of it, and what a deliberation measured beside its line."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """From the books with the pattern bank."""
    _widen_deliberations()
    _create_studies()
    _create_rows()
    _create_instances()


def _widen_deliberations() -> None:
    op.add_column("deliberations", sa.Column("scores", sa.JSON))
    op.add_column("deliberations", sa.Column("votes", sa.JSON))
    op.add_column("deliberations", sa.Column("quorum", sa.JSON))
    op.add_column("deliberations", sa.Column("degraded", sa.Boolean))
    op.add_column("deliberations", sa.Column("cost_source", sa.Text))


def _create_studies() -> None:
    op.create_table(
        "studies",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
        sa.Column("terms", sa.JSON(none_as_null=True)),
        sa.Column("rehearsal", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    )
    op.create_table(
        "study_arms",
        sa.Column("study", sa.Text, primary_key=True),
        sa.Column("arm", sa.Text, primary_key=True),
        sa.Column("protocol", sa.Text, nullable=False),
        sa.Column("workflow", sa.Text, nullable=False),
        sa.Column("models", sa.JSON, nullable=False),
        sa.Column("template", sa.LargeBinary, nullable=False),
    )


def _create_rows() -> None:
    op.create_table(
        "study_rows",
        sa.Column("study", sa.Text, primary_key=True),
        sa.Column("row_id", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("line", sa.Integer, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("expected", sa.Text),
        sa.Column("extra", sa.JSON),
    )
    op.create_table(
        "rejected_rows",
        sa.Column("study", sa.Text, primary_key=True),
        sa.Column("line", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("reason", sa.Text, nullable=False),
    )


def _create_instances() -> None:
    op.create_table(
        "instances",
        sa.Column("study", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("deliberation_id", sa.Text, nullable=False, unique=True),
        sa.Column("row_id", sa.Text, nullable=False),
        sa.Column("arm", sa.Text, nullable=False),
        sa.Column("repeat", sa.Integer, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("changes", sa.LargeBinary, nullable=False),
        sa.Column("estimate_usd", sa.Float(53), nullable=False),
        sa.Column("estimate_tokens", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "lost_instances",
        sa.Column("study", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("deliberation_id", sa.Text, nullable=False),
        sa.Column("error_type", sa.Text, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    )
