"""Documents that programs push, with their metadata."""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("pages", sa.Column("tags", sa.JSON(), nullable=False, server_default="[]"))
    op.create_table(
        "documents",
        sa.Column("id", sa.String(length=255), nullable=False),
        sa.Column("page_id", sa.Integer(), nullable=True),
        sa.Column("pushed_hash", sa.String(length=64), nullable=False),
        sa.Column("fields", sa.JSON(), nullable=False),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["page_id"], ["pages.id"], name="fk_documents_page_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_documents"),
        sa.UniqueConstraint("page_id", name="uq_documents_page_id"),
    )
    op.create_table(
        "document_values",
        sa.Column("document_id", sa.String(length=255), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("number", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name="fk_document_values_document_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "name", "value", name="pk_document_values"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_document_values_text", "document_values", ["name", "value"])
    op.create_index("ix_document_values_number", "document_values", ["name", "number", "value"])
