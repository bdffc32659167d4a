"""Folders of Git repositories and S3 buckets.

Revision ID: 0036
Revises: 0035
"""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add how a folder elsewhere is reached and cited, and when any was last looked through."""
    op.add_column("folders", sa.Column("checked_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("folders", sa.Column("link", sa.Text(), nullable=False, server_default=""))
    op.add_column("folders", sa.Column("access", sa.JSON(), nullable=False, server_default="{}"))
