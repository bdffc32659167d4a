"""Answers are joined from several pages where the question names them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from domain import Answer, Hit
from domain.options import Length
from pipeline.answering.citations import is_verbatim
from pipeline.answering.compose import MAX_JOINED, compose
from pipeline.judging.evidence import gather
from pipeline.question.analysis import analyse_question
from tests.fakes import passage

Pages = dict[str, str]
BANDS = {
    "The Exies": "The Exies are an American rock band. They were formed in 1997 in Los Angeles.",
    "Circus Diablo (band)": "Circus Diablo was a rock group. It was put together in 2006 by Billy Morrison.",
    "Rock music": "Rock music is a genre. A band is formed by those who play it.",
}
FILMS = {
    "The Long Tide (film) | Films": "The Long Tide is a film shot in Leland in 1986. It was directed by Ada Moor.",
    "Ada Moor": "She was raised by the sea. Her mother brought her into the world in Portland. She lives in Rome.",
    "Leland": "Leland is a town. It has a harbour and a mill.",
}


def hits_of(pages: Pages) -> list[Hit]:
    return [
        Hit(passage=passage(text, page_id=at, title=title), score=1 - at / 20, scale="rerank", rank=at)
        for at, (title, text) in enumerate(pages.items(), start=1)
    ]


def answer_to(question: str, pages: Pages, *, several: bool = True, length: Length = "normal") -> Answer:
    answer = compose(gather(analyse_question(question), hits_of(pages)), confidence=0.8, several=several, length=length)
    assert answer is not None
    return answer


def test_comparison_is_answered_by_a_sentence_of_each_side() -> None:
    answer = answer_to("Which band was formed first, The Exies or Circus Diablo?", BANDS)
    assert {1, 2} <= {citation.page_id for citation in answer.citations}
    assert len(answer.sentences) <= MAX_JOINED


def test_side_is_known_by_its_name_without_what_the_title_adds() -> None:
    answer = answer_to("What is the difference between the Long Tide and Ada Moor?", FILMS)
    assert {1, 2} <= {citation.page_id for citation in answer.citations}


def test_page_that_the_question_does_not_name_is_not_joined() -> None:
    question = "In which city was the director of the film shot in Leland in 1986 born into the world?"
    assert answer_to(question, FILMS) == answer_to(question, FILMS, several=False)


def test_long_answer_says_more_than_the_sentences_that_are_joined() -> None:
    question = "In which city was the director of the film shot in Leland in 1986 born into the world?"
    usual, long = answer_to(question, FILMS), answer_to(question, FILMS, length="long")
    assert len(usual.sentences) <= MAX_JOINED < len(long.sentences)


def test_report_has_each_section_below_its_heading() -> None:
    question = "In which city was the director of the film shot in Leland in 1986 born into the world?"
    answer = answer_to(question, FILMS, length="report")
    headings = [sentence.text for sentence in answer.sentences if sentence.block == "heading"]
    assert len(headings) == len(set(headings)) > 1
    assert all(f"## {heading}\n\n" in answer.text for heading in headings)
    titles = {citation.marker: citation.title for citation in answer.citations}
    above = ""
    for sentence in answer.sentences:
        above = sentence.text if sentence.block == "heading" else above
        assert all(titles[marker] == above for marker in sentence.markers)


def test_joining_can_be_switched_off() -> None:
    answer = answer_to("Which band was formed first, The Exies or Circus Diablo?", BANDS, several=False)
    assert len(answer.sentences) == 1


texts = st.text(alphabet=st.sampled_from("AdaMoor LelandTide.is\n"), min_size=1, max_size=80)


@settings(deadline=None)
@given(st.lists(texts, min_size=1, max_size=5), st.sampled_from(["Ada Moor or Leland?", "Who is Ada Moor?"]))
def test_every_joined_sentence_is_cited_where_it_stands_and_said_once(found: list[str], question: str) -> None:
    pages = dict(zip(["Ada Moor", "Leland", "Ada", "The Tide", "Moor | Sites"], found, strict=False))
    answer = compose(gather(analyse_question(question), hits_of(pages)), confidence=0.5)
    if answer is None:
        return
    assert len(answer.sentences) <= MAX_JOINED
    stored = dict(enumerate(pages.values(), start=1))
    assert all(is_verbatim(citation, stored[citation.page_id]) for citation in answer.citations)
    assert len({citation.quote for citation in answer.citations}) == len(answer.citations)
