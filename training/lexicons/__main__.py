"""Write the lexicons: ``python -m training.lexicons FOLDER``, where packages of Debian are unpacked (`dpkg -x`)."""

from __future__ import annotations

import lzma
from collections.abc import Mapping
from pathlib import Path

import click

from store.embedders import open_embedder
from text.translation.word_by_word import FOLDER, LANGUAGES, file_of
from training.lexicons.lexicon import align, choose, count
from training.lexicons.texts import pairs


@click.command()
@click.argument("packages", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--lang", "langs", multiple=True, type=click.Choice(sorted(LANGUAGES)), help="This one; all by default.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=FOLDER, help="Folder to write into.")
def main(packages: Path, langs: tuple[str, ...], out: Path) -> None:
    """Count lexicons from the texts of unpacked PACKAGES and write them."""
    embedder = open_embedder("multilingual")
    for lang in langs or sorted(LANGUAGES):
        sentences = list(pairs(packages, lang))
        lexicon = choose(count(sentences, align(sentences)), embedder)
        write(lexicon, out / file_of(lang).name)
        click.echo(f"{lang}: {len(lexicon):,} words from {len(sentences):,} sentences")


def write(lexicon: Mapping[str, str], file: Path) -> None:
    """Write the words, sorted, each with its English."""
    lines = "".join(sorted(f"{word}\t{english}\n" for word, english in lexicon.items()))
    file.write_bytes(lzma.compress(lines.encode(), preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    main()
