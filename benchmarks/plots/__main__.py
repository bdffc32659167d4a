"""Draw the published figures for the docs: ``python -m benchmarks.plots``, or `make plots`.

docs/pictures/figures.json has the values of the tables in benchmarks/NOTES.md and docs/operate.md, chart by chart; each
becomes an SVG of its name beside it. Another series or bar is another line there.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import TypeAdapter

from benchmarks.plots.charts import Bars, Lines

PLACE = Path(__file__).parents[2] / "docs" / "pictures"


def drawn(figures: str) -> dict[str, str]:
    """Return the SVG of each chart, by the name of its file; ``figures`` is JSON."""
    charts = TypeAdapter(dict[str, Bars | Lines]).validate_json(figures)
    return {f"{name}.svg": chart.svg() for name, chart in charts.items()}


def main() -> None:
    """Write every chart anew."""
    for name, svg in drawn((PLACE / "figures.json").read_text("utf-8")).items():
        (PLACE / name).write_text(svg, "utf-8")


if __name__ == "__main__":
    main()
