"""What of a page's document could not be read."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("pages", sa.Column("missing", sa.JSON(), nullable=False, server_default="[]"))
