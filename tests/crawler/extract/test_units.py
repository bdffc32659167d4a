"""A passage is cut where a reader would cut it: between sentences, items and rows, not through code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.chunk import MAX_WORDS, chunk, units, word_count
from crawler.extract.document import extract
from domain import BLOCK_KINDS, Block, PageText, Passage
from tests.tables import each_row

_FILLER = "The keeper trims the wick every evening before he lights the lamp. " * 8


def _passages(body: str) -> list[Passage]:
    page = extract(
        f"<html><head><title>Lamps</title></head><body><main>{body}</main></body></html>".encode(),
        url="http://a.example/",
        content_type="text/html; charset=utf-8",
    )
    return chunk(page, page_id=1, url="http://a.example/")


@each_row(
    ("body", "whole"),
    [
        # a list stays with the sentence that introduces it
        ("<p>You need:</p><ul>" + "<li>a wick of cotton</li>" * 9 + "</ul>", "You need:\n\n- a wick"),
        # a table's header stays with its rows
        (
            "<table><tr><th>Lamp</th><th>Oil</th></tr>" + "<tr><td>north</td><td>whale</td></tr>" * 12 + "</table>",
            "Lamp | Oil\nnorth | whale",
        ),
        # code is whole, below its sentence
        (
            "<p>Write this:</p><pre>" + "light(lamp)\n" * 40 + "</pre>",
            "Write this:\n\nlight(lamp)\n" + "light(lamp)\n" * 38,
        ),
        # a term stays with its description
        ("<dl><dt>wick</dt><dd>" + "What burns in the lamp. " * 9 + "</dd></dl>", "wick\nWhat burns"),
        # a term above code, too
        ("<dl><dt>light()</dt><dd><pre>" + "light(lamp) now\n" * 9 + "</pre></dd></dl>", "light()\n\nlight(lamp)"),
        # the rest of a sentence stays with the code in it
        (
            "<p>The command</p><pre>light --all</pre><p>lights every lamp there is.</p>",
            "light --all\nlights every lamp",
        ),
    ],
)
def test_what_belongs_together_is_in_one_passage(body: str, whole: str) -> None:
    for before in range(5):
        texts = [passage.text for passage in _passages(f"<p>{_FILLER * before}</p>{body}<p>{_FILLER}</p>")]
        assert any(whole in text for text in texts), (before, texts)


def test_a_list_too_long_for_a_passage_is_cut_between_its_items() -> None:
    items = "".join(
        f"<li>Item {at} says that the keeper trims the wick every evening before nightfall.</li>" for at in range(60)
    )
    passages = _passages(f"<p>These are the rules:</p><ul>{items}</ul>")
    assert len(passages) > 3
    assert all(passage.text.startswith("- Item") for passage in passages[1:])


def test_a_long_ordered_list_is_cut_between_its_items() -> None:
    items = "<li>Trim the wick, fill the lamp with oil and note it in the log. Then rest.</li>" * 60
    passages = _passages(f"<p>These are the steps:</p><ol type='a' start='20'>{items}</ol>")
    assert len(passages) > 3
    assert all(re.match(r"[a-z]{1,2}\. Trim", passage.text) for passage in passages[1:])


@pytest.mark.parametrize(
    ("body", "lead"),
    [
        (
            "<p>Keep to them. These are the rules:</p><ul>" + "<li>Trim the wick of every lamp.</li>" * 90 + "</ul>",
            "These are the rules:",
        ),
        (
            "<table><tr><th>Lamp</th><th>Oil</th></tr>"
            + "<tr><td>north pier</td><td>whale oil</td></tr>" * 90
            + "</table>",
            "Lamp | Oil",
        ),
        ("<dl><dt>wick</dt><dd>" + "What burns in the lamp of a harbour. " * 60 + "</dd></dl>", "wick"),
    ],
)
def test_what_is_cut_repeats_what_introduces_it(body: str, lead: str) -> None:
    passages = _passages(f"{body}<h2>Pay</h2><p>{_FILLER}</p>")
    assert len(passages) > 3
    assert [passage.lead for passage in passages] == ["", *[lead] * (len(passages) - 2), ""]
    assert len({passage.content_hash for passage in passages}) > 1


def test_a_passage_knows_the_kinds_of_its_parts() -> None:
    (passage,) = _passages(
        "<h2>Wicks</h2><p>You need two of them, as every keeper of a lamp knows, and one more for the night:</p>"
        "<ul><li>flat</li><li>round</li></ul><pre>trim(wick)</pre>"
    )
    assert [(block.kind, passage.text[block.start : block.end]) for block in passage.blocks] == [
        ("heading", "Wicks"),
        ("prose", "You need two of them, as every keeper of a lamp knows, and one more for the night:"),
        ("list", "- flat\n- round"),
        ("code", "trim(wick)"),
    ]


class _Counted(str):
    """A text that counts the characters that are copied out of it."""

    copied = 0

    def __getitem__(self, key: Any) -> str:
        part = super().__getitem__(key)
        self.copied += len(part)
        return part


class _Blocks(tuple[Block, ...]):
    """Blocks that count how often one is looked at."""

    looked = 0

    def __getitem__(self, at: Any) -> Any:
        type(self).looked += 1
        return super().__getitem__(at)

    def __iter__(self) -> Iterator[Block]:
        for block in super().__iter__():
            type(self).looked += 1
            yield block


def _copied(words: int) -> int:
    text = _Counted("word " * words)
    page = PageText(title="", text=text, lang="en", blocks=(Block(kind="code", start=0, end=len(text)),))
    assert len(list(units(page, 0, len(text)))) == 1
    return text.copied


def test_a_block_without_end_is_cut_in_linear_time() -> None:
    assert _copied(40_000) < 2.2 * _copied(20_000)


def _looked(sections: int) -> int:
    part = "Wicks\n\n" + _FILLER
    length = len(part)
    starts = [at * length for at in range(sections)]
    kinds = [
        (Block(kind="heading", start=at, end=at + 5), Block(kind="prose", start=at + 7, end=at + length))
        for at in starts
    ]
    blocks = _Blocks(block for pair in kinds for block in pair)
    headings = tuple((at, "Wicks") for at in starts)
    page = PageText(title="", text=part * sections, lang="en", blocks=blocks, headings=headings)
    _Blocks.looked = 0
    assert len(chunk(page, page_id=1, url="u")) == sections
    return _Blocks.looked


def test_a_page_of_many_sections_is_cut_in_hardly_more_than_linear_time() -> None:
    assert _looked(800) < 2.5 * _looked(400)


@given(
    st.text(alphabet=st.sampled_from("ab de.\n- |日。 1"), max_size=2_000),
    st.lists(st.tuples(st.integers(0, 2_000), st.sampled_from(BLOCK_KINDS)), max_size=12),
)
def test_passages_rebuild_their_page_whatever_its_blocks(text: str, marks: list[tuple[int, str]]) -> None:
    starts = sorted({at: kind for at, kind in marks if at < len(text)}.items())
    blocks = tuple(
        Block(kind=kind, start=start, end=end)  # type: ignore[arg-type]
        for (start, kind), (end, _) in pairwise([*starts, (len(text), "prose")])
    )
    page = PageText(title="Lamps", text=text, lang="en", blocks=blocks)
    passages = chunk(page, page_id=1, url="u")
    assert "".join("".join(passage.text for passage in passages).split()) == "".join(text.split())
    assert all(text[passage.start : passage.end] == passage.text for passage in passages)
    for passage in passages:
        assert all(0 <= block.start < block.end <= len(passage.text) for block in passage.blocks)
        assert word_count(passage.text) <= 2 * MAX_WORDS
