"""What the frontier knows besides words: where a link stands, what was read, which words say something."""

from collections.abc import Collection, Mapping

from crawler.discovery.frontier import rank
from domain import Link

SITE = "https://docs.example.org/"


def page(path: str, text: str = "") -> Link:
    return Link(url=SITE + path, text=text)


def paths(
    *links: Link,
    question: str,
    seen: Collection[str] = (),
    parents: Mapping[str, str] | None = None,
    common: Collection[str] = (),
) -> list[str]:
    found = rank(
        links,
        question=question,
        lang="en",
        queries=(),
        seen={SITE + path for path in seen},
        limit=50,
        rarity=lambda term: 0.1 if term in common else 1.0,
        parents={SITE + path: (SITE + parent,) for path, parent in (parents or {}).items()},
    )
    return [candidate.url.removeprefix(SITE) for candidate in found]


def test_a_link_inherits_what_its_page_was_linked_as() -> None:
    links = (page("backup", "Backup and restore"), page("a", "Overview"), page("b", "Overview"))
    on = {"backup": "", "b": "backup", "a": ""}
    assert paths(*links, question="How do I restore?", seen=["backup", ""], parents=on) == ["b", "a"]


def test_words_that_pages_were_read_for_make_room_for_those_still_to_be_found() -> None:
    read = [page(f"lamp{at}", "lamp") for at in range(6)]
    left = (page("x", "lamp"), page("y", "wick"))
    assert paths(*read, *left, question="the wick of a lamp", seen=[f"lamp{at}" for at in range(6)])[0] == "y"


def test_a_word_that_is_common_in_the_language_says_little_though_the_site_has_it_once() -> None:
    links = (page("a", "how to start"), page("b", "fresnel lens"))
    question = "What makes the fresnel start?"
    assert paths(*links, question=question, common=["start"])[0] == "b"


def test_where_no_link_says_where_to_go_a_list_of_the_whole_site_comes_first() -> None:
    links = (page("start", "Getting started"), page("bookindex.html", "Index"), page("hash-index.html", "Hash Indexes"))
    assert paths(*links, question="When does autovacuum start?", common=["start"])[0] == "bookindex.html"
    certain = (*links, page("vacuum", "When autovacuum starts"))
    assert paths(*certain, question="When does autovacuum start?", common=["start"])[0] == "vacuum"


def test_a_folders_front_page_is_not_read_again_under_its_files_name() -> None:
    links = (page("index.html", "lamps"), page("a/index.html", "lamps"))
    assert paths(*links, question="lamps", seen=[""]) == ["a/index.html"]
