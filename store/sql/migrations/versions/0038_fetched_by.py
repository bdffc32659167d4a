"""Which paid service fetched a page."""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("pages", sa.Column("fetched_by", sa.String(length=16), nullable=False, server_default=""))
