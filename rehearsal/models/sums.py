"""Results of small sums: in signs, in words, or as a story.

``15% of 80``, ``7 x (8 + 1)``, ``12 plus 30`` and *Tom has 12 apples and buys 5 more* are sums. Everything is exact: a
sum is worked out in fractions, and one that cannot be worked out (a division by zero) is none.
"""

import ast
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise
from operator import add, mul, sub, truediv

_Operation = Callable[[Fraction, Fraction], Fraction]

_OPERATIONS: Mapping[type[ast.operator], _Operation] = {ast.Add: add, ast.Sub: sub, ast.Mult: mul, ast.Div: truediv}
_WORDS = (
    (r"(\d)\s*%\s+of\b", r"\1 / 100 *"),
    (r"\bplus\b", "+"),
    (r"\bminus\b", "-"),
    (r"\b(?:times|multiplied by)\b|[×·∙⋅]", "*"),
    (r"\bdivided by\b|÷", "/"),
    (r"[−–]", "-"),
    (r"(?<=[\d)])\s*[xX]\s*(?=[\d(])", "*"),
    (r"(?<=\d),(?=\d{3}\b)", ""),
)
"""What people write for the four signs, and what separates thousands."""

_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,9})?")
_TOKEN = re.compile(rf"{_NUMBER.pattern}|[-+*/()]")
_WRITTEN = re.compile(r"[(\d][\d\s.()+*/-]{1,200}[\d)]")

_STORY: tuple[tuple[str, _Operation], ...] = (
    (r"\b(?:shared?|split|divided?|equally|shares?)\b", truediv),
    (r"\b(?:each|every|times|per|rows?|boxes|bags|packs?|twice)\b", mul),
    (
        r"\b(?:los\w+|lost|giv\w+|gave|eat\w*|ate|sells?|sold|spen\w+|takes?|away|off|out|fewer|less|left|breaks?|uses?)\b",
        sub,
    ),
)
"""What a story does with its next number, by a word in the same clause; without one of these words it is added."""

_CLAUSE = re.compile(r"[.,;?](?!\d)|\b(?:and|then)\b")

_MOST_NUMBERS = 6


def sum_in(text: str) -> Fraction | None:
    """Return the result of the first written sum in ``text``, or ``None`` without one."""
    for pattern, sign in _WORDS:
        text = re.sub(pattern, sign, text)
    for found in _WRITTEN.finditer(text):
        tokens = _TOKEN.findall(found.group())
        if not {"+", "-", "*", "/"}.isdisjoint(tokens):
            try:
                return _worked_out(tokens)
            except (ValueError, SyntaxError, ZeroDivisionError):
                continue
    return None


def story_in(text: str) -> Fraction | None:
    """Return the result of a story's numbers in their order, or ``None`` with fewer than two or too many."""
    found = list(_NUMBER.finditer(text))
    if not 1 < len(found) <= _MOST_NUMBERS:
        return None
    value = Fraction(found[0].group())
    ends = [*(after.start() for after in found[1:]), len(text)]
    for (before, number), end in zip(pairwise(found), ends[1:], strict=True):
        led_up = _CLAUSE.split(text[before.end() : number.start()])[-1]
        sentence = f"{led_up} {_CLAUSE.split(text[number.end() : end])[0]}"
        operation = next((op for words, op in _STORY if re.search(words, sentence, re.IGNORECASE)), add)
        if operation is truediv and not Fraction(number.group()):
            return None
        value = operation(value, Fraction(number.group()))
    return value


def as_written(value: Fraction) -> str:
    """Return a number as people write it: whole, or with at most four decimals."""
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.4f}".rstrip("0")


def _worked_out(tokens: list[str]) -> Fraction:
    """Return the value of a sum; raises ``ValueError`` or ``SyntaxError`` where it is none."""
    source = " ".join(token.lstrip("0") or "0" for token in tokens)

    def value(node: ast.expr) -> Fraction:
        match node:
            case ast.BinOp(left, sign, right) if type(sign) in _OPERATIONS:
                return _OPERATIONS[type(sign)](value(left), value(right))
            case ast.UnaryOp(ast.USub(), operand):
                return -value(operand)
            case ast.Constant():
                return Fraction(ast.get_source_segment(source, node) or "")
            case _:
                raise ValueError(source)

    return value(ast.parse(source, mode="eval").body)
