"""Extract text, links, facts and passages from a fetched document."""
