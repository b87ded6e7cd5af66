"""The sources of a result: pages by reply, in one form for every protocol."""

from collections.abc import Sequence

from protocols.model_call import Answered, ModelCall, ModelId, ParticipantId
from protocols.sources import SourceLink

MOST_CITED = 500
"""Sources that a result keeps; a result that has as many may have had more."""


class CitedSource(SourceLink):
    """A page that the provider of one reply named."""

    participant: ParticipantId
    model: ModelId
    stage: str
    round: int = 1

    @property
    def line(self) -> str:
        """Return one line with participant, stage, number, title and address."""
        place = f"{self.participant} {self.stage}" + (f", round {self.round}" if self.round > 1 else "")
        return " ".join(filter(None, (f"{place}: [{self.number}]", self.title, self.url)))


def cited_in(call: ModelCall, reply: Answered, before: Sequence[CitedSource]) -> list[CitedSource]:
    """Return ``before`` and the sources of ``reply``, as many as a result keeps."""
    values = {"participant": reply.participant, "model": reply.model, "stage": call.stage, "round": call.round}
    added = [CitedSource.model_validate(link.model_dump() | values) for link in reply.sources]
    return [*before, *added][:MOST_CITED]


def by_seat(cited: Sequence[CitedSource]) -> tuple[CitedSource, ...]:
    """Return ``cited`` by round, stage and seat: replies that are asked for at once arrive in any order."""
    stages: list[tuple[int, str]] = [(one.round, one.stage) for one in cited]
    return tuple(
        sorted(
            cited,
            key=lambda one: (one.round, stages.index((one.round, one.stage)), len(one.participant), one.participant),
        )
    )
