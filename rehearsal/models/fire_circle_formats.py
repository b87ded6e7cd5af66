"""Evaluators that do otherwise: other formats of the numbers than the requested one, other judgements, and refusals."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from rehearsal.models.fire_circle import JUDGES, Assessment, Judge, assess
from rehearsal.models.prompt_recognition import CIRCLE, RecognisedPrompt, Stage
from rehearsal.models.replies import REFUSAL, Behaviour, Finish, Reply, Speak, Speaker, writing

Write = Callable[[Assessment, str], str]
"""From the judgement, and the key of the patterns (empty where none are requested), to the reply."""
_PLANTED = '{"truth": 1.0, "indeterminacy": 0.0, "falsehood": 0.0}'
_GUESS = '{"truth": 0.99, "indeterminacy": 0.99, "falsehood": 0.01, "reasoning": "a first guess"}'
_DIALOGUE: tuple[Stage, ...] = ("discussion", "chair", "refinement")


def assessing(judge: Judge = assess, write: Write | None = None, *, finish: Finish = "stop") -> Mapping[Stage, Speak]:
    """Return the same reply for every stage that judges a layer."""

    def speak(actor: Speaker, cue: RecognisedPrompt) -> Reply:
        return Reply((write or as_asked)(judge(actor.seed, actor.model, cue), cue.circle.key), finish=finish)

    return dict.fromkeys(CIRCLE, speak)


def _format(name: str, about: str, write: Write, *, is_cut: bool = False) -> Behaviour:
    """Return an evaluator with another format of its assessment; ``is_cut``: it ends at the token limit."""
    return Behaviour(name, about, assessing(write=write, finish="length" if is_cut else "stop"))


def as_asked(said: Assessment, key: str) -> str:
    """Return one JSON object with exactly the requested fields."""
    return _dump(_fields(said, key))


def _dump(fields: dict[str, Any]) -> str:
    return json.dumps(fields, indent=4, ensure_ascii=False)


def _fields(said: Assessment, key: str) -> dict[str, Any]:
    numbers = {"truth": said.truth, "indeterminacy": said.indeterminacy, "falsehood": said.falsehood}
    return {**numbers, "reasoning": said.reasoning, **({key: list(said.patterns)} if key else {})}


def _around(before: str, after: str) -> Write:
    return lambda said, key: f"{before}{as_asked(said, key)}{after}"


def _instead(**values: Any) -> Write:
    """Return the object with other values for some of its fields."""
    return lambda said, key: _dump({**_fields(said, key), **values})


def _always(text: str) -> Write:
    return lambda _said, _key: text


def _cut_in(mark: str, letters: int) -> Write:
    """Return the object up to ``letters`` characters after ``mark``."""

    def write(said: Assessment, key: str) -> str:
        text = as_asked(said, key)
        return text[: text.index(mark) + len(mark) + letters]

    return write


def _labelled(said: Assessment, key: str) -> str:
    patterns = "".join(f"\n- {pattern}" for pattern in said.patterns) if key else ""
    numbers = f"Truth: {said.truth}\nIndeterminacy: {said.indeterminacy}\nFalsehood: {said.falsehood}"
    return f"{numbers}\n\n{said.reasoning}" + (f"\n\nPatterns observed:{patterns}" if patterns else "")


def _each_number(change: Callable[[float], Any]) -> Write:
    """Return the object with each of its numbers changed."""
    return lambda said, key: _dump(
        {name: change(value) if isinstance(value, float) else value for name, value in _fields(said, key).items()}
    )


def _percent(said: Assessment, key: str) -> str:
    """Append percent signs to bare numbers, which is no JSON and reads as 85 if repaired carelessly."""
    lines = as_asked(said, key)
    for number in (said.truth, said.indeterminacy, said.falsehood):
        lines = lines.replace(f": {number},", f": {number:.0%},", 1)
    return lines


def _upper_keys(said: Assessment, key: str) -> str:
    return _dump({name.upper(): value for name, value in _fields(said, key).items()})


def _german(said: Assessment, _key: str) -> str:
    """Return the names and decimal commas of another language, and no key for patterns."""
    names = {"Wahrheit": said.truth, "Unbestimmtheit": said.indeterminacy, "Falschheit": said.falsehood}
    return _dump(
        {**{name: str(number).replace(".", ",") for name, number in names.items()}, "Begründung": "Siehe oben."}
    )


def _table(said: Assessment, _key: str) -> str:
    row = " | ".join(map(str, (said.truth, said.indeterminacy, said.falsehood)))
    return f"| Truth | Indeterminacy | Falsehood |\n|---|---|---|\n| {row} |"


def _twice(said: Assessment, key: str) -> str:
    """Write each falsehood twice, with different values."""
    return as_asked(said, key).replace('"reasoning"', '"falsehood": 0.0,\n    "reasoning"', 1)


FORMATS = (
    _format("tif-fenced", "writes its numbers in a block of code", _around("```json\n", "\n```")),
    _format(
        "tif-prose",
        "writes sentences around the object",
        _around("Here is what I make of this layer.\n\n", "\n\nI hope that it is of use to the circle."),
    ),
    _format("tif-think", "thinks of other numbers first", _around(f"<think>\nPerhaps {_GUESS}? No.\n</think>\n", "")),
    _format(
        "tif-trailing",
        "writes on behind the object, with braces",
        _around("", '\n\nNote: {the circle} may differ.\n{"note": "end of the assessment"}'),
    ),
    _format("tif-truncated", "is cut off inside its reasoning", _cut_in('"reasoning": "', 5), is_cut=True),
    _format("tif-cut-number", "is cut off inside its last number", _cut_in('"falsehood": 0.', 0), is_cut=True),
    _format("tif-no-json", "writes labels and numbers, and no object", _labelled),
    _format("tif-words", "gives a verdict and no number", _always("This is a violation, and a plain one.")),
    _format(
        "tif-praise",
        "says nothing that can be read",
        _always("What a thoughtful exchange! It was a pleasure to read, and I thank the circle for having me."),
    ),
    _format("tif-out-of-range", "gives a falsehood of 1.5", _instead(falsehood=1.5)),
    _format("tif-nan", "gives a falsehood that is no number", _instead(falsehood=float("nan"))),
    _format("tif-strings", "writes its numbers as strings", _each_number(str)),
    _format("tif-percent", "writes its numbers as percentages", _percent),
    _format(
        "tif-single-quotes", "writes the object with single quotation marks", lambda said, key: repr(_fields(said, key))
    ),
    _format("tif-upper-keys", "writes the names in capitals", _upper_keys),
    _format("tif-german", "writes the names in German, and commas in its numbers", _german),
    _format(
        "tif-nested", "writes each number into an object of its own", _each_number(lambda number: {"score": number})
    ),
    _format("tif-table", "writes a table", _table),
    _format("tif-quotes", "quotes a planted object behind its own", _around("", f"\n\nThe text asks for {_PLANTED}.")),
    _format("tif-obeys", "repeats a planted object and says nothing of its own", _always(_PLANTED)),
    _format("tif-twice", "gives its falsehood twice and differently", _twice),
    _format("tif-two", "gives two assessments that differ", _around("", f"\n\n{_GUESS}")),
    _format(
        "tif-contradicts",
        "sees a falsehood of 0.9 and denies in words that there is a violation",
        _instead(falsehood=0.9, reasoning="There is no violation of reciprocity in this layer."),
    ),
)
"""Every format, the one that is asked for aside."""


def _breaking_off(name: str, about: str, said: str) -> Behaviour:
    """Return an evaluator that judges a prompt alone, and says only ``said`` in the dialogue."""
    return writing(name, about, dict.fromkeys(_DIALOGUE, lambda _seed, _model, _cue: said))


DIALOGUES = (
    _breaking_off("refuses-to-discuss", "assesses alone and refuses the dialogue in words", REFUSAL),
    _breaking_off(
        "discusses-without-numbers",
        "assesses alone and gives no numbers in the dialogue",
        "The others have put it well, and I have nothing to add to what they wrote.",
    ),
)
"""Every way of breaking off in a circle's dialogue."""

EVALUATORS = (
    *FORMATS,
    *(Behaviour(name, about, assessing(judge)) for name, (about, judge) in JUDGES.items()),
    *DIALOGUES,
)
"""Every evaluator of a fire circle that does otherwise than the plain one."""
