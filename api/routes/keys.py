"""Lists, makes and revokes API keys beside those of the settings."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response

from api.dependencies import MainDep
from api.middleware.auth import require_whole
from api.schemas.requests import KeyRequest
from domain.access.key import ApiKey, Role
from store import keys

router = APIRouter(prefix="/api/keys", tags=["access"], dependencies=[Depends(require_whole)])


@router.get("")
def every(main: MainDep) -> list[ApiKey]:
    """The keys by name, without their secrets; those of WELLREAD_API_KEYS are not among them."""
    with main.database.read() as session:
        return keys.list_all(session)


@router.post("", status_code=201)
def add(body: KeyRequest, main: MainDep) -> ApiKey:
    """Make a key; its `secret` is only in this response."""
    role = Role[body.role]
    with main.database.write() as session:
        return keys.add(session, body.name, role, main.now(), names=body.collections, expires_at=body.expires_at)


@router.delete("/{name}", status_code=204)
def revoke(name: Annotated[str, Path(max_length=100)], main: MainDep) -> Response:
    """Revoke a key, by name or id. What was asked with it stays."""
    with main.database.write() as session:
        keys.revoke(session, name)
    return Response(status_code=204)
