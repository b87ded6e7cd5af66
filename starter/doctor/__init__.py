"""The checks of ``parley doctor``."""
