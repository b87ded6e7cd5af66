"""Validation of the fire circle beside its baselines (seed 004)."""
