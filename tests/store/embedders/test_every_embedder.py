from __future__ import annotations

import numpy as np
import pytest

from store.embedders import Embedder
from tests.store.embedders.texts import TEXTS


@pytest.mark.parametrize("name", ["minilm", "multilingual", "combined"])
def test_a_texts_vector_is_a_unit_row_that_does_not_depend_on_its_batch(
    name: str, request: pytest.FixtureRequest
) -> None:
    embedder: Embedder = request.getfixturevalue(name)
    together = embedder.embed(TEXTS)
    alone = np.vstack([embedder.embed([text]) for text in TEXTS])
    assert together.shape == (len(TEXTS), embedder.dimension)
    assert together.dtype == np.float32
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-4)
    assert np.allclose(together, alone, atol=1e-5)


@pytest.mark.parametrize("name", ["minilm", "multilingual", "combined"])
def test_no_texts_make_no_rows(name: str, request: pytest.FixtureRequest) -> None:
    embedder: Embedder = request.getfixturevalue(name)
    assert embedder.embed([]).shape == (0, embedder.dimension)


@pytest.mark.parametrize("name", ["minilm", "multilingual", "combined"])
def test_half_a_character_does_not_stop_a_batch(name: str, request: pytest.FixtureRequest) -> None:
    embedder: Embedder = request.getfixturevalue(name)
    assert np.isfinite(embedder.embed(["broken \ud800 emoji"])).all()
