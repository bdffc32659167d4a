"""Synthetic pages that load a knowledge base as real ones do, and questions on them.

Words are as frequent as in a language (Zipf–Mandelbrot, English function words first), a page has a topic and a name,
and its sentences name other pages, a few of them often. The texts have no meaning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from domain import Fact, PageText
from text.terms import stop_words

Words = NDArray[np.str_]

_VOCABULARY = 80_000
_COMMONEST = """
the of and in to a was is for as on with by that it he from at his an were are which this also had be or not has but
first their one its after new who they two her she been other when there all time during into more only over some most
""".split()
#: p(rank) ∝ 1 / (rank + 2.7)^1.15
_OFFSET, _EXPONENT = 2.7, 1.15
_TOPICS, _TOPIC_WORDS, _TOPIC_SHARE = 400, 100, 0.5
_TOPIC_RANKS = (100, 30_000)
#: words of a sentence, sentences of a page
_SENTENCE, _PAGE = (8, 28), (8, 44)
#: how many sentences name another page, hold a year; how many pages state a fact
_NAMING, _DATED, _STATING = 0.3, 0.15, 0.3


@dataclass(frozen=True, kw_only=True)
class SyntheticPage:
    """A page, its URL and words to ask about."""

    page: PageText
    url: str
    words: tuple[str, ...]  #: of one of its sentences


class Language:
    """A synthetic language and the names and topics of its pages; the same for the same seed."""

    def __init__(self, pages: int, *, seed: int = 1, words: int = _VOCABULARY) -> None:
        self._random = np.random.default_rng(seed)
        self._words = _vocabulary(self._random, words)
        ranks = np.arange(len(self._words), dtype=np.float64)
        self._upto = np.cumsum(1 / (ranks + _OFFSET) ** _EXPONENT)
        self._names = [self._name() for _ in range(pages)]
        low, high = np.log(_TOPIC_RANKS[0]), np.log(min(_TOPIC_RANKS[1], words))
        drawn = np.exp(self._random.uniform(low, high, (_TOPICS, _TOPIC_WORDS))).astype(np.int64)
        self._topics = self._words[drawn]

    def pages(self) -> Iterator[SyntheticPage]:
        """Yield every page."""
        for place, name in enumerate(self._names):
            yield self._page(place, name)

    def _page(self, place: int, name: str) -> SyntheticPage:
        topic = self._topics[self._random.integers(_TOPICS)]
        sentences = [self._sentence(topic, place) for _ in range(self._random.integers(*_PAGE))]
        stated = self._random.random() < _STATING
        facts = (Fact(subject=name, predicate=str(topic[0]), object=str(self._year())),) if stated else ()
        paragraphs = [" ".join(sentences[at : at + 5]) for at in range(0, len(sentences), 5)]
        text = "\n\n".join([f"{name} is {sentences[0].lower()}", *paragraphs])
        sentence = sentences[self._random.integers(len(sentences))].rstrip(".").split()
        return SyntheticPage(
            page=PageText(title=name, text=text, lang="en", facts=facts),
            url=f"https://made-up-{place % 50}.example/{place}",
            words=tuple(word for word in sentence[1:] if word.lower() not in stop_words("en") and len(word) > 3),
        )

    def _sentence(self, topic: Words, place: int) -> str:
        length = int(self._random.integers(*_SENTENCE))
        words = self._words[np.searchsorted(self._upto, self._random.random(length) * self._upto[-1])]
        ours = self._random.random(length) < _TOPIC_SHARE
        # the first words of a topic are the most frequent
        words[ours] = topic[(self._random.random(int(ours.sum())) ** 2 * _TOPIC_WORDS).astype(np.int64)]
        listed = words.tolist()
        if self._random.random() < _NAMING:
            # squared, so that a few pages are named by many
            listed[length // 2] = self._names[int(self._random.random() ** 2 * len(self._names))]
        if self._random.random() < _DATED:
            listed[-1] = f"in {self._year()}"
        return " ".join(listed).capitalize() + "." if listed[length // 2].islower() else _begun(listed)

    def _name(self) -> str:
        drawn = self._random.integers(200, len(self._words), self._random.integers(1, 4))
        return " ".join(self._words[at].capitalize() for at in drawn)

    def _year(self) -> int:
        return int(self._random.integers(1500, 2026))


def questions(pages: Sequence[SyntheticPage], count: int, seed: int = 2) -> list[tuple[str, ...]]:
    """Return ``count`` questions, each in four wordings, the question first; half contain the name of a page."""
    random = np.random.default_rng(seed)
    able = [each for each in pages if len(each.words) >= 4]
    asked = [able[at] for at in random.choice(len(able), count, replace=count > len(able))]
    return [_wordings(each, named=bool(at % 2)) for at, each in enumerate(asked)]


def _wordings(each: SyntheticPage, *, named: bool) -> tuple[str, ...]:
    words = list(each.words[:5])
    about = f"{each.page.title} " if named else ""
    return (
        f"When did {about}{words[0]} the {' '.join(words[1:])}?",
        f"What is known about the {' '.join(reversed(words))} {about and 'of ' + about.strip()}".strip() + "?",
        f"In which year was the {words[1]} {words[2]} {about}{words[0]}?".replace("  ", " "),
        " ".join([about.strip(), *words]).strip(),
    )


def _begun(listed: list[str]) -> str:
    listed[0] = listed[0].capitalize()
    return " ".join(listed) + "."


def _vocabulary(random: np.random.Generator, count: int) -> Words:
    """Return the commonest English words, then words made of syllables."""
    onsets, vowels = "b c d f g h l m n p r s t v br cr dr gr pl st tr".split(), "a e i o u ai ea".split()
    syllables = np.array(["".join(pair) for pair in product(onsets, vowels)])
    ends = ["n", "r", "s", "t", "l", "ng", "nd", "st", "ment", "tion", ""]
    made: dict[str, None] = dict.fromkeys(_COMMONEST)
    while len(made) < count:
        drawn = random.choice(syllables, int(random.integers(2, 4)))
        made.setdefault("".join(drawn) + ends[int(random.integers(len(ends)))])
    return np.array(list(made))
