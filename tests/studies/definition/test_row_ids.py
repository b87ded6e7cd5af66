"""Ids of rows: what the dataset says is kept, and ids of deliberations take a short form."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.errors import RequestError
from parley.ids import checked_id
from studies.dataset.row_ids import short_form, why_no_id
from tests.fakes.study_files import AT_ONCE, dataset


@pytest.mark.parametrize("row_id", ["q1", "0123", "A_b-c.d", "x" * 80])
def test_a_plain_id_is_its_own_short_form(row_id: str) -> None:
    """What was an id before stays one."""
    assert row_id == short_form(row_id)


@pytest.mark.parametrize(
    ("row_id", "form"),
    [
        ("Café 1/2", r"Cafe-1-2-[0-9a-f]{8}"),
        ("test/abstract_algebra/3", r"test-abstract-algebra-3-[0-9a-f]{8}|test-abstract_algebra-3-[0-9a-f]{8}"),
        ("问题一", r"row-[0-9a-f]{8}"),
        ("..", r"row-[0-9a-f]{8}"),
        ("x" * 900, r"x{60}-[0-9a-f]{8}"),
    ],
)
def test_other_ids_are_shortened(row_id: str, form: str) -> None:
    """Letters without their accents, hyphens for all else, and digits that keep two ids apart."""
    assert re.fullmatch(form, short_form(row_id))


@given(st.text(min_size=1, max_size=200), st.text(min_size=1, max_size=200))
def test_short_forms_stand_in_ids_of_deliberations_and_differ(one: str, other: str) -> None:
    """Whatever the dataset calls its rows, Temporal can have it, and two names are two."""
    assert checked_id(f"study/{short_form(one)}.arm")
    assert one == other or short_form(one) != short_form(other)


def test_both_forms_are_entered() -> None:
    """The ledger, the export and the report have the dataset's own id, the deliberation the short form."""
    found = dataset("q.csv", "id,question\nCafé 1/2,Why?\nCafé-1-2,How?\n", AT_ONCE._replace(id="id", name="s"))

    assert ["Café 1/2", "Café-1-2"] == [row.row_id for row in found.rows()]
    assert [f"s/{short_form('Café 1/2')}.council", f"s/{short_form('Café-1-2')}.council"] == [
        one.deliberation_id for one in found.prepared()
    ]


def test_a_short_form_that_is_another_row_s_id_is_refused() -> None:
    """Two deliberations never have one id."""
    taken = short_form("a b")
    for rows in (f"a b,Why?\n{taken},How?\n", f"{taken},Why?\na b,How?\n"):
        with pytest.raises(RequestError, match=r"line 3: the id .* is that of line 2 too"):
            dataset("q.csv", f"id,question\n{rows}", AT_ONCE._replace(id="id"))


@pytest.mark.parametrize(
    ("row_id", "why"),
    [("", "is blank"), ("x" * 1_001, "1,001 characters"), ("a\tb", "cannot be shown"), ("1.2E+10", "has rounded")],
)
def test_what_is_no_id_is_said(row_id: str, why: str) -> None:
    """Every refusal names the id and the remedy."""
    assert why in (why_no_id(row_id) or "")
