"""The Celery tasks, one module a queue. Their names and their one argument are a published contract."""
