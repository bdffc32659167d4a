"""Find the sentences of an answer that their quotes do not support, and put the quotes' own words in their place.

Sharing words with its quote proves nothing of a sentence, and lacking them neither. What can be told without a reader
is told here: numbers with their units, names, options, file names and identifiers must stand in the quote, beside it in
its page, in the headings above it or in the question, and what the quote says of one number or name may not be said of
another. That a sentence denies its quote, or says "all" where the quote does not, is only a reason to ask a model;
without one it counts.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from domain import Answer, Citation, Sentence
from domain.answer import AnswerBlock, Finding, FindingKind
from domain.blocks import LEADS_IN
from pipeline.answering.arrangement import exchanged, misplaced_value, replaced
from pipeline.answering.citations import supported, with_sentences
from pipeline.answering.notices import with_notices
from pipeline.answering.values.unsupported import unsupported
from pipeline.answering.write import ITEM, quoted
from pipeline.judging.kinds import kind_of
from pipeline.phrases import Phrase, say
from text.analyser import analyse, fold, words
from text.language import detect_language
from text.languages import any_of, language, word_set
from text.sentences import sentence_spans
from text.terms import content_terms

__all__ = ["Finding", "find", "is_wrong_value", "mend", "with_block"]

#: characters of a quote's paragraph that are read on either side of it
_BESIDE = 600
#: a longer sentence has no one arrangement, and comparing it takes long
_MAX_CHARS = 2_000
#: options, paths, file names and identifiers; "e.g." and "and/or" are none
_CODE = re.compile(r"(?<!\w)--?[A-Za-z][\w-]*|(?<![\w/])[~.]?/\w[\w./-]*\w|[A-Za-z_]\w+(?:\.\w+)+|\w+_\w+")
#: a capital behind a word: not at the beginning of a sentence, of a cell or of what is quoted, and no unit
_CAPITAL = re.compile(r"(?<=[^\W\d] |[,)] )[^\W\d_a-zß-öø-ÿ][\w’'-]*\w")
_ABBREVIATION = re.compile(r"(?<![\w.])(?<!\d )[^\W\d_a-zß-öø-ÿ]{2,}(?![\w’'])")
#: man pages write options with other dashes
_DASH = re.compile("[\u2010-\u2013\u2212]")
#: languages that write common nouns with a capital
_CAPITAL_NOUNS = frozenset({"de", "lb"})
_NOT = re.compile(r"n['’]t\b")
#: a bound, not a denial: "no later than", "nicht mehr als", "jamais plus de"
_BOUND = re.compile(
    r"(?:\b(?:no|not|never|nicht|kein\w*|jamais|pas|ne) (?:\w+ ){0,2}?|n['’]t )"
    r"(?:more|less|later|earlier|fewer|longer|only|mehr|weniger|später|länger|nur|plus|moins)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
_WORD_OR_MARK = re.compile(r"[^\W_]+|[,;:()–—.!?\n]")
#: a word is negated by what stands so many words before it in its clause, in some languages also behind it
_BEFORE, _AFTER = 3, 2
_VERB_FIRST = frozenset({"de", "nl"})
#: says nothing without another word: "ne … pas", and "ne … que" is no negation
_HALF = frozenset({"ne", "n"})
_BEGINS_CLAUSE = frozenset(
    "but and while although because or when if whereas since aber und wahrend obwohl weil oder wenn falls sondern mais"
    " et parce car si quand".split()
)
#: the share of a sentence's words that the text must have, and its nearest sentence; one word is no topic
_LEAST_SHARED, _LEAST_NEAR, _LEAST_WORDS = 0.75, 0.5, 2


def find(answer: Answer, texts: Mapping[int, str], question: str, *, lang: str, only: bool) -> tuple[Finding, ...]:
    """Return the sentences that can be told to be wrong; ``texts`` are the pages' by id, ``lang`` is the answer's.

    With ``only`` there is no second check by a model, so that a mere suspicion counts. A sentence without citations is
    a finding, unless it is a lead-in, a heading or the head of a table: that is checked against all quotes of the
    answer. What is quoted already, and a sentence that says what is missing, are not checked.
    """
    cited = {citation.marker: citation for citation in answer.citations}
    stands = set(map(id, supported(answer.sentences, set(cited))))
    found = []
    for at, sentence in enumerate(answer.sentences):
        if sentence.origin != "written":
            continue
        if id(sentence) not in stands:
            found.append(Finding(sentence=at, kind="not_said", by="rules", why="cites nothing"))
            continue
        own = tuple(cited[marker] for marker in sentence.markers if marker in cited)
        if why := _why(sentence, own or tuple(cited.values()), texts, question, lang, only=only and bool(own)):
            found.append(Finding(sentence=at, kind=why[0], by="rules", why=why[1]))
    return tuple(found)


def is_wrong_value(finding: Finding) -> bool:
    """Return whether the rules miss a number, or find what the quote says of another one.

    Of 345 sentences of evals/model/sentences.jsonl (part "fit") that is found of 39 lies and 5 true ones, of 334 others
    of 38 and 4. A missing name or option is a lie less often, or too seldom to tell.
    """
    return finding.by == "rules" and (finding.kind == "contradicted" or finding.why.startswith("number: "))


def mend(answer: Answer, findings: Sequence[Finding], texts: Mapping[int, str], *, lang: str) -> Answer:
    """Return the answer with each sentence that was found wrong replaced by the sentence of its quote.

    That is the nearest one of the spans that it cites, as the page has it, ``origin`` "quoted", under its marker; what
    takes the place of several stands once, and in the place of a table's row it stands behind the table. If the quote
    is only a heading, a label or a date, it is a sentence of the same block, which the citation then reaches to. If
    there is none, a sentence that the quote contradicts gives way to it all the same; any other stays, ``origin``
    "unconfirmed", as does one whose finding is of that kind.

    No sentence with a citation is left out: only one without, if it was found wrong or now leads to nothing. A notice
    counts the sentences that contradicted their source, and those that it does not confirm.
    """
    if not findings:
        return answer
    wrong = {finding.sentence: finding for finding in findings}
    cited = {citation.marker: citation for citation in answer.citations}
    mended: list[Sentence] = []
    behind: list[Sentence] = []  # the table
    disagreed = 0
    for at, sentence in enumerate(answer.sentences):
        if sentence.block != "row":
            mended, behind = [*mended, *behind], []
        if at not in wrong:
            mended.append(sentence)
            continue
        quotes = [cited[marker] for marker in sentence.markers if marker in cited and cited[marker].quote.strip()]
        instead = _instead(sentence, quotes, texts, lang, wrong[at].kind)
        if instead and instead[0].text not in {other.text for other in (*mended, *behind)}:
            (behind if sentence.block == "row" and instead[0].origin == "quoted" else mended).append(instead[0])
            cited[instead[1].marker] = instead[1]
        is_told = wrong[at].kind == "contradicted" or is_wrong_value(wrong[at])
        disagreed += is_told and instead is not None and instead[0].origin == "quoted"
    counts: dict[Phrase, int] = {
        "contradicted": disagreed,
        "unconfirmed": sum(sentence.origin == "unconfirmed" for sentence in mended),
    }
    noticed = with_notices(answer, *(say(phrase, lang, count=count) for phrase, count in counts.items() if count))
    noticed = replace(noticed, citations=tuple(cited[each.marker] for each in answer.citations))
    return with_sentences(noticed, supported([*mended, *behind], set(cited)), set(cited))


def _why(
    sentence: Sentence, quotes: Sequence[Citation], texts: Mapping[int, str], question: str, lang: str, *, only: bool
) -> tuple[FindingKind, str] | None:
    """Return what is wrong with a sentence, or None."""
    source = "\n\n".join(_around(quote, texts.get(quote.page_id, "")) for quote in quotes)
    beside = "\n".join((*(f"{quote.title}\n{quote.url}" for quote in quotes), question))
    said, of = _without_leading_answer(sentence.text), detect_language(source)
    lang = lang or of
    if " ".join(sentence.text.split()) in " ".join(source.split()):
        return None
    missing = _missing(said, f"{source}\n{beside}", lang, of)
    if missing:
        return "not_said", missing
    if lang != of or len(said) > _MAX_CHARS:
        return None
    checks: list[tuple[FindingKind, str, Callable[[str, str, str], str]]] = [
        ("contradicted", "another number's place", misplaced_value),
        ("contradicted", "changed places", exchanged),
    ]
    if only:
        checks += [
            ("contradicted", "denied", _denied),
            ("not_said", "replaced", replaced),
            ("not_said", "without exception", _generalised),
        ]
    found = ((kind, f"{name}: {why}") for kind, name, check in checks if (why := check(said, source, lang)))
    return next(found, None)


def _around(quote: Citation, text: str) -> str:
    """Return the quote with what stands beside it in its paragraph."""
    if text[quote.start : quote.end] != quote.quote:
        return quote.quote
    start = max(text.rfind("\n\n", 0, quote.start) + 1, quote.start - _BESIDE)
    end = text.find("\n\n", quote.end)
    return text[start : min(end if end >= 0 else len(text), quote.end + _BESIDE)]


def _missing(said: str, source: str, lang: str, of: str) -> str:
    """Return the number, code or name of a sentence that its source lacks, with what it is; "" for none."""
    said, source = _DASH.sub("-", said), _DASH.sub("-", source)
    codes, folded = _CODE.findall(said), fold(source)
    if code := next((code for code in codes if fold(code) not in folded), ""):
        return f"code: {code}"
    for code in codes:  # its digits are no numbers
        said = said.replace(code, " ")
    if number := unsupported(said, source, lang=lang, source_lang=of):
        return f"number: {number}"
    return next((f"name: {name}" for name in _missing_names(said, source, lang, of)), "")


def _missing_names(said: str, source: str, lang: str, of: str) -> Iterator[str]:
    """Yield the names of a sentence that its source lacks; in another language names change: abbreviations only."""
    folded, held = fold(source), set(words(source))
    for name in (_ABBREVIATION if lang != of or lang in _CAPITAL_NOUNS else _CAPITAL).findall(said):
        parts = words(" ".join(part for part in name.split("-") if part[:1].isupper()))  # "Paris-based"
        is_held = all(part in folded or part.removesuffix("s") in held for part in parts)
        if not is_held and fold(name) not in word_set("months", lang):
            yield name


def _generalised(said: str, source: str, lang: str) -> str:
    """Return the word of a sentence that says "without exception", if nothing in its source says so; else ""."""
    universals = set(map(fold, language(lang).universals))
    own = [word for word in words(said) if word in universals]
    return own[0] if own and (universals | set(map(fold, language(lang).each))).isdisjoint(words(source)) else ""


def _instead(
    sentence: Sentence, quotes: Sequence[Citation], texts: Mapping[int, str], lang: str, kind: FindingKind
) -> tuple[Sentence, Citation] | None:
    """Return what stands in the place of a wrong sentence, and its citation; None if that sentence has none.

    It is the sentence of the quotes that has most of its words, else the first. In the place of code stands the whole
    quote.
    """
    is_code, own = sentence.block == "code", content_terms(sentence.text, lang).keys()
    saying = [] if is_code else _saying(quotes, lang) or _saying([with_block(each, texts) for each in quotes], lang)
    stays = kind == "unconfirmed" or (kind == "not_said" and not is_code and not saying)
    if not quotes or stays:
        return (replace(sentence, origin="unconfirmed"), quotes[0]) if quotes else None
    spans = saying or [(quote, quote.quote) for quote in quotes]
    quote, text = max(spans, key=lambda span: len(own & content_terms(span[1], lang).keys()))
    block: AnswerBlock = sentence.block if sentence.block in ("item", "step") else ""
    return Sentence(text=quoted(text), markers=(quote.marker,), block=block, origin="quoted"), quote


def with_block(quote: Citation, texts: Mapping[int, str]) -> Citation:
    """Return a short quote with the rest of its paragraph, and what stands below it if it is a heading."""
    text = texts.get(quote.page_id, "")
    start = max(text.rfind("\n\n", 0, quote.start) + 2, 0) if "\n\n" in text[: quote.start] else 0
    end = text.find("\n\n", quote.end + 2)
    end = len(text) if end < 0 else end
    is_short = text[quote.start : quote.end] == quote.quote and end - start <= _BESIDE
    return replace(quote, quote=text[start:end], start=start, end=end) if is_short else quote


def _saying(quotes: Sequence[Citation], lang: str) -> list[tuple[Citation, str]]:
    """Return the sentences of the quotes that say something: no headings, labels, dates and questions."""
    spans = [(quote, quote.quote[start:end]) for quote in quotes for start, end in sentence_spans(quote.quote)]
    return [span for span in spans if _says_something(span[1], lang)]


def _says_something(text: str, lang: str) -> bool:
    """Return whether a line of a page says something by itself, as the nearest ones of 677 of 679 quotes do."""
    is_item, months = bool(ITEM.match(text)), word_set("months", lang)
    kind = kind_of(text, bulleted=is_item)
    said = [word for word in words(text) if word.isalpha() and word not in months]
    if kind == "heading" or text[-1] in LEADS_IN:
        least = 7
    else:
        least = 1 if ": " in text or " | " in text else 3 if kind == "row" and not is_item else 2
    return kind != "question" and text[0] != "#" and len(said) >= least


def _without_leading_answer(text: str) -> str:
    """Return the text without the "Yes," or "No," that it begins with."""
    return _leading_answer().sub("", text)


def _denied(sentence: str, text: str, lang: str) -> str:
    """Return the word that a sentence denies and the nearest sentence of a text affirms, or the other way; else "".

    Both are in ``lang``. The text must have three quarters of the sentence's words, that one sentence of it half of
    them, and one of the two sentences no negation.
    """
    spans = [text[start:end] for start, end in sentence_spans(text)]
    for start, end in sentence_spans(sentence):
        own = _topic(part := sentence[start:end], lang)
        shared = [(len(own & _topic(span, lang)), span) for span in spans]
        most = max((count for count, _ in shared), default=0)
        held = own & _topic(text, lang)
        if most < max(_LEAST_WORDS, _LEAST_NEAR * len(own)) or len(held) < _LEAST_SHARED * len(own):
            continue
        alike = [span for span in spans if not _is_opposite(part, span, lang)]
        nearest = [span for count, span in shared if count == most and span not in alike]
        said, other = _negated_terms(part, lang), _negated_terms(" . ".join(nearest), lang)
        agreed = {term for span in alike for term in _topic(span, lang)}
        for term in own - agreed:
            if len(states := said.get(term, set())) == 1 and other.get(term, states).isdisjoint(states):
                return term
    return ""


def _is_opposite(one: str, other: str, lang: str) -> bool:
    """Return whether one of two sentences has an odd number of negations, and the other none."""
    counts = sorted(_count(_BOUND.sub(" ", text), lang) for text in (one, other))
    return counts[0] == 0 and counts[1] % 2 == 1


def _negated_terms(text: str, lang: str) -> dict[str, set[bool]]:
    """Return each term of a text with whether it is negated: by an odd number of negations beside it in its clause."""
    states: dict[str, set[bool]] = {}
    after = _AFTER if lang in _VERB_FIRST else 0
    for clause in _clauses(_NOT.sub(" not", _BOUND.sub(" ", text))):
        negations = [fold(word) in _negations(lang) for word in clause]
        for at, word in enumerate(clause):
            beside = negations[max(0, at - _BEFORE) : at] + negations[at + 1 : at + 1 + after]
            for term in analyse(word, lang):
                states.setdefault(term, set()).add(sum(beside) % 2 == 1)
    return states


def _clauses(text: str) -> list[list[str]]:
    clauses: list[list[str]] = [[]]
    for word in _WORD_OR_MARK.findall(text):
        if not word[0].isalnum() or fold(word) in _BEGINS_CLAUSE:
            clauses.append([])
        if word[0].isalnum():
            clauses[-1].append(word)
    return clauses


def _count(text: str, lang: str) -> int:
    return sum(word in _negations(lang) for word in _WORD.findall(fold(_NOT.sub(" not", text))))


def _topic(text: str, lang: str) -> set[str]:
    return set(content_terms(text, lang)) - set(analyse(" ".join(_negations(lang)), lang))


@cache
def _leading_answer() -> re.Pattern[str]:
    return re.compile(rf"\A\s*(?:{any_of('yes')}|si|{any_of('no')})\s*(?:[,.:;!–—]|-(?=\s))\s*", re.IGNORECASE)


@cache
def _negations(lang: str) -> frozenset[str]:
    return frozenset(map(fold, language(lang).negations)) - _HALF
