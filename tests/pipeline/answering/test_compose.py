"""The extractive composer: sentences of the pages, each cited at its place."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import Answer, Block, Hit, StatedFact
from domain.answer import ChosenSentence
from domain.options import Length
from domain.page import Fact
from pipeline.answering.citations import check
from pipeline.answering.compose import MOST_OF_SEVERAL, compose
from pipeline.answering.quotes import Quote, _sentences
from pipeline.judging.evidence import gather
from pipeline.judging.reading import READ_FIRST
from pipeline.judging.sentences import ANSWERING, MAX_QUOTE_CHARACTERS, Span, spans_of
from pipeline.question.analysis import analyse_question
from tests.fakes import passage

PAGE = (
    "A page begins here.\n\n"
    "The building is a museum in Paris. The Louvre was opened in 1793. It holds the Mona Lisa.\n\n"
    "The end."
)
START = PAGE.index("The building")


def hits_of(*texts: str, start: int = 0) -> list[Hit]:
    return [
        Hit(passage=passage(text, page_id=at, title="Louvre", start=start), score=1 / at, scale="minmax", rank=at)
        for at, text in enumerate(texts, start=1)
    ]


def answer_to(question: str, *texts: str, start: int = 0) -> Answer:
    answer = compose(gather(analyse_question(question), hits_of(*texts, start=start)), confidence=0.8)
    assert answer is not None
    return answer


def test_best_sentence_comes_first_with_its_citation_at_its_place_in_the_page() -> None:
    answer = answer_to("When was the Louvre opened?", PAGE[START:-10], start=START)
    assert answer.sentences[0].text == "The Louvre was opened in 1793."
    citation = answer.citations[0]
    assert PAGE[citation.start : citation.end] == citation.quote == "The Louvre was opened in 1793."
    assert answer.text.startswith("The Louvre was opened in 1793. [1]")
    assert answer.composer == "extractive"
    assert answer.confidence == 0.8


def test_no_hits_give_no_answer() -> None:
    assert compose(gather(analyse_question("When?"), []), confidence=0.5) is None


def test_same_sentence_on_two_pages_is_given_once() -> None:
    answer = answer_to("When was the Louvre opened?", "It was opened in 1793.", "It was opened in 1793.")
    assert len(answer.sentences) == 1


LAMPS = [
    f"Clean the lamp of the {place} with {what}."
    for place, what in (
        ("harbour", "vinegar and a brush"),
        ("castle", "warm water"),
        ("mill", "a dry cloth"),
        ("church", "ash from the stove"),
        ("inn", "soap"),
        ("bridge", "sand"),
        ("school", "lemon juice"),
    )
]


@pytest.mark.parametrize(
    ("question", "is_sure", "length", "quotes"),
    [
        ("How do I clean a lamp?", True, "normal", MOST_OF_SEVERAL),  # it asks for steps
        ("What cleans a lamp?", True, "normal", 1),
        ("What cleans a lamp?", True, "long", 6),
        ("How do I clean a lamp?", True, "short", 1),
        ("How do I clean a lamp?", False, "normal", 1),
        ("How do I clean a lamp?", False, "report", 1),
    ],
)
def test_more_than_one_quote_is_given_only_where_it_is_wanted_and_sure(
    question: str, is_sure: bool, length: Length, quotes: int
) -> None:
    answer = compose(
        gather(analyse_question(question), hits_of(*LAMPS)), confidence=0.6, is_sure=is_sure, length=length
    )
    assert answer is not None
    assert len(answer.citations) == quotes


def test_sentence_that_announces_code_is_quoted_with_it() -> None:
    code = ">>> import csv\n>>> for row in csv.reader(file):\n...     print(row)"
    text = f"To read a CSV file row by row:\n\n{code}\n\nThat is all."
    answer = answer_to("How do I read a CSV file row by row?", text)
    assert answer.citations[0].quote == text[: text.index("\n\nThat")]
    assert ">>> import csv\n" in answer.sentences[0].text


def test_signature_is_quoted_with_the_sentence_that_explains_it() -> None:
    signatures = "- @functools.lru_cache(user_function)\n- @functools.lru_cache(maxsize=128)\n"
    text = f"{signatures}- Wrap a function with a callable that remembers its results.\n\nNew in version 3.2."
    answer = answer_to("What does functools.lru_cache do?", text)
    assert answer.citations[0].quote == text[2 : text.index("\n\nNew")]
    assert all("@functools" not in sentence.text for sentence in answer.sentences[1:])


def test_heading_and_list_of_links_are_never_quoted() -> None:
    text = (
        "Saltmarsh Mill and its wheel\n\nThe wheel of the mill was cut from elm in 1840 by Josiah Crane.\n\n"
        "See also\n\n- The wheel of the mill"
    )
    answer = answer_to("Who cut the wheel of Saltmarsh Mill?", text)
    assert answer.sentences[0].text == "The wheel of the mill was cut from elm in 1840 by Josiah Crane."
    assert all("See also" not in sentence.text for sentence in answer.sentences)


def test_question_on_a_page_leads_to_its_answer_and_is_not_quoted() -> None:
    text = "Where does the miller's water come from?\n\nFrom the sky. Rain off the roof fills a tank in the yard."
    answer = answer_to("Where does the water of the miller come from?", text)
    assert answer.sentences[0].text == "From the sky. Rain off the roof fills a tank in the yard."


def test_row_of_a_table_answers_with_the_words_of_the_sentence_above_it() -> None:
    text = "The tariff for a night is given in this table.\n\nRoom | Price\nLoft | 40\nCellar | 25"
    assert answer_to("What does a night in the cellar cost?", text).sentences[0].text == "Cellar | 25"


def test_far_row_of_a_table_cites_the_header_that_no_quote_before_shows() -> None:
    rows = [f"Room {at} | {at + 40} | {'with a view of the sea and of the hills behind it ' * 2}" for at in range(20)]
    text = "\n".join(["Room | Price | Remarks", *rows])
    item = replace(passage(text), blocks=(Block(kind="table", start=0, end=len(text)),))
    hit = Hit(passage=item, score=1, scale="minmax", rank=1)
    answer = compose(
        gather(analyse_question("What do room 17 and room 18 cost?"), [hit]), confidence=0.2, is_sure=False
    )
    assert answer is not None
    assert check(answer, {1: text}.get) is answer
    [first] = answer.sentences
    header, *shown = first.text.split("\n")
    assert header == answer.citations[1].quote == "Room | Price | Remarks"
    assert set(shown) >= {rows[17].strip(), rows[18].strip()}
    assert first.markers == (1, 2)


def test_first_lines_of_code_that_is_too_long_are_quoted_with_its_announcement() -> None:
    text = "To read a CSV file:\n\n" + "\n".join(f">>> for row in call_{at}():\n...     print(row)" for at in range(50))
    quote = answer_to("How do I read a CSV file?", text).citations[0].quote
    assert quote.startswith("To read a CSV file:\n\n>>> for row in call_0():\n...     print(row)\n>>>")
    assert quote.endswith("print(row)")
    assert MAX_QUOTE_CHARACTERS - 60 < len(quote) <= MAX_QUOTE_CHARACTERS


@pytest.mark.parametrize("next_part", ["", "\n\nWho reads the other files?", f"\n\n>>> {'x' * 700}()"])
def test_announcement_alone_is_no_answer(next_part: str) -> None:
    text = f"Ada reads a CSV file with a module.\n\nTo read a CSV file:{next_part}"
    answer = answer_to("How do I read a CSV file?", text)
    assert [citation.quote for citation in answer.citations] == ["Ada reads a CSV file with a module."]


def test_wrapped_lines_read_as_one_sentence_but_the_quote_is_untouched() -> None:
    text = "The Louvre, which is a museum in the city of Paris,\nwas opened to the public in 1793."
    answer = answer_to("When was the Louvre opened?", text)
    assert answer.sentences[0].text == text.replace("\n", " ")
    assert answer.citations[0].quote == text


@pytest.mark.parametrize("has_place", [True, False])
def test_sentence_that_states_a_known_fact_comes_first(has_place: bool) -> None:
    text = "The Louvre did open in 1200 as a fortress. The palace was turned into a museum in 1793."
    place = text.index("1793")
    fact = Fact(subject="Louvre", predicate="opened", object="1793", start=place if has_place else None)
    question = analyse_question("What year did the Louvre open?")
    answer = compose(gather(question, hits_of(text)), confidence=0.8, facts=[StatedFact(fact=fact, page_id=1)])
    assert answer is not None
    assert answer.citations[0].quote == "The palace was turned into a museum in 1793."
    other = compose(gather(question, hits_of(text)), confidence=0.8, facts=[StatedFact(fact=fact, page_id=2)])
    assert other is not None
    assert other.citations[0].quote == "The Louvre did open in 1200 as a fortress."


def test_fact_that_no_sentence_states_is_not_said() -> None:
    hits = hits_of("The Louvre did open as a fortress. The palace was turned into a museum.")
    question = analyse_question("What year did the Louvre open?")
    stated = StatedFact(fact=Fact(subject="Louvre", predicate="opened", object="1793"), page_id=1)
    with_fact = compose(gather(question, hits), confidence=0.8, facts=[stated])
    assert with_fact == compose(gather(question, hits), confidence=0.8)


def test_sentence_that_was_chosen_is_known_in_its_quote() -> None:
    text = "The water of the mill comes  from these springs:\n\nOld Well\n\nThe Mill Pond"
    first = answer_to("Where does the water of the mill come from?", text).sentences[0]
    assert first.chosen is not None
    assert first.text[first.chosen.start : first.chosen.end] == "The water of the mill comes from these springs:"
    alone = answer_to("When was the Louvre opened?", PAGE[START:-10]).sentences[0]
    assert (alone.text, alone.chosen) == ("The Louvre was opened in 1793.", None)


@pytest.mark.parametrize("above", ["", "Lamp | Cloth\n"])
def test_sentence_that_was_chosen_is_not_looked_for_in_what_precedes_it(above: str) -> None:
    text = f"{above}- Never touch: wipe the lamp\n- wipe the lamp"
    item = passage(text)
    begin, place = len(above), text.rindex("wipe the lamp")
    span = Span(passage=item, start=begin, end=len(text), kind="row", terms=())
    header = replace(span, start=0, end=begin - 1) if above else None
    quote = Quote(span=span, sentence=replace(span, start=place), header=header)
    assert _sentences(quote, (1,))[0].chosen == ChosenSentence(start=place, end=len(text))


pages = st.text(alphabet=st.sampled_from("abcdef .!?\n:>=()ÄßЖ文。1"), max_size=200)


@given(st.lists(pages, max_size=4), st.sampled_from(["How do I bake a cake?", "When was abc made?", "Wer ist def?"]))
def test_every_citation_stands_in_its_page(texts: list[str], question: str) -> None:
    hits = hits_of(*texts)
    answer = compose(gather(analyse_question(question), hits), confidence=0.6)
    if answer is None:
        assert not any(span.kind in ANSWERING for hit in hits[:READ_FIRST] for span in spans_of(hit.passage, "en"))
        return
    stored = {hit.passage.page_id: hit.passage.text for hit in hits}
    assert check(answer, stored.get) is answer
    assert not any(citation.quote.endswith(":") for citation in answer.citations)
    assert 1 <= len(answer.sentences) <= MOST_OF_SEVERAL
    assert [sentence.markers for sentence in answer.sentences] == [(n,) for n in range(1, len(answer.sentences) + 1)]


def test_code_keeps_its_lines_by_its_kind_however_it_looks() -> None:
    lead, code = "Restore the snapshot:", "deployer stop\n    deployer restore --snapshot last\ndeployer start"
    text = f"{lead}\n\n{code}\n\nThat is\nall."
    blocks = (
        Block(kind="prose", start=0, end=len(lead)),
        Block(kind="code", start=len(lead) + 2, end=len(lead) + 2 + len(code)),
        Block(kind="prose", start=len(lead) + 4 + len(code), end=len(text)),
    )
    hit = Hit(passage=replace(passage(text), blocks=blocks), score=1, scale="minmax", rank=1)
    answer = compose(gather(analyse_question("How do I restore the snapshot?"), [hit]), confidence=0.8)
    assert answer is not None
    assert [(each.block, each.text) for each in answer.sentences] == [("", lead), ("code", code)]
    assert answer.text == f"{lead} [1]\n\n```\n{code}\n```\n[1]"
    assert check(answer, {1: text}.get) is answer
