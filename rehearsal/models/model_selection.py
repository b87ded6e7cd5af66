"""Selection of behaviour and fault by a model's name.

``anthropic/claude-opus-4.6`` is itself. ``anything+name`` gives it a behaviour or a fault, ``anything+name@2`` a fault
on the first two arrivals of each logical call only; several are played one after the other
(``x+429@1+500-masked@2``). ``rehearsal/name`` is short for ``rehearsal/name+name``. The part before the first ``+`` is
the speaker: two names that differ only behind it give the same replies.
"""

from collections.abc import Collection
from dataclasses import dataclass

from rehearsal.models.behaviours import BEHAVIOURS
from rehearsal.models.replies import Behaviour


class UnknownNameError(ValueError):
    """A name behind a ``+`` is neither a behaviour nor a fault."""


@dataclass(frozen=True)
class SelectedModel:
    """One selected model: its speaker, behaviour and faults."""

    speaker: str
    behaviour: Behaviour
    faults: tuple[tuple[str, int | None], ...] = ()
    """Faults in order, each with the number of arrivals it lasts; ``None`` is forever."""

    def fault_on(self, arrival: int) -> str | None:
        """Return the fault on the ``arrival``-th arrival (from 1) of a logical call, or ``None``."""
        for name, count in self.faults:
            if count is None or arrival <= count:
                return name
            arrival -= count
        return None


def select_model(model: str, faults: Collection[str]) -> SelectedModel:
    """Read a model's name; ``faults`` are the names of the faults that exist.

    Raises:
        UnknownNameError: a suffix behind a ``+`` is no behaviour and no fault.
    """
    speaker, *tags = model.split("+")
    behaviour = BEHAVIOURS["plain"]
    lead, _, own = speaker.partition("rehearsal/")
    name = own.partition("@")[0]
    if not lead and (name in BEHAVIOURS or name in faults):
        tags.insert(0, own)
        speaker = f"rehearsal/{name}"
    planned: list[tuple[str, int | None]] = []
    for tag in tags:
        name, _, count = tag.partition("@")
        if name in BEHAVIOURS:
            behaviour = BEHAVIOURS[name]
        elif name in faults and (not count or count.isdigit()):
            planned.append((name, int(count) if count else None))
        else:
            raise UnknownNameError(f"{tag!r} in {model!r} is no behaviour and no fault of the rehearsal server")
    return SelectedModel(speaker, behaviour, tuple(planned))
