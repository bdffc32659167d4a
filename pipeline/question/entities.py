"""Find what a question names: proper nouns, numbers and quoted terms, from its own words alone.

A name is a run of capitalised words ("White House", "Bank of America", "Windows 11") without its possessive. In German
every noun is capitalised: there a lone word counts only with a capital or digit inside it ("YouTube", "A4").
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from text.terms import fold, listed_languages, stop_words

_WORD = re.compile(r"[^\W_]+(?:[._'’-]?[^\W_]+)*")
_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|(?<!\w)'([^']+)'(?!\w)|`([^`]+)`")
_POSSESSIVE = re.compile(r"['’]s?$")
#: "l'Allemagne", "dell'Italia"
_ELIDED = re.compile(r"^(?:[ldjnscmt]|qu|jusqu|lorsqu|un|(?:d|n|s)?[aeou]ll|quell)['’](?=\w)", re.IGNORECASE)
#: between two words of one name
_JOINING = frozenset("of de la le du des del della di da do dos van von der den ten".split())
_YEAR = re.compile(r"1\d{3}|20\d\d")

#: written with capitals, and no name
_GENERIC = frozenset(
    """
    ceo cfo cto coo cio cmo cso vp svp md mp pm hr pr tv pc id faq am ok gdp bip diy aka eta asap fyi bc ad bce ce
    president king queen prince minister chancellor director chairman manager boss company internet web
    """.split()
)
#: verbs that begin a request: capitalised there, and no name
_REQUESTS = frozenset(
    """
    compare name list explain describe define tell give show find summarise summarize translate calculate say write
    nenne nenn vergleiche erkläre beschreibe zeige sag gib liste compara explica describe dime comparez expliquez
    décrivez nommez citez cita nomina elenca spiega descrivi confronta compara explique liste noem beschrijf
    vergelijk
    """.split()
)


class _Word(NamedTuple):
    text: str  #: without elision and possessive
    before: str  #: between it and the word before
    first: bool  #: of a sentence
    possessive: bool


def find_entities(question: str, lang: str = "en") -> tuple[str, ...]:
    """Return proper nouns, numbers and quoted terms, each once, quoted ones first, the others in their order."""
    found: dict[str, None] = {}
    for match in _QUOTED.finditer(question):
        found.setdefault(next(group for group in match.groups() if group).strip())
    rest = _QUOTED.sub(" | ", question)
    # a text that is all capitals, or of a script without any: no capital shows a name there, only numbers count
    numbers = (match.group() for match in _WORD.finditer(rest) if match.group()[0].isdigit())
    named = _names(rest, lang) if any(char.islower() for char in rest) else numbers
    for name in named:
        if not any(name in entity.split() for entity in found):
            found.setdefault(name)
    return tuple(found)


def _names(text: str, lang: str) -> Iterator[str]:
    listed = list(_words(text))
    run: list[_Word] = []
    for at, word in enumerate(listed):
        if run and (word.before.strip() or run[-1].possessive or not _goes_on(listed, at)):
            yield from _ended(run, lang)
            run = []
        if run or _may_begin(listed, at):
            run.append(word)
        elif word.text[0].isdigit():
            yield word.text
    yield from _ended(run, lang)


def _words(text: str) -> Iterator[_Word]:
    end = 0
    for match in _WORD.finditer(text):
        before, end_of_last = text[end : match.start()], end
        end = match.end()
        first = end_of_last == 0 or any(char in ".?!:…" for char in before)
        written = _ELIDED.sub("", match.group()) if first or match.group()[0].islower() else match.group()
        bare = _POSSESSIVE.sub("", written)
        possessive = bare != written or text[end : end + 1] in ("'", "’")
        if written is not match.group() and written != match.group():
            before = f"{before}'"
        yield _Word(bare or written, before, first, possessive)


def _goes_on(listed: list[_Word], at: int) -> bool:
    """Return whether a name goes on with this word: a capital, a joining word before one, or a short number."""
    word = listed[at]
    if word.text[0].isdigit():
        return not _YEAR.fullmatch(word.text)
    if _is_capital(word) and not _is_empty(word):
        return not _is_title(word.text)
    if fold(word.text) not in _JOINING or _stem(listed[at - 1].text) in _GENERIC:
        return False
    after = next((other for other in listed[at + 1 :] if fold(other.text) not in _JOINING), None)
    return after is not None and not after.before.strip() and _is_capital(after) and not _is_empty(after)


def _may_begin(listed: list[_Word], at: int) -> bool:
    word = listed[at]
    if word.text[0].isdigit() or not _is_capital(word) or _is_empty(word) or _is_title(word.text):
        return False
    if not word.first or _has_inner_capital(word.text):
        return True
    # the first word is always capitalised: another name next to it, or its possessive, shows that it is one itself
    if fold(word.text) in _REQUESTS or word.text.casefold() in _REQUESTS:
        return False
    after = listed[at + 1] if at + 1 < len(listed) else None
    goes_on = after is not None and not after.before.strip() and _goes_on(listed, at + 1)
    return word.possessive or goes_on


def _ended(run: list[_Word], lang: str) -> Iterator[str]:
    """Yield the name that a run of words is, or none."""
    alone = run[0].text if len(run) == 1 else ""
    is_name = _has_inner_capital(alone) if lang == "de" else _stem(alone) not in _GENERIC
    if len(run) > 1 or (alone and is_name):
        yield " ".join(word.text for word in run)


def _is_title(word: str) -> bool:
    """Return whether a word is an abbreviation that names no one: "CEO", "PMs"."""
    return word[:2].isupper() and _stem(word) in _GENERIC


def _is_capital(word: _Word) -> bool:
    return word.text[0].isupper() or _has_inner_capital(word.text)


def _has_inner_capital(word: str) -> bool:
    return any(char.isupper() or char.isdigit() for char in word[1:])


def _is_empty(word: _Word) -> bool:
    """Return whether a word carries no topic in any language, "I'm" and "What's" included."""
    plain = fold(re.split(r"['’]", word.text)[0])
    return any(plain in stop_words(lang) for lang in listed_languages())


def _stem(word: str) -> str:
    plain = word.casefold()
    return plain.removesuffix("s") if word[:-1].isupper() else plain
