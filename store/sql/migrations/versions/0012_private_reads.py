"""Which questions may see a private page is kept by itself; links and mentions are private too."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "private_reads",
        sa.Column("question_id", sa.String(length=32), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["question_id"], ["questions.id"], name="fk_private_reads_question_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("question_id", "url", name="pk_private_reads"),
    )
    for table in ("links", "mentions"):
        op.add_column(table, sa.Column("private", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("pages", sa.Column("shared_at", sa.DateTime(timezone=True), nullable=True))
    op.execute(
        "INSERT INTO private_reads (question_id, url) SELECT DISTINCT c.question_id, p.url FROM candidates c"
        " JOIN pages p ON p.id = c.page_id WHERE p.private AND c.question_id IS NOT NULL"
    )
    op.execute(
        "INSERT INTO private_reads (question_id, url) SELECT DISTINCT c.question_id, c.url FROM candidates c"
        " JOIN pages p ON p.id = c.page_id WHERE p.private AND c.question_id IS NOT NULL ON CONFLICT DO NOTHING"
    )
    op.execute("UPDATE links SET private = true WHERE from_url IN (SELECT url FROM private_reads)")
    # their passages and mentions are stored again, as private ones
    op.execute("UPDATE pages SET state = 'FETCHED', attempts = 0, lease_until = NULL WHERE private")


def downgrade() -> None:
    op.drop_column("pages", "shared_at")
    for table in ("mentions", "links"):
        op.drop_column(table, "private")
    op.drop_table("private_reads")
