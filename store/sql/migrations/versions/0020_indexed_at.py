"""Pages say since when the knowledge base holds them: "not known" is no news until then."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("pages", sa.Column("indexed_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index("ix_pages_indexed_at", "pages", ["indexed_at"])


def downgrade() -> None:
    op.drop_index("ix_pages_indexed_at", table_name="pages")
    op.drop_column("pages", "indexed_at")
