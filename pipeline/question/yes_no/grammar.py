"""The words by which yes/no questions and their statements are read in French, Spanish, Italian, Portuguese and Dutch.

In German those about the asker: "Darf ich …?".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pipeline.question.answer_forms import MONTHS

Words = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Grammar:
    """The words of one language, in small letters."""

    #: beginning of a question about the asker or anyone → beginnings of its statement: "puis-je" → "vous pouvez". What
    #: may be said of another thing ("puede", "Sie können") is none
    beginnings: Mapping[Words, tuple[Words, ...]]
    #: words with which the question is about an unknown thing, a choice, or a time or place that is not said
    open: frozenset[str]
    verbs: frozenset[str] = frozenset()  #: with which a question begins, or which show that a statement is asked
    past: frozenset[str] = frozenset()  #: those of them in the past
    been: frozenset[str] = frozenset()  #: after a verb: in the past, too
    #: verbs whose subject may follow what is said of it: "¿Está abierto el museo?"
    copulas: frozenset[str] = frozenset()
    asks: frozenset[str] = frozenset()  #: question words, also as part of a word with an apostrophe: "d'où", "cos'è"
    requests: re.Pattern[str] | None = None  #: somebody is asked to tell something: "Mi può dire …?"
    joins: frozenset[str] = frozenset()  #: words that ask or begin a clause: what has one is no statement that is asked
    pronouns: frozenset[str] = frozenset()  #: articles that stand for an unknown thing directly before a verb
    infinitive: re.Pattern[str] | None = None  #: a verb that may stand behind one
    attached: re.Pattern[str] | None = None  #: a word with a pronoun attached
    added: re.Pattern[str] | None = None  #: a place, a date or a person, in names and numbers


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _beginnings(by_question: Mapping[str, str]) -> dict[Words, tuple[Words, ...]]:
    """Return the beginnings of statements by those of questions, from both with "|" between them."""
    return {
        tuple(asked.split()): tuple(tuple(said.split()) for said in all_said.split("|"))
        for all_asked, all_said in by_question.items()
        for asked in all_asked.split("|")
    }


def added_names(before: str, inside: str) -> re.Pattern[str]:
    """Match names and numbers with a word ``before`` them; words ``inside`` join them.

    What matched is never tried otherwise: the time is linear in any page's sentence.
    """
    name = rf"(?:[A-ZÀ-ÖØ-Þ\d][\w’'.-]*+|{inside})(?!\w)"
    first = rf",? (?:{before}){name}"
    return re.compile(rf"(?:{first}(?:{first}|[ ,]{name})*+)?")


def _added(lang: str, before: str, inside: str) -> re.Pattern[str]:
    return added_names(before, rf"{MONTHS[lang]}|{inside}")


GRAMMARS: Final = {
    "de": Grammar(
        beginnings=_beginnings(
            {
                "kann ich": "du kannst|man kann",
                "darf ich": "du darfst|man darf",
                "muss ich": "du musst|man muss",
                "soll ich": "du sollst|man soll",
                "sollte ich": "du solltest|man sollte",
            }
        ),
        open=_set(
            """oder er sie es dies das diese dieser dieses diesen diesem ich wir mich uns mir mein meine meinen meinem
            meiner unser unsere unseren ihr ihre sein seine nicht kein keine keinen nie nur fast heute jetzt hier"""
        ),
        pronouns=_set("die der den dem"),
        infinitive=re.compile(r"\w+e?n"),
    ),
    "fr": Grammar(
        beginnings=_beginnings(
            {
                "puis-je|je peux|peut-on|on peut": "vous pouvez|tu peux|on peut",
                "pouvons-nous|nous pouvons": "vous pouvez|on peut",
                "dois-je|je dois|doit-on|on doit": "vous devez|tu dois|on doit|il faut",
                "devons-nous|nous devons": "vous devez|on doit|il faut",
                "faut-il|il faut": "il faut",
            }
        ),
        open=_set(
            """ou il elle ils elles on lui eux leur leurs y ce cet cette ces cela ça ceci celui celle ceux celles je tu
            nous vous me te se mon ma mes ton ta tes son sa ses notre nos votre vos ne pas jamais aucun aucune rien
            seulement uniquement presque aujourd'hui maintenant ici là"""
        ),
        verbs=_set(
            """est sont était étaient fut furent sera seront a ont avait avaient peut peuvent pouvait pouvaient doit
            doivent devait devaient va vont"""
        ),
        past=_set("était étaient fut furent avait avaient pouvait pouvaient devait devaient"),
        been=_set("été"),
        asks=_set(
            """quand où comment combien pourquoi quel quelle quels quelles quoi lequel laquelle lesquels lesquelles
            auquel auxquels auxquelles duquel desquels desquelles"""
        ),
        requests=re.compile(r"\b(?:me|nous) dire\b"),
        joins=_set("que qui dont si"),
        pronouns=_set("le la les en"),
        infinitive=re.compile(r"\w+(?:er|ir|re)"),
        attached=re.compile(r"(?:[jmtsnc]|qu)'\w+|l'\w+(?:er|ir|re)"),
        added=_added("fr", r"(?:en|à|au|aux|par|près de|dans) (?:la |le |les |l['’])?|le ", "de|du|des|la|le"),
    ),
    "es": Grammar(
        beginnings=_beginnings(
            {
                "puedo|se puede": "puedes|usted puede|se puede",
                "podemos": "podéis|se puede",
                "debo|se debe": "debes|usted debe|se debe",
                "tengo que|hay que": "tienes que|usted tiene que|hay que",
            }
        ),
        open=_set(
            """o u él ella ellos ellas ello lo le les se esto eso este esta estos estas ese esa esos esas yo tú usted
            ustedes nosotros mi mis tu tus su sus me te nos no ni nunca jamás ningún ninguna solo sólo solamente casi
            hoy ahora aquí allí"""
        ),
        verbs=_set(
            """es son era eran fue fueron será serán está están estaba estaban estuvo ha han había habían tiene tienen
            tenía tenían puede pueden podía podían debe deben debía debían hay hubo existe existen"""
        ),
        past=_set("era eran fue fueron estaba estaban estuvo había habían tenía tenían podía podían debía debían hubo"),
        been=_set("sido"),
        copulas=_set("es son era eran fue fueron será serán está están estaba estaban estuvo"),
        asks=_set(
            """qué cuál cuáles quién quiénes cuándo dónde adónde cómo cuánto cuánta cuántos cuántas"""
        ),
        requests=re.compile(r"\b(?:me|nos) \w+ decir\b|\bdecir(?:me|nos)\b"),
        joins=_set(
            """que cual cuales quien quienes cuando donde adonde como cuanto cuanta cuantos cuantas si"""
        ),
        pronouns=_set("la las los"),
        attached=re.compile(r"(?:\w{2,}[aei]r|dar|ver|ser|\w+[áé]ndo)(?:l[aoe]s?|[mts]e|nos)"),
        added=_added("es", "(?:en|por|cerca de) (?:el |la |los |las )?|el ", "del?|la"),
    ),
    "it": Grammar(
        beginnings=_beginnings(
            {
                "posso|si può": "puoi|potete|si può",
                "possiamo": "potete|si può",
                "devo|si deve|bisogna": "devi|dovete|si deve|bisogna",
                "dobbiamo": "dovete|si deve|bisogna",
            }
        ),
        open=_set(
            """o oppure lui lei esso essa loro questo questa questi queste quello quella quelli quelle ciò io tu noi voi
            mi ti ci vi si ne mio mia miei mie tuo tua tuoi tue suo sua suoi sue nostro nostra nostri nostre vostro
            vostra non né mai nessun nessuno nessuna solo soltanto quasi oggi adesso qui lì"""
        ),
        verbs=_set(
            """è sono era erano fu furono sarà saranno ha hanno aveva avevano può possono poteva potevano deve devono
            doveva dovevano viene vengono venne vennero c'è c'era"""
        ),
        past=_set("era erano fu furono aveva avevano poteva potevano doveva dovevano venne vennero c'era"),
        been=_set("stato stata stati state"),
        copulas=_set("è sono era erano fu furono sarà saranno"),
        asks=_set(
            """chi cosa cos come com dove dov quando quand quanto quanta quanti quante quant quale quali qual perché"""
        ),
        requests=re.compile(r"\b(?:mi|ci) \w+ dire\b|\bdir(?:mi|ci)\b"),
        joins=_set("che se"),
        pronouns=_set("la le li lo gli"),
        attached=re.compile(r"(?:\w{2,}[aei]r|far|dar|dir|\w+[ae]ndo)(?:l[aoie]|gli|ne|ci|vi|mi|ti|si)"),
        added=_added("it", r"(?:in|nel|nella|ad?|dal?|dalla|il|presso) |dall['’]", "di|del|della|da"),
    ),
    "pt": Grammar(
        beginnings=_beginnings(
            {
                "posso|pode-se|se pode": "podes|você pode|pode-se|se pode",
                "podemos": "vocês podem|pode-se|se pode",
                "devo|deve-se": "deves|você deve|deve-se",
                "tenho de|tenho que|é preciso": "tens de|tens que|você tem de|você tem que|é preciso",
            }
        ),
        open=_set(
            """ou ele ela eles elas isto isso aquilo este esta estes estas esse essa esses essas aquele aquela dele dela
            deles delas nele nela eu tu você vocês nós me te se lhe lhes meu minha meus minhas teu tua seu sua seus suas
            nosso nossa não nem nunca jamais nenhum nenhuma só somente apenas quase hoje agora aqui ali"""
        ),
        verbs=_set(
            """é são era eram foi foram será serão está estão estava estavam esteve tem têm tinha tinham pode podem
            podia podiam deve devem devia deviam há havia houve existe existem"""
        ),
        past=_set("era eram foi foram estava estavam esteve tinha tinham podia podiam devia deviam havia houve"),
        been=_set("sido"),
        copulas=_set("é são era eram foi foram será serão está estão estava estavam esteve"),
        asks=_set("quê quem qual quais quando onde aonde como quanto quanta quantos quantas porque porquê"),
        requests=re.compile(r"\b(?:me|nos)(?: \w+)? dizer\b|\bdizer-(?:me|nos)\b"),
        joins=_set("que se"),
        pronouns=_set("o a os as"),
        infinitive=re.compile(r"\w+[aei]r"),
        attached=re.compile(r"\w+-(?:[ln]?[oa]s?|me|te|se|lhes?)"),
        added=_added("pt", "(?:em|n[oa]|por|pel[oa]|perto de) (?:o |a )?|a ", "d[eoa]"),
    ),
    "nl": Grammar(
        beginnings=_beginnings(
            {
                "kan ik|kan men|kunnen we": "je kunt|je kan|u kunt|u kan|men kan",
                "mag ik|mag men|mogen we": "je mag|u mag|men mag",
                "moet ik|moet men|moeten we": "je moet|u moet|men moet",
            }
        ),
        open=_set(
            """of hij zij ze hem haar hen hun het dit dat deze die ik je jij jou jouw u uw wij we ons onze mij me mijn
            zijn niet geen nooit alleen slechts bijna vandaag nu hier daar"""
        ),
        verbs=_set(
            """is zijn was waren heeft hebben had hadden kan kunnen kon konden mag mogen moet moeten zal zullen zou
            zouden wordt worden werd werden"""
        ),
        past=_set("was waren had hadden kon konden werd werden"),
        asks=_set("wat wie waar waarom waarheen waarmee wanneer hoe hoeveel welk welke"),
        added=_added("nl", "(?:in|op|te|bij|door|aan) (?:de |het )?", "van|de|der"),
    ),
}  # fmt: skip
