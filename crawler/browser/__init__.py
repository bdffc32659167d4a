"""Pages whose text only their scripts make, rendered in Chromium behind the same guard."""
