"""The option for files that are attached."""

from typing import Annotated, Any

from pydantic import BeforeValidator

from parley.attached import AttachedFile, files_of
from parley.errors import RequestError
from parley.options.written import Written


def _read(given: Any) -> Any:
    try:
        return files_of(given)
    except RequestError as error:
        raise ValueError(str(error)) from None


Files = Annotated[tuple[AttachedFile, ...], BeforeValidator(_read), Written("FILE")]
"""Files by their paths, in a list or one alone."""
