"""One running Wellread for the tests that only ask it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import httpx2
import pytest

from tests.live.test_faults import _stack
from workers.settings import Settings, load


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A stack that reads the demonstration's site."""

    url: str
    client: httpx2.Client
    settings: Settings


@pytest.fixture(scope="session")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """A stack for the tests of the group "asked"; each asks questions of its own."""
    with ExitStack() as opened:
        with pytest.MonkeyPatch.context() as patch:
            stack, client = opened.enter_context(_stack(patch, tmp_path_factory.mktemp("asked")))
            settings = load()
        yield Asked(url=stack.address.api_url, client=client, settings=settings)
