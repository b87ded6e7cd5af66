"""The data converter of an installation, without files and keys, for tests that ask Temporal themselves."""

from pathlib import Path
from typing import Final

from runtime.payloads import data_converter
from runtime.settings import Settings

CONVERTER: Final = data_converter(Settings.model_validate({"home": Path(), "blobs": Path()}), inline=True)
"""What a worker has: its parts remember how types are read, where the SDK's would learn it anew for each activation."""
