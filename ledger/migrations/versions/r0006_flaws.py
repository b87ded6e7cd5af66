"""What was lost or mended on the way to each result, counted by kind."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """From the books with the installation."""
    op.add_column("deliberations", sa.Column("flaws", sa.JSON(none_as_null=True)))
