"""The operator's commands: start, look, repair."""

from __future__ import annotations

import click


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), help="The API's port; 0: any free one.  [default: 8484]")
@click.option("--no-flower", is_flag=True, help="Leave Flower out.")
def up(port: int | None, no_flower: bool) -> None:
    """Run everything in the foreground: Valkey, workers, beat, API and Flower."""
    from workers.settings import load
    from workers.stack import up as run

    settings = load() if port is None else load(api_port=port)
    run(settings, flower=not no_flower, say=click.echo)


@click.command()
def doctor() -> None:
    """Find what is wrong with this set-up and say how to mend it."""
    from api.doctor import examine
    from workers.services import Services
    from workers.settings import load

    checks = []
    for check in examine(Services(load())):
        checks.append(check)
        click.echo(f"{check.level:>5}  {check.name}: {check.said}")
        if check.fix:
            click.echo(f"       → {check.fix}")
    if any(check.level == "wrong" for check in checks):
        click.get_current_context().exit(1)


@click.command()
def version() -> None:
    """Print the version."""
    from importlib.metadata import version as installed

    click.echo(f"wellread {installed('wellread')}")


COMMANDS = (up, doctor, version)
