"""The details of a workflow in the Web UI, rendered when a page asks for them.

The SDK wants a workflow to set its details on every change, which costs a fifth of the workflow's time without a
reader. The Web UI reads them with a query, so a workflow here has a method instead, and the query calls it.
"""

from typing import Any, Protocol, runtime_checkable

from temporalio import workflow
from temporalio.worker import (
    HandleQueryInput,
    Interceptor,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
)

_METADATA = "__temporal_workflow_metadata"
"""The SDK's name of the query by which the Web UI asks for the details."""


@runtime_checkable
class HasDetails(Protocol):
    """A workflow that renders its details on request."""

    def current_details(self) -> str:
        """Return the details as Markdown."""


class DetailsOnRequest(Interceptor):
    """The interceptor that fills the details into the answer to the Web UI's query."""

    def workflow_interceptor_class(
        self,
        input: WorkflowInterceptorClassInput,  # noqa: A002, ARG002 - the SDK's name
    ) -> type[WorkflowInboundInterceptor]:
        """Return the interceptor of one workflow."""
        return _Inbound


class _Inbound(WorkflowInboundInterceptor):
    async def handle_query(self, input: HandleQueryInput) -> Any:  # noqa: A002 - the SDK's name
        answer = await super().handle_query(input)
        shown = workflow.instance()
        if input.query == _METADATA and isinstance(shown, HasDetails):
            answer.current_details = shown.current_details()
        return answer
