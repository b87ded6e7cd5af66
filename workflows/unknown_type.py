"""The answer to an unknown workflow type: a failure that lists the known ones.

Without it a run of a misspelt type would wait forever, its task failing on every worker. A run of a known type that
another version began cannot end here: its history holds commands that this workflow does not make, so only its task
fails, and waits for a worker of that version.
"""

from collections.abc import Sequence
from difflib import get_close_matches

from temporalio import workflow
from temporalio.common import RawValue

from workflows.activity_calls import start_failure
from workflows.type_names import DELIBERATIONS, STUDIES

UNKNOWN = "workflow.unknown_type"
"""The type of the failure."""

_CUTOFF = 0.4
"""Of a likeness between 0 and 1: CouncilWorkflow is meant for Council."""


@workflow.defn(dynamic=True)
class UnknownTypeWorkflow:
    """A run of a type that no worker of Parley has."""

    @workflow.run
    async def run(self, arguments: Sequence[RawValue]) -> None:  # noqa: ARG002 - the SDK asks for it
        """Fail at once.

        Raises:
            ApplicationError: always; lists the types that there are.
        """
        given = workflow.info().workflow_type
        # Only the text of a failure depends on this, and a replay does not compare it.
        near = get_close_matches(_plain(given), [_plain(name) for name in (*DELIBERATIONS, *STUDIES)], 1, _CUTOFF)
        meant = next((name for name in (*DELIBERATIONS, *STUDIES) if _plain(name) in near), None)
        hint = f"Did you mean {meant!r}? " if meant else ""
        message = (
            f"there is no workflow type {given[:80]!r}. {hint}"
            f"Deliberations: {', '.join(DELIBERATIONS)}. Studies: {', '.join(STUDIES)}."
        )
        raise start_failure(message, UNKNOWN)


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "").removesuffix("workflow")
