"""A larger knowledge base of one that is there."""

from __future__ import annotations

from pathlib import Path

from benchmarks.corpus.multiplied import multiplied
from benchmarks.corpus.word_vectors import WordVectors
from evals.knowledge.stored import DefaultSettings, services_on
from store.sql.database import migrate
from tests.store.passages.library import passage

_TEXT = "A lamp burns with oil all night. The keeper trims its wick before dawn."


def test_each_passage_is_there_so_many_times_in_other_places(tmp_path: Path) -> None:
    folder = tmp_path / "knowledge"
    migrate(DefaultSettings.model_validate({"data_dir": folder}).database)
    services = services_on(folder, WordVectors())
    both = [passage(7, at, f"{_TEXT} {at}", title="A title") for at in (0, 1)]
    services.passages_writer.write_pages({7: both}, services.embedder)
    services.close()

    larger = services_on(multiplied(folder, 3), WordVectors())

    assert larger.passages.count() == 6
    assert len(larger.passages.page_ids()) == 3
    vector = larger.embedder.embed([f"A title\n{_TEXT} 0"])
    [hits] = larger.passages.search_vectors(vector, k=6)
    assert hits[0].passage.id == "7-0"
    copies = [hit.similarity or 0.0 for hit in hits if hit.passage.page_id != 7]
    assert all(0.5 < similarity < 0.9 for similarity in copies), copies
    assert len({hit.passage.content_hash for hit in hits}) == 6
    assert multiplied(folder, 1) == folder
    assert len(larger.passages.search_text("lamp", lang="en", k=9)) == 6
    larger.close()
