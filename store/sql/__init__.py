"""The SQL database: its connection, tables, leases and migrations."""
