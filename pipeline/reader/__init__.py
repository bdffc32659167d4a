"""The reader: a small trained model that says whether a passage answers a question, and where."""
