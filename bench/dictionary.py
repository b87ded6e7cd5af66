"""A dictionary for short values: ``python -m bench.dictionary FILE``, and what it saves: ``… --measure TEXTS``.

It is trained on Parley's own pages and scripts, as texts and as the replies of models. The templates of all prompts
follow, and the calls and replies of the recorded histories without their texts. ``TEXTS`` is a file of JSON lines, each
a text, of which the first 1,500 characters are a reply.
"""

import json
import pkgutil
import statistics
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import zstandard
from pydantic import JsonValue
from temporalio.client import WorkflowHistory

import protocols
from bench.peers.council import MODELS
from bench.program import options
from protocols.model_call import ActivityValue, Answered, Cost, Failed, ModelCall, ModelId, ParticipantId, Usage
from protocols.prompt_pack import PromptPack
from runtime.compression import packed
from runtime.payloads import expanded
from runtime.value_compression import packed_value

_ROOT = Path(__file__).parents[1]
_SIZE = 16 * 1024
_NUMBER = 50_001
_CHARACTERS = 1200
_SHORT = 40
_LISTED = 4
_REPLY = 1500


def build() -> bytes:
    """Return a dictionary of the texts and templates of this tree."""
    texts = [text for page in _pages() for text in _cut(page.read_text("utf-8"))]
    replies = [reply(text, number) for number, text in enumerate(texts[::4])]
    samples: list[bytes | bytearray | memoryview] = [*(text.encode() for text in texts), *replies]
    trained = zstandard.train_dictionary(_SIZE, samples, dict_id=_NUMBER).as_bytes()
    return b"".join((trained, *packs(), *forms(), reply("", 1)))


def forms() -> list[bytes]:
    """Return the calls and replies of each form in the recorded histories, without their long texts."""
    found: dict[str, bytes] = {}
    for file in sorted((_ROOT / "tests/replay/histories").glob("*.json")):
        for event in WorkflowHistory.from_json("recorded", file.read_text("utf-8")).events:
            payloads = (
                *event.activity_task_scheduled_event_attributes.input.payloads,
                *event.activity_task_completed_event_attributes.result.payloads,
            )
            for value in (json.loads(payload.data or "0") for payload in map(expanded, payloads)):
                if isinstance(value, dict) and "call_id" in value:
                    found.setdefault(_form(value), _blank(value))
    return list(found.values())


def _form(value: Any) -> str:
    """Return the names of the fields of a call or of what was read in a reply."""
    fields = [sorted(value.get(part) or ()) for part in ("read_as", "reading") if isinstance(value.get(part), dict)]
    return json.dumps(["text" in value, *fields])


def _blank(value: dict[str, Any]) -> bytes:
    """Return a call or a reply as it is written to a history, without its long texts."""
    model: type[ActivityValue] = ModelCall if "messages" in value else Failed if "message" in value else Answered
    return model.model_validate(_cut_texts(value)).model_dump_json(exclude_defaults=True).encode()


def _cut_texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _cut_texts(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_cut_texts(one) for one in value[:_LISTED]]
    return "" if isinstance(value, str) and len(value) > _SHORT else value


def packs() -> list[bytes]:
    """Return the templates of each protocol as JSON."""
    found = pkgutil.walk_packages(protocols.__path__, "protocols.")
    modules = (vars(import_module(one.name)) for one in found if one.name.endswith(".prompts"))
    every = {pack.fingerprint: pack for module in modules for pack in module.values() if isinstance(pack, PromptPack)}
    return [pack.as_json for pack in every.values()]


def reply(text: str, number: int) -> bytes:
    """Return the reply of a model as it is written to a history."""
    seat, model = f"p{number % len(MODELS) + 1}", MODELS[number % len(MODELS)]
    shown: JsonValue = {"shown": text, "names_hidden": [], "has_header": False, "has_ranking_object": False}
    answered = Answered(
        call_id=f"opinion-{seat}",
        participant=ParticipantId(seat),
        model=ModelId(f"openrouter:{model}"),
        text=text,
        reading=shown,
        usage=Usage(prompt_tokens=400 + number, completion_tokens=250 + number),
        cost=Cost(usd=number / 1000, source="provider"),
        provider="openrouter",
        served_model=model,
        upstream="bench",
        request_id=f"gen-{number}",
        seconds=number / 100,
        first_token_seconds=number / 200,
    )
    return answered.model_dump_json(exclude_defaults=True).encode()


def measure(texts: Sequence[str]) -> list[str]:
    """Return the rows of a table: the mean bytes of a reply and of its text, and those of the templates."""
    short = [text[:_REPLY] for text in texts]
    kinds = {
        "a reply": [reply(text, number) for number, text in enumerate(short)],
        "its text": [text.encode() for text in short],
        "the templates of a protocol": packs(),
    }
    return [
        f"| {name} | " + " | ".join(f"{size:.0f}" for size in _sizes(found)) + " |" for name, found in kinds.items()
    ]


def _sizes(found: Sequence[bytes]) -> Iterable[float]:
    """Yield the mean size as it is, compressed, and compressed with the dictionary."""
    for pack in (bytes, packed, packed_value):
        yield statistics.mean(len(pack(one)) for one in found)


def _pages() -> Iterable[Path]:
    return (_ROOT / "README.md", *sorted(_ROOT.glob("docs/**/*.md")), *sorted(_ROOT.glob("rehearsal/**/*.py")))


def _cut(text: str) -> list[str]:
    return [text[at : at + _CHARACTERS] for at in range(0, len(text), _CHARACTERS)]


def main() -> None:
    """Write a dictionary, or print what the present one saves."""
    arguments = options(__doc__)
    arguments.add_argument("file", type=Path)
    arguments.add_argument("--measure", action="store_true")
    asked = arguments.parse_args()
    if asked.measure:
        texts = [json.loads(line) for line in asked.file.read_text("utf-8").splitlines()]
        print("| mean bytes | plain | compressed | with the dictionary |\n|---|---:|---:|---:|")
        print(*measure(texts), sep="\n")
    else:
        asked.file.write_bytes(build())


if __name__ == "__main__":
    main()
