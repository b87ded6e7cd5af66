"""What stands beside a deliberation before anybody was asked."""

import pytest

from protocols.consensus.model import ConsensusInput
from protocols.council.model import CouncilInput
from starter import introductions
from starter.introductions import AnyInput
from tests.fakes.consensuses import consensus_input
from tests.fakes.councils import council_input
from workflows import columns

COUNCIL: CouncilInput = council_input()
CONSENSUS: ConsensusInput = consensus_input()


@pytest.mark.parametrize(("inp", "protocol"), [(COUNCIL, "council"), (CONSENSUS, "consensus")], ids=str)
def test_the_protocol_is_a_column_and_in_the_summary(inp: AnyInput, protocol: str) -> None:
    """Whoever lists deliberations sees which protocol each one follows."""
    assert protocol == introductions.search_attributes(inp)[columns.PROTOCOL]
    assert introductions.summary(inp).startswith(protocol.capitalize())


def test_every_seat_of_a_consensus_is_named_with_its_model() -> None:
    """The panel is shown by its seats, the curator last."""
    shown = introductions.details(CONSENSUS)
    seats = [line.split()[0] for line in shown.partition("### Panel")[2].splitlines() if "/" in line]
    assert ["generator", "refiner", "validator", "curator"] == seats


def test_fallbacks_of_a_chair_stand_behind_it() -> None:
    """Who concludes when the chair is lost is shown after the chair."""
    panel = COUNCIL.panel.model_copy(update={"chair_fallbacks": (COUNCIL.panel.participants[0].model,)})
    shown = introductions.details(COUNCIL.model_copy(update={"panel": panel}))
    assert shown.index("chair") < shown.index("then ")


@pytest.mark.parametrize(
    ("inp", "told"),
    [
        (COUNCIL, "Mode resilient, with review, prompts"),
        (council_input(final_only=True), "Mode resilient, without review, prompts"),
        (CONSENSUS, "Mode resilient, at most 50 rounds, prompts"),
        (
            consensus_input(max_rounds=9, majority_after=5, deadlock_after=3, carry_corrections=True),
            "at most 9 rounds, majority after 5, deadlock after 3, corrections carried on, prompts",
        ),
    ],
    ids=["council", "council without review", "consensus", "consensus with everything"],
)
def test_what_only_the_protocol_knows_is_said(inp: AnyInput, told: str) -> None:
    """How it is held is told in one line, each protocol's own part included."""
    assert told in introductions.details(inp)


def test_the_print_tells_what_was_asked_and_not_how_it_is_carried() -> None:
    """Another option is another request; another queue or salt is not."""
    there = introductions.memo(CONSENSUS)
    assert there == introductions.memo(CONSENSUS.model_copy(update={"queues": {"lab": "models.lab"}, "salt": "s"}))
    assert there != introductions.memo(CONSENSUS.model_copy(update={"max_rounds": 2}))
