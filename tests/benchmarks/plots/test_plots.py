"""Charts are true to their values, readable for everyone, and those of the docs are up to date."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.plots.__main__ import PLACE, drawn
from benchmarks.plots.charts import Bars, Lines
from benchmarks.plots.scale import Scale, number, round_values

SVG = "{http://www.w3.org/2000/svg}"
FIGURES = (PLACE / "figures.json").read_text("utf-8")


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def attributes(svg: str, tag: str, kind: str, name: str) -> list[float]:
    found = [each for each in ElementTree.fromstring(svg).iter(f"{SVG}{tag}") if each.get("class") == kind]
    return [float(each.get(name, "nan")) for each in found]


def test_pictures_of_the_docs_are_drawn_from_their_figures() -> None:
    committed = {path.name: path.read_text("utf-8") for path in PLACE.glob("*.svg")}
    assert committed == drawn(FIGURES), "run `make plots`"


def test_every_picture_is_shown() -> None:
    page = (PLACE.parent / "benchmarks.md").read_text("utf-8")
    assert [name for name in drawn(FIGURES) if f"](pictures/{name})" not in page] == []


def test_length_of_a_bar_is_in_proportion_to_its_value() -> None:
    svg = Bars(title="t", unit="ms", bars={"one": 10.0, "half": 5.0, "none": 0.0}, target=7.5, target_name="most").svg()
    one, half, none = attributes(svg, "rect", "bar", "width")
    assert (half, none) == (pytest.approx(one / 2, abs=0.1), 0.0)
    (left, *_), (target,) = attributes(svg, "rect", "bar", "x"), attributes(svg, "line", "target", "x1")
    assert target - left == pytest.approx(one * 0.75, abs=0.1)


def test_points_of_a_line_are_where_their_values_are() -> None:
    svg = Lines(title="t", x="x", y="y", is_log_x=True, series={"a": [(1, 0), (16, 5), (256, 10)]}).svg()
    across, down = (attributes(svg, "circle", "s0", name) for name in ("cx", "cy"))
    for first, middle, last in (across, down):
        assert middle - first == pytest.approx(last - middle, abs=0.1) != 0


def test_readers_of_the_screen_get_title_and_values() -> None:
    root = ElementTree.fromstring(Bars(title="Time & <place>", unit="ms", bars={"now": 0.5}).svg())
    named = {element.get("id"): element.text for element in root.iter() if element.get("id")}
    assert named == {"title": "Time & <place>", "values": "now: .5 ms"}
    assert (root.get("role"), root.get("aria-labelledby")) == ("img", "title values")


def test_axes_have_units_and_series_have_names() -> None:
    assert "MB" in texts(Bars(title="t", unit="MB", bars={"now": 900.0}).svg())
    shown = texts(Lines(title="t", x="day", y="MB", series={"a": [(40, 104)], "b": [(40, 99), (365, 100)]}).svg())
    assert {"day", "MB", "a", "b", "40", "365"} <= set(shown)


def test_many_values_of_x_are_marked_by_round_ones() -> None:
    shown = texts(Lines(title="t", x="day", y="MB", series={"a": [(day, 7.0) for day in range(1, 366)]}).svg())
    assert {"100", "200", "300"} <= set(shown)
    assert not {"99", "365", "400"} & set(shown)


def test_a_picture_needs_nothing_from_elsewhere() -> None:
    for svg in drawn(FIGURES).values():
        assert "<script" not in svg
        assert svg.count("http://") == 1  # the name of SVG
        assert "prefers-color-scheme: dark" in svg


@pytest.mark.parametrize("wrong", ["series", "colour"])
def test_a_chart_with_an_unknown_field_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        drawn(f'{{"one": {{"title": "t", "unit": "s", "bars": {{"a": 1}}, "{wrong}": 1}}}}')


@given(st.floats(1e-3, 1e9))
def test_round_values_reach_the_largest_value_and_are_few(most: float) -> None:
    values = round_values(most)
    assert values[0] == 0.0
    assert values[-1] >= most * (1 - 1e-9)
    assert 2 <= len(values) <= 6
    assert values[-2] < most


@given(st.floats(1, 1e6), st.floats(1, 1e6))
def test_equal_factors_are_equally_far_apart_on_a_logarithmic_axis(value: float, other: float) -> None:
    scale = Scale(least=1.0, most=1e12, start=0.0, end=100.0, is_log=True)
    assert math.isclose(scale.place(value) + scale.place(other), scale.place(value * other), abs_tol=1e-9)


@pytest.mark.parametrize(("value", "shown"), [(0.8, ".8"), (0.0, "0"), (3.5, "3.5"), (1342.0, "1,342"), (100.0, "100")])
def test_numbers_are_written_as_in_the_docs(value: float, shown: str) -> None:
    assert number(value) == shown
