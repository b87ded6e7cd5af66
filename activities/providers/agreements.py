"""A user's agreement to send keys or prompts to an address, and the checks of a providers file from elsewhere.

A providers file in a working or study directory may have come with that directory, from an unknown source. Its
addresses are used only after a user agreed to each (provider, origin, key variable) once; a changed origin or
variable is another agreement. It may say limits for a built-in provider, but not where its key goes, and a provider of
its own may use no variable but the one that is named after it: the environment holds keys of many services.

A file that the operator names in the environment is the operator's word, and is taken as it is.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from activities.providers.addresses import is_loopback, origin_of
from activities.providers.errors import ConfigError
from protocols.model_call import FrozenModel

UNCONFIRMED = "config.unconfirmed_provider"


class Agreement(FrozenModel):
    """An agreement to send this variable's key, or prompts alone, to this origin."""

    provider: str
    origin: str
    """``scheme://host:port``."""
    variable: str | None
    """``None``: no key goes there."""

    @classmethod
    def to(cls, provider: str, base_url: str, variable: str | None) -> "Agreement":
        """Return what using a provider at ``base_url`` asks a user to agree to."""
        return cls(provider=provider, origin=origin_of(base_url).text, variable=variable)

    @property
    def text(self) -> str:
        """The variable and the origin, as a screen shows them."""
        return f"{self.variable or 'no key'} → {self.origin}"

    @property
    def is_needless(self) -> bool:
        """Return whether nothing leaves this machine and no key is sent."""
        return self.variable is None and is_loopback(origin_of(self.origin).host)


_agreements: TypeAdapter[list[Agreement]] = TypeAdapter(list[Agreement])


def read_agreements(path: Path) -> list[Agreement]:
    """Return what was agreed to; nothing when the file is absent.

    Raises:
        ConfigError: the file cannot be read; what was agreed to is then not known.
    """
    try:
        return _agreements.validate_json(path.read_bytes())
    except FileNotFoundError:
        return []
    except (OSError, ValidationError):
        said = f"the agreements in {str(path)!r} cannot be read; remove the file and agree again: parley allow NAME"
        raise ConfigError(said, error_type="config.agreements") from None


def with_agreement(path: Path, agreement: Agreement) -> str:
    """Return the file's text with ``agreement`` in the place of an earlier one to the same provider."""
    agreed = [*(one for one in read_agreements(path) if one.provider != agreement.provider), agreement]
    return json.dumps(_agreements.dump_python(agreed, mode="json"), indent=2) + "\n"


def require_agreement(wanted: Agreement, path: Path) -> None:
    """Refuse a provider without the user's agreement to its address, which is recorded in the file ``path``.

    Raises:
        ConfigError: there is no agreement. The text names the variable, the origin and the remedy.
    """
    if wanted.is_needless or wanted in read_agreements(path):
        return
    said = (
        f"provider {wanted.provider!r} is in a providers file of this directory, and its address was not agreed to "
        f"yet ({wanted.text}); nothing was sent. If the address is right: parley allow {wanted.provider}, or "
        f"--allow-provider {wanted.provider}"
    )
    raise ConfigError(said, error_type=UNCONFIRMED)


def refuse_foreign(wanted: Agreement, dialect: str, built_in: Mapping[str, tuple[Agreement, str]]) -> None:
    """Refuse what no file of a directory may say of a provider.

    Raises:
        ConfigError: it moves a built-in provider, or takes a variable that belongs to another.
    """
    if wanted.provider in built_in:
        theirs = built_in[wanted.provider]
        if theirs != (wanted, dialect):
            raise _refused(
                f"providers.{wanted.provider}: a file in a working or study directory may give the built-in provider "
                f"other limits, but not another address, key variable or dialect (it has {theirs[0].text}, "
                f"{theirs[1]}); choose another name"
            )
        return
    if wanted.variable is None:
        return
    name = wanted.provider.upper().replace("-", "_")
    if wanted.variable not in {f"{name}_API_KEY", f"{name}_KEY"}:
        raise _refused(
            f"providers.{wanted.provider}.key_variable: {wanted.variable} does not belong to this provider; in a file "
            f"of a working or study directory it must be {name}_API_KEY or {name}_KEY"
        )


def _refused(said: str) -> ConfigError:
    remedy = "a file that you trust is named in the environment: PARLEY_PROVIDERS_FILE"
    return ConfigError(f"{said}; {remedy}", error_type="config.providers_file")
