"""Read the text of PDF files in a bounded process."""
