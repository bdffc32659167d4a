"""Extraction is measured against marks in the page, not against itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evals.measure.extraction import measure_articles, measure_manuals
from evals.report.floors import find_regressions, read_floors
from evals.report.tables import flat
from evals.sets.pages import GoldPage, read_pages, seen

_PROSE = "The keeper trims the <b>wick</b> every evening before he lights the lamp, and again at midnight. " * 3


def _page(folder: Path, kind: str, body: str) -> list[GoldPage]:
    row = {"id": "a", "licence": "none", "html": f"<html><body>{body}</body></html>"}
    (folder / f"{kind}.jsonl").write_text(json.dumps(row) + "\n")
    return list(read_pages(kind, folder))  # type: ignore[arg-type]


def test_gold_text_is_what_stands_between_the_marks(tmp_path: Path) -> None:
    (page,) = _page(
        tmp_path, "manuals", "<nav>Up</nav><!--main--><p>a<i>b</i><script>x</script></p><!--/main--><p>Foot"
    )
    assert page.main.split() == ["ab"]
    assert page.around.split() == ["Up", "Foot"]


def test_inline_elements_do_not_part_words_and_others_do() -> None:
    assert seen("<p>wick<b>s</b></p><p>oil &amp; lamp").split() == ["wicks", "oil", "&", "lamp"]


def test_text_that_is_lost_or_kept_by_mistake_lowers_the_figures(tmp_path: Path) -> None:
    whole = measure_manuals(_page(tmp_path, "manuals", f"<!--main--><main><p>{_PROSE}</p></main><!--/main-->"))
    assert (whole["words_kept"], whole["navigation_kept"]) == (1, 0)
    lost = measure_manuals(
        _page(tmp_path, "manuals", f"<!--main--><main><p>{_PROSE}</p></main><nav>{_PROSE}</nav><!--/main-->")
    )
    assert lost["words_kept"] == pytest.approx(0.5)
    around = "Nothing of this line belongs to the text that is wanted here today."
    kept = measure_manuals(_page(tmp_path, "manuals", f"<!--main--><p>{_PROSE}</p><!--/main--><p>{around}</p>"))
    assert kept["navigation_kept"] > 0.9


def test_article_without_its_text_has_no_precision_and_no_recall(tmp_path: Path) -> None:
    other = "Another text altogether stands on this page. " * 9
    body = f"<!--main--><nav>{_PROSE}</nav><!--/main--><main><p>{other}</p></main>"
    pages = _page(tmp_path, "articles", body) + _page(tmp_path, "articles", f"<!--main--><p>{_PROSE}</p><!--/main-->")
    assert measure_articles(pages)["f1"] == pytest.approx(0.5)


def test_shipped_pages_are_sixty_or_more_and_each_has_a_main_text() -> None:
    pages = [*read_pages("manuals"), *read_pages("articles")]
    assert len(pages) >= 60
    assert len({page.id for page in pages}) == len(pages)
    assert all(len(page.main.split()) >= 60 for page in pages)


def test_what_is_kept_of_the_shipped_pages_is_not_below_its_floors() -> None:
    measured = {
        "manuals": measure_manuals(read_pages("manuals")),
        "articles": measure_articles(read_pages("articles")),
    }
    floors = {"pages": read_floors()["pages"]}
    assert "extraction.articles.f1" in floors["pages"]
    assert find_regressions({"pages": flat({"extraction": measured})}, floors) == []
