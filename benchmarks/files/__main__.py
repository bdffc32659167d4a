"""Compare what reads one's own files with libraries that do, each in a venv of its own that is dropped afterwards.

``python -m benchmarks.files [--library kreuzberg] [--python kreuzberg=/path/to/python]``
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from benchmarks.files.corpus import HOSTILE, Section, documents, write

LIBRARIES = {
    "kreuzberg": ("kreuzberg",),
    "markitdown": ("markitdown[docx,pptx,pdf]",),
    "docling": ("docling", "docling-slim[format-opendocument]"),
}
#: docling's libraries take up addresses that they do not use
CPU_S, MEMORY = 120, 8_000_000_000
#: kinds in which a heading is no more than a line of text
_PLAIN = ("csv", "pdf", "txt")
_SCRIPT = Path(__file__).with_name("read_with.py")


@click.command()
@click.option("--library", "libraries", multiple=True, type=click.Choice([*LIBRARIES]), help="Compare with this one.")
@click.option("--python", "pythons", multiple=True, metavar="NAME=PATH", help="A Python that has the library already.")
def main(libraries: Sequence[str], pythons: Sequence[str]) -> None:
    """Print a line for each library: its size, what it kept of 27 files, and what three hostile ones did."""
    at = dict(named.split("=", 1) for named in pythons)
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder) / "files"
        files.mkdir()
        write(files)
        click.echo(_line("wellread", sys.executable, 0, files))
        for name in dict.fromkeys((*libraries, *at)):
            python = at.get(name) or _installed(name, Path(folder) / name)
            click.echo(_line(name, python, _size_mb(python), files))


def _line(name: str, python: str, size_mb: int, files: Path) -> str:
    whole = [path for path in sorted(files.iterdir()) if path.name not in HOSTILE]
    read = _read(name, python, whole)
    seconds = sum(each["seconds"] for each in read.values())
    kept = [_kept(path, read.get(path.name, {}).get("text", "")) for path in whole]
    shares = " ".join(
        f"{part} {sum(found[part] for found in kept) / max(1, sum(found[f'all {part}'] for found in kept)):.3f}"
        for part in ("words", "headings", "rows")
    )
    unread = [path.name for path in whole if "text" not in read.get(path.name, {})]
    harm = "; ".join(f"{bad}: {_harm(_read(name, python, [files / bad]).get(bad))}" for bad in HOSTILE)
    took = f"{size_mb} MB, {seconds:.2f} s of processor time"
    return f"{name}: {took}, {shares}; not read: {', '.join(unread) or 'none'}; {harm}"


def _read(name: str, python: str, paths: Sequence[Path]) -> dict[str, Mapping[str, Any]]:
    command = [python, str(_SCRIPT), name, str(CPU_S), str(MEMORY), *map(str, paths)]
    here = {"PYTHONPATH": str(Path(__file__).parents[2])} if name == "wellread" else {}
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, env=here)
    lines = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    return {line["name"]: line for line in lines}


def _kept(path: Path, text: str) -> dict[str, int]:
    """Return how many words, headings and rows of a file its text has, and how many there are."""
    sections = documents()[path.stem]
    lines = [line.strip(" #*|=\\") for line in text.splitlines()]
    rows = [row for section in sections for row in section.rows]
    headings = [] if path.suffix[1:] in _PLAIN else [section.heading for section in sections]
    expected = _words(" ".join(" ".join(row) for row in rows) if path.suffix == ".csv" else _all_text(sections))
    return {
        "words": sum((expected & _words(text)).values()),
        "all words": sum(expected.values()),
        "headings": sum(heading in lines for heading in headings),
        "all headings": len(headings),
        "rows": sum(any(_in_order(row, line) for line in lines) for row in rows),
        "all rows": len(rows),
    }


def _all_text(sections: Sequence[Section]) -> str:
    parts = [
        (each.heading, *each.sentences, *each.items, *(cell for row in each.rows for cell in row)) for each in sections
    ]
    return " ".join(" ".join(part) for part in parts)


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))


def _in_order(cells: Sequence[str], line: str) -> bool:
    return re.search(".*".join(map(re.escape, cells)), line) is not None


def _harm(said: Mapping[str, Any] | None) -> str:
    if said is None:
        return "killed"
    outcome = said.get("error") or f"{len(said['text']):,} characters"
    return f"{outcome} in {said['seconds']:.1f} s, {said['peak_mb']:.0f} MB"


def _installed(name: str, venv: Path) -> str:
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    python = str(venv / "bin" / "python")
    install = [python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", *LIBRARIES[name]]
    subprocess.run(install, check=True)
    return python


def _size_mb(python: str) -> int:
    """Return what is installed beside Python and pip."""
    packages = Path(python).parents[1] / "lib"
    own = ("pip", "setuptools")
    sizes = (
        path.stat().st_size
        for path in packages.rglob("*")
        if path.is_file() and not any(part.split("-")[0] in own for part in path.parts)
    )
    return round(sum(sizes) / 1e6)


if __name__ == "__main__":
    main()
