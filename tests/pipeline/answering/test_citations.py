"""Citations are checked against the stored page, whoever composed the answer."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import Answer, Citation, CitedPage, Hit, Sentence
from domain.answer import AnswerBlock
from pipeline.answering.citations import (
    check,
    is_verbatim,
    located,
    outdated_notice,
    partly_read_notice,
    render,
    supported,
)
from pipeline.answering.compose import compose
from pipeline.judging.evidence import gather
from pipeline.phrases import say
from pipeline.question.analysis import analyse_question
from tests.fakes import passage

PAGE = "Paris is the capital of France. It lies on the Seine."


def citation(marker: int, start: int, end: int, quote: str = "") -> Citation:
    return Citation(
        marker=marker,
        passage_id="1-0",
        page_id=1,
        url="u",
        title="Paris",
        quote=quote or PAGE[start:end],
        start=start,
        end=end,
    )


def answer_with(*citations: Citation) -> Answer:
    sentences = tuple(Sentence(text=item.quote, markers=(item.marker,)) for item in citations)
    return Answer(text=render(sentences), sentences=sentences, citations=citations, confidence=0.9, composer="x")


def test_list_or_table_stands_by_itself_in_the_answer() -> None:
    table = "Part | Price\nLamp | 4 €"
    said = (Sentence(text="It is sold.", markers=(1,)), Sentence(text=table, markers=(2,)), Sentence(text="Ask."))
    assert render(said) == f"It is sold. [1]\n\n{table} [2]\n\nAsk."
    assert render(said[:1] + said[2:]) == "It is sold. [1] Ask."


def test_blocks_are_written_as_markdown() -> None:
    said = (
        Sentence(text="Start", block="heading"),
        Sentence(text="It is sold.", markers=(1,)),
        Sentence(text="Do this:"),
        Sentence(text="Run it:", markers=(1,), block="step"),
        Sentence(text="echo '```'", markers=(2,), block="code"),
        Sentence(text="Ask.", markers=(1, 2), block="step"),
        Sentence(text="One.", block="item"),
        Sentence(text="Two.", markers=(3,), block="item"),
        Sentence(text="Part | Price", block="row"),
        Sentence(text="Lamp | a \\| b", markers=(3,), block="row"),
    )
    assert render(said) == (
        "## Start\n\nIt is sold. [1] Do this:\n\n1. Run it: [1]\n\n````\necho '```'\n````\n[2]\n\n2. Ask. [1] [2]\n\n"
        "- One.\n- Two. [3]\n\n| Part | Price |\n| --- | --- |\n| Lamp | a \\| b [3] |"
    )


def test_heading_lead_in_and_table_header_go_with_what_they_announce() -> None:
    kinds: tuple[AnswerBlock, ...] = ("heading", "", "row", "row", "row", "heading", "")
    texts = ("Prices", "They are:", "Part | Price", "Lamp | 4", "Wick | 1", "Lore", "It is.")
    marked: tuple[tuple[int, ...], ...] = ((), (), (), (1,), (), (), (2,))
    said = tuple(
        Sentence(text=text, markers=markers, block=block)
        for text, markers, block in zip(texts, marked, kinds, strict=True)
    )
    assert [each.text for each in supported(said, {1, 2})] == [*texts[:4], *texts[5:]]
    assert [each.text for each in supported(said, {2})] == ["Lore", "It is."]
    assert [each.text for each in supported(said, {1})] == list(texts[:4])


def test_answer_whose_quotes_stand_is_left_alone() -> None:
    answer = answer_with(citation(1, 0, 31), citation(2, 32, 53))
    assert check(answer, lambda _: PAGE) is answer
    assert answer.text == "Paris is the capital of France. [1] It lies on the Seine. [2]"


def test_sentence_with_an_invented_quote_is_dropped_and_markers_close_up() -> None:
    checked = check(answer_with(citation(1, 0, 31, "Rome is the capital"), citation(2, 32, 53)), lambda _: PAGE)
    assert checked.text == "It lies on the Seine. [1]"
    assert [item.marker for item in checked.citations] == [1]
    assert checked.notice == say("misquoted", "en")


def test_notice_is_in_the_language_asked_for() -> None:
    invented = answer_with(citation(1, 0, 31, "Rome is the capital"))
    assert check(invented, lambda _: PAGE, lang="de").notice == say("misquoted", "de")


def test_quote_elsewhere_on_the_page_does_not_stand() -> None:
    assert not is_verbatim(citation(1, 1, 32, PAGE[0:31]), PAGE)


def test_answer_of_a_page_that_is_gone_has_no_text_and_no_confidence() -> None:
    checked = check(answer_with(citation(1, 0, 31)), lambda _: None)
    assert (checked.text, checked.citations, checked.confidence) == ("", (), 0.0)


def test_sentence_is_dropped_when_one_of_its_citations_fails() -> None:
    both = Sentence(text="Paris lies on the Seine.", markers=(1, 2))
    good, bad = citation(1, 0, 31), citation(2, 0, 5, "Seine")
    answer = replace(answer_with(good, bad), sentences=(both,))
    assert check(answer, lambda _: PAGE).sentences == ()


def test_sentence_that_cites_nothing_is_dropped_unless_it_leads_into_one_that_stands() -> None:
    good = answer_with(citation(1, 0, 31))
    led = replace(good, sentences=(Sentence(text="In short:"), *good.sentences, Sentence(text="So they say.")))
    assert check(led, lambda _: PAGE).text == "In short: Paris is the capital of France. [1]"
    assert check(led, lambda _: PAGE).notice == say("misquoted", "en")


def test_sentence_that_leads_into_nothing_any_more_goes_with_it() -> None:
    bad = answer_with(citation(1, 0, 5, "Rome!"))
    led = replace(bad, sentences=(Sentence(text="In short:"), *bad.sentences))
    checked = check(led, lambda _: PAGE)
    assert (checked.text, checked.sentences, checked.confidence) == ("", (), 0.0)


def test_answer_without_any_citation_is_none() -> None:
    answer = Answer(text="Rome.", sentences=(Sentence(text="Rome."),), citations=(), confidence=0.9, composer="x")
    checked = check(answer, lambda _: PAGE)
    assert (checked.text, checked.confidence) == ("", 0.0)


@given(st.text(max_size=40), st.integers(-5, 50), st.integers(-5, 50), st.text(max_size=40))
def test_no_citation_stands_unless_it_is_the_pages_text(page: str, start: int, end: int, quote: str) -> None:
    if is_verbatim(replace(citation(1, 0, 1), quote=quote, start=start, end=end), page):
        assert 0 <= start < end <= len(page)
        assert page[start:end] == quote


LAMPS = "Lamps.\n\n## Price\n\nA lamp costs 9 euros.\n\n## Weight\n\nIt weighs 2 kg."


def lamps(title: str = "The lamps") -> dict[int, CitedPage]:
    headings = ((LAMPS.index("Price"), "Price"), (LAMPS.index("Weight"), "Weight"))
    places = ((0, "page 1"), (LAMPS.index("## Weight"), "page 2"))
    at = datetime(2026, 5, 1, tzinfo=UTC)
    return {1: CitedPage(title=title, headings=headings, places=places, published=None, modified=at, seen_at=at)}


@pytest.mark.parametrize(
    ("quote", "title", "place"),
    [
        ("Lamps.", "The lamps", "page 1"),
        ("A lamp costs 9 euros.", "The lamps › Price", "page 1"),
        ("It weighs 2 kg.", "The lamps › Weight", "page 2"),
        ("## Weight\n\nIt weighs 2 kg.", "The lamps › Weight", "page 2"),  # it begins with the heading's marks
        ("A lamp costs 9 euros.\n\n## Weight\n\nIt weighs 2 kg.", "The lamps › Price", "pages 1–2"),
    ],
)
def test_citation_names_the_heading_and_the_place_of_its_quote(quote: str, title: str, place: str) -> None:
    start = LAMPS.index(quote)
    passage_wide = citation(1, start, start + len(quote), quote)  # its title is that of a passage with all sections
    (cited,) = located(answer_with(passage_wide), lamps()).citations
    assert (cited.title, cited.place, cited.name) == (title, place, f"{title}, {place}")
    assert cited.modified == cited.read_at == datetime(2026, 5, 1, tzinfo=UTC)


def test_heading_that_is_the_pages_title_is_not_named_twice() -> None:
    start = LAMPS.index("A lamp")
    (cited,) = located(answer_with(citation(1, start, start + 6, "A lamp")), lamps("Price")).citations
    assert cited.title == "Price"


def test_citation_of_a_page_that_is_not_known_stays_as_it_is() -> None:
    answer = answer_with(citation(1, 0, 31))
    assert located(answer, {}) == answer


# --- notices


def dated_answer(published: datetime | None = None) -> Answer:
    of_one_page = replace(passage("The lighthouse of Vierburg was built in 1874."), published=published)
    hit = Hit(passage=of_one_page, score=0.9, scale="rerank", rank=1)
    answer = compose(gather(analyse_question("When was the lighthouse of Vierburg built?"), [hit]), confidence=0.8)
    assert answer is not None
    return answer


def test_answer_of_pages_older_than_asked_says_so() -> None:
    answer = dated_answer(datetime(2011, 4, 1, tzinfo=UTC))
    assert outdated_notice(answer, datetime(2020, 1, 1, tzinfo=UTC), "en") == (
        "Older than asked for: [1] (published 2011-04-01)."
    )
    assert outdated_notice(answer, datetime(2020, 1, 1, tzinfo=UTC), "de").startswith("Älter als gewünscht: [1]")
    assert outdated_notice(answer, datetime(2010, 1, 1, tzinfo=UTC), "en") == ""
    assert outdated_notice(answer, None, "en") == ""


def test_answer_of_a_document_that_was_read_in_part_says_so() -> None:
    answer = dated_answer()
    page = CitedPage(title="", headings=(), places=(), published=None, modified=None, seen_at=datetime.now(UTC))
    cited = {answer.citations[0].page_id: replace(page, missing=("2 charts", "pages 501 to 700"))}
    assert partly_read_notice(answer, cited, "en") == "Read only in part: [1] (− 2 charts, pages 501 to 700)."
    assert partly_read_notice(answer, cited, "de").startswith("Nur zum Teil gelesen: [1]")
    assert partly_read_notice(answer, dict.fromkeys(cited, page), "en") == ""
