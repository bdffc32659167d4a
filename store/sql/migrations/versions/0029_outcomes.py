"""What each question came to: answered, unsure or unknown."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

_QUESTIONS = sa.table("questions", sa.column("id"), sa.column("status"), sa.column("outcome"))
_ANSWERS = sa.table("answers", sa.column("question_id"), sa.column("revision"), sa.column("verdict", sa.JSON()))


def upgrade() -> None:
    op.add_column("questions", sa.Column("outcome", sa.String(16), nullable=True))
    for status, outcome in (("ANSWERED", "answered"), ("ABSTAINED", "unknown")):
        op.execute(_QUESTIONS.update().where(_QUESTIONS.c.status == status).values(outcome=outcome))
    other = _ANSWERS.alias("other")
    last = sa.select(sa.func.max(other.c.revision)).where(other.c.question_id == _QUESTIONS.c.id).scalar_subquery()
    unsure = sa.exists().where(
        _ANSWERS.c.question_id == _QUESTIONS.c.id,
        _ANSWERS.c.revision == last,
        _ANSWERS.c.verdict["sufficient"].as_boolean().is_(sa.false()),
    )
    op.execute(_QUESTIONS.update().where(_QUESTIONS.c.status == "ANSWERED", unsure).values(outcome="unsure"))
