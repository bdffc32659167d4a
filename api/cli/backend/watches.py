"""The standing questions, of the API that WELLREAD_API_URL names, or in this machine's database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from api.cli.connect import named_api, open_services

if TYPE_CHECKING:
    from domain.record import Watch
    from wellread.client import Watch as SentWatch

    Watched = SentWatch | Watch


def every() -> Sequence[Watched]:
    """The standing questions, oldest first."""
    if (client := named_api()) is not None:
        with client:
            return client.watches()
    from store.questions import watches

    with open_services().database.read() as session:
        return watches.every(session)


def stop(question_id: str) -> None:
    """Watch a question no longer; raises what says that there is none."""
    if (client := named_api()) is not None:
        with client:
            client.unwatch(question_id)
        return
    from workers.questions.watches import unwatch

    unwatch(open_services(), question_id)
