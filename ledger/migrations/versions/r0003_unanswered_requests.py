"""The number of requests of a call that ended without an answer."""

import sqlalchemy as sa
from alembic import op

revision = "r0003"
down_revision = "r0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; it is 0 for the calls of earlier versions, of which nothing is known."""
    op.add_column("calls", sa.Column("unanswered_requests", sa.Integer, nullable=False, server_default="0"))
