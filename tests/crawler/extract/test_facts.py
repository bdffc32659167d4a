"""Facts come from what a page states in its structure, and a span shows exactly the words it claims to."""

import json
from functools import partial
from typing import Any

import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.facts import MAX_CHARS, MAX_FACTS, facts_of
from tests.growth import MOST_RATIO, growth, seconds_of
from tests.tables import each_row


def stated(body: str, *, title: str = "Tea", text: str = "") -> list[tuple[str, str, str]]:
    tree = lxml.html.document_fromstring(f"<html><body>{body}</body></html>")
    return [(fact.subject, fact.predicate, fact.object) for fact in facts_of(tree, title=title, text=text)]


def ld(value: Any) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


@each_row(
    ("what", "body", "facts"),
    [
        ("an object", ld({"@type": "Person", "name": "Ada", "birthDate": "1815-12-10", "url": "https://a.org"}),
         [("Ada", "type", "Person"), ("Ada", "birth date", "1815-12-10")]),
        ("objects in a graph", ld({"@graph": [{"name": "Ada", "jobTitle": "Poet"}, {"name": "Bob", "age": 7}]}),
         [("Ada", "job title", "Poet"), ("Bob", "age", "7")]),
        ("an object within another", ld({"name": "Book", "author": {"@type": "Person", "name": "Ada", "email": "a@b"}}),
         [("Book", "author", "Ada"), ("Ada", "type", "Person"), ("Ada", "email", "a@b")]),
        ("a list of values", ld({"name": "Ada", "knows": ["Bob", {"name": "Eve"}]}),
         [("Ada", "knows", "Bob"), ("Ada", "knows", "Eve")]),
        ("no name: the page's title is the subject", ld({"color": "green"}), [("Tea", "color", "green")]),
        ("the site's boilerplate", ld({"@type": "BreadcrumbList", "name": "x", "position": 1}), []),
        ("an article's whole text", ld({"headline": "News", "articleBody": "Long ago"}), []),
        ("what cannot be stored", ld({"name": "A\ud800da", "ki\udfffnd": "po\0et", "\udc00": "x", "b": "\ud83d\uddfc"}),
         [("A da", "ki nd", "po et"), ("A da", "b", "🗼")]),
        ("a true and a null", ld({"name": "A", "isFree": True, "price": None}), []),
    ],
)  # fmt: skip
def test_reads_json_ld_with(what: str, body: str, facts: list[tuple[str, str, str]]) -> None:
    assert stated(body) == facts


@each_row(
    "script",
    ["", "{", "null", "[[[[[[[[[[1]]]]]]]]]]", '{"a": ' * 2_000, '{"name": 3}', "<!-- x -->",
     '{"a": "' + "x" * 300_000 + '"}'],
)  # fmt: skip
def test_json_ld_that_is_broken_deep_or_huge_states_nothing(script: str) -> None:
    assert stated(f'<p>x</p><script type="application/ld+json">{script}</script>') == []


@each_row(
    ("what", "body", "facts"),
    [
        ("a box under its caption",
         "<table><caption>Sencha</caption><tr><th>Origin:<td>Japan<tr><th>Type<td>green <b>tea</b></table>",
         [("Sencha", "Origin", "Japan"), ("Sencha", "Type", "green tea")]),
        ("a box under its first row",
         "<table><tr><th colspan=2>Sencha<tr><th>Origin<td>Japan<tr><th>Type<td>green</table>",
         [("Sencha", "Origin", "Japan"), ("Sencha", "Type", "green")]),
        ("a box without a name", "<table><tr><th>Origin<td>Japan<tr><th>Type<td>green</table>",
         [("Tea", "Origin", "Japan"), ("Tea", "Type", "green")]),
        ("a list of pairs", "<table><tr><th>Tea<th>Minutes<tr><td>Sencha<td>2<tr><td>Assam<td>4</table>",
         [("Sencha", "Minutes", "2"), ("Assam", "Minutes", "4")]),
        ("cells of a layout", "<table><tr><td>menu<td>text<tr><td>a<td>b</table>", []),
        ("three columns", "<table><tr><th>a<th>b<th>c<tr><td>1<td>2<td>3</table>", []),
        ("a table within a table",
         "<table><tr><th>x<td><table><tr><th>A<td>1<tr><th>B<td>2</table><tr><th>y<td>z</table>",
         [("Tea", "A", "1"), ("Tea", "B", "2")]),
        ("a script in a cell", "<table><tr><th>A<td>1<script>x()</script><tr><th>B<td>2</table>",
         [("Tea", "A", "1"), ("Tea", "B", "2")]),
        ("empty cells", "<table><tr><th>A<td><tr><th><td>2</table>", []),
    ],
)  # fmt: skip
def test_reads_a_table_that_is(what: str, body: str, facts: list[tuple[str, str, str]]) -> None:
    assert stated(body) == facts


def test_reads_a_definition_list_as_definitions_where_long_and_as_the_pages_properties_where_short() -> None:
    long = "<dt>Infusion<dd><p>Leaves that have been left in hot water for some minutes.<p>More."
    body = f"<dl>{long}<dt>Licence:<dd>CC0</dl>"
    assert stated(body) == [
        ("Infusion", "definition", "Leaves that have been left in hot water for some minutes."),
        ("Tea", "Licence", "CC0"),
    ]


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("Minutes: 2\nOrigin: Japan", 19),  # after its label
        ("From Japan it came. Origin: Japan", 28),  # not before its label
        ("It comes from Japan.", 14),  # there is no label, but only one such word
        ("Japan here, Japan there.", None),  # which of them?
        ("It comes from China.", None),
    ],
)
def test_a_fact_has_a_span_where_its_object_stands(text: str, start: int | None) -> None:
    tree = lxml.html.fragment_fromstring("<table><tr><th>Origin<td>Japan<tr><th>Type<td>green</table>")
    fact = facts_of(tree, title="Tea", text=text)[0]
    assert (fact.start, fact.end) == (start, None if start is None else start + len("Japan"))


def test_a_short_object_is_not_looked_for_without_its_label() -> None:
    tree = lxml.html.fragment_fromstring("<table><tr><th>Minutes<td>2<tr><th>Type<td>green</table>")
    assert facts_of(tree, title="Tea", text="In 1921 we drank it")[0].start is None


def test_a_page_gives_a_bounded_number_of_bounded_facts_each_once() -> None:
    rows = "".join(f"<tr><th>Row {i}<td>value {i % 300}" for i in range(1_000))
    tables = f"<table>{rows}</table>" * 3 + f"<table><tr><th>A<td>{'x' * (MAX_CHARS + 1)}<tr><th>B<td>2</table>"
    assert len(set(stated(tables))) == len(stated(tables)) == MAX_FACTS
    assert stated(f"<dl><dt>{'t' * (MAX_CHARS + 1)}<dd>d</dl>") == []


@pytest.mark.nightly
def test_time_grows_no_faster_than_a_hostile_page() -> None:
    def read(rows: int) -> None:
        body = "<table>" * 200 + "<tr><th>a<td>b" * rows + "<dl>" + "<dt>a<dd>b" * rows + "</dl>"
        stated(body, text="a " * (160 * rows))

    assert growth(lambda rows: seconds_of(partial(read, rows)), 400) <= MOST_RATIO


SCRAPS = st.sampled_from(
    ["<table>", "</table>", "<tr>", "<th>", "<td>", "<dl>", "<dt>", "<dd>", "<p>", "Origin", "Japan", " 2 ", "é",
     "<b>x</b>", ld({"name": "Japan", "Origin": ["2", {"name": "é"}]}),
     '<script type="application/ld+json">[', "</script>"]
)  # fmt: skip


@given(st.lists(SCRAPS, max_size=30), st.lists(st.sampled_from(["Origin", "Japan", "2", "é", " "]), max_size=12))
def test_whatever_the_page_a_span_shows_the_object(scraps: list[str], words: list[str]) -> None:
    text = " ".join(words)
    tree = lxml.html.document_fromstring("<html><body><p>x" + "".join(scraps))
    for fact in facts_of(tree, title="T", text=text):
        assert fact.subject
        assert fact.predicate
        assert fact.object
        assert fact.start is None or text[fact.start : fact.end] == fact.object
