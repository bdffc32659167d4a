"""Equal questions share a run and an answer; the evidence of answers, standing questions, feedback."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _of_questions()
    op.add_column("answers", sa.Column("stale_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index(op.f("ix_answers_stale_at"), "answers", ["stale_at"], unique=False)
    op.create_index(op.f("ix_pages_read_at"), "pages", ["read_at"], unique=False)
    op.create_table(
        "evidence",
        sa.Column("answer_id", sa.Integer(), nullable=False),
        sa.Column("page_id", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["answer_id"], ["answers.id"], name=op.f("fk_evidence_answer_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("answer_id", "page_id", name=op.f("pk_evidence")),
    )
    op.create_index(op.f("ix_evidence_page_id"), "evidence", ["page_id"], unique=False)
    op.create_table(
        "watches",
        sa.Column("question_id", sa.String(length=32), nullable=False),
        sa.Column("callback_url", sa.Text(), nullable=True),
        sa.Column("told_revision", sa.Integer(), nullable=True),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["question_id"], ["questions.id"], name=op.f("fk_watches_question_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("question_id", name=op.f("pk_watches")),
    )
    _feedback()


def downgrade() -> None:
    for table in ("feedback", "watches", "evidence"):
        op.drop_table(table)
    op.drop_index(op.f("ix_pages_read_at"), table_name="pages")
    op.drop_index(op.f("ix_answers_stale_at"), table_name="answers")
    op.drop_column("answers", "stale_at")
    op.drop_index(op.f("ix_questions_leader_id"), table_name="questions")
    op.drop_index("ix_questions_equal", table_name="questions")
    for column in ("asked_again_at", "round", "cached_from", "leader_id", "reuse", "equal_key"):
        op.drop_column("questions", column)


def _of_questions() -> None:
    """Questions asked before have no key: they are equal to none."""
    for column in (
        sa.Column("equal_key", sa.String(length=64), nullable=False, server_default=""),
        sa.Column("reuse", sa.Boolean(), nullable=False, server_default=sa.true()),
        sa.Column("leader_id", sa.String(length=32), nullable=True),
        sa.Column("cached_from", sa.String(length=32), nullable=True),
        sa.Column("round", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("asked_again_at", sa.DateTime(timezone=True), nullable=True),
    ):
        op.add_column("questions", column)
    op.create_index("ix_questions_equal", "questions", ["equal_key", "status"], unique=False)
    op.create_index(op.f("ix_questions_leader_id"), "questions", ["leader_id"], unique=False)


def _feedback() -> None:
    op.create_table(
        "feedback",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.String(length=32), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(length=16), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("features", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["question_id"], ["questions.id"], name=op.f("fk_feedback_question_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_feedback")),
        sa.UniqueConstraint("question_id", "revision", name=op.f("uq_feedback_question_id")),
    )
    op.create_index("ix_feedback_verdict", "feedback", ["verdict", "updated_at"], unique=False)
