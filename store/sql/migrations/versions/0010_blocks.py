"""Pages keep which parts of their text are prose, headings, lists, tables, definitions and code."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("pages", sa.Column("blocks", sa.JSON(), nullable=False, server_default="[]"))


def downgrade() -> None:
    op.drop_column("pages", "blocks")
