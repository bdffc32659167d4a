"""The command line, run in this process."""

from __future__ import annotations

from click.testing import CliRunner, Result

from api.cli.main import cli


def wellread(*arguments: str) -> Result:
    """Run `wellread` with these arguments, on a wide terminal whatever terminal the tests run in."""
    return CliRunner(env={"COLUMNS": "160"}).invoke(cli, arguments)
