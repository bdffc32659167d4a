"""The text of PDF files, read in a bounded process."""
