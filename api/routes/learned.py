"""Learns from feedback, lists the learned versions, and goes back to one."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter, Depends

from api.dependencies import ServicesDep
from api.middleware.auth import require
from domain.access.key import Role
from store.learned import versions
from store.learned.versions import Version
from wellread.learned_records import Kind, LearnedOut, LessonOut, RollbackRequest, VersionOut

router = APIRouter(prefix="/api/learned", tags=["learning"], dependencies=[Depends(require(Role.operate))])


@router.get("", response_model=LearnedOut)
def every(services: ServicesDep) -> LearnedOut:
    """All versions of judge, reranker and variants, and the result of the last refit of each."""
    with services.database.read() as session:
        listed, tries = versions.list_all(session), versions.tries(session)
    return LearnedOut.model_validate({"versions": listed, "tries": tries}, from_attributes=True)


@router.post("", response_model=list[LessonOut])
def learn(services: ServicesDep) -> Sequence[LessonOut]:
    """Refit now from all feedback; a version that is better and passes the floor is used immediately."""
    from workers.learning import refit  # brings half the pipeline along, which this process otherwise does without

    return [LessonOut.model_validate(lesson) for lesson in refit.learn(services, by_hand=True)]


@router.post("/{kind}/rollback", response_model=list[VersionOut])
def rollback(kind: Kind, services: ServicesDep, asked: RollbackRequest | None = None) -> list[Version]:
    """Return to an earlier version of a kind, or to the shipped one; returns the version in use."""
    from workers.learning import refit

    return refit.rollback(services, kind, asked.version if asked else None)
