"""Entities and mentions; facts' subjects under the spelling by which names compare.

Pages indexed before wait to be indexed again, which writes what they mention; their vectors are kept.
"""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

import store.sql.tables
from store.graph.facts import name_of

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "entities",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entities")),
        sa.UniqueConstraint("name", name=op.f("uq_entities_name")),
    )
    op.create_table(
        "mentions",
        sa.Column("entity_id", sa.Integer(), nullable=False),
        sa.Column("ord", sa.Integer(), nullable=False),
        sa.Column("page_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["entity_id"], ["entities.id"], name=op.f("fk_mentions_entity_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["page_id"], ["pages.id"], name=op.f("fk_mentions_page_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("entity_id", "ord", "page_id", name=op.f("pk_mentions")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_mentions_page", "mentions", ["page_id", "ord"], unique=False)
    _refold_subjects()
    _index_again()


def downgrade() -> None:
    op.drop_index("ix_mentions_page", table_name="mentions")
    op.drop_table("mentions")
    op.drop_table("entities")


def _refold_subjects() -> None:
    facts = sa.table("facts", sa.column("id"), sa.column("subject"), sa.column("subject_folded"))
    connection = op.get_bind()
    found = connection.execute(sa.select(facts.c.id, facts.c.subject)).all()
    if found:
        renamed = sa.update(facts).where(facts.c.id == sa.bindparam("fact")).values(subject_folded=sa.bindparam("name"))
        connection.execute(renamed, [{"fact": row.id, "name": name_of(row.subject)} for row in found])


def _index_again() -> None:
    moment = sa.column("due_at", store.sql.tables.UtcDateTime(timezone=True))
    pages = sa.table("pages", sa.column("state"), sa.column("attempts"), moment)
    indexed = sa.update(pages).where(pages.c.state == "INDEXED")
    op.execute(indexed.values(state="FETCHED", attempts=0, due_at=datetime.now(UTC)))
