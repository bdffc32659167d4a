"""What the fuzzer found worth keeping runs through every target again, without the fuzzer."""

from pathlib import Path

import pytest

from tests.fuzz.__main__ import CORPUS, NAMES
from tests.fuzz.minimise import worth_keeping
from tests.fuzz.targets import TARGETS

MAX_BYTES = 300_000  #: of all inputs: the repository stays small


def inputs(target: str) -> list[Path]:
    return sorted((CORPUS / target).iterdir())


@pytest.mark.parametrize("target", NAMES)
def test_no_kept_input_breaks(target: str) -> None:
    kept = inputs(target)
    assert len(kept) > 5
    for each in kept:
        TARGETS[target](each.read_bytes())


def test_the_targets_are_those_that_can_be_named() -> None:
    assert tuple(TARGETS) == NAMES


def test_the_corpus_is_small() -> None:
    assert sum(each.stat().st_size for target in NAMES for each in inputs(target)) < MAX_BYTES


def test_of_inputs_that_take_the_same_steps_the_smallest_is_kept() -> None:
    inputs = [b"User-agent: *\nDisallow: /x", b"User-agent: *\nDisallow: /xyz", b"# nothing", b"# nothing at all"]
    assert worth_keeping(inputs, TARGETS["robots"]) == [b"# nothing", b"User-agent: *\nDisallow: /x"]
