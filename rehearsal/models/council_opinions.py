"""First opinions, and how good one is: the answers that are written for a question, else filler.

Filler is marked as filler, with a note of what a model would write. A model is a hidden quality and a style, both
derived from the seed and its name. Quality decides how many *moves* an answer makes (a move is a definition, a reason,
an example, a limit …), style decides which, in what order, in whose words and in what layout. ``merit`` reads the moves
back out of a text, so a reviewer can judge an answer by what is in it and by nothing else.
"""

from dataclasses import dataclass
from functools import lru_cache

from rehearsal.models.seeded import fraction, pick, shuffled
from rehearsal.models.written_texts import known_answer, read_script, written_for

_FILLER = read_script("filler")
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
_FEWEST, _MORE = 2, 5
"""Moves that the worst filler makes, and how many more the best one makes: filler stays short."""
_LAYOUTS = ("prose", "numbered", "bullets", "headings")


@dataclass(frozen=True)
class Argument:
    """A feature of a good answer, and its wordings in filler."""

    name: str
    ways: tuple[str, ...]


ARGUMENTS = tuple(Argument(name, tuple(ways)) for name, ways in _FILLER["arguments"].items())
"""Ten features; more of them is better."""


def opinion(seed: int, model: str, question: str, *, names_itself: bool | None = None) -> str:
    """Return the answer of ``model`` to ``question``; ``names_itself`` overrides the model's habit."""
    written = written_for(question)
    if written is not None and (text := written.answer(seed, model)):
        name, maker, _ = own_name(model)
        return f"As {name}, made by {maker}, I would say this.\n\n{text}" if names_itself else text
    return _opinion(seed, model, question, names_itself)


def quality(seed: int, model: str) -> float:
    """Return the hidden quality of a model, in [0, 1)."""
    return fraction(seed, "quality", model)


def arguments_in(text: str) -> tuple[str, ...]:
    """Return the names of the arguments in ``text``."""
    return tuple(one.name for one in ARGUMENTS if any(way in text for way in one.ways))


def merit(text: str) -> float:
    """Return how good an answer is: as it is known of a written one, else by what the script put into it.

    That is one point per move, and up to two for having been written out. Texts that were recorded elsewhere make few
    of these moves by their exact words and are judged mostly by length.
    """
    known = known_answer(text)
    if known is not None:
        return known.merit
    return len(arguments_in(text)) + min(2.0, text.count(" ") / 150)


def own_name(model: str) -> tuple[str, str, bool]:
    """Return a model's own name, its maker, and whether it tends to mention them."""
    for part, name, maker, is_mentioned in _FAMILIES:
        if part in model.lower():
            return name, maker, is_mentioned
    return model.rpartition("/")[2].partition("+")[0], "its makers", False


@lru_cache(maxsize=4096)
def _opinion(seed: int, model: str, question: str, names_itself: bool | None) -> str:
    keys = (seed, model, question)
    count = _FEWEST + int(quality(seed, model) * _MORE + fraction(*keys, "form") * 0.99)
    moves = shuffled(ARGUMENTS, *keys, "moves")[: min(count, len(ARGUMENTS))]
    said = [pick(move.ways, *keys, move.name) for move in moves]
    name, maker, tends = own_name(model)
    signed = f"As {name}, made by {maker}, I say this. " if names_itself else ""
    if names_itself is None and tends:
        signed = f"As {name}, I say this. "
    opening = signed + pick(_FILLER["openings"], seed, model, "opening")
    return _lay_out(pick(_LAYOUTS, seed, model, "layout"), opening, said, [m.name for m in moves])


def _lay_out(layout: str, opening: str, said: list[str], names: list[str]) -> str:
    if layout == "numbered":
        return opening + "\n\n" + "\n".join(f"{n}. {s}" for n, s in enumerate(said, 1))
    if layout == "bullets":
        return opening + "\n\n" + "\n".join(f"- **{n.capitalize()}:** {s}" for n, s in zip(names, said, strict=True))
    if layout == "headings":
        return opening + "".join(f"\n\n### {n.capitalize()}\n{s}" for n, s in zip(names, said, strict=True))
    pairs = [" ".join(said[i : i + 2]) for i in range(0, len(said), 2)]
    return "\n\n".join([opening, *pairs])
