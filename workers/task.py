"""What every task does around its work: it finds the row whose turn it is, and says what came of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import celery
from redis import RedisError

from domain.access import DEFAULT, UnknownCollection
from domain.flow import TASKS
from workers import monitoring
from workers.services.dispatch import SHARED_AT

#: rows that one message is about at most, the last its own: those before it waited no more
MOST_TURNS = 20
Args: TypeAlias = tuple[Any, ...]
Named: TypeAlias = dict[str, Any]


class WellreadTask(celery.Task[Any, Any]):
    """A task of ours. Its result is words for who watches, or what a task that is linked to it gets."""

    throws = (UnknownCollection,)

    def __call__(self, *args: Any, **kwargs: Any) -> str | None:
        """Work; return the task's own result, or what came of it."""
        from workers.services import services

        for turn in range(MOST_TURNS):
            row = self._next_in_turn() if turn < MOST_TURNS - 1 else None
            try:
                result, words = self._work(*(row or (args, kwargs)), is_own=row is None)
            except UnknownCollection:  # it was deleted with rows that stood in a line
                if row is None:
                    raise
                continue
            if row is None or words != monitoring.NOT_DUE:  # else its line had a row that waits no more
                break
        return result or (words or "done" if services().settings.flower_words else None)

    def _work(self, args: Args, kwargs: Named, *, is_own: bool) -> tuple[str | None, str]:
        """Work on a row; return the task's own result, and what came of it."""
        with monitoring.listening() as reported, self._span(*args, is_own=is_own, **kwargs):
            result = self.run(*args, **kwargs)
        return result, reported()

    @contextmanager
    def _span(
        self, row_id: object = None, *_: object, is_own: bool, collection: str = DEFAULT, **__: object
    ) -> Iterator[None]:
        known = TASKS.get(self.name)
        if not monitoring.is_on() or known is None or known.every_s:  # what beat sends all the time leaves no trace
            yield
            return
        from workers.services import services

        question, parents = monitoring.question_of(self.name, row_id), services().trace_parents
        if is_own:
            parent = monitoring.headers_of(self.request)
        else:
            parent = parents.of(f"{self.name}/{collection}/{row_id}") or (parents.of(question) if question else {})
        with monitoring.span(self.name, "consumer", parent=parent, **monitoring.attributes_of(self.name, row_id)):
            if question:
                parents.keep(question, monitoring.headers())
            yield

    def _next_in_turn(self) -> tuple[Args, Named] | None:
        """Return the arguments of the row that has waited fairest; None: the message is about its own."""
        from workers.services import services

        at = (self.request.headers or {}).get(SHARED_AT, getattr(self.request, SHARED_AT, None))
        try:
            row = None if at is None else services().shares.next(self.name, int(at))
        except RedisError:
            return None
        if row is None:
            return None
        collection, _, row_id = row.partition("/")
        named = {} if collection == DEFAULT else {"collection": collection}
        return (row_id if TASKS[self.name].row == "question" else int(row_id),), named
