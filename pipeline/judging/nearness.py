"""How near the question the sentences of hits are, in other languages than English; order the hits by it.

A sentence in other words than the question's, or in another language, shares no word with it.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Final

from domain import Hit
from pipeline.judging.kinds import ANSWERING
from pipeline.judging.sentences import spans_of
from pipeline.judging.translations import translate_words
from pipeline.question.analysis import Analysis
from pipeline.reader.read_hits import READ_FIRST, Reads, best_read_first, is_glossed, read_hits
from pipeline.retrieval.retrieve import Embed, MultilingualEmbed

#: what the cosine of a hit's nearest sentence counts beside the search's score; with the hits in this order, the text
#: that answers 48 German and French questions is among the first eight 40 times instead of 38, on which it was chosen
_NEAREST: Final = 0.5


def best_first(
    embedder: Embed, reader: Reads | None, analysis: Analysis, hits: Sequence[Hit], *, glosses: bool = True
) -> list[Hit]:
    """Return the hits, those that answer further up, and the first eight read; in other languages compared, too.

    What is read in a gloss does not change their order; without ``glosses`` just English is read.
    """
    ordered = best_compared_first(embedder, analysis, best_read_first(reader, analysis, hits))
    if any(hit.reading for hit in ordered):
        return ordered
    return read_hits(reader, analysis, ordered, glosses=glosses and isinstance(embedder, MultilingualEmbed))


def best_compared_first(embedder: Embed, analysis: Analysis, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits, all with cosines, in a new order: those with a sentence near the question further up.

    Nothing changes where they were read in English, or where the embedder does not know the language.
    """
    if any(_is_read_in_english(analysis, hit) for hit in hits) or not isinstance(embedder, MultilingualEmbed):
        return list(hits)
    compared = _compare(embedder, analysis, hits)
    levels = accumulate((hit.score for hit in compared), min)  # a hit that was put behind another stays behind it
    scores = [
        level + _NEAREST * max(hit.nearness.values(), default=0.0) for level, hit in zip(levels, compared, strict=True)
    ]
    ordered = sorted(zip(scores, compared, strict=True), key=lambda each: -each[0])
    ranked = [replace(hit, rank=rank) for rank, (_, hit) in enumerate(ordered, start=1)]
    return translate_words(embedder, analysis, ranked)


def read_and_compare(
    embedder: Embed, reader: Reads | None, analysis: Analysis, hits: Sequence[Hit], *, glosses: bool = True
) -> list[Hit]:
    """Return the hits in their order, the first eight read, and in other languages than English also compared."""
    hits = read_hits(reader, analysis, hits, glosses=glosses and isinstance(embedder, MultilingualEmbed))
    return compare_sentences(embedder, analysis, hits)


def compare_sentences(embedder: Embed, analysis: Analysis, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits, the first eight with the cosines of the question and their sentences, but in English."""
    first = hits[:READ_FIRST]
    if not isinstance(embedder, MultilingualEmbed) or all(_is_read_in_english(analysis, hit) for hit in first):
        return list(hits)
    compared = [*_compare(embedder, analysis, first), *hits[READ_FIRST:]]
    return translate_words(embedder, analysis, compared)


def _compare(embedder: MultilingualEmbed, analysis: Analysis, hits: Sequence[Hit]) -> list[Hit]:
    unread = [hit for hit in hits if not _is_read_in_english(analysis, hit)]
    known = {text: near for hit in unread for text, near in hit.nearness.items()}
    texts = {id(hit): _sentences(hit, analysis.lang) for hit in unread}
    new = list(dict.fromkeys(text for each in texts.values() for text in each if text not in known))
    if new:
        question, *sentences = embedder.embed_in_any_language([analysis.text, *new])
        known |= {text: float(vector @ question) for text, vector in zip(new, sentences, strict=True)}
    return [
        replace(hit, nearness={text: known[text] for text in texts[id(hit)]}) if id(hit) in texts else hit
        for hit in hits
    ]


def _is_read_in_english(analysis: Analysis, hit: Hit) -> bool:
    return hit.reading is not None and not is_glossed(analysis, hit)


def _sentences(hit: Hit, lang: str) -> list[str]:
    return [span.text for span in spans_of(hit.passage, lang) if span.kind in ANSWERING]
