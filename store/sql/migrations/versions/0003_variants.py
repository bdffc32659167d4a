"""Variants made before, and which kinds of them helped."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "variants",
        sa.Column("key", sa.String(length=32), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("lang", sa.String(length=8), nullable=False),
        sa.Column("maker", sa.Text(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("variants", sa.JSON(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_variants")),
    )
    op.create_index(op.f("ix_variants_made_at"), "variants", ["made_at"], unique=False)
    op.create_table(
        "variant_tallies",
        sa.Column("question_type", sa.String(length=16), nullable=False),
        sa.Column("kind", sa.String(length=24), nullable=False),
        sa.Column("tried", sa.Integer(), nullable=False),
        sa.Column("rewarded", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("question_type", "kind", name=op.f("pk_variant_tallies")),
    )


def downgrade() -> None:
    op.drop_table("variant_tallies")
    op.drop_index(op.f("ix_variants_made_at"), table_name="variants")
    op.drop_table("variants")
