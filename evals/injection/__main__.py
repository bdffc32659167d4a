"""Print how many attacks succeed: ``python -m evals.injection``."""

from __future__ import annotations

import click

from evals.injection.measure import COUNTED, all_pages, count_by_class, run_attacks
from store.embedders import open_embedder
from workers.settings import load


@click.command()
@click.option("--embedder", default="auto", show_default=True, help="As in the setting WELLREAD_EMBEDDER.")
def main(embedder: str) -> None:
    """Read every attack's page, ask its question without a model, and count the outcomes by class."""
    opened = open_embedder(embedder, models_dir=load().models_dir, threads=1)
    outcomes = run_attacks(all_pages(), opened)
    click.echo(f"{'class':<20}" + "".join(f"{name:>13}" for name in COUNTED))
    for kind, row in count_by_class(outcomes).items():
        click.echo(f"{kind:<20}" + "".join(f"{row[name]:>13}" for name in COUNTED))
    if any(outcome.is_stored or outcome.is_followed or not outcome.is_supported for outcome in outcomes):
        raise click.ClickException(
            "An attack succeeded: unseen text was stored or followed, or a quote is not in its page."
        )


if __name__ == "__main__":
    main(prog_name="python -m evals.injection")
