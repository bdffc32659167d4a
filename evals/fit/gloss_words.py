"""Choose the English words that glosses are made of; write them and their vectors to ``pipeline/reader/words``.

They are those that are frequent in the passages of ``training/data``, which are manuals and encyclopedic pages.
"""

from __future__ import annotations

import json
import lzma
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np

from pipeline.reader.gloss import FOLDER, VECTORS, WORDS
from store.embedders.multilingual import Multilingual

DATA = Path(__file__).parents[2] / "training" / "data"
_PASSAGES = ("manuals", "public")
_SEEN_AT_LEAST = 40
_WORD = re.compile(r"[a-z]{2,}")


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=FOLDER, help="Folder to write into.")
def main(out: Path) -> None:
    """Write the words and their vectors, in eight bits."""
    words = frequent(text for name in _PASSAGES for text in _texts(name))
    vectors = Multilingual().embed(words)
    (out / WORDS).write_text("\n".join(words) + "\n", "utf-8")
    np.save(out / VECTORS, np.round(vectors / np.abs(vectors).max(axis=1, keepdims=True) * 127).astype(np.int8))
    click.echo(f"{len(words):,} words")


def frequent(texts: Iterator[str]) -> list[str]:
    """Return the words of Latin letters seen often enough, the most frequent first."""
    seen = Counter(word for text in texts for word in _WORD.findall(text.lower()))
    return [word for word, count in seen.most_common() if count >= _SEEN_AT_LEAST]


def _texts(name: str) -> Iterator[str]:
    with lzma.open(DATA / f"{name}-passages.jsonl.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)["text"]


if __name__ == "__main__":
    main()
