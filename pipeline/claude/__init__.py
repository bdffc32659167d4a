"""Claude as the language model: calls, prompts, schemas, streaming and the spending budget."""
