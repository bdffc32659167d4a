"""Find the words of a text that match a word of a question: its inflections, derivations and general synonyms.

The table has general words only, no topic's vocabulary. A related word counts less than the word itself. A word without
any related one is taken as misspelled when the text has a word spelled nearly so.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import SequenceMatcher
from functools import cache
from itertools import takewhile

from text.analyser import analyse

#: the weights of a derivation (generation, generator) and a synonym (annual, yearly)
DERIVED, SYNONYM = 0.8, 0.7
#: the weight of a word spelled nearly like the question's (Moncalm, Montcalm), the least length of both, and their
#: least similarity (the share of letters in common)
MISSPELLED = 0.6
_SPELLED_CHARS, _SPELLED_ALIKE = 5, 0.85
#: two forms of a word share at least so many first letters, and at least this share of the longer form
_STEM_CHARS, _STEM_SHARE = 4, 0.6

_GROUPS: dict[str, str] = {
    "en": """
    annual yearly year/ answer reply respond response/ argument parameter/ arrive come reach/ author write writer
    wrote written/ begin start commence open launch began begun first/ big large huge great/ born birth/ build built
    construct erect make made create/ buy purchase acquire/ call name title term known/ car automobile/ cause reason
    because lead led due why/ change alter modify/ convert serialize encode transform translate turn/ choose select
    pick appoint chose chosen/ city town/ collect gather/ cost price fee charge pay paid fare tariff/ country
    nation/ create make produce generate generation yield output production/ danger dangerous risk unsafe hazard/
    delete remove erase/ depth deep/ die death dead kill killed died/ directory folder/ discover find found locate
    detect/ distance far/ doctor physician/ effect result outcome consequence/ electricity electric electrical power
    energy/ employ use using usage/ end finish stop terminate halt close exit/ error exception failure fail/ exist
    be/ factor cause/ fast quick rapid speed velocity/ fight battle war conflict/ film movie/ fix repair mend/
    function method routine/ give provide supply offer/ grow increase rise rose grew/ guarantee ensure/ hide hidden
    invisible echo/ happen occur take/ height high tall/ help assist aid/ hit strike struck/ house home live lived
    dwell reside inhabit/ illness disease sick ill/ important main chief major key/ inhabitant population people
    person resident/ invent develop design devise/ job occupation profession work/ join merge combine/ keep hold
    retain store save/ kind type sort/ land ground/ language tongue/ last final latest/ law statute act/ leader head
    chief/ length long/ locate location place situated site/ lose lost defeat beat win won victory winner/ low small
    little/ maximum most highest greatest largest strongest top record/ mean define definition meaning/ minimum
    least lowest smallest/ money fund finance/ move go travel went/ need require must necessary/ number count total
    amount many quantity/ object thing/ old age ancient year/ own possess belong/ part section portion/ percentage
    percent proportion share/ permission allow permit let/ price cost/ prevent avoid stop/ print display show
    output/ purpose aim goal function use/ put set place/ quit exit leave/ raise throw/ random arbitrary/ unpack
    extract decompress/ read parse load/ receive get obtain got gain retrieve return/ rescue save saved survive/
    return give gives/ rich wealthy/ rule govern reign/ run execute launch/ safe secure safety security/ say state
    tell said claim/ see view look/ send sent transmit/ separate split divide/ ship boat vessel/ sort order arrange/
    spouse wife husband marry married/ street road route path/ string text str/ study research/ succeed successor
    follow/ teach instruct train/ temperature warm hot cold/ try attempt/ weight weigh heavy/ width wide/ worker
    employee staff/ wrong incorrect invalid/ young age/ loud noisy noise sound quiet silent/ retry repeat again/
    postpone delay defer move/ vacation holiday leave/ refund reimburse repay back/ expire lapse valid validity/
    cancel revoke terminate withdraw/ phone telephone/ setup install/ uninstall remove/ laptop notebook/
    ship deliver delivery shipping/ kid child/ photo picture image/ bicycle bike/ backup snapshot
    """,
    "de": """
    anfangen beginnen starten/ anzeigen zeigen darstellen/ anzahl viele zahl menge/ bauen errichten erbauen gebaut
    erbaut errichtet/ bekommen erhalten/ beruf arbeit tätigkeit/ bevölkerung einwohner menschen/ eröffnen eröffnet
    gründen gegründet/ fehler störung/ finden entdecken gefunden entdeckt/ folge auswirkung ergebnis/ führer leiter
    chef/ geboren geburt/ gesetz vorschrift/ größe groß/ grund ursache weil warum/ höhe hoch/ jahr jährlich/
    kaufen erwerben/ kosten kostet preis gebühr euro pfund betrag/ krankheit erkrankung/ krieg konflikt schlacht/
    land staat nation/ länge lang/ löschen entfernen/ machen herstellen erstellen erzeugen produzieren/ nennen heißen
    bezeichnen genannt/ ort stelle platz/ prozent anteil/ schreiben schrieb verfasst verfassen autor/ sieg siegen
    gewinnen gewann gewonnen/ stadt ort/ sterben tod gestorben starb tot/ tief tiefe/ übernachten nacht/ zimmer raum/
    verwenden benutzen nutzen einsatz/ weg strecke/ ziel zweck/ umziehen umzug umgezogen/ offen geöffnet öffnungszeiten/
    verlieren verloren verlust/ heiraten hochzeit trauung trauen traut/ kostenlos gratis umsonst/ telefon anrufen
    telefonnummer/ abholen abholung abgeholt leeren geleert/ fahrrad rad/ urlaub ferien/ rechner computer
    """,
}


#: English verbs whose forms share no stem, each with its past and participle; they count as derivations
_IRREGULAR = """
    break broke broken/ bring brought/ buy bought/ catch caught/ come came/ draw drew drawn/ drive drove driven/ eat ate
    eaten/ fall fell fallen/ feed fed/ feel felt/ fight fought/ find found/ fly flew flown/ forget forgot forgotten/
    freeze froze frozen/ get got/ give gave given/ go went gone/ grow grew grown/ hang hung/ hear heard/ hold held/
    keep kept/ know knew known/ lay laid/ lead led/ leave left/ lend lent/ lose lost/ make made/ mean meant/ meet met/
    pay paid/ ride rode ridden/ ring rang rung/ rise rose risen/ run ran/ say said/ see saw seen/ sell sold/ send sent/
    shake shook shaken/ shine shone/ shoot shot/ sing sang sung/ sink sank sunk/ sit sat/ sleep slept/ speak spoke
    spoken/ spend spent/ stand stood/ steal stole stolen/ swim swam swum/ take took taken/ teach taught/ tell told/
    think thought/ throw threw thrown/ wear wore worn/ win won/ write wrote written
"""

#: irregular English verb → its past
IRREGULAR_PASTS = {forms[0]: forms[1] for forms in map(str.split, _IRREGULAR.split("/"))}


def find_related(terms: Collection[str], vocabulary: Collection[str], lang: str) -> dict[str, dict[str, float]]:
    """Return for each term of the question the matching terms of ``vocabulary``, with their weights in (0, 1]."""
    synonyms = _synonyms(lang)
    # only words with the same beginning can be derivations: few of the vocabulary are compared
    by_start: dict[str, list[str]] = {term[:_STEM_CHARS]: [] for term in terms}
    for other in vocabulary:
        if (start := other[:_STEM_CHARS]) in by_start:
            by_start[start].append(other)
    found: dict[str, dict[str, float]] = {}
    for term in terms:
        same = synonyms.get(term, frozenset())
        near = {*by_start[term[:_STEM_CHARS]], *(other for other in same if other in vocabulary)}
        counts = {other: _counts(term, other, same) for other in near}
        found[term] = {other: count for other, count in counts.items() if count} or _spelled_like(term, vocabulary)
    return found


def best_weight(related_terms: Mapping[str, float], terms: Collection[str]) -> float:
    """Return the highest weight in ``related_terms`` of one of ``terms``; 0 for none."""
    return max((count for other, count in related_terms.items() if other in terms), default=0.0)


def _counts(term: str, other: str, synonyms: Collection[str]) -> float:
    if term == other:
        return 1.0
    if _derived(term, other) or other in _irregular().get(term, ()):
        return DERIVED
    return SYNONYM if other in synonyms else 0.0


def _spelled_like(term: str, vocabulary: Collection[str]) -> dict[str, float]:
    """Return the words with the first letter of ``term`` and nearly its other letters."""
    if len(term) < _SPELLED_CHARS or not term.isalpha():
        return {}
    near = (other for other in vocabulary if other[0] == term[0] and abs(len(other) - len(term)) <= 2)
    return {other: MISSPELLED for other in near if len(other) >= _SPELLED_CHARS and _alike(term, other)}


def _alike(one: str, other: str) -> bool:
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _SPELLED_ALIKE


def _derived(one: str, other: str) -> bool:
    """Return whether two stems belong to one word: generat and generator, pars and parser."""
    if one[:_STEM_CHARS] != other[:_STEM_CHARS] or not (one.isalpha() and other.isalpha()):
        return False
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    return shared >= _STEM_SHARE * max(len(one), len(other)) and shared >= min(len(one), len(other)) - 2


@cache
def _irregular() -> dict[str, frozenset[str]]:
    return _groups(_IRREGULAR, "en")


@cache
def _synonyms(lang: str) -> dict[str, frozenset[str]]:
    both = f"{_GROUPS['en']}/{_IRREGULAR}" if lang == "en" else _GROUPS.get(lang, "")
    return _groups(both, lang)


def _groups(groups: str, lang: str) -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for group in groups.split("/"):
        terms = frozenset(analyse(group, lang))
        for term in terms:
            table[term] = table.get(term, frozenset()) | terms
    return table
