"""What belongs to a source, how it is reached, and where front pages redirect."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("include", "exclude", "access"):
        op.add_column("sources", sa.Column(name, sa.JSON(), nullable=True))
    op.add_column("sources", sa.Column("depth", sa.Integer(), nullable=True))
    for name in ("page_only", "ignore_robots"):
        op.add_column("sources", sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_table(
        "redirects",
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("to_url", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("url", name="pk_redirects"),
    )
    op.create_index("ix_redirects_to_url", "redirects", ["to_url"])
