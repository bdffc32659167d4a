"""Test that passages become blocks, and citations of blocks become citations of the page."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

from hypothesis import given as given_by
from hypothesis import strategies as st

from domain import Answer, Cost, Hit, Passage
from pipeline.answering.citations import cite, is_verbatim
from pipeline.models.answer import ReplyState, written_from
from pipeline.models.claude.request import search_results, span_of_blocks
from pipeline.models.passages import cut_into_blocks
from pipeline.models.provider import CitedText, PassageSpan
from pipeline.phrases import say
from text.invisible import strip_invisible

PAGE = "Preface.\n\nThe tower is 330 m tall. It was finished in 1889!  Visitors pay 29 €.\n\nAfterword."
TEXTS = st.text(st.characters(codec=None), max_size=300) | st.lists(
    st.sampled_from(["One. ", "Zwei!\n\n", "三。", " \ud800 ", "x", "\u2028", "- a\n", "…"]), max_size=20
).map("".join)


def hit(text: str, *, start: int = 0, id: str = "7-0", title: str = "Tower", url: str = "https://e.org/t") -> Hit:
    passage = Passage(
        id=id, page_id=7, ord=0, url=url, title=title, lang="en", text=text, start=start, end=start + len(text),
        content_hash="h", published=datetime(2024, 5, 1, tzinfo=UTC),
    )  # fmt: skip
    return Hit(passage=passage, score=1.0, scale="rerank", rank=1)


def answer(said: list[CitedText], hits: list[Hit], *, state: ReplyState = "complete") -> Answer:
    return written_from(said, cut_into_blocks(hits), composer="m", cost=Cost(), state=state).answer


def tower() -> Hit:
    return hit(PAGE[10:-12], start=10)


def quoting(hits: list[Hit], result: int, start: int, end: int) -> PassageSpan:
    cited = cut_into_blocks(hits)[result]
    span = span_of_blocks(cited, start, end, quote="".join(cited.blocks()[start:end]))
    assert span is not None
    return span


@given_by(text=TEXTS)
def test_blocks_rebuild_the_passage_and_none_is_blank(text: str) -> None:
    for item in cut_into_blocks([hit(text)]):
        assert "".join(text[start:end] for start, end in pairwise(item.bounds)) == text
        assert all(block.strip() for block in item.blocks())


@given_by(text=TEXTS)
def test_no_block_holds_what_no_reader_sees(text: str) -> None:
    for item in cut_into_blocks([hit(text)]):
        assert all(strip_invisible(block) == block for block in item.blocks())


@given_by(text=TEXTS, at=st.data())
def test_every_range_of_blocks_cites_exactly_the_page(text: str, at: st.DataObject) -> None:
    page = "before " + text + " after"
    hits = [hit(text, start=7)]
    for item in cut_into_blocks(hits):
        start = at.draw(st.integers(0, len(item.bounds) - 2))
        end = at.draw(st.integers(start + 1, len(item.bounds) - 1))
        span = quoting(hits, 0, start, end)
        citation = cite(span.passage, span.start, span.end, marker=1)
        assert is_verbatim(citation, page)
        assert citation.quote == text[item.bounds[start] : item.bounds[end]].strip()


def test_citation_of_two_blocks_spans_the_white_space_between_them() -> None:
    hits = [tower()]
    (citation,) = answer(
        [CitedText(text="It is tall, and finished.", citations=(quoting(hits, 0, 0, 2),))], hits
    ).citations
    assert citation.quote == "The tower is 330 m tall. It was finished in 1889!" == PAGE[citation.start : citation.end]


def test_empty_and_repeated_passages_are_not_given() -> None:
    assert [
        item.passage.text for item in cut_into_blocks([hit(" \n "), hit("A."), hit("A."), hit("B.", id="7-1")])
    ] == [
        "A.",
        "B.",
    ]


def test_search_result_without_title_or_url_has_something_in_their_place() -> None:
    (block,) = search_results(cut_into_blocks([hit("A.", title=" ", url="")]), citable=True)
    assert (block["source"], block["title"]) == ("7-0", "[Relevance: 1.00] 7-0 (published 2024-05-01)")


def test_sentence_takes_the_citations_of_every_stretch_in_it() -> None:
    hits = [tower()]
    said = [
        CitedText(text="It is 330 m tall", citations=(quoting(hits, 0, 0, 1),)),
        CitedText(text=" and "),
        CitedText(text="was finished in 1889", citations=(quoting(hits, 0, 1, 2),)),
        CitedText(text=". "),
        CitedText(text="Visitors pay 29 €.", citations=(quoting(hits, 0, 2, 3), quoting(hits, 0, 0, 1))),
    ]
    found = answer(said, hits)
    assert [sentence.markers for sentence in found.sentences] == [(1, 2), (1, 3)]
    assert found.text == "It is 330 m tall and was finished in 1889. [1] [2] Visitors pay 29 €. [1] [3]"
    assert found.confidence == 1.0


def test_stretch_does_not_lend_its_citation_to_the_sentence_after_its_space() -> None:
    hits = [tower()]
    said = [CitedText(text="It is tall. ", citations=(quoting(hits, 0, 0, 1),)), CitedText(text="Everyone loves it.")]
    assert [sentence.text for sentence in answer(said, hits).sentences] == ["It is tall."]


def test_sentence_without_citation_is_left_out_and_the_notice_says_so() -> None:
    hits = [tower()]
    said = [CitedText(text="Everyone loves it. "), CitedText(text="It is tall.", citations=(quoting(hits, 0, 0, 1),))]
    found = answer(said, hits)
    assert found.text == "It is tall. [1]"
    assert found.notice == "Sentences left out because they cite nothing: 1."


def test_lead_in_stays_before_a_supported_sentence_only() -> None:
    hits = [tower()]
    supported = CitedText(text="It is tall.", citations=(quoting(hits, 0, 0, 1),))
    led = answer([CitedText(text="Two things are known:\n\n"), supported], hits)
    assert led.text == "Two things are known: It is tall. [1]"
    assert (
        answer([supported, CitedText(text="\n\nThe rest is known:\n\n"), CitedText(text="Nothing.")], hits).text
        == "It is tall. [1]"
    )


def test_nothing_supported_is_no_answer() -> None:
    found = answer([CitedText(text="The search results do not say.")], [tower()])
    assert (found.text, found.sentences, found.confidence, found.notice) == ("", (), 0.0, say("not_found", "en"))


def test_citation_that_names_no_block_or_quotes_something_else_counts_for_nothing() -> None:
    (cited,) = cut_into_blocks([tower()])
    true = "The tower is 330 m tall. "
    assert span_of_blocks(cited, 0, 1, quote=true)
    for start, end, quote in (
        (0, 9, true),  # beyond the last block
        (-3, 1, true),  # Python would count from the end
        (1, 1, ""),  # empty range
        (0, 1, "The tower is 331 m tall."),  # not what the page says
    ):
        assert span_of_blocks(cited, start, end, quote=quote) is None


def test_last_sentence_of_a_reply_that_was_cut_off_is_left_out() -> None:
    hits = [tower()]
    citations = (quoting(hits, 0, 0, 1),)
    found = answer([CitedText(text="It is tall. It was fin", citations=citations)], hits, state="cut off")
    assert found.text == "It is tall. [1]"
    assert "cut off" in found.notice
    assert answer(
        [CitedText(text="It is tall. It is 330 m tall.", citations=citations)], hits, state="cut off"
    ).text.endswith("m tall. [1]")


@given_by(
    said=st.lists(
        st.builds(
            CitedText,
            text=st.text(max_size=40),
            citations=st.lists(
                st.sampled_from([(0, 1), (0, 2), (1, 2), (2, 3)]).map(lambda at: quoting([tower()], 0, *at)), max_size=3
            ).map(tuple),
        ),
        max_size=6,
    )
)
def test_whatever_is_said_every_citation_stands_and_every_marker_has_one(said: list[CitedText]) -> None:
    found = answer(said, [tower()])
    assert all(is_verbatim(citation, PAGE) for citation in found.citations)
    used = {marker for sentence in found.sentences for marker in sentence.markers}
    assert used == {citation.marker for citation in found.citations} == set(range(1, len(found.citations) + 1))
