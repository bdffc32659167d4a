"""The kinds of problems that the API answers with: by the error's class, its name, status, title and what to do."""

from dataclasses import dataclass
from http import HTTPStatus

import redis
from pydantic import BaseModel, Field

from api.middleware.auth import InvalidApiKey, RoleTooSmall, TooManyStreams
from api.middleware.wrong_keys import TooManyWrongKeys
from api.openai.completions import NoAnswer, QuestionFailed
from api.openai.requests import BadMessages, UnknownModel, Unsupported
from crawler.discovery.schedule import BadSchedule
from crawler.fetch.access import BadAccess
from domain.access.collection import BadCollectionName, UnknownCollection
from domain.errors import WellreadError
from domain.file import BadFileName
from pipeline.answering.structured.schema import BadSchema
from pipeline.question.analysis import QuestionError
from store.collections import CollectionExists, CollectionStays
from store.crawl.site_reads import SiteReadOver, UnknownSiteRead
from store.crawl.sources import NotYourOwn
from store.folders import UnknownFolder
from store.keys import BadExpiry, BadKeyName, KeyExists, UnknownKey
from store.knowledge.archive import BadArchive
from store.passages.errors import PassagesError
from store.questions.feedback import NothingToJudge
from store.questions.new_questions import IdempotencyConflict
from store.questions.state import UnknownQuestion
from store.questions.threads import UnknownThread
from store.sql.errors import DatabaseError
from workers.admission import NoRoom, TooManyOpen
from workers.files import FileRefused, UnknownFile
from workers.questions.asked import BadBudget
from workers.questions.conditions import BadExclusion
from workers.questions.follow_ups import NotInThread
from workers.questions.submit import BadSite, UnknownStrategy


class Problem(BaseModel):
    """An error, as RFC 9457 writes it."""

    type: str = Field(description="A short name of the kind of error: stable, for programs.")
    title: str = Field(description="The kind of error in words.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="What happened, to what.")
    what_to_do: str = Field(description="How to go on.")


class NotFound(WellreadError):
    """The thing asked for does not exist; the message names it."""


class BadForm(WellreadError):
    """The form has fields that it must not have, or lacks one; the message names it."""


@dataclass(frozen=True, kw_only=True)
class _Kind:
    """The common part of all problems of one error class."""

    type: str  #: programs know the problem by it: it stays when the class is renamed
    status: int
    title: str
    what_to_do: str
    detail: str = ""  #: "": the error's own message


#: by the error's class, or one it inherits from
_KNOWN: dict[type[Exception], _Kind] = {
    InvalidApiKey: _Kind(
        type="wrong-key", status=401, title="Wrong key",
        what_to_do="Send a key of WELLREAD_API_KEYS or `wellread keys` as `Authorization: Bearer KEY` or `X-API-Key`.",
    ),
    TooManyWrongKeys: _Kind(
        type="too-many-wrong-keys", status=429, title="Too many wrong keys",
        what_to_do="The header Retry-After says when to try again.",
    ),
    RoleTooSmall: _Kind(
        type="role-too-small", status=403, title="Not allowed",
        what_to_do="Use a key with a higher role: ask < operate < admin.",
    ),
    UnknownCollection: _Kind(
        type="unknown-collection", status=404, title="No such collection",
        what_to_do="GET /api/collections lists those that the key opens.",
    ),
    BadCollectionName: _Kind(
        type="bad-collection-name", status=422, title="The name cannot be used",
        what_to_do="Give a name of letters a–z, digits, - and _.",
    ),
    CollectionExists: _Kind(
        type="collection-exists", status=409, title="The name is taken",
        what_to_do="Use the existing collection, or another name.",
    ),
    CollectionStays: _Kind(
        type="collection-stays", status=409, title="The collection cannot be deleted",
        what_to_do="Delete its contents instead.",
    ),
    UnknownKey: _Kind(
        type="unknown-key", status=404, title="No such key",
        what_to_do="GET /api/keys lists them; those of WELLREAD_API_KEYS are changed in the settings.",
    ),
    BadKeyName: _Kind(
        type="bad-key-name", status=422, title="The name cannot be used",
        what_to_do="Give a name of letters a–z, digits, dots, - and _.",
    ),
    KeyExists: _Kind(
        type="key-exists", status=409, title="The name is taken",
        what_to_do="Revoke the other key first, or give this one another name.",
    ),
    BadExpiry: _Kind(
        type="bad-expiry", status=422, title="The key would have expired",
        what_to_do="Give a later date, or leave expires_at out.",
    ),
    BadArchive: _Kind(
        type="bad-archive", status=422, title="The file cannot be imported",
        what_to_do="Send a file that GET /api/export or `wellread export` wrote, whole and unchanged.",
    ),
    UnknownQuestion: _Kind(
        type="unknown-question", status=404, title="No such question",
        what_to_do="Check the id; GET /api/questions lists the latest.",
    ),
    UnknownThread: _Kind(
        type="unknown-thread", status=404, title="No such thread",
        what_to_do="Check the id; GET /api/threads lists the latest.",
    ),
    NotInThread: _Kind(
        type="not-in-thread", status=422, title="The question is of another thread",
        what_to_do="Give either the thread or the question that it follows.",
    ),
    NothingToJudge: _Kind(
        type="nothing-to-judge", status=409, title="No answer to judge",
        what_to_do="Wait for the answer, or name one of its revisions.",
    ),
    UnknownSiteRead: _Kind(
        type="unknown-site-read", status=404, title="No such site read",
        what_to_do="GET /api/site-reads lists the last ones.",
    ),
    SiteReadOver: _Kind(
        type="site-read-over", status=409, title="The site read has ended",
        what_to_do="Start another one with POST /api/site-reads.",
    ),
    BadSchedule: _Kind(
        type="bad-schedule", status=422, title="No schedule",
        what_to_do='Give an interval such as "6h", or a cron line such as "0 3 * * *".',
    ),
    NotFound: _Kind(
        type="not-found", status=404, title="Not found",
        what_to_do="Check the id.",
    ),
    BadForm: _Kind(
        type="bad-request", status=422, title="The request cannot be read",
        what_to_do="Correct the named fields; /openapi.json describes every field.",
    ),
    IdempotencyConflict: _Kind(
        type="idempotency-conflict", status=409, title="Key or id used before",
        what_to_do="Use a new Idempotency-Key, or id, for a new question.",
    ),
    QuestionError: _Kind(
        type="question-error", status=422, title="The question cannot be asked",
        what_to_do="Change the question as the detail says.",
    ),
    BadSchema: _Kind(
        type="bad-schema", status=422, title="The answer's schema cannot be filled",
        what_to_do="Change `answer_schema` as the detail says.",
    ),
    UnknownStrategy: _Kind(
        type="unknown-strategy", status=422, title="No such strategy",
        what_to_do="Leave the strategy out, or name one of those listed.",
    ),
    BadMessages: _Kind(
        type="bad-messages", status=422, title="The conversation cannot be answered",
        what_to_do="Change the messages as the detail says.",
    ),
    UnknownModel: _Kind(
        type="unknown-model", status=404, title="No such model",
        what_to_do="GET /v1/models lists them.",
    ),
    Unsupported: _Kind(
        type="unsupported", status=422, title="Not done here",
        what_to_do="Change the request as the detail says.",
    ),
    QuestionFailed: _Kind(
        type="question-failed", status=500, title="The question was not answered",
        what_to_do="Ask again; `wellread doctor` says whether a part is missing.",
    ),
    NoAnswer: _Kind(
        type="no-answer", status=504, title="No answer in time",
        what_to_do="The question goes on: asking it again waits for the same answer.",
    ),
    BadSite: _Kind(
        type="bad-site", status=422, title="The URL cannot be read",
        what_to_do="Give a public http(s) URL; add one of your own as a source first.",
    ),
    NotYourOwn: _Kind(
        type="not-your-own", status=422, title="Only for a site of your own",
        what_to_do="Add the source again with `own`, which needs the role admin.",
    ),
    BadAccess: _Kind(
        type="bad-access", status=422, title="The site cannot be reached so",
        what_to_do="Change `access` as the detail says.",
    ),
    BadExclusion: _Kind(
        type="bad-exclusion", status=422, title="The site cannot be excluded",
        what_to_do="Give the URL of a site, such as https://example.org/ or https://example.org/forum/.",
    ),
    BadFileName: _Kind(
        type="bad-file-name", status=422, title="The name cannot be used",
        what_to_do="Give another name, in the field `name`.",
    ),
    FileRefused: _Kind(
        type="file-refused", status=422, title="The file cannot be read",
        what_to_do="Send another file, or save it in one of the formats that are named.",
    ),
    UnknownFolder: _Kind(
        type="unknown-folder", status=404, title="No such folder",
        what_to_do="GET /api/folders lists the watched ones.",
    ),
    UnknownFile: _Kind(
        type="unknown-file", status=404, title="No such file",
        what_to_do="GET /api/files lists them.",
    ),
    BadBudget: _Kind(
        type="bad-budget", status=422, title="The budget is too large",
        what_to_do="Ask for less, or let the operator raise the limit.",
    ),
    TooManyOpen: _Kind(
        type="too-many-open", status=429, title="Too many questions are open",
        what_to_do="The header Retry-After says when; WELLREAD_MAX_OPEN_QUESTIONS and …_PER_CALLER are the limits.",
    ),
    TooManyStreams: _Kind(
        type="too-many-streams", status=429, title="Too many streams are open",
        what_to_do="End one, or poll GET /api/questions/ID; WELLREAD_MAX_STREAMS_PER_CALLER is the limit.",
    ),
    NoRoom: _Kind(
        type="no-room", status=503, title="There is no room for another question",
        what_to_do="Try again later; `wellread doctor` says what is full. The open questions go on.",
    ),
    PassagesError: _Kind(
        type="knowledge-base-error", status=503, title="The knowledge base cannot be used",
        detail="Its passages cannot be read or written; the API's log says why.",
        what_to_do="Try again in some seconds; `wellread doctor` says more.",
    ),
    DatabaseError: _Kind(
        type="database-error", status=503, title="The database cannot be used",
        what_to_do="Try again in some seconds; `wellread doctor` says more.",
    ),
    redis.RedisError: _Kind(
        type="redis-away", status=503, title="Redis is away", detail="Redis did not answer.",
        what_to_do="Try again in some seconds; no stored data is harmed. `wellread doctor` says more.",
    ),
    WellreadError: _Kind(
        type="wellread-error", status=500, title="The request failed", detail="The API's log says why.",
        what_to_do="Follow the detail; `wellread doctor` checks the installation.",
    ),
}  # fmt: skip


def of_error(error: Exception) -> Problem:
    """Return the problem that an error of a known kind is."""
    kind = next(_KNOWN[kind] for kind in type(error).__mro__ if kind in _KNOWN)
    detail = kind.detail or str(error)
    return Problem(type=kind.type, title=kind.title, status=kind.status, detail=detail, what_to_do=kind.what_to_do)


_HTTP_ADVICE = {
    400: "Send one JSON object in UTF-8; /openapi.json describes what is accepted.",
    404: "Check the path; /openapi.json lists them all.",
    405: "Use the method that /openapi.json names for this path.",
    408: "Send it again, at a kilobyte a second or faster.",
    413: "Send less.",
}


def of_status(status: int, detail: str) -> Problem:
    """Return a problem that says no more than its HTTP status."""
    title = HTTPStatus(status).phrase
    what_to_do = _HTTP_ADVICE.get(status, "Correct the request; /openapi.json describes what is accepted.")
    return Problem(
        type=title.lower().replace(" ", "-"),
        title=title,
        status=status,
        detail=f"{title}." if detail == title else detail,
        what_to_do=what_to_do,
    )
