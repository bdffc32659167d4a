"""The container files keep their promises: no default password, loopback only, the commands that `up` runs too."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from workers.queues import QUEUE_NAMES
from workers.settings import Settings

ROOT = Path(__file__).parent.parent
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if service.get("image") == "wellread:local"}
#: they end, or have nothing to ask
UNCHECKED = {"migrate", "beat"}


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions with their arguments, continued lines joined, comments left out."""
    text = re.sub(r"^\s*#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)
    lines = re.sub(r"\\\n", " ", text).splitlines()
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines if line.strip())]


def stages() -> list[list[tuple[str, str]]]:
    found: list[list[tuple[str, str]]] = []
    for word, rest in instructions():
        if word == "FROM":
            found.append([])
        found[-1].append((word, rest))
    return found


def test_every_part_of_the_stack_is_there() -> None:
    assert set(SERVICES) == {
        "redis", "postgres", "searxng", "migrate", "api", *QUEUE_NAMES, "beat", "flower", "prometheus"
    }  # fmt: skip


@pytest.mark.parametrize("queue", QUEUE_NAMES)
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


def test_no_secret_has_a_default() -> None:
    secrets = [
        (name, variable, str(value))
        for name, service in SERVICES.items()
        for variable, value in service.get("environment", {}).items()
        if re.search(r"PASSWORD|SECRET|AUTH$|API_KEYS|DATABASE_URL|REDIS_URL", variable)
    ]
    assert len(secrets) >= len(OURS) * 2 + 5
    assert [secret for secret in secrets if not re.search(r"\$\{[A-Z_]+:\?[^}]+\}", secret[2])] == []


def test_redis_keeps_every_message() -> None:
    command = SERVICES["redis"]["command"][-1]
    for option in (
        "--appendonly yes",
        "--appendfsync everysec",
        "--maxmemory-policy noeviction",
        '--requirepass "$$REDISCLI_AUTH"',
    ):
        assert option in command


@pytest.mark.parametrize("name", SERVICES)
def test_every_part_is_limited_and_kept_from_rights_it_does_not_need(name: str) -> None:
    limits = SERVICES[name]["deploy"]["resources"]["limits"]
    assert float(limits["cpus"]) > 0
    assert re.fullmatch(r"\d+[MG]", limits["memory"])
    assert "no-new-privileges:true" in SERVICES[name]["security_opt"]


@pytest.mark.parametrize("name", sorted(set(SERVICES) - UNCHECKED - {"api"}))
def test_what_can_answer_is_asked_for_its_health(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"]


def test_the_api_is_checked_by_the_image() -> None:
    assert "healthcheck" not in SERVICES["api"]
    assert any(word == "HEALTHCHECK" and "/healthz" in rest for word, rest in stages()[-1])


@pytest.mark.parametrize("name", ["redis", "postgres", "searxng", "prometheus"])
def test_images_of_others_name_a_version(name: str) -> None:
    tag = SERVICES[name]["image"].partition(":")[2]
    assert re.search(r"\d", tag)


@pytest.mark.parametrize("name", sorted(set(OURS) - {"migrate"}))
def test_nothing_starts_before_the_tables_are_there(name: str) -> None:
    assert SERVICES[name]["depends_on"] == {
        "migrate": {"condition": "service_completed_successfully"},
        "redis": {"condition": "service_healthy"},
    }


def test_tables_are_made_once_the_database_answers() -> None:
    assert SERVICES["migrate"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    assert SERVICES["migrate"]["restart"] == "no"


def test_every_setting_that_is_passed_exists() -> None:
    passed = {key for service in OURS.values() for key in service["environment"] if key.startswith("WELLREAD_")}
    known = {f"WELLREAD_{name.upper()}" for name in Settings.model_fields}
    assert passed - known == set()


def test_only_the_api_is_given_the_callers_keys() -> None:
    assert [name for name, service in OURS.items() if "WELLREAD_API_KEYS" in service["environment"]] == ["api"]


def test_flower_asks_for_a_password_and_lets_nobody_change_anything() -> None:
    environment = SERVICES["flower"]["environment"]
    assert environment["FLOWER_BASIC_AUTH"].startswith("${FLOWER_BASIC_AUTH:?")
    assert environment["FLOWER_READ_ONLY"] == "true"


def test_one_process_alone_writes_passages() -> None:
    assert SERVICES["embed"]["deploy"]["replicas"] == 1
    assert SERVICES["beat"]["deploy"]["replicas"] == 1


def test_volumes_and_mounted_files_exist() -> None:
    mounts = [str(volume).split(":")[0] for service in SERVICES.values() for volume in service.get("volumes", [])]
    assert {mount for mount in mounts if not mount.startswith("./")} == set(COMPOSE["volumes"])
    assert [mount for mount in mounts if mount.startswith("./") and not (ROOT / mount).is_file()] == []


def test_searxng_answers_in_json_and_holds_no_secret() -> None:
    settings = yaml.safe_load((ROOT / "docs/compose/searxng/settings.yml").read_text())
    assert "json" in settings["search"]["formats"]
    assert "secret_key" not in settings["server"]


def test_prometheus_collects_from_parts_that_exist() -> None:
    config = yaml.safe_load((ROOT / "docs/compose/prometheus.yml").read_text())
    targets = [t for job in config["scrape_configs"] for static in job["static_configs"] for t in static["targets"]]
    assert {target.partition(":")[0] for target in targets} <= set(SERVICES)
    assert targets


def test_the_image_is_built_from_the_locks_by_hash() -> None:
    locked = [rest for word, rest in stages()[0] if word == "RUN" and ".lock" in rest]
    assert len(locked) == 1
    for option in ("--require-hashes", "--no-deps", "--only-binary :all:"):
        assert locked[0].count(option) == 2
    assert "--no-build-isolation" in " ".join(rest for _, rest in stages()[0])


def test_the_image_runs_as_nobody_in_particular_and_holds_no_build_tools() -> None:
    *_, last = stages()
    assert ("USER", "10001:10001") in last
    assert not any("pip" in rest for word, rest in last if word == "RUN")


def test_a_new_volume_belongs_to_the_images_user() -> None:
    *_, last = stages()
    assert any(word == "RUN" and "install --directory --owner=10001 --group=10001 /data" in rest for word, rest in last)


def test_the_builder_is_sent_what_the_dockerfile_copies_and_no_more() -> None:
    ignore = (ROOT / ".dockerignore").read_text().splitlines()
    sent = {line.removeprefix("!") for line in ignore if line.startswith("!")}
    copied = {
        source for word, rest in stages()[0] if word == "COPY" and "--from" not in rest for source in rest.split()[:-1]
    }
    assert ignore[1] == "*"
    assert sent == copied
    assert [name for name in sorted(copied - {"README.md"}) if not (ROOT / name).exists()] == []
