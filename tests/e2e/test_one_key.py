"""The first line of the README with one real key set: a verdict with no other option, at OpenRouter's dialect."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from parley.panel_files import shipped_panels
from tests.fakes.installation import Installation
from tests.fakes.programs import PARLEY, run_program
from tests.fakes.server import settings_in

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(120)]

KEY = "sk-or-v1-canary-0123456789"
QUESTION = "Is nuclear power a sensible part of a low-carbon grid?"
_ENDPOINT = """\
[providers.openrouter]
base_url = "{url}/openrouter/api/v1"
dialect = "openrouter"
key_variable = "OPENROUTER_API_KEY"
"""


@pytest.fixture
async def openrouter(tmp_path: Path) -> AsyncIterator[Installation]:
    """A process that speaks OpenRouter's dialect and serves its list of models; nothing else runs."""
    everything = Installation(settings_in(tmp_path / "home"))
    try:
        await everything.start_rehearsal()
        (tmp_path / "endpoint.toml").write_text(_ENDPOINT.format(url=everything.rehearsal_url))
        yield everything
    finally:
        everything.stop()


async def ask(openrouter: Installation, folder: Path, *options: str) -> tuple[int, str, str]:
    """Run ``parley council`` with one key in a fresh folder; how it ended and what it printed."""
    env = {name: value for name, value in openrouter.environment.items() if not name.endswith("_API_KEY")}
    for absent in ("TEMPORAL_ADDRESS", "PARLEY_REHEARSAL_URL", "PARLEY_CHECK_MODELS"):
        env.pop(absent)
    env |= {"OPENROUTER_API_KEY": KEY, "PARLEY_PROVIDERS_FILE": str(folder / "endpoint.toml"), "HOME": str(folder)}
    done = await asyncio.to_thread(run_program, [PARLEY, "council", QUESTION, *options], env, folder)
    return done.returncode, done.stdout, done.stderr


async def test_one_key_is_enough_for_the_first_verdict(openrouter: Installation, tmp_path: Path) -> None:
    """With ``OPENROUTER_API_KEY`` alone the default panel answers, ranks and concludes, and every call has the key."""
    code, out, err = await ask(openrouter, tmp_path)

    assert (0, True) == (code, "Verdict" in out), err
    assert "warning" not in err
    arrivals = await openrouter.arrivals()
    assert set(shipped_panels().panel("default").models) == {one["model"] for one in arrivals}
    assert {"openrouter"} == {one["dialect"] for one in arrivals}
    assert all(one["key_sent"] for one in (await openrouter.ledger())["calls"])
    assert KEY not in out + err


async def test_a_retired_model_is_warned_of_before_anything_is_paid(openrouter: Installation, tmp_path: Path) -> None:
    """The provider's list is asked before the first call: a model that is not there is named, none is refused."""
    await openrouter.play({"lists": {"expires": {"z-ai/glm-5.3": "2025-01-31"}, "gone": ["openai/*"]}})
    code, _, err = await ask(openrouter, tmp_path, "--final-only")

    gone, retired = [line for line in err.splitlines() if line.startswith("warning: ")]
    assert 0 == code
    assert "openrouter does not list 'openai/gpt-6.1-terra'" in gone
    assert "openrouter has retired 'z-ai/glm-5.3' since 2025-01-31" in retired
    assert err.index(retired) < err.index("deliberation council-")
    assert (tmp_path / "home" / "models" / "openrouter.json").is_file()
