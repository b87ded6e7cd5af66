"""The activities of a worker that read and write the ledger."""

from collections.abc import Callable
from typing import Any

from activities.call_survey import CallSurveys
from activities.copying import Copies
from activities.ledger import Books
from activities.studies import Studies
from ledger.store import Store


def ledger_activities(store: Store) -> list[Callable[..., Any]]:
    """Return the activities over the ledger in ``store``, for the queue on which the workflows run."""
    books, studies = Books(store), Studies(store)
    return [
        *(books.record_deliberation, books.record_chapter, books.recall_turns),
        *(studies.load_instances, studies.record_lost_instance, Copies(store).copy_study),
        CallSurveys(store).survey_calls,
    ]
