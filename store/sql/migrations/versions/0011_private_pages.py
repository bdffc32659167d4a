"""A page that a question alone had read serves that question alone."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("questions", "pages"):
        op.add_column(table, sa.Column("private", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_index("ix_pages_private", "pages", ["private"])


def downgrade() -> None:
    op.drop_index("ix_pages_private", "pages")
    for table in ("questions", "pages"):
        op.drop_column(table, "private")
