"""Tell whether a sentence has the words of a text in another arrangement: who does what, which number is whose.

Only what can be told without understanding: a number among the words of another number, two expressions that have
changed places in a sentence that is otherwise the text's, and a copied sentence with one word replaced.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from pipeline.answering.values.unsupported import count_of, figures_in
from text.analyser import analyse, fold
from text.related_words import best_weight, find_related
from text.sentences import sentence_spans
from text.stopwords import stop_words

_TOKEN = re.compile(r"[^\W_]+(?:['’_][^\W_]+)*|[,;:.()|!?\n–—]")
_ENDS_CLAUSE = frozenset(",;:.()!?\n–—") | frozenset("and but while und aber wahrend et mais against whereas".split())
_ENDS_SENTENCE = frozenset(".;:?!")
#: between the items of a list
_LISTS = frozenset({",", "|", "\n", "and", "or", "und", "oder", "et", "ou"})
#: longer sentences are not compared: that takes time with the square of their words
_MAX_WORDS = 150
#: so many words on either side of a number say what it counts; small words and those of other clauses weigh less
_REACH, _SMALL, _OTHER_CLAUSE = 8, 0.25, 0.35
#: by how much a number must fit better into the place of another one
_FITS_BETTER = 0.4
#: what changes places has so many words at most
_MAX_EXPRESSION = 4
#: the share of a sentence's words that must be the text's and in its order, with the two expressions put back, and
#: with one word replaced
_LEAST_EXCHANGED, _LEAST_REPLACED = 0.75, 0.8


@dataclass(frozen=True, kw_only=True)
class Token:
    """A word or mark of a text."""

    term: str  #: a word's stem, a number in digits, or the mark
    clause: int
    kind: str  #: "word", "small" (a stop word), "value" or "mark"


def misplaced_value(sentence: str, text: str, lang: str) -> str:
    """Return the number of a sentence that stands there for another number of the text; "" for none."""
    own, other = _tokens(sentence, lang), _tokens(text, lang)
    said = {token.term for token in own}
    values = [at for at, token in enumerate(other) if token.kind == "value"]
    for at, token in enumerate(own):
        here = [place for place in values if other[place].term == token.term]
        elsewhere = [place for place in values if other[place].term not in said]
        if token.kind != "value" or not here or not elsewhere:
            continue
        beside = _beside(own, at)
        fit, better = max((_alike(beside, _beside(other, place)), place) for place in elsewhere)
        there = _of_clause(other, better)
        here_only = set().union(*(_of_clause(other, place) for place in here)) - there
        is_told_apart = bool(here_only & beside.keys() and there - said)
        if fit > max(_alike(beside, _beside(other, place)) for place in here) + _FITS_BETTER and not is_told_apart:
            return token.term
    return ""


def exchanged(sentence: str, text: str, lang: str) -> str:
    """Return the two expressions of a sentence that have changed places against the text; "" for none."""
    own = _words(_tokens(sentence, lang))
    spans = sentence_spans(text)
    parts = [*spans, *((one[0], other[1]) for one, other in pairwise(spans))]
    found = (_exchanged(own, _tokens(text[start:end], lang)) for start, end in parts)
    return next((each for each in found if each), "") if len(own) <= _MAX_WORDS else ""


def replaced(sentence: str, text: str, lang: str) -> str:
    """Return the word that replaces one of the text's in a sentence that is otherwise copied; "" for none.

    A synonym replaces nothing.
    """
    own = _words(_tokens(sentence, lang))
    for start, end in sentence_spans(text):
        other = _words(_tokens(text[start:end], lang))
        if not own or max(len(own), len(other)) > _MAX_WORDS:
            continue
        matcher = SequenceMatcher(None, [token.term for token in own], [token.term for token in other], autojunk=False)
        changed = [change for change in matcher.get_opcodes() if change[0] != "equal"]
        copied = sum(block.size for block in matcher.get_matching_blocks())
        if copied < _LEAST_REPLACED * len(own) or len(changed) > 2:
            continue
        for words, by in ((own[a:b], other[c:d]) for kind, a, b, c, d in changed if kind == "replace" and a):
            if len(words) == len(by) == 1 and not _means_the_same(words[0], by[0], lang):
                return f"{words[0].term}, not {by[0].term}"
    return ""


def _means_the_same(word: Token, other: Token, lang: str) -> bool:
    """Return whether a word of a sentence is a synonym of the text's, or what its pronoun stands for."""
    is_named = other.kind == "small" and word.kind == "word"
    return is_named or bool(best_weight(find_related([word.term], [other.term], lang)[word.term], [other.term]))


def _tokens(text: str, lang: str) -> list[Token]:
    """Return the words and marks of a text; numbers in digits are equal however they are written."""
    figures = {value.start: f"{count_of(value):g}" for value in reversed(figures_in(text, lang))}
    tokens: list[Token] = []
    clause = 0
    for found in _TOKEN.finditer(text):
        folded = fold(found[0])
        clause += folded in _ENDS_CLAUSE
        if not found[0][0].isalnum():
            tokens.append(Token(term=folded, clause=clause, kind="mark"))
        elif (figure := figures.get(found.start())) and figure != "1":
            tokens.append(Token(term=figure, clause=clause, kind="value"))
        elif terms := analyse(found[0], lang):
            tokens.append(Token(term=terms[0], clause=clause, kind="small" if folded in stop_words(lang) else "word"))
    return tokens


def _words(tokens: Sequence[Token]) -> list[Token]:
    return [token for token in tokens if token.kind != "mark"]


def _beside(tokens: Sequence[Token], at: int) -> Mapping[str, float]:
    """Return the words beside a token, nearer ones with more weight."""
    near = range(max(0, at - _REACH), min(len(tokens), at + _REACH + 1))
    weights: dict[str, float] = {}
    for other in near:
        token = tokens[other]
        if other == at or token.kind == "mark":
            continue
        weight = abs(other - at) ** -0.5
        weight *= _SMALL if token.kind == "small" else 1.0
        weight *= 1.0 if token.clause == tokens[at].clause else _OTHER_CLAUSE
        weights[token.term] = max(weights.get(token.term, 0.0), weight)
    return weights


def _of_clause(tokens: Sequence[Token], at: int) -> set[str]:
    return {token.term for token in tokens if token.clause == tokens[at].clause and token.kind == "word"}


def _alike(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return sum(min(weight, other[term]) for term, weight in one.items() if term in other)


def _exchanged(own: Sequence[Token], tokens: Sequence[Token]) -> str:
    """Find three expressions in the order 3 2 1 whose other order makes the sentence nearly the text's."""
    terms, others = [token.term for token in own], [token.term for token in _words(tokens)]
    if len(others) > _MAX_WORDS:
        return ""
    for last, middle, first in _triples(_runs(own, others)):
        back = [
            *terms[: last[0]], *terms[first[0] : first[-1] + 1], *terms[last[-1] + 1 : first[0]],
            *terms[last[0] : last[-1] + 1], *terms[first[-1] + 1 :],
        ]  # fmt: skip
        copied = _in_order(back, others)
        if (
            copied > _in_order(terms, others)
            and copied >= _LEAST_EXCHANGED * len(terms)
            and not _is_listed([terms[at] for at in middle], tokens)
        ):
            return " / ".join(" ".join(terms[at] for at in run) for run in (first, last))
    return ""


def _runs(own: Sequence[Token], others: Sequence[str]) -> list[list[tuple[int, int]]]:
    """Return the runs of the sentence's words that follow one another in the text, as (place, rank in the text).

    Only words that both have once, and no stop words.
    """
    counts, of_others = Counter(token.term for token in own), Counter(others)
    shared = [
        at
        for at, token in enumerate(own)
        if token.kind != "small" and counts[token.term] == 1 and of_others[token.term] == 1
    ]
    ranks = {term: rank for rank, term in enumerate(sorted((own[at].term for at in shared), key=others.index))}
    runs: list[list[tuple[int, int]]] = []
    for at in shared:
        rank = ranks[own[at].term]
        if runs and rank == runs[-1][-1][1] + 1:
            runs[-1].append((at, rank))
        else:
            runs.append([(at, rank)])
    return runs


def _triples(runs: Sequence[Sequence[tuple[int, int]]]) -> Iterator[tuple[list[int], ...]]:
    """Yield the places of three neighbouring runs that stand in the reverse order of the text's."""
    for three in zip(runs, runs[1:], runs[2:], strict=False):
        last, middle, first = three
        is_reversed = last[0][1] == middle[-1][1] + 1 and middle[0][1] == first[-1][1] + 1
        if is_reversed and max(len(last), len(first)) <= _MAX_EXPRESSION:
            yield tuple([at for at, _ in run] for run in three)


def _in_order(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(block.size for block in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks())


def _is_listed(expression: Sequence[str], tokens: Sequence[Token]) -> bool:
    """Return whether an expression is an item of a list in the text: its items may come in any order."""
    terms = [token.term for token in tokens]
    start, end = terms.index(expression[0]), terms.index(expression[-1]) + 1
    before, after = set(terms[max(0, start - 2) : start]), set(terms[end : end + 2])
    return bool(before & _LISTS and after & _LISTS) and not (before | after) & _ENDS_SENTENCE
