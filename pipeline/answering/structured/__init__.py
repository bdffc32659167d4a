"""Answer in the form that the asker gave: a JSON schema, each of its fields cited or null."""
