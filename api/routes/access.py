"""Collections, and the keys that open them: lists, adds and deletes both, exports a collection and imports it."""

import asyncio
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Query, Request
from fastapi import Path as PathParameter
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from api import installed_version
from api.dependencies import MainDep, ServicesDep
from api.middleware.auth import ADMIN, ASK, CallerDep, require
from api.schemas.requests import CollectionChanges, CollectionRequest, KeyChanges, KeyRequest
from domain.access import ApiKey, Collection, Imported, KeyUsage, Role
from store import collections, keys, usage
from workers import deletion
from workers.questions.conditions import clean_sites
from workers.services import collections as kept
from workers.sweep import weigh_all

router = APIRouter(prefix="/api/collections", tags=["access"])
Name = Annotated[str, PathParameter(max_length=100)]
IMPORT: Final = "/api/import"
#: of an imported file; `wellread import` takes larger ones
MAX_BYTES: Final = 2_000_000_000
_PART: Final = 1 << 20
_ZIP: Final = "application/zip"
_BINARY: Final[dict[str, Any]] = {"schema": {"type": "string", "format": "binary"}}
exchange_router = APIRouter(prefix="/api", tags=["access"], dependencies=ADMIN)

#: needs the role admin, and a key that is bound to no collection
_WHOLE = [Depends(require(Role.admin, whole=True))]
usage_router = APIRouter(prefix="/api", tags=["access"], dependencies=ASK)
keys_router = APIRouter(prefix="/api/keys", tags=["access"], dependencies=_WHOLE)


@router.get("", dependencies=ASK)
def every(main: MainDep, who: CallerDep) -> list[Collection]:
    """The collections that the key opens: first `default`, then by name."""
    return [each for each in main.read(collections.list_all) if who.may_open(each.name)]


@router.post("", status_code=201, dependencies=_WHOLE)
def add(body: CollectionRequest, main: MainDep) -> Collection:
    """Add a collection. Needs the role admin, and a key that is bound to none."""
    return kept.add(main, body.name, exclude_sites=clean_sites(body.exclude_sites))


@router.patch("/{name}", dependencies=_WHOLE)
def weigh(name: Name, body: CollectionChanges, main: MainDep) -> Collection:
    """Give a collection its share of the workers. Needs the role admin, and a key that is bound to none."""
    changed = main.write(collections.weigh, name, body.weight)
    weigh_all(main)
    return changed


@router.delete("/{name}", status_code=204, dependencies=_WHOLE)
def remove(name: Name, main: MainDep) -> None:
    """Delete a collection with its sources, files, pages and questions.

    Needs the role admin, and a key that is bound to none. What a worker still writes into it is erased too.
    """
    kept.delete(main, name)
    deletion.ask_erasure(main, name)


class ZipFile(StreamingResponse):
    """A response that the OpenAPI document describes as a ZIP file."""

    media_type = _ZIP


@exchange_router.get("/export", response_class=ZipFile, responses={200: {"content": {_ZIP: _BINARY}}})
def export(services: ServicesDep) -> ZipFile:
    """Everything in the collection in one file, including private pages. Needs the role admin.

    Not in it: keys, watched folders (`wellread export collection` writes them), questions that have not ended. The
    header `X-Left-Out` says how many rows could not be written, if any; the log names them.
    """
    with TemporaryDirectory(dir=services.settings.data_dir) as folder:
        from workers import exchange  # imports what reads and writes each table

        path = Path(folder) / "collection.zip"
        left_out = exchange.export_collection(services, path, wellread=installed_version(), folders=False).left_out
        written = path.open("rb")  # it stays readable without a name, and nothing of it is left when it is closed
    name = f"wellread-{re.sub('[^a-z0-9_-]', '', services.collection.name)}.zip"
    headers = {"content-disposition": f'attachment; filename="{name}"'}

    def parts() -> Iterator[bytes]:
        with written:
            yield from iter(partial(written.read, _PART), b"")

    return ZipFile(parts(), headers=headers | ({"x-left-out": str(len(left_out))} if left_out else {}))


@exchange_router.post("/import", openapi_extra={"requestBody": {"required": True, "content": {_ZIP: _BINARY}}})
async def take_over(
    request: Request,
    services: ServicesDep,
    own: Annotated[bool, Query(description="The file is yours: also import private addresses and callbacks.")] = False,
) -> Imported:
    """Import an exported file; known pages keep their latest text. Needs the role admin.

    A file that is broken, foreign or of a newer version is refused, and nothing of it is stored. Its watched folders
    are left alone.
    """
    with TemporaryDirectory(dir=services.settings.data_dir) as folder:
        path = Path(folder) / "sent.zip"
        with path.open("wb") as file:
            async for part in request.stream():
                await asyncio.to_thread(file.write, part)
        from workers import exchange

        take = partial(exchange.take_over, own=own, folders=False, progress=lambda done, total: None)
        return await run_in_threadpool(take, services, path)


@usage_router.get("/usage")
def used(main: MainDep, who: CallerDep) -> list[KeyUsage]:
    """What each key has used today and this month (UTC), and what it may; an admin sees all keys."""
    return main.read(usage.report, main.now(), None if who.role >= Role.admin else who.owner or "")


@keys_router.get("", name="every")
def every_key(main: MainDep) -> list[ApiKey]:
    """The keys by name, without their secrets; those of WELLREAD_API_KEYS are not among them."""
    return main.read(keys.list_all)


@keys_router.post("", status_code=201, name="add")
def add_key(body: KeyRequest, main: MainDep) -> ApiKey:
    """Make a key; its `secret` is only in this response."""
    made = main.write(
        keys.add,
        body.name,
        Role[body.role],
        main.now(),
        names=body.collections,
        expires_at=body.expires_at,
        limits=body.limits.model_dump(exclude_none=True),
        callback_hosts=body.callback_hosts,
    )
    weigh_all(main)
    return made


@keys_router.patch("/{name}", name="limit")
def limit_key(name: Name, body: KeyChanges, main: MainDep) -> ApiKey:
    """Change what a key may use, or where its webhooks may go: null takes it back, and what is left out stays."""
    key = main.write(keys.change, name, body.model_dump(exclude_unset=True))
    weigh_all(main)
    return key


@keys_router.delete("/{name}", status_code=204)
def revoke(name: Name, main: MainDep) -> None:
    """Revoke a key, by name or id. What was asked with it stays."""
    main.write(keys.revoke, name)
