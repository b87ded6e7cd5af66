"""The named panels: those that Parley brings (``panels.toml`` beside this file) and those of the user's own file.

A user's file has the same form; its panels win over shipped ones of the same name::

    [panels.mine]
    models = ["maker/large", "ollama:qwen3:8b"]
    chair = "maker/large"
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from activities.providers.errors import ConfigError
from protocols.constraints import sentence_of
from protocols.named_panel import PANEL_NAME, NamedPanel, PanelLibrary

_SHIPPED = Path(__file__).with_name("panels.toml")
_LARGEST_FILE = 1_000_000


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    panels: dict[Annotated[str, Field(pattern=PANEL_NAME)], NamedPanel]


@cache
def shipped_panels() -> PanelLibrary:
    """Return the panels that Parley brings."""
    return PanelLibrary(panels=_read(_SHIPPED))


def load_panels(path: Path | None) -> PanelLibrary:
    """Return the shipped panels with those of the file at ``path``.

    Raises:
        ConfigError: the file cannot be read or used; the message names the key and the remedy.
    """
    shipped = shipped_panels()
    return shipped if path is None else shipped.extended(_read(path))


def _read(path: Path) -> dict[str, NamedPanel]:
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise _refused(path, f"cannot be read: {reason}; give the path of a TOML file") from None
    if len(content) > _LARGEST_FILE:
        raise _refused(path, "is larger than 1 MB; it should hold a few tables, one for each panel")
    try:
        return _File.model_validate(tomllib.loads(content.decode("utf-8-sig"))).panels
    except tomllib.TOMLDecodeError as error:
        raise _refused(path, f"is not TOML: {error}") from None
    except UnicodeDecodeError:
        raise _refused(path, "is not UTF-8; save it as UTF-8") from None
    except RecursionError:
        raise _refused(path, "is nested too deeply; a panel is one table") from None
    except ValidationError as error:
        raise _refused(path, "; ".join(_problem(e) for e in error.errors(include_url=False))) from None


def _problem(error: Any) -> str:
    key = ".".join(str(part) for part in error["loc"] if part != "[key]")
    if error["type"] == "extra_forbidden":
        return f"{key}: no such key; a panel may have {', '.join(NamedPanel.model_fields)}"
    if error["type"] == "missing":
        return f"{key} is missing; write [panels.NAME] with models"
    return f"{key}: {sentence_of(error)}"


def _refused(path: Path, said: str) -> ConfigError:
    return ConfigError(f"panels file {str(path)!r}: {said}", error_type="config.panels_file")
