"""What Prometheus and Grafana are given names figures that /metrics has, with the labels that it has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from api.operations.metrics import METRICS
from domain import ReadOutcome, Status
from domain.flow import QUEUES, TASKS

FOLDER = Path(__file__).parent.parent / "docs/compose"
RULES: list[dict[str, Any]] = [
    rule for group in yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"] for rule in group["rules"]
]
DASHBOARD: dict[str, Any] = json.loads((FOLDER / "grafana.json").read_text())
PANELS: list[dict[str, Any]] = DASHBOARD["panels"]
#: values that a label may have; any where it is not here
VALUES = {
    "status": set(Status),
    "outcome": set(ReadOutcome),
    "queue": set(QUEUES),
    "task": set(TASKS),
    "state": {"waiting", "failed"},
    "part": {"database", "redis"},
    "quantile": {"0.5", "0.95"},
    "job": {"wellread"},
}
#: made by Prometheus itself, with its labels
OF_PROMETHEUS = {"up": ("job", "instance")}

EXPRESSIONS = [(rule["alert"], rule["expr"]) for rule in RULES]
EXPRESSIONS += [(panel["title"], target["expr"]) for panel in PANELS for target in panel["targets"]]


def selectors(expression: str) -> Iterator[tuple[str, str]]:
    """The names of figures in an expression, each with what stands in its braces."""
    without_grouping = re.sub(r"\bby \([^)]*\)", "", expression)
    for name, braces in re.findall(r"\b([a-z_]+)\b(?!\s*\()(?:\{([^}]*)\})?", without_grouping):
        if name != "and":
            yield name, braces


@pytest.mark.parametrize(("where", "expression"), EXPRESSIONS)
def test_every_figure_that_is_asked_for_is_told(where: str, expression: str) -> None:
    found = dict(selectors(expression))
    assert found
    known = {name: labels for name, (_, labels) in METRICS.items()} | OF_PROMETHEUS
    assert set(found) - set(known) == set()
    grouped = {label for by in re.findall(r"\bby \(([^)]*)\)", expression) for label in by.split(", ")}
    assert grouped <= {label for name in found for label in known[name]}
    for name, braces in found.items():
        for label, values in re.findall(r'(\w+)=~?"([^"]*)"', braces):
            assert label in known[name]
            assert set(values.split("|")) <= VALUES[label]


@pytest.mark.parametrize(("where", "expression"), EXPRESSIONS)
def test_figures_of_several_processes_are_not_added_up(where: str, expression: str) -> None:
    assert not re.search(r"\b(sum|count|avg)(?: by \([^)]*\))? ?\((?!max by)", expression)


def test_the_search_for_figures_finds_them() -> None:
    expression = 'sum(max by (a, b) (one{c=~"x|y"})) / (two > 0.1) and delta(three[15m]) > 0'
    assert list(selectors(expression)) == [("one", 'c=~"x|y"'), ("two", ""), ("three", "")]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_every_alert_says_what_is_and_what_to_do(rule: dict[str, Any]) -> None:
    assert rule["alert"].startswith("Wellread")
    assert rule["labels"]["severity"] in ("page", "ticket")
    assert rule["annotations"]["summary"]
    assert rule["annotations"]["description"].endswith(".")
    used = set(re.findall(r"\$labels\.(\w+)", json.dumps(rule["annotations"])))
    labels = {
        label for name, _ in selectors(rule["expr"]) for label in (METRICS | OF_PROMETHEUS).get(name, ("", ()))[1]
    }
    assert used <= labels | {"instance"}


def test_alerts_have_a_name_each() -> None:
    assert len({rule["alert"] for rule in RULES}) == len(RULES)


def test_every_figure_is_on_the_dashboard() -> None:
    shown = {name for panel in PANELS for target in panel["targets"] for name, _ in selectors(target["expr"])}
    assert shown == set(METRICS)


def test_panels_do_not_cover_each_other() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in PANELS:
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= 24
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken, panel["title"]
        taken |= cells
    assert len({panel["id"] for panel in PANELS}) == len(PANELS)


def test_prometheus_loads_the_rules_and_asks_with_a_key() -> None:
    config = yaml.safe_load((FOLDER / "prometheus.yml").read_text())
    assert config["rule_files"] == ["/etc/prometheus/alerts.yml"]
    (job,) = [job for job in config["scrape_configs"] if job["job_name"] == "wellread"]
    assert job["authorization"] == {"credentials_file": "/run/secrets/metrics_key"}
    assert job.get("metrics_path", "/metrics") == "/metrics"
