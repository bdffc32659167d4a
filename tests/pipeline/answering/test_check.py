"""A sentence that its quotes do not support is found, and their own words take its place."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from domain import Answer, Citation, Sentence
from domain.answer import Finding, FindingKind, Origin
from pipeline.answering.check import mend, unchecked, uncited
from pipeline.answering.citations import render
from tests.tables import each_row

BUILT = "The lighthouse of Vierburg was built in 1874 by Robert Tallis. It is 31 metres high."


def answer_of(*sentences: Sentence, pages: tuple[str, ...], quotes: tuple[str, ...] = ()) -> Answer:
    """Return an answer that cites each page under its number, as a whole or the quote given for it."""
    citations = tuple(
        Citation(
            marker=at,
            passage_id=str(at),
            page_id=at,
            url=f"https://example.org/{at}",
            title="Page › Heading",
            quote=quote,
            start=page.index(quote),
            end=page.index(quote) + len(quote),
        )
        for at, (page, quote) in enumerate(zip(pages, quotes or pages, strict=True), 1)
    )
    return Answer(text=render(sentences), sentences=sentences, citations=citations, confidence=0.9, composer="model")


def said(text: str, *markers: int, origin: Origin = "written") -> Sentence:
    return Sentence(text=text, markers=markers, origin=origin)


def mended(*sentences: Sentence, pages: tuple[str, ...] = (BUILT, "Oil lamps burned until 1931.")) -> Answer:
    """Return an answer of whose sentences a model has contradicted those about 40, 50 and 900, and "--hard"."""
    answer, texts = answer_of(*sentences, pages=pages), dict(enumerate(pages, 1))
    wrong = [at for at, each in enumerate(sentences) if each.markers and re.search("40|50|hard|is open", each.text)]
    found = [Finding(sentence=at, kind="contradicted", by="model", why="") for at in wrong]
    return mend(answer, (*found, *uncited(answer)), texts, lang="en")


def test_sentence_that_was_found_wrong_gives_way_to_the_nearest_one_of_its_quote() -> None:
    answer = mended(said("It stands on a rock.", 1), said("It is 40 metres high.", 1), said("Lamps burned oil.", 2))
    assert answer.text == "It stands on a rock. [1] It is 31 metres high. [1] Lamps burned oil. [2]"
    assert [sentence.origin for sentence in answer.sentences] == ["written", "quoted", "written"]
    assert answer.notice == "1 sentence(s) did not agree with the source and were replaced by its words."


def test_contradiction_is_replaced_with_a_notice() -> None:
    page = "The bridge is not open in winter."
    answer = mended(said("The bridge is open in winter.", 1), pages=(page,))
    assert answer.text == "The bridge is not open in winter. [1]"
    assert answer.notice == "1 sentence(s) did not agree with the source and were replaced by its words."


def test_quote_that_replaces_two_sentences_stands_once() -> None:
    answer = mended(said("It is 40 metres high.", 1), said("It is 50 metres high.", 1))
    assert answer.text == "It is 31 metres high. [1]"


def test_what_cites_nothing_and_leads_to_nothing_is_left_out() -> None:
    answer = mended(
        said("It is a fine one."),
        said("In short:"),
        said("It is 31 metres high.", 1),
        said("Oil lamps burned until 1931.", 2),
        said("The pages do not say who lives there.", origin="missing"),
        said("Namely:"),
    )
    assert answer.text == (
        "In short: It is 31 metres high. [1] Oil lamps burned until 1931. [2] The pages do not say who lives there."
    )


def test_quote_in_place_of_a_row_stands_behind_its_table() -> None:
    rows = (("Thing | Value", ()), ("Height | 40 metres", (1,)), ("Built | 1874", (1,)))
    table = [Sentence(text=text, markers=markers, block="row") for text, markers in rows]
    answer = mended(*table, said("Lamps burned oil.", 2))
    assert answer.text == (
        "| Thing | Value |\n| --- | --- |\n| Built | 1874 [1] |\n\nIt is 31 metres high. [1] Lamps burned oil. [2]"
    )


def test_step_stays_a_step_and_code_gives_way_to_its_whole_quote() -> None:
    page = "Undo the last commit with reset.\nRun: git reset --soft HEAD~1\nThen commit again."
    step = Sentence(text="Run git reset --hard.", markers=(1,), block="step")
    assert mended(step, pages=(page,)).text == "1. Run: git reset --soft HEAD~1 [1]"
    code = Sentence(text="git reset --hard HEAD~1", markers=(1,), block="code")
    assert mended(code, pages=(page,)).sentences[0].text.split() == page.split()


HEADED = "## 2.5.0 – 2026-05-28\n\nThe sync stops no more when a phone sleeps.\n- Faster start"
NOTES = f"# Notes\n\n{HEADED}\n\n## 2.4.0\n\nOld."


@each_row(
    ("quote", "expected", "cites"),
    [
        ("## 2.5.0 – 2026-05-28", "The sync stops no more when a phone sleeps.", HEADED),  # what is below it
        ("- Faster start", "- Faster start", "- Faster start"),
        (HEADED, "The sync stops no more when a phone sleeps.", HEADED),
    ],
)
def test_heading_date_or_label_takes_no_sentences_place(quote: str, expected: str, cites: str) -> None:
    answer = answer_of(said("Version 2.5.0 mends the camera upload.", 1), pages=(NOTES,), quotes=(quote,))
    found = (Finding(sentence=0, kind="not_said", by="model", why=""),)
    after = mend(answer, found, {1: NOTES}, lang="en")
    assert after.text == f"{expected} [1]"
    assert after.sentences[0].origin == "quoted"
    (citation,) = after.citations
    assert citation.quote == NOTES[citation.start : citation.end] == cites


@each_row(
    ("kind", "origin", "text"),
    [
        ("not_said", "unconfirmed", "It came out in May. [1]"),
        ("contradicted", "quoted", "## 2.5.0 – 2026-05-28 [1]"),  # what is known to be wrong does not stay
    ],
)
def test_sentence_whose_source_has_no_other_is_marked(kind: FindingKind, origin: Origin, text: str) -> None:
    page = "## 2.5.0 – 2026-05-28"
    answer = answer_of(said("It came out in May.", 1), pages=(page,))
    after = mend(answer, (Finding(sentence=0, kind=kind, by="model", why=""),), {1: page}, lang="en")
    assert (after.text, after.sentences[0].origin) == (text, origin)
    assert ("1 sentence(s) are not confirmed" in after.notice) == (origin == "unconfirmed")


def test_nothing_cited_leaves_nothing() -> None:
    answer = mended(said("It is high."), said("Namely:"), pages=())
    assert (answer.text, answer.sentences) == ("", ())


def test_what_a_model_failed_to_check_stays_and_is_marked() -> None:
    answer = answer_of(said("In short:"), said("It was built in 1875.", 1), pages=(BUILT,))
    after = mend(answer, unchecked(answer), {1: BUILT}, lang="en")
    assert after.text == "In short: It was built in 1875. [1]"
    assert [sentence.origin for sentence in after.sentences] == ["written", "unconfirmed"]
    assert "1 sentence(s) are not confirmed" in after.notice


def test_answer_without_findings_stays_as_it_is() -> None:
    answer = answer_of(said("It was built in 1874.", 1), pages=(BUILT,))
    assert mend(answer, (), {}, lang="en") is answer


def test_citations_of_what_went_are_renumbered() -> None:
    answer = answer_of(
        said("Built in 1874.", 1, 2), said("Oil burned until 1931.", 2), pages=(BUILT, "Oil burned until 1931.")
    )
    found = (
        Finding(sentence=1, kind="not_said", by="model", why=""),
        Finding(sentence=0, kind="not_said", by="model", why=""),
    )
    after = mend(answer, found, {}, lang="en")
    assert after.text == f"{BUILT.split('. ')[0]}. [1] Oil burned until 1931. [2]"
    assert [citation.marker for citation in after.citations] == [1, 2]


texts = st.text(alphabet="0123456789.,:-$€%–\n| abkmMay notßéÉ中の'’()[]", max_size=80)


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.tuples(texts, st.lists(st.integers(1, 2), max_size=2)), max_size=4),
    texts,
    st.sampled_from(["not_said", "contradicted", "unconfirmed"]),
    st.sampled_from(["", "en", "de", "fr", "zh"]),
)
def test_any_answer_is_mended_into_one_that_only_cites_what_it_has(
    written: list[tuple[str, list[int]]], page: str, kind: FindingKind, lang: str
) -> None:
    sentences = tuple(said(text, *sorted(set(markers))) for text, markers in written)
    answer = answer_of(*sentences, pages=(page or "x", "A page of 7 words about May."))
    pages = {1: page or "x", 2: "A page of 7 words about May."}
    found = [Finding(sentence=at, kind=kind, by="model", why="") for at, each in enumerate(sentences) if each.markers]
    after = mend(answer, (*found, *uncited(answer)), pages, lang=lang)
    markers = {citation.marker for citation in after.citations}
    assert all(set(sentence.markers) <= markers for sentence in after.sentences)
    assert all(
        sentence.text in pages[1] + pages[2] or "\n" in page
        for sentence in after.sentences
        if sentence.origin == "quoted"
    )
