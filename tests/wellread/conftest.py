"""The client is tested against the API that its own tests serve."""

from tests.api.conftest import app, services, settings  # noqa: F401
