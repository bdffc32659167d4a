"""Why and since when a page was not read."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("pages", sa.Column("missed_as", sa.String(length=16), nullable=False, server_default=""))
    op.add_column("pages", sa.Column("missed_at", sa.DateTime(timezone=True), nullable=True))
