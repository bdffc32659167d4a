"""Every mode, through the real stores, on a set of six documents."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from evals.knowledge.ablations import ABLATIONS
from evals.knowledge.stored import DefaultSettings, Knowledge, open_knowledge
from evals.knowledge.vector_cache import CachedEmbedder
from evals.measure.answers import measure_answers
from evals.measure.judge import measure_judge
from evals.measure.retrieval import ARMS, measure_retrieval
from evals.measure.variants import measure_variants
from evals.modes import MODES, NothingToMeasure, measure, select_questions
from evals.sets.beir import EvalSet, read_set
from tests.evals.small_set import QUERIES, write_set
from tests.fakes import HashingEmbedder


@pytest.fixture(scope="module")
def towers(tmp_path_factory: pytest.TempPathFactory) -> EvalSet:
    return read_set(write_set(tmp_path_factory.mktemp("sets") / "towers"))


@pytest.fixture(scope="module")
def knowledge(towers: EvalSet) -> Iterator[Knowledge]:
    with open_knowledge(towers.passages, HashingEmbedder(), cache=None) as knowledge:
        yield knowledge


_ANSWERABLE = ("auroc", "abstained@0.05", "abstained@0.1", "abstained@0.2", "abstained@0.3")


def test_retrieval_gives_every_figure_of_every_arm(knowledge: Knowledge, towers: EvalSet) -> None:
    figures = measure_retrieval(knowledge, select_questions("retrieval", towers.questions, None))
    assert tuple(figures) == ARMS
    for arm in figures.values():
        assert list(arm) == "recall@1 recall@2 recall@5 recall@10 mrr@10 ndcg@10 all@8 all@10 ms".split()
        assert arm["ms"] > 0
    assert figures["final"]["recall@1"] == pytest.approx((1 + 1 + 1 + 0.5) / 4)
    assert figures["final"]["all@8"] == 1


def test_final_arm_is_what_the_look_hands_on(knowledge: Knowledge, towers: EvalSet) -> None:
    attempt = knowledge.first_pass(towers.questions[2].text)
    assert knowledge.ranking(attempt.hits)[0] == 2
    assert len(knowledge.ranking(attempt.hits)) == len({hit.passage.page_id for hit in attempt.hits})


def test_document_of_several_passages_stands_at_its_best(tmp_path: Path) -> None:
    filler = " ".join(f"Nothing of note happened in room number {room}." for room in range(60))
    long = [("d0", "Log", f"{filler} The purple elephant slept."), ("d1", "Zoo", "An elephant is grey.")]
    each = read_set(
        write_set(
            tmp_path,
            corpus=long,
            queries=[("q0", "Where did the purple elephant sleep?", ["x"], True)],
            qrels=["q0\td0\t1"],
        )
    )
    with open_knowledge(each.passages, HashingEmbedder(), cache=None) as knowledge:
        hits = knowledge.first_pass(each.questions[0].text).hits
        assert len([hit for hit in hits if hit.passage.title == "Log"]) > 1
        assert knowledge.ranking(hits) == [0, 1]


def test_title_that_is_out_is_not_found_and_comes_back(knowledge: Knowledge, towers: EvalSet) -> None:
    question = towers.questions[0].text
    before = knowledge.first_pass(question)
    with knowledge.without({"Eiffel Tower"}):
        found = knowledge.ranking(knowledge.first_pass(question).hits)
        assert found
        assert not {0, 1} & set(found)
    after = knowledge.first_pass(question)
    assert [hit.passage.id for hit in after.hits] == [hit.passage.id for hit in before.hits]
    assert after.verdict == before.verdict


def test_judge_is_less_sure_without_the_article(knowledge: Knowledge, towers: EvalSet) -> None:
    figures = measure_judge(knowledge, select_questions("judge", towers.questions, None))
    assert list(figures["must_crawl"]) == ["auroc", "balanced_accuracy", "fpr_at_tpr95", "ece"]
    assert figures["must_crawl"]["auroc"] == 1
    assert figures["answerable"] == dict.fromkeys(_ANSWERABLE, 1)


def test_figure_without_a_case_is_none(knowledge: Knowledge, towers: EvalSet) -> None:
    answerable = [question for question in towers.questions if question.answerable]
    assert measure_judge(knowledge, answerable)["answerable"] == dict.fromkeys(_ANSWERABLE)
    assert measure_answers(knowledge, answerable)["abstained_unanswerable"] is None


def test_answers_are_compared_with_the_gold_and_their_quotes_with_the_pages(
    knowledge: Knowledge, towers: EvalSet
) -> None:
    figures = measure_answers(knowledge, towers.questions)
    assert set(figures) == set(
        "contains_gold contains_gold_1 exact f1 short short_f1 abstained_answerable abstained_unanswerable"
        " citation_valid sentences".split()
    )
    assert figures["contains_gold"] == 1
    assert figures["short_f1"] is not None
    assert figures["f1"] is not None
    assert figures["short_f1"] >= figures["f1"]  # of the others the whole sentence is compared
    assert figures["citation_valid"] == 1
    assert figures["abstained_unanswerable"] == 1


def test_second_pass_is_compared_with_the_first(knowledge: Knowledge, towers: EvalSet) -> None:
    figures = measure_variants(knowledge, towers.questions)
    assert list(figures) == ["first", "second_0", "second_3"]
    assert all(part["questions"] == 4 for part in figures.values())
    assert all(part["recall@10"] == 1 for part in figures.values())
    assert figures["second_3"]["lift@5"] == 0
    assert figures["second_3"]["missed_recall@5"] is None  # none was missed
    assert [figures[f"second_{count}"]["queries"] for count in (0, 3)] == [1, 4]
    assert figures["first"]["insufficient"] is not None
    assert figures["first"]["insufficient"] >= 1 / 5  # the one that nothing answers


def test_modes_take_as_many_first_passes_as_they_say(towers: EvalSet) -> None:
    passes: list[int] = []
    figures = measure(list(MODES), towers, HashingEmbedder(), cache=None, on_first_pass=lambda: passes.append(1))
    assert list(figures) == list(MODES)
    selected = {mode: select_questions(mode, towers.questions, None) for mode in MODES}
    assert len(passes) == sum(MODES[mode].first_passes(selected[mode]) for mode in MODES) == 4 + (5 + 4) + 5 + 5


def test_part_is_switched_off_by_its_name(towers: EvalSet) -> None:
    figures = measure(["retrieval"], towers, HashingEmbedder(), cache=None, ablate=["bm25"])
    assert figures["retrieval"]["bm25"]["recall@10"] == 0


@pytest.mark.nightly
@pytest.mark.parametrize("name", list(ABLATIONS))
def test_every_part_can_be_switched_off(name: str, knowledge: Knowledge, towers: EvalSet) -> None:
    without = knowledge.ablated([ABLATIONS[name]])
    arms = measure_retrieval(without, select_questions("retrieval", towers.questions, None))
    assert (arms["bm25"]["recall@10"] == 0) is (name == "bm25")
    assert (arms["dense"]["recall@10"] == 0) is (name == "dense")
    assert measure_variants(without, towers.questions)["second_3"]["questions"] == 4


def test_stored_pages_have_no_title_where_titles_are_switched_off(towers: EvalSet) -> None:
    off = [ABLATIONS["title"]]
    with open_knowledge(towers.passages, HashingEmbedder(), cache=None, ablations=off) as knowledge:
        hits = knowledge.first_pass(towers.questions[0].text).hits
    assert hits
    assert {hit.passage.title for hit in hits} == {""}


def test_second_pass_without_variants_asks_the_question_alone(knowledge: Knowledge, towers: EvalSet) -> None:
    without = knowledge.ablated([ABLATIONS["variants"]])
    assert without.second_pass(towers.questions[0].text).queries == (towers.questions[0].text,)
    assert len(knowledge.second_pass(towers.questions[0].text).queries) > 1


def test_sample_is_the_same_each_time_and_in_order(towers: EvalSet) -> None:
    some = select_questions("answers", towers.questions, 3)
    assert some == select_questions("answers", towers.questions, 3)
    assert len(some) == 3
    assert some == [question for question in towers.questions if question in some]
    assert len(select_questions("answers", towers.questions, 99)) == len(QUERIES)


def test_set_without_such_questions_is_refused(towers: EvalSet) -> None:
    with pytest.raises(NothingToMeasure, match="retrieval"):
        select_questions("retrieval", [question for question in towers.questions if not question.answerable], None)


def test_nothing_of_the_environment_is_measured_with(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WELLREAD_DATABASE_URL", "postgresql://somebody/elses")
    monkeypatch.setenv("WELLREAD_ANTHROPIC_API_KEY", "secret")
    settings = DefaultSettings.model_validate({"data_dir": tmp_path})
    assert settings.database == f"sqlite:///{tmp_path / 'wellread.db'}"
    assert not settings.anthropic_api_key.get_secret_value()


class Counting(HashingEmbedder):
    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return super().embed(texts) if texts else np.zeros((0, self.dimension), dtype=np.float32)


def test_kept_vectors_are_those_the_embedder_makes_and_are_made_once(tmp_path: Path) -> None:
    embedder = Counting()
    first = CachedEmbedder(embedder, tmp_path).embed(["one", "two", "one"])
    again = CachedEmbedder(embedder, tmp_path).embed(["two", "three", "one"])
    np.testing.assert_array_equal(first, HashingEmbedder().embed(["one", "two", "one"]))
    np.testing.assert_array_equal(again, HashingEmbedder().embed(["two", "three", "one"]))
    assert embedder.batches == [2, 1]


def test_vectors_of_another_embedder_are_not_taken(tmp_path: Path) -> None:
    CachedEmbedder(HashingEmbedder(512), tmp_path).embed(["one"])
    other = HashingEmbedder(64)
    assert CachedEmbedder(other, tmp_path).embed(["one"]).shape == (1, 64)
    assert other.batches == [1]
    assert CachedEmbedder(other, tmp_path).embed([]).shape == (0, 64)
