CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.answers (
    id integer NOT NULL,
    question_id character varying(32) NOT NULL,
    revision integer NOT NULL,
    provisional boolean NOT NULL,
    text text NOT NULL,
    sentences json NOT NULL,
    citations json NOT NULL,
    context json NOT NULL,
    confidence double precision NOT NULL,
    composer text NOT NULL,
    notice text NOT NULL,
    verdict json NOT NULL,
    cost json NOT NULL,
    created_at timestamp with time zone NOT NULL,
    stale_at timestamp with time zone,
    structured json,
    related json DEFAULT '[]'::json NOT NULL
);
CREATE SEQUENCE public.answers_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.answers_id_seq OWNED BY public.answers.id;
CREATE TABLE public.api_keys (
    id character varying(12) NOT NULL,
    name character varying(80) NOT NULL,
    hash character varying(64) NOT NULL,
    role character varying(16) NOT NULL,
    collections json,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone
);
CREATE TABLE public.candidates (
    id integer NOT NULL,
    question_id character varying(32),
    url text NOT NULL,
    kind character varying(16) NOT NULL,
    score double precision NOT NULL,
    depth integer NOT NULL,
    origin character varying(64) NOT NULL,
    text text NOT NULL,
    wave integer NOT NULL,
    status character varying(16) NOT NULL,
    outcome character varying(16),
    reason text,
    page_id integer,
    bytes integer NOT NULL,
    elapsed_s double precision NOT NULL,
    news boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    settled_at timestamp with time zone,
    attempts integer NOT NULL,
    due_at timestamp with time zone NOT NULL,
    lease_by character varying(64),
    lease_until timestamp with time zone,
    error text,
    site_read_id integer
);
CREATE SEQUENCE public.candidates_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.candidates_id_seq OWNED BY public.candidates.id;
CREATE TABLE public.collections (
    id character varying(12) NOT NULL,
    name character varying(80) NOT NULL,
    exclude_sites json NOT NULL,
    created_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);
CREATE TABLE public.entities (
    id integer NOT NULL,
    name character varying(120) NOT NULL
);
CREATE SEQUENCE public.entities_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.entities_id_seq OWNED BY public.entities.id;
CREATE TABLE public.evidence (
    answer_id integer NOT NULL,
    page_id integer NOT NULL,
    content_hash character varying(64) NOT NULL
);
CREATE TABLE public.facts (
    id integer NOT NULL,
    page_id integer NOT NULL,
    subject text NOT NULL,
    subject_folded character varying(300) NOT NULL,
    predicate text NOT NULL,
    object text NOT NULL,
    start integer,
    "end" integer
);
CREATE SEQUENCE public.facts_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.facts_id_seq OWNED BY public.facts.id;
CREATE TABLE public.feedback (
    id integer NOT NULL,
    question_id character varying(32) NOT NULL,
    revision integer NOT NULL,
    verdict character varying(16) NOT NULL,
    comment text NOT NULL,
    features json NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.feedback_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.feedback_id_seq OWNED BY public.feedback.id;
CREATE TABLE public.files (
    id integer NOT NULL,
    address text NOT NULL,
    folder_id integer,
    path text NOT NULL,
    size bigint NOT NULL,
    changed_ns bigint,
    content bytea,
    version integer NOT NULL,
    left_out boolean NOT NULL,
    added_at timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.files_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.files_id_seq OWNED BY public.files.id;
CREATE TABLE public.folders (
    id integer NOT NULL,
    name character varying(80) NOT NULL,
    path text NOT NULL,
    every_s double precision NOT NULL,
    next_due timestamp with time zone NOT NULL,
    problem text,
    created_at timestamp with time zone NOT NULL,
    seen_as character varying(64) DEFAULT ''::character varying NOT NULL
);
CREATE SEQUENCE public.folders_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.folders_id_seq OWNED BY public.folders.id;
CREATE TABLE public.hosts (
    origin character varying(300) NOT NULL,
    robots bytea NOT NULL,
    robots_status integer NOT NULL,
    robots_at timestamp with time zone,
    delay_s double precision,
    refresh_at timestamp with time zone
);
CREATE TABLE public.learned (
    id integer NOT NULL,
    kind character varying(16) NOT NULL,
    number integer NOT NULL,
    embedder character varying(200) NOT NULL,
    parameters json NOT NULL,
    metrics json NOT NULL,
    examples integer NOT NULL,
    active boolean NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.learned_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.learned_id_seq OWNED BY public.learned.id;
CREATE TABLE public.learning (
    kind character varying(16) NOT NULL,
    embedder character varying(200) NOT NULL,
    held boolean NOT NULL,
    tried_at timestamp with time zone,
    said text NOT NULL
);
CREATE TABLE public.links (
    id integer NOT NULL,
    site character varying(300) NOT NULL,
    from_url text NOT NULL,
    url text NOT NULL,
    text text NOT NULL,
    context text NOT NULL,
    origin character varying(64) NOT NULL,
    depth integer NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    private boolean DEFAULT false NOT NULL
);
CREATE SEQUENCE public.links_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.links_id_seq OWNED BY public.links.id;
CREATE TABLE public.mentions (
    entity_id integer NOT NULL,
    ord integer NOT NULL,
    page_id integer NOT NULL,
    private boolean DEFAULT false NOT NULL
);
CREATE TABLE public.page_checks (
    id integer NOT NULL,
    page_id integer NOT NULL,
    outcome character varying(16) NOT NULL,
    status integer,
    content_hash character varying(64) NOT NULL,
    reason text NOT NULL,
    times integer NOT NULL,
    first_at timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.page_checks_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.page_checks_id_seq OWNED BY public.page_checks.id;
CREATE TABLE public.page_versions (
    page_id integer NOT NULL,
    number integer NOT NULL,
    title text NOT NULL,
    text text NOT NULL,
    content_hash character varying(64) NOT NULL,
    published timestamp with time zone,
    read_at timestamp with time zone NOT NULL
);
CREATE TABLE public.pages (
    id integer NOT NULL,
    url text NOT NULL,
    host character varying(300) NOT NULL,
    title text NOT NULL,
    text text NOT NULL,
    lang character varying(8) NOT NULL,
    headings json NOT NULL,
    published timestamp with time zone,
    modified timestamp with time zone,
    etag text NOT NULL,
    last_modified text NOT NULL,
    content_hash character varying(64) NOT NULL,
    generation integer NOT NULL,
    state character varying(16) NOT NULL,
    depth integer NOT NULL,
    read_at timestamp with time zone NOT NULL,
    checked_at timestamp with time zone NOT NULL,
    next_due timestamp with time zone NOT NULL,
    interval_s double precision NOT NULL,
    gone_at timestamp with time zone,
    is_hub boolean NOT NULL,
    attempts integer NOT NULL,
    due_at timestamp with time zone NOT NULL,
    lease_by character varying(64),
    lease_until timestamp with time zone,
    error text,
    body_hash character varying(64) DEFAULT ''::character varying NOT NULL,
    canonical_url text DEFAULT ''::text NOT NULL,
    duplicate_of integer,
    band_0 integer,
    band_1 integer,
    band_2 integer,
    band_3 integer,
    blocks json DEFAULT '[]'::json NOT NULL,
    private boolean DEFAULT false NOT NULL,
    shared_at timestamp with time zone,
    places json DEFAULT '[]'::json NOT NULL,
    deleted_at timestamp with time zone,
    indexed_at timestamp with time zone
);
CREATE SEQUENCE public.pages_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.pages_id_seq OWNED BY public.pages.id;
CREATE TABLE public.private_reads (
    question_id character varying(32) NOT NULL,
    url text NOT NULL
);
CREATE TABLE public.questions (
    id character varying(32) NOT NULL,
    text text NOT NULL,
    lang character varying(8) NOT NULL,
    status character varying(16) NOT NULL,
    strategy character varying(32) NOT NULL,
    sites json NOT NULL,
    crawl_enabled boolean NOT NULL,
    max_age_s integer,
    budget json NOT NULL,
    priority integer NOT NULL,
    deadline timestamp with time zone NOT NULL,
    queries json NOT NULL,
    variants json NOT NULL,
    missing json NOT NULL,
    cycle integer NOT NULL,
    waves integer NOT NULL,
    crawl_reason text,
    stop_reason text,
    crawl_started_at timestamp with time zone,
    idempotency_key character varying(255),
    fingerprint character varying(64) NOT NULL,
    callback_url text,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    attempts integer NOT NULL,
    due_at timestamp with time zone NOT NULL,
    lease_by character varying(64),
    lease_until timestamp with time zone,
    error text,
    equal_key character varying(64) DEFAULT ''::character varying NOT NULL,
    reuse boolean DEFAULT true NOT NULL,
    leader_id character varying(32),
    cached_from character varying(32),
    round integer DEFAULT 0 NOT NULL,
    asked_again_at timestamp with time zone,
    langs json DEFAULT '[]'::json NOT NULL,
    overrides json DEFAULT '{}'::json NOT NULL,
    private boolean DEFAULT false NOT NULL,
    thread_id character varying(32),
    asked text,
    answer_schema json,
    owner character varying(80)
);
CREATE TABLE public.site_reads (
    id integer NOT NULL,
    url text NOT NULL,
    prefix text NOT NULL,
    status character varying(16) NOT NULL,
    reason text,
    again boolean NOT NULL,
    source_id integer,
    max_pages integer NOT NULL,
    max_depth integer NOT NULL,
    found integer NOT NULL,
    looked_at integer NOT NULL,
    new integer NOT NULL,
    unchanged integer NOT NULL,
    left_out integer NOT NULL,
    failed integer NOT NULL,
    bytes bigint NOT NULL,
    active_s double precision NOT NULL,
    running_since timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone
);
CREATE SEQUENCE public.site_reads_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.site_reads_id_seq OWNED BY public.site_reads.id;
CREATE TABLE public.sources (
    id integer NOT NULL,
    url text NOT NULL,
    own boolean NOT NULL,
    min_delay_s double precision,
    created_at timestamp with time zone NOT NULL,
    every_s double precision,
    cron character varying(100),
    zone character varying(64) DEFAULT 'UTC'::character varying NOT NULL,
    next_due timestamp with time zone,
    paused boolean DEFAULT false NOT NULL
);
CREATE SEQUENCE public.sources_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.sources_id_seq OWNED BY public.sources.id;
CREATE TABLE public.steps (
    id integer NOT NULL,
    question_id character varying(32) NOT NULL,
    name character varying(32) NOT NULL,
    cycle integer NOT NULL,
    attempt integer NOT NULL,
    outcome character varying(32) NOT NULL,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone NOT NULL,
    detail json NOT NULL
);
CREATE SEQUENCE public.steps_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.steps_id_seq OWNED BY public.steps.id;
CREATE TABLE public.threads (
    id character varying(32) NOT NULL,
    title text NOT NULL,
    folded text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    owner character varying(80)
);
CREATE TABLE public.variant_tallies (
    question_type character varying(16) NOT NULL,
    kind character varying(24) NOT NULL,
    tried integer NOT NULL,
    rewarded integer NOT NULL
);
CREATE TABLE public.variants (
    key character varying(32) NOT NULL,
    question text NOT NULL,
    lang character varying(8) NOT NULL,
    maker text NOT NULL,
    count integer NOT NULL,
    variants json NOT NULL,
    made_at timestamp with time zone NOT NULL
);
CREATE TABLE public.watches (
    question_id character varying(32) NOT NULL,
    callback_url text,
    told_revision integer,
    changed_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.webhooks (
    id integer NOT NULL,
    question_id character varying(32) NOT NULL,
    url text NOT NULL,
    event character varying(32) NOT NULL,
    status character varying(16) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    delivered_at timestamp with time zone,
    attempts integer NOT NULL,
    due_at timestamp with time zone NOT NULL,
    lease_by character varying(64),
    lease_until timestamp with time zone,
    error text
);
CREATE SEQUENCE public.webhooks_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.webhooks_id_seq OWNED BY public.webhooks.id;
ALTER TABLE ONLY public.answers ALTER COLUMN id SET DEFAULT nextval('public.answers_id_seq'::regclass);
ALTER TABLE ONLY public.candidates ALTER COLUMN id SET DEFAULT nextval('public.candidates_id_seq'::regclass);
ALTER TABLE ONLY public.entities ALTER COLUMN id SET DEFAULT nextval('public.entities_id_seq'::regclass);
ALTER TABLE ONLY public.facts ALTER COLUMN id SET DEFAULT nextval('public.facts_id_seq'::regclass);
ALTER TABLE ONLY public.feedback ALTER COLUMN id SET DEFAULT nextval('public.feedback_id_seq'::regclass);
ALTER TABLE ONLY public.files ALTER COLUMN id SET DEFAULT nextval('public.files_id_seq'::regclass);
ALTER TABLE ONLY public.folders ALTER COLUMN id SET DEFAULT nextval('public.folders_id_seq'::regclass);
ALTER TABLE ONLY public.learned ALTER COLUMN id SET DEFAULT nextval('public.learned_id_seq'::regclass);
ALTER TABLE ONLY public.links ALTER COLUMN id SET DEFAULT nextval('public.links_id_seq'::regclass);
ALTER TABLE ONLY public.page_checks ALTER COLUMN id SET DEFAULT nextval('public.page_checks_id_seq'::regclass);
ALTER TABLE ONLY public.pages ALTER COLUMN id SET DEFAULT nextval('public.pages_id_seq'::regclass);
ALTER TABLE ONLY public.site_reads ALTER COLUMN id SET DEFAULT nextval('public.site_reads_id_seq'::regclass);
ALTER TABLE ONLY public.sources ALTER COLUMN id SET DEFAULT nextval('public.sources_id_seq'::regclass);
ALTER TABLE ONLY public.steps ALTER COLUMN id SET DEFAULT nextval('public.steps_id_seq'::regclass);
ALTER TABLE ONLY public.webhooks ALTER COLUMN id SET DEFAULT nextval('public.webhooks_id_seq'::regclass);
INSERT INTO public.alembic_version VALUES ('0020');
INSERT INTO public.answers VALUES (1, 'x', 1, false, 'x', '[]', '[]', '[]', 1, 'x', 'x', '{}', '{}', '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', '[]', '[]');
INSERT INTO public.api_keys VALUES ('x', 'x', 'x', 'x', '[]', '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00');
INSERT INTO public.candidates VALUES (1, 'x', 'https://a.example/b', 'x', 1, 1, 'x', 'x', 1, 'ASKED', 'x', 'x', 1, 1, 1, false, '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', 1, '2026-01-01 00:00:00+00', 'x', '2026-01-01 00:00:00+00', 'x', 1);
INSERT INTO public.collections VALUES ('x', 'x', '[]', '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00');
INSERT INTO public.entities VALUES (1, 'x');
INSERT INTO public.evidence VALUES (1, 1, 'x');
INSERT INTO public.facts VALUES (1, 1, 'x', 'x', 'x', 'x', 1, 1);
INSERT INTO public.feedback VALUES (1, 'x', 1, 'x', 'x', '{}', '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00');
INSERT INTO public.files VALUES (1, 'x', 1, 'x', 1, 1, '\x78', 1, false, '2026-01-01 00:00:00+00');
INSERT INTO public.folders VALUES (1, 'x', 'x', 1, '2026-01-01 00:00:00+00', 'x', '2026-01-01 00:00:00+00', 'x');
INSERT INTO public.hosts VALUES ('x', '\x78', 1, '2026-01-01 00:00:00+00', 1, '2026-01-01 00:00:00+00');
INSERT INTO public.learned VALUES (1, 'x', 1, 'x', '{}', '{}', 1, false, '2026-01-01 00:00:00+00');
INSERT INTO public.learning VALUES ('x', 'x', false, '2026-01-01 00:00:00+00', 'x');
INSERT INTO public.links VALUES (1, 'x', 'https://a.example/b', 'https://a.example/b', 'x', 'x', 'x', 1, '2026-01-01 00:00:00+00', false);
INSERT INTO public.mentions VALUES (1, 1, 1, false);
INSERT INTO public.page_checks VALUES (1, 1, 'x', 1, 'x', 'x', 1, '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00');
INSERT INTO public.page_versions VALUES (1, 1, 'x', 'x', 'x', '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00');
INSERT INTO public.pages VALUES (1, 'https://a.example/b', 'x', 'x', 'x', 'x', '[]', '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', 'x', 'x', 'x', 1, 'INDEXED', 1, '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', 1, '2026-01-01 00:00:00+00', false, 1, '2026-01-01 00:00:00+00', 'x', '2026-01-01 00:00:00+00', 'x', 'x', 'x', 1, 1, 1, 1, 1, '[]', false, '2026-01-01 00:00:00+00', '[]', '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00');
INSERT INTO public.private_reads VALUES ('x', 'https://a.example/b');
INSERT INTO public.questions VALUES ('x', 'x', 'x', 'ASKED', 'x', '[]', false, 1, '{}', 1, '2026-01-01 00:00:00+00', '[]', '[]', '[]', 1, 1, 'x', 'x', '2026-01-01 00:00:00+00', 'x', 'x', 'x', '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', 1, '2026-01-01 00:00:00+00', 'x', '2026-01-01 00:00:00+00', 'x', 'x', false, 'x', 'x', 1, '2026-01-01 00:00:00+00', '[]', '{}', false, 'x', 'x', '[]', 'x');
INSERT INTO public.site_reads VALUES (1, 'https://a.example/b', 'x', 'ASKED', 'x', false, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00');
INSERT INTO public.sources VALUES (1, 'https://a.example/b', false, 1, '2026-01-01 00:00:00+00', 1, 'x', 'x', '2026-01-01 00:00:00+00', false);
INSERT INTO public.steps VALUES (1, 'x', 'x', 1, 1, 'x', '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', '{}');
INSERT INTO public.threads VALUES ('x', 'x', 'x', '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', 'x');
INSERT INTO public.variant_tallies VALUES ('x', 'x', 1, 1);
INSERT INTO public.variants VALUES ('x', 'x', 'x', 'x', 1, '[]', '2026-01-01 00:00:00+00');
INSERT INTO public.watches VALUES ('x', 'x', 1, '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00');
INSERT INTO public.webhooks VALUES (1, 'x', 'https://a.example/b', 'x', 'ASKED', '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', 1, '2026-01-01 00:00:00+00', 'x', '2026-01-01 00:00:00+00', 'x');
SELECT pg_catalog.setval('public.answers_id_seq', 1, false);
SELECT pg_catalog.setval('public.candidates_id_seq', 1, false);
SELECT pg_catalog.setval('public.entities_id_seq', 1, false);
SELECT pg_catalog.setval('public.facts_id_seq', 1, false);
SELECT pg_catalog.setval('public.feedback_id_seq', 1, false);
SELECT pg_catalog.setval('public.files_id_seq', 1, false);
SELECT pg_catalog.setval('public.folders_id_seq', 1, false);
SELECT pg_catalog.setval('public.learned_id_seq', 1, false);
SELECT pg_catalog.setval('public.links_id_seq', 1, false);
SELECT pg_catalog.setval('public.page_checks_id_seq', 1, false);
SELECT pg_catalog.setval('public.pages_id_seq', 1, false);
SELECT pg_catalog.setval('public.site_reads_id_seq', 1, false);
SELECT pg_catalog.setval('public.sources_id_seq', 1, false);
SELECT pg_catalog.setval('public.steps_id_seq', 1, false);
SELECT pg_catalog.setval('public.webhooks_id_seq', 1, false);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.answers
    ADD CONSTRAINT pk_answers PRIMARY KEY (id);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT pk_api_keys PRIMARY KEY (id);
ALTER TABLE ONLY public.candidates
    ADD CONSTRAINT pk_candidates PRIMARY KEY (id);
ALTER TABLE ONLY public.collections
    ADD CONSTRAINT pk_collections PRIMARY KEY (id);
ALTER TABLE ONLY public.entities
    ADD CONSTRAINT pk_entities PRIMARY KEY (id);
ALTER TABLE ONLY public.evidence
    ADD CONSTRAINT pk_evidence PRIMARY KEY (answer_id, page_id);
ALTER TABLE ONLY public.facts
    ADD CONSTRAINT pk_facts PRIMARY KEY (id);
ALTER TABLE ONLY public.feedback
    ADD CONSTRAINT pk_feedback PRIMARY KEY (id);
ALTER TABLE ONLY public.files
    ADD CONSTRAINT pk_files PRIMARY KEY (id);
ALTER TABLE ONLY public.folders
    ADD CONSTRAINT pk_folders PRIMARY KEY (id);
ALTER TABLE ONLY public.hosts
    ADD CONSTRAINT pk_hosts PRIMARY KEY (origin);
ALTER TABLE ONLY public.learned
    ADD CONSTRAINT pk_learned PRIMARY KEY (id);
ALTER TABLE ONLY public.learning
    ADD CONSTRAINT pk_learning PRIMARY KEY (kind, embedder);
ALTER TABLE ONLY public.links
    ADD CONSTRAINT pk_links PRIMARY KEY (id);
ALTER TABLE ONLY public.mentions
    ADD CONSTRAINT pk_mentions PRIMARY KEY (entity_id, ord, page_id);
ALTER TABLE ONLY public.page_checks
    ADD CONSTRAINT pk_page_checks PRIMARY KEY (id);
ALTER TABLE ONLY public.page_versions
    ADD CONSTRAINT pk_page_versions PRIMARY KEY (page_id, number);
ALTER TABLE ONLY public.pages
    ADD CONSTRAINT pk_pages PRIMARY KEY (id);
ALTER TABLE ONLY public.private_reads
    ADD CONSTRAINT pk_private_reads PRIMARY KEY (question_id, url);
ALTER TABLE ONLY public.questions
    ADD CONSTRAINT pk_questions PRIMARY KEY (id);
ALTER TABLE ONLY public.site_reads
    ADD CONSTRAINT pk_site_reads PRIMARY KEY (id);
ALTER TABLE ONLY public.sources
    ADD CONSTRAINT pk_sources PRIMARY KEY (id);
ALTER TABLE ONLY public.steps
    ADD CONSTRAINT pk_steps PRIMARY KEY (id);
ALTER TABLE ONLY public.threads
    ADD CONSTRAINT pk_threads PRIMARY KEY (id);
ALTER TABLE ONLY public.variant_tallies
    ADD CONSTRAINT pk_variant_tallies PRIMARY KEY (question_type, kind);
ALTER TABLE ONLY public.variants
    ADD CONSTRAINT pk_variants PRIMARY KEY (key);
ALTER TABLE ONLY public.watches
    ADD CONSTRAINT pk_watches PRIMARY KEY (question_id);
ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT pk_webhooks PRIMARY KEY (id);
ALTER TABLE ONLY public.answers
    ADD CONSTRAINT uq_answers_question_id UNIQUE (question_id, revision);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT uq_api_keys_hash UNIQUE (hash);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT uq_api_keys_name UNIQUE (name);
ALTER TABLE ONLY public.candidates
    ADD CONSTRAINT uq_candidates_question_id UNIQUE (question_id, url);
ALTER TABLE ONLY public.collections
    ADD CONSTRAINT uq_collections_name UNIQUE (name);
ALTER TABLE ONLY public.entities
    ADD CONSTRAINT uq_entities_name UNIQUE (name);
ALTER TABLE ONLY public.feedback
    ADD CONSTRAINT uq_feedback_question_id UNIQUE (question_id, revision);
ALTER TABLE ONLY public.files
    ADD CONSTRAINT uq_files_address UNIQUE (address);
ALTER TABLE ONLY public.folders
    ADD CONSTRAINT uq_folders_name UNIQUE (name);
ALTER TABLE ONLY public.folders
    ADD CONSTRAINT uq_folders_path UNIQUE (path);
ALTER TABLE ONLY public.learned
    ADD CONSTRAINT uq_learned_kind UNIQUE (kind, number);
ALTER TABLE ONLY public.links
    ADD CONSTRAINT uq_links_from_url UNIQUE (from_url, url);
ALTER TABLE ONLY public.pages
    ADD CONSTRAINT uq_pages_url UNIQUE (url);
ALTER TABLE ONLY public.questions
    ADD CONSTRAINT uq_questions_idempotency_key UNIQUE (idempotency_key);
ALTER TABLE ONLY public.sources
    ADD CONSTRAINT uq_sources_url UNIQUE (url);
CREATE INDEX ix_answers_question_id ON public.answers USING btree (question_id);
CREATE INDEX ix_answers_stale_at ON public.answers USING btree (stale_at);
CREATE INDEX ix_candidates_next ON public.candidates USING btree (site_read_id, status, score);
CREATE UNIQUE INDEX ix_candidates_of_site ON public.candidates USING btree (site_read_id, url);
CREATE INDEX ix_candidates_page_id ON public.candidates USING btree (page_id);
CREATE INDEX ix_candidates_url ON public.candidates USING btree (url);
CREATE INDEX ix_candidates_wave ON public.candidates USING btree (question_id, status);
CREATE INDEX ix_candidates_work ON public.candidates USING btree (status, due_at);
CREATE INDEX ix_evidence_page_id ON public.evidence USING btree (page_id);
CREATE INDEX ix_facts_page_id ON public.facts USING btree (page_id);
CREATE INDEX ix_facts_subject ON public.facts USING btree (subject_folded);
CREATE INDEX ix_feedback_verdict ON public.feedback USING btree (verdict, updated_at);
CREATE INDEX ix_files_folder_id ON public.files USING btree (folder_id);
CREATE INDEX ix_folders_next_due ON public.folders USING btree (next_due);
CREATE INDEX ix_hosts_refresh_at ON public.hosts USING btree (refresh_at);
CREATE INDEX ix_links_site ON public.links USING btree (site);
CREATE INDEX ix_mentions_page ON public.mentions USING btree (page_id, ord);
CREATE INDEX ix_page_checks_page_id ON public.page_checks USING btree (page_id);
CREATE INDEX ix_pages_band_0 ON public.pages USING btree (host, band_0);
CREATE INDEX ix_pages_band_1 ON public.pages USING btree (host, band_1);
CREATE INDEX ix_pages_band_2 ON public.pages USING btree (host, band_2);
CREATE INDEX ix_pages_band_3 ON public.pages USING btree (host, band_3);
CREATE INDEX ix_pages_canonical ON public.pages USING btree (host, canonical_url);
CREATE INDEX ix_pages_due ON public.pages USING btree (host, next_due, id);
CREATE INDEX ix_pages_duplicate_of ON public.pages USING btree (duplicate_of);
CREATE INDEX ix_pages_gone_at ON public.pages USING btree (gone_at);
CREATE INDEX ix_pages_indexed_at ON public.pages USING btree (indexed_at);
CREATE INDEX ix_pages_private ON public.pages USING btree (private);
CREATE INDEX ix_pages_read_at ON public.pages USING btree (read_at);
CREATE INDEX ix_pages_shared_at ON public.pages USING btree (shared_at);
CREATE INDEX ix_pages_twin ON public.pages USING btree (host, content_hash);
CREATE INDEX ix_pages_work ON public.pages USING btree (state, due_at);
CREATE INDEX ix_questions_created_at ON public.questions USING btree (created_at);
CREATE INDEX ix_questions_equal ON public.questions USING btree (equal_key, status);
CREATE INDEX ix_questions_leader_id ON public.questions USING btree (leader_id);
CREATE INDEX ix_questions_owner ON public.questions USING btree (owner);
CREATE INDEX ix_questions_thread ON public.questions USING btree (thread_id, created_at);
CREATE INDEX ix_questions_work ON public.questions USING btree (status, due_at);
CREATE INDEX ix_site_reads_source_id ON public.site_reads USING btree (source_id);
CREATE INDEX ix_site_reads_status ON public.site_reads USING btree (status);
CREATE INDEX ix_steps_question_id ON public.steps USING btree (question_id);
CREATE INDEX ix_threads_owner ON public.threads USING btree (owner);
CREATE INDEX ix_threads_updated_at ON public.threads USING btree (updated_at);
CREATE INDEX ix_variants_made_at ON public.variants USING btree (made_at);
CREATE INDEX ix_webhooks_question ON public.webhooks USING btree (question_id, status);
CREATE INDEX ix_webhooks_question_id ON public.webhooks USING btree (question_id);
CREATE INDEX ix_webhooks_work ON public.webhooks USING btree (status, due_at);
ALTER TABLE ONLY public.answers
    ADD CONSTRAINT fk_answers_question_id FOREIGN KEY (question_id) REFERENCES public.questions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.candidates
    ADD CONSTRAINT fk_candidates_page_id FOREIGN KEY (page_id) REFERENCES public.pages(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.candidates
    ADD CONSTRAINT fk_candidates_question_id FOREIGN KEY (question_id) REFERENCES public.questions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.candidates
    ADD CONSTRAINT fk_candidates_site_read_id FOREIGN KEY (site_read_id) REFERENCES public.site_reads(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.evidence
    ADD CONSTRAINT fk_evidence_answer_id FOREIGN KEY (answer_id) REFERENCES public.answers(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.facts
    ADD CONSTRAINT fk_facts_page_id FOREIGN KEY (page_id) REFERENCES public.pages(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.feedback
    ADD CONSTRAINT fk_feedback_question_id FOREIGN KEY (question_id) REFERENCES public.questions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.files
    ADD CONSTRAINT fk_files_folder_id FOREIGN KEY (folder_id) REFERENCES public.folders(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mentions
    ADD CONSTRAINT fk_mentions_entity_id FOREIGN KEY (entity_id) REFERENCES public.entities(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mentions
    ADD CONSTRAINT fk_mentions_page_id FOREIGN KEY (page_id) REFERENCES public.pages(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.page_checks
    ADD CONSTRAINT fk_page_checks_page_id FOREIGN KEY (page_id) REFERENCES public.pages(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.page_versions
    ADD CONSTRAINT fk_page_versions_page_id FOREIGN KEY (page_id) REFERENCES public.pages(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.private_reads
    ADD CONSTRAINT fk_private_reads_question_id FOREIGN KEY (question_id) REFERENCES public.questions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.site_reads
    ADD CONSTRAINT fk_site_reads_source_id FOREIGN KEY (source_id) REFERENCES public.sources(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.steps
    ADD CONSTRAINT fk_steps_question_id FOREIGN KEY (question_id) REFERENCES public.questions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.watches
    ADD CONSTRAINT fk_watches_question_id FOREIGN KEY (question_id) REFERENCES public.questions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT fk_webhooks_question_id FOREIGN KEY (question_id) REFERENCES public.questions(id) ON DELETE CASCADE;
