"""What schemathesis finds when it asks every route; run by ``make schemathesis``, in a venv of its own."""
