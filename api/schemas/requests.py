"""The bodies of the requests."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from crawler.extract.bounded_process import BOUNDS
from crawler.fetch.guard import AllowedHost, BadHost
from domain.curated import MAX_ANSWER, MAX_QUESTION, MAX_QUESTIONS
from domain.document import MAX_BULK as MAX_DOCUMENTS
from domain.document import DocumentForm, DocumentState
from domain.filters import MAX_FILTERS, Value, check_metadata
from domain.options import (
    MAX_BULK,
    Asked,
    Body,
    Collection,
    Condition,
    Flag,
    KeyLimits,
    Moment,
    QuestionFilter,
    SourceAccess,
    SourceSettings,
    Url,
)
from domain.record import FeedbackVerdict
from domain.site import PageKind
from store.sql.tables import WebhookStatus

MAX_WAIT_S = 120.0
_Secret = Annotated[str, Field(max_length=4_000, pattern=r"^[\x21-\x7e]*$", repr=False)]

#: by pydantic's type of an error, if its own words are of Python
_SAID: Final = {
    "extra_forbidden": "unknown field",
    "missing": "it is missing",
    "string_too_short": "it is empty",
    "too_short": "it is empty",
    "model_attributes_type": "it is not a JSON object",
    "dict_type": "it is not a JSON object",
}


class ChatRequest(Asked):
    """A question whose asker waits for the answer."""

    wait: float = Field(default=30.0, ge=0, le=MAX_WAIT_S, description="Seconds to wait for the final answer.")
    queued: bool = Field(default=False, description="Do not wait: fetch or watch the answer by its id.")


class BulkRequest(BaseModel):
    """Several questions; each is looked at by itself."""

    model_config = ConfigDict(extra="forbid")

    questions: list[dict[str, Any]] = Field(
        min_length=1,
        max_length=MAX_BULK,
        description="Each as POST /api/questions takes it; its `id` may be any text of yours, which is given back.",
    )


class QuestionChange(QuestionFilter):
    """Which questions are to be changed: at least one condition."""

    dry_run: bool = Field(default=False, description="Whether only to count them.")


class QuestionPage(QuestionFilter):
    """A part of the list of questions."""

    limit: int = Field(default=20, ge=1, le=1_000, description="Most questions to return.")
    after: str = Field(
        default="", max_length=100, description="The cursor of the part, from the `Link` of the one before."
    )


class QuestionExport(QuestionFilter):
    """Which questions are exported, and how."""

    format: Literal["jsonl", "csv"] = Field(default="jsonl", description="jsonl (JSON Lines) or csv.")


class DocumentFields(Body):
    """What a program says of a document beside its text."""

    collection: Collection = ""
    url: str = Field(default="", max_length=2048, description="Its http(s) URL, by which it is cited.")
    title: str = Field(default="", max_length=300, description="Default: what its text says.")
    lang: Annotated[str, Field(pattern=r"^([a-z]{2,3})?$")] = Field(
        default="", description="ISO 639-1; default: detected from its text."
    )
    published: Moment | None = Field(default=None, description="When it was published.")
    modified: Moment | None = Field(default=None, description="When it was changed last.")
    metadata: Annotated[dict[str, Value], AfterValidator(check_metadata)] = Field(
        default_factory=dict,
        description="What searches are filtered by, at most 4,096 bytes as JSON: texts, numbers, true and false, and "
        "lists of texts. A text of more than 500 characters is kept, but not found by filters.",
    )


class DocumentRequest(DocumentFields):
    """A document: one of `text`, `markdown` and `html`."""

    text: str | None = Field(default=None, description="Its plain text.")
    markdown: str | None = Field(default=None, description="Its text in Markdown.")
    html: str | None = Field(default=None, description="Its text in HTML, which is read as a page of the web is.")

    @property
    def content(self) -> tuple[DocumentForm, str]:
        """Return the form of its text, and the text."""
        forms: tuple[tuple[DocumentForm, str | None], ...]
        forms = ("text", self.text), ("markdown", self.markdown), ("html", self.html)
        return next((form, text) for form, text in forms if text is not None)

    @model_validator(mode="after")
    def _has_one_text(self) -> Self:
        if sum(text is not None for text in (self.text, self.markdown, self.html)) != 1:
            raise ValueError("give one of text, markdown and html")
        return self


class DocumentBulkRequest(BaseModel):
    """Several documents; each is looked at by itself."""

    model_config = ConfigDict(extra="forbid")

    collection: Collection = ""
    documents: list[dict[str, Any]] = Field(
        min_length=1,
        max_length=MAX_DOCUMENTS,
        description="Each with its `id` and what PUT /api/documents/{document_id} takes as JSON.",
    )


class CuratedRequest(Body):
    """An answer of an operator's own."""

    collection: Collection = ""
    questions: list[Annotated[str, Field(min_length=1, max_length=MAX_QUESTION, pattern=r"\w")]] = Field(
        min_length=1,
        max_length=MAX_QUESTIONS,
        description="The questions that it answers: the same in the wordings in which it is asked.",
        examples=[["How do I reset my password?", "I forgot my password, what now?"]],
    )
    answer: str = Field(
        min_length=1,
        max_length=MAX_ANSWER,
        pattern=r"\w",
        description="Its text, in Markdown.",
        examples=["Ring 4711."],
    )
    author: str = Field(
        max_length=100, pattern=r"^.*\w.*$", description="Whose answer it is: shown with it.", examples=["Mari"]
    )
    written: Moment | None = Field(default=None, description="When it was written; default: now.")
    sources: list[Annotated[Url, Field(pattern=r"^https?://\S+$")]] = Field(
        default_factory=list, max_length=20, description="URLs that are given with it."
    )
    expires_at: Moment | None = Field(default=None, description="When it is deleted; default: never.")


class DocumentsMeant(Body):
    """Which documents are to be deleted."""

    collection: Collection = ""
    filters: list[Condition] = Field(default_factory=list, max_length=MAX_FILTERS, description="At least one.")
    dry_run: bool = Field(default=False, description="Whether only to count them.")


class DocumentPage(Body):
    """A part of the list of documents."""

    collection: Collection = ""
    filter: list[Condition] = Field(
        default_factory=list,
        max_length=MAX_FILTERS,
        description="Only those whose metadata fits: `team=support|ops`, `team!=sales`, `year>=2020`.",
    )
    state: DocumentState | None = Field(default=None, description="Only those in this state.")
    after: str = Field(default="", max_length=255, description="Only those behind this id, for the next part.")
    limit: int = Field(default=100, ge=1, le=1_000, description="Most to list.")


class ThreadRequest(Body):
    """A thread's settings."""

    title: str = Field(min_length=1, max_length=200, pattern=r"\S", description="What it is called.")


class WatchRequest(Body):
    """A question to ask again when its evidence changes."""

    callback_url: Url | None = Field(
        default=None, description="Receives a signed POST for each change; default: the question's own."
    )


class SubscriptionChanges(Body):
    """What is to be changed of a subscription; what is left out stays."""

    every: str | None = Field(
        default=None, max_length=40, description="Look it up this often, at least 5m: 90m, 6h, 1d12h."
    )
    cron: str | None = Field(
        default=None, max_length=100, description='Look it up at these times: a cron line, such as "0 7 * * 1-5".'
    )
    zone: str | None = Field(
        default=None, max_length=64, description="Time zone of the cron line, such as Europe/Berlin; default: UTC."
    )
    callback_url: Url | None = Field(default=None, description="Receives a signed POST `subscription.news`.")
    email: str | None = Field(
        default=None, max_length=320, description="Receives an e-mail (WELLREAD_SMTP_URL). Needs the role operate."
    )
    paused: bool = Field(default=False, description="Whether it is not looked up for now.")


class SubscriptionRequest(SubscriptionChanges):
    """A question that is asked again, or a subject on which new passages are looked for, on a schedule."""

    question: str = Field(default="", description="The question: at most 4,000 characters.")
    subject: str = Field(default="", description="Instead of a question: words for what is looked for.")
    collection: Collection = ""
    options: dict[str, Any] = Field(
        default_factory=dict,
        description="Options of the question, as POST /api/questions takes them, such as sites, langs or length.",
    )

    @model_validator(mode="after")
    def _can_be_asked(self) -> Self:
        if bool(self.question.strip()) == bool(self.subject.strip()):
            raise ValueError("give either a question or a subject")
        if given := sorted(self.options.keys() & _NOT_IN_OPTIONS):
            raise ValueError(f"options: {given[0]} cannot be set for a subscription")
        try:
            self.asked()
        except ValidationError as error:
            raise ValueError(f"options.{first_wrong(error, 'question')}") from None
        return self

    def asked(self) -> Asked:
        """Return what is asked."""
        return Asked.model_validate({**self.options, "question": self.question or self.subject})


#: what each run decides for itself, or belongs to a single question
_NOT_IN_OPTIONS: Final = frozenset(
    "question id after thread question_as_understood watch reuse collection reply_to metadata".split()
)


class FeedbackRequest(Body):
    """What a reader says of an answer."""

    verdict: FeedbackVerdict
    comment: str = Field(default="", max_length=4000)
    revision: int | None = Field(default=None, ge=1, le=2**31 - 1, description="Of the record; left out: the latest.")


class SourceChanges(Body, SourceSettings):
    """What is to be changed of a source; what is left out stays. `every` and `cron` null end its schedule."""

    every: Annotated[str | None, Flag("--every", "SPAN")] = Field(
        default=None, max_length=40, description="Check it this often: 90m, 6h, 1d12h."
    )
    cron: Annotated[str | None, Flag("--cron", "LINE")] = Field(
        default=None, max_length=100, description='Check it at these times: a cron line, such as "0 3 * * *".'
    )
    zone: Annotated[
        str | None, Flag("--zone", "NAME", "The cron line's time zone, such as Europe/Berlin; UTC if never given.")
    ] = Field(
        default=None, max_length=64, description="Time zone of the cron line, such as Europe/Berlin; null: as it is."
    )

    access: SourceAccess | None = Field(
        default=None,
        description="How a source of your own is reached; what is left out stays, null takes it all back. "
        "It is not shown again.",
    )


class SourceRequest(SourceChanges):
    """A site to read for any question; for one that is a source already, its changes."""

    url: Url
    collection: Collection = ""
    own: bool = Field(default=False, description="The site is yours: its address may be private. Needs the role admin.")


class FolderRequest(Body):
    """A folder of a Git repository or an S3 bucket to watch; for one that is watched already, its settings anew."""

    model_config = ConfigDict(
        hide_input_in_errors=True,
        json_schema_extra={"example": {"url": "https://github.com/python/devguide", "path": "documentation"}},
    )

    url: str = Field(
        min_length=1, max_length=1_000, description="Of the repository (https://…), or s3://BUCKET/PREFIX."
    )
    collection: Collection = ""
    name: Annotated[str, Flag("--name", "NAME")] = Field(
        default="", max_length=60, description="Its files have addresses below files://NAME/."
    )
    every: Annotated[str, Flag("--every", "SPAN")] = Field(
        default="5m", max_length=40, description="Check it this often: 90s, 6h, 1d12h."
    )
    link: Annotated[str, Flag("--link", "URL")] = Field(
        default="",
        max_length=1_000,
        description="What URLs in citations begin with; the file's path follows. Empty: the repository's page or s3://….",
    )
    ref: Annotated[str, Flag("--ref", "BRANCH")] = Field(
        default="", max_length=200, description="Git: branch or tag; empty: the repository's own choice."
    )
    path: Annotated[str, Flag("--path", "FOLDER")] = Field(
        default="", max_length=500, description="Git: folder in the repository; empty: all of it."
    )
    region: Annotated[str, Flag("--region", "NAME")] = Field(
        default="", max_length=40, description="S3: such as eu-west-1; empty: us-east-1."
    )
    endpoint: Annotated[str, Flag("--endpoint", "URL")] = Field(
        default="", max_length=500, description="S3: URL of the service; empty: that of AWS."
    )
    user: _Secret = Field(default="", description="User, or access key id. None of the three is shown again.")
    password: _Secret = Field(default="", description="Password or token, or secret access key.")
    token: _Secret = Field(default="", description="S3: session token.")


class SiteReadRequest(Body):
    """A whole site to read."""

    url: Url
    collection: Collection = ""
    max_pages: int = Field(default=10_000, ge=1, le=1_000_000, description="Most pages to look at.")
    max_depth: int = Field(default=20, ge=0, le=1_000, description="Most links from the start.")


class PagesWanted(BaseModel):
    """Which stored page, or which part of the list."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)
    collection: Collection = ""
    url: Annotated[str, Field(max_length=2048)] | None = Field(
        default=None, description="The page's URL; left out: a list, for operators."
    )
    question_id: str = Field(default="", max_length=64, description="The question that a private page was read for.")
    version: int | None = Field(default=None, ge=1, le=2**31 - 1, description="The page's text with this number.")
    site: str = Field(default="", max_length=2048, description="List the pages below this URL.")
    source: int | None = Field(default=None, ge=1, le=2**31 - 1, description="List the pages of this source.")
    since: Moment | None = Field(default=None, description="List pages whose text is not older.")
    kind: PageKind | None = Field(default=None, description="List pages of the web, files, or documents.")
    not_read: bool = Field(default=False, description="List pages that answers cannot use, with the reason.")
    stale: bool = Field(
        default=False, description="List pages that the last look did not read; answers use their former text."
    )
    text: str = Field(default="", max_length=200, description="List those with this in URL or title.")
    after: str = Field(default="", max_length=2048, description="List pages after this address, for the next part.")
    limit: int = Field(default=100, ge=1, le=1_000, description="Most to list.")


class ExtractRequest(Body):
    """A page to extract: one of the web, or HTML that you have; its URL then resolves its links."""

    url: Url | None = None
    html: str | None = Field(default=None, min_length=1, max_length=BOUNDS.chars)
    keep: bool = Field(default=False, description="Whether it becomes a page of the knowledge base; only with a URL.")
    collection: Collection = ""

    @model_validator(mode="after")
    def _one_page(self) -> Self:
        if not self.url and not self.html:
            raise ValueError("give the `url` of a page, or its `html`")
        if self.html and self.keep:
            raise ValueError("HTML is not kept so: PUT /api/documents/{document_id} adds it to the knowledge base")
        return self


class ReadRequest(Body):
    """A page to read now."""

    url: Url
    collection: Collection = ""


def _host(given: str) -> str:
    """Return what names a host or a network; raises ValueError."""
    try:
        AllowedHost.of(given)
    except BadHost as error:
        raise ValueError(str(error)) from error
    return given.strip().lower()


_HOSTS: Final = (
    "Hosts and networks (CIDR), for one port or all, that its webhooks may go to although they are not public."
)
CallbackHosts = Annotated[
    list[Annotated[str, Field(max_length=260), AfterValidator(_host)]], Field(max_length=100, description=_HOSTS)
]


class CollectionRequest(Body):
    """A collection to add."""

    name: str = Field(
        description="Letters a–z, digits, - and _, at most 60; upper case becomes lower case.",
        json_schema_extra={"pattern": "^[A-Za-z0-9]([A-Za-z0-9_-]{0,58}[A-Za-z0-9])?$"},
    )
    exclude_sites: list[Url] = Field(
        default_factory=list, max_length=1_000, description="Sites never to read or quote in it."
    )


class CollectionChanges(Body):
    """What is to be changed of a collection."""

    weight: float = Field(gt=0, le=100, description="Its share of the workers beside other collections; at first 1.")


class KeyRequest(Body):
    """An API key to make."""

    name: str = Field(
        description="Letters a–z, digits, dots, - and _, at most 60.",
        json_schema_extra={"pattern": "^[A-Za-z0-9]([A-Za-z0-9_.-]{0,58}[A-Za-z0-9])?$"},
    )
    role: Literal["ask", "operate", "admin"] = Field(
        default="ask", description="ask: its own questions; operate: all questions and sources; admin: everything."
    )
    collections: list[Annotated[str, Field(max_length=100)]] | None = Field(
        default=None, min_length=1, max_length=100, description="The collections that it opens; default: all."
    )
    expires_at: Moment | None = Field(default=None, description="When it expires; default: never.")
    limits: KeyLimits = Field(default_factory=KeyLimits, description="What it may use; default: as much as everyone.")
    callback_hosts: CallbackHosts = Field(default_factory=list)


class KeyChanges(KeyLimits):
    """What is to be changed of a key; what is left out stays, and null takes it back."""

    callback_hosts: Annotated[CallbackHosts | None, Flag("--callback-host", "HOST")] = Field(
        default=None, description=_HOSTS
    )


class WebhooksWanted(BaseModel):
    """Which webhooks are listed."""

    model_config = ConfigDict(extra="forbid")
    collection: Collection = ""
    status: Annotated[WebhookStatus | None, Flag()] = Field(default=None, description="Only those in this state.")
    question: UUID | None = Field(default=None, description="Only those of a question.")
    before: Annotated[int | None, Flag(metavar="ID")] = Field(
        default=None, ge=1, le=2**31 - 1, description="Only those before the one with this id, for the next part."
    )
    limit: int = Field(default=50, ge=1, le=1_000, description="Most to list.")


class WebhookTest(Body):
    """A receiver to try."""

    url: Url
    collection: Collection = ""


def first_wrong(error: ValidationError, whole: str) -> str:
    """Return the first error of pydantic's as "field: what is wrong"; ``whole``: what it is if no field is."""
    entry = error.errors()[0]
    return wrong_field(".".join(map(str, entry["loc"])) or whole, dict(entry))


def wrong_field(field: str, entry: Mapping[str, Any]) -> str:
    """Return an error of pydantic's as "field: what is wrong"."""
    if int(entry.get("ctx", {}).get("min_length", 1)) > 1:  # it says how many
        return f"{field}: {entry['msg']}"
    return f"{field}: {_SAID.get(entry['type'], entry['msg'].removeprefix('Value error, '))}"
