"""The compose file keeps its promises: every setting, loopback only, bounded logs, what starts after what."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path

import pytest
import yaml

from domain.flow import WORKERS, WRITER
from tests.containers.files import COMPOSE, OURS, ROOT, SECRET, SERVICES, SETTINGS, UNCHECKED


def test_every_part_of_the_stack_is_there() -> None:
    assert set(SERVICES) == {
        "redis", "postgres", "searxng", "migrate", "api", *WORKERS, "beat", "flower", "prometheus"
    }  # fmt: skip


@pytest.mark.parametrize("queue", WORKERS)
def test_each_queue_has_its_worker(queue: str) -> None:
    assert SERVICES[queue]["command"] == ["wellread", "worker", queue]


@pytest.mark.parametrize("part", ["api", "beat", "flower", "migrate"])
def test_each_other_part_is_its_own_command(part: str) -> None:
    assert SERVICES[part]["command"] == ["wellread", part]


@pytest.mark.parametrize("name", SERVICES)
def test_ports_are_published_on_loopback_only(name: str) -> None:
    assert all(re.fullmatch(r"127\.0\.0\.1:\d+:\d+", port) for port in SERVICES[name].get("ports", []))


def test_only_pages_for_people_are_published() -> None:
    assert {name for name, service in SERVICES.items() if "ports" in service} == {"api", "flower", "prometheus"}


@pytest.mark.parametrize("name", ["redis", "postgres"])
def test_databases_have_no_way_out(name: str) -> None:
    assert SERVICES[name]["networks"] == ["inside"]
    assert COMPOSE["networks"]["inside"] == {"internal": True}


def test_check_of_what_works_wants_a_file_of_this_minute(tmp_path: Path) -> None:
    kind, command = OURS["beat"]["healthcheck"]["test"]
    assert kind == "CMD-SHELL"
    alive = tmp_path / "alive"
    command = command.replace("/tmp/alive", str(alive))

    def status() -> int:
        return subprocess.run(["/bin/sh", "-c", command], capture_output=True, timeout=30, check=False).returncode

    assert status() != 0
    alive.touch()
    assert status() == 0
    os.utime(alive, (time.time() - 120,) * 2)
    assert status() != 0


@pytest.mark.parametrize("name", [*WORKERS, "beat"])
def test_what_touches_the_file_is_checked_by_it(name: str) -> None:
    assert OURS[name]["environment"]["WELLREAD_ALIVE_FILE"] in OURS[name]["healthcheck"]["test"][1]


@pytest.mark.parametrize("name", SERVICES)
def test_no_log_grows_without_end(name: str) -> None:
    logging = SERVICES[name]["logging"]
    assert logging["driver"] == "json-file"
    assert re.fullmatch(r"\d+m", logging["options"]["max-size"])
    assert int(logging["options"]["max-file"]) > 1


@pytest.mark.parametrize("queue", WORKERS)
def test_a_worker_that_stops_may_end_what_it_has_begun(queue: str) -> None:
    from workers.app import app

    assert OURS[queue]["stop_grace_period"] == f"{app.conf.task_time_limit + 10}s"


@pytest.mark.parametrize("name", SERVICES)
def test_every_part_is_limited_and_kept_from_rights_it_does_not_need(name: str) -> None:
    limits = SERVICES[name]["deploy"]["resources"]["limits"]
    assert float(limits["cpus"]) > 0
    assert re.fullmatch(r"\d+[MG]", limits["memory"])
    assert "no-new-privileges:true" in SERVICES[name]["security_opt"]


@pytest.mark.parametrize("name", sorted(set(SERVICES) - UNCHECKED - {"api"}))
def test_what_can_answer_is_asked_for_its_health(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"]


@pytest.mark.parametrize("name", ["redis", "postgres", "searxng", "prometheus"])
def test_images_of_others_are_fixed_by_version_and_digest(name: str) -> None:
    assert re.fullmatch(r"[\w/]+:v?\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}", SERVICES[name]["image"])


@pytest.mark.parametrize("name", sorted(set(OURS) - {"migrate"}))
def test_nothing_starts_before_the_tables_are_there(name: str) -> None:
    assert SERVICES[name]["depends_on"] == {
        "migrate": {"condition": "service_completed_successfully"},
        "redis": {"condition": "service_healthy"},
    }


def test_tables_are_made_once_the_database_answers() -> None:
    assert SERVICES["migrate"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    assert SERVICES["migrate"]["restart"] == "no"


@pytest.mark.parametrize("name", sorted(OURS))
def test_every_part_reads_the_same_settings(name: str) -> None:
    """A setting may name a key that it needs, so the keys go wherever the settings go."""
    assert OURS[name]["env_file"] == [{"path": ".env", "required": False}]
    assert {key for key in OURS[name]["environment"] if key.startswith("WELLREAD_")} <= SETTINGS
    assert SECRET - {"wellread_api_keys"} <= set(OURS[name]["secrets"])


def test_only_the_api_is_given_the_callers_keys() -> None:
    assert [name for name, service in SERVICES.items() if "wellread_api_keys" in service["secrets"]] == ["api"]


def test_flower_asks_for_a_password_and_lets_nobody_change_anything() -> None:
    assert [name for name, service in SERVICES.items() if "flower_basic_auth" in service["secrets"]] == ["flower"]
    assert SERVICES["flower"]["environment"]["FLOWER_READ_ONLY"] == "true"


@pytest.mark.parametrize("name", [WRITER.name, "beat"])
def test_single_parts_are_never_two(name: str) -> None:
    assert SERVICES[name]["deploy"]["replicas"] == 1


def test_volumes_and_mounted_files_exist() -> None:
    mounts = [str(volume).split(":")[0] for service in SERVICES.values() for volume in service.get("volumes", [])]
    assert {mount for mount in mounts if not mount.startswith("./")} == set(COMPOSE["volumes"])
    assert [mount for mount in mounts if mount.startswith("./") and not (ROOT / mount).is_file()] == []


def test_searxng_answers_in_json_and_holds_no_secret() -> None:
    settings = yaml.safe_load((ROOT / "docs/compose/searxng/settings.yml").read_text())
    assert "json" in settings["search"]["formats"]
    assert "secret_key" not in settings["server"]


def test_prometheus_has_its_rules_and_its_key() -> None:
    assert "./docs/compose/alerts.yml:/etc/prometheus/alerts.yml:ro" in SERVICES["prometheus"]["volumes"]
    assert SERVICES["prometheus"]["secrets"] == ["metrics_key"]


def test_prometheus_collects_from_parts_that_exist() -> None:
    config = yaml.safe_load((ROOT / "docs/compose/prometheus.yml").read_text())
    targets = [t for job in config["scrape_configs"] for static in job["static_configs"] for t in static["targets"]]
    assert {target.partition(":")[0] for target in targets} <= set(SERVICES)
    assert targets
