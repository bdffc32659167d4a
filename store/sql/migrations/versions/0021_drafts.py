"""What a model is to write for a question, and where the question goes then."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("questions", sa.Column("draft", sa.JSON(), nullable=True))
