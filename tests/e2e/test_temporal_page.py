"""Every command line and the Python program of docs/temporal.md, run literally against a real server and worker."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from runtime.codec_endpoint import codec_endpoint
from runtime.server_flags import program
from tests.e2e.pages import Block
from tests.e2e.pages import blocks as all_blocks
from tests.fakes.installation import Installation, installation
from workflows.type_names import DELIBERATIONS, STUDIES

NAME = "docs/temporal.md"
_SECONDS = 60


def blocks(kind: str) -> list[Block]:
    """Return the blocks of one language, in their order."""
    return [block for block in all_blocks(NAME) if block.kind == kind]


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    said: str


async def run(installed: Installation, folder: Path, *command: str) -> Done:
    """Run a command as a user would who has only Temporal's program and this installation's address."""
    environment = {
        "PATH": f"{program().parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder),
        "TEMPORAL_ADDRESS": f"127.0.0.1:{installed.settings.server_port}",
        "TEMPORAL_CODEC_ENDPOINT": f"http://127.0.0.1:{installed.settings.codec_port}",
    }
    process = await asyncio.create_subprocess_exec(
        *command, env=environment, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    try:
        async with asyncio.timeout(_SECONDS):
            said, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    return Done(process.returncode or 0, said.decode(errors="replace"))


@pytest.fixture(scope="module")
async def installed(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    """A whole installation with scripted models and the codec endpoint."""
    async with (
        installation(tmp_path_factory.mktemp("page") / "home") as everything,
        codec_endpoint(everything.settings),
    ):
        yield everything


@pytest.mark.e2e
@pytest.mark.long
@pytest.mark.timeout(400)
async def test_every_command_line_of_the_page_does_what_it_states(installed: Installation, tmp_path: Path) -> None:
    """All succeed but those that are shown to fail, and these say what the page says."""
    expected = [block.text.strip() for block in blocks("text")]
    refused: list[str] = []
    for block in blocks("sh"):
        for line in block.text.splitlines():
            if line.startswith("export "):
                continue
            done = await run(installed, tmp_path, "bash", "-c", line)
            assert (done.code != 0) is (block.mark == "fails"), f"{line}\n{done.said}"
            refused += [done.said] if block.mark == "fails" else []

    assert len(expected) == len(refused)
    for said, whole in zip(expected, refused, strict=True):
        assert said in whole


@pytest.mark.e2e
@pytest.mark.long
@pytest.mark.timeout(200)
async def test_the_python_program_needs_nothing_of_parley(installed: Installation, tmp_path: Path) -> None:
    """With Temporal's SDK alone the verdict is read, though the result is larger than what becomes a blob."""
    (block,) = blocks("python")
    done = await run(installed, tmp_path, sys.executable, "-c", block.text)

    assert done.code == 0, done.said
    assert len(done.said.strip()) > 100


MISTAKES = (
    ("Council", (), "takes one argument and was given 0"),
    ("Council", ("--input", '{"question": "a"}', "--input", "{}"), "was given 2"),
    ("Council", ("--input", '"Why?"'), "which is not an object"),
    ("Council", ("--input", "[]"), "which is not an object"),
    ("Council", ("--input", "Why?", "--input-meta", "encoding=binary/plain"), "json/plain is needed"),
    ("Council", ("--input", "{}", "--input-meta", "encoding=json/protobuf"), "json/plain is needed"),
    ("Council", ("--input", "{}", "--input-meta", "encoding=binary/unheard-of"), "json/plain is needed"),
    ("Council", ("--input", '{"question": " "}'), "nothing is asked"),
    ("Council", ("--input", '{"question": "Why?", "panel": "nobody"}'), "nobody"),
    ("Council", ("--input", '{"question": "Why?", "models": ["nobody:a"]}'), "unknown provider"),
    ("Council", ("--input", '{"question": "Why?"}'), "OPENROUTER_API_KEY"),
    ("Council", ("--input-file", "large.json"), "at most 1,000,000 are taken"),
    ("Council", ("--input-file", "huge.json"), "Blob data size exceeds limit"),
    ("Debate", ("--input", '{"topic": "Why?", "max_rounds": "many"}'), "max_rounds: 'many' cannot be used"),
    ("FireCircle", ("--input", '{"user": 3}'), "'user' is '3', and text is needed"),
    ("Batch", ("--input", '{"study": "nothing"}'), "the ledger has no study 'nothing'"),
    ("Shard", ("--input", "{}"), "start Batch instead"),
    ("councl", ("--input", '{"question": "Why?"}'), "Did you mean 'Council'?"),
)
"""A workflow type, what Temporal's program is given beside it, and what it must print."""


@pytest.mark.e2e
@pytest.mark.long
@pytest.mark.timeout(400)
async def test_no_mistake_leaves_a_run_that_hangs(installed: Installation, tmp_path: Path) -> None:
    """On a real server every run that cannot run fails at once, with one message and no stack trace."""
    for name, length in (("large", 1_600_000), ("huge", 3_000_000)):
        (tmp_path / f"{name}.json").write_text(json.dumps({"question": "x" * length, "rehearse": True}))
    for number, (name, arguments, said) in enumerate(MISTAKES):
        start = ("temporal", "workflow", "execute", "--task-queue", "parley", "--workflow-id", f"mistake {number}")
        done = await run(installed, tmp_path, *start, "--type", name, *arguments)
        assert done.code == 1, f"{name} {arguments}\n{done.said}"
        assert said in done.said
        assert "StackTrace" not in done.said
    unfinished = "ExecutionStatus = 'Running' AND WorkflowId STARTS_WITH 'mistake'"
    running = await run(installed, tmp_path, "temporal", "workflow", "count", "--query", unfinished)

    assert "Total: 0" in running.said


def test_every_workflow_type_stands_in_an_example() -> None:
    """The page starts every protocol and both kinds of studies."""
    lines = "\n".join(block.text for block in blocks("sh"))

    assert not [name for name in (*DELIBERATIONS, *STUDIES) if f"--type {name} " not in lines]
