"""Parse untrusted bytes in a process of their own, bounded in time, memory and output: a file can hang any parser."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

#: bytes that a process may write
MAX_OUTPUT = 40_000_000


def parsed_lines(command: Sequence[str], body: bytes, *, wall_s: float) -> Iterator[Mapping[str, Any]]:
    """Yield the JSON lines that Python writes when it runs ``command`` on ``body``, also if it had to be killed."""
    with tempfile.TemporaryFile() as out:  # a file, not a pipe: its size can be limited
        with subprocess.Popen(  # noqa: S603 (our own script)
            [sys.executable, "-I", *command], stdin=subprocess.PIPE, stdout=out, stderr=subprocess.DEVNULL, env={}
        ) as process:
            try:
                process.communicate(body, timeout=wall_s)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
            except BaseException:
                process.kill()
                raise
        out.seek(0)
        for line in out:
            try:
                yield json.loads(line)
            except ValueError:  # a killed process leaves its last line incomplete
                continue


def limit_this_process(*, cpu_s: int, memory: int) -> None:
    """Limit processor time, bytes of address space and of output; called by the process that parses."""
    limits = {
        resource.RLIMIT_CPU: cpu_s,
        resource.RLIMIT_AS: memory,
        resource.RLIMIT_FSIZE: MAX_OUTPUT,
        resource.RLIMIT_CORE: 0,
    }
    for limit, value in limits.items():
        with suppress(ValueError, OSError):  # not every system can limit memory
            resource.setrlimit(limit, (value, value))
