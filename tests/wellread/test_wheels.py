"""The client's wheel works where only it, httpx2, pydantic and what these need are installed."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import pytest
from fastapi import FastAPI
from packaging.requirements import Requirement

from domain import Status
from store.sql.tables import QuestionRow
from tests.api import walk
from tests.api.conftest import serving
from workers.services import Services

ROOT = Path(__file__).parents[2]

USE = """
import asyncio, json, sys
sys.path += sys.argv[2:]
from wellread import ApiUnreachable, AsyncClient, Client, Refused

async def use_async(url):
    async with AsyncClient(url) as client:
        question_id = await client.submit("Asynchronous?")
        kinds = [event.kind async for event in client.events(question_id)]
        return (await client.get(question_id)).answer, kinds[-1]

def use(url):
    with Client(url) as client:
        question_id = client.submit("Synchronous?")
        kinds = [event.kind for event in client.events(question_id)]
        try:
            client.submit(" ")
        except Refused as refused:
            return client.get(question_id).answer, kinds[-1], refused.status

url = sys.argv[1]
used = [use(url), asyncio.run(use_async(url))]
print(json.dumps({"used": used, "modules": sorted({name.partition(".")[0] for name in sys.modules})}))
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("wheels")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder]
    for project in (ROOT, ROOT / "clients" / "python"):
        subprocess.run(build, cwd=project, check=True, capture_output=True)
    return {path.name.partition("-")[0]: path for path in folder.glob("*.whl")}


@pytest.fixture
def answering(services: Services) -> Iterator[None]:
    """Answers every question that is asked."""
    stop = threading.Event()

    def answer_all() -> None:
        while not stop.wait(0.05):
            with services.database.read() as session:
                asked = [row.id for row in session.query(QuestionRow).where(QuestionRow.status == Status.ASKED)]
            for question_id in asked:
                walk.move(services, question_id, walk.answered())

    thread = threading.Thread(target=answer_all)
    thread.start()
    yield
    stop.set()
    thread.join()


def test_the_wheel_of_everything_holds_the_models_files(wheels: dict[str, Path]) -> None:
    folder = ROOT / "text" / "encoder"
    files = {f"text/encoder/{path.name}": path for path in folder.iterdir() if path.is_file()}
    with zipfile.ZipFile(wheels["wellread"]) as archive:
        assert {name: archive.read(name) == path.read_bytes() for name, path in files.items()} == dict.fromkeys(
            files, True
        )


def top_level(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as files:
        return {name.partition("/")[0] for name in files.namelist()}


def needed(*names: str) -> set[str]:
    """The distributions that these need, they among them."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        if (name := waiting.pop()) in found:
            continue
        found.add(name)
        requirements = map(Requirement, distribution(name).requires or ())
        waiting += [each.name for each in requirements if each.marker is None or each.marker.evaluate({"extra": ""})]
    return found


def link_distributions(names: set[str], folder: Path) -> None:
    for name in names:
        package = distribution(name)
        for top in {file.parts[0] for file in package.files or () if ".." not in file.parts}:
            if not (folder / top).exists():
                (folder / top).symlink_to(str(package.locate_file(top)))


def test_each_wheel_holds_its_own_packages_alone(wheels: dict[str, Path]) -> None:
    client, server = top_level(wheels["wellread_client"]), top_level(wheels["wellread"])
    version = wheels["wellread"].name.split("-")[1]
    assert client == {"wellread", f"wellread_client-{version}.dist-info"}
    packages = {"api", "crawler", "domain", "pipeline", "store", "text", "wellread", "workers"}
    assert server == packages | {f"wellread-{version}.dist-info"}


def test_client_alone_asks_and_follows_a_real_server(
    wheels: dict[str, Path], tmp_path: Path, app: FastAPI, services: Services, answering: None
) -> None:
    client, libraries = tmp_path / "client", tmp_path / "libraries"
    libraries.mkdir()
    link_distributions(needed("httpx2", "pydantic"), libraries)
    with zipfile.ZipFile(wheels["wellread_client"]) as files:
        files.extractall(client)
    with serving(app) as url:
        run = [sys.executable, "-I", "-S", "-c", USE, url, client, libraries]
        done = subprocess.run(run, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    answer = walk.answered().answer
    assert answer is not None
    assert said["used"] == [[answer.text, "final", 422], [answer.text, "final"]]
    assert not {"api", "celery", "domain", "fastapi", "lancedb", "sqlalchemy", "store"} & set(said["modules"])


def test_importing_the_client_imports_nothing_of_the_server() -> None:
    code = "import sys, wellread; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert not {"api", "celery", "fastapi", "lancedb", "sqlalchemy", "store", "workers"} & set(done.stdout.split())
