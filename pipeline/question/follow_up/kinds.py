"""Tell what kind of thing a word names: a time, what other things have, several things, or one of a known row."""

from __future__ import annotations

import re
from typing import Final

from text.languages import word_set

#: what a thing has: a question for one without its owner asks about what was asked about before
_ATTRIBUTES: Final = frozenset(
    """address age altitude area author capacity capital climate configuration cost currency deadline default depth
    developer diameter documentation duration email fee file flag founder height history hours ingredients
    length licence license limit location log logs maintainer manual name number origin owner password path
    phone population port price purpose range rate release settings size speed symptoms syntax temperature
    territory version volume website weight width advantages disadvantages benefits risks requirements
    alternatives vorteile nachteile alternativen voraussetzungen avantages inconvénients adresse alter anschrift
    autor bevölkerung breite datei dauer durchmesser einstellungen einwohner einwohnerzahl fläche frist gebühr
    geschichte gewicht größe hauptstadt höhe inhalt konfiguration kosten länge lizenz nummer protokoll
    öffnungszeiten passwort preis sitz sprache temperatur tiefe währung zeiten zutaten auteur capitale coût
    durée fichier journal hauteur histoire horaires largeur longueur monnaie numéro poids prix profondeur
    superficie surface taille tarif température""".split()
)
#: those that are money or a time of day: what is asked of another thing is not asked of them
_MEASURED: Final = frozenset(
    """charge charges cost costs deposit fare fares fee fees hours price prices rate rates rent schedule tariff times
    timetable gebühr gebühren kosten miete öffnungszeiten preis preise tarif zeiten coût frais horaires loyer prix
    tarifs""".split()
)
#: of German compounds
_ENDS_OF_ATTRIBUTES: Final = (
    "adresse", "datei", "dateien", "dauer", "frist", "gebühr", "größe", "höhe", "kosten", "nummer", "preis", "sprache",
    "temperatur", "verzeichnis", "zahl", "zeit", "zeiten",
)  # fmt: skip
#: of which one stands for another: "on Linux", "on Windows"
_KINDS: Final = tuple(
    frozenset(kind.split())
    for kind in (
        """linux windows mac macos osx debian ubuntu fedora suse opensuse arch freebsd openbsd netbsd android ios redhat
        centos""",
        """english german french spanish italian portuguese dutch polish englisch deutsch französisch spanisch
        italienisch""",
        "chromium chrome firefox safari edge opera konqueror",
        "postgresql postgres mysql mariadb sqlite oracle",
        "hourly daily weekly monthly quarterly yearly annual",
        "stündlich täglich wöchentlich monatlich jährlich",
        "journalier hebdomadaire mensuel trimestriel annuel",
    )
)
#: days, months and parts of the year, of which one stands for another of its own row
_DAYS: Final = frozenset(
    day.removesuffix("s") for day in (*word_set("weekdays", "en", "de", "fr", "es", "it"), "weekend", "wochenende")
)
_MONTHS: Final = word_set("months", "en", "de") | word_set("seasons", "en", "de")
#: parts of time besides days and months
_TIMES: Final = word_set("times") | word_set("seasons", "fr", "es", "it")
#: end as several things do, and are no nouns
_NO_NOUNS: Final = frozenset("its as has was does yes always".split())


def is_day(word: str) -> bool:
    """Return whether a word names a day of the week, or several: "Sundays", "sonntags"."""
    return word.casefold().removesuffix("s") in _DAYS


def is_month(word: str) -> bool:
    """Return whether a word names a month or a season."""
    return word.casefold() in _MONTHS


def is_time(phrase: str) -> bool:
    """Return whether a phrase says when: "winter", "2019", "the year after", "public holidays"."""
    parts = phrase.split()
    return any(is_day(part) or is_month(part) or is_year(part) or part.casefold() in _TIMES for part in parts)


def is_year(word: str) -> bool:
    """Return whether a word is the number of a year."""
    return re.fullmatch(r"1\d{3}|20\d\d", word) is not None


def is_attribute(noun: str) -> bool:
    """Return whether a noun names what other things have: "port", "Telefonnummer"."""
    if noun.casefold() in _ATTRIBUTES or (is_plural(noun) and noun[:-1].casefold() in _ATTRIBUTES):
        return True
    return noun[:1].isupper() and noun.endswith(_ENDS_OF_ATTRIBUTES)


def is_measured(noun: str) -> bool:
    """Return whether a noun names money or a time of day: "fee", "Öffnungszeiten", "Eintrittspreis"."""
    word = noun.casefold()
    return word in _MEASURED or (
        noun[:1].isupper() and word.endswith(("gebühr", "kosten", "preis", "preise", "zeiten"))
    )


def is_plural(noun: str) -> bool:
    """Return whether an English noun looks like several things."""
    return noun.endswith("s") and not noun.endswith(("ss", "us", "is")) and noun not in _NO_NOUNS


def same_kind(one: str, other: str) -> bool:
    """Return whether two words name things of one kind, other ones."""
    one, other = one.casefold(), other.casefold()
    if one != other and any(is_kind(one) and is_kind(other) for is_kind in (is_day, is_month, is_year)):
        return True
    return one != other and any(one in kind and other in kind for kind in _KINDS)
