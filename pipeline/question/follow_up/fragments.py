"""Complete a fragment with the question before it ("And on Windows?", "Why?"): in the place of what is of its kind."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from pipeline.question.entities import find_entities
from pipeline.question.follow_up.frame import Frame, phrases
from pipeline.question.follow_up.phrase import (
    BE,
    Words,
    before_preposition,
    begins_with,
    find,
    head_of,
    is_attribute,
    is_day,
    is_measured,
    is_month,
    is_plural,
    is_time,
    is_year,
    same_kind,
    words_of,
)
from text.languages import any_of

#: what begins a question behind its question word
_BEGINS: Final = re.compile(rf"^(?:{any_of('be', 'en')}|{any_of('auxiliaries', 'en')}) ")
#: asked for by "how", and said of what is done rather than of a thing
_AMOUNTS: Final = "many|much|long|often|far|fast|soon|late|early|well|viele?|lange|oft|weit|schnell|bald|spät|früh|gut"
#: question words whose place another cannot take without a loss: they are the subject, or have a noun
_LOST: Final = r"wer|qui|quién|chi|quem|(?:how (?:many|much)|which|what|wie viele?|welche\w?|quel\w*|combien d\S+) \S+"
#: what compares, and "than"
_COMPARED: Final = {
    "en": (r"(?-i:[a-z]{3,}er)|worse|(?:more|less) \w+", "than"),
    "de": (r"(?-i:[a-zäöüß]{3,}er)|(?:mehr|weniger) \w+", "als"),
    "fr": (r"(?:plus|moins) \w+|mieux|meilleure?s?|pires?", "que"),
}
#: "children under twelve", "people over 65": one thing
_AGED: Final = rf" (?:under|over|above|below|aged|older than|younger than) (?:\d+|{any_of('ones', 'en')})(?: years)?"
#: whom or what something is for: several without a determiner, or one that is new
_FOR_WHOM: Final = re.compile(rf"(?<![\w-])for ((?:[a-z]+s|children|people|men|women)(?:{_AGED})?)(?![\w-])")
_FOR_ONE: Final = re.compile(r"(?<![\w-])for (an? (?:[\w-]+ ){0,2}?[\w-]+)(?=$| (?:in|at|on|with|from|to)\b)")
#: what is added to a question rather than put into the place of something
_ADVERBS: Final = (
    "back|there|now|later|alone|again|online|abroad|zurück|hin|dort|jetzt|später|allein|wieder|danach|davor"
    "|là-bas|maintenant|après|avant|retour"
)
#: what one of several things is called without its noun: "the oldest"
_ORDER: Final = (
    r"the (?:\w+ )?(?!forest|guest|west|test|rest|nest|interest|request|harvest|contest|chest)"
    r"(?:\w{3,}est|next|other|best)$"
)
#: of one preposition, with and without an article
_FORMS: Final = (
    "de|du|des", "à|au|aux", "in|im", "zu|zum|zur|nach", "von|vom", "an|am", "bei|beim", "de|del|do|da", "a|al|ao",
    "di|del|della|dei", "em|no|na|nos|nas", "in|nel|nella",
)  # fmt: skip
DEFINITE: Final = (
    "the|its|their|his|her|der|die|das|den|dem|seine?[nmr]?|ihre?[nmr]?|le|la|les|l['’]|son|sa|ses|leurs?|el|los|las|il|lo"
    "|gli"
)


def ask_otherwise(asking: str, last: Frame) -> str:
    """Return the question before with another question word: "Why?" → "Why is the file kept there?"."""
    rest = last.rest if last.asking else last.text[:1].lower() + last.text[1:]
    if (measure := re.fullmatch(r"(how|wie) (\w+)", asking, re.IGNORECASE)) and not find(_AMOUNTS, measure[2]):
        be = "ist" if last.lang == "de" else "are" if is_plural(last.topic) else "is"
        return f"{asking} {be} {last.topic}"
    if find(_LOST, last.asking) or find("which ones?|which|welche[rs]?", asking):
        return f"{last.text}? {asking}"
    only_named = last.asking and re.fullmatch(rf"(?:{BE}) {re.escape(last.subject)}", rest, re.IGNORECASE)
    begins = begins_with(words_of(last.lang).auxiliaries, rest) or last.lang != "en"
    return f"{last.text}? {asking}" if only_named or not begins else f"{asking} {rest}"


def compare(question: str, last: Frame, lang: str) -> str | None:
    """Return a question with what it compares with: "Is a greyhound faster?" → "… faster than a cheetah?"."""
    pattern, than = _COMPARED.get(lang, ("(?!)", ""))
    compares = re.match(rf"(?:{BE}) (?P<whom>.*) (?:{pattern})$", question, re.IGNORECASE)
    if compares is None or find("than|als|or|oder|que", question) or is_time(question.split()[-1]):
        return None
    words = words_of(lang)
    noun = find(rf"there|(?:{words.prepositions}|{words.indefinite})$", compares["whom"])  # "Is he a baker?"
    if noun or begins_with(words.prepositions, question.split()[-1]):
        return None
    return f"{question} {than} {last.subject or last.topic}"


def go_on(question: str, last: Frame) -> str | None:
    """Return a question that leaves out its verb, with it: "Why should I?" → "Why should I install nginx?"."""
    asker = r"i|we|you|one|ich|wir|man"
    if last.verb and find(rf"(?:should|can|could|must|may|do|would|soll|sollte|muss|kann|darf) (?:{asker})$", question):
        return f"{question} {last.action}"
    return None


def substitute(fragment: str, last: Frame, words: Words) -> str:
    """Return the question before with the fragment in the place of what is of its kind, or else at its end.

    A known thing that fits nowhere is asked for itself, with the rest of the question as its subject.
    """
    stands_before = begins_with(words.prepositions, fragment)
    preposition = stands_before.group() if stands_before else ""
    body = _with_plural(fragment[len(preposition) :].strip(), last)
    for place in places(Fragment(preposition, body), last, words):
        return last.text[: place.start] + place.text + last.text[place.end :]
    if preposition:
        return f"{last.text} {fragment[0].lower()}{fragment[1:]}"
    joined = _joined(body, last.lang)
    if is_measured(head_of(body, words)):
        about = next((name for name in last.names if not is_time(name)), last.topic)
        return f"{fragment} ({about})"
    if not joined and last.rest and begins_with(DEFINITE, body) and not is_time(body):
        return f"{fragment} ({_BEGINS.sub('', last.rest)})"  # another thing of the same subject
    return f"{last.text}{'' if is_time(body) or is_added(body) else ','} {joined}{fragment}"


def _with_plural(body: str, last: Frame) -> str:
    """Return a fragment with the noun that its "ones" stands for: "green ones" → "green lentils"."""
    several = [word for word in last.text.split() if is_plural(word) and word.islower()]
    return re.sub(r"\bones$", several[-1], body) if several and " " in body else body


def _joined(body: str, lang: str) -> str:
    """Return what joins a time to a question: "on" before days, "in" before months."""
    if lang != "en" or begins_with("the|last|next|every", body):
        return ""
    return "on " if is_day(body.split()[-1]) else "in " if is_month(body.split()[-1]) else ""


def do_otherwise(fragment: str, last: Frame) -> str | None:
    """Return the question before with another verb: "And mirror it?" → "How do I mirror a symbol?"."""
    verb = re.fullmatch(r"([a-z]+) (?:it|them|that|this|one)", fragment)
    if verb is None or not last.verb:
        return None
    at = last.text.find(f" {last.verb} ")
    return f"{last.text[: at + 1]}{verb[1]} {last.object}" if at >= 0 else None


class Place(NamedTuple):
    """Where a fragment may stand in the question before it, and how."""

    start: int
    end: int
    text: str  #: what is put there


class Fragment(NamedTuple):
    """What a follow-up says that is no sentence: "on Windows", "the library"."""

    preposition: str
    body: str


def places(fragment: Fragment, last: Frame, words: Words) -> Iterator[Place]:
    """Yield where the fragment may stand, and how, the likeliest first; nothing for what is only added."""
    preposition, body = fragment
    asked = head_of(last.object or last.subject, words)
    if is_measured(head_of(body, words)) and not is_measured(asked):
        return  # "What about the yearly fee?" of where a file lies
    yield from _same_noun(body, last, words)
    yield from _same_kind(body, last, words)
    if not body or is_added(body):
        return
    if preposition:
        yield from _same_preposition(preposition, body, last, words)
    elif not is_time(body):
        yield from _phrases(body, last, words)


def is_added(body: str) -> bool:
    """Return whether a fragment is added to a question rather than put into the place of something: "back", "now"."""
    return find(_ADVERBS, body) is not None


def names_of(text: str, lang: str, words: Words) -> list[str]:
    """Return what a text names; not a German noun with an article, which may be any thing."""
    named = find_entities(text, lang)
    return [
        name
        for name in named
        if " " in name or not find(rf"(?:{words.determiners}) (?:(?-i:[a-zäöüß]+) )?{re.escape(name)}", text)
    ]


def _phrases(body: str, last: Frame, words: Words) -> Iterator[Place]:
    """Yield the phrases in whose place one without a preposition may stand."""
    several, new = is_plural(body) and " " not in body, begins_with("an?", body)
    if whom := (_FOR_WHOM.search(last.text) if several else _FOR_ONE.search(last.text) if new else None):
        yield Place(*whom.span(1), body)
    if begins_with(words.indefinite, body):
        yield from _subject(body, last, words)
        yield from _indefinite(body, last, words)
    elif begins_with(DEFINITE, body):
        yield from _known(body, last, words)
        if is_attribute(head_of(body, words)) and not _asks_for_attribute(last, words):
            return
    for phrase in (last.object, last.subject):
        plain = before_preposition(phrase, words)
        if not (re.fullmatch(r"[a-z-]+[a-rt-z]", body) and begins_with(DEFINITE, plain)):  # "and close?"
            yield from _in_place_of(plain, body, last, words)


def _same_noun(body: str, last: Frame, words: Words) -> Iterator[Place]:
    """Yield the phrase with the same noun: "SNMP drivers" for "USB drivers"."""
    without = _undetermined(body, words)
    head = head_of(without, words)
    described = without.split().index(head) if head in without.split() else 0
    found = re.search(rf"(?:[\w'’.-]+ ){{{described}}}{re.escape(head)}(?![\w-])", last.text, re.IGNORECASE)
    if head and described and found:
        starts = begins_with(f"{words.auxiliaries}|{words.prepositions}|{words.determiners}", found.group())
        start = found.end() - len(head) if starts and described == 1 else found.start()
        yield Place(start, found.end(), " ".join(without.split()[: described + 1]))


def _same_kind(body: str, last: Frame, words: Words) -> Iterator[Place]:
    body = re.sub(r" ones?$", "", body)
    named = body.split()[-1] if body.split() else ""
    for match in re.finditer(r"[\w.+-]+", last.text):
        if same_kind(named, match.group()):
            before = re.search(rf"(?<!\w)(?:{words.determiners})\s+$", last.text[: match.start()], re.IGNORECASE)
            known = before if before and not is_year(body) else match
            yield Place(known.start(), match.end(), body)


def _same_preposition(preposition: str, body: str, last: Frame, words: Words) -> Iterator[Place]:
    """Yield what has the same preposition, a time for a time and nothing else."""
    ends = rf"(?=\s(?:{words.prepositions}|{words.auxiliaries})\s|$)"
    same = next((forms for forms in _FORMS if preposition.casefold() in forms.split("|")), re.escape(preposition))
    for found in re.finditer(rf"(?<![\w-])(?:{same}) (.+?(?:{_AGED}|(?!{_AGED}){ends}))", last.text, re.IGNORECASE):
        if not begins_with(words.asking, found[1]) and is_time(found[1]) == is_time(body):
            phrase = found[1] if last.lang == "en" and begins_with("the", found[1]) else _up_to_name(found[1])
            put = f"{preposition.casefold()} {_with_noun(body, phrase, words, last.lang)}"
            yield Place(found.start(), found.start(1) + len(phrase), put)


def _up_to_name(phrase: str) -> str:
    """Return a phrase without the verb behind its name, or its German noun: "Lyon take", "im Stadtwald zelten"."""
    found = re.match(r"(?:[a-zà-ÿ]+ ){0,2}(?:[A-ZÄÖÜ][\w'’-]* ?)+", phrase)
    return found.group().strip() if found else phrase


def _subject(body: str, last: Frame, words: Words) -> Iterator[Place]:
    """Yield the subject where it names something new: what follows it is the verb."""
    at = last.text.find(last.subject)
    if begins_with("an?", last.subject) and begins_with("an?", body) and at >= 0:
        yield Place(at, at + len(last.subject), _with_noun(body, last.subject, words, last.lang))


def _indefinite(body: str, last: Frame, words: Words) -> Iterator[Place]:
    """Yield the last phrase that names something new: "a category" for "a payee"; "one" takes its noun."""
    ends = rf"(?=\s(?:{words.prepositions}|{words.auxiliaries})\s|$)"
    found = list(
        re.finditer(
            rf"(?<![\w-])(?:{words.indefinite}) (?:(?!{words.prepositions})[\w'’.-]+ ?){{1,4}}?{ends}",
            last.text,
            re.IGNORECASE,
        )
    )
    if found:
        noun = head_of(found[-1].group(), words)
        put = re.sub(r"^one(?= |$)", f"a {noun}", body, flags=re.IGNORECASE)
        yield Place(*found[-1].span(), _with_noun(put, found[-1].group(), words, last.lang))


def _known(body: str, last: Frame, words: Words) -> Iterator[Place]:
    """Yield what a known thing may stand for: "the configuration file" for "its log", not for the program's name.

    What things have stands for what a thing has ("the price of the ticket"), and what has it for its owner.
    """
    has, asked = is_attribute(head_of(body, words)), last.object or last.subject
    owner = re.search(rf"\s(?:{words.prepositions})\s+((?:{words.determiners})\s.+)$", asked, re.IGNORECASE)
    joined = re.search(r"\s(?:du|des|del|della|do|da|vom|zum|zur)\s+([\w-]+)$", asked)
    if not has and is_attribute(head_of(asked, words)):
        if owner:
            yield from _in_place_of(owner[1], body, last, words)
        if joined:
            yield from _in_place_of(joined[1], _undetermined(body, words), last, words)
    if asked.casefold() not in {name.casefold() for name in last.names} and begins_with(words.determiners, asked):
        return
    for phrase in phrases(last):
        if begins_with(DEFINITE, phrase) and phrase not in asked:
            yield from _in_place_of(phrase, body, last, words)


def _asks_for_attribute(last: Frame, words: Words) -> bool:
    """Return whether a question asks for what a thing has: "What is the price?", "Who is the head of the school?"."""
    asked = last.object or last.subject
    owned = re.search(r"\s(?:of|von|der|des|de|du|del|di|della|do|da)\s", asked)
    asks = re.match(r"(?:what|who|was|wer|qui|quel\w*|qué|quién|che|chi|qual\w*)\b", last.asking, re.IGNORECASE)
    return is_attribute(head_of(asked, words)) or bool(owned and asks)


def _in_place_of(phrase: str, body: str, last: Frame, words: Words) -> Iterator[Place]:
    found = re.search(rf"(?<![\w-]){re.escape(phrase)}(?![\w-])", last.text) if phrase else None
    if found:
        yield Place(*found.span(), _with_noun(body, phrase, words, last.lang))


def _with_noun(body: str, phrase: str, words: Words, lang: str) -> str:
    """Return a fragment with the noun that it leaves out: "the bigger one", "den zweiten"."""
    noun = head_of(phrase, words)
    if lang == "en":
        return f"{body} {noun}" if find(_ORDER, body) else re.sub(r"(?<= )ones?$", noun, body)
    lacks = lang == "de" and body[-1:].islower() and body.split()[-1].islower() and noun[:1].isupper()
    return f"{body} {noun}" if lacks else body


def _undetermined(phrase: str, words: Words) -> str:
    return re.sub(rf"^(?:{words.determiners})\s+", "", phrase, flags=re.IGNORECASE)
