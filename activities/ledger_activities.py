"""The activities of a worker that read and write the ledger."""

from collections.abc import Callable
from typing import Any

from activities.call_survey import CallSurveys
from activities.ledger import LedgerActivities
from activities.studies import StudyActivities
from activities.study_copies import StudyCopies
from ledger.store import Store


def ledger_activities(store: Store, version: str) -> list[Callable[..., Any]]:
    """Return the activities over the ledger in ``store``; ``version`` is that of Parley."""
    deliberations, studies = LedgerActivities(store, version), StudyActivities(store)
    return [
        *(deliberations.record_deliberation, deliberations.record_chapter, deliberations.recall_turns),
        *(studies.load_instances, studies.record_missing_instance, studies.signal_shards),
        *(StudyCopies(store).copy_study, CallSurveys(store).survey_calls),
    ]
