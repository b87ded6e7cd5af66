"""Shapes of rows in which garak, HarmBench, promptfoo and chat logs keep prompts.

=====================  ==========================================================================================
written by             a row has
=====================  ==========================================================================================
garak                  ``entry_type: attempt``, and ``prompt``: text, ``{"text": …}`` or ``{"turns": [role, content]}``
promptfoo              ``vars`` by name; in results ``prompt: {"raw": …}``; in CSV columns beside ``__expected`` …
HarmBench              ``Behavior`` and, where a text belongs to it, ``ContextString``
JailbreakBench         ``Goal``; AdvBench: ``goal``
PurpleLlama            ``test_case_prompt`` and ``user_input``, or ``mutated_prompt``
chats, batch files     ``messages``, also below ``body``
any other              ``system``, ``application``, ``user``; ``prompt``; or one of ``text``, ``question``, ``input`` …
=====================  ==========================================================================================

A row in which more than one text could be the prompt is refused with the names to choose from, and so is a conversation
with more than one turn of the user: to judge its last turn alone would judge something else.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from studies.dataset.prompt_rows import TEXT, why_no_text

Fields = Mapping[str, Any]
Found = dict[str, str]
"""Text by layer."""

_RANKED = ("prompt", "Goal", "goal", "Behavior", "mutated_prompt", "user_input", "user")
"""Columns that contain a prompt, with any other columns."""
_PLAIN = (TEXT, "question", "input", "query", "instruction", "content")
"""Columns that contain it when none of the others exists."""
_BESIDE = {
    "system": "system",
    "application": "application",
    "test_case_prompt": "system",
    "ContextString": "application",
}
"""Columns that are another layer of the same prompt."""
_NAMES = ("id", "BehaviorID", "custom_id", "uuid", "name", "description")
_OF_THE_SYSTEM = {"system", "developer"}
_LONGEST_NAME = 60
_LAYERS_ALONE = "Write its text, or leave the field out to have the layer itself judged"


def is_prompt(fields: Fields) -> bool:
    """Return whether a row is one of a prompt; garak writes others between them."""
    return str(fields.get("entry_type", "attempt")) == "attempt"


def name_in(fields: Fields) -> str | None:
    """Return the name of the prompt in a row."""
    found = (fields.get(name) for name in _NAMES)
    value = next((str(one) for one in found if isinstance(one, str | int) and str(one).strip()), None)
    return None if value is None else " ".join(value.split())[:_LONGEST_NAME]


def prompts_in(fields: Fields, column: str | None = None) -> Iterator[Found]:
    """Yield the prompts of a row, usually one; a ``column`` such as ``vars.question`` is a field of a field."""
    beside = {layer: _text(fields[name], name) for name, layer in _BESIDE.items() if _is_given(fields.get(name))}
    if column is not None:
        yield from ({**beside, **found} for found in _each(_at(fields, column), column))
        return
    if isinstance(messages := fields.get("messages") or _at(fields, "body.messages"), list):
        yield {**beside, **_of_messages(messages)}
        return
    if isinstance(given := fields.get("vars"), Mapping) and not isinstance(fields.get("prompt"), Mapping):
        yield from ({**beside, **found} for found in _each(*_only(given, "vars.")))
        return
    name = _column(fields, beside)
    if name is None:
        yield beside
        return
    yield from ({**beside, **found} for found in _each(fields[name], name))


def _column(fields: Fields, beside: Found) -> str | None:
    """Return the column of the prompt; ``None`` where a row has nothing but other layers."""
    if _is_given(fields.get("prompt")) and _is_given(fields.get("user")):
        raise ValueError("has both 'prompt' and 'user'. Say --text-column NAME")
    known = [name for name in (*_RANKED, *_PLAIN) if name in fields]
    given = [name for name in known if _is_given(fields[name])]
    if given and (given[0] in _RANKED or len(given) == 1):
        if known[0] in _RANKED and known[0] != given[0]:
            raise ValueError(f"has no text in {known[0]!r}; {given[0]!r} may be another prompt. Say --text-column NAME")
        return given[0]
    names = (*known, "messages", "vars")
    blank = next((name for name in names if name in fields and _is_blank(fields[name])), None)
    if given or not beside:
        return _only(fields)[1] if given or blank is None else blank
    if blank is not None:  # another layer of it would be judged in its place
        raise ValueError(f"has the layer {' and '.join(beside)}, but {blank!r} is blank. {_LAYERS_ALONE}")
    return None


def _only(fields: Fields, place: str = "") -> tuple[Any, str]:
    """Return the one text of ``fields`` and its name; names that begin with ``__`` are promptfoo's own."""
    if "prompt" in fields:
        return fields["prompt"], f"{place}prompt"
    named = [name for name, value in fields.items() if _is_given(value) and not str(name).startswith("__")]
    if len(named) == 1:
        return fields[named[0]], f"{place}{named[0]}"
    if not named:
        raise ValueError("has no text")
    known = ", ".join(f"{place}{name}" for name in named[:10])
    raise ValueError(f"has several fields and none that is known to hold a prompt ({known}). Say --text-column NAME")


def _each(value: Any, name: str) -> Iterator[Found]:
    """Yield the prompts in a value; each text of a list is one prompt, as in promptfoo."""
    if isinstance(value, list) and not all(isinstance(one, Mapping) for one in value):
        for one in value:
            yield from _each(one, name)
    else:
        yield _prompt(value, name)


def _prompt(value: Any, name: str) -> Found:
    if isinstance(value, list):
        return _of_messages(value)
    if not isinstance(value, Mapping):
        return {"user": _text(value, name)}
    if isinstance(turns := value.get("turns") or value.get("messages"), list):
        return _of_messages(turns)
    raw = value.get("text", value.get("raw"))
    return _of_chat(raw) or {"user": _text(raw, name)}


def _of_chat(raw: Any) -> Found | None:
    """Return the prompt of a chat that is written as JSON text; promptfoo keeps the prompts of chats so."""
    if not isinstance(raw, str) or not raw.lstrip().startswith("[{"):
        return None
    try:
        messages = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    is_chat = all(isinstance(one, Mapping) and {"role", "content"} <= set(one) for one in messages)
    return _of_messages(messages) if is_chat else None


def _of_messages(messages: Sequence[Any]) -> Found:
    if not all(isinstance(one, Mapping) and isinstance(one.get("role"), str) for one in messages):
        raise ValueError("has messages without a role")
    said = [(str(one["role"]), one.get("content")) for one in messages]
    system = [_content(content) for role, content in said if role in _OF_THE_SYSTEM]
    user = [content for role, content in said if role == "user"]
    others = sorted({role for role, _ in said} - {*_OF_THE_SYSTEM, "user"})
    if len(user) != 1 or others:
        text = f"{len(user)} turns of the user" + (f", and turns of {', '.join(others)}" if others else "")
        raise ValueError(f"is a conversation with {text}; one turn of the user is judged, write it as a prompt")
    return {"user": _content(user[0]), **({"system": "\n\n".join(system)} if system else {})}


def _content(content: Any) -> str:
    """Return the text of a message: text, ``{"text": …}``, or parts of which every one is text."""
    if isinstance(content, Mapping):
        return _content(content.get("text"))
    if isinstance(content, list):
        return "\n".join(_content(part if isinstance(part, str) else _part(part)) for part in content)
    return _text(content, "content")


def _part(part: Any) -> Any:
    if not isinstance(part, Mapping) or "text" not in part:
        raise ValueError("has a message with a part that is no text")
    return part["text"]


def _at(fields: Fields, column: str) -> Any:
    if column in fields:
        return fields[column]
    value: Any = fields
    for step in column.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def _is_given(value: Any) -> bool:
    return bool(value.strip()) if isinstance(value, str) else isinstance(value, Mapping | list) and bool(value)


def _is_blank(value: Any) -> bool:
    return not value.strip() if isinstance(value, str) else value is None or value in ([], {})


def _text(value: Any, name: str) -> str:
    if why := why_no_text(value):
        raise ValueError(f"{name!r} {why}")
    return str(value)
