"""How a run that ended is reported to a user."""

from temporalio.client import WorkflowFailureError
from temporalio.exceptions import ActivityError, ApplicationError, CancelledError, TerminatedError

from parley.errors import FAILED, VERDICT
from parley.results import failure, no_verdict
from starter.handlers.show_result import document, print_result
from tests.fakes.consensus_results import unagreed
from tests.fakes.council_results import council_result


def test_failed_council_brings_its_result_along() -> None:
    """What exists of a failed council travels with its one clear message."""
    result = council_result(verdict=None, stop_reason="no_answers")
    cause = ApplicationError("no participant answered", result.model_dump(mode="json"), type="council.no_answers")
    failed = failure("council-1", WorkflowFailureError(cause=cause))
    assert (str(failed), failed.result) == ("no participant answered", result)


def test_failed_consensus_brings_its_own_kind_of_result() -> None:
    """Results are distinguished by their protocol: a consensus's failure carries a consensus's result."""
    result = unagreed("no_draft", verdict=None, written_by="none", draft=None, draft_by=None, rounds=())
    cause = ApplicationError("nobody wrote a draft", result.model_dump(mode="json"), type="consensus.no_draft")
    assert result == failure("consensus-1", WorkflowFailureError(cause=cause)).result


def test_failure_without_a_result_is_reported_all_the_same() -> None:
    """Details that are no result are no reason to stumble."""
    failed = failure("council-1", WorkflowFailureError(cause=ApplicationError("broken", {"x": 1})))
    assert (str(failed), failed.result) == ("broken", None)


def test_the_reason_of_a_failed_activity_is_reported() -> None:
    """A run that a failed activity ended is reported with the activity's own message."""
    activity = ActivityError(
        "Activity task failed",
        scheduled_event_id=1,
        started_event_id=2,
        identity="",
        activity_type="recall_turns",
        activity_id="recall",
        retry_state=None,
    )
    activity.__cause__ = ApplicationError("the ledger has no table turns", type="store.rejected")
    assert "the ledger has no table turns" == str(failure("c", WorkflowFailureError(cause=activity)))


def test_cancelled_and_terminated_are_reported_apart() -> None:
    """A user's cancellation and an end from outside have messages of their own."""
    assert "cancelled" in str(failure("c", WorkflowFailureError(cause=CancelledError("x"))))
    assert "terminated" in str(failure("c", WorkflowFailureError(cause=TerminatedError("x"))))


def test_result_without_verdict_is_a_failed_deliberation() -> None:
    """A stopped council returned whole and counts as failed all the same."""
    assert no_verdict(council_result()) is None
    assert "stopped" in str(no_verdict(council_result(verdict=None, stop_reason="stopped")))


def test_exit_code_states_whether_there_is_a_verdict() -> None:
    """0 with a verdict, 1 without."""
    assert print_result("c", council_result(), None, json=True) == VERDICT
    assert print_result("c", None, "cancelled", json=True) == FAILED


def test_document_has_the_seeds_structure_and_the_error() -> None:
    """The JSON is the seed's structure (002 "Response Structure", 004 "Data Structure"), the rest and ``error``."""
    whole = document("c", council_result(), None)
    assert {"stage1", "stage2", "stage3", "metadata", "verdict", "failed", "error"} <= set(whole)
    assert {"conversation", "rounds", "written_by", "error"} <= set(document("c", unagreed("majority"), None))
    assert document("c", None, "gone") == {"deliberation_id": "c", "error": "gone"}
