"""What feedback makes of the judge's confidence.

It replaces the tables `learned` and `learning`, which stay for the processes of an earlier version.
"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "recalibrations",
        sa.Column("embedder", sa.String(length=200), nullable=False),
        sa.Column("lang", sa.String(length=8), nullable=False),
        sa.Column("calibration", sa.String(length=32), nullable=False),
        sa.Column("intercept", sa.Double(), nullable=False),
        sa.Column("slope", sa.Double(), nullable=False),
        sa.Column("said", sa.Text(), nullable=False),
        sa.Column("right", sa.Integer(), nullable=False),
        sa.Column("wrong", sa.Integer(), nullable=False),
        sa.Column("held_out", sa.Integer(), nullable=False),
        sa.Column("loss_before", sa.Double(), nullable=True),
        sa.Column("loss_after", sa.Double(), nullable=True),
        sa.Column("since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("learned_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("embedder", "lang", "calibration", name="pk_recalibrations"),
    )
