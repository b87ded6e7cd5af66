"""Numbers in running text, however people separate thousands and decimals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.answers import AnswerForm, read_answer
from protocols.number_answers import numbers, only_number


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
        ("12.50 €", "12.5"),
        ("0.125 €", "0.125"),
        ("12.500 kg", "12.5"),
        ("12.500 €", None),
        ("1.250 euros", None),
        ("12.500,00 €", "12500"),
        ("1.234.567 €", "1234567"),
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
        ("1 1/2 cups", "1.5"),
        ("1½", "1.5"),
        ("$3 million", "3000000"),
        ("2.5 Milliarden", "2500000000"),
        ("$5k", "5000"),
        ("10^5", "100000"),
        ("2^{10}", "1024"),
        ("1{,}234", "1234"),
        ("18\\%", "18"),
        ("\\$18", "18"),
        ("42^\\circ", "42"),
        ("minus 5", "-5"),
        ("5 m^2", "5"),
        ("300K", None),
        ("2\\pi", None),
        ("\\sqrt{2}", None),
        ("2x", None),
        ("12a", None),
        ("(12b)", None),
        ("7b", None),
        ("12 a year", "12"),
        ("5A", "5"),
        ("12am", "12"),
        ("- 5", None),
        ("1.2.3", None),
        ("1/2/3", None),
        ("9 × 2", None),
        ("12:30", None),
        ("2^999", None),
        ("none", None),
        ("9" * 200, None),
        ("9" * 80, "9" * 80),
        ("1e999", None),
        ("1_000_000", "1000000"),
        ("1,23,456.50", "123456.5"),
        ("４２", "42"),
        ("٤٢", "42"),
        ("2\\frac{1}{2}", "2.5"),
        ("C(10,3)", None),
        ("5 milhões", "5000000"),
        ("5 mil millones", "5000000000"),
        ("5 млн", "5000000"),
        ("5千万円", "50000000"),
        ("3 hundred", "300"),
        ("5 hundred thousand", None),
        ("menos 5", "-5"),
        ("$1,250/month", "1250"),
        ("7.2 × 10⁻³ mol", "0.0072"),
        ("1010_2", None),
        ("5至6", None),
        ("2 thirds", None),
    ],
)
def test_a_number_in_plain_digits(written: str, plain: str | None) -> None:
    """Separators, signs, currencies and scales give plain digits; of what is no plain number nothing is read."""
    assert plain == only_number(written)


def test_several_numbers() -> None:
    """All are yielded in their order; only one value, however often, is the only one."""
    assert ["3", "5", None] == list(numbers("between 3-5 and 2π"))
    assert only_number("between 3-5") is None
    assert "3" == only_number("3, or 3.0")


@given(st.text(alphabet="0123456789.,' eE+-x^{}/\\frac$−10"))
def test_nothing_raises(text: str) -> None:
    """Whatever looks like a number is one or is none."""
    for number in numbers(text):
        assert number is None or number == only_number(number)


@given(st.integers(-(10**15), 10**15))
def test_thousands_make_no_difference(number: int) -> None:
    """An integer is the same with and without separators."""
    assert str(number) == only_number(f"so {number:,}") == only_number(f"so {number}")


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("1½ Millionen", "1500000"),
        ("1 1/2 million", "1500000"),
        ("3/4 million", "750000"),
        ("¾ million", "750000"),
        ("1/2 × 10^3", "500"),
        ("3 Hundert", "300"),
        ("4 Tsd.", "4000"),
        ("3 tusen", "3000"),
        ("3 тисячі", "3000"),
        ("5 bin", "5000"),
        ("2 אלף", "2000"),
        ("3 พัน", "3000"),
        ("3백", "300"),
        ("3조", "3000000000000"),
        ("3 miljoonaa", "3000000"),
        ("3 εκατομμύρια", "3000000"),
        ("1/0 million", None),
        ("2 Dutzend", None),
        ("2 dúzias", None),
        ("2 дюжины", None),
        ("2ダース", None),
        ("3 centaines", None),
        ("3 Trillionen", None),
        ("2 quadrillion", None),
        ("3십", None),
        ("40多", None),
        ("40余人", None),
        ("40強", None),
        ("3/4", "0.75"),
        ("3 1/2 km", "3.5"),
        ("40 people", "40"),
        ("40人", "40"),
    ],
)
def test_a_word_that_scales_a_number_is_never_left_out(written: str, plain: str | None) -> None:
    """A fraction is scaled as any number, in every language; what no reader scales gives no number."""
    assert [plain] == list(numbers(written))


@pytest.mark.parametrize("written", ["3 bzw. 4", "3 oder etwas mehr", "3 o algo más", "3 ou un peu plus", "40多"])
def test_two_numbers_and_a_bound_are_no_answer(written: str) -> None:
    """The first number of a choice between two, and the end of a bound, is not the answer."""
    assert read_answer(f"FINAL ANSWER: {written}", AnswerForm(kind="number")) is None
