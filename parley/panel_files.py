"""The named panels: those that Parley brings (``panels.toml`` beside this file) and those of the user's own file.

A user's file has the same form; its panels win over shipped ones of the same name::

    [panels.mine]
    models = ["maker/large", {model = "ollama:qwen3:8b", system = "@critic.md", temperature = 0.2}]
    chair = "maker/large"

``@critic.md`` is the text of that file, which is below the directory of the panels file.
"""

from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from activities.providers.toml_file import read_toml
from parley.errors import RequestError
from parley.questions import read_seat_texts
from protocols.constraints import quoted, sentence_of
from protocols.named_panel import PANEL_NAME, NamedPanel, PanelLibrary
from protocols.study.model import protocol_of
from workflows.type_names import DELIBERATIONS

UNSHOWN = ("[key]", "str", "SeatTable", "function-before[read_seat(), union[str,SeatTable]]")
"""Parts of pydantic's path to a value that are no key of the file."""


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    panels: dict[Annotated[str, Field(pattern=PANEL_NAME)], NamedPanel]


@cache
def shipped_panels() -> PanelLibrary:
    """Return the panels that Parley brings."""
    return PanelLibrary(panels=_read(Path(__file__).with_name("panels.toml")))


def load_panels(path: Path | None) -> PanelLibrary:
    """Return the shipped panels with those of the file at ``path``."""
    shipped = shipped_panels()
    return shipped if path is None else shipped.extended(_read(path))


def refuse_unknown_protocols(panels: Mapping[str, NamedPanel]) -> None:
    """Refuse an entry for a protocol that does not exist.

    Raises:
        RequestError: there is one.
    """
    known = tuple(map(protocol_of, DELIBERATIONS))
    for name, panel in panels.items():
        unknown = next((protocol for protocol in panel.protocols if protocol not in known), None)
        if unknown is not None:
            raise RequestError(
                f"panels.{name}.protocols: {quoted(unknown)} is no protocol with roles; known are {', '.join(known)}"
            )


def _read(path: Path) -> dict[str, NamedPanel]:
    content = read_toml(path, "panel", partial(_refused, path))
    try:
        panels = _File.model_validate(read_seat_texts(path.resolve().parent, content)).panels
        refuse_unknown_protocols(panels)
    except RequestError as error:
        raise _refused(path, str(error)) from None
    except ValidationError as error:
        raise _refused(path, "; ".join(_problem(e) for e in error.errors(include_url=False))) from None
    return panels


def _problem(error: Any) -> str:
    key = ".".join(str(part + 1 if isinstance(part, int) else part) for part in error["loc"] if part not in UNSHOWN)
    if error["type"] == "extra_forbidden":
        return f"{key}: no such key; a panel may have {', '.join(NamedPanel.model_fields)}"
    if error["type"] == "missing":
        return f"{key} is missing; write [panels.NAME] with models"
    return f"{key}: {sentence_of(error)}"


def _refused(path: Path, said: str) -> RequestError:
    return RequestError(f"panels file {str(path)!r}: {said}")
