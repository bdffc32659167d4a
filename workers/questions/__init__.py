"""The question's steps: submitted, claimed, looked up, moved on, told of."""
