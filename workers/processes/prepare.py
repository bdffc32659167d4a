"""Brings the tables up to date and looks whether the passages are there, before the stack's programs need either.

A program of its own, so that the process that runs as long as the stack does not hold what this loads.
"""

import sys

from domain.errors import WellreadError
from workers.services import completeness
from workers.services.collections import migrate_all
from workers.settings import load


def main() -> None:
    """Prepare what the settings name; what is wrong goes to stderr, in one line."""
    try:
        settings = load()
        migrate_all(settings)
        completeness.check_once(settings)
    except WellreadError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
