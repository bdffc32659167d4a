"""The passages table in LanceDB: its schema, search, upkeep, and a copy in memory."""
