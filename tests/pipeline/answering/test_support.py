"""A sentence is kept when its citation supports it: names, numbers and words stand there, and not the opposite."""

from __future__ import annotations

import pytest

from evals.measure.support import TRANSLATED, measure_support, read_claims
from pipeline.answering.polarity import contradicts, is_negated, without_leading_answer
from pipeline.answering.support.check import Quoted, adds_nothing, why_unsupported
from tests.tables import each_row

BUILT = "The lighthouse of Vierburg was built in 1874 by Robert Tallis."


def why(claim: str, quote: str = BUILT, question: str = "", *, lang: str = "en", title: str = "", of: str = "") -> str:
    return why_unsupported(claim, [Quoted(text=quote, title=title, lang=of or lang)], question, lang=lang)


@each_row(
    ("claim", "reason"),
    [
        ("The moon is made of cheese.", "words"),
        ("It was built in 1847.", "number"),
        ("It was built by Robert Talbot.", "name"),
        ("The lighthouse was never built.", "opposite"),
        ("It wasn't built in 1874.", "opposite"),
        ("It was built in 1874 on a rock with money of the merchants.", "words"),
        ("Robert Tallis built it in 1874.", ""),
        ("It was built in 1874, they say.", ""),
        ("Built in 1874.", ""),
    ],
)
def test_claims_about_one_quote(claim: str, reason: str) -> None:
    assert why(claim) == reason


def test_words_of_title_and_question_may_stand_in_the_claim() -> None:
    quote = "It was built in 1874."
    assert why("The lighthouse was built in 1874.", quote) == "words"
    assert why("The lighthouse was built in 1874.", quote, "When was the lighthouse built?") == ""
    assert why("The lighthouse was built in 1874.", quote, title="The lighthouse") == ""


def test_value_of_the_question_is_not_an_answer_where_the_quote_gives_another() -> None:
    question = "Was it built in 1847 by Paul Kern?"
    assert why("Yes, it was built in 1847.", question=question) == "number"
    assert why("Yes, it was built by Paul Kern.", "It was built by Robert Tallis.", question) == "name"
    assert why("It was built after 1847.", question=question) == ""  # compares


def test_option_or_file_name_that_the_quote_lacks_is_no_paraphrase() -> None:
    quote = "Use reset --soft to undo it; settings are in config.toml."
    assert why("Use reset --hard to undo it.", quote) == "name"
    assert why("The settings are in config.yaml.", quote) == "name"
    assert why("Use reset --soft to undo it.", quote) == ""


@each_row(
    ("claim", "quote", "lang"),
    [
        ("Point the C: drive at it.", "You should not point the C: drive at it.", "en"),
        ("The bridge is open.", "It is not true that the bridge is open.", "en"),
        ("The bridge is open.", "It is false that the bridge is open.", "en"),
        ("The server is safe.", "Nobody knows whether the server is safe.", "en"),
        ("Schalten Sie das Gerät aus.", "Auf keinen Fall schalten Sie das Gerät aus.", "de"),
        ("Die Brücke ist offen.", "Es ist nicht wahr, dass die Brücke offen ist.", "de"),
        ("Die Brücke ist offen.", "Es ist falsch, dass die Brücke offen ist.", "de"),
    ],
)
def test_part_of_a_sentence_without_its_negation_goes(claim: str, quote: str, lang: str) -> None:
    assert why(claim, quote, lang=lang) == "opposite"
    assert why(quote, quote, lang=lang) == ""


def test_whole_sentences_of_the_quote_stay() -> None:
    quote = "It is not false that the bridge is open. Nobody crosses it; the road is closed. Dogs may."
    assert why("It is not false that the bridge is open.", quote) == ""
    assert why("Nobody crosses it; the road is closed. Dogs may.", quote) == ""


MOON = "The Moon's crust is composed mostly of oxygen, silicon, magnesium and iron."


@each_row(
    ("claim", "quote", "question", "lang", "reason"),
    [
        ("Der Mond besteht aus Käse.", MOON, "Woraus besteht der Mond?", "de", "words"),
        ("Die Kruste des Mondes besteht vor allem aus Sauerstoff und Eisen.", MOON, "", "de", ""),
        ("Die Kruste des Mondes besteht nicht aus Sauerstoff und Eisen.", MOON, "", "de", "opposite"),
        ("La Lune est faite de fromage.", MOON, "De quoi la Lune est-elle faite ?", "fr", "words"),
        ("La croûte de la Lune est surtout composée d’oxygène et de fer.", MOON, "", "fr", ""),
        ("La croûte de la Lune n’est pas composée d’oxygène et de fer.", MOON, "", "fr", "opposite"),
        ("Il a été construit en 1874 par Robert Talbot.", BUILT, "", "fr", "name"),
        ("Il a été construit en 1874 par Robert Tallis.", BUILT, "", "fr", ""),
        ("Der Leuchtturm wurde 1874 gebaut.", BUILT, "", "de", ""),
        ("Der Leuchtturm wurde 1847 gebaut.", BUILT, "", "de", "number"),
        ("Le taux est de 3,5 % par an.", "The annual rate is 3.5 percent.", "", "fr", ""),
        ("Use reset --hard.", "Mit reset --soft geht es.", "", "en", "name"),
        ("Луна состоит из сыра.", MOON, "", "ru", ""),  # there is no lexicon of Russian: words are not compared
    ],
)
def test_quote_in_another_language_is_compared_in_english(
    claim: str, quote: str, question: str, lang: str, reason: str
) -> None:
    assert why(claim, quote, question, lang=lang, of="de" if "geht" in quote else "en") == reason


def test_sentence_in_the_language_of_its_quote_is_compared_in_that() -> None:
    assert why("The lighthouse was not built in 1874.", lang="de", of="en") == "opposite"
    assert why("The lighthouse of Vierburg was built in 1874.", lang="de", of="en") == ""


LAMP = "The lamp is of red brass and 30 metres high; it burns oil."


@each_row(
    ("claim", "lang", "reason"),
    [
        ("Rot.", "de", ""),
        ("30 Meter hoch.", "de", ""),
        ("Öl.", "de", ""),
        ("Messing, rot.", "de", ""),
        ("In Öl.", "de", ""),  # "in" is of both languages
        ("Blau.", "de", "words"),
        ("The lamp is green.", "de", "words"),
    ],
)
def test_short_answer_without_small_words_is_read_in_the_language_of_the_question(
    claim: str, lang: str, reason: str
) -> None:
    assert why(claim, LAMP, lang=lang, of="en") == reason


@each_row(
    ("lead_in", "question", "lang", "true"),
    [
        ("In short:", "", "en", True),
        ("Follow these steps:", "", "en", True),
        ("The lighthouse was built as follows:", "", "en", True),
        ("The tower was built so:", "Who built the tower?", "en", True),
        ("The moon is made of cheese and it was built so:", "", "en", False),
        ("The lighthouse was never built:", "", "en", False),
        ("In 1847 it was built so:", "", "en", False),
        ("Gehen Sie wie folgt vor:", "", "de", True),
        ("Der Mond besteht aus Käse, und so wurde er gebaut:", "", "de", False),
        ("Voici les étapes :", "", "fr", True),
        ("La Lune est faite de fromage :", "", "fr", False),
        ("Run this command:", "", "en", True),
        ("Do not run this command:", "", "en", False),
        ("You can use the following command:", "", "en", True),
        ("According to the documentation:", "", "en", True),
        ("There are three ways:", "", "en", True),
        ("There are 3 different ways:", "", "en", True),
        ("It took three years:", "", "en", False),
        ("It was built by 3 as follows:", "", "en", False),
        ("Führen Sie folgenden Befehl aus:", "", "de", True),
        ("Es gibt drei Möglichkeiten:", "", "de", True),
        ("Es kostet drei Millionen:", "", "de", False),
        ("Exécutez cette commande :", "", "fr", True),
        ("Voici les trois étapes :", "", "fr", True),
        ("Utilice el siguiente comando:", "", "es", True),
        ("Gebruik het volgende commando:", "", "nl", True),
        # without a lexicon numbers alone are compared
        ("Oto kroki:", "", "pl", True),
        ("Вот шаги:", "", "ru", True),
        ("手順は次のとおりです：", "", "ja", True),
        ("Så här gör du:", "", "sv", True),
        ("Så här gjorde man 1847:", "", "sv", False),
    ],
)
def test_lead_in_says_nothing_beyond_question_and_quotes(lead_in: str, question: str, lang: str, true: bool) -> None:
    quotes = [Quoted(text=BUILT, title="", lang="en")]
    assert adds_nothing(lead_in, quotes, question, lang=lang) == true


@each_row(
    ("claim", "quote", "lang"),
    [
        ("The gate is open.", "The gate is closed.", "en"),
        ("The gate is not closed.", "The gate is closed.", "en"),
        ("Prices rose in May.", "Prices fell in May.", "en"),
        ("Dogs may enter the hall.", "Dogs are forbidden in the hall.", "en"),
        ("Das Tor ist offen.", "Das Tor ist geschlossen.", "de"),
        ("Das Tor ist nicht aus Holz.", "Das Tor ist aus Holz.", "de"),
        ("La porte n'est pas ouverte.", "La porte est ouverte.", "fr"),
        ("La puerta no está abierta.", "La puerta está abierta.", "es"),
    ],
)
def test_opposites(claim: str, quote: str, lang: str) -> None:
    assert contradicts(claim, quote, lang)
    assert contradicts(quote, claim, lang)
    assert not contradicts(claim, claim, lang)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The gate is not open.", "The gate is closed."),  # two ways to say one thing
        ("The gate is open daily.", "The gate is open daily, but not on Mondays."),  # another clause
        ("No, the gate is closed.", "The gate is closed."),  # the answer, then the sentence
        ("Cats sleep.", "The gate is closed."),  # about something else
    ],
)
def test_no_opposites(claim: str, quote: str) -> None:
    assert not contradicts(claim, quote, "en")


def test_only_a_yes_or_no_at_the_beginning_is_taken_off() -> None:
    assert without_leading_answer(" Yes, it is open.") == "it is open."
    assert without_leading_answer("Ja: es ist offen.") == "es ist offen."
    for whole in (
        "They danced the tango.",
        "It is by the casino, not the bank.",
        "Das ist im Kino.",
        "No-one may enter.",
    ):
        assert without_leading_answer(whole) == whole


def test_two_negations_are_none() -> None:
    assert is_negated("It is not open.", "en")
    assert not is_negated("It is not without danger.", "en")


def test_claims_that_nothing_was_fitted_on_are_told_as_well_as_measured() -> None:
    claims = read_claims("report")
    figures = measure_support(claims)
    assert len(claims) >= 140
    assert figures["kept"] >= 0.92
    assert figures["left_out"] >= 0.74


def test_claims_about_quotes_in_another_language_are_told_as_well_as_measured() -> None:
    claims = read_claims("report", TRANSLATED)
    figures = measure_support(claims)
    assert len(claims) >= 80
    assert figures["kept"] >= 0.96
    assert figures["left_out"] >= 0.87
