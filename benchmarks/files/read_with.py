"""Read files with one library and write a JSON line for each: a script for the Python that has the library.

Arguments: the library, seconds and bytes of memory for all, then the files.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path


def main() -> None:
    """Read each file, whatever becomes of it."""
    library, seconds, memory, *paths = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    read = READERS[library]()
    for path in paths:
        began = _processor_s()
        said = {"name": Path(path).name}
        try:
            with redirect_stdout(sys.stderr):
                said["text"] = read(path)
        except BaseException as error:  # the libraries' own panics, too
            said["error"] = type(error).__name__
        print(json.dumps(said | {"seconds": _processor_s() - began, "peak_mb": _peak_mb()}), flush=True)


def _processor_s() -> float:
    """Return the seconds of processor time of this process and of those that it waited for."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def _peak_mb() -> float:
    """Return the most memory that this process had; what it inherits from its parent does not count."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


def _wellread() -> Callable[[str], str]:
    from crawler.extract.files.file_text import read_file

    return lambda path: read_file(Path(path).read_bytes(), address=f"files://uploads/{Path(path).name}").text


def _markitdown() -> Callable[[str], str]:
    from markitdown import MarkItDown

    reader = MarkItDown()
    return lambda path: str(reader.convert(path).text_content)


def _kreuzberg() -> Callable[[str], str]:
    import kreuzberg

    return lambda path: str(kreuzberg.extract_file_sync(path).content)


def _docling() -> Callable[[str], str]:
    from docling.document_converter import DocumentConverter

    reader = DocumentConverter()
    return lambda path: str(reader.convert(path).document.export_to_markdown())


READERS = {"wellread": _wellread, "markitdown": _markitdown, "kreuzberg": _kreuzberg, "docling": _docling}

if __name__ == "__main__":
    main()
