"""The Temporal plugin shared by client, worker and replayer.

A client passes its plugin to its workers; a replayer takes it itself. So converter, sandbox and workflows are defined
once, and every process reads a history in the same way.

Temporal's sandbox loads the module of a workflow afresh for each run. Everything else it imports is either passed
through, which is fast and right for code without state, or loaded again, which costs a tenth of a second and
150 MB per hundred workflows for a package full of pydantic models. So a module that reaches the sandbox unlisted is an
error that names it, when the worker starts and not on the first busy day.
"""

import inspect
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from temporalio import workflow
from temporalio.exceptions import ApplicationError
from temporalio.plugin import SimplePlugin
from temporalio.worker import (
    HandleQueryInput,
    HandleSignalInput,
    HandleUpdateInput,
    Interceptor,
    UnsandboxedWorkflowRunner,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
)
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions
from temporalio.workflow import SandboxImportNotificationPolicy as Policy

from runtime.distribution import own_module
from runtime.payloads import data_converter
from runtime.settings import Settings

_METADATA = "__temporal_workflow_metadata"
"""The SDK's name of the query by which the Web UI asks for the details."""
_PASSED_THROUGH = (
    "protocols",
    "activities",
    "ledger",
    # What the schedules share; none of it defines a workflow, and the import rules keep it free of clock and I/O.
    "workflows.activity_calls",
    "workflows.batch_progress",
    "workflows.progress_board",
    "workflows.by_protocol",
    "workflows.child_start",
    "workflows.child_workflows",
    "workflows.fire_circle_classifier",
    "workflows.search_attributes",
    "workflows.deliberation",
    "workflows.web_ui_details",
    "workflows.debate_rounds",
    "workflows.debate_approvals",
    "workflows.long_deliberation",
    "workflows.consensus_rounds",
    "workflows.budget_client",
    "workflows.recording",
    "workflows.seats",
    "workflows.short_start",
    "workflows.type_names",
)
"""A name covers everything below it."""
PASSED_THROUGH = tuple(map(own_module, _PASSED_THROUGH))


def sandboxed(*more: str, passed_through: tuple[str, ...] = PASSED_THROUGH) -> SandboxedWorkflowRunner:
    """Return a workflow runner that passes ``passed_through`` and ``more`` through and refuses any other module."""
    restrictions = SandboxRestrictions.default.with_passthrough_modules(*passed_through, *more)
    strict = Policy.RAISE_ON_UNINTENTIONAL_PASSTHROUGH | Policy.WARN_ON_DYNAMIC_IMPORT
    return SandboxedWorkflowRunner(restrictions=restrictions.with_import_notification_policy(strict))


@runtime_checkable
class HasDetails(Protocol):
    """A workflow that renders its details on request."""

    def current_details(self) -> str:
        """Return the details as Markdown."""


class Messages(Interceptor):
    """The interceptor of clients' messages: it counts their arguments, and fills a workflow's details into an answer.

    The SDK wants a workflow to set its details on every change, which costs a fifth of the workflow's time without a
    reader. The Web UI reads them with a query, so a workflow here has a method instead, and the query calls it.
    """

    def workflow_interceptor_class(
        self,
        input: WorkflowInterceptorClassInput,  # noqa: A002, ARG002 - the SDK's name
    ) -> type[WorkflowInboundInterceptor]:
        """Return the interceptor of one workflow."""
        return _Inbound


class _Inbound(WorkflowInboundInterceptor):
    async def handle_signal(self, input: HandleSignalInput) -> None:  # noqa: A002 - the SDK's name
        """Drop an unsuitable signal, as the SDK drops an unreadable one: the run would fail or hang."""
        try:
            _refuse_other_arguments(input.signal, input.args)
            await super().handle_signal(input)
        except ApplicationError as error:
            workflow.logger.warning("signal_dropped", extra={"signal": input.signal, "reason": error.message})

    def handle_update_validator(self, input: HandleUpdateInput) -> None:  # noqa: A002 - the SDK's name
        _refuse_other_arguments(input.update, input.args)
        super().handle_update_validator(input)

    async def handle_query(self, input: HandleQueryInput) -> Any:  # noqa: A002 - the SDK's name
        answer = await super().handle_query(input)
        shown = workflow.instance()
        if input.query == _METADATA and isinstance(shown, HasDetails):
            answer.current_details = shown.current_details()
        return answer


def _refuse_other_arguments(name: str, given: Sequence[object]) -> None:
    """Refuse another number of arguments than the method ``name`` takes, and name what its argument holds."""
    taken = inspect.signature(getattr(workflow.instance(), name)).parameters.values()
    if len(given) != len(taken):
        fields = ", ".join(field for one in taken for field in one.annotation.model_fields)
        argument = f"one argument, a JSON object{fields and f' with: {fields}'}" if taken else "no argument"
        raise ApplicationError(f"{name} takes {argument}", type="input.invalid", non_retryable=True)


def parley_plugin(
    settings: Settings, *, workflows: Sequence[type] = (), pass_through: Sequence[str] = (), inline: bool = False
) -> SimplePlugin:
    """Return the plugin for ``Client.connect``, ``Worker`` or ``Replayer``.

    Args:
        settings: Where blobs and keys are, and whether workflows run in Temporal's sandbox.
        workflows: Registered with every worker and replayer that has the plugin. Leave it empty on a client whose
            workers serve different queues, and name the workflows on the worker that runs them.
        pass_through: Modules to pass through beside our own list, for example a test's.
        inline: Keep payloads whole and readable in the history: for replay fixtures, see ``data_converter``.
    """
    return SimplePlugin(
        "parley",
        data_converter=data_converter(settings, inline=inline),
        interceptors=[Messages()],
        workflows=list(workflows) or None,
        workflow_runner=sandboxed(*pass_through) if settings.sandbox else UnsandboxedWorkflowRunner(),
    )
