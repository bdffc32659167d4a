"""The client's calls for what was learned from feedback: synchronous and asynchronous."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from pydantic import TypeAdapter

from wellread.learned_records import Kind, LearnedOut, LessonOut, VersionOut
from wellread.requests import Call

_PATH = "/api/learned"
#: learning reads all feedback and fits everything anew
_LEARN_S = 600.0
_LESSONS, _VERSIONS = TypeAdapter(list[LessonOut]), TypeAdapter(list[VersionOut])


class Learning(ABC):
    """What :class:`wellread.client.Client` does with what was learned; needs the role operate."""

    @abstractmethod
    def _send(self, call: Call) -> Any: ...

    def learned(self) -> LearnedOut:
        """All versions of judge, reranker and variants, and what learning each last came to."""
        return LearnedOut.model_validate(self._send(Call(path=_PATH)))

    def learn(self) -> list[LessonOut]:
        """Learn now from all that readers said; what is better is used at once."""
        return _LESSONS.validate_python(self._send(_learn()))

    def rollback(self, kind: Kind, version: int | None = None) -> list[VersionOut]:
        """Go back to a version (0: what is shipped; None: the one before); returns what is in use of the kind then."""
        return _VERSIONS.validate_python(self._send(_rollback(kind, version)))


class AsyncLearning(ABC):
    """What :class:`wellread.client.AsyncClient` does with what was learned: the same methods, awaited."""

    @abstractmethod
    async def _send(self, call: Call) -> Any: ...

    async def learned(self) -> LearnedOut:
        """All versions of judge, reranker and variants, and what learning each last came to."""
        return LearnedOut.model_validate(await self._send(Call(path=_PATH)))

    async def learn(self) -> list[LessonOut]:
        """Learn now from all that readers said; what is better is used at once."""
        return _LESSONS.validate_python(await self._send(_learn()))

    async def rollback(self, kind: Kind, version: int | None = None) -> list[VersionOut]:
        """Go back to a version (0: what is shipped; None: the one before); returns what is in use of the kind then."""
        return _VERSIONS.validate_python(await self._send(_rollback(kind, version)))


def _learn() -> Call:
    return Call(method="POST", path=_PATH, within_s=_LEARN_S)


def _rollback(kind: Kind, version: int | None) -> Call:
    return Call(method="POST", path=f"{_PATH}/{kind}/rollback", body=None if version is None else {"version": version})
