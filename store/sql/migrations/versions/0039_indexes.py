"""Indexes by which nothing goes through all copies of an answer, all public pages or all steps."""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("ix_questions_equal", "questions")
    op.create_index("ix_questions_equal", "questions", ["equal_key", "cached_from", "status"])
    op.drop_index("ix_pages_private", "pages")
    is_private = {"sqlite_where": sa.text("private = 1"), "postgresql_where": sa.text("private")}
    op.create_index("ix_pages_private", "pages", ["private"], unique=False, **is_private)  # type: ignore[arg-type]
    op.create_index("ix_steps_finished_at", "steps", ["finished_at"])
