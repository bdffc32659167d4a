"""Any model behind a server that speaks OpenAI's chat completions API: Ollama, vLLM, llama.cpp, LM Studio, OpenAI."""
