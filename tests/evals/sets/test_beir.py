"""Sets are read; errors name the file and the line."""

from pathlib import Path

import pytest

from evals.sets.beir import SetError, read_set
from tests.evals.small_set import QRELS, write_set


def test_set_is_read_with_its_gold(tmp_path: Path) -> None:
    each = read_set(write_set(tmp_path / "towers"))
    assert each.name == "towers"
    assert each.passages[0].title == "Eiffel Tower"
    assert each.questions[3].gold == {2, 3}
    assert each.questions[4].gold == frozenset()
    assert each.questions[1].answers == ("every seven years", "seven years")


def test_document_with_score_zero_is_not_gold(tmp_path: Path) -> None:
    each = read_set(write_set(tmp_path, qrels=[*QRELS, "q0\td1\t0"]))
    assert each.questions[0].gold == {0}


def test_qrels_may_lack_their_head(tmp_path: Path) -> None:
    folder = write_set(tmp_path)
    (folder / "qrels.tsv").write_text("q0\td0\t1\n")
    assert read_set(folder).questions[0].gold == {0}


def test_questions_are_asked_in_another_corpus_of_the_same_ids(tmp_path: Path) -> None:
    german = [("d9", "Wand", "Ein Text davor."), ("d0", "Eiffelturm", "Der Eiffelturm wurde 1889 fertig.")]
    corpus = write_set(tmp_path / "de", corpus=german, qrels=[], lang="de")
    questions = write_set(tmp_path / "en", qrels=["q0\td0\t1"])
    each = read_set(questions, corpus=corpus)
    assert each.name == "en in de"
    assert each.lang == "de"
    assert each.questions[0].gold == {1}


@pytest.mark.parametrize(
    ("file", "line", "message"),
    [
        ("corpus.jsonl", "{", "corpus.jsonl, line 7: Invalid JSON"),
        ("corpus.jsonl", "[]", "corpus.jsonl, line 7: Input should be an object"),
        ("corpus.jsonl", '{"_id": "x", "title": "t", "text": "t"}', "corpus.jsonl, line 7: lang: Field required"),
        (
            "corpus.jsonl",
            '{"_id": "d0", "title": "t", "text": "t", "lang": "en"}',
            "corpus.jsonl, line 7: the id 'd0' occurs a second time",
        ),
        (
            "corpus.jsonl",
            '{"_id": "x", "title": "t", "text": " ", "lang": "en"}',
            "corpus.jsonl, line 7: text: String should match",
        ),
        (
            "queries.jsonl",
            '{"_id": "x", "text": "t", "answers": [1], "answerable": true}',
            "queries.jsonl, line 6: answers: Input should be a valid string",
        ),
        (
            "queries.jsonl",
            '{"_id": "x", "text": "t", "answers": [], "answerable": "yes"}',
            "queries.jsonl, line 6: answerable: Input should be a valid boolean",
        ),
        ("qrels.tsv", "q0 d0 1", "qrels.tsv, line 7: expected a question's id"),
        ("qrels.tsv", "q0\td0\tmuch", "qrels.tsv, line 7: expected a question's id"),
        ("qrels.tsv", "q9\td0\t1", "qrels.tsv, line 7: there is no question 'q9'"),
        ("qrels.tsv", "q0\td9\t1", "qrels.tsv, line 7: there is no document 'd9'"),
    ],
)
def test_error_names_its_file_and_line(tmp_path: Path, file: str, line: str, message: str) -> None:
    folder = write_set(tmp_path)
    with (folder / file).open("a") as opened:
        opened.write(line + "\n")
    with pytest.raises(SetError) as error:
        read_set(folder)
    assert message in str(error.value)


def test_missing_folder_and_missing_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(SetError, match=r"There is no folder .*nowhere"):
        read_set(tmp_path / "nowhere")
    folder = write_set(tmp_path)
    (folder / "qrels.tsv").unlink()
    with pytest.raises(SetError, match=r"has no qrels\.tsv"):
        read_set(folder)


def test_empty_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SetError, match=r"corpus\.jsonl is empty"):
        read_set(write_set(tmp_path, corpus=[], qrels=[]))
