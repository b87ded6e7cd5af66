"""The named panels: those that Parley brings (``panels.toml`` beside this file) and those of the user's own file.

A user's file has the same form; its panels win over shipped ones of the same name::

    [panels.mine]
    models = ["maker/large", "ollama:qwen3:8b"]
    chair = "maker/large"
"""

from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from activities.providers.errors import ConfigError
from activities.providers.toml_file import read_toml
from protocols.constraints import sentence_of
from protocols.named_panel import PANEL_NAME, NamedPanel, PanelLibrary

_SHIPPED = Path(__file__).with_name("panels.toml")


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
    content = read_toml(path, "panel", partial(_refused, path))
    try:
        return _File.model_validate(content).panels
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
