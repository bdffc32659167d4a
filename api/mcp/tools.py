"""The tools that assistants call: ask, search, read, extract, status, sources. Each calls the HTTP API with its key."""

import inspect
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Annotated, Any, Final, TypeVar

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from api import installed_version
from api.schemas.requests import wrong_field
from domain import WITH_TEXT
from domain.flow import STEPS
from domain.options import Asked, Option, SearchRequest, Url, options_of
from domain.record import FoundPassage, NearPassage, Record
from domain.site import ExtractedPage, PageRead, Source
from wellread import AsyncClient, ClientError

Function = TypeVar("Function", bound=Callable[..., Any])

Collection = Annotated[str, Field(max_length=100, description="The collection; empty: the default one.")]
#: opens a client for a call: by the headers that came with it (None on stdin and stdout), in a collection
Connect = Callable[[Mapping[str, str] | None, str], AsyncClient]
_INSTRUCTIONS: Final = (
    "Wellread answers questions from pages it has read, each sentence with a citation that was checked, and reads the "
    "web when it knows too little. `ask` for answers, `search` for passages. Quote its citations' URLs, and say where "
    "the `outcome` is unsure."
)
#: between the parts of a list that is given as a text; a URL may have a comma
_BETWEEN: Final = re.compile(r",?\s+|,(?=\w+:|\w{2,3}(?:,|$))")
#: seconds between two looks at a question, and the part of the time waited that may pass if that is more
_POLL_EVERY_S, _POLL_PART = 0.5, 0.1
#: of a page that is extracted: characters, and links
_MOST_MARKDOWN, _MOST_LINKS = 40_000, 100


def with_options(body: type[BaseModel]) -> Callable[[Function], Function]:
    """Give a tool an argument for each option of a body that assistants may set, in place of its ``**options``."""

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function, eval_str=True)
        own = [each for each in signature.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
        options = [_parameter(name, option) for name, option in _arguments(body).items()]
        function.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
        return function

    return decorate


def options_given(arguments: Mapping[str, Any], body: type[BaseModel] = Asked) -> dict[str, Any]:
    """Return the options that an assistant gave, as the client takes them."""
    known = _arguments(body)
    plain = {
        known[name].name: value.model_dump(exclude_none=True) if isinstance(value, BaseModel) else value
        for name, value in arguments.items()
    }
    return {name: value for name, value in plain.items() if value not in (None, "", [])}


@cache
def _arguments(body: type[BaseModel]) -> dict[str, Option]:
    return {option.argument.name or option.name: option for option in options_of(body) if option.argument}


def _parameter(name: str, option: Option) -> inspect.Parameter:
    """Return the argument: a text that is left out is empty, a list or object null; the API checks a text's form."""
    assert option.argument is not None
    kind: Any = option.field.annotation
    default = option.field.get_default()
    marks = [Field(description=option.argument.help or option.description)]
    if option.schema["type"] == "string" and "enum" not in option.schema:
        kind, default = str, ""
    else:
        marks += option.field.metadata
        if option.field.default_factory is not None:
            kind, default = kind | None, None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, *marks])


class StrictTool(Tool):
    """A tool with exactly the arguments of its function."""

    def model_post_init(self, context: Any, /) -> None:
        """Tell assistants that there are no other arguments."""
        super().model_post_init(context)
        self.parameters["additionalProperties"] = False

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        """Run the tool; raise ToolError if an argument is unknown or wrong."""
        known = self.parameters["properties"]
        arguments = self._given(arguments)
        if unknown := [name for name in arguments if name not in known]:
            has = ", ".join(known) or "none"
            raise ToolError(f"{unknown[0][:100]}: there is no such argument of {self.name}; it has {has}.")
        try:
            self.fn_metadata.validate_arguments(arguments)
        except ValidationError as error:
            wrong = (wrong_field(".".join(map(str, entry["loc"])), entry) for entry in error.errors()[:8])
            raise ToolError("; ".join(wrong)) from error
        return await super().run(arguments, context, convert_result)

    def _given(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments as meant: clients send null or "" for one left out, and a text for a list."""
        required = self.parameters.get("required", ())
        given = {
            name: value for name, value in arguments.items() if value is not None and (value != "" or name in required)
        }
        for name, value in given.items():
            schema = self.parameters["properties"].get(name, {})
            kinds = {each.get("type") for each in (schema, *schema.get("anyOf", ()))}
            if isinstance(value, str) and "array" in kinds and not value.lstrip().startswith("["):
                given[name] = [each for each in _BETWEEN.split(value) if each]
        return given


@dataclass(frozen=True, kw_only=True)
class Cited:
    """A source of an answer."""

    marker: int  #: its [n] in the answer
    url: str
    title: str  #: the page's, and the headings above the quote
    place: str  #: the page, slide or row of a file
    quote: str


@dataclass(frozen=True, kw_only=True)
class Answered:
    """A question as it stands."""

    question_id: str
    question: str
    question_as_understood: str | None  #: the question that was looked up, if it was completed
    thread: str | None  #: the id of its thread, to ask on in it
    asks_back: bool  #: whether the question needs the one it follows, or its subject
    status: str
    outcome: str | None  #: answered, unsure (perhaps right) or unknown; null until it is final
    final: bool  #: whether the answer stays as it is; else `status` tells how it goes on
    answer: str | None  #: in Markdown
    short_answer: str | None  #: the few words of the answer that were asked for
    confidence: float
    notice: str
    structured: dict[str, Any] | list[dict[str, Any]] | None  #: as `answer_schema` says; null if no page says it
    citations: list[Cited]
    nearest: tuple[NearPassage, ...]  #: if it is unsure or unknown; no part of the answer
    error: str | None


class McpTools:
    """The tools; a method's docstring is what the assistant reads."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect

    @with_options(Asked)
    async def ask(
        self,
        ctx: Context,
        question: Annotated[str, Field(description="A question, with the names it is about; or one after another.")],
        wait_s: Annotated[float, Field(ge=0, le=600, description="Seconds to wait for the final answer.")] = 50.0,
        **options: Any,
    ) -> Answered:
        """Answer a question with checked citations. Where `final` is false, `status` tells the final answer later."""
        terms = options_given(options)
        async with self._client(ctx, terms.pop("collection", "")) as client:
            question_id = await client.submit(question, **terms)
            return _answered(await _follow(ctx, client, question_id, wait_s))

    @with_options(SearchRequest)
    async def search(self, ctx: Context, query: str, **options: Any) -> list[FoundPassage]:
        """Return the passages of what was read that fit best, without an answer. Nothing is read."""
        filters: Any = options_given(options, SearchRequest)
        async with self._client(ctx, filters.pop("collection", "")) as client:
            found: list[Any] = [_json(passage) for passage in await client.search(query, **filters)]
            return found

    async def read(
        self,
        ctx: Context,
        url: Url,
        whole_site: Annotated[
            bool, Field(description="Whether all below the URL is read, not the page alone.")
        ] = False,
        max_pages: Annotated[int, Field(ge=1, le=1_000_000, description="Of a whole site.")] = 1_000,
        collection: Collection = "",
    ) -> dict[str, Any]:
        """Have a page or a whole site read, so that answers can use it. Returns at once; `status` tells how it goes."""
        async with self._client(ctx, collection) as client:
            if whole_site:
                site = await client.read_site(url, max_pages=max_pages)
                return {"site_read_id": site.id, "url": site.url, "status": site.status}
            page = await client.read(url)
            return {"page_read_id": page.id, "url": page.url, "status": "WAITING"}

    async def extract(
        self,
        ctx: Context,
        url: Url,
        start: Annotated[int, Field(ge=0, description="First character of its Markdown.")] = 0,
        collection: Collection = "",
    ) -> dict[str, Any]:
        """Return a page of the web as Markdown with its title, dates and links, long ones in parts. It is not kept."""
        async with self._client(ctx, collection) as client:
            page = await client.extract(url)
        end = start + _MOST_MARKDOWN
        part = {"markdown": page.markdown[start:end], "next_start": end if end < len(page.markdown) else None}
        return _json(replace(page, links=page.links[:_MOST_LINKS])) | part

    async def status(
        self,
        ctx: Context,
        question_id: str = "",
        page_read_id: Annotated[int, Field(ge=0)] = 0,
        site_read_id: Annotated[int, Field(ge=0)] = 0,
        collection: Collection = "",
    ) -> dict[str, Any]:
        """Tell how far a question or a reading has come; without an id how much is known and how much waits."""
        if sum(map(bool, (question_id, page_read_id, site_read_id))) > 1:
            raise ToolError("Give one id: of a question, of a page's reading or of a site's.")
        async with self._client(ctx, collection) as client:
            if question_id:
                return _json(_answered(await client.get(question_id)))
            if page_read_id:
                return _json(await client.reading(page_read_id))
            if site_read_id:
                return dict((await client.site_read(site_read_id)).json)
            return dict(await client.stats())

    async def sources(self, ctx: Context, collection: Collection = "") -> list[Source]:
        """List the sites whose pages are kept up to date and may be read for any question."""
        async with self._client(ctx, collection) as client:
            return await client.sources()

    @asynccontextmanager
    async def _client(self, ctx: Context, collection: str) -> AsyncIterator[AsyncClient]:
        """Yield a client for one call; a refusal of the API becomes an error that the assistant can read."""
        try:
            async with self._connect(ctx.headers, collection) as client:
                yield client
        except ClientError as error:
            raise ToolError(str(error)) from error


def build(connect: Connect) -> MCPServer:
    """Return the server of the protocol, with all tools."""
    tools = McpTools(connect)
    every: list[Callable[..., Any]] = [tools.ask, tools.search, tools.read, tools.extract, tools.status, tools.sources]
    return MCPServer(
        "wellread",
        instructions=_INSTRUCTIONS,
        version=installed_version(),
        log_level="WARNING",
        tools=[StrictTool.from_function(tool) for tool in every],
    )


async def _follow(ctx: Context, client: AsyncClient, question_id: str, wait_s: float) -> Record:
    """Return the record once it is final, or after ``wait_s`` seconds; report each step on the way."""
    began, steps, last = time.monotonic(), 0, ""
    while True:
        record = await client.get(question_id)
        step = STEPS.get(record.status)
        message = step.doing if step else "done" if record.status.is_final else "waiting"
        if record.pages:
            read = sum(page.outcome in WITH_TEXT for page in record.pages)
            message += f" ({read} of {len(record.pages)} pages read)"
        if message != last:
            steps, last = steps + 1, message
            await ctx.report_progress(steps, message=message)
        waited_s = time.monotonic() - began
        if record.status.is_final or waited_s >= wait_s:
            return record
        await anyio.sleep(min(pause_s(waited_s), wait_s - waited_s))


def pause_s(waited_s: float) -> float:
    """Return the seconds until a question is looked at again: many that are waited for long must not fill the API."""
    return max(_POLL_EVERY_S, waited_s * _POLL_PART)


def _answered(record: Record) -> Answered:
    same = {each.name: getattr(record, each.name) for each in fields(Answered) if hasattr(record, each.name)}
    of_its_own = {
        "question_id": record.id,
        "final": record.status.is_final,
        "structured": record.structured.value if record.structured else None,
        "citations": [Cited(**{each.name: getattr(c, each.name) for each in fields(Cited)}) for c in record.citations],
    }
    return Answered(**same | of_its_own)


def _json(value: Answered | FoundPassage | PageRead | ExtractedPage) -> dict[str, Any]:
    """Return the value as the API publishes it, without the client's copy of the JSON, which would be read twice."""
    values: dict[str, Any] = TypeAdapter(type(value)).dump_python(value, mode="json")
    return values
