"""Dialects: the same reply in the formats of three providers.

``shape`` has the common parts of all OpenAI-compatible endpoints, ``providers`` the differences of OpenRouter and of
Cerebras. The common shape itself is the third dialect, that of Ollama, vLLM and similar servers, without key and cost.
"""
