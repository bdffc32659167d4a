"""The requests to a model that wait for a batch, and its replies."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "batched_requests",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("question_id", sa.String(length=32), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("batch_id", sa.String(length=128), nullable=True),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reply", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(
            ["question_id"], ["questions.id"], name="fk_batched_requests_question_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("name", name="pk_batched_requests"),
    )
    op.create_index("ix_batched_requests_question_id", "batched_requests", ["question_id"])
