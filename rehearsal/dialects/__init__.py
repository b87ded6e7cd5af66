"""Dialects: the same answer as three providers write it.

``shape`` holds what all OpenAI-compatible endpoints have in common, and one file each the differences: ``openrouter``
(wrapped errors, its own cost), ``cerebras`` (flat errors, time and rate headers). The shape itself is the third: what
Ollama, vLLM and their like speak, without key and cost. ``catalogue`` lists the three.
"""
