"""Versions in use reach a process that runs, and cost it a look now and then."""

from __future__ import annotations

from store.learned import versions
from store.learned.versions import Version
from workers.services import Services
from workers.services.learned_versions import LearnedVersions

FITTED = {"calibrations": {"de": {"weights": {"nearness": 2.0}, "intercept": -1.0}}}


def _choose(services: Services, kind: versions.Kind, parameters: dict[str, object], embedder: str = "") -> Version:
    with services.database.write() as session:
        return versions.add(
            session,
            kind,
            embedder=embedder,
            parameters=parameters,
            metrics={},
            examples=1,
            now=services.now(),
        )


def test_what_is_chosen_is_noticed_without_a_restart(services: Services) -> None:
    here = LearnedVersions(services.database, every_s=0.0)
    assert (here.now().judges, here.now().reranker, here.name()) == ({}, None, "")
    _choose(services, "judge", FITTED, embedder="e")
    _choose(services, "reranker", {"weights": {"title": 1.0}})
    _choose(services, "variants", {"counts": {}})
    judge, reranker = here.now().judges["e"], here.now().reranker
    assert (judge.number, judge.calibrations["de"].intercept) == (1, -1.0)
    assert reranker is not None
    assert reranker.weights == {"title": 1.0}
    assert here.name() == "judge 1, reranker 1"
    with services.database.write() as session:
        versions.rollback(session, "judge", 0)
    assert here.now().judges == {}
    assert here.name() == "reranker 1"


def test_database_is_not_asked_for_every_question(services: Services) -> None:
    here = LearnedVersions(services.database, every_s=3600.0)
    assert here.name() == ""
    _choose(services, "reranker", {"weights": {"title": 1.0}})
    assert here.now().reranker is None
