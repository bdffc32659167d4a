"""Make variants of a question by rules: a paraphrase, a perspective shift and keywords (English, German).

The rules know the shapes of questions and a few general synonyms; they cost nothing. A question of another shape still
gets its keywords and a statement of its topic. In any other language the keywords are the one variant: English words
around them would find English pages.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from domain import Variant, VariantKind
from pipeline.question.analysis import Analysis
from pipeline.question.variant_choice import choose_variants
from text.analyser import words
from text.languages import any_of, expand, language
from text.terms import content_words

MIN_COUNT, DEFAULT_COUNT, MAX_COUNT = 2, 3, 5


Rules = dict[str, list[tuple[re.Pattern[str], str]]]  #: shapes of questions and their wordings, by language


def _read_rules() -> tuple[Rules, Rules]:
    """Return the rules for paraphrases and for shifts of perspective."""
    read = tomllib.loads(Path(__file__).with_name("wordings.toml").read_text("utf-8"))
    names = {"why": any_of("why", "de")}
    for name, pattern in read["names"].items():
        names[name] = expand(pattern, names)
    paraphrases, shifts = (
        {
            lang: [(re.compile(expand(pattern, names), re.IGNORECASE), wording) for pattern, wording in rules]
            for lang, rules in read[kind].items()
        }
        for kind in ("paraphrases", "shifts")
    )
    return paraphrases, shifts


_PARAPHRASES, _SHIFTS = _read_rules()


def _table(pairs: str) -> dict[str, str]:
    """Read "a/b c/d": a slash ends the first word, and what stands before the next slash's word is the second."""
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
    analysis: Analysis, count: int = DEFAULT_COUNT, order: Sequence[VariantKind] = ()
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
    lang = analysis.lang
    bare = analysis.text.rstrip("?？!. ").strip("¿¡ ")
    keywords = " ".join(dict.fromkeys(content_words(bare, analysis.lang)))
    synonym = _replace_synonyms(bare, lang)
    paraphrase = _by_rule(synonym or bare, _PARAPHRASES.get(lang, ()))
    yield "paraphrase", f"{paraphrase or synonym}?" if paraphrase or synonym else ""
    yield "perspective_shift", _by_rule(bare, _SHIFTS.get(lang, ())) or _about(keywords, lang)
    yield "keyword_focus", keywords
    yield "paraphrase", f"{synonym}?" if synonym else ""
    yield "keyword_focus", _with_topic_word(keywords, analysis, lang)
    yield "perspective_shift", _about(keywords, lang)
    yield "paraphrase", _as_question(bare, keywords, lang)


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


def _about(keywords: str, lang: str) -> str:
    about = language(lang).variants.get("about", "")
    return f"{about} {keywords}" if keywords and about else ""


def _as_question(bare: str, keywords: str, lang: str) -> str:
    """Return a question about a topic that was asked for without one; the keywords of a sentence are no topic."""
    is_topic = keywords.casefold() == bare.casefold()
    return language(lang).variants.get("known", "").format(keywords) if keywords and is_topic else ""


def _with_topic_word(keywords: str, analysis: Analysis, lang: str) -> str:
    topic = language(lang).variants.get(analysis.question_type, "")
    if not keywords or not topic:
        return ""
    return f"{topic} {keywords}" if topic == "how to" else f"{keywords} {topic}"


def _essence(text: str) -> str:
    return " ".join(words(text))
