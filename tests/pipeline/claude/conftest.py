"""Claude through the real SDK, against a double of the Messages API on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pipeline.claude.calls import Calls
from pipeline.claude.model import Claude
from tests.claude_double import KEY, ClaudeDouble
from tests.pipeline.claude.lighthouse import Ask


@pytest.fixture(scope="module")
def server() -> Iterator[ClaudeDouble]:
    with ClaudeDouble() as running:
        yield running


@pytest.fixture(scope="module")
def made(server: ClaudeDouble) -> Iterator[dict[str, Claude]]:
    """Every Claude made so far by its arguments: each loads the system's certificates, a tenth of a second."""
    kept: dict[str, Claude] = {}
    yield kept
    for claude in kept.values():
        claude.close()


@pytest.fixture
def double(server: ClaudeDouble) -> ClaudeDouble:
    server.forget()
    return server


@pytest.fixture
def ask(double: ClaudeDouble, made: dict[str, Claude]) -> Ask:
    """Give a Claude that talks to the double, made with these arguments."""

    def give(**kwargs: Any) -> Claude:
        if repr(kwargs) not in made:
            models = {name: kwargs[name] for name in ("small_model", "large_model") if name in kwargs}
            calls = {name: value for name, value in kwargs.items() if name not in models}
            settings = {"api_key": KEY, "base_url": double.url, "timeout_s": 10.0, **calls}
            made[repr(kwargs)] = Claude(Calls(**settings), **models)
        return made[repr(kwargs)]

    return give


@pytest.fixture
def claude(ask: Ask) -> Claude:
    return ask()
