"""What every task does around its work: it says what came of it, and gives the work back when its worker stops."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import celery
import structlog
from kombu.exceptions import OperationalError
from redis import RedisError

from domain.access import UnknownCollection
from domain.flow import TASKS
from workers import monitoring
from workers.services.interruptions import Stopped, is_orphan, working

log = structlog.get_logger()


class WellreadTask(celery.Task[Any, Any]):
    """A task of ours. Its result is words for who watches, or what a task that is linked to it gets."""

    throws = (UnknownCollection,)

    def __call__(self, *args: Any, **kwargs: Any) -> str | None:
        """Work; return the task's own result, or what came of it."""
        from workers.services import services

        result = None
        with monitoring.listening() as reported, self._span(*args):
            try:
                with working():
                    result = self.run(*args, **kwargs)
            except Stopped:
                self._give_back()
        if is_orphan():  # nobody takes the result, nor gives it another task
            monitoring.close()
            os._exit(0)
        return result or (reported() or "done" if services().settings.flower_words else None)

    @contextmanager
    def _span(self, row_id: object = None, *_: object) -> Iterator[None]:
        known = TASKS.get(self.name)
        if not monitoring.is_on() or known is None or known.every_s:  # what beat sends all the time leaves no trace
            yield
            return
        from workers.services import services

        parent, said = monitoring.headers_of(self.request), monitoring.attributes_of(self.name, row_id)
        with monitoring.span(self.name, "consumer", parent=parent, **said):
            if question := monitoring.question_of(self.name, row_id):
                services().trace_parents.keep(question, monitoring.headers())
            yield

    def _give_back(self) -> None:
        """Send the message again, for another worker; where that fails, the sweep sends it."""
        request = self.request
        monitoring.report("given back: the worker stops")
        log.info("given_back", task=self.name)
        try:
            self.app.send_task(
                self.name,
                args=request.args,
                kwargs=dict(request.kwargs or {}),
                queue=TASKS[self.name].queue,
                priority=(request.delivery_info or {}).get("priority"),
                argsrepr=getattr(request, "argsrepr", None),
                headers=monitoring.headers() or None,
                retry=False,
            )
        except (OperationalError, OSError, RedisError) as error:
            log.warning("message_not_sent", task=self.name, error=str(error))
