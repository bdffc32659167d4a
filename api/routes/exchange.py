"""Writes a collection into one file, and takes such a file over."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Annotated, Any, Final

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from api import installed_version
from api.dependencies import ServicesDep
from api.middleware.auth import require
from domain.access.collection import Imported
from domain.access.key import Role
from workers import exchange
from workers.services import Services

IMPORT: Final = "/api/import"
#: of an imported file; `wellread import` takes larger ones
MAX_BYTES: Final = 2_000_000_000
_PART: Final = 1 << 20
_ZIP: Final = "application/zip"
_BINARY: Final[dict[str, Any]] = {"schema": {"type": "string", "format": "binary"}}

router = APIRouter(prefix="/api", tags=["access"], dependencies=[Depends(require(Role.admin))])


class ZipFile(StreamingResponse):
    """A response that the OpenAPI document describes as a ZIP file."""

    media_type = _ZIP


@router.get("/export", response_class=ZipFile, responses={200: {"content": {_ZIP: _BINARY}}})
def export(services: ServicesDep) -> ZipFile:
    """Everything in the collection in one file, including private pages. Needs the role admin.

    Not in it: keys, watched folders (`wellread export collection` writes them), questions that have not ended. The
    header `X-Left-Out` says how many rows could not be written, if any; the log names them.
    """
    with TemporaryDirectory(dir=services.settings.data_dir) as folder:
        path = Path(folder) / "collection.zip"
        left_out = exchange.export_collection(services, path, wellread=installed_version(), folders=False).left_out
        written = path.open("rb")  # it stays readable without a name, and nothing of it is left when it is closed
    name = f"wellread-{re.sub('[^a-z0-9_-]', '', services.collection.name)}.zip"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return ZipFile(_parts(written), headers=headers | ({"x-left-out": str(len(left_out))} if left_out else {}))


@router.post("/import", openapi_extra={"requestBody": {"required": True, "content": {_ZIP: _BINARY}}})
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
        return await run_in_threadpool(_take, services, path, own)


def _take(services: Services, path: Path, own: bool) -> Imported:
    return exchange.take_over(services, path, own=own, folders=False, progress=lambda done, total: None)


def _parts(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while part := file.read(_PART):
            yield part
