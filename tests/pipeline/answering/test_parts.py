"""Both things that a question asks for are answered, and a half answer says which half."""

from concurrent.futures import Executor
from itertools import count

from pipeline.ask import LookupRequest, LookupResult, Tools, first_pass
from pipeline.reader import PassageReader
from tests.fakes import HashingEmbedder, MemorySearch, passage

MOUNTS = passage(
    "A riding horse costs 75 gold pieces at the market of Hollern. A draft horse costs 50 gold pieces.",
    page_id=1,
    title="Mounts",
)
MOVES = passage(
    "You can mount a horse once during your move. Getting on the back of a riding horse takes half of your speed.",
    page_id=2,
    title="Mounted combat",
)
FOOD = passage("A character needs one pound of food per day.", page_id=3, title="Food and water")
QUESTION = "What does a riding horse cost, and how much of my speed do I use up getting on its back?"


def asked(pool: Executor, question: str, *pages: object) -> LookupResult:
    embedder, ticks = HashingEmbedder(), count()
    search = MemorySearch(pages, embedder)  # type: ignore[arg-type]
    tools = Tools(search=search, embedder=embedder, pool=pool, clock=lambda: float(next(ticks)), reader=PassageReader())
    return first_pass(LookupRequest(text=question), tools)


def test_each_part_has_its_quote(pool: Executor) -> None:
    found = asked(pool, QUESTION, MOUNTS, MOVES, FOOD)
    assert found.answer is not None
    quotes = [citation.quote for citation in found.answer.citations]
    assert any("75 gold pieces" in quote for quote in quotes)
    assert any("half of your speed" in quote for quote in quotes)
    assert [citation.marker for citation in found.answer.citations] == [1, 2]
    assert found.answer.confidence == found.verdict.confidence
    assert not any(sentence.focus for sentence in found.answer.sentences)


def test_half_answer_says_which_half_is_not_known(pool: Executor) -> None:
    question = "What does a riding horse cost, and who is the mayor of Portland?"
    found = asked(pool, question, MOUNTS, MOVES, FOOD)
    assert found.answer is not None
    assert not found.verdict.sufficient
    assert "75 gold pieces" in found.answer.text
    (missing,) = [sentence for sentence in found.answer.sentences if sentence.origin == "missing"]
    assert "who is the mayor of Portland" in missing.text
    assert missing.markers == ()


def test_quote_that_answers_both_parts_is_given_once(pool: Executor) -> None:
    text = "The annual fee for dogs is 60 Euro and has to be paid by 15 March to the county auditor."
    found = asked(pool, "What is the annual fee for dogs, and to whom is it paid?", passage(text, title="Dogs"), FOOD)
    assert found.answer is not None
    assert [citation.quote for citation in found.answer.citations] == [text]


def test_parts_that_no_page_answers_leave_what_is_nearest(pool: Executor) -> None:
    found = asked(pool, "Who won the 1998 World Cup, and when was the stadium built?", MOUNTS, MOVES, FOOD)
    assert not found.verdict.sufficient
    assert found.answer is not None
    assert all(sentence.origin != "missing" for sentence in found.answer.sentences)
