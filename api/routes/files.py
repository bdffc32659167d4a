"""Takes files of the operator's own, and lists them with what came of reading each."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response
from fastapi import Path as PathParameter
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile

from api.dependencies import AccessDep, ServicesDep
from api.middleware.auth import ASK, OPERATE
from api.middleware.problems import BadForm
from api.routes.pages import RowId
from api.schemas.requests import FolderRequest
from crawler.discovery.schedule import schedule_of
from crawler.file_kinds import NAMES
from domain.file import SCHEME, FolderState, StoredFile
from store import files, folders
from store.sql.rows import to_value
from workers import deletion, remote_folders
from workers import files as uploads

router = APIRouter(prefix="/api/files", tags=["files"])
folder_router = APIRouter(prefix="/api/folders", tags=["files"])

#: more than there are, so that one that is not known can be named
_MOST_FIELDS: Final = 20
_FIELDS: Final = {
    "file": {"type": "string", "format": "binary", "description": "The file, with its name."},
    "name": {"type": "string", "description": "Another name, such as travel/rules.pdf."},
}
_BODY = {"type": "object", "required": ["file"], "additionalProperties": False, "properties": _FIELDS}
_FORM: dict[str, Any] = {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": _BODY}}}}


@folder_router.get("", dependencies=ASK)
def watched(services: ServicesDep) -> list[FolderState]:
    """The watched folders, by name: the next check of each, and errors."""
    return [to_value(FolderState, each) for each in services.read(folders.list_all)]


@folder_router.post("", status_code=201, dependencies=OPERATE)
def watch(body: FolderRequest, access: AccessDep) -> FolderState:
    """Watch a folder of a Git repository or an S3 bucket: what changes there is read, what is removed leaves."""
    given = body.model_dump(exclude={"collection", "every", "user", "password", "token"})
    schedule = schedule_of(every=body.every, cron=None, zone="UTC")
    every_s = (schedule and schedule.every_s) or remote_folders.EVERY_S
    secrets = {"user": body.user, "password": body.password, "token": body.token}
    folder = remote_folders.watch(access.open(body.collection), every_s=every_s, access=secrets, **given)
    return to_value(FolderState, folder)


@folder_router.delete("/{name}", status_code=204, dependencies=OPERATE)
def unwatch(name: Annotated[str, PathParameter(max_length=80)], services: ServicesDep) -> None:
    """Stop watching a folder, and delete what was read from it; the folder itself is not touched."""
    deletion.delete_folder(services, name)


@router.post(
    "",
    status_code=202,
    dependencies=OPERATE,
    openapi_extra=_FORM,
    description=f"Add a file to the knowledge base: {NAMES}.\n\n"
    "It is sent as multipart/form-data. One of the same name is replaced.",
)
async def add(request: Request, services: ServicesDep, response: Response) -> StoredFile:
    """Add a file to the knowledge base."""
    # the form is read here and not by FastAPI, which would read it before the key is looked at
    async with request.form(max_files=len(_FIELDS), max_fields=_MOST_FIELDS) as form:
        file, name = _file_and_name(form)
        content = await file.read()
    stored = await run_in_threadpool(uploads.add, services, name, content)
    response.headers["Location"] = f"/api/files/{stored.id}"
    return stored


def _file_and_name(form: FormData) -> tuple[UploadFile, str]:
    keys = [key for key, _ in form.multi_items()]
    if unknown := sorted(set(keys).difference(_FIELDS)):
        raise BadForm(f"The form has no field {unknown[0][:60]!r}: it takes {' and '.join(_FIELDS)}.")
    if twice := [key for key in _FIELDS if keys.count(key) > 1]:
        raise BadForm(f"The form has the field {twice[0]} more than once: send one file in each request.")
    file, name = form.get("file"), form.get("name", "")
    if not isinstance(file, UploadFile):
        raise BadForm("There is no file in the request: send it as multipart/form-data, in the field `file`.")
    if not isinstance(name, str):
        raise BadForm("The field `name` must be text, not a file.")
    return file, name or file.filename or ""


@router.get("", dependencies=ASK)
def every(
    services: ServicesDep,
    folder: Annotated[
        str, Query(max_length=100, description="Only of this folder; `uploads` has the uploaded files.")
    ] = "",
    failed: Annotated[bool, Query(description="Only those that could not be read.")] = False,
    after: Annotated[str, Query(max_length=2048, description="Only those after this address, for the next part.")] = "",
    address: Annotated[str, Query(max_length=2048, description="Only the one with this address.")] = "",
    limit: Annotated[int, Query(ge=1, le=1_000)] = 1_000,
) -> list[StoredFile]:
    """The files that were added or found in a watched folder, by address."""
    folder = folder.rstrip("/")
    prefix = f"{SCHEME}{folder}/" if folder else ""
    with services.database.read() as session:
        if folder:
            folders.check(session, folder)
        return files.list_all(session, prefix=prefix, failed=failed, after=after, address=address, limit=limit)


@router.delete("/{file_id}", status_code=204, dependencies=OPERATE)
def remove(file_id: RowId, services: ServicesDep) -> Response:
    """Delete a file with everything derived; one in a watched folder is not read again.

    204 when its passages are gone, 202 while a worker still has to remove them.
    """
    page_id = deletion.delete_file(services, file_id)
    return Response(status_code=204 if page_id is None or deletion.wait_until_gone(services, [page_id]) else 202)


@router.get("/{file_id}", dependencies=ASK)
def one(file_id: RowId, services: ServicesDep) -> StoredFile:
    """A file, and the progress of reading it."""
    return services.read(files.find, file_id)
