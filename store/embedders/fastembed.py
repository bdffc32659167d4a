"""Any model of the fastembed library, which downloads it from its hub on first use (optional dependency)."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from store.embedders import EmbedderNotInstalled, ModelUnusable
from text.encoder.runtime import silence_telemetry


class FastEmbed:
    """A fastembed text model."""

    def __init__(self, model: str, *, models_dir: Path | None = None, threads: int = 1, offline: bool = False) -> None:
        silence_telemetry()
        try:
            from fastembed import TextEmbedding
        except ImportError as error:
            raise EmbedderNotInstalled(f"fastembed:{model}", "pip install '.[fastembed]' in a checkout") from error
        self.id = f"fastembed:{model}"
        try:
            self._model = TextEmbedding(
                model, cache_dir=str(models_dir) if models_dir else None, threads=threads, local_files_only=offline
            )
            [probe] = self._model.embed(["dimension"])
        except Exception as error:  # the library raises plain ValueError, requests' and its hub's errors alike
            forbidden = f" WELLREAD_EGRESS forbids its download: put it into {models_dir}." if offline else ""
            raise ModelUnusable(
                f"fastembed cannot open the model {model!r}: {error}. Check the name against "
                "`TextEmbedding.list_supported_models()` and that its hub can be reached for the first download."
                f"{forbidden}"
            ) from error
        self.dimension = len(probe)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (len(texts), dimension) unit rows."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        vectors = np.asarray(list(self._model.embed(list(texts))), dtype=np.float32)
        unit: NDArray[np.float32] = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return unit
