"""The results of all protocols: read from JSON as the type that their ``protocol`` names, and shown."""

from functools import cache
from typing import Annotated, Any, Union

from pydantic import Field, TypeAdapter

from parley.specs import PROTOCOLS
from protocols.deliberation import DeliberationResult
from protocols.tables import ResultView, with_names


@cache
def any_result() -> Any:
    """Return the type of a result whose protocol is not known beforehand, for the SDK's converter."""
    return Annotated[Union[tuple(spec.result for spec in PROTOCOLS.values())], Field(discriminator="protocol")]  # noqa: UP007 - made of a table


def parse_result(document: Any) -> DeliberationResult:
    """Parse the result from ``document``, a JSON object."""
    return _adapter().validate_python(document)


@cache
def _adapter() -> TypeAdapter[DeliberationResult]:
    return TypeAdapter(any_result())


def view_of(result: DeliberationResult) -> ResultView:
    """Return what is shown of ``result``."""
    view: ResultView = with_names(PROTOCOLS[result.protocol].view(result), result.names)
    return view
