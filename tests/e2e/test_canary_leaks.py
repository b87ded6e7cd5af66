"""A key that providers give back in more than twenty ways is nowhere afterwards.

Every shape has a provider with a key of its own, so that a hit names its shape. ``pytest -s`` prints the table.
"""

import asyncio
import os
import secrets
import sqlite3
import sys
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import zstandard

from protocols.council.model import CouncilResult
from protocols.model_call import CallTimeouts
from protocols.panel import Panel
from protocols.secret_text import forms_of
from tests.fakes.councils import council_input
from tests.fakes.installation import Installation, installation
from tests.fakes.leaking_provider import SHAPES, leaking_providers
from tests.fakes.programs import PARLEY, run_program
from tests.fakes.server import free_port
from workflows.council import CouncilWorkflow

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(240)]

NAMES = tuple(f"leak{n:02d}" for n in range(len(SHAPES)))
KEYS = {name: f"sk-can/{secrets.token_hex(4)}+{secrets.token_hex(12)}" for name in NAMES}
SHAPE_OF = dict(zip(NAMES, SHAPES, strict=True))
PATIENCE = CallTimeouts(total=6, first_token=3, between_chunks=3, attempts=2, away=3, heartbeat=3)
_KEPT = 64_000_000


@dataclass(frozen=True)
class Held:
    """The council after its end, and every place where traces of it may be."""

    result: CouncilResult
    came: Mapping[str, int]
    places: Mapping[str, bytes]
    """Name to everything that can be read there, unpacked."""


@pytest.fixture(scope="module")
async def held(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Held]:
    """One council of all of them on real processes, and all commands that show it."""
    home, metrics = tmp_path_factory.mktemp("canary"), f"127.0.0.1:{free_port()}"
    async with leaking_providers(KEYS) as (address, came):
        extra = {f"{name.upper()}_API_KEY": key for name, key in KEYS.items()}
        extra |= {"PARLEY_PROVIDERS_FILE": str(home / "leaks.toml"), "PARLEY_METRICS_ADDRESS": metrics}
        extra |= {"PARLEY_LOG_LEVEL": "DEBUG"}
        (home / "leaks.toml").write_text("".join(_table(name, address) for name in NAMES))
        async with installation(home, extra=extra) as installed:
            id_ = f"council-{uuid.uuid4().hex[:8]}"
            client = await installed.client()
            panel = Panel.of(tuple(f"{name}:x" for name in NAMES), f"{NAMES[list(SHAPES).index('reply')]}:x")
            handle = await client.start_workflow(
                CouncilWorkflow.run, council_input(panel=panel, patience=PATIENCE), id=id_, task_queue="parley"
            )
            result = await handle.result()
            history = (await handle.fetch_history()).to_json().encode()
            shown = await asyncio.to_thread(_shown, installed, id_)
            async with httpx.AsyncClient(trust_env=False) as http:
                shown["metrics"] = (await http.get(f"http://{metrics}/metrics")).content
            yield Held(result, came, {**_files(home), **shown, "history": history})


def _table(name: str, address: str) -> str:
    return f'[providers.{name}]\nbase_url = "{address}/{name}/v1"\nkey_variable = "{name.upper()}_API_KEY"\n'


def _shown(installed: Installation, id_: str) -> dict[str, bytes]:
    """What commands print and write, each of which has all keys in its environment."""
    report, exported = installed.settings.home / "report.html", installed.settings.home / "export.jsonl"
    commands = {
        "parley show": ["show", id_],
        "parley show --json": ["show", id_, "--json"],
        "parley list": ["list"],
        "parley doctor": ["doctor"],
        "parley models": ["models"],
        "parley stats": ["stats"],
        "parley report": ["report", id_, "-o", str(report)],
        "parley export": ["export", id_, "-o", str(exported)],
    }
    told = {name: value for name, value in installed.environment.items() if name != "PARLEY_METRICS_ADDRESS"}
    shown = {}
    for name, arguments in commands.items():
        done = run_program([PARLEY, *arguments], told, installed.settings.home, 100)
        assert done.returncode in {0, 1}, (name, done.stderr)
        shown[name] = (done.stdout + done.stderr).encode()
    return {**shown, "report file": report.read_bytes(), "export file": exported.read_bytes()}


def _files(home: Path) -> dict[str, bytes]:
    """Every file in the home but the configuration, with what is packed in it unpacked."""
    found: dict[str, bytes] = {}
    for path in sorted(path for path in home.rglob("*") if path.is_file() and path.name != "leaks.toml"):
        kind = "blobs" if path.parent != home and path.suffix not in {".db", ".log"} else path.name
        found[kind] = found.get(kind, b"") + _unpacked(path.read_bytes())
        if path.name.endswith(".db"):
            found[f"rows of {path.name}"] = _rows(path)
    return found


def _rows(path: Path) -> bytes:
    with closing(sqlite3.connect(path)) as database:
        tables = [name for (name,) in database.execute("select name from sqlite_master where type = 'table'")]
        rows = [row for name in tables for row in database.execute(f'select * from "{name}"')]  # noqa: S608 - its own
    return b"\n".join(_unpacked(v if isinstance(v, bytes) else str(v).encode()) for row in rows for v in row)


def _unpacked(raw: bytes) -> bytes:
    try:
        return raw + zstandard.ZstdDecompressor().decompress(raw, max_output_size=_KEPT)
    except zstandard.ZstdError:
        return raw


def hits(key: str, places: Mapping[str, bytes]) -> list[str]:
    """The places in which ``key`` is, in any form, whole or half."""
    halves = {key[: len(key) // 2], key[len(key) // 2 :]}
    forms = {form.lower().encode() for form in (*forms_of(key), *halves)}
    return [place for place, content in places.items() if any(form in content.lower() for form in forms)]


def test_a_canary_is_found_nowhere(held: Held) -> None:
    """No shape leaves its key in history, server file, ledger, journal, blobs, logs, screens, report or export."""
    found = {SHAPE_OF[name]: hits(key, held.places) for name, key in KEYS.items()}
    sys.stdout.write(f"\nsearched: {', '.join(sorted(held.places))}\n")
    for name, shape in SHAPE_OF.items():
        sys.stdout.write(f"{shape:<36} sent {held.came[name]} times, found in {len(found[shape])} places\n")
    assert {shape: [] for shape in SHAPES} == found
    assert 20 <= len(SHAPES)


def test_every_canary_was_sent(held: Held) -> None:
    """Each provider got its key, so that it had something to give back."""
    assert all(held.came.values())
    assert "verdict" == held.result.stop_reason


def test_the_search_finds_what_was_hidden(held: Held) -> None:
    """The same search finds a key in every form that it is asked to find, in a packed file too."""
    key = KEYS[NAMES[0]]
    planted = {str(n): _unpacked(zstandard.compress(form.encode())) for n, form in enumerate(forms_of(key))}
    assert list(planted) == hits(key, planted)
    assert {"temporal.db", "parley.db", "rows of parley.db", "blobs", "worker.out", "history"} <= held.places.keys()


def test_the_environment_of_this_test_holds_no_canary() -> None:
    """The keys are known to the processes of the test alone."""
    assert not {*KEYS.values()} & {*os.environ.values()}
