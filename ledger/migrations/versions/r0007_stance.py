"""How each opinion of a consensus's check was given: an objection apart from a correction."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """From the books with the flaws; what stands there already does not tell its stance."""
    op.add_column("consensus_iterations", sa.Column("stance", sa.Text))
