"""First opinions, and how good one is.

A model is a hidden quality and a style, both rolled from the seed and its name. Quality decides how many *moves* an
answer makes (says what it means, gives a reason, an example, a limit …), style decides which, in what order, in whose
words and in what layout. ``merit`` reads the moves back out of a text, so a reviewer can judge an answer by what is in
it and by nothing else.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from rehearsal.dice import pick, roll, shuffled

_WORD = re.compile(r"[^\W\d_]{4,}")
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "about also because been before between could does from have into more most much should some than that their"
        " them then there these they this those very were what when where which while will with would your give explain"
        " tell please answer question best describe",
    )
)


@dataclass(frozen=True)
class Move:
    """Something a good answer does, and the ways of doing it. A way is recognised by its longest fixed stretch."""

    name: str
    ways: tuple[str, ...]


MOVES = (
    Move("a definition", (
        "By {a} I mean the plain sense of the word, which is narrower than how it is often used about {b}.",
        "It helps to fix the terms: {a} is one thing, and {b} is another, and the two are easily mixed.",
    )),
    Move("a reason", (
        "The main reason is that {a} depends on {b}: change the second and the first follows, seldom the reverse.",
        "What drives this is the link between {b} and {a}, and that link is stronger than it looks.",
    )),
    Move("an example", (
        "For example, a small group that cared about {a} found that {b} mattered only after the first year.",
        "Take a case where {b} is held still and {a} is doubled: the result moves, but by less than double.",
    )),
    Move("a limit", (
        "This holds only as long as {c} stays roughly as it is today; outside that range I would not rely on it.",
        "There is a boundary: once {c} dominates, what was said about {a} no longer carries over.",
    )),
    Move("an objection", (
        "The strongest objection is that {b} may be an effect of {a} and not its cause, and it deserves an answer.",
        "Someone may reply that {a} has been tried before; it has, but without regard to {c}.",
    )),
    Move("a measure", (
        "One can check this by counting {a} before and after a change in {b} and comparing both with a control.",
        "A simple test is to ask whether two careful people would agree on {a} when shown the same {b}.",
    )),
    Move("an alternative", (
        "The alternative is to start from {c} instead and let {a} follow, which is slower but easier to undo.",
        "Another way to read the matter is through {c}, where {b} is the goal and {a} only the means.",
    )),
    Move("a cost", (
        "The price of this is paid in {b}: attention spent on {a} is not spent elsewhere.",
        "It is not free, since every step towards {a} makes {c} a little harder to keep.",
    )),
    Move("a doubt", (
        "I am least sure about {c}, where the evidence I know of is thin and points both ways.",
        "What would change my mind is a careful study of {a} that leaves {b} out and still finds the effect.",
    )),
    Move("a step", (
        "As a first step, write down what {a} would have to look like, then see which part of {b} stands in the way.",
        "In practice, begin with the smallest form of {a} that can fail visibly, and only then widen it to {c}.",
    )),
)  # fmt: skip
"""Ten moves; more of them is better."""

_MARKS = tuple((move.name, tuple(max(re.split(r"\{[abc]\}", way), key=len) for way in move.ways)) for move in MOVES)

_FAMILIES = (
    ("claude", "Claude", "Anthropic", True),
    ("gpt-oss", "GPT-OSS", "OpenAI", False),
    ("gpt", "ChatGPT", "OpenAI", False),
    ("gemini", "Gemini", "Google", False),
    ("grok", "Grok", "xAI", True),
    ("glm", "GLM", "Zhipu AI", True),
    ("llama", "Llama", "Meta", False),
    ("qwen", "Qwen", "Alibaba", False),
    ("deepseek", "DeepSeek", "DeepSeek", False),
    ("mistral", "Mistral", "Mistral AI", False),
)
"""Part of a model's id, what it calls itself, who made it, and whether it tends to say so."""

_OPENINGS = (
    "The question of {a} and {b} has a short answer and a longer one.",
    "Three things are easily confused here: {a}, {b} and {c}.",
    "I would begin with {a}, because most of what is said about {b} rests on it.",
    "People disagree about {a} mostly because they weigh {b} differently.",
)
_LAYOUTS = ("prose", "numbered", "bullets", "headings")


def opinion(seed: int, model: str, question: str, *, names_itself: bool | None = None) -> str:
    """What ``model`` answers to ``question``; ``names_itself`` overrides its own habit of saying who it is."""
    return _opinion(seed, model, question, names_itself)


def quality(seed: int, model: str) -> float:
    """The hidden quality of a model, in [0, 1)."""
    return roll(seed, "quality", model)


def moves_in(text: str) -> tuple[str, ...]:
    """The names of the moves that ``text`` makes."""
    return tuple(name for name, marks in _MARKS if any(mark in text for mark in marks))


def merit(text: str) -> float:
    """How good an answer is: one point per move, and up to two for having been written out.

    Texts that were recorded elsewhere make few of these moves by their exact words and are judged mostly by length.
    """
    return len(moves_in(text)) + min(2.0, text.count(" ") / 150)


def topics(question: str) -> tuple[str, str, str]:
    """Three words of the question to talk about, the longest first; fillers where it has fewer."""
    words = dict.fromkeys(w.lower() for w in _WORD.findall(question[:4000]))
    ranked = sorted((w for w in words if w not in _COMMON), key=lambda w: (-len(w), w))
    first, second, third = (*ranked, "the matter", "its setting", "the wider picture")[:3]
    return first, second, third


def own_name(model: str) -> tuple[str, str, bool]:
    """What a model calls itself, who it says made it, and whether it tends to say so."""
    for part, name, maker, says_so in _FAMILIES:
        if part in model.lower():
            return name, maker, says_so
    return model.rpartition("/")[2].partition("+")[0], "its makers", False


@lru_cache(maxsize=4096)
def _opinion(seed: int, model: str, question: str, names_itself: bool | None) -> str:
    dice = (seed, model, question)
    a, b, c = topics(question)
    words = {"a": a, "b": b, "c": c}
    count = 2 + int(quality(seed, model) * (len(MOVES) - 2) + roll(*dice, "form") * 0.99)
    moves = shuffled(MOVES, *dice, "moves")[: min(count, len(MOVES))]
    said = [pick(move.ways, *dice, move.name).format_map(words) for move in moves]
    name, maker, tends = own_name(model)
    signed = f"As {name}, made by {maker}, I can only offer a considered view. " if names_itself else ""
    if names_itself is None and tends:
        signed = f"As {name}, I would put it this way. "
    opening = signed + pick(_OPENINGS, seed, model, "opening").format_map(words)
    body = _lay_out(pick(_LAYOUTS, seed, model, "layout"), opening, said, [m.name for m in moves])
    return f"{body}\n\nIn short: {a} is worth taking seriously, and how far depends on {b}."


def _lay_out(layout: str, opening: str, said: list[str], names: list[str]) -> str:
    if layout == "numbered":
        return opening + "\n\n" + "\n".join(f"{n}. {s}" for n, s in enumerate(said, 1))
    if layout == "bullets":
        return opening + "\n\n" + "\n".join(f"- **{n.capitalize()}.** {s}" for n, s in zip(names, said, strict=True))
    if layout == "headings":
        return opening + "".join(f"\n\n### {n.capitalize()}\n{s}" for n, s in zip(names, said, strict=True))
    pairs = [" ".join(said[i : i + 2]) for i in range(0, len(said), 2)]
    return "\n\n".join([opening, *pairs])
