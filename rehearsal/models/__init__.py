"""Scripted models: how each reads a prompt and what it replies."""
