"""Values of a study that a schedule repeats.

The study with the schedule's name is a pattern and never runs itself. Each *firing* is a copy of
it under a name of its own, ``<name>-<date>-<time>``, with deliberations of its own: nothing that an earlier firing was
answered is used again.
"""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import Field

from protocols.lazy_patterns import lazy_pattern
from protocols.model_call import FrozenModel
from protocols.study.model import Amount, RunSettings, StudyName

LONGEST_NAME = 44
"""Characters of a schedule's name, so that those of its firings are names of studies, too."""

ScheduleName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,43}$")]

SCHEDULE_PREFIX = "schedule/"
"""What is before the name in the id of a schedule."""

_FIRED_AT = lazy_pattern(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z$")
"""What Temporal writes behind the id of a workflow that a schedule starts."""
_MOMENT = lazy_pattern(r"\d{8}-\d{6}")


def firing_name(pattern: str, workflow_id: str) -> str | None:
    """Return the name of a firing's study: the schedule's name and the time in the workflow's id.

    ``None`` when there is no moment in it.
    """
    found = _FIRED_AT.search(workflow_id)
    return None if found is None else "{}-{}{}{}-{}{}{}".format(pattern, *found.groups())


def fired_at(pattern: str, study: str) -> datetime | None:
    """Return the moment of the firing whose study is ``study``; ``None`` when it is of another schedule or none."""
    ends = study.removeprefix(f"{pattern}-")
    if ends == study or _MOMENT.fullmatch(ends) is None:
        return None
    try:
        return datetime.strptime(ends, "%Y%m%d-%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None


class ScheduledInput(FrozenModel):
    """The argument of the workflow ``ScheduledStudy``: the study to repeat."""

    pattern: ScheduleName
    title: str
    rehearsal: bool = False


class StudyCopy(FrozenModel):
    """Argument of ``copy_study``: enter the study ``pattern`` once more, under another name."""

    pattern: StudyName
    name: StudyName


class CopiedStudy(FrozenModel):
    """The result of ``copy_study``: the number of instances, the run settings, and what a copy made before has used."""

    instances: int = Field(ge=1)
    terms: RunSettings
    used: Amount = Amount()
