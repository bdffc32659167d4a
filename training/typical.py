"""What a model is given when it serves: texts of `training/data`, to see how large its states become."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from text.encoder.runtime import CLS, MAX_TOKENS, SEP, open_tokenizer, word_vectors
from training.examples import HELD_OUT, Text, manual_questions
from training.smoothing import Feed
from training.tokens import question_ids, sentences_of

#: questions, far apart in the data
_COUNT, _APART = 48, 500


def passages_fed(words_of: Callable[[Sequence[int]], NDArray[np.float32]]) -> list[Feed]:
    """Return inputs of the encoder: passages; ``words_of`` gives the vectors of tokens."""
    tokenizer = open_tokenizer()
    texts = [f"{text.title}\n{text.text}" for _, text in _typical()]
    rows = [[CLS, *tokenizer.encode(text, add_special_tokens=False).ids[: MAX_TOKENS - 2], SEP] for text in texts]
    return [{"words": words_of(ids)[None], "mask": np.ones((1, len(ids)), dtype=np.int64)} for ids in rows]


def pairs_fed() -> list[Feed]:
    """Return inputs of the reader: questions, each with the passage it was written on."""
    words = word_vectors()
    return [
        {"question": words.of(question_ids(question))[None], "passage": words.of(sentences_of(text).ids)[None]}
        for question, text in _typical()
    ]


def _typical() -> Iterator[tuple[str, Text]]:
    learned = ((row, passages[row["passage"]]) for row, passages in manual_questions() if row["site"] not in HELD_OUT)
    for row, passage in islice(learned, 0, _COUNT * _APART, _APART):
        yield row["question"], Text(passage["title"], passage["text"])
