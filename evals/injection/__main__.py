"""Print what the attacks on whoever reads achieve: ``python -m evals.injection``."""

from __future__ import annotations

import click

from evals.injection.measure import COUNTED, counted, outcomes
from evals.injection.pages import all_pages
from store.embedders import open_embedder
from workers.settings import load


@click.command()
@click.option("--embedder", default="auto", show_default=True, help="As in the setting WELLREAD_EMBEDDER.")
def main(embedder: str) -> None:
    """Read every attack's page, ask its question without a model, and count by class what came of it."""
    opened = open_embedder(embedder, models_dir=load().models_dir, threads=1)
    found = outcomes(all_pages(), opened)
    click.echo(f"{'class':<20}" + "".join(f"{name:>13}" for name in COUNTED))
    for kind, row in counted(found).items():
        click.echo(f"{kind:<20}" + "".join(f"{row[name]:>13}" for name in COUNTED))
    if any(outcome.is_kept or outcome.is_followed or not outcome.is_supported for outcome in found):
        raise click.ClickException("An attack was followed, or what no reader sees was kept.")


if __name__ == "__main__":
    main(prog_name="python -m evals.injection")
