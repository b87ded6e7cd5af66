"""The options for material from outside: attached files, and a search of the web."""

from typing import Annotated, Any

from pydantic import BeforeValidator

from parley.attached import AttachedFile, files_of
from parley.errors import RequestError
from parley.options.instructions import InstructionOptions
from parley.options.written import Written


def _read(given: Any) -> Any:
    try:
        return files_of(given)
    except RequestError as error:
        raise ValueError(str(error)) from None


class MaterialOptions(InstructionOptions):
    """The options for material, the same in every protocol."""

    attach: Annotated[tuple[AttachedFile, ...], BeforeValidator(_read), Written("FILE")] = ()
    """File that is shown to all who answer, review or conclude: text, PDF, or an image; by default none."""
    web: bool = False
    """Let OpenRouter search the web for the answers of the participants, at a price for each."""
