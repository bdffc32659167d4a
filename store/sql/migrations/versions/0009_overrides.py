"""A question may set its own threshold, number of variants and number of hits."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("questions", sa.Column("overrides", sa.JSON(), nullable=False, server_default="{}"))


def downgrade() -> None:
    op.drop_column("questions", "overrides")
