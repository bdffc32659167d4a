"""Versions of what was learned from feedback, and when learning was last tried."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "learned",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("embedder", sa.String(length=200), nullable=False),
        sa.Column("parameters", sa.JSON(), nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("examples", sa.Integer(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_learned")),
        sa.UniqueConstraint("kind", "number", name=op.f("uq_learned_kind")),
    )
    op.create_table(
        "learning",
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("embedder", sa.String(length=200), nullable=False),
        sa.Column("held", sa.Boolean(), nullable=False),
        sa.Column("tried_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("said", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "embedder", name=op.f("pk_learning")),
    )


def downgrade() -> None:
    op.drop_table("learning")
    op.drop_table("learned")
