"""Arrangements: faults by name, rule and script, pace, places, budgets and playback."""

import asyncio
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from rehearsal.api.server import Rehearsal
from rehearsal.faults.script import Budget, Latency, Match, Places, Rule, Script, ScriptError, load_script
from tests.rehearsal.listening import QUESTION, ask, send, until


async def statuses(stage: Rehearsal, model: str, times: int, **more: Any) -> list[int]:
    """The statuses of the same call asked ``times`` times."""
    return [(await ask(stage.url, model, **more)).status for _ in range(times)]


async def test_fault_in_the_name_is_for_every_arrival(stage: Rehearsal) -> None:
    """A fault without a count is played on every arrival."""
    assert await statuses(stage, "lab/model+503", 3) == [503, 503, 503]


async def test_counted_faults_are_played_one_after_the_other(stage: Rehearsal) -> None:
    """Counted faults take their arrivals in the order written, and then the call is answered."""
    assert await statuses(stage, "lab/model+429@1+503@2", 4) == [429, 503, 503, 200]


async def test_count_is_per_logical_call(stage: Rehearsal) -> None:
    """Another call of the same model begins with the first arrival again."""
    model = "rehearsal/503@1"

    assert await statuses(stage, model, 2) == [503, 200]
    assert await statuses(stage, model, 2, prompt="Another?") == [503, 200]


async def test_name_before_the_plus_is_who_speaks(stage: Rehearsal) -> None:
    """A fault in the name changes nothing of what the model states."""
    plain = await ask(stage.url, "lab/model")
    later = await ask(stage.url, "lab/model+leading-whitespace")

    assert plain.text == later.text


async def test_rules_come_and_go_over_http(stage: Rehearsal) -> None:
    """A rule that is posted is played where it matches, and no longer after it was deleted."""
    rules = [{"match": {"model": "lab/*", "arrivals": [1]}, "fault": "429-retry-after", "args": {"seconds": 3}}]
    await send(stage.url, "POST", "/rehearsal/faults", json.dumps(rules).encode())
    hit = await ask(stage.url, "lab/model")
    spared = [*await statuses(stage, "lab/model", 1), *await statuses(stage, "other/model", 1)]
    await send(stage.url, "DELETE", "/rehearsal/faults")

    assert (hit.status, hit.headers["retry-after"]) == (429, "3")
    assert spared == [200, 200]
    assert await statuses(stage, "lab/model", 1, prompt="New?") == [200]


@pytest.mark.parametrize(
    ("rule", "named"),
    [
        ({"fault": "no-such-fault"}, "no-such-fault"),
        ({"fault": "hang", "args": {"minutes": 1}}, "minutes"),
        ({"fault": "hang", "args": {"seconds": "long"}}, "long"),
        ({"fault": "hang", "match": {"modle": "x"}}, "modle"),
        ({"fault": "hang", "match": {"probability": 2}}, "probability"),
    ],
)
async def test_wrong_rule_is_refused_by_name(stage: Rehearsal, rule: dict[str, Any], named: str) -> None:
    """A rule with a mistake is refused with the mistake's name, and changes nothing."""
    heard = await send(stage.url, "POST", "/rehearsal/faults", json.dumps([rule]).encode())

    assert heard.status == 400
    assert named in heard.json["error"]
    assert (await send(stage.url, "GET", "/rehearsal/faults")).json == []


@pytest.mark.parametrize(
    ("seconds", "is_due"), [(0.0, False), (9.9, False), (10.0, True), (39.9, True), (40.0, False), (9999.0, False)]
)
def test_a_rule_may_have_its_time(seconds: float, *, is_due: bool) -> None:
    """A window is counted from the moment in which the rule was arranged."""
    rule = Rule(fault="html-200", after_seconds=10, for_seconds=30)
    assert is_due is rule.is_due(seconds)


async def test_only_rules_whose_time_has_come_are_played(stage: Rehearsal) -> None:
    """A rule for later calls is passed over, and one for now holds for every model of its dialect."""
    later = Rule(match=Match(dialect="openrouter"), fault="407", after_seconds=3600)
    now = Rule(match=Match(dialect="openrouter"), fault="403-html", for_seconds=3600)
    stage.perform(Script(faults=(later, now)))
    assert [*await statuses(stage, "lab/model", 1), *await statuses(stage, "other/model", 1)] == [403, 403]


async def test_rule_can_mean_the_second_call_of_a_model(stage: Rehearsal) -> None:
    """``calls`` counts a model's logical calls by first arrival, whatever other models do."""
    stage.perform(Script(faults=(Rule(match=Match(model="lab/a", calls=(2,)), fault="503"),)))
    asked = [("lab/a", "1?"), ("lab/b", "1?"), ("lab/a", "2?"), ("lab/a", "1?"), ("lab/a", "3?")]

    assert [(await ask(stage.url, m, prompt=p)).status for m, p in asked] == [200, 200, 503, 200, 200]


async def test_rule_can_mean_a_stage_or_a_dialect(stage: Rehearsal) -> None:
    """A rule for another stage or dialect does not touch an opinion here."""
    elsewhere = (Rule(match=Match(stage="review"), fault="503"), Rule(match=Match(dialect="cerebras"), fault="504"))
    stage.perform(Script(faults=elsewhere))

    assert await statuses(stage, "lab/model", 1) == [200]
    assert await statuses(stage, "lab/model", 1, dialect="cerebras") == [504]


async def test_probability_falls_the_same_way_on_every_server() -> None:
    """Which arrivals a chance rule hits follows from the seed, and it is some but not all of them."""
    runs = []
    for _ in range(2):
        async with Rehearsal(seed=7) as stage:
            stage.perform(Script(faults=(Rule(match=Match(probability=0.5), fault="503"),)))
            runs.append([(await ask(stage.url, prompt=f"{n}?")).status for n in range(30)])

    assert runs[0] == runs[1]
    assert 5 < runs[0].count(503) < 25


async def test_recorded_answer_is_played_back_as_the_opinion(stage: Rehearsal) -> None:
    """A recorded answer is given to its question and to no other, and is forgotten on request."""
    recorded = {"lab/model": {f" {QUESTION}\n": "What was really said."}}
    await send(stage.url, "POST", "/rehearsal/playback", json.dumps(recorded).encode())
    played, other = await ask(stage.url, "lab/model+think"), await ask(stage.url, "lab/model", prompt="Another?")
    await send(stage.url, "DELETE", "/rehearsal/playback")

    assert played.text.endswith("</think>\n\nWhat was really said.")
    assert "really said" not in other.text + (await ask(stage.url, "lab/model")).text


async def test_place_too_many_is_refused() -> None:
    """Beyond the places of a key the next call gets a 429, and a place given back can be taken."""
    async with Rehearsal(script=Script(latency_ms=150, places=(Places(at_once=1),))) as stage:
        first = asyncio.create_task(ask(stage.url, prompt="1?"))
        await until(lambda: stage.ledger.arrivals)
        second = await ask(stage.url, prompt="2?")

        assert (second.status, (await first).status) == (429, 200)
        assert (await ask(stage.url, prompt="3?")).status == 200


async def test_call_waits_for_its_place() -> None:
    """Where waiting is asked for, calls are answered one after the other and none is refused."""
    places = (Places(at_once=1, beyond="wait"),)
    async with Rehearsal(script=Script(latency_ms=30, places=places)) as stage:
        heard = await asyncio.gather(*(ask(stage.url, prompt=f"{n}?") for n in range(3)))
        ends = sorted(a.finished_at or 0 for a in stage.ledger.arrivals)

    assert [h.status for h in heard] == [200, 200, 200]
    assert min(b - a for a, b in pairwise(ends)) >= 0.03


@pytest.mark.parametrize(("style", "end"), [("seconds", "0"), ("duration", "s"), ("milliseconds", "ms")])
async def test_budget_is_charged_by_estimate(style: Any, end: str) -> None:
    """A call that sets no limit is charged the model's maximum and refused; one that sets a small limit runs."""
    budget = Budget(tokens_per_minute=20_000, style=style)
    async with Rehearsal(script=Script(budgets=(budget,))) as stage:
        refused = await ask(stage.url, dialect="cerebras")
        run = await ask(stage.url, dialect="cerebras", max_completion_tokens=1000)

    assert (refused.status, refused.json["code"], run.status) == (429, "token_quota_exceeded", 200)
    assert refused.headers["x-ratelimit-reset-tokens-minute"].endswith(end)
    assert 18_000 < int(run.headers["x-ratelimit-remaining-tokens-minute"]) < 19_100


def test_latency_is_spread_as_its_shape_states() -> None:
    """Fixed is fixed, uniform stays inside its spread, and a long tail exceeds three spreads now and then."""
    fixed = {Latency(ms=100, spread_ms=50, shape="fixed").seconds(7, n) for n in range(50)}
    uniform = [Latency(ms=100, spread_ms=50).seconds(7, n) for n in range(400)]
    tail = [Latency(ms=100, spread_ms=50, shape="long_tail").seconds(7, n) for n in range(400)]

    assert fixed == {0.1}
    assert (0.05 <= min(uniform) < 0.06, 0.14 < max(uniform) <= 0.15) == (True, True)
    assert 5 <= sum(s > 0.25 for s in tail) <= 40


async def test_stream_spreads_its_chunks_over_the_latency() -> None:
    """With a latency a stream comes in several chunks and takes no less than the latency."""
    async with Rehearsal(latency_ms=120) as stage:
        heard = await ask(stage.url, stream=True)
        (arrival,) = stage.ledger.arrivals

    assert len(heard.chunks) > 5
    assert (arrival.finished_at or 0) - arrival.at >= 0.12


async def test_script_is_read_from_toml(tmp_path: Path) -> None:
    """A script's faults, latencies and playback are played, and its seed is used."""
    path = tmp_path / "script.toml"
    path.write_text(
        'seed = 11\n[[faults]]\nmatch = { model = "lab/*", arrivals = [1] }\nfault = "503"\n'
        '[[latencies]]\nmodel = "zai-*"\nms = 40\n[playback."lab/model"]\n"Why?" = "Because."\n'
    )
    async with Rehearsal(script=load_script(path)) as stage:
        first, second = (
            await ask(stage.url, "lab/model", prompt="Why?"),
            await ask(stage.url, "lab/model", prompt="Why?"),
        )
        health = await send(stage.url, "GET", "/rehearsal/health")

    assert (first.status, second.text) == (503, "Because.")
    assert health.json == {"status": "ok", "seed": 11, "rules": 1}


@pytest.mark.parametrize("text", ["seed = ", "[[faults]]\nfault = 'no-such-fault'", "sede = 1", None])
def test_wrong_script_is_refused_with_its_path(tmp_path: Path, text: str | None) -> None:
    """A script that cannot be used is refused with its path and the reason."""
    path = tmp_path / "script.toml"
    if text is not None:
        path.write_text(text)

    with pytest.raises(ScriptError, match=r"script\.toml"):
        load_script(path)
