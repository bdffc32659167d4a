"""Lists, adds and deletes collections: knowledge bases that nothing crosses."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response

from api.dependencies import MainDep
from api.middleware.auth import CallerDep, require, require_whole
from api.schemas.requests import CollectionRequest
from domain.access.collection import Collection
from domain.access.key import Role
from store import collections
from workers import erasure
from workers.questions.conditions import clean_sites
from workers.services import collections as kept

router = APIRouter(prefix="/api/collections", tags=["access"])

Name = Annotated[str, Path(max_length=100)]


@router.get("", dependencies=[Depends(require(Role.ask))])
def every(main: MainDep, who: CallerDep) -> list[Collection]:
    """The collections that the key opens: first `default`, then by name."""
    with main.database.read() as session:
        return [each for each in collections.list_all(session) if who.may_open(each.name)]


@router.post("", status_code=201, dependencies=[Depends(require_whole)])
def add(body: CollectionRequest, main: MainDep) -> Collection:
    """Add a collection. Needs the role admin, and a key that is bound to none."""
    return kept.add(main, body.name, exclude_sites=clean_sites(body.exclude_sites))


@router.delete("/{name}", status_code=204, dependencies=[Depends(require_whole)])
def remove(name: Name, main: MainDep) -> Response:
    """Delete a collection with its sources, files, pages and questions.

    Needs the role admin, and a key that is bound to none. What a worker still writes into it is erased too.
    """
    kept.delete(main, name)
    erasure.ask(main, name)
    return Response(status_code=204)
