"""How many sentences answer, where the hits were read."""

from __future__ import annotations

import pytest

from domain import Hit
from pipeline.answering.compose import compose
from pipeline.judging.evidence import gather
from pipeline.judging.reading import read_hits
from pipeline.question.analysis import analyse_question
from pipeline.reader import Reader
from tests.fakes import passage

ASKED = analyse_question("How is the lamp of the lighthouse cleaned?", "en")
CLOTH = "The lamp of the lighthouse is cleaned every morning with a soft cloth and a little vinegar."
WATER = "The lamp of the lighthouse is cleaned with warm water and wiped dry by the keeper."
HOUSE = "The lighthouse was built on a rock. Its keeper lives in a house of stone with a garden."


@pytest.mark.parametrize(
    ("texts", "quoted"),
    [
        ((CLOTH, HOUSE), {CLOTH}),  # it is far ahead
        ((HOUSE, CLOTH, HOUSE), {CLOTH}),
        ((CLOTH, WATER, HOUSE), {CLOTH, WATER}),  # one is as likely as the other
    ],
)
def test_one_sentence_suffices_where_it_was_read_to_answer_best(texts: tuple[str, ...], quoted: set[str]) -> None:
    found = [
        Hit(passage=passage(text, page_id=at), score=1, scale="rerank", rank=at) for at, text in enumerate(texts, 1)
    ]
    hits = read_hits(Reader(), ASKED, found)
    assert all(hit.reading for hit in hits)
    answer = compose(gather(ASKED, hits), confidence=0.9, length="long")
    assert answer is not None
    assert {sentence.text for sentence in answer.sentences} == quoted
