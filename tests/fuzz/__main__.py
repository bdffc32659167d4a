"""Look for inputs that break the crawler: ``python -m tests.fuzz TARGET --seconds N``.

Coverage-guided (atheris, of the dependency group ``bench``), from the corpus beside this file; what is new is tried on
from a folder of its own. A finding is written beside it and printed: make it a test, mend it, keep it in the corpus.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import click

from tests.fuzz.minimise import worth_keeping

CORPUS = Path(__file__).parent / "corpus"
NAMES = ("extract", "robots", "url", "sitemap", "charset")
#: what is looked for besides exceptions: an input that takes longer, or more memory
HANGS_AFTER_S = 10
MAX_MEGABYTES = 2_000
MAX_BYTES = 4_096  #: of an input; longer ones find little more and fill the corpus


@click.command()
@click.argument("target", type=click.Choice(NAMES))
@click.option("--seconds", type=click.IntRange(min=1), default=60, show_default=True, help="How long to look.")
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False), help="Where new inputs are kept.")
@click.option("--merge", is_flag=True, help="Instead: take into the corpus what of the folder reaches something new.")
def main(target: str, seconds: int, folder: Path | None, merge: bool) -> None:
    """Fuzz one target."""
    folder = (folder or Path(tempfile.gettempdir()) / "wellread-fuzz" / target).absolute()
    corpus, findings = CORPUS / target, folder.with_name(f"{target}-findings")
    for each in (folder, corpus, findings):
        each.mkdir(parents=True, exist_ok=True)
    if merge:
        click.echo(f"{_merge(target, corpus, folder)} inputs are kept in {corpus}")
        return
    if find_spec("atheris") is None:
        raise click.ClickException("atheris is not installed: `make fuzz` installs it with the group `bench`.")
    _run(target, seconds, findings, [folder, corpus])


def _run(target: str, seconds: int, findings: Path, inputs: list[Path]) -> None:
    atheris = import_module("atheris")
    with atheris.instrument_imports(include=["crawler", "store"]):
        targets = import_module("tests.fuzz.targets")
    bounds = [f"-timeout={HANGS_AFTER_S}", f"-rss_limit_mb={MAX_MEGABYTES}", f"-max_len={MAX_BYTES}"]
    asked = [f"-max_total_time={seconds}", f"-artifact_prefix={findings}/", *map(str, inputs)]
    atheris.Setup([sys.argv[0], *bounds, *asked], targets.TARGETS[target])
    atheris.Fuzz()


def _merge(target: str, corpus: Path, folder: Path) -> int:
    """Put in the corpus's place what is worth keeping of it and of the folder, under the names of its contents."""
    targets = import_module("tests.fuzz.targets")
    found = [file.read_bytes() for place in (corpus, folder) for file in place.iterdir()]
    kept = worth_keeping(found, targets.TARGETS[target])
    for file in corpus.iterdir():
        file.unlink()
    for data in kept:
        (corpus / hashlib.blake2b(data, digest_size=8).hexdigest()).write_bytes(data)
    return len(kept)


if __name__ == "__main__":
    main(prog_name="python -m tests.fuzz")
