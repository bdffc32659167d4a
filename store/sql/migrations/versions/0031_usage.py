"""What each key may use, and what it has used, day by day."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("api_keys", sa.Column("limits", sa.JSON(), nullable=True))
    op.create_table(
        "usage",
        sa.Column("owner", sa.String(length=80), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("questions", sa.Integer(), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("usd", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "day", name="pk_usage"),
    )
