"""Run the bundled encoder: the vectors of a text, and of its sentences in their context.

The table of word vectors is mapped, not read: every process of a machine has the same pages of it.
"""

import json
import os
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from domain.errors import WellreadError
from text.sentences import sentence_spans

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

FOLDER: Final = Path(__file__).parent
ENCODER: Final = FOLDER / "encoder.onnx"
DIMENSION: Final = 384
#: the ids of the marks in the vocabulary
CLS, SEP = 101, 102
#: marks included; encoder and reader were trained with at most as many
MAX_TOKENS: Final = 256
#: Far more than 256 tokens of prose; keeps one huge text from being tokenised to its end.
_MAX_CHARS: Final = 20_000
#: of an addition and a normalisation: on a CPU the fused kernel takes seven times as long as both, a quarter of a run
_SLOW_FUSION: Final = "SkipLayerNormFusion"


class ModelFileBroken(WellreadError):
    """A model's file, which comes with Wellread, is missing or damaged."""

    def __init__(self, path: Path, why: object) -> None:
        super().__init__(f"The model file {path} cannot be read: {why}. Install Wellread again.")


class WordVectors:
    """The table of word vectors in eight bits."""

    def __init__(self) -> None:
        import numpy as np

        path = FOLDER / "words.npy"
        try:
            self._table: NDArray[np.uint8] = np.load(path, mmap_mode="r")
            scales = json.loads((FOLDER / "words.json").read_text())
        except (OSError, ValueError) as error:
            raise ModelFileBroken(path, error) from error
        self._scale, self._zero = np.float32(scales["scale"]), np.float32(scales["zero_point"])

    def of(self, ids: Sequence[int]) -> "NDArray[np.float32]":
        """Return the vectors of the tokens ``ids``: (len(ids), 384)."""
        stored: NDArray[np.float32] = self._table[list(ids)].astype("float32")
        return (stored - self._zero) * self._scale


@cache
def word_vectors() -> WordVectors:
    """Return the process's one table."""
    return WordVectors()


def open_tokenizer() -> "Tokenizer":
    """Open the tokenizer; it neither cuts nor pads."""
    from tokenizers import Tokenizer

    path = FOLDER / "tokenizer.json"
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare Exception for a file that is missing or torn
        raise ModelFileBroken(path, error) from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def tokens_of(tokenizer: "Tokenizer", text: str) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the ids of a text's tokens, and the character span of each."""
    # One text at a time: encode_batch would start a thread pool of its own and hang a process forked later.
    whole = text[:_MAX_CHARS].encode("utf-8", "replace").decode("utf-8")
    encoding = tokenizer.encode(whole, add_special_tokens=False)
    return encoding.ids, encoding.offsets


def open_session(model: Path, threads: int) -> "InferenceSession":
    """Open an ONNX model for ``threads`` threads."""
    onnxruntime = _onnxruntime()
    options: Any = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # A process would keep as much as its longest text has ever needed, 30 to 45 MB; to ask anew costs no time.
    options.enable_cpu_mem_arena = False
    # A spinning pool burns the cores the other workers need while it waits for the next batch.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"], disabled_optimizers=[_SLOW_FUSION]
        )
    except Exception as error:  # the library's own errors have no common class but this
        raise ModelFileBroken(model, error) from error


def load_before_fork() -> None:
    """Load the libraries, so that all processes that are forked from this one share them."""
    import tokenizers  # noqa: F401

    _onnxruntime()


def silence_telemetry() -> None:
    """Have onnxruntime, imported after this, keep no store of what it is used for, which is meant for its maker."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")


def _onnxruntime() -> Any:
    silence_telemetry()
    import onnxruntime

    return onnxruntime


class Encoder:
    """The tokenizer, the word vectors and the layers; safe to use from several threads."""

    def __init__(self, *, threads: int = 1) -> None:
        self._tokenizer = open_tokenizer()
        self._words = word_vectors()
        self._session = open_session(ENCODER, threads)

    def vector(self, text: str) -> "NDArray[np.float32]":
        """Return the unit vector (384,) of a question or a passage, which counts up to its 256th token."""
        ids = tokens_of(self._tokenizer, text)[0][: MAX_TOKENS - 2]
        [vector] = self._run(["sentence_embedding"], [CLS, *ids, SEP])[0]
        result: NDArray[np.float32] = vector
        return result

    def passage(self, text: str) -> "tuple[NDArray[np.float32], NDArray[np.float32]]":
        """Return the unit vectors of a passage (384,) and of its sentences in their context (sentences, 384).

        The first line is the title: no sentence of the passage. What lies beyond the 256th token has no vector.
        """
        import numpy as np

        ids, spans = tokens_of(self._tokenizer, text)
        [vector], [hidden] = self._run(["sentence_embedding", "hidden"], [CLS, *ids[: MAX_TOKENS - 2], SEP])
        spans = spans[: MAX_TOKENS - 2]
        below = text.find("\n") + 1
        rows = []
        for start, end in sentence_spans(text[below:]):
            start, end = below + start, below + end
            first = bisect_right(spans, start, key=lambda token: token[1])
            last = bisect_left(spans, end, key=lambda token: token[0])
            if first < last:
                mean = hidden[1 + first : 1 + last].mean(axis=0)
                rows.append(mean / np.linalg.norm(mean))
        return vector, np.array(rows, dtype=np.float32).reshape(-1, DIMENSION)

    def _run(self, outputs: Sequence[str], ids: Sequence[int]) -> "list[NDArray[np.float32]]":
        import numpy as np

        # One text a run: int8 activations share one scale a run, so in a batch a text's vector would depend on its
        # neighbours (cosine .97 to itself). It is also the fastest on a CPU: a batch falls out of the cache.
        words, mask = self._words.of(ids)[np.newaxis], np.ones((1, len(ids)), dtype=np.int64)
        result: list[NDArray[np.float32]] = self._session.run(outputs, {"words": words, "mask": mask})
        return result


def open_encoder(threads: int = 1) -> Encoder:
    """Return the process's one encoder of so many threads."""
    return _opened(threads, os.getpid())


@cache
def _opened(threads: int, _pid: int) -> Encoder:  # a forked process has none of its parent's threads
    return Encoder(threads=threads)
