"""What a model reads: parts of pages around the best hits, in the pages' own words, within the room there is."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from domain import Block, Hit, Page
from pipeline.answering.citations import cite
from pipeline.answering.sections import PageSpan, Room, count_tokens, places_to_read, sections
from tests.fakes import passage

TEXT = (
    "Kettles\n\nA kettle boils water. It has a lid.\n\nDescaling\n\nUse vinegar once a month. Rinse it twice.\n\n"
    "Warranty\n\nThe warranty lasts two years."
)
HEADINGS = (
    (0, "Kettles"), (TEXT.index("Descaling"), "Descaling"), (TEXT.index("Warranty"), "Warranty"),
)  # fmt: skip


def page(text: str = TEXT, *, id: int = 1, headings: tuple[tuple[int, str], ...] = ()) -> Page:
    return Page(
        id=id, url=f"https://example.org/{id}", title="Kettles", text=text, lang="en", headings=headings,
        published=None, read_at=datetime(2026, 1, 1, tzinfo=UTC), content_hash="h", generation=1, is_gone=False,
        blocks=(Block(kind="prose", start=0, end=len(text)),),
    )  # fmt: skip


def around(text: str, words: str, *, id: int = 1) -> PageSpan:
    return PageSpan(page_id=id, start=text.index(words), end=text.index(words) + len(words))


def hit(rank: int, *, page_id: int = 1) -> Hit:
    return Hit(
        passage=passage(f"Passage {rank}.", page_id=page_id, ord=rank), score=1 / rank, scale="rerank", rank=rank
    )


def test_each_query_has_places_of_its_own_after_the_first_fused_hits() -> None:
    fused = [hit(rank) for rank in (1, 2, 3, 4, 5)]
    own = [hit(rank, page_id=2) for rank in (1, 2, 3)]
    room = Room(fused=3, own=2, sentences=1)
    chosen = places_to_read(fused, [fused, own], room=room)
    assert [(span.page_id, span.end - span.start) for span in chosen] == [(1, 10)] * 3 + [(2, 10)] * 2
    assert (
        len(places_to_read(fused[:2], [fused[1:], fused[:2]], room=Room(fused=3, own=2, sentences=1))) == 3
    )  # each passage once
    quoted = cite(passage("It is disputed.", page_id=3), 3, 5, marker=1)
    assert places_to_read(fused[:1], quoted=[quoted])[1:] == (PageSpan(page_id=3, start=3, end=5),)


def test_section_goes_from_the_heading_above_to_the_next() -> None:
    (section,) = sections([around(TEXT, "vinegar")], {1: page(headings=HEADINGS)}, tokens=500, rooms=(15,))
    assert section.text == "Descaling\n\nUse vinegar once a month. Rinse it twice."
    assert section.title == "Kettles › Descaling"
    assert TEXT[section.start : section.end] == section.text


def test_short_section_is_read_with_what_stands_beside_it() -> None:
    (section,) = sections([around(TEXT, "vinegar")], {1: page(headings=HEADINGS)}, tokens=500)
    assert section.text == TEXT


def test_long_section_is_cut_at_sentences() -> None:
    text = " ".join(f"Sentence number {number} says so." for number in range(100))
    (section,) = sections([around(text, "Sentence number 50 says so.")], {1: page(text)}, tokens=500, rooms=(60,))
    assert section.text.startswith("Sentence number 4")
    assert section.text.endswith("says so.")
    assert 40 < count_tokens(section.text) <= 60


def test_sections_that_touch_are_one_in_the_place_of_the_first() -> None:
    pages = {1: page(headings=HEADINGS), 2: page("Another page.", id=2)}
    spans = [around(TEXT, "boils"), PageSpan(page_id=2, start=0, end=13), around(TEXT, "warranty lasts")]
    assert [section.page_id for section in sections(spans, pages, tokens=500)] == [1, 2]


def test_pages_that_are_gone_are_left_out() -> None:
    assert sections([PageSpan(page_id=9, start=0, end=5)], {1: page()}, tokens=500) == ()
    assert sections([PageSpan(page_id=1, start=900, end=950)], {1: page()}, tokens=500) == ()  # it is shorter now


def test_what_does_not_fit_leaves_its_room_to_the_next() -> None:
    long = "All of this is one passage. " * 60
    pages = {1: page(long), 2: page("Short.", id=2)}
    spans = [PageSpan(page_id=1, start=0, end=len(long)), PageSpan(page_id=2, start=0, end=6)]
    assert [section.text for section in sections(spans, pages, tokens=50)] == ["Short."]


PIECES = st.sampled_from(
    ["A word. ", "Zwei Wörter!\n\n", "三个字。", "- item\n", "a | b\n", "x", "\n\n", " ", "\ud800"]
)


@given(
    texts=st.lists(st.lists(PIECES, min_size=1, max_size=60).map("".join), min_size=1, max_size=3),
    draw=st.data(),
    tokens=st.integers(30, 400),
)
def test_sections_are_the_pages_text_within_the_tokens(texts: list[str], draw: st.DataObject, tokens: int) -> None:
    pages, spans = {}, []
    for id, text in enumerate(texts):
        cuts = sorted(draw.draw(st.lists(st.integers(0, len(text)), max_size=4, unique=True)))
        pages[id] = page(text, id=id, headings=tuple((at, f"Heading {at}") for at in cuts))
        for _ in range(3):
            start = draw.draw(st.integers(0, len(text) - 1))
            spans.append(PageSpan(page_id=id, start=start, end=draw.draw(st.integers(start + 1, len(text)))))
    found = sections(spans, pages, tokens=tokens)
    assert sum(count_tokens(f"{each.text}{each.title}{each.url}") for each in found) <= tokens
    for each in found:
        assert each.text == pages[each.page_id].text[each.start : each.end] == each.text.strip()
        assert all(0 <= block.start < block.end <= len(each.text) for block in each.blocks)
    for one in found:
        for other in found:
            assert one is other or one.page_id != other.page_id or one.end <= other.start or other.end <= one.start
    first = texts[0][spans[0].start : spans[0].end].strip()
    if first and count_tokens(first) + 30 <= tokens:
        assert first in found[0].text
