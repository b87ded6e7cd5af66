"""Short inputs: any Temporal client starts a workflow with its whole argument or with a short object.

``accepts_short_input`` goes between ``workflow.defn`` and a workflow class. Parley's own client sends the whole
argument, and the class works as if the decorator were not there. The activity ``complete_input`` completes a short
object; the history keeps its result, and the class continues in the same run. Anything else fails the run at once,
because Temporal would retry a failed workflow *task* forever.
"""

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeVar, get_type_hints

from pydantic import BaseModel, JsonValue, ValidationError
from temporalio import workflow
from temporalio.api.common.v1 import Payload
from temporalio.common import RawValue, SearchAttributeUpdate
from temporalio.exceptions import ApplicationError

from protocols.constraints import problem
from protocols.starting import (
    EARLIER_TURNS,
    INVALID,
    IS_BEING_PREPARED,
    CompletedInput,
    InvalidStartError,
    StartRequest,
    UnreadableInputError,
    is_complete,
    read_complete,
    read_object,
    wrong_encoding,
    wrong_number,
)
from workflows import search_attributes
from workflows.activity_calls import complete_input, start_failure
from workflows.earlier_turns import answer_earlier, has_earlier_turns

Schedule = TypeVar("Schedule")

INLINE = "parley-inline"
"""Metadata of a payload that is not to become a blob; ``runtime.blobs`` takes it off under the same name."""

_JSON = b"json/plain"
_NOT_JSON = {b"binary/plain", b"binary/null", b"binary/protobuf", b"json/protobuf", b""}
_IS_SHORT = "short_input"
"""Memo of a run that was started with a short object, and of its continuations."""

Start = BaseModel | dict[str, JsonValue] | InvalidStartError | Payload
"""What a run was started with: the whole argument, a short object, something invalid, something undecoded."""


def accepts_short_input(schedule: type[Schedule]) -> type[Schedule]:
    """Allow a short object as the argument of a class with ``workflow.init`` and ``workflow.run``."""
    cls: Any = schedule
    begin, hold = cls.__init__, cls.run
    model = next(hint for name, hint in get_type_hints(hold).items() if name != "return")

    def __init__(self: Any, *arguments: object) -> None:  # noqa: N807 - the SDK asks for this name
        self._start = _read_start(arguments, model)
        if isinstance(self._start, model) and not has_earlier_turns(self._start):
            begin(self, self._start)

    async def run(self: Any, *arguments: object) -> Any:  # noqa: ARG001 - __init__ has read them
        inp = self._start
        is_started = isinstance(inp, model) and not has_earlier_turns(inp)
        if not isinstance(inp, model):
            inp = self._start = await _completed(inp, model)
        if has_earlier_turns(inp):
            inp = await answer_earlier(inp)
        if not is_started:
            begin(self, inp)
        result = await hold(self, inp)
        return _readable(result) if workflow.memo_value(_IS_SHORT, default=False) else result

    cls.__init__ = workflow.init(_in_place_of(begin, __init__))
    cls.run = workflow.run(_in_place_of(hold, run))
    cls.__getattr__ = _refuse_early
    return schedule


def _in_place_of(original: Callable[..., Any], function: Any) -> Any:
    """Give ``function`` the name of ``original``, and for the SDK the signature ``(self, inp: RawValue)``.

    The function itself takes any number of arguments, so that a wrong number fails the run and not the task.
    """
    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(function, name, getattr(original, name))
    function.__annotations__ = {"inp": RawValue, "return": get_type_hints(original).get("return")}
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    inp = inspect.Parameter("inp", positional, annotation=RawValue)
    function.__signature__ = inspect.Signature([inspect.Parameter("self", positional), inp])
    return function


def _refuse_early(self: Any, name: str) -> Any:
    """Refuse a query or an update that comes before the input is complete.

    Raises:
        AttributeError: Python itself looks for a method that may be missing.
        ApplicationError: the input is not complete yet.
    """
    if name.startswith("__"):
        raise AttributeError(name)
    then = EARLIER_TURNS if has_earlier_turns(self.__dict__.get("_start")) else "try again in a moment"
    said = f"{workflow.info().workflow_id} {IS_BEING_PREPARED}; {then}"
    raise ApplicationError(said, type="input.incomplete", non_retryable=True)


def _read_start(arguments: Sequence[object], model: type[BaseModel]) -> Start:
    """Return the whole argument, a short object, why it is neither, or a payload that is no JSON."""
    name = workflow.info().workflow_type
    if len(arguments) == 1 and isinstance(arguments[0], RawValue):
        payload = arguments[0].payload
        if payload.metadata.get("encoding") != _JSON:
            return payload
        return _read_json(name, payload.data, model)
    return InvalidStartError(wrong_number(name, len(arguments)))


def _read_json(name: str, document: bytes, model: type[BaseModel]) -> Start:
    try:
        given = read_object(name, document)
        return read_complete(name, document, model) if is_complete(given, model) else given
    except InvalidStartError as error:
        return error


def first_run_id(info: workflow.Info) -> str:
    """Return the id of a first run: a reset keeps it; a new start has another one, by a user or a cron schedule."""
    return info.run_id if info.cron_schedule else info.first_execution_run_id


async def _completed(start: Start, model: type[BaseModel]) -> BaseModel:
    """Return the whole argument of a short ``start``, and write the memo and the columns that a client would write.

    Raises:
        ApplicationError: it cannot be used; the message names the value and the remedy.
        UnreadableInputError: another workflow of Parley sent it; the task waits for a worker of that version.
    """
    info = workflow.info()
    if isinstance(start, Payload):
        start = _undecoded(start)
    if isinstance(start, UnreadableInputError) and (info.parent is not None or info.continued_run_id is not None):
        raise start
    if isinstance(start, InvalidStartError):
        raise start_failure(str(start), INVALID)
    if isinstance(start, BaseModel):
        return start
    salt = first_run_id(info)[-8:]  # the beginning is the time, and the same for a minute
    try:
        request = StartRequest(workflow=info.workflow_type, workflow_id=info.workflow_id, salt=salt, given=start)
    except ValidationError as error:  # NaN, which Python writes into JSON, and numbers as large as 1e400
        raise start_failure(f"the input of {info.workflow_type} cannot be used: {problem(error)}", INVALID) from None
    completed = await complete_input(request)
    workflow.upsert_memo({**completed.memo, _IS_SHORT: True})
    workflow.upsert_search_attributes(list(_columns(completed)))
    return model.model_validate(completed.input)


def _columns(completed: CompletedInput) -> Iterator[SearchAttributeUpdate[Any]]:
    """Yield the list columns of a run that begins; the Web UI copies those of an ended one into a run "like this"."""
    known = workflow.info().typed_search_attributes
    for key in search_attributes.ALL:
        if key.name in completed.columns:
            yield key.value_set(completed.columns[key.name])
        elif known.get(key) is not None:
            yield key.value_unset()


def _readable(result: object) -> RawValue:
    """Return ``result`` marked to stay in the history: a client without our blob store could not read a reference."""
    payload = workflow.payload_converter().to_payload(result)
    payload.metadata[INLINE] = b"1"
    return RawValue(payload)


def _undecoded(payload: Payload) -> InvalidStartError:
    """Return why ``payload`` cannot be used.

    Raises:
        Exception: it is encrypted and its key is missing: the task is tried again until a worker has the key.
    """
    encoding = payload.metadata.get("encoding", b"")
    if encoding not in _NOT_JSON:
        with suppress(KeyError):
            workflow.payload_converter().from_payload(payload)
    return InvalidStartError(wrong_encoding(workflow.info().workflow_type, encoding.decode(errors="replace")))
