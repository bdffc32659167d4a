"""The harness of questions by the hundred: its double of a model's service, and a short run of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.model import Service, measure
from benchmarks.report import Options
from tests.claude_double import KEY, claude_at
from tests.pipeline.models.claude.lighthouse import FIRST, QUESTION, brief


def test_service_replies_to_all_that_a_model_is_asked() -> None:
    with Service() as service:
        claude = claude_at(api_key=KEY, base_url=service.url)
        assert claude.verdict(brief()).value.sufficient
        assert len(claude.variants(QUESTION, count=3, lang="en").value) == 3
        written = claude.write(brief())
        assert written.answer.citations[0].quote in FIRST
        assert claude.check(QUESTION, written.answer, lang="en").value == ()
        assert (service.answers, service.writing) == (1, 0)
        claude.close()


@pytest.mark.live
@pytest.mark.timeout(900)
@pytest.mark.nightly
def test_a_short_run_loses_nothing(tmp_path: Path) -> None:
    options = Options(passages=1_000, rounds=1, folder=tmp_path, embedder="minilm", short=True)
    figures = {figure.name: figure.value for figure in measure(options).figures}
    assert (figures["lost"], figures["recorded twice"], figures["ended in time"]) == (0, 0, 1)
