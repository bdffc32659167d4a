"""The TypeScript client holds its types, and its example asks a real API."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.api import walk
from tests.docs.blocks import ROOT

CLIENT = ROOT / "clients" / "typescript"
COMPILER = CLIENT / "node_modules" / ".bin" / "tsc"

pytestmark = pytest.mark.skipif(
    not (shutil.which("node") and COMPILER.exists()), reason="no node or no compiler: `make typescript` installs it"
)


def compiled(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [str(COMPILER), "--project", str(CLIENT), "--outDir", str(folder), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_example_asks_and_prints_the_quotes(tmp_path: Path, url: str) -> None:
    done = compiled(tmp_path)
    assert done.returncode == 0, done.stdout
    (tmp_path / "package.json").write_text(json.dumps({"type": "module"}))
    ran = subprocess.run(["node", "example.js", url], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "final ANSWERED" in ran.stdout
    assert walk.QUOTE in ran.stdout
    assert "refused: 422 Change the question as the detail says." in ran.stdout


@pytest.mark.parametrize(
    "wrong",
    [
        'await wellread.call("POST /api/questions", { body: { query: "?" } });',  # no such field
        'await wellread.call("GET /api/question", {});',  # no such route
        'await wellread.call("POST /api/questions", {});',  # the body is missing
        'const text: number = (await wellread.call("GET /api/pages", { query: { url: "x" } })).text;',
    ],
)
def test_wrong_call_does_not_compile(tmp_path: Path, wrong: str) -> None:
    for name in ("client.ts", "types.ts"):
        shutil.copy(CLIENT / name, tmp_path)
    settings = json.loads((CLIENT / "tsconfig.json").read_text()) | {"files": ["wrong.ts"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(settings))
    (tmp_path / "package.json").write_text(json.dumps({"type": "module"}))
    (tmp_path / "wrong.ts").write_text(
        f'import {{ Wellread }} from "./client.js";\nconst wellread = new Wellread();\n{wrong}\n'
    )
    done = subprocess.run([str(COMPILER), "--noEmit"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "wrong.ts(3," in done.stdout
