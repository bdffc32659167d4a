"""Real questions about real pages: asked of the product over HTTP, or in this process, and graded."""
