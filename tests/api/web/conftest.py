"""The application's page in a browser, of the width of a desk's screen; it complains of nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi import FastAPI

from tests.api.web.browser import Tab, opened


@pytest.fixture
def tab(app: FastAPI) -> Iterator[Tab]:
    with opened(app) as tab:
        tab.resize(1280, 860)
        yield tab
        assert tab.faults == []
