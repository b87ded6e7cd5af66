"""What lists look like."""

import io
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from activities.ledger import LedgerActivities
from activities.providers.catalogue import Catalogue
from ledger.store import Store
from parley.catalogue import ProviderLine, Providers, shipped_panels
from parley.listing import Listed
from parley.model_lists import ModelLists
from protocols.model_call import Spending
from starter.commands.results import with_gaps
from starter.handlers.installation import note_missing_keys
from starter.views.lists import deliberations, providers
from tests.fakes.calls import provider
from tests.fakes.entered import entered, line_of


def text_of(drawn: Any) -> str:
    """What a wide screen without colours shows."""
    out = io.StringIO()
    Console(file=out, width=400).print(drawn)
    return out.getvalue()


def line(**changes: Any) -> Listed:
    """A consensus that runs, in its second round."""
    given = {
        "id": "consensus-why-000001",
        "run_id": "first",
        "status": "running",
        "protocol": "consensus",
        "stage": "refiner",
        "round": 2,
        "title": "Why?",
        "participants": 3,
        "models": (),
        "failed_models": (),
        "tokens": None,
        "cost_usd": None,
        "agreement": None,
        "stop_reason": None,
        "degraded": None,
        "rehearsal": False,
        "batch_id": None,
        "started": datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
        "ended": None,
    }
    return Listed.model_validate({**given, **changes})


def test_running_deliberation_shows_its_round_and_stage() -> None:
    """The list says where a running deliberation is."""
    assert "round 2 · refiner · 3 seats" in text_of(deliberations([line()]))


def test_ended_deliberation_shows_how_it_ended() -> None:
    """The list gives an ended deliberation its stop reason, and no round any more."""
    text = text_of(deliberations([line(status="completed", stop_reason="round_limit")]))
    assert "round_limit" in text
    assert "round 2" not in text


def test_a_degraded_deliberation_is_marked_in_the_list() -> None:
    """The list marks a deliberation that lost something, and no other."""
    assert " degraded ·" in text_of(deliberations([line(status="completed", degraded=True)]))
    assert "degraded" not in text_of(deliberations([line(status="completed", degraded=False)]))


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({"cost_usd": 0.5, "tokens": 9}, "9 tokens · $0.5000 ·"),
        ({"cost_usd": 0.5, "calls_of_unknown_cost": 2}, "$0.5000 and the unknown cost of 2 calls ·"),
        ({"cost_usd": 0.5, "unanswered_requests": 1}, "$0.5000; up to 1 request without an answer may be billed too ·"),
        ({"calls_of_unknown_cost": 2}, "· cost unknown ·"),
        ({"calls_of_unknown_tokens": 2}, "· tokens unknown ·"),
        ({"calls_of_unknown_tokens": 2, "tokens": 9}, "· at least 9 tokens ·"),
    ],
)
def test_what_is_known_in_part_is_marked_in_the_list(changes: dict[str, Any], shown: str) -> None:
    """Tokens and costs of which a part is not known, and requests that may be billed beside them."""
    assert shown in text_of(deliberations([line(status="completed", **changes)]))


async def test_the_list_takes_from_the_ledger_what_a_cost_lacks(
    sqlite_store: Store, sqlite_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the runs that it has a line of; without a ledger the list is as the server has it, and says so."""
    spent = Spending(calls=2, usd=0.5, calls_of_unknown_cost=1)
    await LedgerActivities(sqlite_store).record_deliberation(line_of(entered().instances[0], spent=spent))
    ended = line(id="toy/q0.council", run_id="run", status="completed", cost_usd=0.5)
    lines = [ended, line(id="toy/q0.council", run_id="an earlier one"), line()]

    assert [1, None, None] == [one.calls_of_unknown_cost for one in await with_gaps(lines, sqlite_url)]
    assert [ended] == await with_gaps([ended], f"{sqlite_url}-none")
    assert "not known is which tokens and costs are known in part" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({}, "no"),
        ({"structured_output": True}, "yes"),
        ({"dialect": "cerebras"}, "yes"),
        ({"structured_output_models": {"tiny-*": True}}, "by model"),
        ({"dialect": "openrouter"}, "by model"),
    ],
)
def test_each_provider_states_whether_its_models_get_a_schema(
    changes: dict[str, Any], shown: str, tmp_path: Path
) -> None:
    """The list of providers has what is known of all their models before one is asked."""
    lab = provider(**changes)
    lists = ModelLists(tmp_path, {"lab": lab}, may_query=False)
    (listed,) = Providers(Catalogue(providers={"lab": lab}), {}, shipped_panels(), lists).lines()
    assert shown == listed.json_schema
    assert f" {shown} " in text_of(providers([listed], [])).splitlines()[3]


def _line_of(name: str, key: str) -> ProviderLine:
    """Return a provider with this state of its key."""
    address = "http://127.0.0.1:8000"
    return ProviderLine(
        name=name,
        base_url=address,
        key_variable=None,
        key=key,
        keys_go_to=f"no key → {address}",
        is_confirmed=True,
        queue="parley",
        requests_per_second=None,
        max_concurrent=None,
        json_schema="by model",
    )


def test_the_name_of_a_provider_is_never_broken() -> None:
    """A screen of 100 columns has every provider's name and the state of its key on one line."""
    out = io.StringIO()
    lines = [_line_of("openrouter-of-the-lab", "not needed")]
    Console(file=out, width=100).print(providers(lines, []))
    assert any("openrouter-of-the-lab" in row and "not needed" in row for row in out.getvalue().splitlines())


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"lab": "set", "cloud": "missing"}, None),
        ({"cloud": "missing"}, "No provider has a key, so no model can be asked: "),
        (
            {"lab": "not needed", "ollama": "not needed", "cloud": "unusable"},
            "No provider has a key, so only models of lab and ollama can be asked: ",
        ),
    ],
)
def test_providers_without_need_of_a_key_are_named_where_no_key_is_set(keys: dict[str, str], said: str | None) -> None:
    """`parley up` says which models can be asked when no provider has a key, and nothing when one has."""
    notice = note_missing_keys([_line_of(name, key) for name, key in keys.items()])
    assert notice is None if said is None else (notice or "").startswith(said)


def test_panels_are_named_below_the_providers() -> None:
    """The names of the panels are below the providers, with the command that shows one."""
    text = text_of(providers([], ["default", "mine"]))
    assert "panels: default, mine   (parley panels show NAME shows one)" in text
