"""Read the operator's own files: office documents and e-books in a bounded process, tables of values as text."""
