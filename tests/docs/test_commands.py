"""Every command line that is shown or named exists."""

from __future__ import annotations

import re
import subprocess

import click
import pytest

from api.cli.main import cli
from evals.__main__ import main as evals
from evals.asked.__main__ import main as asked
from tests.docs.blocks import ALONE, NOT_RUN, PAGES, ROOT, commands, every_command, single_commands


def test_shell_blocks_hold_only_programs_that_are_checked() -> None:
    programs = {words[0] for block in single_commands() for words in commands(block)}
    assert programs == {"wellread", "make", "curl", "pip", "docker", "kubectl", "python", "python3", "."}


@pytest.mark.parametrize("words", every_command("wellread"))
def test_wellread_takes_this_command_line(words: list[str]) -> None:
    command: click.Command = cli
    parent, arguments = None, words[1:]
    while isinstance(command, click.Group):
        context = command.make_context(command.name, list(arguments), parent=parent)
        if command.invoke_without_command and not [*context._protected_args, *context.args]:
            return
        name, found, arguments = command.resolve_command(context, [*context._protected_args, *context.args])
        assert found is not None, name
        command, parent = found, context
    command.make_context(command.name, list(arguments), parent=parent)


@pytest.mark.parametrize("words", every_command("python"))
def test_evals_take_this_command_line(words: list[str]) -> None:
    assert words[:2] == ["python", "-m"]
    if words[2] == "evals.asked":
        asked.make_context(words[2], words[3:])
    else:
        assert words[2] == "evals"
        evals.commands[words[3]].make_context(words[3], words[4:])


@pytest.mark.parametrize("words", every_command("make"))
def test_make_has_this_target(words: list[str]) -> None:
    planned = subprocess.run(["make", "-n", *words[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert planned.returncode == 0, planned.stderr


def test_targets_named_in_prose_exist() -> None:
    named = {name for path in PAGES.values() for name in re.findall(r"`make ([a-z-]+)`", path.read_text("utf-8"))}
    assert named <= set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_commands_named_in_prose_exist() -> None:
    named = {name for path in PAGES.values() for name in re.findall(r"`wellread ([a-z]+)", path.read_text("utf-8"))}
    assert named <= set(cli.commands)


def test_what_is_not_run_is_shown_and_told_apart() -> None:
    """Each of these is the beginning of a command line of a page; nothing stays in the lists that no page shows."""
    shown = [line for block in single_commands() for line in block.text.splitlines()]
    assert [words for words in NOT_RUN if not any(line.startswith(words) for line in shown)] == []
    assert [words for words in ALONE if not any(words in block.text for block in single_commands())] == []
