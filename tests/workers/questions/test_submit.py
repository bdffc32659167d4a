"""Questions as they are taken."""

from __future__ import annotations

from typing import Any

from domain import Status
from store.questions.new_questions import NewQuestion
from workers.questions import submit
from workers.services import Services
from workers.services.dispatch import Dispatcher

ASKED = NewQuestion(text="Who built the lighthouse?")


class _Sender:
    """Keeps what is shown of the last message as its arguments."""

    shown: str | None = None

    def send_task(self, *_: Any, argsrepr: str | None, **__: Any) -> None:
        self.shown = argsrepr


def test_words_at_hand_are_shown_and_others_are_read_from_the_row(services: Services) -> None:
    question, _ = submit.submit(services, ASKED)
    sender = _Sender()
    dispatcher = Dispatcher(sender, shown=services.database)  # type: ignore[arg-type]
    dispatcher.send_for(question.id, Status.ASKED, priority=0, words="What is at hand?")
    assert sender.shown == f"What is at hand? ({question.id})"
    dispatcher.send_for(question.id, Status.ASKED, priority=0)
    assert sender.shown == f"{ASKED.text} ({question.id})"
