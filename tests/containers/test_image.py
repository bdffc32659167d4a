"""The image is built from the locks, holds what it needs, and runs as nobody in particular."""

from __future__ import annotations

import re

from tests.containers.files import ROOT, SERVICES


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


def test_the_image_is_built_from_the_locks_by_hash() -> None:
    locked = [rest for word, rest in stages()[0] if word == "RUN" and ".lock" in rest]
    assert len(locked) == 1
    for option in ("--require-hashes", "--no-deps", "--only-binary :all:"):
        assert locked[0].count(option) == 2
    assert "--no-build-isolation" in " ".join(rest for _, rest in stages()[0])


def test_both_stages_stand_on_one_image_that_is_fixed_by_its_digest() -> None:
    names = {rest.partition(" ")[0] for word, rest in instructions() if word == "FROM"}
    assert re.fullmatch(r"python:3\.11-slim@sha256:[0-9a-f]{64}", *names)


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


def test_the_api_is_checked_by_the_image() -> None:
    assert "healthcheck" not in SERVICES["api"]
    assert any(word == "HEALTHCHECK" and "/healthz" in rest for word, rest in stages()[-1])
