"""What counts as content of a source's pages."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("sources", sa.Column("select", sa.JSON(), nullable=True))
    op.add_column("sources", sa.Column("drop", sa.JSON(), nullable=True))
