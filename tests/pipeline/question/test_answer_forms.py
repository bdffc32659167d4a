"""Test how well a sentence gives what a question asks for, in seven languages."""

from __future__ import annotations

import pytest

from pipeline.question.analysis import analyse_question
from pipeline.question.answer_type import answer_type_of, form_of, rate_fit
from tests.tables import each_row
from text.languages import LANGUAGES, language

#: language, question, what gives the answer, what does not
FITS = [
    ("en", "When was the tower built?", "It was built in May.", "It was built by the king."),
    ("en", "How many rooms has it?", "It has twelve rooms.", "It has rooms."),
    ("en", "What does a ticket cost?", "Entry is free.", "It is 12 years old."),
    ("en", "Why is it closed?", "It is closed because of the rain.", "It is closed."),
    ("en", "Where is the museum?", "It is near Paris.", "It is big."),
    ("en", "How do I get in?", "Use the back door.", "It rains."),
    ("de", "Wann wurde der Turm gebaut?", "Er wurde im März gebaut.", "Er wurde vom König gebaut."),
    ("de", "Wie viele Räume hat es?", "Es hat zwölf Räume.", "Es hat Räume."),
    ("de", "Was kostet eine Fahrkarte?", "Sie kostet 12 Euro.", "Sie ist 12 Jahre alt."),
    ("de", "Warum ist es geschlossen?", "Es ist geschlossen, weil es regnet.", "Es ist geschlossen."),
    ("de", "Wo ist das Museum?", "Es ist bei Wien.", "Es ist groß."),
    ("de", "Wie kann ich die Räume zählen?", "Man kann sie mit einer Liste zählen.", "Die Räume sind groß."),
    ("fr", "Quand fut construite la tour ?", "Elle fut achevée le 3 janvier.", "La tour a été construite à Lyon."),
    ("fr", "Quand fut construite la tour ?", "La tour fut construite en été.", "La tour a toujours été haute."),
    ("fr", "Quand fut construite la tour ?", "Ce fut au XIXe siècle.", "Ce fut au roi de la construire."),
    ("fr", "Combien de pièces y a-t-il ?", "Il y a douze pièces.", "Il y a des pièces."),
    ("fr", "Combien coûte un billet ?", "L’entrée est gratuite.", "Le billet a 12 pages."),
    ("fr", "Pourquoi est-ce fermé ?", "C’est fermé parce qu’il pleut.", "C’est fermé."),
    ("fr", "Où se trouve le musée ?", "Il se trouve près de la gare.", "Le musée est grand."),
    ("fr", "D’où vient ce vin ?", "C’est un vin de Vierburg.", "C’est un vin de qualité."),
    ("fr", "Comment compter les pièces ?", "Utilisez une liste.", "Il pleut."),
    ("es", "¿Cuándo se construyó la torre?", "Se abrió el 3 de enero.", "La construyó el rey."),
    ("es", "¿Cuándo terminó la guerra?", "Terminó en el siglo pasado.", "Terminó mal."),
    ("es", "¿Cuántas salas hay?", "Hay doce salas.", "Hay salas."),
    ("es", "¿Cuánto cuesta un billete?", "La entrada es gratuita.", "El billete tiene 12 páginas."),
    ("es", "¿Por qué está cerrado?", "Está cerrado porque llueve.", "Está cerrado."),
    ("es", "¿Dónde está el museo?", "Está cerca de la estación.", "Es grande."),
    ("es", "¿Cómo se cuentan las salas?", "Se puede usar una lista.", "Llueve."),
    ("it", "Quando fu costruita la torre?", "Fu aperta il 3 gennaio.", "La fece costruire il re."),
    ("it", "Quando fu costruita la torre?", "Fu costruita d’inverno.", "Fu costruita male."),
    ("it", "Quante sale ci sono?", "Ci sono ventitré sale.", "Ci sono sale."),
    ("it", "Quanto costa un biglietto?", "L’ingresso è gratuito.", "Il biglietto ha 12 pagine."),
    ("it", "Perché è chiuso?", "È chiuso a causa della pioggia.", "È chiuso."),
    ("it", "Dove si trova il museo?", "Si trova vicino alla stazione.", "Il museo è grande."),
    ("it", "Come si contano le sale?", "Si può usare una lista.", "Piove."),
    ("pt", "Quando foi construída a torre?", "Foi aberta a 3 de março.", "Foi construída pelo rei."),
    ("pt", "Quando terminou a guerra?", "Terminou no século passado.", "Terminou mal."),
    ("pt", "Quantas salas há?", "Há dezesseis salas.", "Há salas."),
    ("pt", "Quanto custa um bilhete?", "A entrada é grátis.", "O bilhete tem 12 páginas."),
    ("pt", "Por que está fechado?", "Está fechado porque chove.", "Está fechado."),
    ("pt", "Onde fica o museu?", "Fica perto da estação.", "É grande."),
    ("pt", "Como posso contar as salas?", "Use uma lista.", "Chove."),
    ("nl", "Wanneer werd de toren gebouwd?", "Dat was op 3 mei.", "De koning bouwde hem."),
    ("nl", "Hoeveel kamers zijn er?", "Er zijn tweeëntwintig kamers.", "Er zijn kamers."),
    ("nl", "Wat kost een kaartje?", "De toegang is gratis.", "Het kaartje is 12 jaar oud."),
    ("nl", "Waarom is het gesloten?", "Het is gesloten omdat het regent.", "Het is gesloten."),
    ("nl", "Waar is het museum?", "Het ligt naast het station.", "Het museum is groot."),
    ("nl", "Hoe kan ik de kamers tellen?", "Gebruik een lijst.", "Het regent."),
]


@each_row(("lang", "question", "gives", "lacks"), FITS)
def test_sentence_gives_what_is_asked_for_in_its_language(lang: str, question: str, gives: str, lacks: str) -> None:
    kind = answer_type_of(question)
    assert (rate_fit(kind, question, gives, lang), rate_fit(kind, question, lacks, lang)) == (1, -1)


def test_every_language_is_tested_for_every_form() -> None:
    for lang in (code for code in LANGUAGES if language(code).forms):
        kinds = {answer_type_of(question) for tested, question, *_ in FITS if tested == lang}
        assert kinds == {"time", "number", "money", "reason", "place", "way"}, lang


@pytest.mark.parametrize(
    ("lang", "question", "sentence"),
    [
        ("fr", "Combien de pièces y a-t-il ?", "Il y a douze fenêtres."),
        ("es", "¿Cuántas salas hay?", "Hay doce ventanas."),
        ("it", "Quante sale ci sono?", "Ci sono dodici finestre."),
        ("pt", "Quantas salas há?", "Há doze janelas."),
        ("nl", "Hoeveel kamers zijn er?", "Er zijn twaalf ramen."),
    ],
)
def test_number_of_something_else_fits_less(lang: str, question: str, sentence: str) -> None:
    assert rate_fit("number", question, sentence, lang) == 0.4


@pytest.mark.parametrize(
    ("lang", "question", "sentence"),
    [
        ("fr", "Combien de temps dure la visite ?", "La visite dure deux heures."),
        ("es", "¿Cuántos son los pisos?", "Son doce."),
        ("it", "Quanti sono i piani?", "Sono dodici."),
        ("pt", "Quantos são os andares?", "São doze."),
        ("nl", "Hoeveel weegt een olifant?", "Hij weegt vijf ton."),
    ],
)
def test_any_number_fits_where_nothing_counted_is_named(lang: str, question: str, sentence: str) -> None:
    assert rate_fit("number", question, sentence, lang) == 1


def test_sentence_is_read_in_its_own_language_and_not_in_the_questions() -> None:
    assert rate_fit("place", "Where is it?", "On y mange bien.", "fr") == -1  # "on" is "one"
    assert rate_fit("time", "When was it opened?", "Il ouvrit en janvier.", "fr") == 1


@each_row(
    "question, form",
    [
        ("How do I install it?", "steps"),
        ("Wie starte ich den Server neu?", "steps"),
        ("Comment installer Debian ?", "steps"),
        ("What is the difference between MariaDB and PostgreSQL?", "table"),
        ("List all error codes", "list"),
        ("What are the five kinds of accounts?", "list"),
        ("Which command deletes a folder?", "code"),
        ("Who wrote Faust?", "prose"),
        ("How many rows are in a chunk?", "prose"),
    ],
)
def test_form_of_an_answer_is_what_the_question_asks_for(question: str, form: str) -> None:
    assert form_of(analyse_question(question)) == form
