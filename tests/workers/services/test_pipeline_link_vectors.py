"""The links' texts are compared by a real model, each text embedded once a process."""

from __future__ import annotations

from workers.services.pipeline import LinkVectors


def test_a_link_is_near_in_meaning_without_a_common_word() -> None:
    similarity = LinkVectors().similarity_to("How do I keep a second copy of my files?", "en")
    assert similarity is not None
    backup, colours = similarity(["Making backups", "Choosing colours"])
    assert backup > colours + 0.1


def test_another_language_is_compared_by_the_multilingual_model() -> None:
    similarity = LinkVectors().similarity_to("Wie lege ich eine Sicherungskopie an?", "de")
    assert similarity is not None
    backup, colours = similarity(["Making backups", "Choosing colours"])
    assert backup > colours + 0.1


def test_a_vector_keeps_no_other_in_memory() -> None:
    vectors = LinkVectors()
    similarity = vectors.similarity_to("What is a lamp?", "en")
    assert similarity is not None
    similarity(["Lamps", "Oil"])
    assert [vector.base for vector in vectors._known.values()] == [None, None]


def test_a_text_is_embedded_once_for_all_questions() -> None:
    vectors = LinkVectors()
    for question in ("What is a lamp?", "What is oil?"):
        similarity = vectors.similarity_to(question, "en")
        assert similarity is not None
        assert len(similarity(["Lamps", "Oil", "Lamps"])) == 3
    assert len(vectors._known) == 2
