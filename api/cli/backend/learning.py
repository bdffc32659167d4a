"""What was learned from feedback, at the API that WELLREAD_API_URL names, or in this machine's database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from api.cli.connect import named_api, open_services

if TYPE_CHECKING:
    from wellread.learned_records import Kind, LearnedOut, LessonOut, VersionOut
    from workers.services import Services


class Lessons(Protocol):
    """Where it is learned."""

    def learned(self) -> LearnedOut:
        """All versions, and what learning last came to."""

    def learn(self) -> Sequence[LessonOut]:
        """Learn now."""

    def rollback(self, kind: Kind, version: int | None = None) -> Sequence[VersionOut]:
        """Go back to a version (0: what is shipped; None: the one before); returns what is in use then."""


@contextmanager
def open_lessons() -> Iterator[Lessons]:
    """Yield them, wherever they are kept; needs no running stack."""
    if (named := named_api()) is not None:
        with named as client:
            yield client
        return
    yield _Local(open_services())


class _Local:
    def __init__(self, services: Services) -> None:
        self._services = services

    def learned(self) -> LearnedOut:
        from api.routes.learned import every

        return every(self._services)

    def learn(self) -> Sequence[LessonOut]:
        from api.routes.learned import learn

        return learn(self._services)

    def rollback(self, kind: Kind, version: int | None = None) -> Sequence[VersionOut]:
        from wellread.learned_records import VersionOut
        from workers.learning import refit

        return [VersionOut.model_validate(each) for each in refit.rollback(self._services, kind, version)]
