import pytest

from protocols.plurals import counted


@pytest.mark.parametrize(("number", "text"), [(0, "0 calls"), (1, "1 call"), (2, "2 calls"), (1_234, "1,234 calls")])
def test_a_count_has_the_right_number_of_its_noun(number: int, text: str) -> None:
    """One is singular, everything else is plural, and thousands are separated."""
    assert text == counted(number, "call")
