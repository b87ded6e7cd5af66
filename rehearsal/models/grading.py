"""Scripted grades of answers, and preferences between two of them.

A grade follows from the answer's final line, compared with the reference, and from its length. Of two answers
the one with the higher grade is preferred. Models that are wrong give a neighbouring grade, or the other answer.
"""

import re

_SHOWN = re.compile(
    r'<text name="(?P<name>answer|first|second|reference)" nonce="(?P<nonce>\w+)">\n(?P<text>.*?)\n'
    r'</text nonce="(?P=nonce)">',
    re.DOTALL,
)
_SCALE = re.compile(r"final answer is one number from (?P<low>-?\d+(?:\.\d+)?) to (?P<high>-?\d+(?:\.\d+)?)")
_FINAL = re.compile(r"FINAL ANSWER:[*_ \t]*(\S[^\n]*)")
_ENOUGH = 400
"""Characters from which on an answer says all that it can."""


def judgement(question: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the right judgement of the answers in ``question``, and what may be mistaken for it.

    ``None`` without answers to judge.
    """
    shown = {found["name"]: found["text"] for found in _SHOWN.finditer(question)}
    reference = shown.get("reference", "")
    if "first" in shown and "second" in shown:
        first, second = (_merit(shown[name], reference) for name in ("first", "second"))
        if first == second:
            return "tie", ("first", "second")
        better, worse = ("first", "second") if first > second else ("second", "first")
        return better, (worse, "tie")
    scale = _SCALE.search(question)
    if "answer" not in shown or scale is None:
        return None
    low, high = float(scale["low"]), float(scale["high"])
    grade = round(low + (high - low) * _merit(shown["answer"], reference))
    near = [one for one in (grade - 1, grade + 1, grade - 2, grade + 2) if low <= one <= high]
    return f"{grade}", tuple(f"{one}" for one in near) or (f"{low:g}",)


def _merit(answer: str, reference: str) -> float:
    """Return the merit of ``answer`` from 0 to 1."""
    said = _FINAL.findall(answer)
    is_right = bool(said) and bool(reference) and said[-1].strip(" *_.").casefold() == reference.strip().casefold()
    return 0.3 * min(len(answer) / _ENOUGH, 1) + (0.7 if is_right or not reference else 0.0)
