"""Whole sites are read, sources have schedules, hosts know when they are due, pages keep their history."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _of_sources()
    _of_pages()
    _site_reads()
    _of_hosts()


def downgrade() -> None:
    op.drop_index(op.f("ix_hosts_refresh_at"), table_name="hosts")
    op.drop_column("hosts", "refresh_at")
    for index in ("ix_candidates_next", "ix_candidates_of_site"):
        op.drop_index(index, table_name="candidates")
    with op.batch_alter_table("candidates") as candidates:
        candidates.drop_constraint(op.f("fk_candidates_site_read_id"), type_="foreignkey")
        candidates.drop_column("site_read_id")
    for table in ("site_reads", "page_checks"):
        op.drop_table(table)
    for index in ("ix_pages_twin", "ix_pages_due"):
        op.drop_index(index, table_name="pages")
    op.create_index(op.f("ix_pages_next_due"), "pages", ["next_due"], unique=False)
    op.create_index(op.f("ix_pages_host"), "pages", ["host"], unique=False)
    op.drop_column("pages", "body_hash")
    for column in ("next_due", "zone", "cron", "every_s"):
        op.drop_column("sources", column)


def _of_sources() -> None:
    for column in (
        sa.Column("every_s", sa.Double(), nullable=True),
        sa.Column("cron", sa.String(length=100), nullable=True),
        sa.Column("zone", sa.String(length=64), nullable=False, server_default="UTC"),
        sa.Column("next_due", sa.DateTime(timezone=True), nullable=True),
    ):
        op.add_column("sources", column)


def _of_pages() -> None:
    op.add_column("pages", sa.Column("body_hash", sa.String(length=64), nullable=False, server_default=""))
    op.create_index("ix_pages_due", "pages", ["host", "next_due", "id"], unique=False)
    op.create_index("ix_pages_twin", "pages", ["host", "content_hash"], unique=False)
    op.drop_index(op.f("ix_pages_host"), table_name="pages")
    op.drop_index(op.f("ix_pages_next_due"), table_name="pages")
    op.create_table(
        "page_checks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("page_id", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(length=16), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("first_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["page_id"], ["pages.id"], name=op.f("fk_page_checks_page_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_page_checks")),
    )
    op.create_index(op.f("ix_page_checks_page_id"), "page_checks", ["page_id"], unique=False)


def _site_reads() -> None:
    counts = ("found", "looked_at", "new", "unchanged", "left_out", "failed")
    op.create_table(
        "site_reads",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("again", sa.Boolean(), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=True),
        sa.Column("max_pages", sa.Integer(), nullable=False),
        sa.Column("max_depth", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in counts),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("active_s", sa.Double(), nullable=False),
        sa.Column("running_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_site_reads_source_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_site_reads")),
    )
    for column in ("status", "source_id"):
        op.create_index(op.f(f"ix_site_reads_{column}"), "site_reads", [column], unique=False)
    with op.batch_alter_table("candidates") as candidates:  # SQLite copies the table: it cannot add a foreign key
        candidates.add_column(sa.Column("site_read_id", sa.Integer(), nullable=True))
        candidates.create_foreign_key(
            op.f("fk_candidates_site_read_id"), "site_reads", ["site_read_id"], ["id"], ondelete="CASCADE"
        )
    op.create_index("ix_candidates_of_site", "candidates", ["site_read_id", "url"], unique=True)
    op.create_index("ix_candidates_next", "candidates", ["site_read_id", "status", "score"], unique=False)


def _of_hosts() -> None:
    """A host is due when the first of its pages is; one that was only redirected to has no row yet."""
    op.add_column("hosts", sa.Column("refresh_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index(op.f("ix_hosts_refresh_at"), "hosts", ["refresh_at"], unique=False)
    empty = "X''" if op.get_bind().dialect.name == "sqlite" else "''::bytea"
    op.execute(
        f"INSERT INTO hosts (origin, robots, robots_status) SELECT DISTINCT host, {empty}, 0 FROM pages"  # noqa: S608
        " WHERE host NOT IN (SELECT origin FROM hosts)"
    )
    op.execute("UPDATE hosts SET refresh_at = (SELECT min(next_due) FROM pages WHERE pages.host = hosts.origin)")
