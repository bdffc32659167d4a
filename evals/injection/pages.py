"""All attacks as pages."""

from __future__ import annotations

from evals.injection.attack import HOST, Attack, AttackPage, page_of
from evals.injection.hiding import HIDING
from evals.injection.markup import MARKUP
from evals.injection.wordings import WORDINGS

ATTACKS: tuple[Attack, ...] = (*WORDINGS, *HIDING, *MARKUP)


def all_pages(*, host: str = HOST) -> list[AttackPage]:
    """Return every attack's page, each with a place of its own."""
    return [page_of(attack, number, host=host) for number, attack in enumerate(ATTACKS)]
