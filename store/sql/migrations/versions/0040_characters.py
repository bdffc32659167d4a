"""The length of each page's text, so that a list of pages reads none."""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("pages", sa.Column("characters", sa.Integer(), nullable=True))
    op.execute("UPDATE pages SET characters = length(text)")
