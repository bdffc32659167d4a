"""Run the bundled encoder and reader: the vectors of a text and of its sentences; what a passage says to a question.

The table of word vectors is mapped, not read: every process of a machine has the same pages of it.
"""

import json
import os
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
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
READER: Final = FOLDER / "reader.onnx"
#: the logit for what holds no text
NOTHING: Final = -10.0
#: the reader was trained with at most as many of a question, and of a title
QUESTION_TOKENS, TITLE_TOKENS = 48, 24
#: of a passage: more than 180 words have in any language, and less than text without a blank would cost
PASSAGE_TOKENS: Final = 900
_INPUTS, _OUTPUTS = ["question", "passage"], ["answers", "start", "end", "evidence"]


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
    """Return the process's one tokenizer; it neither cuts nor pads."""
    return _tokenizer(FOLDER / "tokenizer.json")


@cache
def _tokenizer(path: Path) -> "Tokenizer":
    from tokenizers import Tokenizer

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


@dataclass(frozen=True)
class Logits:
    """What the reader says of a passage with a question in mind."""

    spans: list[tuple[int, int]]  #: of each token in the passage's text, in characters
    answers: float  #: that the passage answers the question
    start: "NDArray[np.float32]"  #: of each token: the short answer starts here, less that there is none
    end: "NDArray[np.float32]"  #: of each token: the short answer ends here, less that there is none
    evidence: "NDArray[np.float32]"  #: of each token: it is part of a sentence that answers


class JointLayers:
    """The tokenizer, the word vectors and the reader's layers; safe to use from several threads."""

    def __init__(self, *, threads: int = 1) -> None:
        self._tokenizer = open_tokenizer()
        self._words = word_vectors()
        self._session = open_session(READER, threads)
        inputs, outputs = self._session.get_inputs(), self._session.get_outputs()
        names = [each.name for each in (*inputs, *outputs)]
        sizes = {each.shape[-1] for each in inputs}
        if names != [*_INPUTS, *_OUTPUTS] or sizes != {DIMENSION}:
            raise ModelFileBroken(READER, f"it is of another model ({', '.join(names)}; {sizes})")

    def read(self, question: str, title: str, text: str) -> Logits:
        """Return the logits of a passage below its title, a long one read in windows of like length.

        Tokens beyond the first 900 have none. Of several windows, that answers best says whether the passage answers.
        """
        import numpy as np

        asked = [CLS, *tokens_of(self._tokenizer, question)[0][:QUESTION_TOKENS], SEP]
        lead = [CLS, *tokens_of(self._tokenizer, title)[0][:TITLE_TOKENS]]
        ids, spans = tokens_of(self._tokenizer, text)
        ids, spans = ids[:PASSAGE_TOKENS], spans[:PASSAGE_TOKENS]
        windows = -(-len(ids) // (MAX_TOKENS - len(lead) - 1))
        answers = [NOTHING]
        parts = [np.empty((3, 0), dtype=np.float32)]
        # One window a run: int8 activations share one scale a run, so that in a batch a passage's logits would depend
        # on those read with it. It is also the fastest on a CPU.
        for number in range(windows):
            here = ids[number * len(ids) // windows : (number + 1) * len(ids) // windows]
            words = self._words.of(asked)[None], self._words.of([*lead, *here, SEP])[None]
            whole, *of_tokens = self._session.run(_OUTPUTS, dict(zip(_INPUTS, words, strict=True)))
            start, end, evidence = (logits[0] for logits in of_tokens)
            inside = slice(len(lead), -1)
            # the passage's first mark means "there is no short answer"
            parts.append(np.stack([start[inside] - start[0], end[inside] - end[0], evidence[inside]]))
            answers.append(float(whole[0]))
        start, end, evidence = np.concatenate(parts, axis=1)
        return Logits(spans, max(answers), start, end, evidence)
