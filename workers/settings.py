"""Every setting, in one place: name, type, default, one line of meaning. All have a default; none must be set.

Read from the environment with the prefix ``WELLREAD_``, from a file ``.env`` in the working folder, and from files in
``/run/secrets`` that are called like the variable in lower case.
"""

import hashlib
import os
import re
import tempfile
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar
from urllib.parse import quote, urlsplit

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from crawler import urls
from crawler.browser.chromium import find_chromium
from crawler.fetch.guard import Blocked, Egress, allowlist_entry
from crawler.search.engine import ENGINES, missing
from domain.errors import WellreadError, without_userinfo
from domain.flow import QUEUES
from domain.options import MAX_INSTRUCTIONS, MAX_K
from pipeline.answering.few_shot import read_examples
from pipeline.documents import DOCUMENTS
from pipeline.enhancements import parse_enhancements
from pipeline.models.pace import Times
from store.embedders import OPENAI_URL

Value = TypeVar("Value")

#: where containers find secrets as files
SECRETS_DIR = Path("/run/secrets")
LOOPBACK = ("127.0.0.1", "::1", "localhost")
#: Claude's current models
CLAUDE_SMALL_MODEL, CLAUDE_LARGE_MODEL = "claude-haiku-5-5", "claude-sonnet-5-5"
CLAUDE_URL = "https://api.anthropic.com"
#: a server of one's own may load the model first, and read a long prompt on a processor
OWN_SERVER = Times(first_token_s=300.0, whole_s=600.0)
#: read by the command line, and given to our own processes
_OTHER_VARIABLES = frozenset({"WELLREAD_API_URL", "WELLREAD_API_KEY", "WELLREAD_COLLECTION", "WELLREAD_QUEUE"})
#: a unix socket's path has at most 107 characters on Linux, 103 on macOS
_MAX_SOCKET_PATH = 100


_QUEUE_PATTERN = re.compile(r"[\w.*?-]{1,100}", re.ASCII)


class SettingsError(WellreadError):
    """A setting cannot be used; the message names it and says why."""


def _default_data_dir() -> Path:
    root = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(root) / "wellread"


def split(value: Any) -> Any:
    """Return the comma-separated parts of a text; anything else as it is."""
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


def _none_if_empty(value: Any) -> Any:
    return None if value == "" else value


def _can_be_sent(key: SecretStr) -> SecretStr:
    """A key goes into a header: nothing in it may break out of one."""
    plain = key.get_secret_value().strip()
    if " " in plain or not (plain.isascii() and plain.isprintable()):
        raise ValueError("this is not a key: it has blanks, control characters or letters beyond ASCII")
    return SecretStr(plain)


def _is_an_smtp_server(url: SecretStr) -> SecretStr:
    parts = urlsplit(url.get_secret_value())
    try:
        is_one = parts.scheme in ("smtp", "smtps") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:  # which would show a part of a password that is not percent-encoded
        is_one = False
    if url.get_secret_value() and not (is_one and parts.path in ("", "/")):
        raise ValueError("it is no address such as smtp://user:password@mail.example.org:587, percent-encoded")
    return url


def _signs(secret: SecretStr) -> SecretStr:
    """Return a secret in the form of Standard Webhooks, ``whsec_`` and base64; any other text is put into it.

    What begins with ``whsec_`` may be several, which are returned with a space between them.
    """
    plain = secret.get_secret_value().strip()
    parts = plain.replace(",", " ").split() if plain.startswith("whsec_") else []
    if len(parts) > 1:
        return SecretStr(" ".join(_signs(SecretStr(part)).get_secret_value() for part in parts))
    if not plain.startswith("whsec_"):
        return SecretStr(f"whsec_{b64encode(plain.encode()).decode()}" if plain else "")
    coded = plain.removeprefix("whsec_")
    try:
        usable = b64decode(coded + "=" * (-len(coded) % 4), validate=True)
    except ValueError:
        usable = b""
    if not usable:
        raise ValueError("what follows whsec_ is not base64")
    return SecretStr(plain)


def _explained(check: Callable[[Value], Value]) -> Callable[[Value], Value]:
    """Have an error of ours say why a value is refused."""

    def explained(value: Value) -> Value:
        try:
            return check(value)
        except WellreadError as error:
            raise ValueError(str(error)) from error

    return explained


def _accepted_by(check: Callable[[Value], object]) -> AfterValidator:
    def accepted(value: Value) -> Value:
        check(value)
        return value

    return AfterValidator(_explained(accepted))


@_explained
def _is_a_database(value: str) -> str:
    if not value:
        return ""
    from store.sql.database import usable_url  # SQLAlchemy, which the help needs not

    return usable_url(value)


def _is_a_redis(value: str) -> str:
    if value:
        from redis import Redis

        try:
            Redis.from_url(value).close()  # it connects to nothing
        except ValueError as error:
            raise ValueError(f"it is not a URL of a Redis such as redis://HOST:6379/0 ({error})") from error
    return value


def _is_a_model_server(value: str) -> str:
    parts = urlsplit(value)
    if value and (parts.scheme not in ("http", "https") or not parts.hostname):
        shown = without_userinfo(value)
        raise ValueError(
            f"{shown!r} is not an address: it must begin with http:// or https://, and usually ends with /v1"
        )
    return value


def _name_askers(given: tuple[str, ...]) -> tuple[str, ...]:
    for each in given:
        if not each.startswith(("collection:", "key:")):
            raise ValueError(f"{each!r} names neither a collection (collection:NAME) nor a key (key:NAME)")
    return given


def _foreign(given: tuple[str, ...]) -> tuple[str, ...]:
    for each in given:
        if each in QUEUES:
            raise ValueError(f"{each!r} is a queue of Wellread itself")
        if not _QUEUE_PATTERN.fullmatch(each):
            raise ValueError(f"{each!r} has other characters than letters, digits, dots, -, _, * and ?")
    return given


#: comma-separated
Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(split)]
Keys = Annotated[tuple[SecretStr, ...], NoDecode, BeforeValidator(split)]
Enhancements = Annotated[Words, _accepted_by(parse_enhancements)]
Examples = Annotated[str, _accepted_by(lambda path: path and read_examples(path))]
ReplyQueues = Annotated[Words, AfterValidator(_foreign)]
Batched = Annotated[Words, AfterValidator(_name_askers)]
Sites = Annotated[Words, AfterValidator(_explained(lambda given: tuple(map(urls.typed, given))))]
#: numbers that may be left empty
OptionalInt = Annotated[int | None, BeforeValidator(_none_if_empty)]
OptionalFloat = Annotated[float | None, BeforeValidator(_none_if_empty)]
ServiceKey = Annotated[SecretStr, AfterValidator(_can_be_sent)]
WebhookSecret = Annotated[SecretStr, AfterValidator(_signs)]
SmtpUrl = Annotated[SecretStr, AfterValidator(_is_an_smtp_server)]
DatabaseUrl = Annotated[str, AfterValidator(_is_a_database)]
RedisUrl = Annotated[str, AfterValidator(_is_a_redis)]
ModelServer = Annotated[str, AfterValidator(_is_a_model_server)]
Chromium = Annotated[str, _accepted_by(find_chromium)]
Folder = Annotated[Path, AfterValidator(lambda path: path.expanduser().absolute())]


class Settings(BaseSettings):
    """Wellread's settings."""

    model_config = SettingsConfigDict(env_prefix="WELLREAD_", env_file=".env", extra="ignore", frozen=True)

    data_dir: Folder = Field(default_factory=_default_data_dir, description="Folder that holds all data.")
    database_url: DatabaseUrl = Field("", description="SQL database; empty: SQLite in the data folder.")
    database_password: SecretStr = Field(SecretStr(""), description="Its password, if the URL has none.")
    redis_url: RedisUrl = Field("", description="Redis or Valkey; empty: the embedded one.")
    redis_password: SecretStr = Field(SecretStr(""), description="Its password, if the URL has none.")
    redis_memory_mb: int = Field(512, ge=16, description="Most memory the embedded Valkey may use.")
    events_redis_url: RedisUrl = Field(
        "", description="Another Redis for progress events, with the same password by default; empty: the same Redis."
    )
    passages_uri: str = Field("", description="LanceDB's folder or s3://… address; empty: the data folder.")
    search_memory_mb: int = Field(
        256,
        ge=0,
        description="Passages up to this size are searched in each process's memory, and up to three times this size "
        "only their vectors; 0: never.",
    )
    keep_days: int = Field(
        365,
        ge=0,
        le=36_500,
        description="Days to keep ended questions with answers and traces; 0: forever. Pages are always kept.",
    )

    embedder: str = Field(
        "auto", description="minilm, multilingual, minilm+multilingual, fastembed:MODEL, openai:MODEL or auto."
    )
    embedder_base_url: str = Field("", description="Base URL of the OpenAI-compatible embedder.")
    embedder_api_key: SecretStr = Field(SecretStr(""), description="Its key.")
    embedder_threads: int = Field(1, ge=1, description="Threads for embedding in one process.")

    anthropic_api_key: SecretStr = Field(
        SecretStr(""), description="Claude's key; without it and without another model, answers are quotes."
    )
    anthropic_base_url: str = Field("", description="Another server with Anthropic's Messages API.")
    model_base_url: ModelServer = Field(
        "",
        description="Server with OpenAI's chat completions API, such as http://127.0.0.1:11434/v1; used instead of "
        "Claude.",
    )
    model_api_key: ServiceKey = Field(SecretStr(""), description="Its key; local servers need none.")
    small_model: str = Field(
        "",
        description=f"Model for rewording and verdicts; empty: {CLAUDE_SMALL_MODEL}, or on another server the "
        "large model.",
    )
    large_model: str = Field(
        "", description=f"Model for answers; empty: {CLAUDE_LARGE_MODEL}, or on another server the small model."
    )
    verbatim: bool = Field(
        False, description="Whether answers are only sentences of the pages, unless a question says otherwise."
    )
    instructions: str = Field(
        "",
        max_length=MAX_INSTRUCTIONS,
        description="How a model should write every answer, such as its form, tone or terms.",
    )
    model_first_token_s: OptionalFloat = Field(
        None,
        gt=0,
        description=f"Seconds until a model must begin to reply; empty: {Times().first_token_s:g}, or "
        f"{OWN_SERVER.first_token_s:g} with WELLREAD_MODEL_BASE_URL.",
    )
    model_timeout_s: OptionalFloat = Field(
        None,
        gt=0,
        description="Seconds for a whole call of a model; empty: "
        f"{Times().whole_s:g}, or {OWN_SERVER.whole_s:g} with WELLREAD_MODEL_BASE_URL.",
    )
    model_requests_a_minute: int = Field(
        0, ge=0, description="Most requests a minute to the service of the models, by all processes; 0: no limit."
    )
    model_tokens_a_minute: int = Field(
        0,
        ge=0,
        description="Most tokens a minute at the service of the models, input and output together; 0: no limit.",
    )
    batch_for: Batched = Field(
        (),
        description="Whose questions may wait up to a day for a model, at half the price: collection:NAME and "
        "key:NAME, comma-separated.",
    )
    max_usd_per_question: float = Field(0.5, ge=0, description="Most US dollars one question may spend on a model.")
    max_tokens_per_question: int = Field(
        200_000, ge=0, description="Most tokens one question may use, input and output together."
    )

    profile: Literal["default", "documents"] = Field(
        "default", description="documents: answer by the design documents' own rules; other settings override it."
    )
    learn: bool = Field(True, description="Whether readers' feedback corrects the judge's confidence automatically.")
    fusion: Literal["minmax", "rrf"] = Field(
        "minmax", description="Combine full text and vectors by scores (minmax) or by ranks (rrf)."
    )
    reranker: Literal["learned", "hybrid", "tfidf", "bm25", "graph", "api", "none"] = Field(
        "learned",
        description="How hits are reordered: learned; hybrid, tfidf, bm25 or graph (the design documents'); api (by "
        "WELLREAD_RERANK_URL); or none.",
    )
    rerank_url: ModelServer = Field(
        "", description="Server with POST …/rerank as Cohere, Jina and vLLM have it, such as http://127.0.0.1:8000/v1."
    )
    rerank_model: str = Field("", description="Its model; empty: the server's only one.")
    rerank_key: ServiceKey = Field(SecretStr(""), description="Its key; local servers need none.")
    rrf_k: int = Field(
        60, ge=1, le=1_000, description="The constant of rrf; a higher one gives lower ranks more weight."
    )
    judge: Literal["calibrated", "document"] = Field(
        "calibrated", description="How the judge decides: calibrated, or document (the design document's rules)."
    )
    stop: Literal["judge", "document", "max_k"] = Field(
        "judge",
        description="When enough hits are kept: judge, document (the design document's rule) or max_k (never early).",
    )
    query_expansion: bool = Field(True, description="Whether phase 2 also searches in other words.")
    model_context_tokens: int = Field(
        6_000, ge=500, le=200_000, description="Most tokens of pages that a model reads for one answer."
    )
    model_check: bool = Field(
        True, description="Whether the small model checks each sentence of an answer against its quotes."
    )
    model_wait_s: float = Field(
        300.0, ge=0, description="Longest time a question waits for a busy model before it is answered without it."
    )
    variants_from: Literal["model", "rules"] = Field(
        "model", description="Who rewords the question if there is a model: the model, or local rules at no cost."
    )
    variant_count: int = Field(3, ge=2, le=5, description="Number of other wordings in phase 2.")
    max_tokens_per_variant: int = Field(
        100, ge=10, le=1_000, description="Longer wordings of a model are dropped (tokens of about four bytes)."
    )
    initial_top_k: OptionalInt = Field(
        None,
        ge=1,
        le=MAX_K,
        description="Hits to retrieve in phase 1; empty: 5 to 10, by the question and its strategy.",
    )
    retry_top_k: int = Field(
        MAX_K, ge=1, le=MAX_K, description="Most hits in phases 2 and 4, which retrieve twice as many as phase 1."
    )
    final_top_k: int = Field(10, ge=1, le=MAX_K, description="Most hits to make an answer from (the record's context).")
    threshold: OptionalFloat = Field(
        None,
        ge=0,
        le=1,
        description="Confidence from which the outcome is answered; empty: 0.5 to 0.8, by the question's strategy.",
    )
    strict: bool = Field(False, description="Make the outcome unknown where it would be unsure, for all questions.")
    quality_threshold: float = Field(0.7, ge=0, le=1, description="Similarity of a good hit, for the judge `document`.")
    min_high_quality_hits: int = Field(
        2, ge=1, le=MAX_K, description="Number of good hits that suffice, for the judge `document`."
    )
    similarity_floor: float = Field(
        0.2, ge=0, le=1, description="The stop rule `document` drops hits below this similarity."
    )
    enhancements: Enhancements = Field(
        (),
        description="Enhancements to switch on, or off with a minus before the name, comma-separated; none and all "
        "switch all of them; see below.",
    )
    few_shot_path: Examples = Field(
        "", description="A JSON file with examples for the model: a list of objects with question and answer."
    )

    wikipedia: bool = Field(True, description="Whether Wikipedia may be searched.")
    searxng_url: str = Field("", description="URL of a SearXNG instance; empty: none is used.")
    brave_key: ServiceKey = Field(SecretStr(""), description="Brave Search's key; empty: it is not used.")
    kagi_key: ServiceKey = Field(SecretStr(""), description="Kagi's key; empty: it is not used.")
    tavily_key: ServiceKey = Field(SecretStr(""), description="Tavily's key; empty: it is not used.")
    exa_key: ServiceKey = Field(SecretStr(""), description="Exa's key; empty: it is not used.")
    serper_key: ServiceKey = Field(SecretStr(""), description="Serper's key; empty: it is not used.")
    mojeek_key: ServiceKey = Field(SecretStr(""), description="Mojeek's key; empty: it is not used.")
    marginalia_key: ServiceKey = Field(SecretStr(""), description="Marginalia's key; empty: it is not used.")
    firecrawl_key: ServiceKey = Field(SecretStr(""), description="Firecrawl's key; empty: it is not used.")
    fetcher: Literal["", "exa", "firecrawl"] = Field(
        "", description="Paid service that fetches public pages which their sites refuse (401, 403, 429, challenges)."
    )
    fetcher_usd: float | None = Field(
        None, ge=0, description="US dollars that it takes for a page; empty: its list price."
    )
    engines: Words = Field(
        (), description="Use only these engines, best first, comma-separated; empty: all with a key or address."
    )
    exclude_sites: Sites = Field(
        (), description="Sites never to read or quote, in any collection: URLs, comma-separated."
    )
    named_sites: Literal["question", "everyone"] = Field(
        "question",
        description="Who may use pages that an ask key made Wellread read by naming a site that is not a source: that "
        "question, or everyone.",
    )
    user_agent: str = Field("wellread", pattern=r"^[A-Za-z_-]+$", description="Name to look up in robots.txt.")
    contact: str = Field("", description="The operator's URL or e-mail address, for the user agent.")
    allow_hosts: Words = Field(
        (), description="host:port pairs with private addresses that may be read, comma-separated."
    )
    egress: Egress = Field(
        "all",
        description="What may leave the machine: none (requests to loopback and your own hosts only), sources (also to "
        "the hosts of sources) or all.",
    )
    min_delay_s: float = Field(1.0, ge=0, description="Shortest pause between two requests to a host, in seconds.")
    fetch_deadline_s: float = Field(20.0, gt=0, le=40, description="Longest time for one fetch, in seconds.")
    fetch_max_bytes: int = Field(10_000_000, gt=0, description="Largest page after decoding, in bytes.")
    file_max_bytes: int = Field(
        50_000_000, gt=0, le=500_000_000, description="Largest file that may be added, in bytes."
    )
    git_max_bytes: int = Field(
        100_000_000, gt=0, le=2_000_000_000, description="Most bytes fetched at once of a Git repository's folder."
    )
    file_max_pages: int = Field(
        5_000, ge=1, description="Most pages of a PDF to read; what follows is named as missing."
    )
    file_max_characters: int = Field(
        5_000_000, ge=10_000, description="Most characters of a file to read; what follows is named as missing."
    )
    file_max_seconds: int = Field(
        40, ge=1, le=60, description="Longest processor time to parse one file, in seconds; what follows is missing."
    )
    chromium: Chromium = Field(
        "auto", description="Chromium, for pages that need JavaScript: auto (if installed), off, or its path."
    )

    crawl_enabled: bool = Field(
        True,
        description="Whether new questions may crawl; false: they are answered from what is known, as with "
        "`crawl_enabled` false. What operators have read is read all the same.",
    )
    max_seconds: float = Field(
        120.0, gt=0, description="Longest time one question may crawl, in seconds, not counting waits for a worker."
    )
    max_pages: int = Field(20, ge=1, description="Most pages one question may read.")
    wave_pages: int = Field(5, ge=1, description="Most pages to read before searching again.")

    max_open_questions: int = Field(2_000, ge=1, description="Most open questions per collection; more are refused.")
    max_open_per_caller: int = Field(1_000, ge=1, description="Most open questions per API key and collection.")
    max_streams_per_caller: int = Field(
        20, ge=1, description="Most streams of events open at a time per API key; more are refused."
    )

    api_host: str = Field("127.0.0.1", description="Address the API binds to; beyond loopback, keys are required.")
    api_port: int = Field(8484, ge=0, le=65535, description="The API's port; 0: any free one.")
    api_keys: Keys = Field((), description="role:key pairs (roles ask, operate, admin), comma-separated.")
    webhook_secret: WebhookSecret = Field(
        SecretStr(""),
        description="Secret to sign webhooks: whsec_ and a key in base64, or any text; empty: not signed. To change "
        "it: the new one and, after a space or comma, the former; webhooks are signed with both.",
    )
    curated: Literal["alone", "page"] = Field(
        "alone",
        description="What an operator's answer weighs: alone: it is given instead of what pages say, if a question "
        "means the same as one of its own; page: it is searched as pages are.",
    )
    reuse_similar: bool = Field(
        False,
        description="Whether questions that mean the same share an answer as equal ones do, such as `How can I reset "
        "the password?` and `How do I reset my password?`",
    )
    reply_queues: ReplyQueues = Field(
        (),
        description="Celery queues of other services on the same Redis that answers may be sent to (`reply_to`): names "
        "and patterns such as orders.*, comma-separated; empty: none. A pattern lets askers name new queues, which "
        "take the broker's memory until they are consumed; one with more than 10,000 messages is sent none.",
    )
    smtp_url: SmtpUrl = Field(
        SecretStr(""),
        description="SMTP server for e-mail of subscriptions: smtp://USER:PASSWORD@HOST:587, or smtps://; empty: none.",
    )
    smtp_from: str = Field(
        "", pattern=r"^([^\s@<>,]+@[^\s@<>,]+)?$", description="Sender of these e-mails, such as news@example.org."
    )
    flower_host: str = Field(
        "127.0.0.1", description="Address Flower binds to; beyond loopback, FLOWER_BASIC_AUTH is required."
    )
    flower_port: int = Field(5555, ge=0, le=65535, description="Flower's port; 0: any free one.")
    flower_words: bool = Field(
        True, description="Whether Flower shows first words of questions, URLs and outcomes, or only ids."
    )

    logs: Literal["json", "text"] = Field(
        "json", description="Format of what libraries log in the API, workers and beat; Wellread's own lines are JSON."
    )
    alive_file: str = Field(
        "", description="File that a worker or beat touches every few seconds while it works; empty: none."
    )
    answer_processes: int = Field(
        default_factory=lambda: min(4, os.cpu_count() or 1),
        ge=1,
        description="Questions that a worker answers at once, in threads; default: the number of CPUs, at most 4.",
    )
    crawl_processes: int = Field(4, ge=1, description="Pages that a worker reads at once, in threads.")
    model_threads: int = Field(
        32, ge=1, description="Questions that wait for a model at once, and webhooks under way, on this machine."
    )
    stop_s: float = Field(
        15.0,
        ge=0,
        le=100,
        description="Seconds for running steps to finish when a worker stops; the rest is given back.",
    )

    @model_validator(mode="before")
    @classmethod
    def _of_profile(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Add what the profile sets and nobody set otherwise."""
        if given.get("profile") != "documents":
            return given
        switched = (*DOCUMENTS["enhancements"], *split(given.get("enhancements", ())))
        return {**DOCUMENTS, **given, "enhancements": switched}

    @field_validator("retry_top_k")
    @classmethod
    def _not_fewer(cls, value: int, info: ValidationInfo) -> int:
        initial = info.data.get("initial_top_k")
        if initial and value < initial:
            raise ValueError(f"phases 2 and 4 never ask for fewer hits than phase 1: at least {initial}")
        return value

    @field_validator("engines")
    @classmethod
    def _ready(cls, value: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        for name in value:
            if name not in ENGINES:
                raise ValueError(f"{name!r} is not an engine; the engines are {', '.join(ENGINES)}")
            if lacking := missing(name, info.data):
                raise ValueError(f"{name} is named, but {lacking} is empty or false")
        return value

    @model_validator(mode="after")
    def _names_what_it_asks(self) -> Self:
        if self.reranker == "api" and not self.rerank_url:
            raise ValueError(
                "WELLREAD_RERANKER is api, but no server is named: set WELLREAD_RERANK_URL to the address above its "
                "/rerank, such as http://127.0.0.1:8000/v1"
            )
        if self.model_base_url and not (self.small_model or self.large_model):
            raise ValueError(
                "WELLREAD_MODEL_BASE_URL is set, but no model is named: set WELLREAD_LARGE_MODEL to one that the "
                "server has (GET /models there lists them)"
            )
        return self

    @property
    def has_model(self) -> bool:
        """Whether there is a language model that may be asked."""
        return bool(self.model_url) and self.may_reach(self.model_url)

    @property
    def model_url(self) -> str:
        """The address of the language model's service; "" for none."""
        claude = self.anthropic_base_url or CLAUDE_URL
        return self.model_base_url or (claude if self.anthropic_api_key.get_secret_value() else "")

    @property
    def embedder_url(self) -> str:
        """The address of the embedder's service; "" if it is none."""
        return (self.embedder_base_url or OPENAI_URL) if self.embedder.startswith("openai:") else ""

    @property
    def models(self) -> tuple[str, str]:
        """The names of the small and the large model."""
        if self.model_base_url:
            return self.small_model or self.large_model, self.large_model or self.small_model
        return self.claude_small_model, self.large_model or CLAUDE_LARGE_MODEL

    @property
    def model_times(self) -> Times:
        """How long a call of a model may take."""
        usual = OWN_SERVER if self.model_base_url else Times()
        whole_s = self.model_timeout_s or usual.whole_s
        return Times(first_token_s=min(whole_s, self.model_first_token_s or usual.first_token_s), whole_s=whole_s)

    @property
    def claude_small_model(self) -> str:
        """Claude's small model, also where another server answers."""
        return CLAUDE_SMALL_MODEL if self.model_base_url else self.small_model or CLAUDE_SMALL_MODEL

    @property
    def own_hosts(self) -> tuple[str, ...]:
        """The allowed hosts as URLs."""
        return tuple(host if "://" in host else f"http://{host}" for host in self.allow_hosts)

    def may_reach(self, url: str) -> bool:
        """Return whether a service may be asked: any, or one on loopback or a host of your own."""
        try:
            host, port = allowlist_entry(without_userinfo(_connected_to(url)))
        except Blocked:
            return self.egress == "all"
        return self.may_connect(host, port)

    def may_connect(self, host: str, port: int) -> bool:
        """Return whether a connection may be opened: any, or one to loopback or a host of your own."""
        if self.egress == "all" or _is_loopback(host):
            return True
        return (host, port) in map(allowlist_entry, self.own_hosts)

    @property
    def database(self) -> str:
        """The database's URL."""
        if self.database_url:
            return _with_password(self.database_url, self.database_password)
        return f"sqlite:///{quote(str(self.data_dir / 'wellread.db'))}"

    @property
    def is_new(self) -> bool:
        """Whether nothing was stored yet in the data folder's database."""
        return not self.database_url and not (self.data_dir / "wellread.db").exists()

    @property
    def passages(self) -> str:
        """LanceDB's URI."""
        return self.passages_uri or str(self.data_dir / "passages")

    @property
    def models_dir(self) -> Path:
        """The folder of the models that fastembed downloads."""
        return self.data_dir / "models"

    @property
    def run_dir(self) -> Path:
        """The 0700 folder of sockets and process files."""
        folder = self.data_dir / "run"
        if len(str(folder)) + len("/valkey.sock") < _MAX_SOCKET_PATH:
            return folder
        name = hashlib.blake2b(str(self.data_dir).encode(), digest_size=8).hexdigest()
        return Path(tempfile.gettempdir()) / f"wellread-{os.getuid()}-{name}"

    @property
    def redis(self) -> str:
        """Redis's URL as redis-py takes it."""
        if self.redis_url:
            return _with_password(self.redis_url, self.redis_password)
        return f"unix://{quote(str(self.run_dir / 'valkey.sock'))}"

    @property
    def events_redis(self) -> str:
        """The URL of the Redis of events."""
        return _with_password(self.events_redis_url, self.redis_password) if self.events_redis_url else self.redis

    @property
    def broker(self) -> str:
        """Redis's URL as Celery takes it."""
        return (
            "redis+socket://" + self.redis.removeprefix("unix://") if self.redis.startswith("unix://") else self.redis
        )


def load(**overrides: object) -> Settings:
    """Read the settings; raises :class:`SettingsError` naming what is wrong."""
    secrets = {"_secrets_dir": SECRETS_DIR} if SECRETS_DIR.is_dir() else {}
    try:
        return Settings(**(secrets | overrides))  # type: ignore[arg-type]
    except ValidationError as error:
        lines = [
            f"WELLREAD_{'_'.join(map(str, each['loc'])).upper()}: {said}" if each["loc"] else said
            for each in error.errors()
            for said in [each["msg"].removeprefix("Value error, ")]
        ]
        raise SettingsError("A setting cannot be used: " + "; ".join(lines)) from error


def unknown_variables(named: Iterable[str]) -> list[str]:
    """Return a sentence for each environment variable that looks like a setting and is none."""
    known = {f"WELLREAD_{name.upper()}" for name in Settings.model_fields} | _OTHER_VARIABLES
    unknown = sorted(name for name in named if name.startswith("WELLREAD_") and name not in known)
    nearest = {name: get_close_matches(name, known, n=1) for name in unknown}
    return [
        f"{name} is not a setting" + (f"; did you mean {near[0]}?" if near else ".") for name, near in nearest.items()
    ]


def _connected_to(url: str) -> str:
    """Return the URL, or that of the proxy of the environment that would be connected to instead."""
    from urllib.request import getproxies, proxy_bypass  # slow to import

    parts, proxies = urlsplit(url), getproxies()
    if not proxies or proxy_bypass(parts.hostname or ""):
        return url
    return proxies.get(parts.scheme) or proxies.get("all") or url


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _with_password(url: str, password: SecretStr) -> str:
    """Return the URL with the password, where it names a host and no password."""
    parts, plain = urlsplit(url), password.get_secret_value()
    if not plain or parts.password or not parts.hostname:
        return url
    user, _, host = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{user.rstrip(':')}:{quote(plain, safe='')}@{host}").geturl()
