"""The Temporal plugin shared by client, worker and replayer.

A client passes its plugin to its workers; a replayer takes it itself. So converter, sandbox and workflows are defined
once, and every process reads a history in the same way.
"""

from collections.abc import Sequence

from temporalio.plugin import SimplePlugin
from temporalio.worker import UnsandboxedWorkflowRunner

from runtime.details_on_request import DetailsOnRequest
from runtime.payloads import data_converter
from runtime.sandbox import sandboxed
from runtime.settings import Settings


def parley_plugin(
    settings: Settings,
    *,
    workflows: Sequence[type] = (),
    pass_through: Sequence[str] = (),
    inline: bool = False,
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
        interceptors=[DetailsOnRequest()],
        workflows=list(workflows) or None,
        workflow_runner=sandboxed(*pass_through) if settings.sandbox else UnsandboxedWorkflowRunner(),
    )
