"""Test the types of questions, in six languages, and the kind of thing that answers one."""

from __future__ import annotations

from pipeline.question.analysis import analyse_question, answer_type_of, asks_for_all, question_type_of
from tests.tables import each_row
from text.languages import LANGUAGES, language

#: language, question, type
TYPES = [
    ("en", "What is photosynthesis?", "definition"),
    ("en", "What does idempotent mean?", "definition"),
    ("en", "How do I read a CSV file?", "procedural"),
    ("en", "How is cheese made?", "procedural"),
    ("en", "Why is the sky blue?", "causal"),
    ("en", "When did the war end?", "temporal"),
    ("en", "In what year was it built?", "temporal"),
    ("en", "Where is the Louvre?", "spatial"),
    ("en", "What is the difference between TCP and UDP?", "comparative"),
    ("en", "How many people live in Berlin?", "general"),
    *[
        ("en", f"How {word} is the river?", "general")
        for word in ("heavy", "wide", "deep", "fast", "high", "hot", "long", "far", "cold", "big")
    ],
    ("en", "Name the rivers of France", "general"),
    ("en", "Somewhere a whydah nests", "general"),  # "where" and "why" only inside other words
    ("de", "Was ist Photosynthese?", "definition"),
    ("de", "Wie kann ich eine Datei lesen?", "procedural"),
    ("de", "Wie funktioniert ein Motor?", "procedural"),
    ("de", "Wie schwer ist ein Elefant?", "general"),
    ("de", "Wie heiß ist die Sonne?", "general"),
    ("de", "Wie salzig ist das Meer?", "general"),
    ("de", "Wie viele Einwohner hat Wien?", "general"),
    ("de", "Warum ist der Himmel blau?", "causal"),
    ("de", "Wann endete der Krieg?", "temporal"),
    ("de", "Wo liegt Wien?", "spatial"),
    ("de", "Was ist der Unterschied zwischen TCP und UDP?", "comparative"),
    ("de", "Wer gewann?", "general"),
    ("fr", "Qu’est-ce que la photosynthèse ?", "definition"),
    ("fr", "Comment puis-je lire un fichier ?", "procedural"),
    ("fr", "Combien pèse un éléphant ?", "general"),
    ("fr", "Pourquoi le ciel est-il bleu ?", "causal"),
    ("fr", "Quand la guerre a-t-elle fini ?", "temporal"),
    ("fr", "Où se trouve le Louvre ?", "spatial"),
    ("fr", "Quelle est la différence entre TCP et UDP ?", "comparative"),
    ("es", "¿Qué es la fotosíntesis?", "definition"),
    ("es", "¿Cómo puedo leer un archivo?", "procedural"),
    ("es", "¿Cuánto pesa un elefante?", "general"),
    ("es", "¿Por qué el cielo es azul?", "causal"),
    ("es", "¿Cuándo terminó la guerra?", "temporal"),
    ("es", "¿Dónde está el Prado?", "spatial"),
    ("es", "¿Cuál es la diferencia entre TCP y UDP?", "comparative"),
    ("it", "Che cos'è la fotosintesi?", "definition"),
    ("it", "Come posso leggere un file?", "procedural"),
    ("it", "Quanto pesa un elefante?", "general"),
    ("it", "Perché il cielo è blu?", "causal"),
    ("it", "Quando è finita la guerra?", "temporal"),
    ("it", "Dove si trova il Colosseo?", "spatial"),
    ("it", "Qual è la differenza tra TCP e UDP?", "comparative"),
    ("pt", "O que é a fotossíntese?", "definition"),
    ("pt", "Como posso ler um ficheiro?", "procedural"),
    ("pt", "Quanto pesa um elefante?", "general"),
    ("pt", "Por que o céu é azul?", "causal"),
    ("pt", "Quando terminou a guerra?", "temporal"),
    ("pt", "Onde fica o museu?", "spatial"),
    ("pt", "Qual é a diferença entre TCP e UDP?", "comparative"),
    ("nl", "Wat is de hoofdstad van Nederland?", "general"),  # no table
]


@each_row(("lang", "question", "kind"), TYPES)
def test_question_type_is_read_from_whole_words_of_its_language(lang: str, question: str, kind: str) -> None:
    assert question_type_of(question, lang) == kind


def test_every_table_is_tested_for_every_type() -> None:
    for lang in (code for code in LANGUAGES if language(code).question_types):
        assert len({kind for tested, _, kind in TYPES if tested == lang}) == 7, lang


def test_type_is_read_in_the_questions_own_language() -> None:
    assert analyse_question("Comment lire un fichier ?", "fr").question_type == "procedural"
    assert question_type_of("Come here", "en") == "general"
    assert question_type_of("What is it?", "und") == "definition"


@each_row(
    ("question", "kind"),
    [
        ("When did the war end?", "time"),
        ("When was the tower built?", "time"),
        ("When is Easter?", "time"),
        ("Since when is it open?", "time"),
        ("Wann endete der Krieg?", "time"),
        ("Wann wurde der Turm gebaut?", "time"),
        # a condition may be asked for as well as a time
        ("When does the cache expire?", "any"),
        ("When is a lock released?", "any"),
        ("When should I call close?", "any"),
        ("Wann wird eine Sperre gelöst?", "any"),
        # a thing may be asked for as well as a number
        ("What is the largest city in France?", "any"),
        ("What is the largest?", "any"),
        ("What is the largest number of players?", "number"),
        ("What is the maximum size of a page?", "number"),
        ("How heavy is an elephant?", "number"),
        ("Wie schwer ist ein Elefant?", "number"),
        ("Which fields are empty where a row is missing?", "any"),
    ],
)
def test_kind_of_thing_is_left_open_where_the_words_leave_it_open(question: str, kind: str) -> None:
    assert answer_type_of(question) == kind


KINDS = [
    ("How do I count the rooms?", "way"),
    ("Where is the museum?", "place"),
    ("Who built the tower?", "name"),
    ("Why is the sky blue?", "reason"),
    ("How much does a ticket cost?", "money"),
    ("Wie kann ich die Räume zählen?", "way"),
    ("Wo ist das Museum?", "place"),
    ("Wer hat den Turm gebaut?", "name"),
    ("Warum ist der Himmel blau?", "reason"),
    ("Was kostet eine Fahrkarte?", "money"),
    ("Comment compter les pièces ?", "way"),
    ("Quand la guerre a-t-elle pris fin ?", "time"),
    ("Quand la porte est-elle ouverte ?", "any"),
    ("Quand fut construite la tour ?", "time"),
    ("Où se trouve le musée ?", "place"),
    ("Qui a construit la tour ?", "name"),
    ("Pourquoi le ciel est-il bleu ?", "reason"),
    ("Combien coûte un billet ?", "money"),
    ("Combien de pièces y a-t-il ?", "number"),
    ("¿Cómo se cuentan las salas?", "way"),
    ("¿Cuándo terminó la guerra?", "time"),
    ("¿Cuándo se abre la puerta?", "any"),
    ("¿Dónde está el museo?", "place"),
    ("¿Quién construyó la torre?", "name"),
    ("¿Por qué el cielo es azul?", "reason"),
    ("¿Cuánto cuesta un billete?", "money"),
    ("¿Cuántas salas hay?", "number"),
    ("Come si contano le sale?", "way"),
    ("Quando si apre la porta?", "any"),
    ("Quando fu costruita la torre?", "time"),
    ("Dove si trova il museo?", "place"),
    ("Chi ha costruito la torre?", "name"),
    ("Perché il cielo è blu?", "reason"),
    ("Quanto costa un biglietto?", "money"),
    ("Quante sale ci sono?", "number"),
    ("Como posso contar as salas?", "way"),
    ("Quando terminou a guerra?", "time"),
    ("Onde fica o museu?", "place"),
    ("Quem construiu a torre?", "name"),
    ("Por que o céu é azul?", "reason"),
    ("Quanto custa um bilhete?", "money"),
    ("Quantas salas há?", "number"),
    ("¿Cuándo se construyó la torre?", "time"),
    ("Quand y a-t-il des visites ?", "any"),
    ("Hoe kan ik de kamers tellen?", "way"),
    ("Hoe hoog is de toren?", "number"),
    ("Wanneer werd de toren gebouwd?", "time"),
    ("Wanneer gaat de deur open?", "any"),
    ("Waar is het museum?", "place"),
    ("Wie heeft de toren gebouwd?", "name"),
    ("Waarom is de lucht blauw?", "reason"),
    ("Wat kost een kaartje?", "money"),
    ("Hoeveel kamers zijn er?", "number"),
    # what comes before the question is no question
    ("I know where it is and who owns it. Is it open?", "any"),
    ("Who can help me? How many rooms are there?", "number"),
    ("The bar is closed when I come. What does a beer cost?", "money"),
]


@each_row(("question", "kind"), KINDS)
def test_kind_of_thing_is_read_from_the_question_itself(question: str, kind: str) -> None:
    assert answer_type_of(question) == kind


@each_row(
    ("question", "several"),
    [
        ("What are the five kinds of accounts?", True),
        ("Which orders can I give?", True),
        ("How do I install it?", True),
        ("What goes into the soup?", True),
        ("Welche Dateien darf ich löschen?", True),
        ("Wie lauten die Fehlercodes?", True),
        ("Was sind die Vorteile?", True),
        ("Welche Räume gibt es?", True),
        ("Quels sont les horaires ?", True),
        ("Quelles pièces sont ouvertes ?", True),
        ("Quelles sont les étapes ?", True),
        ("¿Cuáles son las salas?", True),
        ("¿Qué archivos puedo borrar?", True),
        ("Quali sono le sale?", True),
        ("Quali file posso cancellare?", True),
        ("Quais são as salas?", True),
        ("Quais arquivos posso apagar?", True),
        ("Wat zijn de regels?", True),
        ("Welke kamers zijn er?", True),
        ("What is the largest room?", False),
        ("Was ist der größte Raum?", False),
        ("Quelle est la plus grande pièce ?", False),
        ("¿Cuál es la sala más grande?", False),
        ("¿Qué mes es el más frío?", False),
        ("¿Qué es lo que hay aquí?", False),
        ("Qual è la sala più grande?", False),
        ("Qual é a maior sala?", False),
        ("Welke kamer is de grootste?", False),
        ("Who wrote it?", False),
        ("Does it list the rooms?", False),
    ],
)
def test_question_for_several_things_is_answered_by_a_whole_list(question: str, several: bool) -> None:
    assert asks_for_all(question) is several


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
    assert analyse_question(question).form == form
