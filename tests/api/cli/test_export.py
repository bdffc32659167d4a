"""`wellread export knowledge --collection` writes what one collection knows, and elsewhere that answers."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from sqlalchemy import select

from domain import Status
from store.sql.tables import PageRow
from tests.api.cli.command import wellread
from tests.workers.collections.two import Calls, ask, store_page
from workers import indexing as embedding
from workers.services import Services
from workers.services import collections as kept
from workers.settings import load


def test_exported_collection_answers_in_an_empty_data_folder(
    here: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.add(here, "other")
    store_page(here, "Alma Rasmussen")
    store_page(here.of("other"), "Bruno Lindqvist")
    file = tmp_path / "known.zip"
    said = wellread("export", "knowledge", str(file), "--collection", "other")
    assert "0 sources and 1 page." in said.stdout, said.output
    with zipfile.ZipFile(file) as known:
        held = b"".join(known.read(name) for name in known.namelist())
    assert (b"Bruno" in held, b"Alma" in held) == (True, False)

    monkeypatch.setenv("WELLREAD_DATA_DIR", str(tmp_path / "elsewhere"))
    said = wellread("import", str(file))
    assert "pages: 1 new" in said.stdout, said.output
    there = Services(load(wikipedia=False))
    there.__dict__["dispatcher"] = Calls()
    with there.database.read() as session:
        (page_id,) = session.scalars(select(PageRow.id))
    embedding.embed(there, page_id)
    record = ask(there)
    assert (record.status, "Bruno Lindqvist" in str(record.answer)) == (Status.ANSWERED, True)
    there.close()
