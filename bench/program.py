"""The parts of benchmark programs: options, a directory, tables, and studies of invented questions."""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import httpx

T = TypeVar("T")

COUNCIL = '[[arms]]\nname = "council"\nprotocol = "council"\npanel = "lab"\noptions = {{ final_only = {} }}\n'
"""The one arm of a study, with its reviews and synthesis or without them."""

_STUDY = """\
name = "{name}"
title = "Benchmark"
seed = 7
window = {window}
[dataset]
path = "{name}.jsonl"
id = "id"
question = "prompt"
[panels.lab]
models = ["rehearsal:openai/gpt-5.2", "rehearsal:google/gemini-3-flash-preview", "rehearsal:zai-glm-4.7"]
{arms}"""


def options(description: str | None) -> argparse.ArgumentParser:
    """Return the options of a program, whose help shows ``description`` as it is written."""
    return argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)


def run_in_directory(measure: Callable[[Path], Coroutine[Any, Any, T]]) -> T:
    """Run ``measure`` in a directory that is removed afterwards, and return its result."""
    with tempfile.TemporaryDirectory(prefix="parley-bench-") as home:
        return asyncio.run(measure(Path(home)))


def line(*cells: object) -> str:
    """Return a line of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; its figures, which are in all columns but the first, are aligned right."""
    return "\n".join([line(*head), "|---|" + "---:|" * (len(head) - 1), *(line(*row) for row in rows)])


async def control_models(url: str, method: str, path: str, body: object = None) -> Any:
    """Call a control address of the rehearsal server at ``url`` and return its answer."""
    async with httpx.AsyncClient(trust_env=False, timeout=60) as http:
        return (await http.request(method, f"{url}/rehearsal/{path}", json=body)).raise_for_status().json()


def write_study(home: Path, name: str, question: str, *, rows: int, window: int, arms: str) -> Path:
    """Write a study file and its dataset: ``question`` with a number, so many times."""
    asked = (json.dumps({"id": f"q{n}", "prompt": f"{question} (case {n})"}) for n in range(1, rows + 1))
    (home / f"{name}.jsonl").write_text("\n".join(asked) + "\n", "utf-8")
    study = home / f"{name}.toml"
    study.write_text(_STUDY.format(name=name, window=window, arms=arms), "utf-8")
    return study
