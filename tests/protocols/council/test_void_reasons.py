"""The reasons of void ballots, as they are shown."""

import re
from pathlib import Path

import pytest

from protocols.council import replies, rules
from protocols.council.model import Ballot, SubmittedBallot
from protocols.council.results import flaws_of
from protocols.council.wording import UNSCORED_REASONS, VOID_REASONS
from tests.protocols.council.paper import cast
from tests.protocols.council.test_results import held

NO_HEADER = "the header FINAL RANKING that was asked for is not there"
_READERS = "\n".join(path.read_text("utf-8") for path in sorted(Path(replies.__file__).parent.glob("*.py")))
_FLAWS = re.compile(r'(?:flaw|gap|UNFILLED|double|stray) = "([^"]+)"|(?:flaw|gap)="([^"]+)"')


def void(number: int, *reasons: str) -> SubmittedBallot:
    """A void ballot of the reviewer with that number."""
    ballot = Ballot(standing="void", repairs=reasons)
    return cast("", 3, number).model_copy(update={"ballot": ballot})


def test_a_void_ballot_is_reported_in_a_sentence() -> None:
    """Screen, report and result say what was missing, not in the reader's two words."""
    notes = [flaw.note for flaw in flaws_of(held(ballots=(void(0, "no header"),))) if flaw.kind == "void_ballot"]
    assert notes == [f"no ranking could be read: {NO_HEADER}"]


def test_reviewers_with_one_reason_are_named_together() -> None:
    """The sentence on a council of void ballots says each reason once, in the order in which they occurred."""
    said = rules.uncounted([void(0, "no header"), void(1, "there is no ranking"), void(2, "no header")])
    assert said.endswith(f"(p1, p3: {NO_HEADER}; p2: no order of the answers is written there).")


def test_a_reason_that_has_no_sentence_is_shown_as_it_is() -> None:
    """What another version of the reader kept, and what was mended before, is not lost."""
    assert rules.why_void(void(0, "duplicate Response C", "of old").ballot) == "duplicate Response C; of old"


def test_every_flaw_that_a_reader_names_has_its_sentence() -> None:
    """A reason that is added to a reader is added to the wording too."""
    named = {found[1] or found[2] for found in _FLAWS.finditer(_READERS)}
    assert not named - VOID_REASONS.keys()
    assert {"a label in two rows", "its numbers contradict each other"} <= named


@pytest.mark.parametrize("reason", [*VOID_REASONS, *UNSCORED_REASONS])
def test_every_sentence_belongs_to_a_reason_of_a_reader(reason: str) -> None:
    """A sentence whose reason no reader gives any more is removed with it."""
    assert f'"{reason}"' in _READERS
