"""How a study is now, as a user reads it."""

import io
from datetime import UTC, datetime
from typing import Any

import pytest
from rich.console import Console, RenderableType
from temporalio import workflow
from temporalio.client import WorkflowFailureError
from temporalio.exceptions import ApplicationError
from temporalio.worker import Worker

from activities.ledger import LedgerActivities
from ledger.journal import Journal
from ledger.store import Store
from ledger.studies.reading import LossReason, Progress
from ledger.studies.writing import enter
from parley import Parley
from protocols.study.learning import observe
from protocols.study.model import Amount, ArmUse, BatchState, Budget, Counts, PauseReason, RatioSums, RunSettings
from protocols.study.outages import FailureCause, FailureJump, Outage
from starter.views import batches as views
from starter.views.tables import REHEARSAL
from studies.runs.status import UNREADABLE, StudyStatus, known_study, known_uses, study_status
from tests.fakes.entered import entered, line_of
from tests.fakes.payments import Payments, answer, failure, identity
from tests.fakes.study_files import STUDY, study

NIGHT = datetime(2026, 6, 1, 2, 14, 5, tzinfo=UTC)
AWAY = Outage(provider="lab", cause="provider.gateway", message="a page", since=NIGHT)
REASON = "The budget of $5.0000 is used. To go on, raise it: parley batch budget small --usd Y"


def state(**changes: Any) -> BatchState:
    """A batch in full flight."""
    given = {
        "study": "small",
        "phase": "running",
        "instances": 4,
        "in_flight": 1,
        "waiting": 1,
        "shards": 1,
        "shards_done": 0,
        "tally": Counts(completed=2, degraded=1),
        "reserved": Amount(usd=0.01, tokens=900),
        "used": Amount(usd=0.25, tokens=12345),
        "terms": RunSettings(window=3, cap=Budget(usd=5.0)),
    }
    return BatchState.model_validate({**given, **changes})


def standing(**changes: Any) -> StudyStatus:
    """That batch's study, as it is seen."""
    given = {
        "study": "small",
        "status": "running",
        "progress": Progress(total=4, completed=2, failed=0, missing=0),
        "degraded": 1,
        "used": Amount(usd=0.25, tokens=12345),
        "terms": RunSettings(window=3, cap=Budget(usd=5.0)),
        "state": state(),
    }
    return StudyStatus.model_validate({**given, **changes})


def paused(cause: str = "budget", **changes: Any) -> StudyStatus:
    """The study while it waits for a user."""
    pause = PauseReason.model_validate({"cause": cause, "reason": REASON})
    return standing(state=state(phase="paused", pause=pause, **changes))


def over(status: str, **counts: int) -> StudyStatus:
    """The study when its batch has ended."""
    counted = {"total": 4, "completed": 0, "failed": 0, "missing": 0, **counts}
    return standing(status=status, state=None, progress=Progress.model_validate(counted), degraded=0)


def test_flaws_are_shown_while_it_runs_and_afterwards() -> None:
    """The ledger counts them as the batch does."""
    flawed = {"flaws": {"lost": 2}, "degraded": 1}
    shown = [
        text_of(views.as_renderable(standing(status=status, state=one, **flawed)))
        for status, one in (("running", state()), ("completed", None))
    ]

    assert [True, True] == ["flaws: 2 lost" in text and "1 of them degraded" in text for text in shown]


def text_of(shown: RenderableType) -> str:
    """What a wide screen without colours shows."""
    out = io.StringIO()
    Console(file=out, width=160).print(shown)
    return out.getvalue()


@pytest.mark.parametrize(
    ("seen", "word"),
    [
        (standing(), "running"),
        (paused(), "paused"),
        (standing(state=state(phase="closing")), "closing"),
        (standing(state=None, note="no worker answers"), "waits for a worker"),
        (standing(state=None, note=f"{UNREADABLE}: the key is missing"), "running"),
        (over("completed", completed=3, failed=1), "done"),
        (over("completed", completed=3), "interrupted"),
        (over("failed", completed=1), "interrupted"),
        (over("none"), "not started"),
        (over("none", completed=4), "done"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_phase_is_one_word_a_person_knows(seen: StudyStatus, word: str) -> None:
    """What the batch does, or what happened to it; a batch that ended early is not called done."""
    assert views.phase(seen) == word
    assert word in text_of(views.as_renderable(seen))


def test_a_running_study_shows_how_far_it_is() -> None:
    """Ended of all, what followed, what is in flight of how many, and what it used of its budget."""
    shown = text_of(views.as_renderable(standing()))
    assert "2 of 4" in shown
    assert "completed 2, 1 of them degraded · failed 0 · missing 0" in shown
    assert "in flight 1 of at most 3 · waiting 1" in shown
    assert "used $0.2500 and 12,345 tokens; reserved $0.0100 and 900 tokens · budget $5.00" in shown


def test_what_is_reserved_without_a_price_has_no_dollars() -> None:
    """No price is known where nothing is reserved in dollars, and that is not a cost of zero."""
    shown = text_of(views.as_renderable(standing(state=state(reserved=Amount(tokens=900)))))
    assert "; reserved 900 tokens · budget" in shown


@pytest.mark.parametrize(
    ("calls", "unknown", "expected"),
    [
        (8, 8, "used 12,345 tokens, cost unknown; reserved"),
        (8, 3, "used $0.2500 and 12,345 tokens, and the unknown cost of 3 calls; reserved"),
        (8, 0, "used $0.2500 and 12,345 tokens; reserved"),
        (0, 0, "used $0.2500 and 12,345 tokens; reserved"),
    ],
)
def test_a_cost_that_is_not_known_is_not_zero(calls: int, unknown: int, expected: str) -> None:
    """Calls without a price are counted beside the dollars that are known, and alone they have no dollars."""
    seen = standing(calls=calls, calls_of_unknown_cost=unknown)

    plan = ", by the plan where 2 answers came without a count of tokens"
    counted = expected.removeprefix("used ").removesuffix("; reserved")
    assert f"{counted}{plan}" in views.as_text(seen.model_copy(update={"calls_of_unknown_tokens": 2}))
    assert expected in text_of(views.as_renderable(seen))
    assert expected.removeprefix("used ").removesuffix("; reserved") in views.as_text(seen)
    assert expected.removeprefix("used ").removesuffix("; reserved") in text_of(views.studies([seen]))


def test_what_is_counted_by_its_plan_is_said() -> None:
    """Answers without a count of tokens, and deliberations that were cancelled or are missing."""
    seen = standing(cancelled=2, calls_of_unknown_tokens=1)
    why = "by the plan where 1 answer came without a count of tokens and 2 deliberations ended without a report"
    assert f"12,345 tokens, {why}" in views.as_text(seen)


def test_what_may_be_billed_beside_the_cost_is_said() -> None:
    """Requests without an answer are named behind what was used."""
    seen = standing(unanswered_requests=2)
    assert "12,345 tokens; up to 2 requests without an answer may be billed too" in views.as_text(seen)


async def test_the_calls_are_those_that_are_added_up(sqlite_store: Store, sqlite_url: str, parley: Parley) -> None:
    """Calls and those of unknown cost are of all calls, like tokens and dollars: also of what is missing or open."""
    await enter(sqlite_store, *entered("added-up").parts, [])
    twice, lost = (one.model_copy(update={"unanswered_requests": 2}) for one in (answer(), failure()))
    for deliberation, reply in (("added-up/q0.council", twice), ("added-up/q1.council", lost)):
        await Journal(sqlite_store).once(identity(workflow_id=deliberation), Payments(reply, quick=True))
    settings = parley.settings.model_copy(update={"database_url": sqlite_url})
    seen = await study_status(parley.client, settings, await known_study(settings, "added-up"))

    assert (2, 1, Amount(usd=0.001, tokens=17)) == (seen.calls, seen.calls_of_unknown_cost, seen.used)
    assert 2 == seen.unanswered_requests, "those of a call of unknown cost are a part of that"


@workflow.defn(name="Batch", sandboxed=False)
class BrokenBatch:
    """A batch whose budget is gone."""

    @workflow.run
    async def run(self) -> None:
        """Fail."""
        raise ApplicationError("the budget has ended too early", type="study.interrupted", non_retryable=True)


async def test_an_interrupted_study_states_why(sqlite_store: Store, sqlite_url: str, parley: Parley) -> None:
    """The failure of its batch is beside the counts, because to continue may meet it again."""
    await enter(sqlite_store, *entered("broken-off").parts, [])
    settings = parley.settings.model_copy(update={"database_url": sqlite_url})
    async with Worker(parley.client, task_queue="broken-off", workflows=[BrokenBatch]):
        handle = await parley.client.start_workflow("Batch", id="broken-off", task_queue="broken-off")
        with pytest.raises(WorkflowFailureError):
            await handle.result()
    seen = await study_status(parley.client, settings, await known_study(settings, "broken-off"))

    assert ("failed", 6) == (seen.status, seen.progress.open)
    assert "it was interrupted: the budget has ended too early" in text_of(views.as_renderable(seen))


async def test_a_rehearsal_teaches_nothing_of_real_models(sqlite_store: Store, parley: Parley, sqlite_url: str) -> None:
    """The costs of scripted models are invented, so a study of the same name is not estimated by them."""
    whole = entered("toy")
    await enter(sqlite_store, *whole.parts, [])
    await LedgerActivities(sqlite_store).record_deliberation(line_of(whole.instances[0]))
    settings = parley.settings.model_copy(update={"database_url": sqlite_url})

    assert [*await known_uses(settings, "toy", rehearsal=False)] == ["council"]
    assert await known_uses(settings, "toy", rehearsal=True) == {}


@pytest.mark.parametrize(("usd", "shown"), [(0.0, "80 tokens"), (0.25, "$0.2500, 80 tokens")])
def test_an_arm_without_a_price_has_no_dollars(usd: float, shown: str) -> None:
    """What each deliberation took has dollars only where some are known."""
    amount = Amount(usd=usd, tokens=80)
    use = ArmUse(planned=amount, used=amount, usd=RatioSums(count=1), tokens=RatioSums(count=1, total=1.0))
    row = text_of(views.as_renderable(standing(learned={"table": use})))

    assert f"{shown}  " in row
    assert ("$0.0000" in row) is False


def test_a_paused_study_states_why_and_what_to_do() -> None:
    """Cause, reason and remedy are in the picture and in the line alike."""
    for shown in (text_of(views.as_renderable(paused())), views.as_text(paused())):
        assert f"paused (budget): {REASON}" in shown


def test_a_jump_of_failures_is_warned_of_with_its_remedy() -> None:
    """The figures, the commonest cause and what to do are in the picture and in the line alike."""
    jump = FailureJump(
        failed=10, of=50, failed_before=2, of_before=200, cause=FailureCause(error_type="provider.x"), remedy="look"
    )
    seen = standing(state=state(failure_jump=jump))
    for shown in (text_of(views.as_renderable(seen)), views.as_text(seen)):
        assert "warning: 10 of the last 50 deliberations failed (2 of the 200 before)" in " ".join(shown.split())
        assert "What to do: look" in " ".join(shown.split())


@pytest.mark.parametrize(
    ("outage", "said"),
    [
        (AWAY, "paused for lab, 2026-06-01 02:14:05 to now (provider.gateway: a page)"),
        (
            AWAY.model_copy(update={"until": NIGHT.replace(hour=3), "ended_by": "answers", "reruns": 7}),
            "to 03:14:05 UTC (provider.gateway: a page); it answers again; run again: 7",
        ),
        (
            AWAY.model_copy(update={"until": NIGHT.replace(day=3), "ended_by": "other"}),
            "paused for lab, 2026-06-01 02:14:05 to 2026-06-03 02:14:05 UTC (provider.gateway: a page)",
        ),
    ],
    ids=["lasting", "over", "of days"],
)
def test_an_outage_states_from_when_to_when(outage: Outage, said: str) -> None:
    """Who, when, why, how it ended and what ran again; shown when it has ended, before that the pause says it."""
    running, done = (
        standing(outages=(outage,)),
        over("completed", completed=4).model_copy(update={"outages": (outage,)}),
    )

    assert outage.as_text.endswith(said)
    for seen in (running, done):
        is_shown = said in " ".join(text_of(views.as_renderable(seen)).split())
        assert is_shown is (outage.until is not None)


def test_a_reason_cannot_steer_the_terminal() -> None:
    """A provider's words may be in it; control characters are shown, not followed."""
    pause = PauseReason(cause="credit", reason="no credit \x1b[2J at all")
    seen = standing(state=state(phase="paused", pause=pause))
    assert "\x1b" not in views.as_text(seen) + text_of(views.as_renderable(seen))


def test_only_a_pause_with_nothing_in_flight_is_a_wait() -> None:
    """While something is in flight there is something to wait for."""
    assert paused(in_flight=0).is_stuck
    assert not paused("provider", in_flight=0).is_stuck
    assert not paused(in_flight=1).is_stuck
    assert not standing().is_stuck
    assert not over("completed", completed=4).is_stuck


@pytest.mark.parametrize(
    ("seen", "steps"),
    [
        (standing(), []),
        (over("completed", completed=4), []),
        (over("completed", completed=1), ["3 are open; continue with: parley batch run small"]),
        (
            over("completed", completed=2, failed=1, missing=1),
            ["2 without a verdict; run them again: parley batch retry small"],
        ),
    ],
)
def test_a_study_that_is_over_states_what_can_be_done(seen: StudyStatus, steps: list[str]) -> None:
    """What is open continues, what failed runs again; while it runs there is nothing to do."""
    assert views.next_steps(seen) == steps


@pytest.mark.parametrize("error_type", ["reply.refused", "provider.moderated"])
def test_what_a_retry_does_not_ask_again_is_stated(error_type: str) -> None:
    """The journal keeps what a model refused, so a retry ends as before; a provider is asked again."""
    why = LossReason(error_type=error_type, message="no", calls=1)
    seen = over("completed", completed=3, failed=1).model_copy(update={"why_failed": (why,)})

    assert any("a retry keeps it" in line for line in views.next_steps(seen)) is (error_type == "reply.refused")


def test_a_rehearsal_cannot_be_taken_for_the_real_thing() -> None:
    """Picture, line and list say that scripted models answer."""
    seen = standing(rehearsal=True)
    assert REHEARSAL in text_of(views.as_renderable(seen))
    assert views.as_text(seen).startswith("REHEARSAL ")
    assert "small (rehearsal)" in text_of(views.studies([seen]))


def test_the_line_counts_every_end() -> None:
    """Where nothing can be drawn, one line has it all."""
    seen = standing(progress=Progress(total=4, completed=1, failed=1, missing=1), note="Temporal does not answer")
    assert views.as_text(seen) == (
        "small running: 1 completed, 1 failed, 1 missing of 4, 1 in flight, $0.2500 and 12,345 tokens, "
        "by the plan where 1 deliberation ended without a report "
        "(Temporal does not answer)"
    )


def test_a_screen_that_is_no_terminal_gets_a_line_on_change_alone() -> None:
    """A log does not fill with the same line."""
    out = io.StringIO()
    with views.BatchScreen(Console(file=out, width=80)) as screen:
        for seen in (standing(), standing(), over("completed", completed=4)):
            screen.show(seen)
    first, last = out.getvalue().splitlines()
    assert first.startswith("small running: 2 completed")
    assert last.startswith("small done: 4 completed")


def test_a_terminal_is_drawn_in_place() -> None:
    """On a terminal nothing is left behind when it has ended."""
    out = io.StringIO()
    with views.BatchScreen(Console(file=out, width=80, force_terminal=True)) as screen:
        screen.show(standing())
    assert "small" in out.getvalue()
    assert out.getvalue().endswith(("\x1b[2K", "\x1b[1A\x1b[2K", "\x1b[?25h", "\r"))


@pytest.mark.parametrize(
    ("cap", "said"),
    [
        (Budget(), "without limit"),
        (Budget(usd=5), "$5.00"),
        (Budget(usd=0.001), "$0.001"),
        (Budget(usd=12.345), "$12.345"),
        (Budget(tokens=2_000_000), "2,000,000 tokens"),
        (Budget(usd=5, tokens=10), "$5.00 and 10 tokens"),
    ],
)
def test_a_budget_is_reported_as_it_was_set(cap: Budget, said: str) -> None:
    """Dollars and tokens, each where it is limited; a small limit is not rounded to nothing."""
    assert views.budget(cap) == said


def test_no_study_states_how_to_get_one() -> None:
    """An empty list is an invitation."""
    assert "parley batch init" in text_of(views.studies([]))


def test_the_list_has_a_row_per_study() -> None:
    """Name, phase, how far, failures and money."""
    shown = text_of(views.studies([standing(), over("completed", completed=3, failed=1)]))
    first, second = [line.split() for line in shown.splitlines() if line.split()[:1] == ["small"]]
    assert first == ["small", "running", "2", "of", "4", "0", "0", "$0.2500", "and", "12,345", "tokens"]
    assert second[1:6] == ["done", "4", "of", "4", "1"]


def test_the_plan_states_what_is_held_and_what_it_may_cost() -> None:
    """Every arm with its models and its share, the total beside the budget, and who has no price."""
    shown = text_of(views.estimate_table(study(f"window = 4\n{STUDY}\n[budget]\nusd = 2.5\n"), {}))
    assert "council-lab" in shown
    assert "rehearsal:one" in shown
    assert "4 deliberations, about " in shown
    assert "), cost unknown; 3 models have no price" in " ".join(shown.split())
    assert "budget $2.50" in shown


def test_the_calls_at_once_are_those_of_all_workers_or_of_the_window() -> None:
    """Each worker of ``parley up`` makes calls of the study; a window smaller than that is the limit."""
    given = study(f"window = 400\n{STUDY}")
    two = given._replace(settings=given.settings.model_copy(update={"workers": 2, "max_concurrent_calls": 150}))
    assert "at most 300 calls at once, limited by 2 workers with 150 calls each" in text_of(
        views.estimate_table(two, {})
    )
    narrow = text_of(views.estimate_table(study(f"window = 4\n{STUDY}"), {}))
    assert "calls at once, limited by the window of 4" in narrow


def test_the_plan_states_that_dollars_of_models_without_a_price_are_missing() -> None:
    """The least that it costs, and how many models have no price; only with all prices there is a most."""
    one_known = STUDY.replace("rehearsal:one", "rehearsal:openai/gpt-5-mini")
    shown = " ".join(text_of(views.estimate_table(study(one_known), {})).split())
    assert "would cost at least $" in shown
    assert "2 models have no price" in shown
    assert "scripted models charge prices of their own" in shown


def test_a_small_cost_is_not_shown_as_none() -> None:
    """A deliberation of the cheapest models costs less than a hundredth of a cent, and a free one nothing."""
    for usd, shown in ((0.00004, "$0.00004"), (0.0, "$0.0000"), (1234.5, "$1,234.5000")):
        assert f"{shown} and 1 token" == views.amount(Amount(usd=usd, tokens=1), rehearsal=False)


def test_the_plan_counts_lines_that_are_left_out() -> None:
    """A study that skips bad rows says so before it begins."""
    questions = "id,prompt,answer\nq1,What? A) 1 B) 2,A\nq2,,A\n"
    told = STUDY.replace('label = "answer"', 'label = "answer"\nskip_bad = true')
    assert "lines left out: 1" in text_of(views.estimate_table(study(told, questions), {}))


def capped(usd: float) -> str | None:
    """What the screen shows of the same study with that budget."""
    told = STUDY.replace("rehearsal:one", "rehearsal:openai/gpt-5-mini")
    return views.shortage(study(f"window = 4\n{told}\n[budget]\nusd = {usd:.9f}\n"))


def test_a_budget_within_the_estimate_may_pause_it() -> None:
    """Only the high end above the budget: it may pause. Even the low end above: it is likely to. Else nothing."""
    told = study(STUDY.replace("rehearsal:one", "rehearsal:openai/gpt-5-mini")).estimate
    assert 0 < told.least.usd < told.amount.usd < told.most.usd
    assert told.least.tokens < told.amount.tokens < told.most.tokens
    assert capped(told.most.usd + 0.000001) is None
    assert str(capped((told.least.usd + told.amount.usd) / 2)).startswith("it may pause before its end: at the least ")
    assert str(capped((told.amount.usd + told.most.usd) / 2)).startswith("it may pause before its end: at the least ")
    assert str(capped(told.least.usd / 2)).startswith("it is likely to pause before its end: at the least ")
    without = ", without the dollars of 2 models that no price is known of; budget"
    assert without in str(capped(told.least.usd / 2))
    assert views.shortage(study()) is None


def learned_arm() -> ArmUse:
    """An arm whose two deliberations took three times their plan."""
    use = ArmUse()
    for usd in (0.02, 0.04):
        planned, took = Amount(usd=0.01, tokens=1000), Amount(usd=usd, tokens=3000)
        use = observe(use, planned, took, is_priced=True)
    return use


def test_the_status_shows_what_each_arm_took_beside_its_plan() -> None:
    """Planned, taken, the mean of their ratios, and reserved for the next one, of how many whose tokens are known."""
    running = standing().model_copy(update={"learned": {"slow": learned_arm(), "unseen": ArmUse()}})
    shown = " ".join(text_of(views.as_renderable(running)).split())

    assert "arm measured planned each took each mean ratio reserves now" in shown
    assert "slow 2 $0.0100, 1,000 tokens $0.0300, 3,000 tokens 3.00" in shown
    assert "unseen" not in shown


def test_the_plan_shows_what_was_learned_of_its_arms() -> None:
    """A study is estimated by completed deliberations too, other arms by their plan; before, no estimate is shown."""
    loaded = study(STUDY)
    shown = " ".join(text_of(views.estimate_table(loaded, {loaded.arms[0].name: learned_arm()})).split())

    others = ", ".join(arm.name for arm in loaded.arms[1:])
    assert f"by what they took, and by the plan of {others}: " in shown
    assert "for all of these, without the dollars of 3 models that no price is known of" in shown
    assert "by what they took" not in text_of(views.estimate_table(loaded, {}))
