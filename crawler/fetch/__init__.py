"""One URL fetched under all guards: addresses, sizes, time."""
