"""The client is tested against the API that its own tests serve."""

from tests.api.conftest import app, empty_database, services, settings  # noqa: F401
