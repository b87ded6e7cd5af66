"""Benchmarks against peers: each prints a table of ratios measured in one run."""
