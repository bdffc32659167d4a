"""What came of each webhook, and whose it is; which events of a question are sent, and where those of others may go."""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("webhooks") as webhooks:
        webhooks.alter_column("question_id", existing_type=sa.String(length=32), nullable=True)
        webhooks.add_column(sa.Column("owner", sa.String(length=80), nullable=True))
        webhooks.add_column(sa.Column("body", sa.JSON(), nullable=True))
        webhooks.add_column(sa.Column("tried_at", sa.DateTime(timezone=True), nullable=True))
        webhooks.add_column(sa.Column("response_status", sa.Integer(), nullable=True))
        webhooks.add_column(sa.Column("response", sa.Text(), nullable=True))
        webhooks.add_column(sa.Column("seconds", sa.Double(), nullable=True))
    op.execute("UPDATE webhooks SET owner = (SELECT owner FROM questions WHERE questions.id = webhooks.question_id)")
    op.create_index("ix_webhooks_owner", "webhooks", ["owner", "id"])
    op.add_column("sources", sa.Column("callback_url", sa.Text(), nullable=True))
    op.add_column("questions", sa.Column("callback_events", sa.JSON(), nullable=True))
    op.add_column("api_keys", sa.Column("callback_hosts", sa.JSON(), nullable=True))
