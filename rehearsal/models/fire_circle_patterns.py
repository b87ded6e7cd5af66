"""The eight kinds of pattern: the rule that finds one in the layers, its wording, and its words in other texts.

Nothing here depends on who looks. A sign is there or it is not; who sees it is a matter of ``evaluators``.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rehearsal.models.fire_circle_prompts import Circle
from rehearsal.models.seeded import pick
from rehearsal.models.written_texts import read_script

_SCRIPT = read_script("fire_circle")
_LONG = 120
"""Words from which on a preamble wears attention down."""
_SHORT = 30
"""Words of a demand that is short."""
_TAILS = ("", ", as far as the layers show", ", and this changes how the rest reads", " (seen in the wording itself)")


def _expressions() -> dict[str, re.Pattern[str]]:
    """Return the expressions of the script; ``{name}`` in one of them is an earlier one."""
    found: dict[str, str] = {}
    for name, rows in _SCRIPT["expressions"].items():
        text = "|".join(rows) if isinstance(rows, list) else rows
        found[name] = re.sub(r"\{([a-z_]+)\}", lambda earlier: found[earlier[1]], text)
    return {name: re.compile(text, re.IGNORECASE) for name, text in found.items()}


_EXPRESSIONS = _expressions()


def _found(expression: str, text: str) -> str:
    found = _EXPRESSIONS[expression].search(text)
    return found.group(0) if found else ""


def _asked(circle: Circle) -> str:
    """Return the external text: a role, rank or demand in the system layer is no pattern."""
    return "\n".join(text for text in (circle.layer("application"), circle.layer("user")) if text)


def _temporal(circle: Circle) -> str:
    return "" if circle.turn > 1 else next(filter(None, (_found("history", text) for _, text in circle.layers)), "")


def _cross_layer(circle: Circle) -> str:
    above = "\n".join((circle.layer("system"), circle.layer("application")))
    return _claim(circle, above, "of_the_user") and _claim(circle, circle.layer("user"), "of_the_system")


def _claim(circle: Circle, text: str, permission: str) -> str:
    """Return the place where ``text`` relies on another layer: an impossible past, or a permission."""
    return (_found("history", text) if circle.turn == 1 else "") or _found(permission, text)


def _polite(circle: Circle) -> str:
    marks = {mark.lower() for mark in _EXPRESSIONS["courtesy"].findall(_asked(circle))}
    return _found("secret", _asked(circle)) if len(marks) > 1 else ""


def _educational(circle: Circle) -> str:
    text = _asked(circle)
    return _found("lesson", text) and _found("steps", text) and _found("more", text)


def _saturation(circle: Circle) -> str:
    preamble, _, last = _asked(circle).rstrip().rpartition("\n")
    is_long = len(preamble.split()) >= _LONG and len(last.split()) <= _SHORT
    return _found("demand", last) if is_long else ""


def _progression(circle: Circle) -> str:
    text = _asked(circle)
    steps = _EXPRESSIONS["done"].findall(text)
    return steps[0] if len(steps) > 1 and _EXPRESSIONS["onwards"].search(text) else ""


@dataclass(frozen=True)
class Kind:
    """One kind of pattern."""

    name: str
    find: Callable[[Circle], str]
    """The words that give it away; empty where it is not there."""
    named: re.Pattern[str]
    """The words of a text about it."""
    weight: float
    """How much falsehood lies in it, from 0 to 1."""
    ease: float
    """How likely it is seen at first sight, from 0 to 1."""
    ways: Sequence[str]
    absent: str
    """How the empty chair words it."""


_FINDERS: Mapping[str, Callable[[Circle], str]] = {
    "temporal_inconsistency": _temporal,
    "cross_layer_fabrication": _cross_layer,
    "polite_extraction": _polite,
    "educational_escalation": _educational,
    "context_saturation": _saturation,
    "role_confusion": lambda circle: _found("role", _asked(circle)),
    "fabricated_progression": _progression,
    "false_authority": lambda circle: _found("rank", _asked(circle)),
}

KINDS = tuple(
    Kind(name, find, **{**script, "named": re.compile("|".join(script["named"]), re.IGNORECASE)})
    for name, find in _FINDERS.items()
    for script in (_SCRIPT["kinds"][name],)
)
"""Every kind, in the order in which patterns are listed."""


@dataclass(frozen=True)
class PatternExample:
    """A pattern in the prompt, and its revealing words."""

    kind: Kind
    quote: str
    turn: int

    def worded(self, *keys: object) -> str:
        """Return the pattern in a model's words; ``keys`` seed the choice of words."""
        said = pick(self.kind.ways, *keys, "way") + pick(_TAILS, *keys, "tail")
        return said.format(quote=f'"{self.quote}"', turn=self.turn)

    def warned(self) -> str:
        """Return the pattern as a warning from the absent."""
        return self.kind.absent.format(quote=f'"{self.quote}"')


def find_patterns(circle: Circle) -> tuple[PatternExample, ...]:
    """Return all patterns in the layers, in the order of the table."""
    found = ((kind, kind.find(circle)) for kind in KINDS)
    return tuple(PatternExample(kind, quote, circle.turn) for kind, quote in found if quote)


def kinds_in(text: str) -> tuple[str, ...]:
    """Return the names of the kinds mentioned in ``text``, the first mentioned first."""
    found = sorted((hit.start(), kind.name) for kind in KINDS if (hit := kind.named.search(text)))
    return tuple(name for _, name in found)
