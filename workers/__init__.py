"""The only Celery: tasks, the settings, the composition root, and the supervisor that keeps it all running."""
