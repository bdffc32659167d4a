"""Read the text in the pictures of a scanned PDF: a script of its own, as ``child_process`` is, with the extra "ocr".

Reads the file from standard input and writes a JSON line with the text of each page as soon as it is known. Arguments:
seconds of processor time, bytes of memory, numbers of pages. Nothing is downloaded: the models are in the package.
"""

import json
import logging
import math
import sys
import time
from collections.abc import Iterator
from typing import Any, Final

from crawler.extract.bounded_process import limit_this_process
from text.encoder.runtime import silence_telemetry

DPI: Final = 200
#: of a page as a picture: A4 at 200 dpi has four million, and a page may claim to be as large as a field
MAX_PIXELS: Final = 6_000_000


def main() -> None:
    """Read the file within the bounds."""
    seconds, memory = map(int, sys.argv[1:3])
    pages = [int(page) for page in sys.argv[3].split(",")]
    limit_this_process(cpu_s=seconds, memory=memory)
    logging.disable()
    out, sys.stdout = sys.stdout, sys.stderr  # what the packages print is no line of ours
    try:
        for line in _lines(sys.stdin.buffer.read(), pages, until=time.process_time() + 0.8 * seconds):
            out.write(json.dumps(line) + "\n")
            out.flush()
    except Exception as error:  # damage can raise anything, and the process ends here either way
        out.write(json.dumps({"problem": f"its pictures could not be read ({type(error).__name__})"}) + "\n")


def _lines(body: bytes, pages: list[int], until: float) -> Iterator[dict[str, Any]]:
    silence_telemetry()
    import pypdfium2
    from rapidocr import RapidOCR

    threads = {f"EngineConfig.onnxruntime.{which}_op_num_threads": 1 for which in ("intra", "inter")}
    engine: Any = RapidOCR(params={"Global.log_level": "error", **threads})
    document: Any = pypdfium2.PdfDocument(body)
    for number in pages:
        if time.process_time() > until:
            return
        yield {"page": number, "text": "\n".join(engine(_picture(document[number])).txts or ())}


def _picture(page: Any) -> Any:
    """Return a page as an array (height, width, 3) of bytes: blue, green, red."""
    width, height = page.get_size()  # in points, 72 to an inch
    scale = min(DPI / 72, math.sqrt(MAX_PIXELS / max(1.0, width * height)))
    return page.render(scale=scale).to_numpy()[:, :, :3]


if __name__ == "__main__":
    main()
