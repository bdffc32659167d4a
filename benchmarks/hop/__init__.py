"""The time from task to task, beside plain Celery and huey."""
