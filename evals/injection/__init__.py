"""Pages that try to take over whoever reads them, written for this project, and what comes of them."""
