"""The commands that ask and read."""

from __future__ import annotations

import click

COMMANDS: tuple[click.Command, ...] = ()
