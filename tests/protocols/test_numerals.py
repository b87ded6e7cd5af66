"""Numbers in running text, however people separate thousands and decimals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.numerals import first_number, last_number


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("1,234,567.89", "1234567.89"),
        ("1.234.567,89", "1234567.89"),
        ("1 234 567,5", "1234567.5"),
        ("1\u202f234", "1234"),
        ("1'234", "1234"),
        ("1,234", "1234"),
        ("1.234", "1.234"),
        ("0,125", "0.125"),
        ("3,5", "3.5"),
        (".5", "0.5"),
        ("−4", "-4"),
        ("-$5", "-5"),
        ("€ 12.50", "12.5"),
        ("-0.0", "0"),
        ("007", "7"),
        ("1.2e5", "120000"),
        ("1.2 × 10^{5}", "120000"),
        ("2 x 10^-3", "0.002"),
        ("50%", "50"),
        ("3/4", "0.75"),
        ("\\frac{1}{2}", "0.5"),
        ("5km", "5"),
        ("x2", None),
        ("none", None),
        ("9" * 200, None),
        ("9" * 80, "9" * 80),
        ("1e999", None),
    ],
)
def test_a_number_in_plain_digits(written: str, plain: str | None) -> None:
    """Separators, signs, currencies and powers of ten come to plain digits; what has no size is none."""
    assert plain == first_number(written)


def test_first_and_last() -> None:
    """Of several numbers the first or the last is taken; a range has two."""
    assert ("3", "5") == (first_number("between 3-5"), last_number("between 3-5"))


@given(st.text(alphabet="0123456789.,' eE+-x^{}/\\frac$−10"))
def test_nothing_raises(text: str) -> None:
    """Whatever looks like a number is one or is none."""
    for number in (first_number(text), last_number(text)):
        assert number is None or number == first_number(number)


@given(st.integers(-(10**15), 10**15))
def test_thousands_make_no_difference(number: int) -> None:
    """An integer is the same with and without separators."""
    assert str(number) == last_number(f"so {number:,}") == last_number(f"so {number}")
