"""Questions in SQL: their state, answers, evidence, records, watches and webhooks."""
