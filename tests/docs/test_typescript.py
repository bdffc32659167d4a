"""The TypeScript client holds its types, and its example asks a real API."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.api import walk
from tests.docs.blocks import API, ROOT, Block, blocks
from workers.questions.webhooks import sign

CLIENT = ROOT / "clients" / "typescript"
COMPILER = CLIENT / "node_modules" / ".bin" / "tsc"

pytestmark = pytest.mark.skipif(
    not (shutil.which("node") and COMPILER.exists()), reason="no node or no compiler: `make typescript` installs it"
)


def compiled(folder: Path, name: str, code: str, *options: str) -> subprocess.CompletedProcess[str]:
    """What the compiler says of a program beside the client, which it writes into the folder."""
    for file in ("client.ts", "types.ts"):
        shutil.copy(CLIENT / file, folder)
    settings = json.loads((CLIENT / "tsconfig.json").read_text()) | {"files": [f"{name}.ts"]}
    settings["compilerOptions"]["outDir"] = "."
    (folder / "tsconfig.json").write_text(json.dumps(settings))
    (folder / "package.json").write_text(json.dumps({"type": "module"}))
    (folder / f"{name}.ts").write_text(code)
    return subprocess.run([str(COMPILER), *options], cwd=folder, capture_output=True, text=True, check=False)


def ran(folder: Path, name: str, *arguments: str) -> str:
    done = subprocess.run(["node", f"{name}.js", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_example_asks_and_prints_the_quotes(tmp_path: Path, url: str) -> None:
    done = compiled(tmp_path, "example", (CLIENT / "example.ts").read_text())
    assert done.returncode == 0, done.stdout
    printed = ran(tmp_path, "example", url)
    assert "final ANSWERED" in printed
    assert walk.QUOTE in printed
    assert "refused: 422 Change the question as the detail says." in printed


@pytest.mark.parametrize("block", [block for block in blocks("ts") if API in block.text], ids=str)
def test_shown_program_asks_and_prints_the_quotes(block: Block, tmp_path: Path, url: str) -> None:
    done = compiled(tmp_path, "shown", block.text.replace(API, url))
    assert done.returncode == 0, done.stdout
    assert walk.QUOTE in ran(tmp_path, "shown")


@pytest.mark.parametrize(("age", "printed"), [(0, "question.answered"), (360, "WebhookVerificationError")])
def test_shown_receiver_takes_a_webhook_and_no_old_one(age: int, printed: str, tmp_path: Path) -> None:
    (block,) = [block for block in blocks("ts") if "eventOf" in block.text]
    body, secret = b'{"event": "question.answered", "question": "\xc3\xbc"}', "whsec_c2VjcmV0"
    headers = sign(body, message_id="msg_1", secret=secret, now=datetime.now(UTC) - timedelta(seconds=age))
    sent = f"eventOf({json.dumps(body.decode())}, {json.dumps(headers)}, {json.dumps(secret)})"
    use = f"try {{ console.log({sent}); }} catch (error) {{ console.log((error as Error).constructor.name); }}"
    (tmp_path / "node_modules").symlink_to(CLIENT / "node_modules")
    done = compiled(tmp_path, "receiver", block.text + use, "--skipLibCheck")
    assert done.returncode == 0, done.stdout
    assert printed in ran(tmp_path, "receiver")


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
    code = f'import {{ Wellread }} from "./client.js";\nconst wellread = new Wellread();\n{wrong}\n'
    done = compiled(tmp_path, "wrong", code, "--noEmit")
    assert done.returncode != 0
    assert "wrong.ts(3," in done.stdout
