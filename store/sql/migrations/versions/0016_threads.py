"""Questions belong to threads and keep the words they were asked in; answers may have a form and next questions."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "threads",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_threads"),
    )
    op.create_index("ix_threads_updated_at", "threads", ["updated_at"])
    op.add_column("questions", sa.Column("thread_id", sa.String(32), nullable=True))
    op.add_column("questions", sa.Column("asked", sa.Text(), nullable=True))
    op.add_column("questions", sa.Column("answer_schema", sa.JSON(), nullable=True))
    op.create_index("ix_questions_thread", "questions", ["thread_id", "created_at"])
    op.add_column("answers", sa.Column("structured", sa.JSON(), nullable=True))
    op.add_column("answers", sa.Column("related", sa.JSON(), nullable=False, server_default="[]"))


def downgrade() -> None:
    op.drop_column("answers", "related")
    op.drop_column("answers", "structured")
    op.drop_index("ix_questions_thread", table_name="questions")
    op.drop_column("questions", "answer_schema")
    op.drop_column("questions", "asked")
    op.drop_column("questions", "thread_id")
    op.drop_table("threads")
