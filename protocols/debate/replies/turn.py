"""The reader of a debater's turn, which never raises.

A peer's text between the marks of the prompt is left out. Then the first of these ways that comes
by a position is taken, and no later one mends what it gives::

    schema     the reply is one whole object, and a JSON schema was sent for it
    json       the last object that is a turn: it has a position, or a reasoning and a number or vote
    repaired   the same, mended by json-repair; a confidence counts where it is written in full
    text       labelled lines: "Position: …", "Confidence: 85%", "**Vote:** ACCEPT"
    prose      a sentence marked as the position; the whole is the reasoning, and there are no numbers

A turn that has only the headers of its mode has its position where one of them asks for it ("Assessment") or where a
sentence is marked as one (``positions``); otherwise there is none. Repeated text of the prompt (``needs["shown"]``)
is never its turn. Claims are read from the prose where an object lists none; references are those of both.
The stance is kept only where ``needs["stances"]`` is true (decision 1). Everything is bounded, and can be stored.
"""

import re
from collections.abc import Mapping
from itertools import islice

from pydantic import JsonValue

from protocols import debate
from protocols.answer_text import is_retracted, without_peers
from protocols.debate.keywords import alerts
from protocols.debate.model.turn import Alternative, Reference, Risk, TurnReading
from protocols.debate.replies.claims import read_claims
from protocols.debate.replies.field_names import HEADERS, Given, entry_value, every, field_of, one, under
from protocols.debate.replies.field_values import MOST, REASONING, SHORT, by_name, ids_of, objects_of, text_of, texts_of
from protocols.debate.replies.positions import IsShown, first_held, own_part, stated
from protocols.debate.replies.references import check, read_references, read_section
from protocols.debate.replies.reply_formats import ReplyFormat, marks, read_form
from protocols.debate.replies.role_replies import squeezed, stated_answer
from protocols.json_in_text import follows_schema
from protocols.reply_reader import texts_in
from protocols.text_cleaning import plain, storable, untagged
from protocols.text_files import compile_patterns

_ENTRY = "text alternative option approach proposal risk vulnerability failuremode mode threat description title name"
_BESIDE = {
    "alternatives": "rejectedbecause rejectionreason rejection whyrejected whynot rationale reason why",
    "risks": "mitigation mitigations mitigationcategory mitigationstrategy mitigatedby",
}
"""Under which names an entry of a list gives its text, and its reason or remedy."""

_LABEL = re.compile(r"\A\W{0,4}(?:my )?(?:final )?position\W{0,3}[:：]\W{0,3}", re.IGNORECASE)
"""A name of the field that its text repeats."""
_PATTERNS = compile_patterns(debate.__name__, "replies_turn")
_VOTE_ALONE = re.compile(r"\W*(?:accept|minor|blocker)\W*", re.IGNORECASE)


def read_turn(text: str, needs: Mapping[str, JsonValue]) -> TurnReading:
    """Return the turn in a reply; one without a position has the reason in ``why``."""
    own, is_shown = untagged(without_peers(plain(text)), field_of).strip(), _shown(needs)
    form = read_form(own, is_shown)
    if form is None:
        return TurnReading(why="the turn is empty" if not own else "the object is cut or broken, and gives no position")
    reading = _given_fields(form, is_shown, needs)
    if not reading.position:
        return TurnReading(why="no position is given")
    given = under(form.fields, "position", "finalanswer", "answer", "position")
    answer = stated_answer(needs, given, f"{reading.reasoning}\n\n{own}", reading.position)
    source = "schema" if reading.source == "json" and follows_schema(text, needs) else reading.source
    return reading.model_copy(update={"answer": answer, "source": source})


def _shown(needs: Mapping[str, JsonValue]) -> IsShown:
    """Return the check for texts that the model was shown, except its own last position and the motion."""
    # What is quoted in an object has its quotation marks and its line breaks escaped.
    shown = squeezed(untagged(plain(str(needs.get("shown") or "")), field_of).replace("\\n", " ").replace('\\"', '"'))
    own = [squeezed(text) for text in texts_in(needs, "own")]

    def is_shown(said: str) -> bool:
        sought = squeezed(said)
        return bool(sought) and sought in shown and not any(text in sought or sought in text for text in own)

    return is_shown


def _given_fields(form: ReplyFormat, is_shown: IsShown, needs: Mapping[str, JsonValue]) -> TurnReading:
    fields, reasoning = form.fields, _reasoning(form)
    own = read_section(reasoning)
    around = read_section(form.prose)
    places = {"changed": form.prose, "vote_anew": form.behind, "confidence_anew": form.behind}
    changes = [found for name, text in places.items() for found in _PATTERNS[name].finditer(text)]
    confidence, vote, stance = marks(fields, form.written, changes)
    terms = text_of(one(fields, "conditions")) or _PATTERNS["footnote"].match(form.behind)
    is_on_terms = vote == "ACCEPT" and bool(terms)
    reading = TurnReading(
        position=_position(fields, own.rest, is_shown),
        reasoning=reasoning,
        confidence=confidence,
        confidence_reason=text_of(one(fields, "confidence_reason")),
        vote=None if is_retracted(form.behind, (), form.source) or is_on_terms else vote,
        stance=stance if needs.get("stances") is True else None,
        debate_alignment=text_of(one(fields, "debate_alignment"), SHORT) or None,
        claims=read_claims(every(fields, "claims"), own.rest, around.rest),
        references=read_references(every(fields, "references"), (*own.references, *around.references)),
        steelman=text_of(one(fields, "steelman")),
        uncertainty=text_of(one(fields, "uncertainty")),
        source=form.source,
    )
    reading = reading.model_copy(update=_lists(fields))
    judged = reading.model_copy(update={"reasoning": own.rest, "references": (), "replies_to": ()})
    violations = check("\n".join(judged.texts), reading.claims, reading.references or _of_provider(needs))
    return reading.model_copy(update={"violations": violations, "alerts": alerts("\n".join(reading.texts))})


def _position(fields: Given, prose: str, is_shown: IsShown) -> str:
    """Return the labelled position, else the first text under its header, else the one that the prose states."""
    given = _LABEL.sub("", text_of(one(fields, "position")))
    is_copied = is_shown(f'"position": "{given}"')  # of an object in the prompt, such as its example
    labelled = "" if is_copied or _VOTE_ALONE.fullmatch(given) else own_part(given, is_shown)
    own = one(fields, "held")
    section = first_held(text_of([*own.values()])) if isinstance(own, dict) and not labelled else ""
    return storable(labelled or section or stated(prose, is_shown))


def _reasoning(form: ReplyFormat) -> str:
    headers = HEADERS if form.source != "text" else ()
    given = (text_of(value, REASONING) for name in ("reasoning", *headers) for value in every(form.fields, name))
    return storable("\n\n".join(text for text in given if text)[:REASONING]) or storable(form.prose[:REASONING])


def _lists(fields: Given) -> Mapping[str, tuple[object, ...]]:
    return {
        **{name: ids_of(every(fields, name), "C") for name in ("reinforces", "challenges", "retracts")},
        **{name: texts_of(every(fields, name)) for name in ("key_points", "concerns", "replies_to")},
        "alternatives": tuple(Alternative(text=it, rejected_because=why) for it, why in _pairs(fields, "alternatives")),
        "risks": tuple(Risk(text=it, mitigation=remedy) for it, remedy in _pairs(fields, "risks")),
    }


def _pairs(fields: Given, name: str) -> tuple[tuple[str, str], ...]:
    texts, others = _ENTRY.split(), _BESIDE[name].split()
    entries = objects_of(entry for value in every(fields, name) for entry in by_name(value, *others, *texts))
    pairs = ([text_of(entry_value(one, *names), SHORT) for names in (texts, others)] for one in entries)
    split = ((text, other, None if other else _PATTERNS[name].fullmatch(text)) for text, other in pairs if text)
    named = ((found["text"], found["other"]) if found else (text, other) for text, other, found in split)
    return tuple(islice(named, MOST))


def _of_provider(needs: Mapping[str, JsonValue]) -> tuple[Reference, ...]:
    """Return the provider's sources as the references of a turn that lists none."""
    numbers = needs.get("source_numbers")
    return tuple(Reference(number=int(str(one)), text="") for one in numbers) if isinstance(numbers, list) else ()
