"""Learns from readers' feedback, shows what was learned, and returns to the shipped judge."""

from fastapi import APIRouter, Depends

from api.dependencies import ServicesDep
from api.middleware.auth import require
from domain.access import Role
from store.learned import Learned, all_learned
from wellread.learned import LearnedOut

router = APIRouter(prefix="/api/learned", tags=["learning"], dependencies=[Depends(require(Role.operate))])


@router.get("", response_model=list[LearnedOut])
def every(services: ServicesDep) -> list[Learned]:
    """How feedback corrects the judge's confidence, or why it does not, by embedder, language and calibration."""
    with services.database.read() as session:
        return all_learned(session)


@router.post("", response_model=list[LearnedOut])
def learn(services: ServicesDep) -> list[Learned]:
    """Fit the corrections now to all feedback; they are used immediately."""
    from workers import learning  # brings half the pipeline along, which this process otherwise does without

    return learning.learn(services)


@router.delete("", response_model=list[LearnedOut])
def reset(services: ServicesDep) -> list[Learned]:
    """Return to the shipped judge; feedback given so far no longer counts."""
    from workers import learning

    return learning.reset(services)
