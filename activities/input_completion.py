"""The activity that completes the short input of a workflow started by hand."""

from collections.abc import Awaitable, Callable

from temporalio import activity
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from activities.ledger_errors import failing_clearly
from protocols.starting import INVALID, CompletedInput, InvalidStartError, StartRequest

Complete = Callable[[StartRequest], Awaitable[CompletedInput]]
"""Returns the whole argument.

Raises:
    InvalidStartError: the object cannot be used.
"""


class InputCompletion:
    """The activity ``complete_input`` over the options of every protocol, which the worker hands in."""

    def __init__(self, complete: Complete) -> None:
        self._complete = complete

    @activity.defn(name="complete_input")
    async def complete_input(self, request: StartRequest) -> CompletedInput:
        """Fill in what the object leaves out: models, prompts, queues, title.

        Raises:
            ApplicationError: of type ``input.invalid`` (final) when the object cannot be used; of type ``store.busy``
                or ``store.full`` (tried again) or ``store.refused`` (final) when a study cannot be entered.
        """
        try:
            with failing_clearly():
                return await self._complete(request)
        except InvalidStartError as error:
            # A user's mistake is no trouble of the worker's: benign failures leave no traceback in its log.
            benign = ApplicationErrorCategory.BENIGN
            raise ApplicationError(str(error), type=INVALID, non_retryable=True, category=benign) from None
