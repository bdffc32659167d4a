"""Open what the embedder and the reader share: the tokenizer, the table of word vectors, a bounded session.

The table is mapped, not read: every process of a machine has the same pages of it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from domain.errors import WellreadError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

FOLDER: Final = Path(__file__).parent
MINILM: Final = FOLDER / "minilm.onnx"
DIMENSION: Final = 384
#: the ids of MiniLM's marks in its vocabulary
CLS, SEP = 101, 102


class ModelFileBroken(WellreadError):
    """A model's file, which comes with Wellread, is missing or damaged."""

    def __init__(self, path: Path, why: object) -> None:
        super().__init__(f"The model file {path} cannot be read: {why}. Install Wellread again.")


class WordVectors:
    """MiniLM's table of word vectors in eight bits."""

    def __init__(self) -> None:
        import numpy as np

        path = FOLDER / "words.npy"
        try:
            self._table: NDArray[np.uint8] = np.load(path, mmap_mode="r")
            scales = json.loads((FOLDER / "words.json").read_text())
        except (OSError, ValueError) as error:
            raise ModelFileBroken(path, error) from error
        self._scale, self._zero = np.float32(scales["scale"]), np.float32(scales["zero_point"])

    def of(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """Return the vectors of the tokens ``ids``: (len(ids), 384)."""
        stored: NDArray[np.float32] = self._table[list(ids)].astype("float32")
        return (stored - self._zero) * self._scale


@cache
def word_vectors() -> WordVectors:
    """Return the process's one table."""
    return WordVectors()


def open_tokenizer(*, most_tokens: int | None = None) -> Tokenizer:
    """Open MiniLM's tokenizer; texts are cut after ``most_tokens`` tokens, marks included."""
    from tokenizers import Tokenizer

    path = FOLDER / "tokenizer.json"
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare Exception for a file that is missing or torn
        raise ModelFileBroken(path, error) from error
    tokenizer.no_padding()
    if most_tokens is None:
        tokenizer.no_truncation()
    else:
        tokenizer.enable_truncation(most_tokens)
    return tokenizer


def open_session(model: Path, threads: int) -> InferenceSession:
    """Open an ONNX model for ``threads`` threads."""
    import onnxruntime

    options: Any = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # A spinning pool burns the cores the other workers need while it waits for the next batch.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library's own errors have no common class but this
        raise ModelFileBroken(model, error) from error
