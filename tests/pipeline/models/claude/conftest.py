"""Claude through the real SDK, against a double of the Messages API on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pipeline.models.model import LanguageModel
from tests.claude_double import KEY, ClaudeDouble, claude_at
from tests.pipeline.models.claude.lighthouse import Ask


@pytest.fixture(scope="module")
def server() -> Iterator[ClaudeDouble]:
    with ClaudeDouble() as running:
        yield running


@pytest.fixture(scope="module")
def made(server: ClaudeDouble) -> Iterator[dict[str, LanguageModel]]:
    """Every Claude made so far by its arguments: each loads the system's certificates, a tenth of a second."""
    kept: dict[str, LanguageModel] = {}
    yield kept
    for claude in kept.values():
        claude.close()


@pytest.fixture
def double(server: ClaudeDouble) -> ClaudeDouble:
    server.forget()
    return server


@pytest.fixture
def ask(double: ClaudeDouble, made: dict[str, LanguageModel]) -> Ask:
    """Give a Claude that talks to the double, made with these arguments."""

    def give(**kwargs: Any) -> LanguageModel:
        if repr(kwargs) not in made:
            settings = {"api_key": KEY, "base_url": double.url, "timeout_s": 10.0, **kwargs}
            made[repr(kwargs)] = claude_at(**settings)
        return made[repr(kwargs)]

    return give


@pytest.fixture
def claude(ask: Ask) -> LanguageModel:
    return ask()
