"""What a collection's work weighs beside that of others."""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("collections", sa.Column("weight", sa.Double(), nullable=False, server_default="1"))
