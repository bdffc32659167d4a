"""A set small enough to know by heart."""

import json
from pathlib import Path
from typing import Any

CORPUS = [
    ("d0", "Eiffel_Tower", "The Eiffel Tower was finished in 1889. It stands on the Champ de Mars in Paris."),
    ("d1", "Eiffel_Tower", "The tower is repainted every seven years, which takes sixty tonnes of paint."),
    ("d2", "Brooklyn Bridge", "The Brooklyn Bridge opened in 1883. Emily Roebling led its construction in New York."),
    ("d3", "Golden Gate Bridge", "The Golden Gate Bridge opened in 1937 and is painted in International Orange."),
    ("d4", "Photosynthesis", "Plants turn light into sugar. Chlorophyll absorbs blue and red light in the leaf."),
    ("d5", "Great Wall", "The Great Wall was built by several dynasties, above all by the Ming from stone and brick."),
]
QUERIES = [
    ("q0", "When was the Eiffel Tower finished?", ["1889"], True),
    ("q1", "How often is the tower repainted with paint?", ["every seven years", "seven years"], True),
    ("q2", "Who led the construction of the Brooklyn Bridge?", ["Emily Roebling"], True),
    ("q3", "Which bridges opened in 1883 and in 1937?", ["Brooklyn Bridge"], True),
    ("q4", "Who paid for the telephone network of Iceland?", [], False),
]
QRELS = ["q0\td0\t1", "q1\td1\t1", "q2\td2\t1", "q3\td2\t1", "q3\td3\t1"]


def write_set(
    folder: Path, *, corpus: Any = CORPUS, queries: Any = QUERIES, qrels: Any = QRELS, lang: str = "en"
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    documents = [{"_id": id, "title": title, "text": text, "lang": lang} for id, title, text in corpus]
    asked = [{"_id": id, "text": text, "answers": gold, "answerable": can} for id, text, gold, can in queries]
    for name, rows in (("corpus", documents), ("queries", asked)):
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, "utf-8")
    (folder / "qrels.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *qrels]) + "\n", "utf-8")
    return folder
