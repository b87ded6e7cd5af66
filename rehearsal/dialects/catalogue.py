"""The three dialects of this server."""

from rehearsal.dialects.cerebras import Cerebras
from rehearsal.dialects.openrouter import OpenRouter
from rehearsal.dialects.shape import Dialect

OPENROUTER = OpenRouter()

DIALECTS: tuple[Dialect, ...] = (OPENROUTER, Cerebras(), Dialect())
"""OpenRouter, Cerebras, and the plain shape that Ollama, vLLM and others speak."""
