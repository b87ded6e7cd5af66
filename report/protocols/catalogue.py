"""Which room a result is from, and what it shows of itself."""

from collections.abc import Callable
from typing import NamedTuple

from report.leaves import Leaf
from report.markup import Markup
from report.plots.frame import Drawing, figure
from report.protocols import circle, consensus, council, debate, votes
from report.protocols.said import Said


class Room(NamedTuple):
    """What is known of one protocol's results."""

    drawings: Callable[[Leaf], list[Drawing | Markup]]
    said: Callable[[Leaf], list[Said]]
    concluded: Callable[[Leaf], list[Said]] = lambda _: []
    """What is shown above the text of the verdict."""


ROOMS = {
    "council": Room(council.drawings, council.said),
    "consensus": Room(consensus.drawings, consensus.said),
    "fire_circle": Room(circle.drawings, circle.said),
    "evaluate": Room(circle.evaluated, circle.said),
    "debate": Room(debate.drawings, debate.said, debate.concluded),
    "vote": Room(votes.drawings, council.said),
    "mixture": Room(votes.drawings, council.said),
}
"""Protocol, as results name it, to its room."""


def room_of(result: Leaf) -> Room:
    """The room of a result; a protocol that is not known shows no drawing, and a transcript where it has one."""
    return ROOMS.get(result.text("protocol"), Room(lambda _: [], council.said))


def drawn(result: Leaf, prefix: str = "") -> list[Markup]:
    """The result's own drawings as figures; ``prefix`` keeps those of two results on one page apart."""
    found = room_of(result).drawings(result)
    return [figure(one, prefix) if isinstance(one, Drawing) else one for one in found]
