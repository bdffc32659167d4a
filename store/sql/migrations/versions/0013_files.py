"""Files of the operator's own and watched folders; where pages of a file begin; pages that are being deleted."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "folders",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("every_s", sa.Double(), nullable=False),
        sa.Column("next_due", sa.DateTime(timezone=True), nullable=False),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_folders"),
        sa.UniqueConstraint("name", name="uq_folders_name"),
        sa.UniqueConstraint("path", name="uq_folders_path"),
    )
    op.create_index("ix_folders_next_due", "folders", ["next_due"])
    op.create_table(
        "files",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("folder_id", sa.Integer(), nullable=True),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("changed_ns", sa.BigInteger(), nullable=True),
        sa.Column("content", sa.LargeBinary(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("left_out", sa.Boolean(), nullable=False),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["folder_id"], ["folders.id"], name="fk_files_folder_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_files"),
        sa.UniqueConstraint("address", name="uq_files_address"),
    )
    op.create_index("ix_files_folder_id", "files", ["folder_id"])
    op.add_column("pages", sa.Column("places", sa.JSON(), nullable=False, server_default="[]"))
    op.add_column("pages", sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("pages", "deleted_at")
    op.drop_column("pages", "places")
    op.drop_table("files")
    op.drop_table("folders")
