"""Test yes/no questions in French, Spanish, Italian, Portuguese and Dutch, and German ones about the asker."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.question.analysis import analyse_question
from pipeline.question.yes_no import answers_yes_no, is_yes_no, leading_yes_no, yes_no_word
from pipeline.question.yes_no.grammar import grammar_of
from tests.tables import each_row
from text.languages import LANGUAGES


def said(lang: str, question: str, sentence: str, *, before: str = "", after: str = "", title: str = "") -> str:
    text = f"{before}{sentence}{after}"
    start = len(before)
    return answers_yes_no(analyse_question(question, lang), text, start, start + len(sentence), title=title)


FRENCH = "La tour de Vierburg a-t-elle été construite en 1874 ?"
SPANISH = "¿Fue construida la torre de Vierburg en 1874?"
ITALIAN = "La torre di Vierburg è stata costruita nel 1874?"
PORTUGUESE = "A torre de Vierburg foi construída em 1874?"
DUTCH = "Werd Vierburg in 1200 gesticht?"


@each_row(
    ("lang", "question", "sentence", "expected"),
    [
        ("de", "Kann ich Celery mit Redis verwenden?", "Du kannst Celery mit Redis verwenden.", "yes"),
        ("de", "Kann ich Celery mit Redis verwenden?", "Man kann Celery nicht mit Redis verwenden.", "no"),
        ("de", "Darf ich den Turm besteigen?", "Man darf den Turm nicht besteigen.", "no"),
        ("de", "Wurde Vierburg 1200 gegründet?", "Vierburg wurde 1200 gegründet von dem Tallis von Ada.", "yes"),
        ("fr", FRENCH, "La tour de Vierburg a été construite en 1874.", "yes"),
        ("fr", FRENCH, "La tour de Vierburg a été construite en 1874 par Robert Tallis.", "yes"),
        ("fr", FRENCH, "La tour de Vierburg a été construite en 1874, le 3 mai.", "yes"),
        ("fr", FRENCH, "La tour de Vierburg a été construite en 1874 à Lyon, près de la Rochelle.", "yes"),
        ("fr", FRENCH, "La tour de Vierburg n’a pas été construite en 1874.", "no"),
        ("fr", "Est-ce que Celery peut lire la base ?", "Celery peut lire la base.", "yes"),
        ("fr", "Est-ce que Vierburg est une ville ?", "Vierburg n'est pas une ville.", "no"),
        ("fr", "Celery fonctionne-t-il sous Windows ?", "Celery fonctionne sous Windows.", "yes"),
        ("fr", "Celery fonctionne-t-il sous Windows ?", "Celery ne fonctionne pas sous Windows.", "no"),
        ("fr", "Y a-t-il un phare à Vierburg ?", "Il y a un phare à Vierburg.", "yes"),
        ("fr", "Est-ce qu’il y a un phare à Vierburg ?", "Il n’y a pas de phare à Vierburg.", "no"),
        ("fr", "Puis-je utiliser Celery avec Redis ?", "Vous pouvez utiliser Celery avec Redis.", "yes"),
        ("fr", "Est-ce que je peux utiliser Celery avec Redis ?", "On ne peut pas utiliser Celery avec Redis.", "no"),
        ("fr", "Faut-il payer à Vierburg ?", "Il faut payer à Vierburg.", "yes"),
        ("es", SPANISH, "La torre de Vierburg fue construida en 1874.", "yes"),
        ("es", SPANISH, "La torre de Vierburg fue construida en 1874 por Robert Tallis.", "yes"),
        ("es", SPANISH, "La torre de Vierburg fue construida en 1874, el 3 de mayo.", "yes"),
        ("es", SPANISH, "La torre de Vierburg no fue construida en 1874.", "no"),
        ("es", "¿La torre de Vierburg fue construida en 1874?", "La torre de Vierburg fue construida en 1874.", "yes"),
        ("es", "¿Está abierto el museo de Vierburg?", "El museo de Vierburg no está abierto.", "no"),
        ("es", "¿Es Vierburg una ciudad?", "Vierburg es una ciudad.", "yes"),
        ("es", "¿Hay un faro en Vierburg?", "En Vierburg hay un faro.", ""),  # in other order
        ("es", "¿Hay un faro en Vierburg?", "Hay un faro en Vierburg.", "yes"),
        ("es", "¿Puedo usar Celery con Redis?", "Puedes usar Celery con Redis.", "yes"),
        ("es", "¿Se puede usar Celery con Redis?", "No se puede usar Celery con Redis.", "no"),
        ("es", "¿Tengo que pagar en Vierburg?", "No hay que pagar en Vierburg.", "no"),
        ("it", ITALIAN, "La torre di Vierburg è stata costruita nel 1874.", "yes"),
        ("it", ITALIAN, "La torre di Vierburg è stata costruita nel 1874 da Robert Tallis.", "yes"),
        ("it", ITALIAN, "La torre di Vierburg non è stata costruita nel 1874.", "no"),
        (
            "it",
            "È stata costruita la torre di Vierburg nel 1874?",
            "La torre di Vierburg è stata costruita nel 1874.",
            "yes",
        ),
        ("it", "È aperto il museo di Vierburg?", "Il museo di Vierburg è aperto.", "yes"),
        ("it", "C’è un faro a Vierburg?", "A Vierburg non c’è un faro.", ""),  # in other order
        ("it", "C’è un faro a Vierburg?", "C’è un faro a Vierburg.", "yes"),
        ("it", "Posso usare Celery con Redis?", "Puoi usare Celery con Redis.", "yes"),
        ("it", "Posso usare Celery con Redis?", "Non si può usare Celery con Redis.", "no"),
        ("pt", PORTUGUESE, "A torre de Vierburg foi construída em 1874.", "yes"),
        ("pt", PORTUGUESE, "A torre de Vierburg foi construída em 1874 por Robert Tallis.", "yes"),
        ("pt", PORTUGUESE, "A torre de Vierburg não foi construída em 1874.", "no"),
        ("pt", "Está aberto o museu de Vierburg?", "O museu de Vierburg está aberto.", "yes"),
        ("pt", "Posso usar Celery com Redis?", "Você pode usar Celery com Redis.", "yes"),
        ("pt", "Posso usar Celery com Redis?", "Não se pode usar Celery com Redis.", "no"),
        ("nl", DUTCH, "Vierburg werd in 1200 gesticht.", "yes"),
        ("nl", DUTCH, "Vierburg werd in 1200 gesticht door Robert Tallis.", "yes"),
        ("nl", DUTCH, "Vierburg werd niet in 1200 gesticht.", "no"),
        ("nl", "Is Vierburg een stad?", "Vierburg is geen stad.", "no"),
        ("nl", "Is er een vuurtoren in Vierburg?", "Er is een vuurtoren in Vierburg.", "yes"),
        ("nl", "Kan ik Celery met Redis gebruiken?", "Je kunt Celery met Redis gebruiken.", "yes"),
        ("nl", "Mag ik de toren beklimmen?", "Men mag de toren niet beklimmen.", "no"),
    ],
)
def test_sentence_that_says_or_denies_the_question_settles_it(
    lang: str, question: str, sentence: str, expected: str
) -> None:
    assert said(lang, question, sentence) == expected


@each_row(
    ("lang", "question", "sentence"),
    [
        # another year, a part, somebody's word, a condition, a question
        ("fr", FRENCH, "La tour de Vierburg a été construite en 1880."),
        ("fr", FRENCH, "La tour de Vierburg a été construite en 1874 en partie."),
        ("fr", FRENCH, "La tour de Vierburg a été construite en 1874, dit-on."),
        ("fr", FRENCH, "La tour de Vierburg n’a pas été construite en 1874 par Ada."),
        ("es", SPANISH, "La torre de Vierburg fue construida en 1880."),
        ("es", SPANISH, "La torre de Vierburg fue construida en 1874, según algunos."),
        ("es", SPANISH, "Si la torre de Vierburg fue construida en 1874."),
        ("es", SPANISH, "¿Fue construida la torre de Vierburg en 1874?"),
        ("it", ITALIAN, "La torre di Vierburg è stata costruita nel 1874 solo in parte."),
        ("it", ITALIAN, "Forse la torre di Vierburg è stata costruita nel 1874."),
        ("pt", PORTUGUESE, "A torre de Vierburg foi construída em 1874 em parte."),
        ("pt", PORTUGUESE, "Talvez a torre de Vierburg foi construída em 1874."),
        ("nl", DUTCH, "Vierburg werd in 1200 gesticht, zegt men."),
        ("nl", DUTCH, "Misschien werd Vierburg in 1200 gesticht."),
        # in the present nothing may be added
        ("fr", "Le port de Vierburg est-il ouvert ?", "Le port de Vierburg est ouvert en juillet."),
        ("es", "¿Está abierto el puerto de Vierburg?", "El puerto de Vierburg está abierto en julio."),
        ("it", "È aperto il porto di Vierburg?", "Il porto di Vierburg è aperto a luglio."),
        ("pt", "Está aberto o porto de Vierburg?", "O porto de Vierburg está aberto em julho."),
        ("nl", "Is Vierburg open?", "Vierburg is open in juli."),
        # which?
        ("fr", "La boutique est-elle ouverte ?", "La boutique est ouverte."),
        ("fr", "Est-elle ouverte à Vierburg ?", "Elle est ouverte à Vierburg."),
        ("es", "¿Está abierta la tienda?", "La tienda está abierta."),
        ("it", "È aperto il negozio?", "Il negozio è aperto."),
        ("pt", "A loja está aberta?", "A loja está aberta."),
        ("nl", "Is de winkel open?", "De winkel is open."),
        ("nl", "Is het open in Vierburg?", "Het is open in Vierburg."),
        # a pronoun stands for an unknown thing
        ("de", "Darf ich die benutzen?", "Man darf die benutzen."),
        ("fr", "Puis-je la visiter ?", "On peut la visiter."),
        ("fr", "Puis-je l’ouvrir avec Celery ?", "On peut l’ouvrir avec Celery."),
        ("fr", "Celery la contient-il toujours ?", "Celery la contient toujours."),
        ("es", "¿Puedo visitarla en Vierburg?", "Puedes visitarla en Vierburg."),
        ("it", "Posso visitarla a Vierburg?", "Puoi visitarla a Vierburg."),
        ("pt", "Posso visitá-la em Vierburg?", "Podes visitá-la em Vierburg."),
        ("pt", "Posso a visitar em Vierburg?", "Podes a visitar em Vierburg."),
        ("nl", "Kan ik het gebruiken?", "Je kunt het gebruiken."),
        # it may be said of something else: "they", "it"
        ("de", "Darf ich den Turm besteigen?", "Sie dürfen den Turm besteigen."),
        ("es", "¿Puedo usar Celery con Redis?", "Puede usar Celery con Redis."),
        ("it", "Posso usare Celery con Redis?", "Può usare Celery con Redis."),
        ("pt", "Posso usar Celery com Redis?", "Pode usar Celery com Redis."),
        # who has whom?
        ("es", "¿Tiene Ada Vierburg?", "Vierburg tiene Ada."),
        # a choice, a negated question
        ("fr", "Vierburg est-elle une ville ou un village ?", "Vierburg est une ville ou un village."),
        ("es", "¿Es Vierburg una ciudad o un pueblo?", "Vierburg es una ciudad o un pueblo."),
        ("it", "Vierburg non è una città?", "Vierburg non è una città."),
        ("pt", "Vierburg não é uma cidade?", "Vierburg não é uma cidade."),
        ("nl", "Is Vierburg geen stad?", "Vierburg is geen stad."),
    ],
)
def test_doubt_leaves_it_unsettled(lang: str, question: str, sentence: str) -> None:
    assert said(lang, question, sentence) == ""


@each_row(
    ("lang", "question"),
    [
        ("fr", "Qu’est-ce que Vierburg ?"),
        ("fr", "Que peut-on visiter à Vierburg ?"),
        ("fr", "Quand la porte est-elle ouverte ?"),
        ("fr", "À quelle heure le musée est-il ouvert ?"),
        ("fr", "D’où vient-il ?"),
        ("fr", "Jusqu’où le phare est-il visible ?"),
        ("fr", "Auquel des deux phares Tallis a-t-il travaillé ?"),
        ("fr", "Est-ce que vous pouvez me dire la hauteur de la tour ?"),
        ("es", "¿A qué hora está abierto el museo?"),
        ("es", "De que color es la torre?"),
        ("es", "Cuando es la feria de Vierburg?"),
        ("es", "¿Me puede decir la altura de la torre?"),
        ("es", "¿Puede decirme la altura de la torre?"),
        ("it", "Di che colore è la torre?"),
        ("it", "La torre fu costruita da chi?"),
        ("it", "Qual'è l'anno in cui la torre è stata costruita?"),
        ("it", "Quand’è aperta la torre?"),
        ("it", "Quant'è alta la torre che è a Vierburg?"),
        ("it", "Di cos'altro è fatta la torre?"),
        ("it", "Mi può dire l'altezza della torre?"),
        ("it", "Può dirmi l'altezza della torre?"),
        ("it", "La torre di Vierburg?"),
        ("pt", "O que é a torre?"),
        ("pt", "A que horas está aberto o museu?"),
        ("pt", "Pode dizer-me a altura da torre?"),
        ("pt", "Você pode me dizer a altura da torre?"),
        ("nl", "Kan ik weten wanneer het museum open is?"),
        ("nl", "De toren is hoe hoog?"),
        ("pl", "Czy Vierburg jest miastem?"),
    ],
)
def test_other_question_is_no_yes_no_question(lang: str, question: str) -> None:
    assert not is_yes_no(analyse_question(question, lang))


@each_row(
    ("lang", "question", "sentence", "around"),
    [
        ("fr", FRENCH, "La tour de Vierburg a été construite en 1874.", {"title": "Dix idées reçues"}),
        ("fr", FRENCH, "La tour de Vierburg a été construite en 1874.", {"after": " Mais c’est faux."}),
        ("es", SPANISH, "La torre de Vierburg fue construida en 1874.", {"before": "Un rumor. "}),
        ("es", SPANISH, "La torre de Vierburg fue construida en 1874.", {"after": " Sin embargo, no es cierto."}),
        ("it", ITALIAN, "La torre di Vierburg è stata costruita nel 1874.", {"title": "Una leggenda"}),
        ("it", ITALIAN, "La torre di Vierburg è stata costruita nel 1874.", {"after": " In realtà è più antica."}),
        ("pt", PORTUGUESE, "A torre de Vierburg foi construída em 1874.", {"before": "Muitos creem: "}),
        ("pt", PORTUGUESE, "A torre de Vierburg foi construída em 1874.", {"after": " Na verdade, é mais antiga."}),
        ("nl", DUTCH, "Vierburg werd in 1200 gesticht.", {"before": "Een misverstand. "}),
        ("nl", DUTCH, "Vierburg werd in 1200 gesticht.", {"after": " Dat klopt niet."}),
    ],
)
def test_sentence_that_its_page_takes_back_or_quotes_settles_nothing(
    lang: str, question: str, sentence: str, around: dict[str, str]
) -> None:
    assert said(lang, question, sentence) == "yes"
    assert said(lang, question, sentence, **around) == ""


@each_row(
    ("lang", "question", "statement", "repeated"),
    [
        ("en", "Was Vierburg founded in 1200?", "Vierburg was founded in 1200", " in A"),
        ("en", "Was Vierburg founded in 1200?", "Vierburg was founded in 1200 in ", "A"),
        ("de", "Wurde Vierburg 1200 gegründet?", "Vierburg wurde 1200 gegründet", " von"),
        ("fr", FRENCH, "La tour de Vierburg a été construite en 1874", ", en A"),
        ("fr", FRENCH, "La tour de Vierburg a été construite en 1874", " en la A"),
        ("es", SPANISH, "La torre de Vierburg fue construida en 1874", " en la A"),
        ("it", ITALIAN, "La torre di Vierburg è stata costruita nel 1874", ", da A"),
        ("pt", PORTUGUESE, "A torre de Vierburg foi construída em 1874", " em A"),
        ("nl", DUTCH, "Vierburg werd in 1200 gesticht", " van A door"),
    ],
)
def test_many_places_in_a_sentence_do_not_hold_it_up(lang: str, question: str, statement: str, repeated: str) -> None:
    assert said(lang, question, f"{statement}{repeated * 2_000} x.") == ""


def test_long_question_settles_nothing() -> None:
    words = " ".join(f"woord{at}" for at in range(300))
    assert said("nl", f"Is Vierburg {words}?", f"Vierburg is {words}.") == ""


def test_every_language_of_the_phrases_has_a_yes_and_a_no() -> None:
    assert len({yes_no_word("yes", lang) for lang in LANGUAGES}) == 10  # German and Dutch share theirs
    assert [yes_no_word("no", lang) for lang in ("fr", "es", "it", "pt", "nl")] == ["Non", "No", "No", "Não", "Nee"]


@each_row(
    ("text", "expected"),
    [
        ("Oui, elle l’est.", "yes"),
        ("Sí: lo es.", "yes"),
        ("Sì.", "yes"),
        ("Não, é outra.", "no"),
        ("Nee, dat is zo niet.", "no"),
        ("Si, por ejemplo, llueve.", ""),  # if
        ("Non loin de là.", ""),
    ],
)
def test_what_a_model_begins_with_counts_where_it_stands_alone(text: str, expected: str) -> None:
    assert leading_yes_no(text) == expected


WORDS = st.lists(
    st.sampled_from("est-ce que la a-t-elle y il est puis-je die is es Vierburg en 1874 kan ik nicht".split())
)


@given(st.sampled_from(sorted(filter(grammar_of, LANGUAGES))), WORDS, WORDS)
def test_any_words_are_read(lang: str, question: list[str], sentence: list[str]) -> None:
    assert said(lang, f"1 {' '.join(question)}?", f"{' '.join(sentence)}.") == ""
    assert said(lang, f"{' '.join(question)} 1?", f"{' '.join(sentence)}.") in ("", "yes", "no")
