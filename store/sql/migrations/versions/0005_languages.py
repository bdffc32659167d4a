"""A question may say in which languages the pages must be that answer it."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("questions", sa.Column("langs", sa.JSON(), nullable=False, server_default="[]"))


def downgrade() -> None:
    op.drop_column("questions", "langs")
