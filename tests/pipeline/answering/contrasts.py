"""Sentences that contrast two values of the kind asked for, with the one that answers; None where it is not clear.

Each row: the language, the question, the sentence, the words that were found, the words that are shown. The rule was
written with ``WRITTEN_WITH``; ``HELD_BACK`` was asked only when it was done.
"""

from __future__ import annotations

Row = tuple[str, str, str, str, str | None]

FEE = "The yearly fee is 240 euros for adults and 90 euros for children."
SAUNA = "A sauna costs £6.50 for members and £9 for guests."  # no times of day
MANAGERS = "Olga Brandt was the manager until 2019; since 2020 it is Tom Riis."
PATHS = r"On Linux Skiff reads /etc/skiff/skiff.toml, on Windows C:\ProgramData\Skiff\skiff.toml."
CABINS = "The small cabin is for 4 people and the large cabin for 12."
OPENING = "It opens at 14:00 on weekdays and at 10:00 on Sundays."
EINTRITT = "Der Eintritt kostet 12 Euro für Erwachsene und 5 Euro für Kinder."
ENTREE = "L'entrée coûte 15 euros pour les adultes et 8 euros pour les enfants."

WRITTEN_WITH: list[Row] = [
    (
        "en",
        "How many metres high is the north tower?",
        "The south tower is 40 metres high, the north tower 52 metres.",
        "40 metres",
        "52 metres",
    ),
    ("en", "What is the yearly fee for children?", FEE, "240 euros", "90 euros"),
    ("en", "What is the yearly fee for adults?", FEE, "240 euros", "240 euros"),
    ("en", "What is the yearly fee for children?", FEE, "240 euros for adults and 90 euros", "90 euros"),
    ("en", "Who has been the manager since 2020?", MANAGERS, "Olga Brandt", "Tom Riis"),
    ("en", "Who was the manager until 2019?", MANAGERS, "Olga Brandt", "Olga Brandt"),
    ("en", "How many people fit in the large cabin?", CABINS, "4 people and the large cabin for 12", "12"),
    ("en", "How many people fit in the small cabin?", CABINS, "4", "4"),
    ("en", "When does it open on Sundays?", OPENING, "14:00 on weekdays and at 10:00 on Sundays", "10:00"),
    ("en", "How much is a sauna for guests?", SAUNA, "£6.50 for members and £9", "£9"),
    ("en", "How much is a sauna for members?", SAUNA, "£9", "£6.50"),
    ("en", "What is the fee?", FEE, "240 euros", None),  # of whom is not asked
    ("en", "How deep is the harbour?", "The harbour is 12 m deep.", "12 m", "12 m"),  # one value
    ("en", "Who built the mill?", "Ada Crane built the mill, and Tom Riis burnt it down.", "Ada Crane", "Ada Crane"),
    (
        "en",
        "Who burnt the mill down?",
        "Ada Crane built the mill, and Tom Riis burnt it down.",
        "Ada Crane",
        "Tom Riis",
    ),
    ("de", "Was kostet der Eintritt für Kinder?", EINTRITT, "12 Euro", "5 Euro"),
    ("de", "Was kostet der Eintritt für Erwachsene?", EINTRITT, "12 Euro", "12 Euro"),
    (
        "de",
        "Wie hoch ist der Nordturm?",
        "Der Südturm ist 40 Meter hoch, der Nordturm 52 Meter.",
        "40 Meter",
        "52 Meter",
    ),
    (
        "de",
        "Wer leitet die Küche?",
        "Den Saal leitet Petra Lenz, die Küche aber Jonas Wolf.",
        "Petra Lenz",
        "Jonas Wolf",
    ),
    ("fr", "Combien coûte l'entrée pour les enfants ?", ENTREE, "15 euros", "8 euros"),
    (
        "en",
        "When was the bridge finished?",
        "The bridge was begun in 1840 and finished in 1852.",
        "1852",
        "1852",
    ),
    (
        "en",
        "When was the bridge finished?",
        "The bridge was begun in 1840 and finished in 1852.",
        "1840",
        "1852",
    ),
    (
        "en",
        "How long is the trail?",
        "The trail is between 5 and 7 km long.",
        "between 5 and 7 km",
        "between 5 and 7 km",
    ),  # a range is one value
    ("en", "What colour is the door?", "The door is red, and 3 m high and 2 m wide.", "red", "red"),
    (
        "en",
        "How many ships were lost in the storm?",
        "In the storm of 1703 some 300 ships were lost.",
        "300",
        "300",
    ),
]

HELD_BACK: list[Row] = [
    (
        "en",
        "What does a return ticket cost?",
        "A single ticket costs $4 and a return ticket $7.",
        "$4",
        "$7",
    ),
    ("en", "What does a single ticket cost?", "A single ticket costs $4 and a return ticket $7.", "$4", "$4"),
    (
        "en",
        "How much does parking cost at weekends?",
        "Parking costs £3 on weekdays but £5 at weekends.",
        "£3",
        "£5",
    ),
    (
        "en",
        "When does the library close on Saturdays?",
        "The library closes at 20:00 on weekdays, at 13:00 on Saturdays.",
        "20:00",
        "13:00",
    ),
    (
        "en",
        "How many seats does the upper deck have?",
        "The lower deck has 40 seats, while the upper deck has 24.",
        "40 seats",
        "24",
    ),
    (
        "en",
        "How many seats does the lower deck have?",
        "The lower deck has 40 seats, while the upper deck has 24.",
        "40 seats",
        "40 seats",
    ),
    (
        "en",
        "Who wrote the music?",
        "Hanna Vogt wrote the words and Piet Klaver the music.",
        "Hanna Vogt",
        "Piet Klaver",
    ),
    (
        "en",
        "Who wrote the words?",
        "Hanna Vogt wrote the words and Piet Klaver the music.",
        "Hanna Vogt",
        "Hanna Vogt",
    ),
    (
        "en",
        "How heavy is the old bell?",
        "The new bell weighs 900 kg; the old bell weighs 650 kg.",
        "900 kg",
        "650 kg",
    ),
    ("en", "How heavy is the bell?", "The bell of 1920 weighs 900 kg.", "900 kg", "900 kg"),
    ("en", "Who is the director?", "The director is Eva Lind.", "Eva Lind", "Eva Lind"),
    (
        "en",
        "How deep is it?",
        "It is 4 m deep in summer and 6 m deep in winter.",
        "4 m",
        None,
    ),
    (
        "en",
        "When was the church rebuilt?",
        "The church burnt down in 1666 and was rebuilt in 1671.",
        "1666",
        "1671",
    ),
    (
        "de",
        "Wann schließt das Bad am Sonntag?",
        "Das Bad schließt werktags um 21:00, am Sonntag um 18:00.",
        "21:00",
        "18:00",
    ),
    (
        "de",
        "Wie viele Betten hat das große Zimmer?",
        "Das kleine Zimmer hat 2 Betten und das große Zimmer 6.",
        "2 Betten",
        "6",
    ),
    (
        "de",
        "Was kostet die Jahreskarte?",
        "Die Tageskarte kostet 8 Euro, die Jahreskarte 95 Euro.",
        "8 Euro",
        "95 Euro",
    ),
    (
        "de",
        "Was kostet die Tageskarte?",
        "Die Tageskarte kostet 8 Euro, die Jahreskarte 95 Euro.",
        "8 Euro",
        "8 Euro",
    ),
    (
        "de",
        "Wer baute die Orgel?",
        "Die Kanzel schuf Karl Amsel, die Orgel baute Ernst Rode.",
        "Karl Amsel",
        "Ernst Rode",
    ),
    (
        "fr",
        "Combien de places y a-t-il dans la grande salle ?",
        "La petite salle a 50 places et la grande salle 200.",
        "50 places",
        "200",
    ),
    (
        "fr",
        "Quel est le prix du menu du soir ?",
        "Le menu de midi est à 18 euros, le menu du soir à 32 euros.",
        "18 euros",
        "32 euros",
    ),
    (
        "fr",
        "Qui dirige l'école ?",
        "Marie Colin dirige la crèche et Luc Perrin dirige l'école.",
        "Marie Colin",
        "Luc Perrin",
    ),
    ("en", "When did the war end?", "The war began in 1701 and ended in 1714.", "1714", "1714"),
    (
        "en",
        "How many rooms does the hotel have?",
        "The hotel, built in 1890, has 54 rooms.",
        "54 rooms",
        "54 rooms",
    ),
]
