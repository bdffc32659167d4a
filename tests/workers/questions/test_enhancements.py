"""Settings reach the pipeline, and what a look found out about variants reaches SQL."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from domain import Answer, Citation, Hit, Tally, Variant
from pipeline.enhancements import ALL, DEFAULT
from pipeline.judging.cutoff import SIMILARITY_FLOOR, Cutoff
from pipeline.judging.judge import QualityRule
from pipeline.retrieval.context import advise_on_context
from pipeline.retrieval.retrieve import Ranking
from store.questions.steps import to_json
from tests.fakes import HashingEmbedder, passage
from tests.workers.questions.test_transitions import GOOD, POOR
from workers.questions import lookup, transitions
from workers.services import Services
from workers.settings import Settings, SettingsError, load

VARIANTS = (Variant(kind="paraphrase", text="p"), Variant(kind="keyword_focus", text="k"))


def _attempt(base: lookup.LookupResult) -> lookup.LookupResult:
    hit = Hit(passage=passage("Ada"), score=1.0, scale="minmax", rank=1, found_by=("k", "question"))
    citation = Citation(marker=1, passage_id="1-0", page_id=1, url="", title="", quote="Ada", start=0, end=3)
    answer = Answer(text="Ada [1]", sentences=(), citations=(citation,), confidence=0.9, composer="extractive")
    return replace(base, hits=(hit,), variants=VARIANTS, answer=answer)


@pytest.fixture
def looked(services: Services) -> Services:
    services.__dict__["embedder"] = HashingEmbedder()
    return services


def test_enhancements_are_named_in_one_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load().enhancements == ()
    monkeypatch.setenv("WELLREAD_ENHANCEMENTS", "multi_query, -diverse")
    assert load().enhancements == ("multi_query", "-diverse")


def test_unknown_enhancement_is_named_with_those_there_are() -> None:
    with pytest.raises(SettingsError, match=r"WELLREAD_ENHANCEMENTS: .*'magic'.*multi_query"):
        load(enhancements="magic")


def test_tools_are_switched_as_the_settings_say(looked: Services) -> None:
    plain = looked.tools
    assert (plain.stop, plain.enhancements) == ("judge", DEFAULT)
    assert (plain.ranking, plain.quality, plain.similarity_floor) == (Ranking(), QualityRule(), SIMILARITY_FLOOR)
    chosen = Services(
        Settings(
            **{
                **looked.settings.model_dump(),
                "stop": "document",
                "enhancements": ("-diverse",),
                "fusion": "rrf",
                "reranker": "none",
                "rrf_k": 7,
                "quality_threshold": 0.4,
                "min_high_quality_hits": 3,
                "similarity_floor": 0.1,
            }
        )
    )
    chosen.__dict__["embedder"] = looked.embedder
    assert (chosen.tools.stop, chosen.tools.enhancements) == ("document", DEFAULT - {"diverse"})
    assert chosen.tools.ranking == Ranking(fusion="rrf", reranker="none", rrf_k=7)
    assert chosen.tools.quality == QualityRule(similarity=0.4, hits=3)
    assert chosen.tools.similarity_floor == 0.1
    assert chosen.tools.memory is chosen.variants
    chosen.close()


def test_kinds_that_earned_a_citation_are_counted_when_the_answer_suffices(services: Services) -> None:
    lookup.learn(services, _attempt(GOOD))
    lookup.learn(services, _attempt(GOOD))
    kind = GOOD.analysis.question_type
    assert services.variants.tallies(kind) == {
        "paraphrase": Tally(tried=2),
        "keyword_focus": Tally(tried=2, rewarded=2),
    }


def test_nothing_is_counted_for_an_answer_that_does_not_suffice(services: Services) -> None:
    lookup.learn(services, _attempt(POOR))
    assert services.variants.tallies(POOR.analysis.question_type) == {}


def test_pages_texts_are_read_for_the_fallback(services: Services) -> None:
    assert services.page_texts([1, 2]) == {}


def test_trace_of_a_look_says_why_no_more_hits_were_kept() -> None:
    kept = Cutoff(hits=(), confidence=0.4, stop_reason="exhausted", found=3)
    detail = to_json(transitions.detail_of(replace(POOR, cutoff=kept, advice=advise_on_context("Who?", ""))))
    assert detail["kept"] == {"chunks_retrieved": 0, "found": 3, "confidence": 0.4, "stop_reason": "exhausted"}
    assert detail["advice"]["needs_more_context"] is True
    assert transitions.detail_of(POOR).kept is None


def test_documentation_lists_every_enhancement_with_its_default() -> None:
    page = (Path(__file__).parents[3] / "docs" / "settings.md").read_text("utf-8")
    listed = dict(re.findall(r"^\| `(\w+)` \| (on|off) \|", page, re.MULTILINE))
    assert listed == {name: "on" if name in DEFAULT else "off" for name in ALL}
