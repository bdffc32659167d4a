"""Settings reach the pipeline, and what a look found out about variants reaches SQL."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from domain import Answer, Citation, Hit, Tally, Variant
from pipeline.answering.few_shot import examples_for
from pipeline.documents import DOCUMENTS
from pipeline.documents.rerank import keep_order, rerank_bm25
from pipeline.enhancements import ALL, DEFAULT, parse_enhancements
from pipeline.judging.evidence import gather
from pipeline.judging.judge import Cutoff, cut_off_by_judge
from pipeline.question.analysis import analyse_question
from pipeline.retrieval.context import advise_on_context
from pipeline.retrieval.retrieve import Ranking
from pipeline.strategies import TASK_STRATEGIES, RetrievalLimits
from store.questions import new_questions
from store.questions.new_questions import NewQuestion
from store.questions.trace import to_json
from tests.fakes import HashingEmbedder, passage
from tests.workers.questions.test_lookup import put
from tests.workers.questions.test_transitions import GOOD, POOR
from workers.egress import described
from workers.questions import lookup, transitions
from workers.services import Services
from workers.services.pipeline import with_rules
from workers.settings import Settings, SettingsError, load

HIT = Hit(passage=passage("Ada"), score=1.0, scale="minmax", rank=1, similarity=0.9)
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
    assert (plain.stop, plain.enhancements, plain.judge) == (cut_off_by_judge, DEFAULT, None)
    assert (plain.ranking, plain.limits) == (Ranking(), RetrievalLimits())
    assert plain.memory is looked.variants
    own = load(enhancements="-diverse", fusion="rrf", reranker="bm25", rrf_k=7)
    chosen = with_rules(plain, own)
    assert chosen.enhancements == DEFAULT - {"diverse"}
    assert chosen.ranking.rerank is rerank_bm25
    assert chosen.ranking.fuse is not None
    assert chosen.ranking.fuse([[HIT]])[0].score == pytest.approx(1 / 8)


def test_reranker_graph_is_page_rank_and_nothing_else(looked: Services) -> None:
    chosen = with_rules(looked.tools, load(reranker="graph"))
    assert chosen.enhancements == DEFAULT | {"page_rank"}
    assert chosen.ranking.rerank is keep_order


@pytest.mark.parametrize(
    ("changed", "sufficient", "kept"),
    [
        ({}, False, 1),
        ({"quality_threshold": 0.4}, True, 1),
        ({"min_high_quality_hits": 1}, True, 1),
        ({"similarity_floor": 0.95}, False, 0),
    ],
)
def test_documents_judge_and_stop_rule_take_their_settings(
    looked: Services, changed: dict[str, float], sufficient: bool, kept: int
) -> None:
    tools = with_rules(looked.tools, load(judge="document", stop="document", **changed))
    assert tools.judge is not None
    hits = [replace(HIT, similarity=0.9), replace(HIT, similarity=0.5)]
    assert tools.judge(gather(GOOD.analysis, hits), 0.5).sufficient is sufficient
    strategy = TASK_STRATEGIES["general"]
    first = gather(GOOD.analysis, hits[:1])
    assert tools.stop(first, strategy=strategy, judge=tools.judge, k=8).chunks_retrieved == kept
    assert tools.limits.by_strategy


def test_profile_sets_all_of_the_documents_rules_and_a_setting_of_its_own_wins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain, profile = load(), load(profile="documents")
    of_profile = {name: getattr(profile, name) for name in DOCUMENTS}
    assert of_profile == dict(DOCUMENTS)
    assert all(getattr(plain, name) != value for name, value in of_profile.items())
    assert parse_enhancements(profile.enhancements) == ALL
    monkeypatch.setenv("WELLREAD_PROFILE", "documents")
    monkeypatch.setenv("WELLREAD_RERANKER", "graph")
    monkeypatch.setenv("WELLREAD_ENHANCEMENTS", "-multi_query")
    mixed = load(final_top_k=7)
    assert (mixed.reranker, mixed.judge, mixed.final_top_k) == ("graph", "document", 7)
    assert parse_enhancements(mixed.enhancements) == ALL - {"multi_query"}
    assert Settings(**mixed.model_dump()) == mixed.model_copy(update={"enhancements": ("all", *mixed.enhancements)})


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "No such file"),
        ("{}", "valid array"),
        ('[{"question": "Who?"}]', r"\[0\]\['answer'\]: Field required"),
        ('[{"question": "Who?", "answer": " "}]', "at least 1 character"),
        ("[", "Invalid JSON"),
    ],
)
def test_file_of_examples_that_cannot_be_used_stops_the_start(tmp_path: Path, content: str | None, says: str) -> None:
    path = tmp_path / "examples.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(SettingsError, match=f"WELLREAD_FEW_SHOT_PATH: .*examples.json.*{says}"):
        load(few_shot_path=str(path))


def test_examples_of_the_operators_file_are_shown_to_the_model(looked: Services, tmp_path: Path) -> None:
    path = tmp_path / "examples.json"
    path.write_text('[{"question": "What is the capital of Italy?", "answer": "Rome.", "lang": "en"}]')
    examples = with_rules(looked.tools, load(few_shot_path=str(path))).examples
    asked = analyse_question("What is the capital of France?")
    assert "Question: What is the capital of Italy?\nAnswer: Rome." in examples_for(asked, None, examples)
    assert examples_for(analyse_question("Was ist die Hauptstadt von Frankreich?"), None, examples) == ""


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
    advice = advise_on_context(analyse_question("Who?", "en"), "")
    detail = to_json(transitions.detail_of(replace(POOR, cutoff=kept, advice=advice)))
    assert detail["kept"] == {"chunks_retrieved": 0, "found": 3, "confidence": 0.4, "stop_reason": "exhausted"}
    assert detail["advice"]["needs_more_context"] is True
    assert transitions.detail_of(POOR).kept is None


def test_documentation_lists_every_enhancement_with_its_default() -> None:
    page = (Path(__file__).parents[3] / "docs" / "settings.md").read_text("utf-8")
    listed = dict(re.findall(r"^\| `(\w+)` \| (on|off) \|", page, re.MULTILINE))
    assert listed == {name: "on" if name in DEFAULT else "off" for name in ALL}


def test_reranker_that_fails_leaves_the_local_order_and_a_notice_in_the_trace(looked: Services) -> None:
    put(looked, "The lighthouse of Vierburg was built in 1874. Anna Berg built the lighthouse of Vierburg.")
    put(looked, "The harbour of Vierburg is 14 metres deep. The lighthouse stands beside it.")
    new = NewQuestion(text="When was the lighthouse of Vierburg built?", crawl_enabled=False)
    question, _ = looked.write(new_questions.ask, new, looked.now())
    local = lookup.first_pass(looked, question)
    away = load(reranker="api", rerank_url="http://127.0.0.1:1/v1", rerank_model="big")
    looked.__dict__["tools"] = with_rules(looked.tools, away)
    result = lookup.first_pass(looked, question)
    assert [hit.passage.id for hit in result.hits] == [hit.passage.id for hit in local.hits]
    assert result.verdict.confidence == pytest.approx(local.verdict.confidence)
    detail = to_json(transitions.detail_of(result))
    assert detail["not_reranked"] == "The reranker failed (it is not reached): hits are in the local order."
    assert to_json(transitions.detail_of(local))["not_reranked"] == ""


def test_reranker_that_may_not_be_reached_is_not_asked(looked: Services) -> None:
    public = load(reranker="api", rerank_url="https://rerank.example.org/v1", egress="none")
    assert with_rules(looked.tools, public).ranking.rerank is None
    assert "rerank.example.org" in described(public, ())


def test_reranker_of_a_server_needs_its_address() -> None:
    with pytest.raises(SettingsError, match="WELLREAD_RERANK_URL"):
        load(reranker="api")
    with pytest.raises(SettingsError, match="http://"):
        load(reranker="api", rerank_url="rerank.local")
