"""A setting that cannot be used stops the program with its name, what is wrong and what may be set."""

from __future__ import annotations

import pytest

from pipeline.limits import Limits
from workers.services import limits_of
from workers.settings import SettingsError, load


def test_limits_are_those_of_the_settings() -> None:
    assert limits_of(load()) == Limits()
    own = load(
        variant_count=5, max_tokens_per_variant=50, initial_top_k=6, retry_top_k=12, final_top_k=5, threshold=0.6
    )
    assert limits_of(own) == Limits(
        variants=5, tokens_per_variant=50, initial_top_k=6, retry_top_k=12, final_top_k=5, threshold=0.6
    )
    assert limits_of(load(query_expansion=False, variant_count=4)).variants == 0


def test_empty_variables_leave_a_setting_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WELLREAD_INITIAL_TOP_K", "WELLREAD_THRESHOLD"):
        monkeypatch.setenv(name, "")
    assert limits_of(load()) == Limits()


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("variant_count", 6, "less than or equal to 5"),
        ("variant_count", 1, "greater than or equal to 2"),
        ("retry_top_k", 21, "less than or equal to 20"),
        ("initial_top_k", 0, "greater than or equal to 1"),
        ("final_top_k", 0, "greater than or equal to 1"),
        ("rrf_k", 0, "greater than or equal to 1"),
        ("threshold", 1.5, "less than or equal to 1"),
        ("quality_threshold", -0.1, "greater than or equal to 0"),
        ("min_high_quality_hits", 0, "greater than or equal to 1"),
        ("similarity_floor", 2, "less than or equal to 1"),
        ("max_tokens_per_variant", 1, "greater than or equal to 10"),
    ],
)
def test_value_out_of_range_is_refused_by_name(name: str, value: float, says: str) -> None:
    with pytest.raises(SettingsError, match=f"WELLREAD_{name.upper()}: .*{says}"):
        load(**{name: value})


def test_later_phases_cannot_be_set_to_fewer_hits_than_the_first() -> None:
    with pytest.raises(SettingsError, match=r"WELLREAD_RETRY_TOP_K: .*at least 8"):
        load(initial_top_k=8, retry_top_k=5)
