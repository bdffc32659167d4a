"""What tells a watched folder from another one at its path, as on another disk."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("folders", sa.Column("seen_as", sa.String(length=64), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("folders", "seen_as")
