"""What is asked of a model, in which order, and what its answer is worth after the check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime

import pytest

from domain import Answer, Cost, Hit, Page, Passage, Sentence, Variant, VariantKey, Verdict
from domain.answer import Finding, short_answer
from domain.flow import Status
from pipeline.answering.citations import cite, render
from pipeline.answering.sections import PageSpan, sections
from pipeline.draft import AnswerBasis, Draft, Onward, from_json, to_json
from pipeline.llm import Brief, ModelAnswer, ModelBusy, OnAnswer, Priced, SpendingBudget
from pipeline.phrases import say
from pipeline.question.variants import Tallies
from pipeline.write import VERDICT_BELOW, confidence_of, key_of, write_answer, write_variants

BUILT, OTHER = "The lighthouse of Vierburg was built in 1874.", "The lighthouse of Vierburg was built in 1880."
QUESTION = "When was the lighthouse of Vierburg built?"
READING = AnswerBasis(spans=(PageSpan(page_id=1, start=0, end=len(BUILT)),), confidence=0.9, lang="en")


def page(text: str, page_id: int = 1) -> Page:
    return Page(
        id=page_id,
        url=f"https://example.org/{page_id}",
        title="Vierburg",
        text=text,
        lang="en",
        headings=(),
        published=None,
        read_at=datetime(2026, 1, 1, tzinfo=UTC),
        content_hash="",
        generation=1,
        is_gone=False,
    )


PAGES = {1: page(f"{BUILT} It is 41 m tall."), 2: page(OTHER, 2)}


def brief(reading: AnswerBasis = READING, question: str = QUESTION) -> Brief:
    read = sections(reading.spans, PAGES, tokens=6_000)
    return Brief(question=question, sections=read, today=date(2026, 1, 1), lang="en")


@dataclass(kw_only=True)
class ScriptedModel:
    """A model that writes what it is told to, cited by the first sentence of the first section, or fails."""

    says: str = "It was built in 1874."
    refuses: bool = False
    sufficient: bool = True
    found: tuple[Finding, ...] = ()
    fails_at: str = ""
    name: str = "model"
    asked: list[str] = field(default_factory=list)
    quotes: list[str] = field(default_factory=list)

    def variants(self, question: str, *, count: int, lang: str) -> Priced[tuple[Variant, ...]]:
        self._ask("variants")
        texts = ("Which year was it built?", "lighthouse " * 200)
        return Priced(value=tuple(Variant(kind="paraphrase", text=text) for text in texts), cost=Cost(usd=0.1))

    def verdict(self, brief: Brief) -> Priced[Verdict]:
        self._ask("verdict")
        verdict = Verdict(sufficient=self.sufficient, confidence=0.9, reason="", missing=("year",), judge="model")
        return Priced(value=verdict, cost=Cost(usd=0.2))

    def write(self, brief: Brief, on_answer: OnAnswer | None = None) -> ModelAnswer:
        self._ask("answer")
        section = brief.sections[0]
        citation = cite(section, 0, section.text.index(".") + 1, marker=1)
        sentences = (Sentence(text=self.says, markers=(1,)),)
        answer = Answer(
            text=render(sentences),
            sentences=sentences,
            citations=(citation,),
            confidence=1.0,
            composer="model",
            cost=Cost(usd=0.4),
        )
        return ModelAnswer(answer=answer, refused=self.refuses)

    def check(self, question: str, answer: Answer, *, lang: str) -> Priced[tuple[Finding, ...]]:
        self._ask("check")
        self.quotes = [citation.quote for citation in answer.citations]
        return Priced(value=self.found, cost=Cost(usd=0.8))

    def rewrite(self, question: str, turns: Sequence[object], *, lang: str) -> Priced[str]:
        raise NotImplementedError

    def facts(self, hits: Sequence[Hit]) -> Priced[tuple[()]]:
        raise NotImplementedError

    def within(self, budget: SpendingBudget) -> ScriptedModel:
        return self

    def _ask(self, for_what: str) -> None:
        self.asked.append(for_what)
        if self.fails_at == for_what:
            raise ModelBusy("The API is overloaded: ask again later.", cost=Cost(usd=0.01))


def test_answer_is_shown_when_it_is_written_and_given_when_it_is_checked() -> None:
    shown: list[Answer] = []
    model = ScriptedModel()
    came = write_answer(brief(), READING, PAGES, model=model, on_written=shown.append)
    assert came.answer is not None
    assert model.asked == ["answer", "check"] == list(came.calls)
    assert [each.text for each in shown] == ["It was built in 1874. [1]"] == [came.answer.text]
    assert came.answer.cost.usd == came.cost.usd == pytest.approx(1.2)
    assert came.answer.confidence == pytest.approx(confidence_of(0.9, 0), abs=1e-4)


def test_small_model_is_asked_first_only_where_the_judge_thinks_that_there_is_no_answer() -> None:
    unlikely = replace(READING, confidence=VERDICT_BELOW - 0.01)
    model = ScriptedModel(sufficient=False)
    came = write_answer(brief(), unlikely, PAGES, model=model)
    assert (came.answer, came.missing, model.asked) == (None, ("year",), ["verdict"])
    assert came.cost.usd == pytest.approx(0.2)
    model = ScriptedModel()
    assert write_answer(brief(), unlikely, PAGES, model=model).answer is not None
    assert model.asked == ["verdict", "answer", "check"]


def test_refusal_is_no_answer() -> None:
    came = write_answer(brief(), READING, PAGES, model=ScriptedModel(refuses=True))
    assert (came.answer, came.calls) == (None, ("answer",))
    assert came.cost.usd == pytest.approx(0.4)


@pytest.mark.parametrize("kind", ["not_said", "contradicted"])
def test_sentence_that_the_small_model_finds_unsupported_becomes_its_quote(kind: str) -> None:
    finding = Finding(sentence=0, kind=kind, by="model", why="")  # type: ignore[arg-type]
    came = write_answer(brief(), READING, PAGES, model=ScriptedModel(found=(finding,)))
    assert came.answer is not None
    assert (came.answer.text, came.findings) == (f"{BUILT} [1]", (finding,))
    assert came.answer.sentences[0].origin == "quoted"
    assert bool(came.answer.notice) is (kind == "contradicted")


def test_check_that_fails_confirms_nothing() -> None:
    shown: list[Answer] = []
    model = ScriptedModel(says="It was built in 1901.", fails_at="check")
    failed = write_answer(brief(), READING, PAGES, model=model, on_written=shown.append)
    assert failed.answer is not None
    assert failed.answer.text == "It was built in 1901. [1]" == shown[0].text
    assert [each.origin for each in (shown[0].sentences[0], failed.answer.sentences[0])] == ["written", "unconfirmed"]
    assert failed.answer.notice == say("unconfirmed", "en", count=1)
    assert failed.answer.confidence == pytest.approx(confidence_of(0.9, 1), abs=1e-4)
    assert failed.cost.usd == pytest.approx(0.41)


def test_answer_is_given_as_it_is_written_where_the_check_is_switched_off() -> None:
    model = ScriptedModel(says="It was built in 1901.")
    came = write_answer(brief(), READING, PAGES, model=model, second_call=False)
    assert came.answer is not None
    assert (came.answer.text, came.answer.notice) == ("It was built in 1901. [1]", "")
    assert model.asked == ["answer"]


def test_answer_in_quotes_has_only_the_pages_words_and_needs_no_check() -> None:
    model = ScriptedModel(says="Somebody built it one day.")
    came = write_answer(brief(), READING, PAGES, model=model, in_quotes=True)
    assert came.answer is not None
    assert (came.answer.text, model.asked) == (f"{BUILT} [1]", ["answer"])


def test_failure_has_the_cost_of_the_calls_before_it() -> None:
    with pytest.raises(ModelBusy) as caught:
        write_answer(brief(), replace(READING, confidence=0.1), PAGES, model=ScriptedModel(fails_at="answer"))
    assert caught.value.cost.usd == pytest.approx(0.21)


@pytest.mark.parametrize(
    ("question", "says", "expected"),
    [
        ("Is it 41 m tall?", "Yes, it is 41 m tall.", "Yes"),
        ("Is it 41 m tall?", "It is 41 m tall.", None),
        ("I am 41 m tall, is it?", "Yes, it is 41 m tall.", "Yes"),
    ],
)
def test_yes_is_the_short_answer_of_a_question_that_asks_for_it(question: str, says: str, expected: str | None) -> None:
    came = write_answer(brief(question=question), READING, PAGES, model=ScriptedModel(says=says))
    assert came.answer is not None
    assert short_answer(came.answer.sentences) == expected


def test_confidence_rises_with_the_judges_and_falls_with_what_was_found() -> None:
    sure = [confidence_of(local, 0) for local in (0.0, 0.1, 0.5, 0.9, 1.0)]
    assert sure == sorted(sure)
    assert all(0 < each < 1 for each in sure)
    assert confidence_of(0.9, 2) < confidence_of(0.9, 1) < confidence_of(0.9, 0)


def test_key_is_of_what_is_read_alone() -> None:
    same = replace(brief(), today=date(2027, 1, 1), notes=("note",))
    assert key_of(same) == key_of(brief())
    assert key_of(brief(question="Who built it?")) != key_of(brief())


class Memory:
    """Variants that were paid for."""

    def __init__(self) -> None:
        self.kept: dict[VariantKey, tuple[Variant, ...]] = {}

    def load(self, key: VariantKey) -> tuple[Variant, ...]:
        return self.kept.get(key, ())

    def save(self, key: VariantKey, variants: Sequence[Variant]) -> None:
        self.kept[key] = tuple(variants)

    def tallies(self, question_type: str) -> Tallies:
        return {}


def test_variants_that_were_paid_for_are_not_paid_for_again() -> None:
    memory, model = Memory(), ScriptedModel()
    first = write_variants(QUESTION, "en", model=model, count=3, tokens=100, memory=memory)
    again = write_variants(f"  {QUESTION.upper()}", "en", model=model, count=3, tokens=100, memory=memory)
    assert [each.text for each in first.value] == ["Which year was it built?"]  # the long one is left out
    assert (again.value, first.cost.usd, again.cost.usd) == (first.value, 0.1, 0.0)
    write_variants(QUESTION, "en", model=model, count=2, tokens=100, memory=memory)
    assert model.asked == ["variants", "variants"]  # another number of variants is another request


def test_failed_request_for_variants_is_not_kept() -> None:
    memory = Memory()
    with pytest.raises(ModelBusy):
        write_variants(QUESTION, "en", model=ScriptedModel(fails_at="variants"), count=3, tokens=100, memory=memory)
    assert memory.kept == {}


def test_draft_comes_back_from_its_row_as_it_was() -> None:
    answer = ScriptedModel().write(brief()).answer
    draft = Draft(
        ask="answer",
        failed=Onward(to=Status.SEEKING, outcome="insufficient", changes={"crawl_reason": "too little"}),
        refused=Onward(to=Status.ABSTAINED, outcome="insufficient"),
        unknown=answer,
        reading=replace(READING, notes=("a",), form="steps"),
        read=("key",),
    )
    assert from_json(to_json(draft), ["crawl_reason"]) == draft
    older = to_json(draft)
    older["reading"] |= {"disputes": [], "lead": 0.75}  # fields that only an older version had
    assert from_json(older, ["crawl_reason"]) == draft
    assert from_json(to_json(draft), []) is None
    assert from_json({}, []) is None
    assert from_json({"read": ["key"]}, []) is None


def test_small_model_reads_each_quote_in_its_paragraph() -> None:
    paragraph = f"{BUILT} It is 41 m tall."
    pages = {1: page(f"Before it.\n\n{paragraph}\n\nAfter it.")}
    span = PageSpan(page_id=1, start=12, end=12 + len(BUILT))
    reading = replace(READING, spans=(span,))
    read = replace(brief(), sections=tuple(_only(each, span) for each in sections((span,), pages, tokens=6_000)))
    model = ScriptedModel()
    came = write_answer(read, reading, pages, model=model)
    assert model.quotes == [paragraph]
    assert came.answer is not None
    assert came.answer.citations[0].quote == BUILT


def _only(section: Passage, span: PageSpan) -> Passage:
    """The part of a section that a span is."""
    text = section.text[span.start - section.start : span.end - section.start]
    return replace(section, text=text, start=span.start, end=span.end)
