"""All tables, as they were when 0.2.0 was released.

The number is that of the last migration before it: databases at that one have just these tables already.
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(length=12), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("collections", sa.JSON(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_api_keys"),
        sa.UniqueConstraint("hash", name="uq_api_keys_hash"),
        sa.UniqueConstraint("name", name="uq_api_keys_name"),
    )
    op.create_table(
        "collections",
        sa.Column("id", sa.String(length=12), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("exclude_sites", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_collections"),
        sa.UniqueConstraint("name", name="uq_collections_name"),
    )
    op.create_table(
        "entities",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_entities"),
        sa.UniqueConstraint("name", name="uq_entities_name"),
    )
    op.create_table(
        "folders",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("every_s", sa.Double(), nullable=False),
        sa.Column("next_due", sa.DateTime(timezone=True), nullable=False),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("seen_as", sa.String(length=64), nullable=False, server_default=""),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_folders"),
        sa.UniqueConstraint("name", name="uq_folders_name"),
        sa.UniqueConstraint("path", name="uq_folders_path"),
    )
    op.create_index("ix_folders_next_due", "folders", ["next_due"])
    op.create_table(
        "hosts",
        sa.Column("origin", sa.String(length=300), nullable=False),
        sa.Column("robots", sa.LargeBinary(), nullable=False),
        sa.Column("robots_status", sa.Integer(), nullable=False),
        sa.Column("robots_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("delay_s", sa.Double(), nullable=True),
        sa.Column("refresh_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("origin", name="pk_hosts"),
    )
    op.create_index("ix_hosts_refresh_at", "hosts", ["refresh_at"])
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
        sa.PrimaryKeyConstraint("id", name="pk_learned"),
        sa.UniqueConstraint("kind", "number", name="uq_learned_kind"),
    )
    op.create_table(
        "learning",
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("embedder", sa.String(length=200), nullable=False),
        sa.Column("held", sa.Boolean(), nullable=False),
        sa.Column("tried_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("said", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "embedder", name="pk_learning"),
    )
    op.create_table(
        "links",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("site", sa.String(length=300), nullable=False),
        sa.Column("from_url", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("context", sa.Text(), nullable=False),
        sa.Column("origin", sa.String(length=64), nullable=False),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_links"),
        sa.UniqueConstraint("from_url", "url", name="uq_links_from_url"),
    )
    op.create_index("ix_links_site", "links", ["site"])
    op.create_table(
        "pages",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("host", sa.String(length=300), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("lang", sa.String(length=8), nullable=False),
        sa.Column("headings", sa.JSON(), nullable=False),
        sa.Column("blocks", sa.JSON(), nullable=False, server_default="[]"),
        sa.Column("places", sa.JSON(), nullable=False, server_default="[]"),
        sa.Column("published", sa.DateTime(timezone=True), nullable=True),
        sa.Column("modified", sa.DateTime(timezone=True), nullable=True),
        sa.Column("etag", sa.Text(), nullable=False),
        sa.Column("last_modified", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("body_hash", sa.String(length=64), nullable=False, server_default=""),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("checked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_due", sa.DateTime(timezone=True), nullable=False),
        sa.Column("interval_s", sa.Double(), nullable=False),
        sa.Column("indexed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("gone_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("is_hub", sa.Boolean(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("shared_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("canonical_url", sa.Text(), nullable=False, server_default=""),
        sa.Column("duplicate_of", sa.Integer(), nullable=True),
        sa.Column("band_0", sa.Integer(), nullable=True),
        sa.Column("band_1", sa.Integer(), nullable=True),
        sa.Column("band_2", sa.Integer(), nullable=True),
        sa.Column("band_3", sa.Integer(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("lease_by", sa.String(length=64), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_pages"),
        sa.UniqueConstraint("url", name="uq_pages_url"),
    )
    op.create_index("ix_pages_band_0", "pages", ["host", "band_0"])
    op.create_index("ix_pages_band_1", "pages", ["host", "band_1"])
    op.create_index("ix_pages_band_2", "pages", ["host", "band_2"])
    op.create_index("ix_pages_band_3", "pages", ["host", "band_3"])
    op.create_index("ix_pages_canonical", "pages", ["host", "canonical_url"])
    op.create_index("ix_pages_due", "pages", ["host", "next_due", "id"])
    op.create_index("ix_pages_duplicate_of", "pages", ["duplicate_of"])
    op.create_index("ix_pages_gone_at", "pages", ["gone_at"])
    op.create_index("ix_pages_indexed_at", "pages", ["indexed_at"])
    op.create_index("ix_pages_private", "pages", ["private"])
    op.create_index("ix_pages_read_at", "pages", ["read_at"])
    op.create_index("ix_pages_shared_at", "pages", ["shared_at"])
    op.create_index("ix_pages_twin", "pages", ["host", "content_hash"])
    op.create_index("ix_pages_work", "pages", ["state", "due_at"])
    op.create_table(
        "questions",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("asked", sa.Text(), nullable=True),
        sa.Column("thread_id", sa.String(length=32), nullable=True),
        sa.Column("lang", sa.String(length=8), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("strategy", sa.String(length=32), nullable=False),
        sa.Column("sites", sa.JSON(), nullable=False),
        sa.Column("langs", sa.JSON(), nullable=False, server_default="[]"),
        sa.Column("private", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("crawl_enabled", sa.Boolean(), nullable=False),
        sa.Column("max_age_s", sa.Integer(), nullable=True),
        sa.Column("overrides", sa.JSON(), nullable=False, server_default="{}"),
        sa.Column("answer_schema", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("budget", sa.JSON(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("deadline", sa.DateTime(timezone=True), nullable=False),
        sa.Column("queries", sa.JSON(), nullable=False),
        sa.Column("variants", sa.JSON(), nullable=False),
        sa.Column("missing", sa.JSON(), nullable=False),
        sa.Column("cycle", sa.Integer(), nullable=False),
        sa.Column("waves", sa.Integer(), nullable=False),
        sa.Column("crawl_reason", sa.Text(), nullable=True),
        sa.Column("stop_reason", sa.Text(), nullable=True),
        sa.Column("crawl_started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("idempotency_key", sa.String(length=255), nullable=True),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("equal_key", sa.String(length=64), nullable=False, server_default=""),
        sa.Column("reuse", sa.Boolean(), nullable=False, server_default=sa.true()),
        sa.Column("leader_id", sa.String(length=32), nullable=True),
        sa.Column("cached_from", sa.String(length=32), nullable=True),
        sa.Column("round", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("asked_again_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("callback_url", sa.Text(), nullable=True),
        sa.Column("owner", sa.String(length=80), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("lease_by", sa.String(length=64), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_questions"),
        sa.UniqueConstraint("idempotency_key", name="uq_questions_idempotency_key"),
    )
    op.create_index("ix_questions_created_at", "questions", ["created_at"])
    op.create_index("ix_questions_equal", "questions", ["equal_key", "status"])
    op.create_index("ix_questions_leader_id", "questions", ["leader_id"])
    op.create_index("ix_questions_owner", "questions", ["owner"])
    op.create_index("ix_questions_thread", "questions", ["thread_id", "created_at"])
    op.create_index("ix_questions_work", "questions", ["status", "due_at"])
    op.create_table(
        "sources",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("own", sa.Boolean(), nullable=False),
        sa.Column("min_delay_s", sa.Double(), nullable=True),
        sa.Column("every_s", sa.Double(), nullable=True),
        sa.Column("cron", sa.String(length=100), nullable=True),
        sa.Column("zone", sa.String(length=64), nullable=False, server_default="UTC"),
        sa.Column("paused", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("next_due", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sources"),
        sa.UniqueConstraint("url", name="uq_sources_url"),
    )
    op.create_table(
        "threads",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.Column("owner", sa.String(length=80), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_threads"),
    )
    op.create_index("ix_threads_owner", "threads", ["owner"])
    op.create_index("ix_threads_updated_at", "threads", ["updated_at"])
    op.create_table(
        "variant_tallies",
        sa.Column("question_type", sa.String(length=16), nullable=False),
        sa.Column("kind", sa.String(length=24), nullable=False),
        sa.Column("tried", sa.Integer(), nullable=False),
        sa.Column("rewarded", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("question_type", "kind", name="pk_variant_tallies"),
    )
    op.create_table(
        "variants",
        sa.Column("key", sa.String(length=32), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("lang", sa.String(length=8), nullable=False),
        sa.Column("maker", sa.Text(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("variants", sa.JSON(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_variants"),
    )
    op.create_index("ix_variants_made_at", "variants", ["made_at"])
    op.create_table(
        "answers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.String(length=32), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("provisional", sa.Boolean(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("sentences", sa.JSON(), nullable=False),
        sa.Column("citations", sa.JSON(), nullable=False),
        sa.Column("context", sa.JSON(), nullable=False),
        sa.Column("confidence", sa.Double(), nullable=False),
        sa.Column("composer", sa.Text(), nullable=False),
        sa.Column("notice", sa.Text(), nullable=False),
        sa.Column("structured", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("related", sa.JSON(), nullable=False, server_default="[]"),
        sa.Column("verdict", sa.JSON(), nullable=False),
        sa.Column("cost", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("stale_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["question_id"], ["questions.id"], name="fk_answers_question_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_answers"),
        sa.UniqueConstraint("question_id", "revision", name="uq_answers_question_id"),
    )
    op.create_index("ix_answers_question_id", "answers", ["question_id"])
    op.create_index("ix_answers_stale_at", "answers", ["stale_at"])
    op.create_table(
        "facts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("page_id", sa.Integer(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("subject_folded", sa.String(length=300), nullable=False),
        sa.Column("predicate", sa.Text(), nullable=False),
        sa.Column("object", sa.Text(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=True),
        sa.Column("end", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["page_id"], ["pages.id"], name="fk_facts_page_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_facts"),
    )
    op.create_index("ix_facts_page_id", "facts", ["page_id"])
    op.create_index("ix_facts_subject", "facts", ["subject_folded"])
    op.create_table(
        "feedback",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.String(length=32), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(length=16), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("features", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["question_id"], ["questions.id"], name="fk_feedback_question_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_feedback"),
        sa.UniqueConstraint("question_id", "revision", name="uq_feedback_question_id"),
    )
    op.create_index("ix_feedback_verdict", "feedback", ["verdict", "updated_at"])
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
    op.create_table(
        "mentions",
        sa.Column("entity_id", sa.Integer(), nullable=False),
        sa.Column("ord", sa.Integer(), nullable=False),
        sa.Column("page_id", sa.Integer(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.ForeignKeyConstraint(["entity_id"], ["entities.id"], name="fk_mentions_entity_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["page_id"], ["pages.id"], name="fk_mentions_page_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("entity_id", "ord", "page_id", name="pk_mentions"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_mentions_page", "mentions", ["page_id", "ord"])
    op.create_table(
        "page_checks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("page_id", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(length=16), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("first_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["page_id"], ["pages.id"], name="fk_page_checks_page_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_page_checks"),
    )
    op.create_index("ix_page_checks_page_id", "page_checks", ["page_id"])
    op.create_table(
        "page_versions",
        sa.Column("page_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("published", sa.DateTime(timezone=True), nullable=True),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["page_id"], ["pages.id"], name="fk_page_versions_page_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("page_id", "number", name="pk_page_versions"),
    )
    op.create_table(
        "private_reads",
        sa.Column("question_id", sa.String(length=32), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["question_id"], ["questions.id"], name="fk_private_reads_question_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("question_id", "url", name="pk_private_reads"),
    )
    op.create_table(
        "site_reads",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("again", sa.Boolean(), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=True),
        sa.Column("max_pages", sa.Integer(), nullable=False),
        sa.Column("max_depth", sa.Integer(), nullable=False),
        sa.Column("found", sa.Integer(), nullable=False),
        sa.Column("looked_at", sa.Integer(), nullable=False),
        sa.Column("new", sa.Integer(), nullable=False),
        sa.Column("unchanged", sa.Integer(), nullable=False),
        sa.Column("left_out", sa.Integer(), nullable=False),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("active_s", sa.Double(), nullable=False),
        sa.Column("running_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name="fk_site_reads_source_id", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_site_reads"),
    )
    op.create_index("ix_site_reads_source_id", "site_reads", ["source_id"])
    op.create_index("ix_site_reads_status", "site_reads", ["status"])
    op.create_table(
        "steps",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("cycle", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(length=32), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["question_id"], ["questions.id"], name="fk_steps_question_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_steps"),
    )
    op.create_index("ix_steps_question_id", "steps", ["question_id"])
    op.create_table(
        "watches",
        sa.Column("question_id", sa.String(length=32), nullable=False),
        sa.Column("callback_url", sa.Text(), nullable=True),
        sa.Column("told_revision", sa.Integer(), nullable=True),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["question_id"], ["questions.id"], name="fk_watches_question_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("question_id", name="pk_watches"),
    )
    op.create_table(
        "webhooks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.String(length=32), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("event", sa.String(length=32), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("delivered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("lease_by", sa.String(length=64), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["question_id"], ["questions.id"], name="fk_webhooks_question_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_webhooks"),
    )
    op.create_index("ix_webhooks_question", "webhooks", ["question_id", "status"])
    op.create_index("ix_webhooks_question_id", "webhooks", ["question_id"])
    op.create_index("ix_webhooks_work", "webhooks", ["status", "due_at"])
    op.create_table(
        "candidates",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.String(length=32), nullable=True),
        sa.Column("site_read_id", sa.Integer(), nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("origin", sa.String(length=64), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("wave", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("outcome", sa.String(length=16), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("page_id", sa.Integer(), nullable=True),
        sa.Column("bytes", sa.Integer(), nullable=False),
        sa.Column("elapsed_s", sa.Double(), nullable=False),
        sa.Column("news", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("lease_by", sa.String(length=64), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["page_id"], ["pages.id"], name="fk_candidates_page_id", ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["question_id"], ["questions.id"], name="fk_candidates_question_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["site_read_id"], ["site_reads.id"], name="fk_candidates_site_read_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_candidates"),
        sa.UniqueConstraint("question_id", "url", name="uq_candidates_question_id"),
    )
    op.create_index("ix_candidates_next", "candidates", ["site_read_id", "status", "score"])
    op.create_index("ix_candidates_of_site", "candidates", ["site_read_id", "url"], unique=True)
    op.create_index("ix_candidates_page_id", "candidates", ["page_id"])
    op.create_index("ix_candidates_url", "candidates", ["url"])
    op.create_index("ix_candidates_wave", "candidates", ["question_id", "status"])
    op.create_index("ix_candidates_work", "candidates", ["status", "due_at"])
    op.create_table(
        "evidence",
        sa.Column("answer_id", sa.Integer(), nullable=False),
        sa.Column("page_id", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["answer_id"], ["answers.id"], name="fk_evidence_answer_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("answer_id", "page_id", name="pk_evidence"),
    )
    op.create_index("ix_evidence_page_id", "evidence", ["page_id"])
