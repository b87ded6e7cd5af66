"""The dictionary with which short texts are compressed: English prose, the JSON of calls, the templates of prompts.

It is part of every history and never changes. Another one has another number, and both are kept.
"""

from importlib.resources import files

CONTENT = files(__package__).joinpath("dictionary-1.bin").read_bytes()
"""A dictionary of Zstandard, with the templates as JSON in it; for zlib it is bytes that are likely to come."""
