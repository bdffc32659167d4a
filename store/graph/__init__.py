"""Named things and facts in SQL, and the pages they lead to."""
