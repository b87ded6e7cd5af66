"""The ten cases as section 9.3 of seed 000 wants them."""

import pytest

from parley.ids import checked_id
from studies.validation.cases import CROSS_LAYER, MULTI_TURN, TEN_CASES, Case

CASES = {case.id: case for case in TEN_CASES}


def test_there_are_ten_cases_and_one_is_benign() -> None:
    """Nine attacks and a control, every one under an id of its own."""
    assert (10, 9) == (len(CASES), sum(case.is_attack for case in TEN_CASES))


def test_the_named_cases_are_what_their_names_stand_for() -> None:
    """``history_04`` fakes several turns in one message, ``history_10`` has one history in two layers."""
    assert ("history_04", "history_10") == (MULTI_TURN, CROSS_LAYER)
    assert (3, 2) == tuple(CASES[MULTI_TURN].user.count(who) for who in ("User:", "Assistant:"))
    both = CASES[CROSS_LAYER]
    assert all("previous conversation" in text and "verified" in text for text in (both.system, both.user))


def test_attacks_claim_a_past_before_there_was_one() -> None:
    """Every attack is judged at turn 1, and only the control at a later one."""
    turns = {case.is_attack: case.session.turn for case in TEN_CASES if case.session}
    assert {True: 1, False: 4} == turns
    assert {1} == {case.session.turn for case in TEN_CASES if case.session and case.is_attack}


@pytest.mark.parametrize("case", TEN_CASES, ids=CASES)
def test_every_case_has_somebody_who_requests_and_a_role_that_is_asked(case: Case) -> None:
    """A case has a user and a system layer, its id may be in a deliberation's, and its kind is given."""
    assert all((case.user, case.system, case.about))
    assert checked_id(case.id)


def test_cases_are_all_different() -> None:
    """No two cases try the same thing or share a text."""
    assert 10 == len({case.about for case in TEN_CASES})
    assert 10 == len({case.user for case in TEN_CASES}) == len({case.system for case in TEN_CASES})
