"""Language models: what every provider needs (prompts, forms, checks, money), and the providers beneath."""
