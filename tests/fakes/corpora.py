"""Replies with what each must be read as: the corpora beside the protocols' tests, and how a reply is read for them.

A corpus is ``tests/protocols/<protocol>/corpus/<reader>.toml``, a list of ``[[reply]]``; those of final answers, which
several protocols read, are ``tests/protocols/corpus/answers.<kind>.toml``, whose ``form`` is that of every reply which
has none of its own. A reply goes the way that it
goes in the activity: thinking is taken out, refusals are distinguished, the reader reads, and the protocol's rule says
whether it would be asked again.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, JsonValue

from activities.providers.errors import EmptyAnswerError
from activities.providers.replies import reply_of
from activities.providers.stream_assembly import Chunk
from activities.refusal_check import check_refusal
from activities.reply_readers import UnreadableError, informed, read
from protocols.answers import AnswerForm
from protocols.consensus import rules as consensus
from protocols.council import prompts as council
from protocols.debate.prompts import clarifications as debate
from protocols.final_answer_prompt import unanswered
from protocols.fire_circle import replies as fire_circle
from protocols.further_calls import is_blank
from protocols.model_call import Answered, Cost, Failed, ModelCall, Usage
from protocols.vote import prompts as vote
from tests.fakes.calls import model_call, provider
from tests.fakes.councils import council_input
from tests.fakes.debates import debate_of

Outcome = Literal["read", "asked", "void", "refused", "cut"]
COLUMNS: Mapping[Outcome, str] = {
    "read": "read right",
    "asked": "asked again",
    "void": "void",
    "refused": "refused",
    "cut": "cut",
}

ANSWERS = "vote.answer"
"""The reader of final answers; that of the other baselines is the same."""

Unclear = Callable[[Answered, Mapping[str, JsonValue]], str | None]
"""A protocol's rule: what to state when a reply, read with these needs, cannot be used; else ``None``."""


def _unclear_ballot(reply: Answered, needs: Mapping[str, JsonValue]) -> str | None:
    labels, nonce, criteria = needs["labels"], needs.get("nonce"), needs.get("criteria")
    assert isinstance(labels, list)
    rubric = {"criteria": [{"name": name} for name in criteria]} if isinstance(criteria, list) else None
    inp = council_input(nonce_header=bool(nonce), rubric=rubric)
    return council.unclear_review(inp, reply, [*map(str, labels)], nonce=str(nonce or ""))


def _unclear_answer(reply: Answered, needs: Mapping[str, JsonValue]) -> str | None:
    return unanswered(vote.PACK, AnswerForm.model_validate(needs["form"]))(reply)


def _unclear_turn(reply: Answered, _needs: Mapping[str, JsonValue]) -> str | None:
    return debate.unclear_turn(debate_of())(reply)


def _unclear_beside(stage: str) -> Unclear:
    return lambda reply, _needs: debate.BESIDE[stage](reply)


UNCLEAR: dict[str, Unclear] = {
    ANSWERS: _unclear_answer,
    "council.ballot": _unclear_ballot,
    "consensus.evaluation": lambda reply, _needs: consensus.unclear_check(reply),
    "consensus.curation": lambda reply, _needs: consensus.unclear_curation(reply),
    "debate.turn": _unclear_turn,
    **{f"debate.{stage}": _unclear_beside(stage) for stage in debate.BESIDE},
    "fire_circle.assessment": lambda reply, _needs: fire_circle.unclear(reply),
    "debate.safety": lambda reply, _needs: debate.BESIDE["safety"](reply),
}
"""By reader; a reader that is not named here reads everything."""

_FOLDER = Path(__file__).parents[1] / "protocols"


class Entry(BaseModel):
    """One reply and what it must be read as."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    text: str
    finish: Literal["stop", "length"] = "stop"
    needs: dict[str, JsonValue] = {}
    shown: str = ""
    """What the model was shown."""
    outcome: Outcome = "read"
    reading: dict[str, JsonValue] = {}
    """Fields of the reading that must come out; the others are not looked at."""
    why: str = ""


class Judged(NamedTuple):
    """What was the result of one reply."""

    outcome: Outcome
    reading: JsonValue = None

    def differences(self, entry: Entry) -> list[str]:
        """Return what is not as ``entry`` says, in words; empty when all is."""
        found = [] if self.outcome == entry.outcome else [f"{self.outcome}, not {entry.outcome}"]
        fields = self.reading if isinstance(self.reading, dict) else {}
        wrong = {
            name: (fields.get(name), value)
            for name, value in entry.reading.items()
            if not _holds(fields.get(name), value)
        }
        return found + [f"{name} is {was!r}, not {value!r}" for name, (was, value) in wrong.items()]


def _holds(found: JsonValue, wanted: JsonValue) -> bool:
    """Whether it is what is wanted; of an object only the fields that are wanted are looked at."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        return all(_holds(found.get(name), value) for name, value in wanted.items())
    if isinstance(found, list) and isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(_holds, found, wanted))
    return found == wanted


def corpora() -> dict[str, list[Entry]]:
    """Return all corpora, by reader.

    Raises:
        ValidationError: an entry has a field that is not known.
    """
    found = {}
    for path in sorted(_FOLDER.glob("*/corpus/*.toml")):
        entries = tomllib.loads(path.read_text(encoding="utf-8"))["reply"]
        found[f"{path.parent.parent.name}.{path.stem}"] = [Entry.model_validate(entry) for entry in entries]
    return found | dict(_of_answers())


def _of_answers() -> Iterator[tuple[str, list[Entry]]]:
    for path in sorted((_FOLDER / "corpus").glob("answers.*.toml")):
        told = tomllib.loads(path.read_text(encoding="utf-8"))
        needs = {"needs": {"form": told["form"]}}
        yield path.stem, [Entry.model_validate(needs | entry) for entry in told["reply"]]


def judge(reader: str, entry: Entry) -> Judged:
    """Take a reply the way that it goes in the activity and in its protocol; return what was the result."""
    reader = ANSWERS if reader.startswith("answers.") else reader
    call = model_call(
        messages=[{"role": "user", "content": entry.shown or "Why?"}],
        read_as={"reader": reader, "needs": entry.needs},
    )
    try:
        reply = reply_of(_heard(entry), call, provider(), 1)
    except EmptyAnswerError:
        return Judged("asked")
    if reply.kind != "answered":
        return Judged("refused" if reply.kind == "refused" else "cut")
    return Judged("asked") if is_blank(reply) else _read(reply, call)


def _read(reply: Answered, call: ModelCall) -> Judged:
    if is_blank(reply):
        return Judged("asked")
    try:
        reading = read(reply.text, informed(call))
    except UnreadableError:
        return Judged("void")
    known = check_refusal(reply.model_copy(update={"reading": reading}), call.read_as.reader)
    if isinstance(known, Failed):
        return Judged("refused", reading)
    if reply.finish == "truncated":
        return Judged("cut", reading)
    unclear = UNCLEAR.get(call.read_as.reader)
    if unclear and unclear(known, call.read_as.needs):
        return Judged("asked", reading)
    is_void = isinstance(reading, dict) and reading.get("standing") == "void"
    return Judged("void" if is_void else "read", reading)


def _heard(entry: Entry) -> Chunk:
    return Chunk(
        text=entry.text,
        reasoning="",
        refusal="",
        finish=entry.finish,
        native_finish=None,
        usage=Usage(),
        cost=Cost(),
        served_model=None,
        upstream=None,
        request_id=None,
        repairs=(),
        first_token_seconds=None,
    )
