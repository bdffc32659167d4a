"""The settings that the documents give for each server of models lead to a model that answers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from api.operations.doctor import diagnose
from tests.docs.blocks import PAGES
from tests.openai_double import OpenAIDouble
from workers.services import Services
from workers.settings import load

ROWS = [row for row in PAGES["docs/models.md"].read_text("utf-8").splitlines() if "`WELLREAD_MODEL_BASE_URL=" in row]


def test_servers_are_shown() -> None:
    assert len(ROWS) >= 5


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_server_is_found_and_answers(row: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = dict(re.findall(r"`(WELLREAD_\w+)=([^`]*)`", row))
    model = shown["WELLREAD_LARGE_MODEL"] or "a-model-of-its-own"
    key = shown.get("WELLREAD_MODEL_API_KEY", "").replace("…", "x")
    assert shown["WELLREAD_MODEL_BASE_URL"].endswith("/v1")
    with OpenAIDouble(key=key, models=(model,)) as double:
        own = {"WELLREAD_MODEL_BASE_URL": double.url, "WELLREAD_LARGE_MODEL": model, "WELLREAD_MODEL_API_KEY": key}
        for name, value in {**shown, **own}.items():
            monkeypatch.setenv(name, value)
        services = Services(load(data_dir=tmp_path))
        (check,) = diagnose(services, "language model")
        assert services.model is not None
        services.model.close()
    assert check.level == "ok", check
    assert check.finding.startswith(f"{model} at {double.url}")
