// Written by `make docs` from the API's OpenAPI description: do not edit.

/** A key of the API; its secret is shown once, when it is made. */
export interface ApiKey {
  id: string;
  name: string;
  /** ask, operate or admin. */
  role: string;
  /** The collections that it opens; null: all, also those to come. */
  collections: Array<string> | null;
  created_at: string;
  /** From then on it opens nothing; null: never. */
  expires_at: string | null;
  /** What it may use, as far as that is limited. */
  limits: Record<string, number>;
  /** Hosts and networks that its webhooks may go to although they are not public. */
  callback_hosts: Array<string>;
  /** The key itself: only in the answer that makes it. */
  secret: string | null;
}

/** What one question may use; default: the operator's settings. */
export interface BudgetRequest {
  /** Longest time for reading pages, not counting waits for a worker. */
  seconds?: number | null;
  /** Most pages it may read. */
  pages?: number | null;
  /** Most bytes it may fetch. */
  bytes?: number | null;
  /** Most links from the start of the crawl. */
  depth?: number | null;
  /** Most waves of reading, like max_search_cycles. */
  cycles?: number | null;
  /** Most tokens of a language model it may use. */
  tokens?: number | null;
  /** Most US dollars it may spend on a language model. */
  usd?: number | null;
}

/** What came of several questions, in the order in which they were sent. */
export interface Bulk {
  questions: Array<BulkItem>;
  /** Seconds after which to send those again for which there was no room; null: none. */
  retry_after_s?: number | null;
}

/** What came of a change to many questions. */
export interface BulkChange {
  /** Questions that it was done to. */
  done: number;
  /** Questions that it is still to be done to: ask again. With `dry_run`, those that are meant. */
  left: number;
  /** Seconds after which there may be room for the rest; null: at once. */
  retry_after_s?: number | null;
}

/** What came of one of several questions. */
export interface BulkItem {
  /** Its place among those sent; the first is 1. */
  line: number;
  /** As it was given. */
  id: string | null;
  /** Its id here; null: it was not asked. */
  question_id?: string | null;
  status?: Status | null;
  /** false: it was asked before, with this id. */
  is_new?: boolean;
  /** Why it was not asked: type, title, status, detail and what_to_do. */
  problem?: Record<string, unknown> | null;
}

/** Several questions; each is looked at by itself. */
export interface BulkRequest {
  /** Each as POST /api/questions takes it; its `id` may be any text of yours, which is given back. */
  questions: Array<Record<string, unknown>>;
}

/** A question whose asker waits for the answer. */
export interface ChatRequest {
  /** What you want to know: at most 4,000 characters. */
  question: string;
  /** Read and quote only pages below these URLs. */
  sites?: Array<string>;
  /** Answer only from pages in these languages (ISO 639-1). */
  langs?: Array<string>;
  /** Your own id for the question; default: a new one. */
  id?: string | null;
  /** The question that this one follows; what it leaves out is completed from there. */
  after?: string | null;
  /** The thread; `new` starts one; default: that of `after`, or none. */
  thread?: string | "new" | null;
  /** The complete question, at most 4,000 characters; default: it is completed automatically. */
  question_as_understood?: string;
  /** The collection; default: the key's first, or `default`. */
  collection?: string;
  /** Do not read or quote pages below these URLs. */
  exclude_sites?: Array<string>;
  /** Whether `sites` are single pages: nothing below them is read or quoted. */
  only_pages?: boolean;
  /** Quote only pages that state a publication date after this. */
  published_after?: string | null;
  /** Quote only pages that state a publication date before this. */
  published_before?: string | null;
  /** Quote only pages whose text was read before this. */
  read_before?: string | null;
  /** Quote only documents whose metadata fits all of these: `team=support|ops`, `team!=sales`, `year>=2020`. */
  filters?: Array<string>;
  /** Quote only pages of the web, files, or documents. */
  source_kinds?: Array<"web" | "file" | "document">;
  /** Length of the answer: short is one passage, normal as many as the question needs (at most three), long up to six; a report has sections with headings. */
  length?: "short" | "normal" | "long" | "report";
  /** Whether the answer is only sentences of the pages, none in a model's words; default: the operator's setting. */
  verbatim?: boolean | null;
  /** How a model should write the answer, such as its form, tone or terms; it cannot change what counts as a source. */
  instructions?: string;
  /** Language (ISO 639-1) that a model writes in; without a model, of the quoted pages. */
  answer_language?: string | null;
  /** Whether a model may take up to a day to answer, at half the price; default: the operator's setting. */
  batch?: boolean | null;
  /** Confidence from which the outcome is `answered`, from 0 to 1, instead of the strategy's. */
  threshold?: number | null;
  /** Whether the outcome is `unknown` where it would be `unsure`; default: the operator's setting. */
  strict?: boolean | null;
  /** Other wordings in phase 2; 0: none; default: the operator's setting. */
  variants?: 0 | 2 | 3 | 4 | 5 | null;
  /** Hits in phase 1; phase 2 retrieves twice as many; default: chosen from the question. */
  top_k?: number | null;
  /** A JSON Schema for values to extract, each with a citation or null. */
  answer_schema?: Record<string, unknown> | null;
  /** Whether to crawl if too little is known. */
  crawl_enabled?: boolean;
  /** Most waves of reading; 0 reads nothing. */
  max_search_cycles?: number | null;
  /** Ignore evidence that was read longer ago than this many seconds. */
  max_age?: number | null;
  /** How certain the answer must be; default: general. */
  strategy?: "debugging" | "code_review" | "architecture" | "explanation" | "testing" | "devops" | "ml_engineering" | "general" | null;
  /** ISO 639-1; default: detected from the question. */
  lang?: string;
  /** 9 is served first. */
  priority?: number;
  /** Whether to reuse the answer, or join the run, of an equal question. */
  reuse?: boolean;
  /** A Celery task on the same Redis that gets the record when the question ends. */
  reply_to?: ReplyTo | null;
  /** Ask it again when a page that its answer cites changes. */
  watch?: boolean;
  /** What the question may use. */
  budget?: BudgetRequest;
  /** Your own data (at most 4,096 bytes as JSON): in the record, the events and the webhook again. */
  metadata?: Record<string, unknown>;
  /** Seconds to wait for the final answer. */
  wait?: number;
  /** Do not wait: fetch or watch the answer by its id. */
  queued?: boolean;
}

/** One part that must work. */
export interface CheckOut {
  name: string;
  ok: boolean;
  /** False: questions are answered without it, and `ready` stays true. */
  needed?: boolean;
  /** Empty for whoever may not see it. */
  detail: string;
  what_to_do?: string;
}

/** The sentence of a quote that was chosen; what stands beside it belongs to it. */
export interface ChosenSentence {
  start: number;
  end: number;
}

/** A link from the answer to a span of a stored page. */
export interface CitationOut {
  /** The number shown in the answer. */
  marker: number;
  passage_id: string;
  /** GET /api/pages/{page_id} gives the page's text. */
  page_id: number;
  url: string;
  /** The page's title, and the headings above the quote, if any. */
  title: string;
  /** Exactly the stored text from `start` to `end`. */
  quote: string;
  /** Offset in the page's text, in Unicode characters. */
  start: number;
  end: number;
  /** Where in a file: its page, slide or row, such as page 3. */
  place?: string;
  published?: string | null;
  /** As the page itself says. */
  modified?: string | null;
  /** When the page was last seen to say so. */
  read_at?: string | null;
}

/** A citation in one line. */
export interface CitedLine {
  n: number;
  url: string;
  title: string;
  quote: string;
}

/** A collection as its users see it. */
export interface Collection {
  /** Names its database and its folder; a name may be used again, an id is not. */
  id: string;
  name: string;
  /** null for the one that is always there. */
  created_at: string | null;
  /** Sites that are never read or quoted in it, beside WELLREAD_EXCLUDE_SITES. */
  exclude_sites: Array<string>;
  /** Its share of the workers beside other collections. */
  weight: number;
}

/** What is to be changed of a collection. */
export interface CollectionChanges {
  /** Its share of the workers beside other collections; at first 1. */
  weight: number;
}

/** A collection to add. */
export interface CollectionRequest {
  /** Letters a–z, digits, - and _, at most 60; upper case becomes lower case. */
  name: string;
  /** Sites never to read or quote in it. */
  exclude_sites?: Array<string>;
}

/** A conversation whose last message is the question. */
export interface CompletionRequest {
  /** `wellread`, or `wellread-known`, which reads nothing new; `wellread@NAME` asks a collection. */
  model: string;
  /** The last is the question; earlier ones say what it is about. */
  messages: Array<Message>;
  /** Whether the answer comes as server-sent events. */
  stream?: boolean | null;
  stream_options?: StreamOptions | null;
  /** There is one answer. */
  n?: 1 | null;
  /** Taken; none is ever called. */
  tools?: Array<Record<string, unknown>> | null;
  /** `auto` or `none`. */
  tool_choice?: unknown;
  /** `text`, or `json_schema`: the text is JSON then. */
  response_format?: Record<string, unknown> | null;
  /** `["text"]`. */
  modalities?: Array<string> | null;
  /** There are none. */
  logprobs?: boolean | null;
  /** The fields of POST /api/chat, but for `question` and `queued`; and `list_sources`: whether the text ends with a list of its sources. */
  wellread?: Record<string, unknown>;
}

/** What a model's API was asked for. */
export interface CostOut {
  /** The model; if several were asked, their names with commas. */
  model: string;
  input_tokens: number;
  output_tokens: number;
  usd: number;
  /** Whether calls are left out of `usd` because their price is not known. */
  unpriced: boolean;
  /** The sum of each model, in the order in which they were asked. */
  by_model: Array<ModelCostOut>;
}

/** An answer that an operator wrote, for questions that mean the same as one of its own. */
export interface CuratedAnswer {
  /** Your own. */
  id: string;
  /** The questions that it answers, in several wordings. */
  questions: Array<string>;
  /** Its text; links are written out, other Markdown is left out. */
  answer: string;
  /** Whose answer it is: shown with it. */
  author: string;
  /** When it was written: shown with it. */
  written: string;
  /** URLs that are given with it. */
  sources: Array<string>;
  /** When it is deleted; null: never. */
  expires_at: string | null;
  /** Other questions find passages of it once it is `indexed`. */
  state: "waiting" | "indexed" | "failed";
  /** GET /api/pages/{page_id} gives its text. */
  page_id: number;
  changed_at: string;
}

/** An answer of an operator's own. */
export interface CuratedRequest {
  /** The collection; default: the key's first, or `default`. */
  collection?: string;
  /** The questions that it answers: the same in the wordings in which it is asked. */
  questions: Array<string>;
  /** Its text, in Markdown. */
  answer: string;
  /** Whose answer it is: shown with it. */
  author: string;
  /** When it was written; default: now. */
  written?: string | null;
  /** URLs that are given with it. */
  sources?: Array<string>;
  /** When it is deleted; default: never. */
  expires_at?: string | null;
}

/** What the questions of one day cost on language models. */
export interface DaySpent {
  /** On which they were asked, in UTC. */
  day: string;
  usd: number;
  tokens: number;
}

/** A question that was given up because a step failed too often. */
export interface DeadQuestion {
  id: string;
  question: string;
  error: string;
  failed_at: string;
}

/** A webhook, and what came of it. */
export interface Delivery {
  id: number;
  event: string;
  /** The question that it is about; null: none. */
  question_id: string | null;
  /** The receiver, without the query of its address. */
  url: string;
  /** WAITING, DELIVERED or FAILED. */
  status: string;
  attempts: number;
  /** HTTP status of the receiver's last response. */
  response_status: number | null;
  /** The first 500 bytes of it. */
  response: string | null;
  /** How long the last try took. */
  seconds: number | null;
  /** Why the last try failed. */
  error: string | null;
  created_at: string;
  tried_at: string | null;
  delivered_at: string | null;
  next_try_at: string | null;
}

/** A text to rank. */
export interface Document {
  text: string;
}

/** What came of several documents, in the order in which they were sent. */
export interface DocumentBulk {
  documents: Array<DocumentItem>;
}

/** Several documents; each is looked at by itself. */
export interface DocumentBulkRequest {
  /** The collection; default: the key's first, or `default`. */
  collection?: string;
  /** Each with its `id` and what PUT /api/documents/{document_id} takes as JSON. */
  documents: Array<Record<string, unknown>>;
}

/** What came of deleting documents by filters. */
export interface DocumentChange {
  /** Documents that are deleted. */
  done: number;
  /** Those still to be deleted: ask again. With `dry_run`, those that are meant. */
  left: number;
}

/** What came of one of several documents. */
export interface DocumentItem {
  /** Its place among those sent; the first is 1. */
  line: number;
  /** As it was given. */
  id: string | null;
  state?: "waiting" | "indexed" | "failed" | null;
  /** false: the same was there before. */
  is_changed?: boolean;
  /** Why it was not taken: type, title, status, detail and what_to_do. */
  problem?: Record<string, unknown> | null;
}

/** Which documents are to be deleted. */
export interface DocumentsMeant {
  /** The collection; default: the key's first, or `default`. */
  collection?: string;
  /** At least one. */
  filters?: Array<string>;
  /** Whether only to count them. */
  dry_run?: boolean;
}

/** Texts to embed. A `user` and the like are taken and have no effect. */
export interface EmbeddingsRequest {
  /** `wellread-embed`. */
  model: string;
  /** A text, or up to 256; no tokens. */
  input: string | Array<string>;
  /** base64: of the numbers in 32 bits, little-endian. */
  encoding_format?: "float" | "base64";
  /** That of the model; it has no other. */
  dimensions?: number | null;
}

/** An error, as OpenAI writes it. */
export interface ErrorAnswer {
  error: ErrorDetail;
}

/** What happened. */
export interface ErrorDetail {
  /** What happened, to what, and how to go on. */
  message: string;
  /** The kind of error, as OpenAI names it. */
  type: string;
  /** Always null. */
  param: string | null;
  /** A short name of the error: stable, for programs. */
  code: string;
}

/** A page to extract: one of the web, or HTML that you have; its URL then resolves its links. */
export interface ExtractRequest {
  url?: string | null;
  html?: string | null;
  /** Whether it becomes a page of the knowledge base; only with a URL. */
  keep?: boolean;
  /** The collection; default: the key's first, or `default`. */
  collection?: string;
}

/** What is content of a page. */
export interface ExtractedPage {
  /** Canonical, after redirects. */
  url: string | null;
  title: string;
  /** ISO 639-1, `und` if it is not known. */
  lang: string;
  published: string | null;
  modified: string | null;
  /** Headings, lists, tables and code keep their form; links are in `links`. */
  markdown: string;
  /** Length of its text without marks of Markdown. */
  characters: number;
  /** Of the whole page, its navigation too. */
  links: Array<PageLink>;
  /** What of it could not be read, such as `pages 501 to 700`. */
  missing: Array<string>;
  /** What is unusual about how it was read. */
  notice: string;
  /** If it is kept: GET /api/reads/{read_id} says when answers use it. */
  read_id: number | null;
}

/** What a reader said of one revision of an answer. */
export interface FeedbackOut {
  verdict: "right" | "wrong" | "citation_wrong";
  comment: string;
  revision: number;
  updated_at: string;
}

/** What a reader says of an answer. */
export interface FeedbackRequest {
  verdict: "right" | "wrong" | "citation_wrong";
  comment?: string;
  /** Of the record; left out: the latest. */
  revision?: number | null;
}

/** The few words of a sentence that say just what was asked. */
export interface FocusOut {
  start: number;
  end: number;
  confidence: number;
}

/** A folder of a Git repository or an S3 bucket to watch; for one that is watched already, its settings anew. */
export interface FolderRequest {
  /** Of the repository (https://…), or s3://BUCKET/PREFIX. */
  url: string;
  /** The collection; default: the key's first, or `default`. */
  collection?: string;
  /** Its files have addresses below files://NAME/. */
  name?: string;
  /** Check it this often: 90s, 6h, 1d12h. */
  every?: string;
  /** What URLs in citations begin with; the file's path follows. Empty: the repository's page or s3://…. */
  link?: string;
  /** Git: branch or tag; empty: the repository's own choice. */
  ref?: string;
  /** Git: folder in the repository; empty: all of it. */
  path?: string;
  /** S3: such as eu-west-1; empty: us-east-1. */
  region?: string;
  /** S3: URL of the service; empty: that of AWS. */
  endpoint?: string;
  /** User, or access key id. None of the three is shown again. */
  user?: string;
  /** Password or token, or secret access key. */
  password?: string;
  /** S3: session token. */
  token?: string;
}

/** A watched folder as its users see it: not where it is on this machine. */
export interface FolderState {
  /** Files in it have addresses below files://NAME/. */
  name: string;
  /** Seconds between two looks at it. */
  every_s: number;
  next_due: string;
  /** Why it could not be looked through, and what to do. */
  problem: string | null;
  /** When it was last looked through. */
  checked_at: string | null;
  /** The repository with #REF:PATH, or the bucket with #REGION:ENDPOINT; null for a disk's. */
  url: string | null;
}

/** A passage that a search found. */
export interface FoundPassage {
  /** 1 is best. */
  rank: number;
  /** What the passages are ordered by, within this search; scores of two searches do not compare. */
  score: number;
  /** 1 − cosine distance to the query; null if it was not compared. */
  similarity: number | null;
  passage_id: string;
  /** GET /api/pages/{page_id} gives the page's text. */
  page_id: number;
  url: string;
  title: string;
  lang: string;
  text: string;
  /** Offset in the page's text, in Unicode characters. */
  start: number;
  end: number;
  /** The kinds of its parts, if known. */
  kinds?: Array<"prose" | "heading" | "list" | "table" | "rows" | "definition" | "code">;
  published?: string | null;
  read_at?: string | null;
}

/** A passage the answer was made from. */
export interface HitOut {
  /** Among the hits; 1 is best. */
  rank: number;
  /** Before reranking; 0: it was not reranked. */
  original_rank?: number;
  /** The order of this answer's hits: higher is better; it is not a probability, and scores of two questions do not compare. */
  score: number;
  /** The reranker's, from 0 to 1; null if nothing was reranked. */
  rerank_score?: number | null;
  /** 1 − cosine distance to the query; null if it was not compared. */
  similarity?: number | null;
  passage_id: string;
  page_id: number;
  url: string;
  title: string;
  text: string;
}

/** The questions that ended, and the pages that were read, within one hour. */
export interface Hour {
  /** Its beginning. */
  at: string;
  answered: number;
  unsure: number;
  unknown: number;
  /** Failed, or out of time. */
  failed: number;
  /** Seconds from asking to the end; null if none ended. */
  median_s: number | null;
  /** Those of the slowest twentieth: the 95th percentile. */
  slowest_s: number | null;
  /** New texts of pages. */
  pages: number;
}

/** What came of a file that was taken over into a collection. */
export interface Imported {
  sources: number;
  /** Sources of their operator's own, not taken as such. */
  own_left: Array<string>;
  /** Pages that were not known. */
  new: number;
  /** Pages that were known with an earlier text. */
  newer: number;
  /** Pages that were known as they are, or with a later text. */
  known: number;
  /** Those that were not known. */
  questions: number;
  questions_known: number;
  /** Folders that are watched. */
  folders: number;
  /** Folders that are not watched, some with the reason. */
  folders_left: Array<string>;
  /** Sites left out of the collection before, but not here. */
  sites_left: Array<string>;
}

/** What is to be changed of a key; what is left out stays, and null takes it back. */
export interface KeyChanges {
  /** Its share of the workers beside other keys; default: 1. */
  weight?: number | null;
  /** Most requests a minute. */
  requests_per_minute?: number | null;
  /** Most open questions at a time in each collection. */
  open_questions?: number | null;
  /** Most new questions a day. */
  questions_per_day?: number | null;
  /** Most new questions a month. */
  questions_per_month?: number | null;
  /** Most pages read a day; then its questions are answered without a crawl. */
  pages_per_day?: number | null;
  /** Most pages read a month; likewise. */
  pages_per_month?: number | null;
  /** Most tokens of a model a day; then its questions are answered without one. */
  tokens_per_day?: number | null;
  /** Most tokens of a model a month; likewise. */
  tokens_per_month?: number | null;
  /** Most US dollars for a model a day; likewise. */
  usd_per_day?: number | null;
  /** Most US dollars for a model a month; likewise. */
  usd_per_month?: number | null;
  /** Hosts and networks (CIDR), for one port or all, that its webhooks may go to although they are not public. */
  callback_hosts?: Array<string> | null;
}

/** What an API key may use, in UTC days and calendar months; null: as much as everyone. */
export interface KeyLimits {
  /** Its share of the workers beside other keys; default: 1. */
  weight?: number | null;
  /** Most requests a minute. */
  requests_per_minute?: number | null;
  /** Most open questions at a time in each collection. */
  open_questions?: number | null;
  /** Most new questions a day. */
  questions_per_day?: number | null;
  /** Most new questions a month. */
  questions_per_month?: number | null;
  /** Most pages read a day; then its questions are answered without a crawl. */
  pages_per_day?: number | null;
  /** Most pages read a month; likewise. */
  pages_per_month?: number | null;
  /** Most tokens of a model a day; then its questions are answered without one. */
  tokens_per_day?: number | null;
  /** Most tokens of a model a month; likewise. */
  tokens_per_month?: number | null;
  /** Most US dollars for a model a day; likewise. */
  usd_per_day?: number | null;
  /** Most US dollars for a model a month; likewise. */
  usd_per_month?: number | null;
}

/** An API key to make. */
export interface KeyRequest {
  /** Letters a–z, digits, dots, - and _, at most 60. */
  name: string;
  /** ask: its own questions; operate: all questions and sources; admin: everything. */
  role?: "ask" | "operate" | "admin";
  /** The collections that it opens; default: all. */
  collections?: Array<string> | null;
  /** When it expires; default: never. */
  expires_at?: string | null;
  /** What it may use; default: as much as everyone. */
  limits?: KeyLimits;
  /** Hosts and networks (CIDR), for one port or all, that its webhooks may go to although they are not public. */
  callback_hosts?: Array<string>;
}

/** What a key has used today and this month (UTC), and what it may. */
export interface KeyUsage {
  /** Its name; `setting` for one of WELLREAD_API_KEYS. */
  key: string;
  day: Used;
  month: Used;
  limits: Record<string, number>;
}

/** How readers' feedback corrects the judge's confidence in some answers. */
export interface LearnedOut {
  embedder: string;
  /** Of the questions, ISO 639-1. */
  lang: string;
  /** The shipped calibration that is corrected, by how the hits were read. */
  calibration: string;
  /** Added to the log odds; 0: nothing is. */
  intercept: number;
  /** What the log odds are multiplied by; 1: they stay. */
  slope: number;
  /** That it is in use, or why there is no correction. */
  said: string;
  /** How many answers were called right. */
  right: number;
  /** How many were called wrong. */
  wrong: number;
  /** How many of both were not fitted to, and show whether the correction helps. */
  held_out: number;
  /** Log loss on those by the shipped judge. */
  loss_before: number | null;
  /** And by the fitted one. */
  loss_after: number | null;
  /** When it was reset: feedback before no longer counts. */
  since: string | null;
  learned_at: string;
}

/** One message of a conversation. Names, refusals and the like are taken and not used. */
export interface Message {
  role: string;
  content?: unknown;
  tool_calls?: unknown;
}

/** What Anthropic's Messages API takes. */
export interface MessagesRequest {
  /** As in chat completions. */
  model: string;
  /** Whether the answer comes as server-sent events. */
  stream?: boolean | null;
  /** Taken; none is ever called. */
  tools?: Array<Record<string, unknown>> | null;
  /** As in chat completions. */
  wellread?: Record<string, unknown>;
  /** The last is the question; earlier ones say what it is about. */
  messages: Array<Record<string, unknown>>;
  /** Taken; an answer is as long as it is. */
  max_tokens: number;
  /** Only the documents in it are read. */
  system?: string | Array<Record<string, unknown>> | null;
  /** Its `type`: `auto` or `none`. */
  tool_choice?: Record<string, unknown> | null;
  /** Its `format`: `json_schema`. */
  output_config?: Record<string, unknown> | null;
}

/** What one model was asked for. */
export interface ModelCostOut {
  model: string;
  input_tokens: number;
  output_tokens: number;
  usd: number;
  /** Whether its price is not known. */
  unpriced: boolean;
}

/** A passage that is near the question and no part of the answer. */
export interface NearPassage {
  passage_id: string;
  /** GET /api/pages/{page_id} gives the page's text. */
  page_id: number;
  url: string;
  /** The page's title, and the headings above the passage, if any. */
  title: string;
  /** Its beginning: at most 300 characters. */
  text: string;
}

/** What was new at one run. */
export interface News {
  id: number;
  /** Whether it is the state at the first run. */
  first: boolean;
  title: string;
  /** The answer, or the digest, with its [n] markers; without a model the quotes. */
  text: string;
  citations: Array<CitedLine>;
  /** New pages of a subject's sites. */
  added: Array<PageNamed>;
  /** Pages of them with another text. */
  changed: Array<PageNamed>;
  /** Pages that are gone. */
  removed: Array<PageNamed>;
  /** The question that was asked for it. */
  question_id: string | null;
  created_at: string;
}

/** A question to ask next, made of a heading or a definition of a page that was near. */
export interface NextQuestionOut {
  question: string;
  /** The page that says something on it. */
  page_id: number;
}

/** What works, what waits, what failed, and what it cost. */
export interface Operations {
  /** null while Redis does not answer. */
  queues: Array<WorkQueue> | null;
  /** Given up because a step failed too often, latest first. */
  dead: Array<DeadQuestion>;
  /** The last 24, oldest first. */
  hours: Array<Hour>;
  /** The days of the last 30 on which anything was spent, oldest first. */
  spent: Array<DaySpent>;
  /** Pages that are due for another look, counted up to ten thousand. */
  due: number;
  /** Callers that could not be told that their question ended. */
  failed_callbacks: number;
}

/** What was found when a page was looked at, once or many times in a row. */
export interface PageCheckOut {
  /** new, changed, unchanged, gone, failed or another outcome. */
  outcome: string;
  /** HTTP status of the answer; 304 if the server said so itself. */
  status: number | null;
  /** Of the text it had from then on. */
  content_hash: string;
  reason: string;
  /** How often in a row. */
  times: number;
  first_at: string;
  last_at: string;
}

/** A link on a page. */
export interface PageLink {
  url: string;
  text: string;
}

/** A page. */
export interface PageNamed {
  url: string;
  title: string;
}

/** A stored page, or the part of it that was asked for. */
export interface PageOut {
  id: number;
  url: string;
  title: string;
  lang: string;
  /** The text from `start`, as long as asked for. */
  text: string;
  /** Where this text begins, in Unicode characters. */
  start: number;
  /** Length of the whole text. */
  characters: number;
  published: string | null;
  read_at: string;
  content_hash: string;
  /** Counts the texts this page has had. */
  generation: number;
  is_gone: boolean;
  /** What of it could not be read, such as `pages 501 to 700`. */
  missing: Array<string>;
  /** The paid service that fetched this text; empty: Wellread did. */
  fetched_by: string;
  /** When it was last looked at. */
  checked_at: string;
  /** When it will be looked at again. */
  next_due: string;
  /** When it was last read, if later looks did not read it: `history` says why. */
  stale_since: string | null;
  /** What was found when it was looked at, the latest first. */
  history: Array<PageCheckOut>;
}

/** A page chosen for this question and what came of it. */
export interface PageSeenOut {
  url: string;
  title: string;
  /** read, known, unchanged, empty, wall, gone, forbidden, blocked, failed or skipped; null while it waits. */
  outcome: string | null;
  reason: string | null;
  wave: number;
}

/** A page in a list, or a URL that brought none. */
export interface PageSummary {
  /** null if nothing was stored. */
  id: number | null;
  url: string;
  kind: "web" | "file" | "document";
  /** held, stale, waiting, gone, duplicate, links or failed; without a page, the outcome: forbidden, blocked, empty, wall, skipped … */
  state: string;
  /** Why answers cannot be drawn from it; of a stale page, why it was not read again. */
  reason: string | null;
  title: string;
  lang: string;
  /** Length of its text. */
  characters: number;
  published: string | null;
  /** When it got its present text. */
  read_at: string | null;
  /** When it was last looked at. */
  checked_at: string | null;
  /** When it will be looked at again. */
  next_due: string | null;
  /** Whether it serves only the questions that had it read. */
  private: boolean;
  /** When it was last read, if later looks did not read it: answers use that text. */
  stale_since?: string | null;
}

/** A text that a page has, or had. */
export interface PageVersion {
  /** Counts the texts that the page has had. */
  number: number;
  title: string;
  /** Length of the text. */
  characters: number;
  content_hash: string;
  published: string | null;
  read_at: string;
}

/** A lookup as the trace has it and as it is now, and how the hits differ; details are those of the trace. */
export interface PassReplayed {
  step: string;
  before: Record<string, unknown>;
  now: Record<string, unknown>;
  gained: Array<Record<string, unknown>>;
  lost: Array<Record<string, unknown>>;
  moved: Array<Record<string, unknown>>;
}

/** An error, as RFC 9457 writes it. */
export interface Problem {
  /** A short name of the kind of error: stable, for programs. */
  type: string;
  /** The kind of error in words. */
  title: string;
  /** The HTTP status. */
  status: number;
  /** What happened, to what. */
  detail: string;
  /** How to go on. */
  what_to_do: string;
}

/** A document that a program pushed. */
export interface PushedDocument {
  /** Your own. */
  id: string;
  /** As citations name it: its own, or files://pushed/ID. */
  url: string;
  title: string;
  lang: string;
  published: string | null;
  modified: string | null;
  metadata: Record<string, unknown>;
  /** Answers can be drawn from it once it is `indexed`. */
  state: "waiting" | "indexed" | "failed";
  /** Why it failed. */
  reason: string | null;
  /** GET /api/pages/{page_id} gives its text. */
  page_id: number;
  /** What of it could not be read. */
  missing: Array<string>;
  added_at: string;
  /** When something else than before was pushed. */
  changed_at: string;
}

/** Which questions are to be changed: at least one condition. */
export interface QuestionChange {
  /** The collection; default: the key's first, or `default`. */
  collection?: string;
  /** Only those with these ids. */
  id?: Array<string>;
  /** Only those with one of these statuses. */
  status?: Array<Status>;
  /** Only those with one of these outcomes. */
  outcome?: Array<"answered" | "unsure" | "unknown">;
  /** Only those that ended without an answer: unknown, failed or out of time. */
  unanswered?: boolean;
  /** Only those whose final answer has at least this confidence. */
  min_confidence?: number | null;
  /** Only those whose final answer has at most this confidence. */
  max_confidence?: number | null;
  /** Only those with these words in the question, in this order. */
  text?: string;
  /** Only those of a thread. */
  thread?: string | null;
  /** Only those asked with the API key of this name. */
  key?: string;
  /** Only those whose metadata has this value: `name=value`. */
  metadata?: Array<string>;
  /** Only those asked at this time or later. */
  asked_after?: string | null;
  /** Only those asked before this time. */
  asked_before?: string | null;
  /** Only those that ended before this time. */
  ended_before?: string | null;
  /** Whether only to count them. */
  dry_run?: boolean;
}

/** A question whose asker does not wait. */
export interface QuestionRequest {
  /** What you want to know: at most 4,000 characters. */
  question: string;
  /** Read and quote only pages below these URLs. */
  sites?: Array<string>;
  /** Answer only from pages in these languages (ISO 639-1). */
  langs?: Array<string>;
  /** Your own id for the question; default: a new one. */
  id?: string | null;
  /** The question that this one follows; what it leaves out is completed from there. */
  after?: string | null;
  /** The thread; `new` starts one; default: that of `after`, or none. */
  thread?: string | "new" | null;
  /** The complete question, at most 4,000 characters; default: it is completed automatically. */
  question_as_understood?: string;
  /** The collection; default: the key's first, or `default`. */
  collection?: string;
  /** Do not read or quote pages below these URLs. */
  exclude_sites?: Array<string>;
  /** Whether `sites` are single pages: nothing below them is read or quoted. */
  only_pages?: boolean;
  /** Quote only pages that state a publication date after this. */
  published_after?: string | null;
  /** Quote only pages that state a publication date before this. */
  published_before?: string | null;
  /** Quote only pages whose text was read before this. */
  read_before?: string | null;
  /** Quote only documents whose metadata fits all of these: `team=support|ops`, `team!=sales`, `year>=2020`. */
  filters?: Array<string>;
  /** Quote only pages of the web, files, or documents. */
  source_kinds?: Array<"web" | "file" | "document">;
  /** Length of the answer: short is one passage, normal as many as the question needs (at most three), long up to six; a report has sections with headings. */
  length?: "short" | "normal" | "long" | "report";
  /** Whether the answer is only sentences of the pages, none in a model's words; default: the operator's setting. */
  verbatim?: boolean | null;
  /** How a model should write the answer, such as its form, tone or terms; it cannot change what counts as a source. */
  instructions?: string;
  /** Language (ISO 639-1) that a model writes in; without a model, of the quoted pages. */
  answer_language?: string | null;
  /** Whether a model may take up to a day to answer, at half the price; default: the operator's setting. */
  batch?: boolean | null;
  /** Confidence from which the outcome is `answered`, from 0 to 1, instead of the strategy's. */
  threshold?: number | null;
  /** Whether the outcome is `unknown` where it would be `unsure`; default: the operator's setting. */
  strict?: boolean | null;
  /** Other wordings in phase 2; 0: none; default: the operator's setting. */
  variants?: 0 | 2 | 3 | 4 | 5 | null;
  /** Hits in phase 1; phase 2 retrieves twice as many; default: chosen from the question. */
  top_k?: number | null;
  /** A JSON Schema for values to extract, each with a citation or null. */
  answer_schema?: Record<string, unknown> | null;
  /** Whether to crawl if too little is known. */
  crawl_enabled?: boolean;
  /** Most waves of reading; 0 reads nothing. */
  max_search_cycles?: number | null;
  /** Ignore evidence that was read longer ago than this many seconds. */
  max_age?: number | null;
  /** How certain the answer must be; default: general. */
  strategy?: "debugging" | "code_review" | "architecture" | "explanation" | "testing" | "devops" | "ml_engineering" | "general" | null;
  /** ISO 639-1; default: detected from the question. */
  lang?: string;
  /** 9 is served first. */
  priority?: number;
  /** Whether to reuse the answer, or join the run, of an equal question. */
  reuse?: boolean;
  /** A Celery task on the same Redis that gets the record when the question ends. */
  reply_to?: ReplyTo | null;
  /** Ask it again when a page that its answer cites changes. */
  watch?: boolean;
  /** What the question may use. */
  budget?: BudgetRequest;
  /** Your own data (at most 4,096 bytes as JSON): in the record, the events and the webhook again. */
  metadata?: Record<string, unknown>;
  /** Receives a signed POST when the question ends. */
  callback_url?: string | null;
  /** The events that `callback_url` receives; default: all. */
  callback_events?: Array<"question.answered" | "question.abstained" | "question.failed" | "question.cancelled" | "question.timed_out" | "question.changed">;
  /** Seconds until it ends with the best answer so far; default: 900, or with `batch` 86400. */
  deadline?: number | null;
}

/** A question in a list. */
export interface QuestionSummary {
  id: string;
  question: string;
  /** What was looked up, where it was completed. */
  question_as_understood: string | null;
  /** The id of its thread. */
  thread: string | null;
  status: Status;
  /** What it came to, as in its record. */
  outcome: "answered" | "unsure" | "unknown" | null;
  /** Of its final answer; null without one. */
  confidence: number | null;
  /** What its asker gave it. */
  metadata: Record<string, unknown>;
  created_at: string;
  finished_at: string | null;
}

/** A page to read now. */
export interface ReadRequest {
  url: string;
  /** The collection; default: the key's first, or `default`. */
  collection?: string;
}

/** Whether questions can be answered. */
export interface Readiness {
  /** Whether all is ok that is needed. */
  ready: boolean;
  checks: Array<CheckOut>;
}

/** A page that was asked to be read, and how far that has come. */
export interface ReadingOut {
  id: number;
  url: string;
  /** null while it waits. */
  outcome: string | null;
  reason: string | null;
  page_id: number | null;
  title: string | null;
  /** Whether answers can be drawn from it. */
  in_knowledge_base: boolean;
}

/** A question as its asker sees it. */
export interface RecordOut {
  id: string;
  /** In its asker's words. */
  question: string;
  /** The completed question, if it was completed from its thread. */
  question_as_understood?: string | null;
  /** The id of the thread that it belongs to. */
  thread?: string | null;
  /** What its asker gave it as `metadata`. */
  metadata?: Record<string, unknown>;
  /** Whether it lacks what it is about: `answer` asks for that. */
  asks_back?: boolean;
  status: Status;
  /** What it came to: `answered`, `unsure` (perhaps right: status ANSWERED too) or `unknown` (ABSTAINED); null until then, and if it failed, was cancelled or ran out of time. */
  outcome?: "answered" | "unsure" | "unknown" | null;
  /** The phase that works on it; null at the end. */
  current_step: string | null;
  /** The phase that ended it; null until then. */
  final_step: string | null;
  /** Whether the answer may still change. */
  provisional: boolean;
  /** The answer in Markdown with its [n] markers, or an honest “not known”. */
  answer: string | null;
  /** Only what was asked; null if that is uncertain, as of an unsure answer. Of a model's answer only its yes or no. */
  short_answer?: string | null;
  /** Of the answer, from 0 to 1. */
  confidence: number;
  sentences: Array<SentenceOut>;
  citations: Array<CitationOut>;
  /** The passages the answer was made from. */
  context: Array<HitOut>;
  /** If the outcome is unsure or unknown: the nearest passages, at most three; not an answer. */
  nearest?: Array<NearPassage>;
  /** The final answer in the form of `answer_schema`, if one was given. */
  structured?: StructuredAnswerOut | null;
  /** What to ask next: the nearest pages say something on it. */
  related?: Array<NextQuestionOut>;
  /** “extractive”, the model's name, or “operator”: it is an operator's own. */
  composer: string | null;
  /** What must be known of how the answer was made. */
  notice: string;
  verdict: VerdictOut | null;
  /** Whether phase 2 looked again in other words. */
  retry_attempted: boolean;
  /** Those other words. */
  paraphrased_queries: Array<string>;
  /** Whether phase 3 began, even if it read no page (`live_urls`). */
  online_search_triggered: boolean;
  /** Why phase 3 began. */
  crawl_reason: string | null;
  /** Why the reading ended. */
  stop_reason: string | null;
  rag_hits_count: number;
  sql_hits_count: number;
  graph_hits_count: number;
  /** The pages read for this question. */
  live_urls: Array<string>;
  pages: Array<PageSeenOut>;
  search_cycles_completed: number;
  max_search_cycles: number;
  /** The first thing the question names. */
  entity: string | null;
  timings: Array<TimingOut>;
  /** From asking to the end, or to now. */
  seconds: number;
  cost: CostOut;
  /** What went wrong, for a question that failed. */
  error: string | null;
  /** Counts the answers given; 0 before the first. */
  revision: number;
  /** The equal question in flight whose run this one shares. */
  shared_with?: string | null;
  /** The equal question whose answer was given again. */
  cached_from?: string | null;
  /** Whether a page that the answer cites has changed or vanished. */
  stale?: boolean;
  /** When that was found. */
  stale_at?: string | null;
  /** Whether it is asked again when that happens. */
  watched?: boolean;
  /** When its watcher was last told of another answer. */
  changed_at?: string | null;
  /** How often it was asked again. */
  round?: number;
  /** What a reader said of this revision. */
  feedback?: FeedbackOut | null;
  created_at: string;
  updated_at: string;
  finished_at: string | null;
}

/** A question that what is known may answer too. */
export interface RelatedQuestion {
  question: string;
  /** Of the question that was asked so before; null: it was not asked yet. */
  id: string | null;
}

/** A task of the asker's own service, which gets the record when the question ends. */
export interface ReplyTo {
  /** Its queue, which the operator allows. */
  queue: string;
  /** Its name; the record is its only argument. */
  task: string;
}

/** Documents to order by how well they answer a query. */
export interface RerankRequest {
  /** `wellread-rerank`. */
  model: string;
  /** A question, or words. */
  query: string;
  /** Texts, or objects with a `text`. */
  documents: Array<string | Document>;
  /** Most results; default: all documents. */
  top_n?: number | null;
  /** Whether each result has its document's text. */
  return_documents?: boolean;
}

/** What OpenAI's Responses API takes. */
export interface ResponsesRequest {
  /** As in chat completions. */
  model: string;
  /** Whether the answer comes as server-sent events. */
  stream?: boolean | null;
  /** Taken; none is ever called. */
  tools?: Array<Record<string, unknown>> | null;
  /** As in chat completions. */
  wellread?: Record<string, unknown>;
  /** The question, or messages, of which the last is it. */
  input: string | Array<Record<string, unknown>>;
  /** Only the documents in it are read. */
  instructions?: string | null;
  /** Its `format`: `text` or `json_schema`. */
  text?: Record<string, unknown> | null;
  /** `auto` or `none`. */
  tool_choice?: unknown;
  /** Not accepted: send the messages before. */
  previous_response_id?: string | null;
  /** Not accepted: send the messages before. */
  conversation?: unknown;
  /** Not accepted. */
  background?: boolean | null;
}

/** When a source is looked at: every so often, or by a cron line. */
export interface ScheduleOut {
  every_s: number | null;
  cron: string;
  zone: string;
}

/** Words to find passages for. */
export interface SearchRequest {
  /** What to look for: at most 4,000 characters. */
  query: string;
  /** The collection; default: the key's first, or `default`. */
  collection?: string;
  /** Only pages below these URLs. */
  sites?: Array<string>;
  /** No pages below these URLs. */
  exclude_sites?: Array<string>;
  /** Only pages in these languages (ISO 639-1). */
  langs?: Array<string>;
  /** Only passages with a part of one of these kinds. */
  kinds?: Array<"prose" | "heading" | "list" | "table" | "rows" | "definition" | "code">;
  /** Only pages that state a publication date after this. */
  published_after?: string | null;
  /** Only pages read, or seen unchanged, after this. */
  read_after?: string | null;
  /** Only pages whose text was read before this. */
  read_before?: string | null;
  /** Only pages that state a publication date before this. */
  published_before?: string | null;
  /** Only documents whose metadata fits all of these, as in `team=support|ops`, `team!=sales`, `year>=2020`. */
  filters?: Array<string>;
  /** Only pages of the web, files, or documents. */
  source_kinds?: Array<"web" | "file" | "document">;
  /** Most passages to return. */
  limit?: number;
  /** The query's language; default: detected from its words. */
  lang?: string;
}

/** A sentence of the answer, or another of its blocks. */
export interface SentenceOut {
  text: string;
  /** The citations that support it. */
  markers: Array<number>;
  /** Whether it is a list's item, a step, a table's row (cells are parted by `|`), code or a heading; empty in prose. */
  block?: "" | "item" | "step" | "row" | "code" | "heading";
  /** Whose words it is in: `quoted`, its source's, since a model wrote what that does not say; `unconfirmed`, a model's, which its source does not say; `missing` says, without a citation, what the pages lack. */
  origin?: "written" | "quoted" | "unconfirmed" | "missing";
  /** The part that says exactly what was asked. */
  focus?: FocusOut | null;
  /** The part that is the answering sentence; null if it is all of it. */
  chosen?: ChosenSentence | null;
}

/** How far the reading of a whole site has come; the counts are of pages. */
export interface SiteReadOut {
  id: number;
  url: string;
  /** What the URLs of its pages begin with. */
  prefix: string;
  status: SiteReadStatus;
  /** Why it ended. */
  reason: string | null;
  /** Whether pages that were read before are looked at too. */
  again: boolean;
  /** The source whose schedule asked for it. */
  source_id: number | null;
  max_pages: number;
  max_depth: number;
  found: number;
  looked_at: number;
  /** With a text that was not known. */
  new: number;
  unchanged: number;
  /** Forbidden by the site, gone, or without text. */
  left_out: number;
  failed: number;
  bytes: number;
  /** Pages that wait to be embedded; only in the response for one site read. */
  embedding: number;
  /** Seconds of work, without pauses. */
  active_s: number;
  pages_per_s: number;
  /** About how many seconds are left until all is read and embedded; null while that cannot be told. */
  left_s: number | null;
  created_at: string;
  finished_at: string | null;
}

/** A whole site to read. */
export interface SiteReadRequest {
  url: string;
  /** The collection; default: the key's first, or `default`. */
  collection?: string;
  /** Most pages to look at. */
  max_pages?: number;
  /** Most links from the start. */
  max_depth?: number;
}

/** Whether a site is being read. */
export type SiteReadStatus = "RUNNING" | "PAUSED" | "DONE" | "CANCELLED";

/** How a source of your own is reached. Its secrets go to that site only, and nothing shows them again. */
export interface SourceAccess {
  /** Headers of every request to it. */
  headers?: Record<string, string>;
  /** User of basic authentication. */
  user?: string | null;
  /** Password of basic authentication. */
  password?: string | null;
  /** Cookies, by name. */
  cookies?: Record<string, string>;
  /** Client certificate (PEM), perhaps with its key. */
  certificate?: string | null;
  /** Key of the client certificate (PEM), without a password. */
  key?: string | null;
  /** Certificates (PEM) of the CAs that are trusted for it beside the usual. */
  ca?: string | null;
  /** Proxy to reach it by, such as http://USER:PASSWORD@proxy.example:3128. */
  proxy?: string | null;
}

/** What is to be changed of a source; what is left out stays. `every` and `cron` null end its schedule. */
export interface SourceChanges {
  /** Seconds between two requests to it; null: the server's setting. */
  min_delay_s?: number | null;
  /** Whether to pause it; its schedule is kept. */
  paused?: boolean;
  /** Patterns of the paths that are read of it (`*`: any characters); empty: all. */
  include?: Array<string>;
  /** Patterns of the paths that are not read of it. */
  exclude?: Array<string>;
  /** CSS selectors of what counts as content of its pages, as it stands; empty: found by itself. */
  select?: Array<string>;
  /** CSS selectors of what does not count as content of its pages. */
  drop?: Array<string>;
  /** Most links from its front page that are followed; null: no limit. */
  depth?: number | null;
  /** Whether it is read whatever robots.txt and noindex say. Only for your own. */
  ignore_robots?: boolean;
  /** Receives a signed POST for each page that is new, changed or removed; it is not shown again. */
  callback_url?: string | null;
  /** Whether nothing but the page with this URL is read. */
  page_only?: boolean;
  /** Check it this often: 90m, 6h, 1d12h. */
  every?: string | null;
  /** Check it at these times: a cron line, such as "0 3 * * *". */
  cron?: string | null;
  /** Time zone of the cron line, such as Europe/Berlin; null: as it is. */
  zone?: string | null;
  /** How a source of your own is reached; what is left out stays, null takes it all back. It is not shown again. */
  access?: SourceAccess | null;
}

/** A site that may be read for any question. */
export interface SourceOut {
  id: number;
  url: string;
  own: boolean;
  min_delay_s: number | null;
  /** Patterns of the paths that are read of it (`*`: any characters); empty: all. */
  include: Array<string>;
  /** Patterns of the paths that are not read of it. */
  exclude: Array<string>;
  /** CSS selectors of what counts as content of its pages, as it stands; empty: found by itself. */
  select: Array<string>;
  /** CSS selectors of what does not count as content of its pages. */
  drop: Array<string>;
  /** Most links from its front page that are followed; null: no limit. */
  depth: number | null;
  /** Whether nothing but the page with this URL is read. */
  page_only: boolean;
  /** Whether it is read whatever robots.txt and noindex say. Only for your own. */
  ignore_robots: boolean;
  /** What is set of how it is reached (headers, proxy …), without its values. */
  access: Array<string>;
  /** Where its URL redirects: that is read and searched with it. */
  moved_to: string | null;
  /** null: each page by its own interval. */
  schedule: ScheduleOut | null;
  /** Whether nothing of it is read by itself for now. */
  paused: boolean;
  /** When it is looked at again by its schedule. */
  next_due: string | null;
}

/** A site to read for any question; for one that is a source already, its changes. */
export interface SourceRequest {
  /** Seconds between two requests to it; null: the server's setting. */
  min_delay_s?: number | null;
  /** Whether to pause it; its schedule is kept. */
  paused?: boolean;
  /** Patterns of the paths that are read of it (`*`: any characters); empty: all. */
  include?: Array<string>;
  /** Patterns of the paths that are not read of it. */
  exclude?: Array<string>;
  /** CSS selectors of what counts as content of its pages, as it stands; empty: found by itself. */
  select?: Array<string>;
  /** CSS selectors of what does not count as content of its pages. */
  drop?: Array<string>;
  /** Most links from its front page that are followed; null: no limit. */
  depth?: number | null;
  /** Whether it is read whatever robots.txt and noindex say. Only for your own. */
  ignore_robots?: boolean;
  /** Receives a signed POST for each page that is new, changed or removed; it is not shown again. */
  callback_url?: string | null;
  /** Whether nothing but the page with this URL is read. */
  page_only?: boolean;
  /** Check it this often: 90m, 6h, 1d12h. */
  every?: string | null;
  /** Check it at these times: a cron line, such as "0 3 * * *". */
  cron?: string | null;
  /** Time zone of the cron line, such as Europe/Berlin; null: as it is. */
  zone?: string | null;
  /** How a source of your own is reached; what is left out stays, null takes it all back. It is not shown again. */
  access?: SourceAccess | null;
  url: string;
  /** The collection; default: the key's first, or `default`. */
  collection?: string;
  /** The site is yours: its address may be private. Needs the role admin. */
  own?: boolean;
}

/** How much is kept and how much waits. */
export interface StatsOut {
  /** Pages that are held. */
  pages: number;
  sources: number;
  /** By status. */
  questions: Record<string, number>;
  /** Calls that stand in each queue; null while Redis is away, and for a key bound to collections. */
  queues: Record<string, number> | null;
  /** The search engines that are asked where too little is known. */
  engines: Array<string>;
}

/** Where a question stands; each open status names exactly one next task, FOLLOWING none: another moves it. */
export type Status = "ASKED" | "RETRYING" | "SEEKING" | "READING" | "EMBEDDING" | "REQUERYING" | "WRITING" | "FOLLOWING" | "ANSWERED" | "ABSTAINED" | "CANCELLED" | "TIMED_OUT" | "FAILED";

/** One finished step with everything that was kept of it. */
export interface StepOut {
  /** Another's, where a run was shared. */
  question_id: string;
  name: string;
  cycle: number;
  attempt: number;
  outcome: string;
  started_at: string;
  finished_at: string;
  seconds: number;
  /** Queries, hits with their scores, verdict, seconds, cost; of a page: url. Of an `error`, a key with the role ask sees only the kind. */
  detail: Record<string, unknown>;
}

/** A file that was added, and what came of reading it. */
export interface StoredFile {
  id: number;
  /** files://FOLDER/path: the URL of its page, as citations name it. */
  address: string;
  bytes: number;
  /** null while it waits to be read; `read in part` if something is missing; else as of a page. */
  outcome: string | null;
  /** Why it could not be read. */
  reason: string | null;
  /** GET /api/pages/{page_id} gives its text. */
  page_id: number | null;
  title: string | null;
  /** Whether answers can be drawn from it. */
  in_knowledge_base: boolean;
  /** What of it could not be read, such as `2 charts`. */
  missing: Array<string>;
  added_at: string;
  /** When it was last read. */
  read_at: string | null;
}

/** What a stream holds beside the text. */
export interface StreamOptions {
  /** Whether a last chunk counts the tokens. */
  include_usage?: boolean;
}

/** An answer in the asker's form. */
export interface StructuredAnswerOut {
  /** In the form of `answer_schema`; null if not found. */
  value: Record<string, unknown> | Array<Record<string, unknown>>;
  fields: Array<StructuredFieldOut>;
}

/** A value of an answer in the asker's form. */
export interface StructuredFieldOut {
  /** Its JSON pointer in `value`. */
  path: string;
  value: string | number | boolean | Array<string | number> | null;
  /** From 0 to 1. */
  confidence?: number;
  /** Its citation; null for a null value. */
  citation?: CitationOut | null;
  /** Why it is null; empty for a value. */
  reason?: string;
}

/** A question or subject that is looked up on a schedule; its subscriber is told what is new. */
export interface Subscription {
  id: string;
  /** It is asked again; null: it is a subject. */
  question: string | null;
  /** New passages on it are looked for; null: it is a question. */
  subject: string | null;
  /** Those of a question that were given. */
  options: Record<string, unknown>;
  schedule: ScheduleOut;
  paused: boolean;
  callback_url: string | null;
  email: string | null;
  /** Opens its feeds: /api/subscriptions/ID/feed.atom?token=… */
  feed_token: string;
  next_due: string | null;
  last_run_at: string | null;
  /** The question that is being looked up for it; null: none. */
  question_id: string | null;
  /** Why the last run came to nothing; null: it did not fail. */
  error: string | null;
  created_at: string;
}

/** What is to be changed of a subscription; what is left out stays. */
export interface SubscriptionChanges {
  /** Look it up this often, at least 5m: 90m, 6h, 1d12h. */
  every?: string | null;
  /** Look it up at these times: a cron line, such as "0 7 * * 1-5". */
  cron?: string | null;
  /** Time zone of the cron line, such as Europe/Berlin; default: UTC. */
  zone?: string | null;
  /** Receives a signed POST `subscription.news`. */
  callback_url?: string | null;
  /** Receives an e-mail (WELLREAD_SMTP_URL). Needs the role operate. */
  email?: string | null;
  /** Whether it is not looked up for now. */
  paused?: boolean;
}

/** A question that is asked again, or a subject on which new passages are looked for, on a schedule. */
export interface SubscriptionRequest {
  /** Look it up this often, at least 5m: 90m, 6h, 1d12h. */
  every?: string | null;
  /** Look it up at these times: a cron line, such as "0 7 * * 1-5". */
  cron?: string | null;
  /** Time zone of the cron line, such as Europe/Berlin; default: UTC. */
  zone?: string | null;
  /** Receives a signed POST `subscription.news`. */
  callback_url?: string | null;
  /** Receives an e-mail (WELLREAD_SMTP_URL). Needs the role operate. */
  email?: string | null;
  /** Whether it is not looked up for now. */
  paused?: boolean;
  /** The question: at most 4,000 characters. */
  question?: string;
  /** Instead of a question: words for what is looked for. */
  subject?: string;
  /** The collection; default: the key's first, or `default`. */
  collection?: string;
  /** Options of the question, as POST /api/questions takes them, such as sites, langs or length. */
  options?: Record<string, unknown>;
}

/** Questions that are asked one after the other, each understood from those before it. */
export interface ThreadOut {
  id: string;
  /** Its first question, until it is renamed. */
  title: string;
  /** How many were asked in it. */
  questions: number;
  created_at: string;
  /** When it was last asked in. */
  updated_at: string;
}

/** A question of a thread; GET /api/questions/{id} gives its record. */
export interface ThreadQuestionOut {
  id: string;
  question: string;
  /** The completed question, if it was completed from its thread. */
  question_as_understood: string | null;
  status: Status;
  created_at: string;
  finished_at: string | null;
}

/** A thread's settings. */
export interface ThreadRequest {
  /** What it is called. */
  title: string;
}

/** A thread with its latest questions. */
export interface ThreadWithQuestionsOut {
  id: string;
  /** Its first question, until it is renamed. */
  title: string;
  /** How many were asked in it. */
  questions: number;
  created_at: string;
  /** When it was last asked in. */
  updated_at: string;
  /** The latest, in the order in which they were asked. */
  turns: Array<ThreadQuestionOut>;
}

/** How long one step took. */
export interface TimingOut {
  step: string;
  cycle: number;
  attempt: number;
  outcome: string;
  seconds: number;
  started_at: string;
}

/** The lookups of a question, then and now, and its answer. */
export interface TraceReplayed {
  question: string;
  passes: Array<PassReplayed>;
  answer_before: string | null;
  composer_before: string | null;
  outcome_before: string | null;
  answer_now: string | null;
  outcome_now: string;
}

/** What was used in a time. */
export interface Used {
  /** New questions. */
  questions?: number;
  /** Pages read for them. */
  pages?: number;
  /** Tokens of language models. */
  tokens?: number;
  /** US dollars for them, as far as prices are known. */
  usd?: number;
}

/** Whether the hits sufficed. */
export interface VerdictOut {
  sufficient: boolean;
  /** Calibrated probability that the hits answer the question. */
  confidence: number;
  reason: string;
  /** Words of the question that the hits do not cover. */
  missing: Array<string>;
  /** A name or year of the question that no hit mentions: no sure answer is given. */
  not_mentioned?: string;
  judge: string;
  /** The confidence before readers' feedback corrected it; null: it did not. */
  shipped_confidence?: number | null;
}

/** A question that is asked again when its evidence changes. */
export interface WatchOut {
  question_id: string;
  question: string;
  status: Status;
  callback_url: string | null;
  created_at: string;
  /** When its watcher was last told of another answer. */
  changed_at: string | null;
}

/** A question to ask again when its evidence changes. */
export interface WatchRequest {
  /** Receives a signed POST for each change; default: the question's own. */
  callback_url?: string | null;
}

/** The state of one delivery. */
export type WebhookStatus = "WAITING" | "DELIVERED" | "FAILED";

/** A receiver to try. */
export interface WebhookTest {
  url: string;
  /** The collection; default: the key's first, or `default`. */
  collection?: string;
}

/** What came of a test of a receiver. */
export interface WebhookTried {
  /** Whether it answered with a status below 300. */
  delivered: boolean;
  /** Whether the request had a signature: WELLREAD_WEBHOOK_SECRET is set. */
  signed: boolean;
  response_status: number | null;
  /** The first 500 bytes. */
  response: string | null;
  seconds: number;
  /** Why it failed; null: it did not. */
  error: string | null;
}

/** A queue with the numbers of its workers and waiting messages. */
export interface WorkQueue {
  name: string;
  workers: number;
  waiting: number;
}

/** What each route takes in its path, query and body, and the JSON that it answers with. */
export interface Routes {
  /** Ask and wait up to `wait` seconds. 200: the final answer. 202: still worked on, `answer` may be provisional. */
  "POST /api/chat": { query?: { collection?: string }; body: ChatRequest; answer: RecordOut };
  /** Ask as with OpenAI's API: the last message is the question; citations are in `annotations` and `citations`. */
  "POST /v1/chat/completions": { query?: { collection?: string }; body: CompletionRequest; answer: unknown };
  /** Ask as with OpenAI's Responses API; no response is stored under an id. */
  "POST /v1/responses": { query?: { collection?: string }; body: ResponsesRequest; answer: unknown };
  /** Ask as with Anthropic's Messages API; citations are those of web search results. */
  "POST /v1/messages": { query?: { collection?: string }; body: MessagesRequest; answer: unknown };
  /** The models: `wellread` and `wellread-known`, which reads nothing new, of each collection; and the local ones. */
  "GET /v1/models": { query?: { collection?: string }; answer: Record<string, unknown> };
  /** One of the models. */
  "GET /v1/models/{name}": { path: { name: string }; query?: { collection?: string }; answer: Record<string, unknown> };
  /** Embed texts as with OpenAI's API, by the embedder that the knowledge base uses; nothing is stored. */
  "POST /v1/embeddings": { body: EmbeddingsRequest; answer: Record<string, unknown> };
  /** Order documents by how well they answer a query, best first, as Cohere's, Jina's and vLLM's rerankers do. */
  "POST /v1/rerank": { body: RerankRequest; answer: Record<string, unknown> };
  /** Ask up to 1,000 questions; each that cannot be asked is reported, and the others are asked. */
  "POST /api/questions/bulk": { query?: { collection?: string }; body: BulkRequest; answer: Bulk };
  /** The questions that the filters mean, newest first; a key with the role ask sees its own. */
  "GET /api/questions": { query?: { collection?: string; id?: Array<string>; status?: Array<Status>; outcome?: Array<"answered" | "unsure" | "unknown">; unanswered?: boolean; min_confidence?: number | null; max_confidence?: number | null; text?: string; thread?: string | null; key?: string; metadata?: Array<string>; asked_after?: string | null; asked_before?: string | null; ended_before?: string | null; limit?: number; after?: string }; answer: Array<QuestionSummary> };
  /** Ask; the answer is polled, watched or sent to the callback. 202 and its Location, or 200 for a repeat. */
  "POST /api/questions": { query?: { collection?: string }; body: QuestionRequest; answer: RecordOut };
  /** The questions that the filters mean with their answers, newest first, as JSON Lines or CSV. */
  "GET /api/questions/export": { query?: { collection?: string; id?: Array<string>; status?: Array<Status>; outcome?: Array<"answered" | "unsure" | "unknown">; unanswered?: boolean; min_confidence?: number | null; max_confidence?: number | null; text?: string; thread?: string | null; key?: string; metadata?: Array<string>; asked_after?: string | null; asked_before?: string | null; ended_before?: string | null; format?: "jsonl" | "csv" }; answer: string };
  /** Stop the open questions that the filters mean; ask again while some are left. */
  "POST /api/questions/cancel": { query?: { collection?: string }; body: QuestionChange; answer: BulkChange };
  /** Run those again that failed, ran out of time or were cancelled; ask again while some are left. */
  "POST /api/questions/replay": { query?: { collection?: string }; body: QuestionChange; answer: BulkChange };
  /** Delete the questions that the filters mean, with their answers and traces; ask again while some are left. */
  "POST /api/questions/delete": { query?: { collection?: string }; body: QuestionChange; answer: BulkChange };
  /** A question's record: its answer so far, its citations, what was read. */
  "GET /api/questions/{question_id}": { path: { question_id: string }; query?: { collection?: string }; answer: RecordOut };
  /** Delete a question with its answers, trace, feedback and stream; what was read for it stays read. */
  "DELETE /api/questions/{question_id}": { path: { question_id: string }; query?: { collection?: string }; answer: void };
  /** A question's answer as a document: each quote with its page's name, address and dates. */
  "GET /api/questions/{question_id}/export": { path: { question_id: string }; query?: { format?: "md" | "html"; collection?: string }; answer: string };
  /** Stop a question; one that has ended stays as it is, and what was read stays read. */
  "POST /api/questions/{question_id}/cancel": { path: { question_id: string }; query?: { collection?: string }; answer: RecordOut };
  /** Run a question again that failed, timed out or was cancelled; any other stays as it is. */
  "POST /api/questions/{question_id}/replay": { path: { question_id: string }; query?: { collection?: string }; answer: RecordOut };
  /** Every finished step with its queries, hits and verdict, and every page that was read. */
  "GET /api/questions/{question_id}/trace": { path: { question_id: string }; query?: { collection?: string }; answer: Array<StepOut> };
  /** Run the question's lookup again on what is known now, and say what differs; nothing is stored, no model asked. */
  "POST /api/questions/{question_id}/trace/replay": { path: { question_id: string }; query?: { collection?: string }; answer: TraceReplayed };
  /** Related questions: asked before about the cited pages, and on sections around the quotes. */
  "GET /api/questions/{question_id}/related": { path: { question_id: string }; query?: { collection?: string }; answer: Array<RelatedQuestion> };
  /** Progress as server-sent events: first the state, then what happens, last `final` with the whole record. */
  "GET /api/questions/{question_id}/events": { path: { question_id: string }; query?: { collection?: string }; answer: string };
  /** The threads, most recently used first; a key with the role ask sees its own. */
  "GET /api/threads": { query?: { q?: string; limit?: number; before?: string | null; collection?: string }; answer: Array<ThreadOut> };
  /** A thread with its latest questions. */
  "GET /api/threads/{thread_id}": { path: { thread_id: string }; query?: { limit?: number; before?: string; collection?: string }; answer: ThreadWithQuestionsOut };
  /** Give a thread another title. */
  "PATCH /api/threads/{thread_id}": { path: { thread_id: string }; query?: { collection?: string }; body: ThreadRequest; answer: ThreadOut };
  /** Delete a thread with its questions, their answers and traces; what was read for them stays read. */
  "DELETE /api/threads/{thread_id}": { path: { thread_id: string }; query?: { collection?: string }; answer: void };
  /** A thread as one document: its questions in their order, each with its answer and its quotes. */
  "GET /api/threads/{thread_id}/export": { path: { thread_id: string }; query?: { format?: "md" | "html"; collection?: string }; answer: string };
  /** The standing questions, oldest first; a key with the role ask sees its own. */
  "GET /api/watches": { query?: { collection?: string }; answer: Array<WatchOut> };
  /** Ask it again whenever a page that its answer cites changes; the watcher gets each new answer once. */
  "POST /api/questions/{question_id}/watch": { path: { question_id: string }; query?: { collection?: string }; body: WatchRequest | null; answer: WatchOut };
  /** Stop asking it again; its answer stays. */
  "DELETE /api/questions/{question_id}/watch": { path: { question_id: string }; query?: { collection?: string }; answer: void };
  /** The new answers of a standing question as server-sent events, each `changed` with the whole record. */
  "GET /api/questions/{question_id}/changes": { path: { question_id: string }; query?: { collection?: string }; answer: string };
  /** Say whether an answer is right; the last word on a revision counts. */
  "POST /api/questions/{question_id}/feedback": { path: { question_id: string }; query?: { collection?: string }; body: FeedbackRequest; answer: FeedbackOut };
  /** The subscriptions, oldest first; a key with the role ask sees its own. */
  "GET /api/subscriptions": { query?: { collection?: string }; answer: Array<Subscription> };
  /** Subscribe to a question or subject; it is looked up at once, and then by its schedule. `email`: role operate. */
  "POST /api/subscriptions": { query?: { collection?: string }; body: SubscriptionRequest; answer: Subscription };
  /** A subscription. */
  "GET /api/subscriptions/{subscription_id}": { path: { subscription_id: string }; query?: { collection?: string }; answer: Subscription };
  /** Change the schedule or the receivers, or pause it; null takes a receiver back, and what is left out stays. */
  "PATCH /api/subscriptions/{subscription_id}": { path: { subscription_id: string }; query?: { collection?: string }; body: SubscriptionChanges; answer: Subscription };
  /** Delete a subscription with its news. */
  "DELETE /api/subscriptions/{subscription_id}": { path: { subscription_id: string }; query?: { collection?: string }; answer: void };
  /** Look it up now, also if it is paused. */
  "POST /api/subscriptions/{subscription_id}/run": { path: { subscription_id: string }; query?: { collection?: string }; answer: Subscription };
  /** What was new, the latest first, at most 50 times. */
  "GET /api/subscriptions/{subscription_id}/news": { path: { subscription_id: string }; query?: { collection?: string }; answer: Array<News> };
  /** What was new as an Atom feed; it needs the token and no key. */
  "GET /api/subscriptions/{subscription_id}/feed.atom": { path: { subscription_id: string }; query?: { token?: string; collection?: string }; answer: void };
  /** What was new as a JSON Feed 1.1; it needs the token and no key. */
  "GET /api/subscriptions/{subscription_id}/feed.json": { path: { subscription_id: string }; query?: { token?: string; collection?: string }; answer: Record<string, unknown> };
  /** The webhooks, newest first, each with the receiver's last response; a key with the role ask sees its own. */
  "GET /api/webhooks": { query?: { collection?: string; status?: WebhookStatus | null; question?: string | null; before?: number | null; limit?: number }; answer: Array<Delivery> };
  /** Send a signed `webhook.test` to an address now; return what came back. */
  "POST /api/webhooks/test": { query?: { collection?: string }; body: WebhookTest; answer: WebhookTried };
  /** Send a webhook again, up to five times, also one that was delivered; its `webhook-id` stays the same. */
  "POST /api/webhooks/{webhook_id}/replay": { path: { webhook_id: number }; query?: { collection?: string }; answer: Delivery };
  /** All sources, oldest first. */
  "GET /api/sources": { query?: { collection?: string }; answer: Array<SourceOut> };
  /** Add a source, or change its settings. `own` (a private address), `access` and `ignore_robots`: role admin. */
  "POST /api/sources": { query?: { collection?: string }; body: SourceRequest; answer: SourceOut };
  /** Change a source's settings or schedule, or pause it. `access` and `ignore_robots` need the role admin. */
  "PATCH /api/sources/{source_id}": { path: { source_id: number }; query?: { collection?: string }; body: SourceChanges; answer: SourceOut };
  /** Remove a source; its pages stay, unless they are to be deleted too. */
  "DELETE /api/sources/{source_id}": { path: { source_id: number }; query?: { pages?: boolean; collection?: string }; answer: void };
  /** Read a whole site, or the part below a path. A read in progress goes on. */
  "POST /api/site-reads": { query?: { collection?: string }; body: SiteReadRequest; answer: SiteReadOut };
  /** The last 50 site reads, newest first. */
  "GET /api/site-reads": { query?: { collection?: string }; answer: Array<SiteReadOut> };
  /** The progress of a site read. */
  "GET /api/site-reads/{site_read_id}": { path: { site_read_id: number }; query?: { collection?: string }; answer: SiteReadOut };
  /** Pause it. */
  "POST /api/site-reads/{site_read_id}/pause": { path: { site_read_id: number }; query?: { collection?: string }; answer: SiteReadOut };
  /** Resume it. */
  "POST /api/site-reads/{site_read_id}/resume": { path: { site_read_id: number }; query?: { collection?: string }; answer: SiteReadOut };
  /** Cancel it; what was read stays. */
  "POST /api/site-reads/{site_read_id}/cancel": { path: { site_read_id: number }; query?: { collection?: string }; answer: SiteReadOut };
  /** A stored page's text, whole or in part; offsets count Unicode characters, as a citation's do. */
  "GET /api/pages/{page_id}": { path: { page_id: number }; query?: { question_id?: string; start?: number; end?: number | null; version?: number | null; collection?: string }; answer: PageOut };
  /** Delete a page or file with everything derived: passages, facts, answers drawn from it, traces, streams. */
  "DELETE /api/pages/{page_id}": { path: { page_id: number }; query?: { collection?: string }; answer: void };
  /** The stored texts of a page, the current one first; `?version=` of the page returns one. */
  "GET /api/pages/{page_id}/versions": { path: { page_id: number }; query?: { question_id?: string; collection?: string }; answer: Array<PageVersion> };
  /** The stored page with this URL, whole; without `url`, for operators, the pages by address, in parts. */
  "GET /api/pages": { query?: { collection?: string; url?: string | null; question_id?: string; version?: number | null; site?: string; source?: number | null; since?: string | null; kind?: "web" | "file" | "document" | null; not_read?: boolean; stale?: boolean; text?: string; after?: string; limit?: number }; answer: PageOut | Array<PageSummary> };
  /** Read one page into the knowledge base. */
  "POST /api/reads": { query?: { collection?: string }; body: ReadRequest; answer: ReadingOut };
  /** Extract a page at once as Markdown, with its dates and links; `keep` makes it a page of the knowledge base. */
  "POST /api/extract": { query?: { collection?: string }; body: ExtractRequest; answer: ExtractedPage };
  /** The progress of reading a page. */
  "GET /api/reads/{read_id}": { path: { read_id: number }; query?: { collection?: string }; answer: ReadingOut };
  /** Add a file to the knowledge base: PDF, DOCX, PPTX, XLSX, OpenDocument, EPUB, HTML, Markdown, reStructuredText, AsciiDoc, Org and LaTeX, plain text, CSV, JSON, Jupyter notebook, mail and saved pages. */
  "POST /api/files": { query?: { collection?: string }; body: FormData; answer: StoredFile };
  /** The files that were added or found in a watched folder, by address. */
  "GET /api/files": { query?: { folder?: string; failed?: boolean; after?: string; address?: string; limit?: number; collection?: string }; answer: Array<StoredFile> };
  /** Delete a file with everything derived; one in a watched folder is not read again. */
  "DELETE /api/files/{file_id}": { path: { file_id: number }; query?: { collection?: string }; answer: void };
  /** A file, and the progress of reading it. */
  "GET /api/files/{file_id}": { path: { file_id: number }; query?: { collection?: string }; answer: StoredFile };
  /** Push up to 500 documents, each with its `id`; each that cannot be taken is reported, and the others are taken. */
  "POST /api/documents/bulk": { query?: { collection?: string }; body: DocumentBulkRequest; answer: DocumentBulk };
  /** Delete the documents that fit all filters, with everything derived from them; ask again while some are left. */
  "POST /api/documents/delete": { query?: { collection?: string }; body: DocumentsMeant; answer: DocumentChange };
  /** The documents that fit all filters, by id; the header `Link` (rel="next") leads to those that follow, if any. */
  "GET /api/documents": { query?: { collection?: string; filter?: Array<string>; state?: "waiting" | "indexed" | "failed" | null; after?: string; limit?: number }; answer: Array<PushedDocument> };
  /** Push a document: JSON with one of `text`, `markdown` and `html`, or a form with a `file`. */
  "PUT /api/documents/{document_id}": { path: { document_id: string }; query?: { collection?: string }; body: { collection?: string; url?: string; title?: string; lang?: string; published?: string | null; modified?: string | null; metadata?: Record<string, string | number | boolean | Array<string>>; text?: string | null; markdown?: string | null; html?: string | null }; answer: PushedDocument };
  /** A document, and whether answers can be drawn from it yet. */
  "GET /api/documents/{document_id}": { path: { document_id: string }; query?: { collection?: string }; answer: PushedDocument };
  /** Delete a document with everything derived from it. */
  "DELETE /api/documents/{document_id}": { path: { document_id: string }; query?: { collection?: string }; answer: void };
  /** The answers that operators wrote, by id. */
  "GET /api/curated": { query?: { after?: string; limit?: number; collection?: string }; answer: Array<CuratedAnswer> };
  /** An answer that an operator wrote. */
  "GET /api/curated/{curated_id}": { path: { curated_id: string }; query?: { collection?: string }; answer: CuratedAnswer };
  /** Save an answer that you wrote; what is there under this id is replaced. */
  "PUT /api/curated/{curated_id}": { path: { curated_id: string }; query?: { collection?: string }; body: CuratedRequest; answer: CuratedAnswer };
  /** Delete an answer: 204 when its passages are gone, 202 while a worker still has to remove them. */
  "DELETE /api/curated/{curated_id}": { path: { curated_id: string }; query?: { collection?: string }; answer: void };
  /** The best passages, as phase 1 of a question finds them; no answer, no crawl. */
  "POST /api/search": { query?: { collection?: string }; body: SearchRequest; answer: Array<FoundPassage> };
  /** The contents of a collection, counts of the key's questions, and the queues. */
  "GET /api/stats": { query?: { collection?: string }; answer: StatsOut };
  /** This process answers. */
  "GET /healthz": { answer: Record<string, string> };
  /** Every part that must work; 503 if questions need one that does not. */
  "GET /readyz": { answer: Readiness };
  /** Metrics of all collections for Prometheus: what waits, outcomes and costs of the last hour. */
  "GET /metrics": { answer: string };
  /** Workers, queues and failures; the last day's questions by the hour, and costs. */
  "GET /api/operations": { query?: { collection?: string }; answer: Operations };
  /** How feedback corrects the judge's confidence, or why it does not, by embedder, language and calibration. */
  "GET /api/learned": { query?: { collection?: string }; answer: Array<LearnedOut> };
  /** Fit the corrections now to all feedback; they are used immediately. */
  "POST /api/learned": { query?: { collection?: string }; answer: Array<LearnedOut> };
  /** Return to the shipped judge; feedback given so far no longer counts. */
  "DELETE /api/learned": { query?: { collection?: string }; answer: Array<LearnedOut> };
  /** The collections that the key opens: first `default`, then by name. */
  "GET /api/collections": { answer: Array<Collection> };
  /** Add a collection. Needs the role admin, and a key that is bound to none. */
  "POST /api/collections": { body: CollectionRequest; answer: Collection };
  /** Give a collection its share of the workers. Needs the role admin, and a key that is bound to none. */
  "PATCH /api/collections/{name}": { path: { name: string }; body: CollectionChanges; answer: Collection };
  /** Delete a collection with its sources, files, pages and questions. */
  "DELETE /api/collections/{name}": { path: { name: string }; answer: void };
  /** Everything in the collection in one file, including private pages. Needs the role admin. */
  "GET /api/export": { query?: { collection?: string }; answer: string };
  /** Import an exported file; known pages keep their latest text. Needs the role admin. */
  "POST /api/import": { query?: { own?: boolean; collection?: string }; body: string; answer: Imported };
  /** The keys by name, without their secrets; those of WELLREAD_API_KEYS are not among them. */
  "GET /api/keys": { answer: Array<ApiKey> };
  /** Make a key; its `secret` is only in this response. */
  "POST /api/keys": { body: KeyRequest; answer: ApiKey };
  /** Change what a key may use, or where its webhooks may go: null takes it back, and what is left out stays. */
  "PATCH /api/keys/{name}": { path: { name: string }; body: KeyChanges; answer: ApiKey };
  /** Revoke a key, by name or id. What was asked with it stays. */
  "DELETE /api/keys/{name}": { path: { name: string }; answer: void };
  /** What each key has used today and this month (UTC), and what it may; an admin sees all keys. */
  "GET /api/usage": { answer: Array<KeyUsage> };
  /** The watched folders, by name: the next check of each, and errors. */
  "GET /api/folders": { query?: { collection?: string }; answer: Array<FolderState> };
  /** Watch a folder of a Git repository or an S3 bucket: what changes there is read, what is removed leaves. */
  "POST /api/folders": { query?: { collection?: string }; body: FolderRequest; answer: FolderState };
  /** Stop watching a folder, and delete what was read from it; the folder itself is not touched. */
  "DELETE /api/folders/{name}": { path: { name: string }; query?: { collection?: string }; answer: void };
}
