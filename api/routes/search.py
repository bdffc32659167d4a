"""Searches the knowledge base for passages, without an answer."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from api.dependencies import AccessDep
from api.middleware.auth import require
from api.schemas.requests import SearchRequest, to_passage_query
from domain.access.key import Role
from domain.record import FoundPassage
from workers.questions import search as passages

router = APIRouter(prefix="/api", tags=["pages"], dependencies=[Depends(require(Role.ask))])


@router.post("/search")
def search(body: SearchRequest, access: AccessDep) -> list[FoundPassage]:
    """The best passages, as phase 1 of a question finds them; no answer, no crawl."""
    return list(passages.search(access.open(body.collection), to_passage_query(body)))
