"""Getting hits: search, fusion, multi-hop expansion, context and quality."""
