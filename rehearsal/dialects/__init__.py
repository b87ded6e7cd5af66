"""Dialects: the same reply in the formats of three providers.

``shape`` has the common parts of all OpenAI-compatible endpoints, ``openrouter`` (wrapped errors, its own cost) and
``cerebras`` (flat errors, time and rate headers) their differences. The common shape itself is the third dialect, that
of Ollama, vLLM and similar servers, without key and cost. ``catalogue`` lists the three.
"""
