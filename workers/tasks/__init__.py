"""The tasks, one module a queue: a doorbell each. Their names and their one argument are a published contract."""
