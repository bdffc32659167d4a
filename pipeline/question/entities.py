"""Find what a question names: proper nouns, numbers and quoted terms, from its own words alone.

A name is a run of capitalised words ("White House", "Bank of America", "Windows 11") without its possessive. In German
every noun is capitalised: there a lone word counts only where neither its ending, its article nor the table of common
nouns shows that it is none.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from text.analyser import fold
from text.languages import any_of, language, word_set
from text.stopwords import listed_languages, stop_words

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

#: German words before a noun that is no name: an indefinite article, a possessive, a number word
_BEFORE_NOUNS = re.compile(
    r"(?:k?ein|jed|jen|dies|welch|manch|solch|mein|dein|sein|ihr|unser|euer|eur|viel|wenig|mehr|all|einig|beid)"
    rf"(?:e|er|es|en|em|ere|eren|erer)?|{any_of('several', 'de')}|\d+|wieviele?"
)
#: a listed ending counts after so many letters: "Name" and "Tag" stand in the table themselves
_BEFORE_ENDING = 2
#: a plural or case ending of a German noun more or less does not matter
_CASE_ENDINGS = ("", "s", "es", "e", "en", "n", "er", "ern")


class _Word(NamedTuple):
    text: str  #: without elision and possessive
    before: str  #: what stands between it and the word before
    first: bool  #: of a sentence
    possessive: bool


def find_entities(question: str, lang: str = "en") -> tuple[str, ...]:
    """Return proper nouns, numbers and quoted terms, each once, quoted ones first, the others in their order."""
    found: dict[str, None] = {}
    for match in _QUOTED.finditer(question):
        found.setdefault(next(group for group in match.groups() if group).strip())
    rest = _QUOTED.sub(" | ", question)
    named = _names(rest, lang) if any(char.islower() for char in rest) else _numbers(rest)
    for name in named:
        if not any(name in entity.split() for entity in found):
            found.setdefault(name)
    return tuple(found)


def _numbers(text: str) -> Iterator[str]:
    """Yield the numbers of a text that is all capitals, or of a script without any: no capital shows a name there."""
    return (match.group() for match in _WORD.finditer(text) if match.group()[0].isdigit())


def _names(text: str, lang: str) -> Iterator[str]:
    listed = list(_words(text))
    run: list[_Word] = []
    for at, word in enumerate(listed):
        if run and (word.before.strip() or run[-1].possessive or not _goes_on(listed, at)):
            yield from _ended(run, listed, at, lang)
            run = []
        if run or _may_begin(listed, at, lang):
            run.append(word)
        elif word.text[0].isdigit():
            yield word.text
    yield from _ended(run, listed, len(listed), lang)


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


def _may_begin(listed: list[_Word], at: int, lang: str) -> bool:
    word = listed[at]
    if word.text[0].isdigit() or not _is_capital(word) or _is_empty(word) or _is_title(word.text):
        return False
    if not word.first or _has_inner_capital(word.text):
        return True
    # the first word is always capitalised: another name beside it, or its possessive, shows that it is one itself
    if fold(word.text) in _REQUESTS or word.text.casefold() in _REQUESTS:
        return False
    after = listed[at + 1] if at + 1 < len(listed) else None
    beside = after is not None and not after.before.strip() and _goes_on(listed, at + 1)
    if lang == "de" and beside and not word.possessive:
        return not _is_noun(word.text) and (_is_genitive(word.text) or not _is_noun(listed[at + 1].text))
    return word.possessive or beside


def _ended(run: list[_Word], listed: list[_Word], end: int, lang: str) -> Iterator[str]:
    """Yield the name that a run of words is, or none."""
    if not run:
        return
    if lang == "de":
        yield from _german(run, listed[end - len(run) - 1].text if end > len(run) else "")
    elif len(run) > 1 or _stem(run[0].text) not in _GENERIC:
        yield " ".join(word.text for word in run)


def _german(run: list[_Word], before: str) -> Iterator[str]:
    """Yield the name in a German run without the common nouns around it: "Microsofts Chefin", "Stadt Wien"."""
    if len(run) > 1 and _is_genitive(run[0].text) and _is_noun(run[1].text):
        yield run[0].text[:-1]
        return
    words = [word.text for word in run]
    while words and (_is_noun(words[0]) or words[0] in _JOINING):
        words = words[1:]
    while words and (_is_noun(words[-1]) or words[-1] in _JOINING):
        words = words[:-1]
    if not words:
        return
    lone = len(words) == 1 and not _has_inner_capital(words[0])
    if lone and len(words) == len(run) and _BEFORE_NOUNS.fullmatch(before.casefold()):
        return
    yield " ".join(words)


def _is_noun(word: str) -> bool:
    """Return whether a German word is a common noun, by the table or by its ending."""
    plain = word.casefold()
    if _stem(word) in _GENERIC:
        return True
    if _has_inner_capital(word):
        return False
    if any(plain.removesuffix(ending) in word_set("nouns", "de") for ending in _CASE_ENDINGS):
        return True
    endings = language("de").noun_endings
    return any(plain.endswith(ending) and len(plain) >= len(ending) + _BEFORE_ENDING for ending in endings)


def _is_title(word: str) -> bool:
    """Return whether a word is an abbreviation that names no one: "CEO", "PMs"."""
    return word[:2].isupper() and _stem(word) in _GENERIC


def _is_genitive(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and not word.endswith("ss") and not _is_noun(word)


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
