"""Read the best hits with the encoder, put in front those that answer, and compare the others' sentences and words.

Where the question and all of the best hits are in languages that can be read, they are read: sentences that were read
do not compare with others, so either all of the best hits are read, or none is. In other languages than English their
sentences are also compared with the question, as one in other words, or in another language, may share no word with it.

The vectors of single words compare across languages, too: "Zimmer" is near "rooms" (.85), and "Schwimmbad" near no word
of a page that has none (.38). So a page in another language covers the question's words as one in its language does.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from statistics import fmean
from typing import Final, NamedTuple, Protocol

from domain import AnswerSpan, Hit, Passage, Reading
from pipeline.judging.sentences import ANSWERING, spans_of
from pipeline.question.analysis import Analysis
from pipeline.retrieval.fusion import UNKNOWN_LANGUAGES, ranked
from pipeline.retrieval.retrieve import Embed, MultilingualEmbed
from text.sentences import sentence_spans
from text.terms import content_words, passage_terms, terms_of
from text.translation.word_by_word import LANGUAGES as TRANSLATED
from text.translation.word_by_word import Offsets, translate

#: hits that are read: the judge and the composer weigh the sentences of just these, in every language
READ_FIRST: Final = 8
#: of these, as many as often suffice, and are read whole
READ_WHOLE: Final = 3
#: of each of the others some 96 tokens: reading takes as long as what is read. Of 646 questions on eight sets .637 are
#: answered rightly, as when all is read of all hits, and .120 instead of .116 wrongly; with 96 tokens of the first
#: three as well, .609 of 271 instead of .618, and .148 instead of .130
PART_CHARACTERS: Final = 420
#: a text is read whole when it is at most so much longer
_HARDLY_LONGER = 1.25
#: what a sentence tells falls by this power of e for each cosine that it has less than the nearest
_SHARP = 12.0
#: the reader's language, and pages whose language is not known
_LANGUAGE, _UNKNOWN = "en", "und"
#: what the logit that a passage answers counts besides the search's; with the hits of a second pass in this order,
#: answers to questions on manuals are right .61 instead of .58; with more, hits of a second hop (HotpotQA) fall back
_ANSWERS: Final = 0.04
#: what the cosine of a hit's nearest sentence counts besides the search's score; with the hits in this order, the text
#: that answers 48 German and French questions is among the first eight 40 times instead of 38, on which it was chosen
_NEAREST: Final = 0.5
#: the least cosine of two words that mean the same; it is what one counts for the other. From English to German and the
#: reverse (XQuAD), the first sentence answers .76 instead of .68 with .6 and with .5, .73 with .7
MEANS_THE_SAME: Final = 0.6


class Reads(Protocol):
    """A reader."""

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> Sequence[Reading] | None:
        """Return the readings of ``passages``, each a title and a text, in their order; None if it cannot read."""


class Places(Protocol):
    """What was read instead of a passage: a part of it, or its translation."""

    def place(self, span: Offsets) -> Offsets:
        """Return where a span of the passage is in what was read."""

    def back(self, span: Offsets) -> Offsets:
        """Return where a span of what was read is in the passage."""


class Part(NamedTuple):
    """A part of a passage, by its offsets there."""

    start: int
    end: int

    def place(self, span: Offsets) -> Offsets:
        """Return where a span of the passage is in the part; an end of it if it is outside."""
        start, end = (min(max(at, self.start), self.end) - self.start for at in span)
        return start, end

    def back(self, span: Offsets) -> Offsets:
        """Return where a span of the part is in the passage."""
        return span[0] + self.start, span[1] + self.start


@dataclass(frozen=True, eq=False)
class PlacedReading:
    """What was read in a part of a passage or in its translation, by places in the passage itself."""

    read: Reading
    places: Places

    @property
    def answers(self) -> float:
        """The logit that the passage answers the question."""
        return self.read.answers

    def evidence(self, spans: Sequence[Offsets]) -> list[float]:
        """Return for each character span of the passage the mean logit that its words are of what answers."""
        return self.read.evidence([self.places.place(span) for span in spans])

    def short_answer(self) -> AnswerSpan | None:
        """Return the words of the passage that were read as the short answer, or whose translation was."""
        found = self.read.short_answer()
        return found and AnswerSpan(*self.places.back((found.start, found.end)), found.margin)


def best_first(
    embedder: Embed, reader: Reads | None, analysis: Analysis, hits: Sequence[Hit], *, translates: bool = True
) -> list[Hit]:
    """Return the hits, those that answer further up, and the first eight read; in other languages compared, too.

    What is read in translation does not change their order; without ``translates`` only English is read.
    """
    ordered = best_compared_first(embedder, analysis, best_read_first(reader, analysis, hits))
    if any(hit.reading for hit in ordered):
        return ordered
    return read_hits(reader, analysis, ordered, translates=translates and isinstance(embedder, MultilingualEmbed))


def read_and_compare(
    embedder: Embed, reader: Reads | None, analysis: Analysis, hits: Sequence[Hit], *, translates: bool = True
) -> list[Hit]:
    """Return the hits in their order, the first eight read, and in other languages than English also compared."""
    hits = read_hits(reader, analysis, hits, translates=translates and isinstance(embedder, MultilingualEmbed))
    return compare_sentences(embedder, analysis, hits)


def read_hits(reader: Reads | None, analysis: Analysis, hits: Sequence[Hit], *, translates: bool = True) -> list[Hit]:
    """Return the hits, the first eight with their readings; none with a reading where they cannot all be read."""
    first, unread = hits[:READ_FIRST], _unread(hits)
    langs = {analysis.lang, *(hit.passage.lang for hit in first)}
    readable = translates and langs <= TRANSLATED | {_LANGUAGE, _UNKNOWN}
    if reader is None or not (readable or not any(is_translated(analysis, hit) for hit in first)):
        return unread
    return [*_read(reader, analysis, first), *unread[READ_FIRST:]]


def best_read_first(reader: Reads | None, analysis: Analysis, hits: Sequence[Hit]) -> list[Hit]:
    """Return English hits in a new order: as the search has them, but those that answer further up; then read them.

    Where the first hit and seven more can be read, those that cannot come behind them.
    """
    readable = [hit for hit in hits if not is_translated(analysis, hit)]
    if reader is None or readable[:1] != list(hits[:1]) or len(readable) < min(READ_FIRST, len(hits)):
        return read_hits(reader, analysis, hits, translates=False)
    read = _read(reader, analysis, readable)
    ordered = _raised(read, [_ANSWERS * hit.reading.answers if hit.reading else 0.0 for hit in read])
    ordered = ranked([*ordered, *(hit for hit in hits if is_translated(analysis, hit))])
    return [*ordered[:READ_FIRST], *_unread(ordered[READ_FIRST:])]


def best_compared_first(embedder: Embed, analysis: Analysis, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits, all with cosines, in a new order: those with a sentence near the question further up.

    Nothing changes where they were read in English, or where the embedder does not know the language.
    """
    if any(_is_read_in_english(analysis, hit) for hit in hits) or not isinstance(embedder, MultilingualEmbed):
        return list(hits)
    compared = _compare(embedder, analysis, hits)
    ordered = _raised(compared, [_NEAREST * max(hit.nearness.values(), default=0.0) for hit in compared])
    return compare_words(embedder, analysis, ranked(ordered))


def compare_sentences(embedder: Embed, analysis: Analysis, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits, the first eight with the cosines of the question and their sentences, but in English."""
    first = hits[:READ_FIRST]
    if not isinstance(embedder, MultilingualEmbed) or all(_is_read_in_english(analysis, hit) for hit in first):
        return list(hits)
    compared = [*_compare(embedder, analysis, first), *hits[READ_FIRST:]]
    return compare_words(embedder, analysis, compared)


def compare_words(embedder: MultilingualEmbed, analysis: Analysis, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits, those of the first eight in another language than the question with their near terms.

    These are for each term of the question the terms of the passage near it in meaning, with their cosines.
    """
    foreign = [hit.passage for hit in hits[:READ_FIRST] if is_foreign(analysis, hit.passage)]
    if not foreign or not analysis.terms:
        return list(hits)
    held = {each.id: list(dict.fromkeys(content_words(f"{each.title} {each.text}", each.lang))) for each in foreign}
    places = {word: at for at, word in enumerate(dict.fromkeys(word for words in held.values() for word in words))}
    asked = list(analysis.terms.values())
    vectors = embedder.embed_in_any_language([*asked, *places])
    cosines = vectors[: len(asked)] @ vectors[len(asked) :].T
    found: dict[str, Mapping[str, Mapping[str, float]]] = {
        id: {
            term: _near(words, [float(cosines[at, places[word]]) for word in words], analysis.lang)
            for at, term in enumerate(analysis.terms)
        }
        for id, words in held.items()
    }
    return [replace(hit, near_terms=found.get(hit.passage.id, hit.near_terms)) for hit in hits]


def nearness_of_lacking(analysis: Analysis, hit: Hit) -> float:
    """Return the mean cosine of the question's words that a hit lacks and its nearest ones; 1 where it lacks none."""
    held = set(passage_terms(hit.passage, analysis.lang))
    lacking = [hit.near_terms.get(term, {}) for term in analysis.terms if term not in held]
    return fmean(max(near.values(), default=0.0) for near in lacking) if lacking else 1.0


def is_foreign(analysis: Analysis, passage: Passage) -> bool:
    """Return whether a passage is in another language than the question, as far as its own is known."""
    return passage.lang not in (analysis.lang, *UNKNOWN_LANGUAGES)


def is_translated(analysis: Analysis, hit: Hit) -> bool:
    """Return whether the question or the passage would be read in translation: one of them is not in English."""
    return analysis.lang != _LANGUAGE or hit.passage.lang not in (_LANGUAGE, _UNKNOWN)


def _is_read_in_english(analysis: Analysis, hit: Hit) -> bool:
    return hit.reading is not None and not is_translated(analysis, hit)


def _read(reader: Reads, analysis: Analysis, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits with their readings; in translation if one is not in English.

    Of the first three all is read, of the others the part that is nearest to the question.
    """
    question, places = analysis.text, list[Places]()
    if not any(is_translated(analysis, hit) for hit in hits):
        parts = [
            Part(0, len(hit.passage.text)) if at < READ_WHOLE else nearest_part(hit) for at, hit in enumerate(hits)
        ]
        pairs = [(hit.passage.title, hit.passage.text[slice(*part)]) for hit, part in zip(hits, parts, strict=True)]
        places += parts
    else:
        question = translate(question, analysis.lang).text
        texts = [translate(hit.passage.text, hit.passage.lang) for hit in hits]
        titles = [translate(hit.passage.title, hit.passage.lang).text for hit in hits]
        pairs = [(title, text.text) for title, text in zip(titles, texts, strict=True)]
        places += texts
    readings = reader.read(question, pairs)
    if readings is None:
        return _unread(hits)
    placed = map(PlacedReading, readings, places)
    return [replace(hit, reading=reading) for hit, reading in zip(hits, placed, strict=True)]


def nearest_part(hit: Hit) -> Part:
    """Return the run of sentences with the one nearest to the question that tells most of it, in some 96 tokens.

    It is the whole text if that is hardly longer, or if the store has no vectors of its sentences.
    """
    text, above = hit.passage.text, f"{hit.passage.lead}\n" if hit.passage.lead else ""
    spans = [Part(start - len(above), end - len(above)) for start, end in sentence_spans(above + text)]
    cosines = {span: cosine for span, cosine in zip(spans, hit.sentence_cosines, strict=False) if span.start >= 0}
    if len(text) <= _HARDLY_LONGER * PART_CHARACTERS or not cosines:
        return Part(0, len(text))
    inside, best = list(cosines), max(cosines, key=cosines.__getitem__)
    at, told = (
        inside.index(best),
        [0.0, *accumulate(math.exp(_SHARP * (each - cosines[best])) for each in cosines.values())],
    )
    runs = [(first, last) for first in range(at + 1) for last in range(at, len(inside))]
    short = [run for run in runs if inside[run[1]].end - inside[run[0]].start <= PART_CHARACTERS]
    first, last = max(short, key=lambda run: told[run[1] + 1] - told[run[0]], default=(at, at))
    return Part(inside[first].start, inside[last].end)


def _unread(hits: Sequence[Hit]) -> list[Hit]:
    return [replace(hit, reading=None) for hit in hits]


def _raised(hits: Sequence[Hit], by: Sequence[float]) -> list[Hit]:
    """Return the hits, the best first, by their scores raised ``by`` so much each."""
    levels = accumulate((hit.score for hit in hits), min)  # a hit that was put behind another stays behind it
    scores = [level + more for level, more in zip(levels, by, strict=True)]
    return [hit for _, hit in sorted(zip(scores, hits, strict=True), key=lambda each: -each[0])]


def _compare(embedder: MultilingualEmbed, analysis: Analysis, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits; those not read in English with the cosines of the question and their sentences."""
    unread = [hit for hit in hits if not _is_read_in_english(analysis, hit)]
    known = {text: near for hit in unread for text, near in hit.nearness.items()}
    texts = {
        id(hit): [span.text for span in spans_of(hit.passage, analysis.lang) if span.kind in ANSWERING]
        for hit in unread
    }
    new = list(dict.fromkeys(text for each in texts.values() for text in each if text not in known))
    if new:
        question, *sentences = embedder.embed_in_any_language([analysis.text, *new])
        known |= {text: float(vector @ question) for text, vector in zip(new, sentences, strict=True)}
    return [
        replace(hit, nearness={text: known[text] for text in texts[id(hit)]}) if id(hit) in texts else hit
        for hit in hits
    ]


def _near(words: Sequence[str], cosines: Sequence[float], lang: str) -> dict[str, float]:
    """Return the terms of the nearest word and of all near enough, as a question in ``lang`` has them → cosine."""
    near: dict[str, float] = {}
    least = min(MEANS_THE_SAME, max(cosines, default=0.0))
    for word, cosine in zip(words, cosines, strict=True):
        if cosine >= least:
            for term in terms_of(word, lang)[:1]:
                near[term] = max(near.get(term, 0.0), cosine)
    return near
