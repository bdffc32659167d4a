"""A site and its questions, small enough to know by heart."""

import json
from pathlib import Path
from typing import Any

PAGES = {
    "index.html": ("The lighthouse", "The lighthouse at Skerry Point was built by Ada Ferrier in 1841."),
    "lamp.html": ("The lamp", "The lamp of the lighthouse burns whale oil and is lit at dusk by the keeper."),
}
QUESTIONS: list[dict[str, Any]] = [
    {
        "id": "sea-1",
        "kind": "page_words",
        "question": "Who built the lighthouse at Skerry Point?",
        "gold": ["Ada Ferrier"],
        "gold_pages": ["index.html"],
    },
    {
        "id": "sea-2",
        "kind": "own_words",
        "question": "What does the lamp burn?",
        "gold": ["whale oil"],
        "gold_pages": ["lamp.html"],
    },
    {"id": "sea-3", "kind": "unanswerable", "question": "How high is Mount Fuji?", "gold": [], "gold_pages": []},
]


def write_site(folder: Path, *, questions: list[dict[str, Any]] = QUESTIONS) -> Path:
    pages = folder / "pages"
    pages.mkdir(parents=True, exist_ok=True)
    for name, (title, text) in PAGES.items():
        padding = f"<p>{title}: a visit takes an hour, and there is no shop. Dogs may come on a lead.</p>"
        page = f"<html lang='en'><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p>{padding}</body>"
        (pages / name).write_text(page, "utf-8")
    site = {"site": "sea", "work": "sea", "lang": "en", "root": "pages"}
    (folder / "sites.json").write_text(json.dumps([site]), "utf-8")
    lines = [json.dumps({"site": "sea", "lang": "en", **question}) for question in questions]
    (folder / "questions.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    (folder / "pages-sea.txt").write_text("\n".join(PAGES) + "\n", "utf-8")
    return folder
