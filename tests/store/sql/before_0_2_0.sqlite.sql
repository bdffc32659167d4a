BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0020');
CREATE TABLE answers (
	id INTEGER NOT NULL,
	question_id VARCHAR(32) NOT NULL,
	revision INTEGER NOT NULL,
	provisional BOOLEAN NOT NULL,
	text TEXT NOT NULL,
	sentences JSON NOT NULL,
	citations JSON NOT NULL,
	context JSON NOT NULL,
	confidence DOUBLE NOT NULL,
	composer TEXT NOT NULL,
	notice TEXT NOT NULL,
	verdict JSON NOT NULL,
	cost JSON NOT NULL,
	created_at DATETIME NOT NULL, stale_at DATETIME, structured JSON, related JSON DEFAULT '[]' NOT NULL,
	CONSTRAINT pk_answers PRIMARY KEY (id),
	CONSTRAINT fk_answers_question_id FOREIGN KEY(question_id) REFERENCES questions (id) ON DELETE CASCADE,
	CONSTRAINT uq_answers_question_id UNIQUE (question_id, revision)
);
INSERT INTO "answers" VALUES(1,'x',1,0,'x','[]','[]','[]',1.0,'x','x','{}','{}','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000','[]','[]');
CREATE TABLE api_keys (
	id VARCHAR(12) NOT NULL,
	name VARCHAR(80) NOT NULL,
	hash VARCHAR(64) NOT NULL,
	role VARCHAR(16) NOT NULL,
	collections JSON,
	created_at DATETIME NOT NULL,
	expires_at DATETIME,
	CONSTRAINT pk_api_keys PRIMARY KEY (id),
	CONSTRAINT uq_api_keys_name UNIQUE (name),
	CONSTRAINT uq_api_keys_hash UNIQUE (hash)
);
INSERT INTO "api_keys" VALUES('x','x','x','x','[]','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000');
CREATE TABLE "candidates" (
	id INTEGER NOT NULL,
	question_id VARCHAR(32),
	url TEXT NOT NULL,
	kind VARCHAR(16) NOT NULL,
	score DOUBLE NOT NULL,
	depth INTEGER NOT NULL,
	origin VARCHAR(64) NOT NULL,
	text TEXT NOT NULL,
	wave INTEGER NOT NULL,
	status VARCHAR(16) NOT NULL,
	outcome VARCHAR(16),
	reason TEXT,
	page_id INTEGER,
	bytes INTEGER NOT NULL,
	elapsed_s DOUBLE NOT NULL,
	news BOOLEAN NOT NULL,
	created_at DATETIME NOT NULL,
	settled_at DATETIME,
	attempts INTEGER NOT NULL,
	due_at DATETIME NOT NULL,
	lease_by VARCHAR(64),
	lease_until DATETIME,
	error TEXT,
	site_read_id INTEGER,
	CONSTRAINT pk_candidates PRIMARY KEY (id),
	CONSTRAINT fk_candidates_question_id FOREIGN KEY(question_id) REFERENCES questions (id) ON DELETE CASCADE,
	CONSTRAINT uq_candidates_question_id UNIQUE (question_id, url),
	CONSTRAINT fk_candidates_page_id FOREIGN KEY(page_id) REFERENCES pages (id) ON DELETE SET NULL,
	CONSTRAINT fk_candidates_site_read_id FOREIGN KEY(site_read_id) REFERENCES site_reads (id) ON DELETE CASCADE
);
INSERT INTO "candidates" VALUES(1,'x','https://a.example/b','x',1.0,1,'x','x',1,'ASKED','x','x',1,1,1.0,0,'2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000',1,'2026-01-01 00:00:00.000000','x','2026-01-01 00:00:00.000000','x',1);
CREATE TABLE collections (
	id VARCHAR(12) NOT NULL,
	name VARCHAR(80) NOT NULL,
	exclude_sites JSON NOT NULL,
	created_at DATETIME NOT NULL,
	deleted_at DATETIME,
	CONSTRAINT pk_collections PRIMARY KEY (id),
	CONSTRAINT uq_collections_name UNIQUE (name)
);
INSERT INTO "collections" VALUES('x','x','[]','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000');
CREATE TABLE entities (
	id INTEGER NOT NULL,
	name VARCHAR(120) NOT NULL,
	CONSTRAINT pk_entities PRIMARY KEY (id),
	CONSTRAINT uq_entities_name UNIQUE (name)
);
INSERT INTO "entities" VALUES(1,'x');
CREATE TABLE evidence (
	answer_id INTEGER NOT NULL,
	page_id INTEGER NOT NULL,
	content_hash VARCHAR(64) NOT NULL,
	CONSTRAINT pk_evidence PRIMARY KEY (answer_id, page_id),
	CONSTRAINT fk_evidence_answer_id FOREIGN KEY(answer_id) REFERENCES answers (id) ON DELETE CASCADE
);
INSERT INTO "evidence" VALUES(1,1,'x');
CREATE TABLE facts (
	id INTEGER NOT NULL,
	page_id INTEGER NOT NULL,
	subject TEXT NOT NULL,
	subject_folded VARCHAR(300) NOT NULL,
	predicate TEXT NOT NULL,
	object TEXT NOT NULL,
	start INTEGER,
	"end" INTEGER,
	CONSTRAINT pk_facts PRIMARY KEY (id),
	CONSTRAINT fk_facts_page_id FOREIGN KEY(page_id) REFERENCES pages (id) ON DELETE CASCADE
);
INSERT INTO "facts" VALUES(1,1,'x','x','x','x',1,1);
CREATE TABLE feedback (
	id INTEGER NOT NULL,
	question_id VARCHAR(32) NOT NULL,
	revision INTEGER NOT NULL,
	verdict VARCHAR(16) NOT NULL,
	comment TEXT NOT NULL,
	features JSON NOT NULL,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	CONSTRAINT pk_feedback PRIMARY KEY (id),
	CONSTRAINT fk_feedback_question_id FOREIGN KEY(question_id) REFERENCES questions (id) ON DELETE CASCADE,
	CONSTRAINT uq_feedback_question_id UNIQUE (question_id, revision)
);
INSERT INTO "feedback" VALUES(1,'x',1,'x','x','{}','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000');
CREATE TABLE files (
	id INTEGER NOT NULL,
	address TEXT NOT NULL,
	folder_id INTEGER,
	path TEXT NOT NULL,
	size BIGINT NOT NULL,
	changed_ns BIGINT,
	content BLOB,
	version INTEGER NOT NULL,
	left_out BOOLEAN NOT NULL,
	added_at DATETIME NOT NULL,
	CONSTRAINT pk_files PRIMARY KEY (id),
	CONSTRAINT fk_files_folder_id FOREIGN KEY(folder_id) REFERENCES folders (id) ON DELETE CASCADE,
	CONSTRAINT uq_files_address UNIQUE (address)
);
INSERT INTO "files" VALUES(1,'x',1,'x',1,1,X'78',1,0,'2026-01-01 00:00:00.000000');
CREATE TABLE folders (
	id INTEGER NOT NULL,
	name VARCHAR(80) NOT NULL,
	path TEXT NOT NULL,
	every_s DOUBLE NOT NULL,
	next_due DATETIME NOT NULL,
	problem TEXT,
	created_at DATETIME NOT NULL, seen_as VARCHAR(64) DEFAULT '' NOT NULL,
	CONSTRAINT pk_folders PRIMARY KEY (id),
	CONSTRAINT uq_folders_name UNIQUE (name),
	CONSTRAINT uq_folders_path UNIQUE (path)
);
INSERT INTO "folders" VALUES(1,'x','x',1.0,'2026-01-01 00:00:00.000000','x','2026-01-01 00:00:00.000000','x');
CREATE TABLE hosts (
	origin VARCHAR(300) NOT NULL,
	robots BLOB NOT NULL,
	robots_status INTEGER NOT NULL,
	robots_at DATETIME,
	delay_s DOUBLE, refresh_at DATETIME,
	CONSTRAINT pk_hosts PRIMARY KEY (origin)
);
INSERT INTO "hosts" VALUES('x',X'78',1,'2026-01-01 00:00:00.000000',1.0,'2026-01-01 00:00:00.000000');
CREATE TABLE learned (
	id INTEGER NOT NULL,
	kind VARCHAR(16) NOT NULL,
	number INTEGER NOT NULL,
	embedder VARCHAR(200) NOT NULL,
	parameters JSON NOT NULL,
	metrics JSON NOT NULL,
	examples INTEGER NOT NULL,
	active BOOLEAN NOT NULL,
	created_at DATETIME NOT NULL,
	CONSTRAINT pk_learned PRIMARY KEY (id),
	CONSTRAINT uq_learned_kind UNIQUE (kind, number)
);
INSERT INTO "learned" VALUES(1,'x',1,'x','{}','{}',1,0,'2026-01-01 00:00:00.000000');
CREATE TABLE learning (
	kind VARCHAR(16) NOT NULL,
	embedder VARCHAR(200) NOT NULL,
	held BOOLEAN NOT NULL,
	tried_at DATETIME,
	said TEXT NOT NULL,
	CONSTRAINT pk_learning PRIMARY KEY (kind, embedder)
);
INSERT INTO "learning" VALUES('x','x',0,'2026-01-01 00:00:00.000000','x');
CREATE TABLE links (
	id INTEGER NOT NULL,
	site VARCHAR(300) NOT NULL,
	from_url TEXT NOT NULL,
	url TEXT NOT NULL,
	text TEXT NOT NULL,
	context TEXT NOT NULL,
	origin VARCHAR(64) NOT NULL,
	depth INTEGER NOT NULL,
	seen_at DATETIME NOT NULL, private BOOLEAN DEFAULT 0 NOT NULL,
	CONSTRAINT pk_links PRIMARY KEY (id),
	CONSTRAINT uq_links_from_url UNIQUE (from_url, url)
);
INSERT INTO "links" VALUES(1,'x','https://a.example/b','https://a.example/b','x','x','x',1,'2026-01-01 00:00:00.000000',0);
CREATE TABLE mentions (
	entity_id INTEGER NOT NULL,
	ord INTEGER NOT NULL,
	page_id INTEGER NOT NULL, private BOOLEAN DEFAULT 0 NOT NULL,
	CONSTRAINT pk_mentions PRIMARY KEY (entity_id, ord, page_id),
	CONSTRAINT fk_mentions_entity_id FOREIGN KEY(entity_id) REFERENCES entities (id) ON DELETE CASCADE,
	CONSTRAINT fk_mentions_page_id FOREIGN KEY(page_id) REFERENCES pages (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "mentions" VALUES(1,1,1,0);
CREATE TABLE page_checks (
	id INTEGER NOT NULL,
	page_id INTEGER NOT NULL,
	outcome VARCHAR(16) NOT NULL,
	status INTEGER,
	content_hash VARCHAR(64) NOT NULL,
	reason TEXT NOT NULL,
	times INTEGER NOT NULL,
	first_at DATETIME NOT NULL,
	last_at DATETIME NOT NULL,
	CONSTRAINT pk_page_checks PRIMARY KEY (id),
	CONSTRAINT fk_page_checks_page_id FOREIGN KEY(page_id) REFERENCES pages (id) ON DELETE CASCADE
);
INSERT INTO "page_checks" VALUES(1,1,'x',1,'x','x',1,'2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000');
CREATE TABLE page_versions (
	page_id INTEGER NOT NULL,
	number INTEGER NOT NULL,
	title TEXT NOT NULL,
	text TEXT NOT NULL,
	content_hash VARCHAR(64) NOT NULL,
	published DATETIME,
	read_at DATETIME NOT NULL,
	CONSTRAINT pk_page_versions PRIMARY KEY (page_id, number),
	CONSTRAINT fk_page_versions_page_id FOREIGN KEY(page_id) REFERENCES pages (id) ON DELETE CASCADE
);
INSERT INTO "page_versions" VALUES(1,1,'x','x','x','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000');
CREATE TABLE pages (
	id INTEGER NOT NULL,
	url TEXT NOT NULL,
	host VARCHAR(300) NOT NULL,
	title TEXT NOT NULL,
	text TEXT NOT NULL,
	lang VARCHAR(8) NOT NULL,
	headings JSON NOT NULL,
	published DATETIME,
	modified DATETIME,
	etag TEXT NOT NULL,
	last_modified TEXT NOT NULL,
	content_hash VARCHAR(64) NOT NULL,
	generation INTEGER NOT NULL,
	state VARCHAR(16) NOT NULL,
	depth INTEGER NOT NULL,
	read_at DATETIME NOT NULL,
	checked_at DATETIME NOT NULL,
	next_due DATETIME NOT NULL,
	interval_s DOUBLE NOT NULL,
	gone_at DATETIME,
	is_hub BOOLEAN NOT NULL,
	attempts INTEGER NOT NULL,
	due_at DATETIME NOT NULL,
	lease_by VARCHAR(64),
	lease_until DATETIME,
	error TEXT, body_hash VARCHAR(64) DEFAULT '' NOT NULL, canonical_url TEXT DEFAULT '' NOT NULL, duplicate_of INTEGER, band_0 INTEGER, band_1 INTEGER, band_2 INTEGER, band_3 INTEGER, blocks JSON DEFAULT '[]' NOT NULL, private BOOLEAN DEFAULT 0 NOT NULL, shared_at DATETIME, places JSON DEFAULT '[]' NOT NULL, deleted_at DATETIME, indexed_at DATETIME,
	CONSTRAINT pk_pages PRIMARY KEY (id),
	CONSTRAINT uq_pages_url UNIQUE (url)
);
INSERT INTO "pages" VALUES(1,'https://a.example/b','x','x','x','x','[]','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000','x','x','x',1,'INDEXED',1,'2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000',1.0,'2026-01-01 00:00:00.000000',0,1,'2026-01-01 00:00:00.000000','x','2026-01-01 00:00:00.000000','x','x','x',1,1,1,1,1,'[]',0,'2026-01-01 00:00:00.000000','[]','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000');
CREATE TABLE private_reads (
	question_id VARCHAR(32) NOT NULL,
	url TEXT NOT NULL,
	CONSTRAINT pk_private_reads PRIMARY KEY (question_id, url),
	CONSTRAINT fk_private_reads_question_id FOREIGN KEY(question_id) REFERENCES questions (id) ON DELETE CASCADE
);
INSERT INTO "private_reads" VALUES('x','https://a.example/b');
CREATE TABLE questions (
	id VARCHAR(32) NOT NULL,
	text TEXT NOT NULL,
	lang VARCHAR(8) NOT NULL,
	status VARCHAR(16) NOT NULL,
	strategy VARCHAR(32) NOT NULL,
	sites JSON NOT NULL,
	crawl_enabled BOOLEAN NOT NULL,
	max_age_s INTEGER,
	budget JSON NOT NULL,
	priority INTEGER NOT NULL,
	deadline DATETIME NOT NULL,
	queries JSON NOT NULL,
	variants JSON NOT NULL,
	missing JSON NOT NULL,
	cycle INTEGER NOT NULL,
	waves INTEGER NOT NULL,
	crawl_reason TEXT,
	stop_reason TEXT,
	crawl_started_at DATETIME,
	idempotency_key VARCHAR(255),
	fingerprint VARCHAR(64) NOT NULL,
	callback_url TEXT,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	finished_at DATETIME,
	attempts INTEGER NOT NULL,
	due_at DATETIME NOT NULL,
	lease_by VARCHAR(64),
	lease_until DATETIME,
	error TEXT, equal_key VARCHAR(64) DEFAULT '' NOT NULL, reuse BOOLEAN DEFAULT 1 NOT NULL, leader_id VARCHAR(32), cached_from VARCHAR(32), round INTEGER DEFAULT '0' NOT NULL, asked_again_at DATETIME, langs JSON DEFAULT '[]' NOT NULL, overrides JSON DEFAULT '{}' NOT NULL, private BOOLEAN DEFAULT 0 NOT NULL, thread_id VARCHAR(32), asked TEXT, answer_schema JSON, owner VARCHAR(80),
	CONSTRAINT pk_questions PRIMARY KEY (id),
	CONSTRAINT uq_questions_idempotency_key UNIQUE (idempotency_key)
);
INSERT INTO "questions" VALUES('x','x','x','ASKED','x','[]',0,1,'{}',1,'2026-01-01 00:00:00.000000','[]','[]','[]',1,1,'x','x','2026-01-01 00:00:00.000000','x','x','x','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000',1,'2026-01-01 00:00:00.000000','x','2026-01-01 00:00:00.000000','x','x',0,'x','x',1,'2026-01-01 00:00:00.000000','[]','{}',0,'x','x','[]','x');
CREATE TABLE site_reads (
	id INTEGER NOT NULL,
	url TEXT NOT NULL,
	prefix TEXT NOT NULL,
	status VARCHAR(16) NOT NULL,
	reason TEXT,
	again BOOLEAN NOT NULL,
	source_id INTEGER,
	max_pages INTEGER NOT NULL,
	max_depth INTEGER NOT NULL,
	found INTEGER NOT NULL,
	looked_at INTEGER NOT NULL,
	new INTEGER NOT NULL,
	unchanged INTEGER NOT NULL,
	left_out INTEGER NOT NULL,
	failed INTEGER NOT NULL,
	bytes BIGINT NOT NULL,
	active_s DOUBLE NOT NULL,
	running_since DATETIME,
	created_at DATETIME NOT NULL,
	finished_at DATETIME,
	CONSTRAINT pk_site_reads PRIMARY KEY (id),
	CONSTRAINT fk_site_reads_source_id FOREIGN KEY(source_id) REFERENCES sources (id) ON DELETE SET NULL
);
INSERT INTO "site_reads" VALUES(1,'https://a.example/b','x','ASKED','x',0,1,1,1,1,1,1,1,1,1,1,1.0,'2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000');
CREATE TABLE sources (
	id INTEGER NOT NULL,
	url TEXT NOT NULL,
	own BOOLEAN NOT NULL,
	min_delay_s DOUBLE,
	created_at DATETIME NOT NULL, every_s DOUBLE, cron VARCHAR(100), zone VARCHAR(64) DEFAULT 'UTC' NOT NULL, next_due DATETIME, paused BOOLEAN DEFAULT 0 NOT NULL,
	CONSTRAINT pk_sources PRIMARY KEY (id),
	CONSTRAINT uq_sources_url UNIQUE (url)
);
INSERT INTO "sources" VALUES(1,'https://a.example/b',0,1.0,'2026-01-01 00:00:00.000000',1.0,'x','x','2026-01-01 00:00:00.000000',0);
CREATE TABLE steps (
	id INTEGER NOT NULL,
	question_id VARCHAR(32) NOT NULL,
	name VARCHAR(32) NOT NULL,
	cycle INTEGER NOT NULL,
	attempt INTEGER NOT NULL,
	outcome VARCHAR(32) NOT NULL,
	started_at DATETIME NOT NULL,
	finished_at DATETIME NOT NULL,
	detail JSON NOT NULL,
	CONSTRAINT pk_steps PRIMARY KEY (id),
	CONSTRAINT fk_steps_question_id FOREIGN KEY(question_id) REFERENCES questions (id) ON DELETE CASCADE
);
INSERT INTO "steps" VALUES(1,'x','x',1,1,'x','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000','{}');
CREATE TABLE threads (
	id VARCHAR(32) NOT NULL,
	title TEXT NOT NULL,
	folded TEXT NOT NULL,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL, owner VARCHAR(80),
	CONSTRAINT pk_threads PRIMARY KEY (id)
);
INSERT INTO "threads" VALUES('x','x','x','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000','x');
CREATE TABLE variant_tallies (
	question_type VARCHAR(16) NOT NULL,
	kind VARCHAR(24) NOT NULL,
	tried INTEGER NOT NULL,
	rewarded INTEGER NOT NULL,
	CONSTRAINT pk_variant_tallies PRIMARY KEY (question_type, kind)
);
INSERT INTO "variant_tallies" VALUES('x','x',1,1);
CREATE TABLE variants (
	"key" VARCHAR(32) NOT NULL,
	question TEXT NOT NULL,
	lang VARCHAR(8) NOT NULL,
	maker TEXT NOT NULL,
	count INTEGER NOT NULL,
	variants JSON NOT NULL,
	made_at DATETIME NOT NULL,
	CONSTRAINT pk_variants PRIMARY KEY ("key")
);
INSERT INTO "variants" VALUES('x','x','x','x',1,'[]','2026-01-01 00:00:00.000000');
CREATE TABLE watches (
	question_id VARCHAR(32) NOT NULL,
	callback_url TEXT,
	told_revision INTEGER,
	changed_at DATETIME,
	created_at DATETIME NOT NULL,
	CONSTRAINT pk_watches PRIMARY KEY (question_id),
	CONSTRAINT fk_watches_question_id FOREIGN KEY(question_id) REFERENCES questions (id) ON DELETE CASCADE
);
INSERT INTO "watches" VALUES('x','x',1,'2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000');
CREATE TABLE webhooks (
	id INTEGER NOT NULL,
	question_id VARCHAR(32) NOT NULL,
	url TEXT NOT NULL,
	event VARCHAR(32) NOT NULL,
	status VARCHAR(16) NOT NULL,
	created_at DATETIME NOT NULL,
	delivered_at DATETIME,
	attempts INTEGER NOT NULL,
	due_at DATETIME NOT NULL,
	lease_by VARCHAR(64),
	lease_until DATETIME,
	error TEXT,
	CONSTRAINT pk_webhooks PRIMARY KEY (id),
	CONSTRAINT fk_webhooks_question_id FOREIGN KEY(question_id) REFERENCES questions (id) ON DELETE CASCADE
);
INSERT INTO "webhooks" VALUES(1,'x','https://a.example/b','x','ASKED','2026-01-01 00:00:00.000000','2026-01-01 00:00:00.000000',1,'2026-01-01 00:00:00.000000','x','2026-01-01 00:00:00.000000','x');
CREATE INDEX ix_links_site ON links (site);
CREATE INDEX ix_pages_work ON pages (state, due_at);
CREATE INDEX ix_questions_created_at ON questions (created_at);
CREATE INDEX ix_questions_work ON questions (status, due_at);
CREATE INDEX ix_answers_question_id ON answers (question_id);
CREATE INDEX ix_facts_page_id ON facts (page_id);
CREATE INDEX ix_facts_subject ON facts (subject_folded);
CREATE INDEX ix_steps_question_id ON steps (question_id);
CREATE INDEX ix_webhooks_question_id ON webhooks (question_id);
CREATE INDEX ix_mentions_page ON mentions (page_id, ord);
CREATE INDEX ix_variants_made_at ON variants (made_at);
CREATE INDEX ix_questions_equal ON questions (equal_key, status);
CREATE INDEX ix_questions_leader_id ON questions (leader_id);
CREATE INDEX ix_answers_stale_at ON answers (stale_at);
CREATE INDEX ix_pages_read_at ON pages (read_at);
CREATE INDEX ix_evidence_page_id ON evidence (page_id);
CREATE INDEX ix_feedback_verdict ON feedback (verdict, updated_at);
CREATE INDEX ix_pages_due ON pages (host, next_due, id);
CREATE INDEX ix_pages_twin ON pages (host, content_hash);
CREATE INDEX ix_page_checks_page_id ON page_checks (page_id);
CREATE INDEX ix_site_reads_status ON site_reads (status);
CREATE INDEX ix_site_reads_source_id ON site_reads (source_id);
CREATE INDEX ix_candidates_wave ON candidates (question_id, status);
CREATE INDEX ix_candidates_work ON candidates (status, due_at);
CREATE INDEX ix_candidates_url ON candidates (url);
CREATE INDEX ix_candidates_page_id ON candidates (page_id);
CREATE UNIQUE INDEX ix_candidates_of_site ON candidates (site_read_id, url);
CREATE INDEX ix_candidates_next ON candidates (site_read_id, status, score);
CREATE INDEX ix_hosts_refresh_at ON hosts (refresh_at);
CREATE INDEX ix_pages_band_0 ON pages (host, band_0);
CREATE INDEX ix_pages_band_1 ON pages (host, band_1);
CREATE INDEX ix_pages_band_2 ON pages (host, band_2);
CREATE INDEX ix_pages_band_3 ON pages (host, band_3);
CREATE INDEX ix_pages_canonical ON pages (host, canonical_url);
CREATE INDEX ix_pages_duplicate_of ON pages (duplicate_of);
CREATE INDEX ix_pages_private ON pages (private);
CREATE INDEX ix_folders_next_due ON folders (next_due);
CREATE INDEX ix_files_folder_id ON files (folder_id);
CREATE INDEX ix_threads_updated_at ON threads (updated_at);
CREATE INDEX ix_questions_thread ON questions (thread_id, created_at);
CREATE INDEX ix_questions_owner ON questions (owner);
CREATE INDEX ix_threads_owner ON threads (owner);
CREATE INDEX ix_webhooks_work ON webhooks (status, due_at);
CREATE INDEX ix_webhooks_question ON webhooks (question_id, status);
CREATE INDEX ix_pages_gone_at ON pages (gone_at);
CREATE INDEX ix_pages_shared_at ON pages (shared_at);
CREATE INDEX ix_pages_indexed_at ON pages (indexed_at);
COMMIT;
