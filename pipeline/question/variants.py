"""Make variants of a question by rules: a paraphrase, a perspective shift and keywords (English, German).

The rules know the shapes of questions and a few general synonyms; they cost nothing. A question of another shape still
gets its keywords and a statement of its topic. In any other language the keywords are the one variant: English words
around them would find English pages.

Which kinds of variant help which type of question is learned: Beta–Bernoulli, one reward per question and kind. A kind
is rewarded when the answer cites a passage that was among the first hits of one of its queries. Only two counts are
stored for each type of question and kind; nothing of the question itself.
"""

import random
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, get_args

from domain import Answer, Hit, Tally, Variant, VariantKey, VariantKind
from pipeline.question.analysis import Analysis
from pipeline.strategies import DEFAULT_VARIANTS
from text.languages import any_of, expand, language
from text.terms import content_words, words

MIN_COUNT, MAX_COUNT = 2, 5
#: wordings besides the question in phase 1, with multi-query. Data notice: a model that makes them is sent the question
#: (500 characters at most) before anything is looked up. Leave multi-query off if a question may not leave the machine
COUNT_AT_ONCE = 2
KINDS: tuple[VariantKind, ...] = get_args(VariantKind)
#: Beta(1, 1): an unknown kind helps with probability one half
PRIOR_REWARDED, PRIOR_UNREWARDED = 1.0, 1.0
#: share of questions that try the kinds in a random order, so that a kind unlucky at first is tried again
EXPLORED = 0.1

#: for one type of question; a kind that is not in it was never tried
Tallies = Mapping[VariantKind, Tally]


class VariantMemory(Protocol):
    """Stores variants that were paid for, and which kinds helped which type of question."""

    def load(self, key: VariantKey) -> tuple[Variant, ...]:
        """Return the variants saved under ``key``, or none."""

    def save(self, key: VariantKey, variants: Sequence[Variant]) -> None:
        """Save variants for the next time."""

    def tallies(self, question_type: str) -> Tallies:
        """Return how often each kind was tried for this type of question, and how often it helped."""


Rules = dict[str, list[tuple[re.Pattern[str], str]]]  #: shapes of questions and their wordings, by language


def _read_rules() -> dict[str, Rules]:
    """Return the rules for paraphrases and for shifts of perspective."""
    read = tomllib.loads(Path(__file__).with_name("wordings.toml").read_text("utf-8"))
    names = {"why": any_of("why", "de")}
    for name, pattern in read.pop("names").items():
        names[name] = expand(pattern, names)
    return {
        kind: {
            lang: [(re.compile(expand(pattern, names), re.IGNORECASE), wording) for pattern, wording in rules]
            for lang, rules in by_language.items()
        }
        for kind, by_language in read.items()
    }


_RULES = _read_rules()


def _table(pairs: str) -> dict[str, str]:
    """Read "a/b c/d": a slash ends the first word, and what comes before the next slash's word is the second."""
    found = re.findall(r"(\S+)/(.+?)(?=\s+\S+/|\s*$)", pairs, re.DOTALL)
    return {one.casefold(): " ".join(other.split()) for one, other in found}


_SYNONYMS = {lang: _table(" ".join(language(lang).word_pairs)) for lang in ("en", "de")}
_PATTERNS = {
    lang: re.compile(rf"(?<![\w./-])({'|'.join(map(re.escape, table))})(?![\w/-]|\.\w)", re.IGNORECASE)
    for lang, table in _SYNONYMS.items()
}

#: behind a number they are any people, not those who live in a place
_COUNTED = ("people", "menschen")
_NUMBER = re.compile(
    rf"(?:\bhow many|\bnumber of|\bwie ?viele?|\banzahl|\d|\b(?:{any_of('several', 'en', 'de')})) $", re.IGNORECASE
)


def make_variants(
    analysis: Analysis, count: int = DEFAULT_VARIANTS, order: Sequence[VariantKind] = ()
) -> tuple[Variant, ...]:
    """Return up to ``count`` (2–5) variants; none equals the question or another of them.

    One of each kind comes first, unless ``order`` lists the kinds.
    """
    seen = {_essence(analysis.text)}
    made: list[Variant] = []
    for kind, text in _wordings(analysis):
        if text and (essence := _essence(text)) not in seen:
            seen.add(essence)
            made.append(Variant(kind=kind, text=text))
    return choose_variants(made, min(MAX_COUNT, max(MIN_COUNT, count)), order)


def _wordings(analysis: Analysis) -> Iterator[tuple[VariantKind, str]]:
    """Yield every wording of the rules, the most useful of each kind first."""
    lang, said = analysis.lang, language(analysis.lang).variants
    bare = analysis.text.rstrip("?？!. ").strip("¿¡ ")
    keywords = " ".join(dict.fromkeys(content_words(bare, lang)))
    synonym = _replace_synonyms(bare, lang)
    paraphrase = _by_rule(synonym or bare, _RULES["paraphrases"].get(lang, ()))
    about = f"{said['about']} {keywords}" if keywords and said.get("about") else ""
    yield "paraphrase", f"{paraphrase or synonym}?" if paraphrase or synonym else ""
    yield "perspective_shift", _by_rule(bare, _RULES["shifts"].get(lang, ())) or about
    yield "keyword_focus", keywords
    yield "paraphrase", f"{synonym}?" if synonym else ""
    if keywords and (topic := said.get(analysis.question_type)):
        yield "keyword_focus", f"{topic} {keywords}" if topic == "how to" else f"{keywords} {topic}"
    yield "perspective_shift", about
    # a question about a topic that was asked for without one; the keywords of a sentence are no topic
    if keywords and keywords.casefold() == bare.casefold():
        yield "paraphrase", said.get("known", "").format(keywords)


def _by_rule(bare: str, rules: Sequence[tuple[re.Pattern[str], str]]) -> str:
    for pattern, template in rules:
        if match := pattern.fullmatch(bare):
            wording = " ".join(template.format(*match.groups()).split())
            return wording[0].upper() + wording[1:]
    return ""


def _replace_synonyms(text: str, lang: str) -> str:
    """Return ``text`` with its known words exchanged, or "" when it has none."""
    if lang not in _SYNONYMS:
        return ""

    def other(match: re.Match[str]) -> str:
        word = match.group()
        counted = word.casefold() in _COUNTED and _NUMBER.search(text[: match.start()])
        return word if counted else _SYNONYMS[lang][word.casefold()]

    exchanged = _PATTERNS[lang].sub(other, text)
    return exchanged if exchanged != text else ""


def _essence(text: str) -> str:
    return " ".join(words(text))


def order_kinds(tallies: Tallies, *, seed: str) -> tuple[VariantKind, ...]:
    """Order the kinds, the most helpful first; the same ``seed`` and tallies give the same order.

    Orders by the posterior mean, except for one question in ten. Kinds of equal value keep the design document's order.
    """
    rng = random.Random(seed)  # noqa: S311 - reproducible, not secret
    if rng.random() < EXPLORED:
        return tuple(rng.sample(KINDS, len(KINDS)))
    return tuple(sorted(KINDS, key=lambda kind: -posterior_mean(tallies.get(kind, Tally()))))


def posterior_mean(tally: Tally) -> float:
    """Return the posterior mean of the probability of a reward, (0, 1)."""
    return (PRIOR_REWARDED + tally.rewarded) / (PRIOR_REWARDED + PRIOR_UNREWARDED + tally.tried)


def order_of_variants(analysis: Analysis, seed: str, learned: VariantMemory | None) -> Sequence[VariantKind]:
    """Return the kinds of variant in their turns, each twice: those that helped such questions first."""
    return () if learned is None else order_kinds(learned.tallies(analysis.question_type), seed=seed) * 2


def choose_variants(variants: Sequence[Variant], count: int, order: Sequence[VariantKind] = ()) -> tuple[Variant, ...]:
    """Choose up to ``count`` of the variants: one for each kind in ``order``, then the others in their own order."""
    left = list(variants)
    chosen: list[Variant] = []
    for kind in order:
        own = next((variant for variant in left if variant.kind == kind), None)
        if own is not None:
            left.remove(own)
            chosen.append(own)
    return tuple([*chosen, *left][: max(0, count)])


def rewards(variants: Sequence[Variant], hits: Sequence[Hit], answer: Answer | None) -> dict[VariantKind, bool]:
    """Return for each kind tried whether the answer cites one of its hits; nothing without a citation."""
    if answer is None or not answer.citations:
        return {}
    cited = {citation.passage_id for citation in answer.citations}
    helpful = {query for hit in hits if hit.passage.id in cited for query in hit.found_by}
    found: dict[VariantKind, bool] = {}
    for variant in variants:
        found[variant.kind] = found.get(variant.kind, False) or variant.text in helpful
    return found
