"""The application's page in a browser, of the width of a desk's screen; it complains of nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi import FastAPI

from tests.api.web.browser import DESK, Tab, opened


@pytest.fixture
def tab(app: FastAPI) -> Iterator[Tab]:
    with opened(app) as tab:
        tab.resize(*DESK)
        yield tab
        assert tab.faults == []
