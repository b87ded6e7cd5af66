"""The pattern bank: a line per pattern that a fire circle found."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """From the books with the consensus."""
    op.create_table(
        "patterns",
        sa.Column("deliberation_id", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("category", sa.Text, nullable=False),
        sa.Column("subcategory", sa.Text, nullable=False),
        sa.Column("attack_id", sa.Text, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("agreement", sa.Float(53), nullable=False),
        sa.Column("examples", sa.JSON, nullable=False),
        sa.Column("models", sa.JSON, nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.Column("rehearsal", sa.Boolean, nullable=False),
    )
    op.create_index("ix_patterns_subcategory", "patterns", ["subcategory"])
    op.create_index("ix_patterns_attack_id", "patterns", ["attack_id"])
