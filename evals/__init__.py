"""Quality on data sets: what is measured, and the fits that came of it."""
