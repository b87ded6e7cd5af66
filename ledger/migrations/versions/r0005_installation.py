"""The installation's identity, made once with the table that holds it."""

import uuid

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """From the books with the studies."""
    installation = op.create_table(
        "installation",
        sa.Column("only", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    )
    op.bulk_insert(installation, [{"only": 1, "id": str(uuid.uuid4())}])
