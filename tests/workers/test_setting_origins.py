"""Each setting is shown with its value and where it comes from, and no secret is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.api.cli.command import wellread
from workers import setting_origins, settings


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with .env, and a folder of secrets."""
    monkeypatch.chdir(tmp_path)
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (tmp_path / ".env").write_text("WELLREAD_BRAVE_KEY=brave-secret\nWELLREAD_MAX_PAGES=7\nWELLREAD_WIKIPEDA=false\n")
    (secrets / "wellread_kagi_key").write_text("kagi-secret\n")
    (secrets / "wellread_kagi_kye").write_text("x")
    for module in (settings, setting_origins):
        monkeypatch.setattr(module, "SECRETS_DIR", secrets)
    monkeypatch.setenv("WELLREAD_MAX_PAGES", "9")
    monkeypatch.setenv("WELLREAD_API_KEYS", "ask:first,admin:second")
    monkeypatch.setenv("WELLREAD_DATABASE_URL", "postgresql+psycopg://me:db-secret@localhost/x")
    monkeypatch.setenv("WELLREAD_REDIS_URL", "redis://localhost:6379/0?password=redis-secret")
    monkeypatch.setenv("WELLREAD_EGRES", "none")
    return tmp_path


def test_each_origin_is_named_the_strongest_first(places: Path) -> None:
    found = json.loads(wellread("config", "show", "--json").stdout)
    known = {each["variable"]: (each["value"], each["origin"]) for each in found["settings"]}
    assert known["WELLREAD_MAX_PAGES"] == (9, "environment variable")
    assert known["WELLREAD_BRAVE_KEY"] == ("********", f"file {places / '.env'}")
    assert known["WELLREAD_KAGI_KEY"] == ("********", f"file {places / 'secrets' / 'wellread_kagi_key'}")
    assert known["WELLREAD_API_KEYS"] == (["********", "********"], "environment variable")
    assert known["WELLREAD_MAX_SECONDS"] == (120.0, "default")
    assert known["WELLREAD_EXA_KEY"] == ("", "default")
    assert known["WELLREAD_REDIS_URL"] == ("redis://localhost:6379/0?********", "environment variable")
    assert len(known) == len(settings.Settings.model_fields)


def test_what_the_profile_sets_is_told_apart(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WELLREAD_PROFILE", "documents")
    monkeypatch.setenv("WELLREAD_FUSION", "minmax")
    shown = wellread("config", "show").stdout
    assert "WELLREAD_JUDGE=document  (profile documents)" in shown
    assert "WELLREAD_FUSION=minmax  (environment variable)" in shown


def test_no_secret_is_shown_and_defaults_may_be_left_out(places: Path) -> None:
    for arguments in ((), ("--json",), ("--set",)):
        result = wellread("config", "show", *arguments)
        assert result.exit_code == 0
        assert not [
            each for each in ("secret", "first", "second") if f"-{each}" in result.stdout or f":{each}" in result.stdout
        ]
    shown = wellread("config", "show", "--set").stdout
    assert "WELLREAD_MAX_PAGES=9  (environment variable)" in shown
    assert "(default)" not in shown


def test_variables_that_are_no_setting_are_named_with_the_nearest(places: Path) -> None:
    unknown = json.loads(wellread("config", "show", "--json").stdout)["unknown"]
    assert unknown == [
        "WELLREAD_EGRES is not a setting; did you mean WELLREAD_EGRESS?",
        "WELLREAD_KAGI_KYE is not a setting; did you mean WELLREAD_KAGI_KEY?",
        "WELLREAD_WIKIPEDA is not a setting; did you mean WELLREAD_WIKIPEDIA?",
    ]
