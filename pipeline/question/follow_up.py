"""Understand a question from the one before it in its thread, by rules: "And on Windows?", "Why?", "How old is it?".

A fragment takes the place of what the question before has of its kind; a pronoun gives way to what that question, or
its answer, is about, or the words of the question follow in brackets. An "it" that stands for nothing does not
point back: "Is it safe to …?". By the same rules the two parts of a question complete each other: "How long is it open,
and what does it cost?".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Final

from domain.options import MAX_CHARACTERS
from domain.question import Turn
from pipeline.question.analysis import Analysis, analyse_question
from pipeline.question.entities import find_entities
from text.language import detect_language
from text.languages import any_of, language, word_set
from text.sentences import sentence_spans
from text.terms import content_words
from text.urls import urls_in

#: a question with more characters says itself what it is about; of one before it no more are read
_LONGEST: Final = 600
#: a shorter question does not show its language
_MANY_WORDS: Final = 4
#: a question that needs its thread has no more words that carry a topic
_FEW_CONTENT, _FEW_ABOUT = 2, 3
#: a fragment has no more words
_FRAGMENT: Final = 7
#: between a thing and a pronoun for it: "When the pump is full, how do I empty it?"
_JOINS: Final = "and|or|if|when|while|as|und|oder|wenn|et|ou|si|quand"
#: verbs that end what a question names
_VERBS: Final = (
    "apply|arrive|be|begin|close|come|cost|do|end|expire|go|happen|have|include|last|leave|look|mean|measure|need|open"
    "|run|say|show|stand|start|stay|stop|take|weigh|work"
)
_BE: Final = any_of("be", "en", "de", "fr", "es", "it", "pt")
_PERSONS: Final = "he|she|him|her|his|er|sie|ihn|ihm"
#: "it" that stands for nothing: "Is it safe to …?", "How long does it take to …?", "What time is it?"
_NOTHING: Final = re.compile(
    r"\bit (?:is |was |be )?(?:\w+ ){0,2}(?:to(?= \w)|that|if|when|whether|like)\b|\b(?:what time|how late) is it\b"
    r"|\b(?:gibt|geht|regnet) es\b|\bes (?:gibt|geht|regnet)\b|\bil (?:y a|faut)\b",
    re.IGNORECASE,
)
#: behind a word that stands for a whole thing or event
_ALONE: Final = (
    r"(?=$| (?:from|than|to|is|are|was|were|be|do|does|mean|happen|work|apply|true|so|too|also|needed|necessary)\b"
    r"| (?:in|on|at|for|with|by)\b| \w+ed$)"
)
_BACK: Final = {
    "en": rf"(?:that|this|these|those){_ALONE}|(?:that|this|these|those) (?:options?|flags?|commands?|functions?|files?"
    r"|settings?|methods?|modules?|packages?|programs?|tools?)|ones?"
    r"|the same(?=$| (?:be|for|with|on|in|to|thing)\b)|(?<!are )(?<!is )there$|then$",
    "de": r"dar?(?:von|für|mit|in|auf|zu|bei|nach|über|an|gegen|durch)|dort|dasselbe"
    r"|(?:die|den|das|dem)(?=$| [a-zäöüß]+en$)|ein(?:e[nrms]?|s)(?=$| (?:an|ab|auf|aus|ein|zu|[a-zäöüß]+en)$)",
}
#: the pronouns that a topic can stand for
_PRONOUNS: Final = {
    "en": r"(?i)(?<![\w'’])(?:it|they|them|he|she|him|her)(?![\w’'])",
    "de": r"\b(?:es|er|sie|ihn|ihm|ihnen)\b(?! [A-ZÄÖÜ])",
}


@dataclass(frozen=True, kw_only=True)
class Words:
    """Patterns of one language, to be matched without regard to case."""

    lead: str  #: before what is asked: "and", "but then"
    about: str  #: "what about"
    asking: str  #: a question word, with what belongs to it
    prepositions: str
    determiners: str
    indefinite: str  #: those of the determiners that name something new
    auxiliaries: str  #: verbs before the subject of a question
    pronouns: str  #: of the third person
    possessives: str


@cache
def words_of(lang: str) -> Words:
    """Return the words of a language; of English for one that is not known."""
    return Words(**(language(lang).follow_up or language("en").follow_up))


@dataclass(frozen=True)
class _Asked:
    """A question without its marks, or a part of one, as the words of a language read it."""

    text: str
    lang: str
    has_lead: bool = False  #: whether something led to it: "And …"
    is_about: bool = False  #: whether it asks "what about"

    @property
    def words(self) -> Words:
        return words_of(self.lang)

    @cached_property
    def content(self) -> list[str]:
        return content_words(self.text, self.lang)

    @cached_property
    def entities(self) -> tuple[str, ...]:
        return find_entities(self.text, self.lang)

    @property
    def names(self) -> list[str]:
        return [name for name in self.entities if not name[0].isdigit() and name in self.text]

    @cached_property
    def start(self) -> int:
        """Return where its question word ends; 0 where it has none."""
        found = _begins_with(rf"(?:(?:{self.words.prepositions}) )?(?:{self.words.asking})", self.text)
        return found.end() if found else 0

    @property
    def rest(self) -> str:
        """Return what follows the question word."""
        return self.text[self.start :].strip()

    @property
    def topic_words(self) -> str:
        """Return its words that carry a topic, each once."""
        return " ".join(dict.fromkeys(self.content))

    @property
    def before_pronoun(self) -> str:
        """Return what it says before its first pronoun; "" where it has none."""
        found = _find(f"{self.words.pronouns}|{self.words.possessives}", self.text)
        return self.text[: found.start()] if found else ""


def understand(question: str, turns: Sequence[Turn], lang: str = "") -> str:
    """Return the question as it is understood alone; itself where it is already, or nothing was asked before.

    What goes on from a question about pages that it names by their URLs is about these.
    """
    if not turns or len(question) > _LONGEST:
        return question
    bare = _bare(turns[-1].question[:_LONGEST])
    last = _Asked(bare, detect_language(bare))
    lang = lang or (detect_language(question) if len(question.split()) >= _MANY_WORDS else last.lang)
    core = _without_lead(question, lang)
    completed = _completed(core, turns[-1], last)
    if completed and not urls_in(question):
        completed = " ".join((completed, *(f"({url})" for url in urls_in(last.text) if url not in completed)))
    if completed is None or completed == core.text or len(completed) > MAX_CHARACTERS:
        return question
    opening = "¿" if question.lstrip().startswith("¿") else ""
    return f"{opening}{completed[0].upper()}{completed[1:].rstrip('?？ ')}{' ?' if lang == 'fr' else '?'}"


def needs_thread(question: str, lang: str = "") -> bool:
    """Return whether a question that was asked alone says too little: "And its configuration file?", "Why?"."""
    lang = lang or detect_language(question)
    core = _without_lead(question, lang)
    if _is_asking_alone(core) or (core.is_about and len(core.text.split()) <= _FEW_ABOUT):
        return True
    if core.has_lead and _is_fragment(core):
        return True
    if find_entities(question, lang) or not _points_back(core):
        return False
    return _find(core.words.determiners, core.before_pronoun) is None and len(core.content) <= _FEW_CONTENT


def stands_alone(question: str, lang: str = "") -> bool:
    """Return whether a question is a whole one that is understood without any other: not "The boathouse's fee?"."""
    lang = lang or detect_language(question)
    core = replace(_without_lead(question, lang), has_lead=True)
    return not (core.is_about or needs_thread(question, lang) or _is_fragment(core))


def topic_of(question: str, lang: str) -> str:
    """Return what a question is about: something new, a name, what it names with an article, or its last word."""
    return _topic_of(_Asked(_bare(question), lang))


def _topic_of(last: _Asked) -> str:
    found, names = _phrases(last), last.names
    if new := [phrase for phrase in found if _begins_with(last.words.indefinite, phrase[2])]:
        return new[-1][2]
    if names and (not found or last.text.find(names[0]) < found[0][0]):
        return names[0]
    at, end = _own_place(last)
    asked = _Asked(last.text[: last.start], last.lang).content
    return found[0][2] if found else last.text[at:end] or (asked[-1] if asked else last.topic_words)


def _completed(core: _Asked, turn: Turn, last: _Asked) -> str | None:
    """Return the question completed; None where it is understood alone."""
    text, words = core.text, core.words
    if _is_asking_alone(core):
        return _ask_otherwise(f"{text[:1].upper()}{text[1:]}", last)
    points = _find(f"{words.pronouns}|{words.possessives}", core.text) is not None
    if core.is_about or _is_fragment(core):
        if _find(rf"(?<=, )(?:{words.asking})", core.text):
            return None
        return _resolved(core, turn, last) if points else _substituted(core, replace(last, lang=core.lang))
    if _points_back(core) and not _has_its_own(core):
        return _resolved(core, turn, last)
    if compared := _compared(core, last):
        return compared
    if core.has_lead and len(core.content) <= _FEW_CONTENT and not core.entities:  # "And what is the entrance fee?"
        return text if urls_in(last.text) else f"{text} ({_topic_of(last)})"
    says_little = re.fullmatch(rf"(?:{words.asking}) \w+", text, re.IGNORECASE) or not core.content
    return text if core.has_lead else f"{text} ({last.topic_words})" if says_little else None  # "Who won?"


def _compared(core: _Asked, last: _Asked) -> str | None:
    """Return a question with what it compares with: "Is a greyhound faster?" → "… faster than a cheetah?"."""
    more = r"(?-i:[a-zäöüß]{3,}er)|worse|(?:more|less|mehr|weniger) \w+"
    compares = re.fullmatch(rf"(?:{_BE}) .* (?:{more})", core.text, re.IGNORECASE)
    ends = f"than|als|or|oder|{core.words.prepositions}"  # "went under"
    if core.lang not in ("en", "de") or compares is None or _find(ends, core.text) or _is_time(core.text.split()[-1]):
        return None
    return f"{core.text} {'als' if core.lang == 'de' else 'than'} {_topic_of(last)}"


def _ask_otherwise(asking: str, last: _Asked) -> str:
    """Return the question before with another question word: "Why?" → "Why is the file kept there?"."""
    verbs = last.words.auxiliaries
    rest = last.rest if last.start else last.text[:1].lower() + last.text[1:]
    noun = re.match(rf"(?:[\w'’-]+ ){{1,5}}?(?=(?:{verbs})\s)", rest, re.IGNORECASE) if last.start else None
    rest = rest[noun.end() :] if noun else rest
    return f"{asking} {rest}" if _begins_with(verbs, rest) else f"{last.text}? {asking}"


def _substituted(fragment: _Asked, last: _Asked) -> str:
    """Return the question before with the fragment in the place of what is of its kind, or else at its end."""
    before = _begins_with(fragment.words.prepositions, fragment.text)
    body = fragment.text[before.end() :].strip() if before else fragment.text
    places = _places(before.group() if before else "", body, last)
    at_end = len(last.text), len(last.text), f"{'' if before or _is_time(body) else ','} {fragment.text}"
    start, end, put = next(places, at_end)
    return last.text[:start] + put + last.text[end:]


def _places(before: str, body: str, asked: _Asked) -> Iterator[tuple[int, int, str]]:
    """Yield where a fragment may go, the likeliest first: begin, end, and what is put there."""
    last, words = asked.text, asked.words
    for found in re.finditer(r"[\w.+-]+", last):
        if body and _same_kind(body.split()[-1], found.group()):
            yield *found.span(), body
    ends = rf"(?=,|\s(?:{words.prepositions}|{words.auxiliaries})\s|$)"
    for found in re.finditer(rf"(?<=\s){re.escape(before)} (.+?{ends})", last, re.IGNORECASE) if before else ():
        if not _begins_with(words.asking, found[1]) and _is_time(found[1]) == _is_time(body):
            yield *found.span(), f"{before.casefold()} {body}"
    if before or _is_time(body):
        return
    names, phrases = asked.names, _phrases(asked)
    at, end = _own_place(asked)
    if last[at:end] and not _begins_with(words.determiners, body):
        yield at, end, _with_noun(body, last[at:end].split()[-1], asked.lang)
    if names and body[0].isupper() and (not phrases or asked.lang != "de"):
        yield last.find(names[0]), last.find(names[0]) + len(names[0]), body
    is_verb = re.fullmatch(r"[a-z-]+[a-rt-z]", body) is not None  # "And close?"
    for at, end, phrase in phrases if not is_verb else ():
        yield at, end, _with_noun(body, phrase.split()[-1], asked.lang)
    rest = f"{last[asked.start :]} "
    before_preposition = re.split(rf"(?<=\S)\s(?:{words.prepositions})\s", rest, flags=re.IGNORECASE)[0]
    if not is_verb and (said := _Asked(before_preposition.strip(), asked.lang).content):
        at = last.rfind(said[-1])
        yield at, at + len(said[-1]), _with_noun(body, said[-1], asked.lang)


def _own_place(last: _Asked) -> tuple[int, int]:
    """Return where a question has what it is about without a determiner: "install nginx", "does nginx"."""
    text, words = last.text, last.words
    asker = r"(?:(?:I|we|you|one|people|ich|wir|man|du|sie)(?: have to| need to)? [\w-]+ )?"
    found = re.match(rf"\s?(?:[\w'’-]+ ){{0,5}}?(?:{words.auxiliaries}) {asker}", text[last.start :], re.IGNORECASE)
    at = last.start + found.end() if found else len(text)
    if _begins_with(
        f"{words.determiners}|{words.possessives}|{words.prepositions}|there|I|we|you|ich|wir|man", text[at:]
    ):
        return at, at
    ends = rf"(?: (?:{words.prepositions}|{words.auxiliaries}|{_VERBS}|and|or|to|that|when|if)\b|,|$)"
    several = re.match(rf"[\w'’.+-]+(?: [\w'’.+-]+){{0,2}}?(?={ends})|[\w'’.+-]+", text[at:])
    return at, at + several.end() if several else at


def _with_noun(body: str, noun: str, lang: str) -> str:
    """Return a fragment with the noun that it leaves out: "the bigger one", "den zweiten"."""
    lacks = lang == "de" and body.split()[-1].islower() and noun[:1].isupper()
    lacks = lacks or (lang == "en" and re.fullmatch(r"the (?:\w+est|next|other|best)", body) is not None)
    return f"{body} {noun}" if lacks else re.sub(r"(?<= )ones?$", lambda _: noun, body)


def _resolved(core: _Asked, turn: Turn, last: _Asked) -> str:
    """Return the question with what its words stand for in their place, or behind it in brackets."""
    topic = _stands_for(core, turn, last)
    text = _NOTHING.sub(lambda found: re.sub(r"\b(it|es)\b", r"\1_", found.group(), flags=re.IGNORECASE), core.text)
    if core.lang == "en":
        text = re.sub(r"\b(?:its|their|his|her) (?=\w)", lambda _: f"{topic}'s ", text, count=1, flags=re.IGNORECASE)
    if topic not in text:
        text = re.sub(_PRONOUNS.get(core.lang, "(?!)"), lambda _: topic, text, count=1)
    text = re.sub(r"\b(it|es)_", r"\1", text, flags=re.IGNORECASE)
    if topic not in text:
        return f"{core.text} ({turn.short_answer or last.topic_words})"
    is_named = not last.names or any(name.casefold() in text.casefold() for name in last.names)
    return text if is_named else f"{text} ({last.names[-1]})"


def _stands_for(core: _Asked, turn: Turn, last: _Asked) -> str:
    """Return what a pronoun stands for: what the answer names, or else what the question before is about."""
    asked_who, of_person = _begins_with("who|whom|wer|qui", last.text), _find(_PERSONS, core.text)
    asks = asked_who or _begins_with("which|what|welche[rs]?", last.text)
    if turn.short_answer and asks and bool(asked_who) == bool(of_person):
        return turn.short_answer
    if core.lang == "en" and asked_who and of_person and not _begins_with(_BE, last.rest):
        return f"the person who {last.rest}"
    return _topic_of(last)


def _without_lead(question: str, lang: str) -> _Asked:
    """Return a question without what leads to it, and without "what about"."""
    text, words = _bare(question), words_of(lang)
    has_lead = is_about = False
    while found := re.match(rf"(?:{words.lead})(?:,\s*|\s+)(?=\S)", text, re.IGNORECASE):
        text, has_lead = text[found.end() :].lstrip("¿ "), True
    if found := re.match(rf"(?:{words.about})\s+(?=\S)", text, re.IGNORECASE):
        text, is_about = text[found.end() :], True
    return _Asked(text, lang, has_lead, is_about)


def _is_asking_alone(core: _Asked) -> bool:
    """Return whether a text is nothing but a question word and what belongs to it: "Why?", "By whom?", "How deep?"."""
    words = core.words
    how = rf"(?:{any_of('how', 'en', 'de')}|{any_of('what', 'en')}|{any_of('which', 'en', 'de', 'fr')})"
    asking = rf"{words.asking}|{how} (?!(?:{words.auxiliaries})\b|\w+s$|\w+ed$)[\w-]+"
    return re.fullmatch(rf"(?:(?:{words.prepositions}) )?(?:{asking})", core.text, re.IGNORECASE) is not None


def _is_fragment(core: _Asked) -> bool:
    """Return whether a text is no sentence: it has no question word and no verb before its subject."""
    words = core.words
    if (
        len(core.text.split()) > _FRAGMENT
        or _begins_with(words.asking, core.text)
        or _begins_with(words.auxiliaries, core.text)
    ):
        return False
    return core.has_lead or _begins_with(words.prepositions, core.text) is not None


def _points_back(core: _Asked) -> bool:
    """Return whether a question has a word that stands for something it does not name."""
    words, lang, text = core.words, core.lang, _NOTHING.sub("", core.text)
    back = "|".join(filter(None, (words.pronouns, words.possessives, _BACK.get(lang))))
    if lang == "de":  # "Sie" is polite
        return re.search(rf"(?<![\w-])(?:{back})(?![\w-])", text) is not None
    inverted = rf"^c['’]est\b|^(?:{words.asking}) (?!a-t|y |faut|existe)[\w'’]+(?:-t)?-(?:il|elle)s?\b"  # "Où est-il"
    return bool(_find(back, text) or (lang == "fr" and re.search(inverted, text, re.IGNORECASE)))


def _has_its_own(core: _Asked) -> bool:
    """Return whether a question names before its pronoun what that stands for."""
    before, words = core.before_pronoun, core.words
    own = rf"\b(?:{words.determiners}|{words.possessives}) \S.*(?:,|\b(?:{_JOINS})\b)"
    if re.search(r"[.!?] \S", core.text) or re.search(own, before, re.IGNORECASE):
        return True
    behind = core.text[len(before) :]
    several = _begins_with("they|them|their", behind)
    if several and any(word.endswith("s") and not word.endswith(("ss", "us", "is")) for word in before.split()[1:]):
        return True
    if _begins_with(words.possessives, behind) and not _begins_with(words.auxiliaries, before):
        return _begins_with(words.asking, before) is not None and len(_Asked(before, core.lang).content) > 1
    return any(name in before for name in core.entities)


def _phrases(asked: _Asked) -> list[tuple[int, int, str]]:
    """Return where a question names something with a determiner, and what, in order: "a logo", "the title frame"."""
    words = asked.words
    after = rf"{words.prepositions}|{words.auxiliaries}|{_VERBS}|that|which|who|and|or|to|if|I|you|we"
    named = rf"(?<![\w-])(?:{words.determiners}|{words.possessives})(?: [\w'’.-]+){{1,4}}?(?=,|\s(?:{after})\b|$)"
    found = re.finditer(named, asked.text, re.IGNORECASE)
    return [(*match.span(), match.group()) for match in found if match.start() >= asked.start]


def _bare(question: str) -> str:
    return question.strip().rstrip("?？!. ").lstrip("¿¡ ")


def _find(pattern: str, text: str) -> re.Match[str] | None:
    """Return where whole words of the pattern come first, whatever their case."""
    return re.search(rf"(?<![\w'’-])(?:{pattern})(?![\w'’-])", text, re.IGNORECASE)


def _begins_with(pattern: str, text: str) -> re.Match[str] | None:
    """Return the match of whole words of the pattern at the beginning, whatever their case."""
    return re.match(rf"(?:{pattern})(?![\w'’-])", text, re.IGNORECASE)


def _is_time(phrase: str) -> bool:
    """Return whether a phrase says when: "winter", "2019", "the year after", "public holidays"."""
    return any(_time_kind(part) or part in word_set("times") for part in phrase.casefold().split())


def _same_kind(one: str, other: str) -> bool:
    """Return whether two words are days, or months, or years, other ones."""
    kind = _time_kind(one.casefold())
    return kind != "" and kind == _time_kind(other.casefold()) and one.casefold() != other.casefold()


def _time_kind(word: str) -> str:
    """Return whether a word names a day of the week ("Sundays"), a month or season, or a year; "" for none."""
    if re.fullmatch(r"1\d{3}|20\d\d", word):
        return "year"
    days = word_set("weekdays", "en", "de", "fr", "es", "it") | {"weekend", "wochenende"}
    if word.removesuffix("s") in {day.removesuffix("s") for day in days}:
        return "day"
    months = word_set("months", "en", "de") | word_set("seasons", "en", "de", "fr", "es", "it")
    return "month" if word in months else ""


def questions_in(analysis: Analysis) -> tuple[Analysis, ...]:
    """Return the two questions that are asked, each completed from the other; none where only one is.

    They are two sentences that end in a question mark, or one with a second question word behind "and".
    """
    lang = analysis.lang
    sentences = [analysis.text[start:end] for start, end in sentence_spans(analysis.text)]
    asked = [sentence for sentence in sentences if sentence.endswith(("?", "？"))]
    if len(asked) == 2:
        first, second = asked
    elif found := _second_question(lang).match(analysis.text):  # what comes before "and how much …", and that
        first, second = f"{found[1].rstrip(' ,')}?", found[2]
    else:
        return ()
    lead = re.match(rf"(?:{words_of(lang).lead}) ", second, re.IGNORECASE)
    alone = second[lead.end() :] if lead else second
    if re.fullmatch(rf"(?:{words_of(lang).asking})\W*", first, re.IGNORECASE):  # "When and where …?"
        first = understand(first, [Turn(question=alone)], lang)
    completed = understand(second, [Turn(question=first)], lang)
    return tuple(analyse_question(text, lang) for text in (first, alone if completed == second else completed))


@cache
def _second_question(lang: str) -> re.Pattern[str]:
    """Return the pattern of a text with a question word, or a verb that begins a question, and another behind "and"."""
    words = words_of(lang)
    asking, verb = rf"(?:(?:{words.prepositions}) )?(?:{words.asking})(?!\w)", rf"(?:{words.auxiliaries})(?!\w)"
    first = rf"(?:.*?(?<![\w-]){asking}|(?:.*[.:!] )?{verb})"
    return re.compile(
        rf"({first}.*?)(?: (?=(?:{words.lead}) {asking})|, (?=(?:{words.lead}) {verb}))(.+)", re.IGNORECASE
    )
