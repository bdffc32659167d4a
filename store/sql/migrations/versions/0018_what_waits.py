"""What waits, and what is new, is found without a look at all that ever was."""

from alembic import op

revision = "0018"
down_revision = "0015"
branch_labels = None
depends_on = None

INDICES = {
    "ix_webhooks_work": ("webhooks", ["status", "due_at"]),
    "ix_webhooks_question": ("webhooks", ["question_id", "status"]),
    "ix_pages_gone_at": ("pages", ["gone_at"]),
    "ix_pages_shared_at": ("pages", ["shared_at"]),
}


def upgrade() -> None:
    for name, (table, columns) in INDICES.items():
        op.create_index(name, table, columns)


def downgrade() -> None:
    for name, (table, _) in INDICES.items():
        op.drop_index(name, table_name=table)
