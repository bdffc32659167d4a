"""Pages have a fingerprint, and may be the duplicate of another; their canonical URL is as they name it."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_BANDS = tuple(f"band_{at}" for at in range(4))


def upgrade() -> None:
    op.add_column("pages", sa.Column("canonical_url", sa.Text(), nullable=False, server_default=""))
    op.add_column("pages", sa.Column("duplicate_of", sa.Integer(), nullable=True))
    for band in _BANDS:
        op.add_column("pages", sa.Column(band, sa.Integer(), nullable=True))
        op.create_index(f"ix_pages_{band}", "pages", ["host", band], unique=False)
    op.create_index("ix_pages_canonical", "pages", ["host", "canonical_url"], unique=False)
    op.create_index(op.f("ix_pages_duplicate_of"), "pages", ["duplicate_of"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("ix_pages_duplicate_of"), table_name="pages")
    op.drop_index("ix_pages_canonical", table_name="pages")
    for band in _BANDS:
        op.drop_index(f"ix_pages_{band}", table_name="pages")
    for column in (*_BANDS, "duplicate_of", "canonical_url"):
        op.drop_column("pages", column)
