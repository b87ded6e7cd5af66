"""The variables that ``.env`` in the working directory may set: settings and keys only.

The file may have come with the directory, as a study that was downloaded. So only names of settings and of keys are
taken from it: ``PYTHONPATH`` or ``SSL_CERT_FILE`` there would have a worker run a stranger's code, or trust a
stranger's server. Nor does a key of the environment go to an address that only the file names.
"""

import os
import re
from pathlib import Path

from dotenv import dotenv_values

from runtime.errors import SettingsError

_TAKEN = re.compile(r"(?:PARLEY|TEMPORAL|OTEL)_\w+|\w+_(?:API_KEY|KEY|TOKEN|SECRET)")
PROVIDERS_FILE = "PARLEY_PROVIDERS_FILE"
CONFIRM_PROVIDERS = "PARLEY_CONFIRM_PROVIDERS"
"""Whether a user must agree to the addresses in the providers file; said by no file of a directory."""
_ADDRESSES = ("TEMPORAL_ADDRESS", "TEMPORAL_CONFIG_FILE", "TEMPORAL_PROFILE")
_TEMPORAL_KEY = "TEMPORAL_API_KEY"


def read_env_file(path: Path) -> None:
    """Copy the settings and keys in ``path`` into the environment, never over a variable that is already there.

    Raises:
        SettingsError: the file cannot be read, or says what only the environment may say.
    """
    try:
        lines = dotenv_values(path, interpolate=False)
    except (OSError, ValueError):
        raise SettingsError(f"{str(path)!r} cannot be read; save it as UTF-8 text, or remove it") from None
    new = {name: value for name, value in lines.items() if value is not None and name not in os.environ}
    if CONFIRM_PROVIDERS in new:
        raise SettingsError(f"{CONFIRM_PROVIDERS} is set in {str(path)!r}; only the environment itself may set it")
    moved = next((name for name in _ADDRESSES if name in new), None)
    if moved and _TEMPORAL_KEY in os.environ:
        raise SettingsError(
            f"{str(path)!r} sets {moved}, and {_TEMPORAL_KEY} of the environment would be sent there; set both in the "
            "environment, or both in the file"
        )
    if PROVIDERS_FILE in new:
        # The environment would pass for the operator's, here and in every child.
        new.setdefault(CONFIRM_PROVIDERS, os.environ.get(CONFIRM_PROVIDERS, "true"))
    os.environ.update({name: value for name, value in new.items() if _TAKEN.fullmatch(name)})
