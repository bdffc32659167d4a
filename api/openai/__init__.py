"""OpenAI's chat completions API, so that its clients can ask Wellread: requests, completions and errors in its form."""
