"""Pages that attack their reader, written for this project, and how often they succeed."""
