"""Lexicons are counted from texts in two languages; aligning words is another program's work, and is given here."""

from __future__ import annotations

import lzma
from collections import Counter
from pathlib import Path

import pytest
from babel.messages import Catalog, mofile

from store.embedders import open_embedder
from training.lexicons.__main__ import write
from training.lexicons.lexicon import AlignerMissing, align, choose, count
from training.lexicons.texts import pairs

PAGE = "<html><body><h1>{}</h1><p>{}</p><ul><li>{}</li></ul><pre>code</pre></body></html>"


def save(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


@pytest.mark.parametrize(
    ("english", "other"),
    [
        ("help/en-US/a.html", "help/de/a.html"),
        ("reference/ch1.en.html", "reference/ch1.de.html"),
        ("guide/a.html", "guide/de/a.html"),
    ],
)
def test_pages_of_the_same_place_are_paired_by_their_paragraphs(tmp_path: Path, english: str, other: str) -> None:
    save(tmp_path / english, PAGE.format("The file", "Delete it. It is gone.", "Old"))
    save(tmp_path / other, PAGE.format("Die Datei", "Lösch sie. Sie ist weg.", "Alt"))
    assert list(pairs(tmp_path, "de")) == [
        (("die", "datei"), ("the", "file")),
        (("lösch", "sie"), ("delete", "it")),
        (("sie", "ist", "weg"), ("it", "is", "gone")),
        (("alt",), ("old",)),
    ]
    assert not list(pairs(tmp_path, "fr"))


def test_paragraphs_with_ids_are_paired_by_them(tmp_path: Path) -> None:
    save(tmp_path / "en/a.html", '<body><p id="par_1">One</p><p id="par_2">Two</p></body>')
    save(tmp_path / "de/a.html", '<body><p id="par_2">Zwei</p><p id="par_3">Drei</p></body>')
    assert list(pairs(tmp_path, "de")) == [(("zwei",), ("two",))]


def test_man_pages_and_messages_are_paired(tmp_path: Path) -> None:
    save(tmp_path / "man/man1/ls.1", ".SH NAME\nls \\- list\n.PP\nShows \\fBfiles\\fR.\n")
    save(tmp_path / "man/de/man1/ls.1", ".SH NAME\nls \\- zeigt\n.PP\nZeigt \\fBDateien\\fR.\n")
    catalog = Catalog(locale="de")
    catalog.add("_Open <b>file</b>", "Datei _öffnen")
    folder = tmp_path / "locale/de/LC_MESSAGES"
    folder.mkdir(parents=True)
    with (folder / "a.mo").open("wb") as stream:
        mofile.write_mo(stream, catalog)
    (folder / "broken.mo").write_bytes(b"no catalog")
    assert set(pairs(tmp_path, "de")) == {
        (("datei", "öffnen"), ("open", "file")),
        (("name", "ls", "zeigt"), ("name", "ls", "list")),
        (("zeigt", "dateien"), ("shows", "files")),
    }


def test_neighbours_that_no_other_word_stands_for_are_counted() -> None:
    sentence = ("die", "festplatte", "ist", "voll"), ("the", "hard", "disk", "is", "full")
    there = frozenset({(0, 0), (1, 1), (1, 2), (2, 3), (3, 4)})
    back = frozenset({(0, 0), (1, 2), (2, 3), (3, 4), (3, 0)})
    seen = count([sentence, sentence], [(there, back), (there, there)])
    assert seen["festplatte"] == Counter({"hard disk": 2})
    assert seen["voll"] == Counter({"full": 2})


def test_what_is_frequent_and_near_is_chosen() -> None:
    seen = {
        "datei": Counter({"file": 9, "image": 3}),
        "kirche": Counter({"church": 2, "often": 2}),
        "einmal": Counter({"parasite": 1}),
        "george": Counter({"george staikos": 4}),
    }
    lexicon = choose(seen, open_embedder("multilingual"))
    assert lexicon == {"datei": "file", "kirche": "church", "george": "george"}


def test_a_lexicon_is_written_sorted(tmp_path: Path) -> None:
    write({"b": "y", "a": "x z"}, tmp_path / "de.txt.xz")
    assert lzma.decompress((tmp_path / "de.txt.xz").read_bytes()) == b"a\tx z\nb\ty\n"


def test_without_the_aligner_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(AlignerMissing, match="pip install eflomal"):
        next(iter(align([(("a",), ("b",))])))
