"""Takes documents that programs push under ids of their own, one or many; lists and deletes them by their metadata."""

import json
from dataclasses import replace
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from api.dependencies import AccessDep, ServicesDep, link_to_next
from api.middleware import problems
from api.middleware.auth import ASK, OPERATE
from api.middleware.problems import BadForm
from api.schemas.requests import DocumentBulkRequest, DocumentFields, DocumentPage, DocumentRequest, DocumentsMeant
from domain.document import MAX_ID, DocumentBulk, DocumentChange, DocumentItem, Pushed, PushedDocument
from domain.errors import WellreadError
from domain.storable import storable
from store import documents
from workers import deletion
from workers import documents as pushed
from workers.services import Services

router = APIRouter(prefix="/api/documents", tags=["documents"])

DocumentId = Annotated[str, Path(description=f"Your own id of the document: any text of at most {MAX_ID} characters.")]
_FILE: Final = {"type": "string", "format": "binary", "description": "The file, with its name."}
_FIELDS: Final = {name: {"type": "string"} for name in DocumentFields.model_fields if name != "collection"}
_FORM: Final = {"type": "object", "required": ["file"], "properties": {"file": _FILE, **_FIELDS}}
_JSON: Final = "application/json"


@router.post("/bulk", dependencies=OPERATE)
def put_many(body: DocumentBulkRequest, access: AccessDep) -> DocumentBulk:
    """Push up to 500 documents, each with its `id`; each that cannot be taken is reported, and the others are taken."""
    items = list[DocumentItem]()
    for line, given in enumerate(body.documents, start=1):
        document_id, fields = given.get("id"), {name: value for name, value in given.items() if name != "id"}
        item = DocumentItem(line=line, id=None if document_id is None else storable(str(document_id)[:MAX_ID]))
        try:
            if not isinstance(document_id, str):
                raise BadForm("id: it is missing, or no text.")
            asked = DocumentRequest.model_validate(fields)
            document, is_changed = pushed.put(access.open(asked.collection or body.collection), document_id, _of(asked))
            items.append(replace(item, state=document.state, is_changed=is_changed))
        except (ValidationError, WellreadError) as error:
            items.append(replace(item, problem=problems.of_one(error, "document")))
    return DocumentBulk(documents=tuple(items))


@router.post("/delete", dependencies=OPERATE)
def delete_many(body: DocumentsMeant, access: AccessDep) -> DocumentChange:
    """Delete the documents that fit all filters, with everything derived from them; ask again while some are left."""
    return pushed.delete_all(access.open(body.collection), body.filters, dry_run=body.dry_run)


@router.get("", dependencies=ASK)
def every(
    wanted: Annotated[DocumentPage, Query()], services: ServicesDep, request: Request, response: Response
) -> list[PushedDocument]:
    """The documents that fit all filters, by id; the header `Link` (rel="next") leads to those that follow, if any."""
    found = services.read(
        documents.list_all, wanted.filter, state=wanted.state, after=wanted.after, limit=wanted.limit + 1
    )
    if len(found) > wanted.limit:
        link_to_next(request, response, found[wanted.limit - 1].id)
    return found[: wanted.limit]


@router.put(
    "/{document_id:path}",
    dependencies=OPERATE,
    responses={201: {"model": PushedDocument, "description": "It is new."}},
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                _JSON: {"schema": DocumentRequest.model_json_schema()},
                "multipart/form-data": {"schema": _FORM},
            },
        }
    },
)
async def put(document_id: DocumentId, request: Request, access: AccessDep, response: Response) -> PushedDocument:
    """Push a document: JSON with one of `text`, `markdown` and `html`, or a form with a `file`.

    What is there under this id is replaced; where nothing changed, nothing is done.
    """
    if request.headers.get("content-type", "").startswith("multipart/form-data"):
        async with request.form(max_files=1, max_fields=20) as form:
            collection, given = await _of_form(form.multi_items())
    else:
        asked = _validated(DocumentRequest, await request.body())
        collection, given = asked.collection, _of(asked)

    def take(services: Services) -> PushedDocument:
        document, is_changed = pushed.put(services, document_id, given)
        if is_changed and document.added_at == document.changed_at:
            response.status_code = 201
        return document

    return await run_in_threadpool(take, access.open(collection))


async def _of_form(items: list[tuple[str, Any]]) -> tuple[str, Pushed]:
    fields, file = dict[str, Any](), None
    for name, value in items:
        if name in fields or (name == "file" and file is not None):
            raise BadForm(f"The form has the field {name} more than once.")
        if name == "file":
            file = value
        else:
            fields[name] = value
    if not isinstance(file, UploadFile):
        raise BadForm("There is no file in the form: send it in the field `file`, or the text as JSON.")
    if "metadata" in fields:
        try:
            fields["metadata"] = json.loads(fields["metadata"])
        except (ValueError, TypeError) as error:
            raise BadForm("metadata: it is not a JSON object.") from error
    about = _validated(DocumentFields, json.dumps(fields, default=str).encode())
    return about.collection, Pushed(form="file", content=await file.read(), name=file.filename or "", **_about(about))


def _validated(kind: type[Any], body: bytes) -> Any:
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        raise RequestValidationError([{**entry, "loc": ("body", *entry["loc"])} for entry in error.errors()]) from error


def _of(asked: DocumentRequest) -> Pushed:
    form, text = asked.content
    return Pushed(form=form, content=text.encode(), **_about(asked))


def _about(asked: DocumentFields) -> dict[str, Any]:
    return {name: getattr(asked, name) for name in DocumentFields.model_fields if name != "collection"}


@router.get("/{document_id:path}", dependencies=ASK)
def one(document_id: DocumentId, services: ServicesDep) -> PushedDocument:
    """A document, and whether answers can be drawn from it yet."""
    return services.read(documents.find, document_id)


@router.delete("/{document_id:path}", status_code=204, dependencies=OPERATE)
def remove(document_id: DocumentId, services: ServicesDep) -> Response:
    """Delete a document with everything derived from it.

    204 when its passages are gone, 202 while a worker still has to remove them.
    """
    page_id = pushed.delete(services, document_id)
    return Response(status_code=204 if deletion.wait_until_gone(services, [page_id]) else 202)
