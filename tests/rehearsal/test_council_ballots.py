"""What scripted reviewers write in other forms is read as the order that they meant."""

import pytest

from protocols.council.model import Ballot
from protocols.council.replies.ballot import read_ballot
from rehearsal.models.council_ballots import FORMS

CODE = "1f3870be27"
ORDER = ["Response C", "Response A", "Response D", "Response B"]
PLACES = {"tied-ballot": (("Response C",), ("Response A", "Response D"), ("Response B",)), "worst-first": ()}


def read(form: str) -> Ballot:
    """The ballot that is read from a review in ``form``."""
    text = FORMS[form][1](f"FINAL RANKING {CODE}:", ORDER)
    said = text if text.startswith("{") else f"Response A: short.\n\nResponse B: wrong.\n\n{text}"
    return read_ballot(said, {"labels": [*sorted(ORDER)], "nonce": CODE})


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read_as_it_is_meant(form: str) -> None:
    """Only the one that is written worst first is void, because turning it round would be a guess."""
    assert read(form).by_place == PLACES.get(form, tuple((label,) for label in ORDER))
