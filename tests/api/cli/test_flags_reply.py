"""An answer can be sent to a Celery task from the command line."""

from __future__ import annotations

import click
import pytest

from api.cli.flags import flags


def test_queue_and_task_are_named_in_one_flag() -> None:
    (flag,) = (each for each in flags() if each.name == "reply_to")
    assert flag.type.convert("orders.answers/orders.done", None, None) == {
        "queue": "orders.answers",
        "task": "orders.done",
    }
    with pytest.raises(click.BadParameter, match="QUEUE/TASK"):
        flag.type.convert("orders.answers", None, None)
