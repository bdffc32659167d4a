"""A caller's own data beside each question, and the confidence of its final answer."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

_QUESTIONS = sa.table("questions", sa.column("id"), sa.column("status"), sa.column("confidence"))
_ANSWERS = sa.table("answers", sa.column("question_id"), sa.column("revision"), sa.column("confidence"))


def upgrade() -> None:
    op.add_column("questions", sa.Column("caller_metadata", sa.JSON(), nullable=True))
    op.add_column("questions", sa.Column("confidence", sa.Double(), nullable=True))
    own = _ANSWERS.c.question_id == _QUESTIONS.c.id
    last = sa.select(_ANSWERS.c.confidence).where(own).order_by(_ANSWERS.c.revision.desc()).limit(1).scalar_subquery()
    op.execute(_QUESTIONS.update().where(_QUESTIONS.c.status == "ANSWERED").values(confidence=last))
