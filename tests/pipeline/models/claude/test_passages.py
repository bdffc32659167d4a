"""Test that passages become blocks, and citations of blocks become citations of the page."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from hypothesis import given as given_by
from hypothesis import strategies as st

from domain import Answer, Block, Cost, Passage
from domain.page import BlockKind
from pipeline.answering.citations import cite, is_verbatim
from pipeline.models.answer import ReplyState, written_from
from pipeline.models.claude import search_results
from pipeline.models.claude_api import span_of_blocks
from pipeline.models.passages import LONG, cut_into_blocks, narrow
from pipeline.models.provider import CitedText, PassageSpan
from pipeline.phrases import say
from tests.pipeline.models.asking import brief
from text.invisible import strip_invisible

PAGE = (
    "Preface.\n\nThe tower is 330 m tall, and painted anew every seven years by hand. It was finished in 1889!\n\n"
    "Visitors pay 29 € for the lift, less for the stairs, and nothing at all to look.\n\nAfterword."
)
TALL, DONE, PAY = "The tower is 330 m tall, and painted", "It was finished in 1889!", "Visitors pay 29 €"
TEXTS = st.text(st.characters(codec=None), max_size=300) | st.lists(
    st.sampled_from(["One. ", "Zwei!\n\n", "三。", " \ud800 ", "x" * 90, "\u2028", "- a\n", "…"]), max_size=60
).map("".join)


def of(
    text: str, *, start: int = 0, id: str = "7-0", title: str = "Tower", url: str = "https://e.org/t", **values: Any
) -> Passage:
    return Passage(
        id=id, page_id=7, ord=0, url=url, title=title, lang="en", text=text, start=start, end=start + len(text),
        content_hash="h", published=datetime(2024, 5, 1, tzinfo=UTC), **values,
    )  # fmt: skip


def answer(said: list[CitedText], passages: list[Passage], *, state: ReplyState = "complete") -> Answer:
    return written_from(said, cut_into_blocks(passages), brief("", []), composer="m", cost=Cost(), state=state).answer


def tower() -> Passage:
    return of(PAGE[10:-12], start=10)


def quoting(claim: str, start: int, end: int) -> PassageSpan:
    (cited,) = cut_into_blocks([tower()])
    span = span_of_blocks(cited, start, end, quote="".join(cited.blocks()[start:end]), claim=claim)
    assert span is not None
    return span


def blocks(text: str, *kinds: tuple[BlockKind, str]) -> list[str]:
    """Cut a text whose parts are of these kinds."""
    parts = tuple(Block(kind=kind, start=text.index(part), end=text.index(part) + len(part)) for kind, part in kinds)
    (cut,) = cut_into_blocks([of(text, blocks=parts)])
    return [block.strip() for block in cut.blocks()]


@given_by(text=TEXTS)
def test_blocks_rebuild_the_passage_and_none_is_blank(text: str) -> None:
    for item in cut_into_blocks([of(text)]):
        assert "".join(text[start:end] for start, end in pairwise(item.bounds)) == text
        assert all(block.strip() for block in item.blocks())


@given_by(text=TEXTS)
def test_no_block_holds_what_no_reader_sees(text: str) -> None:
    for item in cut_into_blocks([of(text)]):
        assert all(strip_invisible(block) == block for block in item.blocks())


@given_by(text=TEXTS, at=st.data(), claim=st.text(max_size=30))
def test_every_range_of_blocks_cites_exactly_the_page(text: str, at: st.DataObject, claim: str) -> None:
    page = "before " + text + " after"
    for item in cut_into_blocks([of(text, start=7)]):
        start = at.draw(st.integers(0, len(item.bounds) - 2))
        end = at.draw(st.integers(start + 1, len(item.bounds) - 1))
        span = span_of_blocks(item, start, end, quote="".join(item.blocks()[start:end]), claim=claim)
        assert span is not None
        citation = cite(span.passage, span.start, span.end, marker=1)
        assert is_verbatim(citation, page)
        assert citation.quote in text[item.bounds[start] : item.bounds[end]]


def test_short_paragraphs_and_headings_join_what_follows_and_the_last_joins_what_is_before() -> None:
    long = "This paragraph has enough words to stand by itself, and it says more than most of them do."
    text = f"9.8.\n\nSizes\n\nSmall.\n\n{long}\n\n{long[::-1]}\n\nSee below:\n\n- one\n- two"
    assert blocks(
        text, ("prose", "9.8."), ("heading", "Sizes"), ("prose", "Small."), ("prose", long), ("prose", long[::-1]),
        ("prose", "See below:"), ("list", "- one\n- two"),
    ) == [f"9.8.\n\nSizes\n\nSmall.\n\n{long}", f"{long[::-1]}\n\nSee below:\n\n- one\n- two"]  # fmt: skip


def test_code_stays_whole_and_long_tables_are_cut_between_rows() -> None:
    code = "\n".join(f"line({number});  # {'x' * 40}" for number in range(30))
    rows = "\n".join(f"row {number} | {'cell ' * 10}" for number in range(30))
    cut = blocks(f"{code}\n\n{rows}", ("code", code), ("table", rows))
    assert cut[0] == code
    assert len(cut) > 4
    assert all(block.startswith("row") for block in cut[1:])


def test_long_paragraph_is_cut_at_sentences() -> None:
    text = "This sentence is one of very many that say the same. " * 30
    (cut,) = cut_into_blocks([of(text)])
    assert len(cut.blocks()) > 3
    assert all(block.startswith("This") and len(block) < LONG for block in cut.blocks())


def test_citation_is_narrowed_to_the_sentences_that_say_it() -> None:
    assert PAGE[10 + quoting("Done in 1889.", 0, 1).start :].startswith(DONE)
    both = quoting("The tower, 330 m tall, was finished in 1889.", 0, 2)
    assert PAGE[10 + both.start : 10 + both.end].startswith(TALL)
    assert PAGE[10 + both.start : 10 + both.end].endswith(DONE)


def test_row_and_code_are_cited_whole() -> None:
    table, code = "Size | Price\nSmall | 3 €\nLarge | 5 €", "pip install foo\nfoo --serve"
    text = f"{table}\n\n{code}"
    parts = (Block(kind="table", start=0, end=len(table)), Block(kind="code", start=len(table) + 2, end=len(text)))
    passage = of(text, blocks=parts)
    assert text[slice(*narrow("A large one costs 5 €.", passage, 0, len(text)) or ())] == "Large | 5 €"
    assert text[slice(*narrow("Serve foo.", passage, 0, len(text)) or ())] == code
    assert narrow("Der Mond.", passage, 0, len(text)) is None


def test_empty_and_repeated_passages_are_not_given() -> None:
    given = [of(" \n "), of("A."), of("A."), of("B.", id="7-1")]
    assert [item.passage.text for item in cut_into_blocks(given)] == ["A.", "B."]


def test_search_result_without_title_or_url_has_something_in_their_place() -> None:
    (block,) = search_results(cut_into_blocks([of("A.", title=" ", url="")]), citable=True)
    assert (block["source"], block["title"]) == ("7-0", "7-0 (published 2024-05-01)")


def test_sentence_takes_the_citations_of_every_stretch_in_it() -> None:
    passages = [tower()]
    said = [
        CitedText(text="It is 330 m tall", citations=(quoting(TALL, 0, 1),)),
        CitedText(text=" and "),
        CitedText(text="was finished in 1889", citations=(quoting(DONE, 0, 1),)),
        CitedText(text=". "),
        CitedText(text="Visitors pay 29 €.", citations=(quoting(PAY, 1, 2), quoting(TALL, 0, 1))),
    ]
    found = answer(said, passages)
    assert [sentence.markers for sentence in found.sentences] == [(1, 2), (1, 3)]
    assert found.text == "It is 330 m tall and was finished in 1889. [1] [2] Visitors pay 29 €. [1] [3]"
    assert found.confidence == 1.0


def test_stretch_does_not_lend_its_citation_to_the_sentence_after_its_space() -> None:
    passages = [tower()]
    said = [CitedText(text="It is tall. ", citations=(quoting(TALL, 0, 1),)), CitedText(text="Everyone loves it.")]
    assert [sentence.text for sentence in answer(said, passages).sentences] == ["It is tall."]


def test_sentence_without_citation_is_left_out_and_the_notice_says_so() -> None:
    passages = [tower()]
    said = [CitedText(text="Everyone loves it. "), CitedText(text="It is tall.", citations=(quoting(TALL, 0, 1),))]
    found = answer(said, passages)
    assert found.text == "It is tall. [1]"
    assert found.notice == "1 sentence(s) cited nothing and were left out."


def test_lead_in_stays_before_a_supported_sentence_only() -> None:
    passages = [tower()]
    supported = CitedText(text="It is tall.", citations=(quoting(TALL, 0, 1),))
    led = answer([CitedText(text="Two things are known:\n\n"), supported], passages)
    assert led.text == "Two things are known: It is tall. [1]"
    assert (
        answer([supported, CitedText(text="\n\nThe rest is known:\n\n"), CitedText(text="Nothing.")], passages).text
        == "It is tall. [1]"
    )


def test_nothing_supported_is_no_answer() -> None:
    found = answer([CitedText(text="The search results do not say.")], [tower()])
    assert (found.text, found.sentences, found.confidence, found.notice) == ("", (), 0.0, say("not_found", "en"))


def test_citation_that_names_no_block_or_quotes_something_else_counts_for_nothing() -> None:
    (cited,) = cut_into_blocks([tower()])
    true = cited.blocks()[0]
    assert span_of_blocks(cited, 0, 1, quote=true, claim="")
    for start, end, quote in (
        (0, 9, true),  # beyond the last block
        (-3, 1, true),  # Python would count from the end
        (1, 1, ""),  # empty range
        (0, 1, true.replace("330", "331")),  # not what the page says
    ):
        assert span_of_blocks(cited, start, end, quote=quote, claim="") is None


def test_last_sentence_of_a_reply_that_was_cut_off_is_left_out() -> None:
    passages = [tower()]
    citations = (quoting(TALL, 0, 1),)
    found = answer([CitedText(text="It is tall. It was fin", citations=citations)], passages, state="cut off")
    assert found.text == "It is tall. [1]"
    assert "cut off" in found.notice
    assert answer(
        [CitedText(text="It is tall. It is 330 m tall.", citations=citations)], passages, state="cut off"
    ).text.endswith("m tall. [1]")


@given_by(
    said=st.lists(
        st.builds(
            CitedText,
            text=st.text(max_size=40),
            citations=st.lists(
                st.sampled_from([(TALL, 0, 1), (DONE, 0, 1), (DONE, 0, 2), (PAY, 1, 2)]).map(lambda at: quoting(*at)),
                max_size=3,
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
