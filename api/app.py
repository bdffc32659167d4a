"""The HTTP application: routes, keys, limits, errors, and the spans of its requests."""

import asyncio
import inspect
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

import httpx2
from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from fastapi.telemetry import TelemetryConfig
from pydantic import BaseModel
from starlette.routing import BaseRoute

from api import installed_version
from api.dependencies import open_reader
from api.mcp.endpoint import McpEndpoint
from api.middleware import problems
from api.middleware.auth import KeyRing, check_exposure, has_stored_key, parse_keys
from api.middleware.limits import SAFE, BodyLimit, KeyFirst, LargerLimit, LoopbackOnly, NoSniff
from api.middleware.problems import Problem
from api.routes import (
    access,
    bulk,
    completions,
    curated,
    documents,
    files,
    health,
    local_models,
    pages,
    questions,
    sources,
    subscriptions,
    threads,
    watches,
    web,
    webhooks,
)
from api.schemas.responses import with_published_names
from crawler.extract.bounded_process import BOUNDS
from store.questions.threads import LAST_TURNS
from workers import monitoring
from workers.services import Services
from workers.settings import LOOPBACK

#: in the order of the OpenAPI document
_ROUTES = (
    *(
        questions.chat_router,
        completions.router,
        local_models.router,
        bulk.router,
        questions.router,
        threads.router,
        watches.router,
        subscriptions.router,
        subscriptions.feed_router,
        webhooks.router,
    ),
    *(sources.router, sources.site_reads_router, pages.router, files.router, documents.router, curated.router),
    *(pages.search_router, health.router),
    *(health.operations_router, watches.learned_router, access.router, access.exchange_router, access.keys_router),
    *(access.usage_router, web.router, files.folder_router),
)

#: of a question
MAX_BODY_BYTES = 64 * 1024
#: of a conversation: clients send all of it each time, and documents with it
MAX_CHAT_BYTES = 1024 * 1024
#: of many questions
MAX_BULK_BYTES = 8 * 1024 * 1024
#: of a collection with the sites that it leaves out
MAX_COLLECTION_BYTES = 256 * 1024
#: of a form without the file in it
FORM_BYTES = 16 * 1024

_DESCRIPTION = "Answers questions from what it has read; reads the web when that is not enough; checks every citation."
_NOTHING = TelemetryConfig(tracing=False, metrics=False, logs=False, auto_configure=False)
#: below it; OpenAI's clients and probes send parameters of their own
PREFIX = "/api/"
#: the parameter that a client of a collection sends with every request, even if it makes no difference
EVERYWHERE = frozenset({"collection"})


def create_app(services: Services) -> FastAPI:
    """Build the application; raises SettingsError when it must not be served like this."""
    settings = services.settings
    keys = parse_keys(settings.api_keys)
    check_exposure(settings.api_host, lambda: bool(keys) or has_stored_key(services))
    app = create_inner_app(services)
    ring = app.state.keys = KeyRing(services, keys, needed=bool(keys) or settings.api_host not in LOOPBACK)
    app.state.mcp = McpEndpoint(app)
    app.add_route("/mcp", app.state.mcp, include_in_schema=False)
    problems.install(app)
    forms = {
        files.router.prefix: LargerLimit(
            settings.file_max_bytes + FORM_BYTES, "WELLREAD_FILE_MAX_BYTES says how large a file may be."
        ),
        access.IMPORT: LargerLimit(access.MAX_BYTES, "`wellread import FILE` takes larger ones."),
    }
    larger = forms | {
        f"{documents.router.prefix}/": LargerLimit(
            settings.file_max_bytes + FORM_BYTES,
            "WELLREAD_FILE_MAX_BYTES says how large documents may be: send fewer at once.",
        ),
        pages.EXTRACT: LargerLimit(4 * BOUNDS.chars, "Send less HTML."),
        f"{bulk.router.prefix}/bulk": LargerLimit(MAX_BULK_BYTES, "Send fewer questions at once."),
        **dict.fromkeys(
            (completions.PATH, *completions.OTHER_PATHS),
            LargerLimit(MAX_CHAT_BYTES, f"The last {LAST_TURNS} turns are read: leave out earlier ones."),
        ),
        **dict.fromkeys(local_models.PATHS, LargerLimit(MAX_CHAT_BYTES, "Send fewer texts at once.")),
        access.router.prefix: LargerLimit(MAX_COLLECTION_BYTES, "Leave out fewer sites."),
    }
    app.add_middleware(BodyLimit, max_bytes=MAX_BODY_BYTES, larger=larger)
    app.add_middleware(KeyFirst, keys=ring)
    if not ring.needed:
        app.add_middleware(LoopbackOnly, names=LOOPBACK, forms=forms)
    app.add_middleware(NoSniff)
    return app


def create_inner_app(services: Services) -> FastAPI:
    """Build the application without keys and limits, for use inside this process; a route's own error is raised."""
    app = _Api(
        title="Wellread",
        version=installed_version(),
        description=_DESCRIPTION,
        lifespan=_lifespan,
        telemetry=telemetry(),
        docs_url=None,  # theirs would load scripts from a CDN; /docs is our own
        redoc_url=None,
    )
    app.state.services, app.state.keys, app.state.waiting = services, KeyRing(services), set()
    app.state.streams = Counter()
    problems.install_for_requests(app)
    app.router.routes.extend(_routes())
    return app


@cache
def _routes() -> list[BaseRoute]:
    """Return the routes, the same for every application of this process: to make them takes longer than to answer."""
    whole = APIRouter(
        dependencies=[Depends(refuse_unknown)],
        responses={"default": {"model": Problem, "description": "An error, as application/problem+json."}},
    )
    for router in _ROUTES:
        whole.include_router(router)
    return whole.routes


class _Api(FastAPI):
    def openapi(self) -> dict[str, Any]:
        """Return the document, made once."""
        if self.openapi_schema is None:
            self.openapi_schema = problems.with_errors_as_sent(with_published_names(super().openapi()))
        return self.openapi_schema


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    app.state.reader = open_reader(app.state.services.settings.events_redis)
    try:
        async with app.state.mcp.running():
            yield
    finally:
        await app.state.reader.aclose()


def telemetry() -> TelemetryConfig:
    """Return the configuration; without a collector nothing is recorded."""
    if not monitoring.is_on():
        return _NOTHING
    return TelemetryConfig(
        tracer_provider=monitoring.provider(),
        metrics=False,
        logs=False,  # they hold the messages of errors
        operation_spans=False,
        auto_configure=False,
        # these poll, and their addresses may hold words that are searched for
        exclude=lambda scope: scope["type"] != "http" or scope["method"] in SAFE,
    )


class InProcess(httpx2.BaseTransport):
    """Lets the client talk to this process's own routes, whose errors are raised as they are; it serves no streams."""

    def __init__(self, services: Services) -> None:
        self._asgi = httpx2.ASGITransport(create_inner_app(services))

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the application's response."""

        async def respond() -> httpx2.Response:
            response = await self._asgi.handle_async_request(request)
            return httpx2.Response(response.status_code, headers=response.headers, content=await response.aread())

        return asyncio.run(respond())


async def refuse_unknown(request: Request) -> None:
    """Raise RequestValidationError for a parameter that the route does not have: nobody would notice a mistyped one."""
    route = request.scope.get("route")
    if not request.query_params or not isinstance(route, APIRoute) or not route.path.startswith(PREFIX):
        return
    known = sorted(set(_names(route.dependant)))
    if unknown := sorted(set(request.query_params) - EVERYWHERE - set(known)):
        message = f"there is no such parameter, only {', '.join(known)}" if known else "this path takes no parameters"
        raise RequestValidationError([{"type": "unknown", "loc": ("query", unknown[0][:60]), "msg": message}])


def _names(dependant: Dependant) -> Iterator[str]:
    for field in dependant.query_params:
        kind = field.field_info.annotation
        if inspect.isclass(kind) and issubclass(kind, BaseModel):
            yield from kind.model_fields
        else:
            yield field.alias
    for each in dependant.dependencies:
        yield from _names(each)
