"""What a call may cost, what it counts for afterwards, and how a result shows that."""

import pytest
from pydantic import ValidationError

from protocols.model_call import Answered, Cost, Failed, Message, ModelCall, ModelId, ParticipantId, ReaderRef, Usage
from protocols.spending import FREE
from protocols.spending_cap import UNUSED, CapReport, CapUse, SpendingCap, total
from protocols.update_requests import BudgetChange, TokenPrice

CHEAP, DEAR = TokenPrice(input=1, output=2), TokenPrice(input=10, output=100)
CAP = SpendingCap(usd=1.0, prices={ModelId("p:cheap"): CHEAP, ModelId("p:dear"): DEAR})
CALL = ModelCall(
    call_id="opinion-p1",
    participant=ParticipantId("p1"),
    model=ModelId("p:cheap"),
    stage="opinion",
    messages=(Message(role="user", content="Why is the sky blue?"),),
    read_as=ReaderRef(reader="council.opinion"),
)
REPLY = {"call_id": "opinion-p1", "participant": "p1", "model": "p:cheap"}


def answered(usage: Usage, cost: Cost) -> Answered:
    """Return an answer with that usage and cost."""
    return Answered.model_validate({**REPLY, "text": "Light.", "provider": "p", "usage": usage, "cost": cost})


def lost(**found: object) -> Failed:
    """Return a failed call."""
    told = {"kind": "api_error", "error_type": "provider.bad_request", "message": "no"}
    return Failed.model_validate({**REPLY, **told, **found})


def test_a_call_may_cost_its_prompt_and_its_longest_reply() -> None:
    """The reply has the limit of the call, or that of every deliberation with a cap."""
    bounded = CAP.bounded(CALL)
    longer = CALL.model_copy(update={"sampling": CALL.sampling.model_copy(update={"max_tokens": 10_000})})

    assert (4096, 10_000) == (bounded.sampling.max_tokens, CAP.bounded(longer).sampling.max_tokens)
    read = CAP.most(bounded).tokens - 4096
    assert 6 < read < 30
    assert CAP.most(bounded).usd == pytest.approx(CHEAP.of(read, 4096))
    assert CAP.most(longer).tokens == read + 10_000


def test_a_model_without_a_price_counts_as_assumed_or_as_the_dearest() -> None:
    """So a cap in dollars holds for it too."""
    other = CAP.bounded(CALL.model_copy(update={"model": "p:other"}))
    assumed = CAP.model_copy(update={"assumed": CHEAP})

    assert CAP.most(other).usd == pytest.approx(DEAR.of(CAP.most(other).tokens - 4096, 4096))
    assert assumed.most(other).usd < CAP.most(other).usd
    assert CAP.priced(ModelId("p:other"), CHEAP).most(other) == assumed.most(other)


@pytest.mark.parametrize(
    ("reply", "usd"),
    [
        (answered(Usage(prompt_tokens=10, completion_tokens=20), Cost(usd=0.5, source="provider")), 0.5),
        (answered(Usage(prompt_tokens=10, completion_tokens=20), Cost()), CHEAP.of(10, 20)),
        (answered(Usage(), Cost()), CAP.most(CALL).usd),
        (lost(status=400), 0.0),
        (
            lost(
                status=402, usage=Usage(prompt_tokens=10, completion_tokens=20), cost=Cost(usd=0.5, source="provider")
            ),
            0.5,
        ),
        (lost(status=502, text="Light is"), CAP.most(CALL).usd),
        (lost(status=200, error_type="provider.broken_off"), CAP.most(CALL).usd),
        (lost(status=200, error_type="provider.too_large"), CAP.most(CALL).usd),
        (lost(), CAP.most(CALL).usd),
        (None, CAP.most(CALL).usd),
    ],
)
def test_a_call_counts_with_what_is_known_of_its_cost(reply: Answered | Failed | None, usd: float) -> None:
    """Its cost, else its tokens by the price list, else the most; a refusal adds nothing to earlier attempts.

    An answer that broke off in the middle is none: it has a status, and may have been billed.
    """
    assert pytest.approx(usd) == CAP.used_by(CALL, reply).usd


def test_a_call_that_no_model_saw_uses_nothing() -> None:
    """Refused or never sent, it is known to be free; one never sent of which that is not known counts as the most."""
    free = {"usage": FREE.usage, "cost": FREE.cost}
    refused, unsent = lost(status=401, **free), lost(error_type="config.missing_key", **free)

    assert [UNUSED, UNUSED] == [CAP.used_by(CALL, refused), CAP.used_by(CALL, unsent)]
    assert CAP.used_by(CALL, lost(error_type="config.missing_key")) == CAP.most(CALL)


def test_a_sum_that_reaches_a_limit_fits() -> None:
    """What adding up binary fractions leaves over is no reason to end; a token more is."""
    cap = SpendingCap(usd=0.3, tokens=10, prices=CAP.prices)

    assert cap.fits(total([CapUse(usd=0.1), CapUse(usd=0.2, tokens=10)]))
    assert not cap.fits(CapUse(tokens=11))
    assert not cap.fits(CapUse(usd=0.3001))


def test_what_does_not_fit_is_said_with_what_is_left() -> None:
    """In dollars where those are short, else in tokens."""
    both = SpendingCap(usd=0.05, tokens=1000, prices=CAP.prices)
    used = CapUse(usd=0.04, tokens=900)

    dollars = both.shortage("review", [CapUse(usd=0.02, tokens=5), CapUse(usd=0.01, tokens=5)], used)
    tokens = both.shortage("review", [CapUse(usd=0.001, tokens=500)], used)

    close = both.shortage("review", [CapUse(usd=0.01001, tokens=5)], used)

    assert "review (1 call) may cost up to $0.01001000, and $0.01000000 of $0.05 is left" == close
    assert "review (2 calls) may cost up to $0.0300, and $0.0100 of $0.05 is left" == dollars
    assert "review (1 call) may take up to 500 tokens, and 100 of 1,000 are left" == tokens


def test_the_remedy_names_limits_that_are_enough() -> None:
    """Dollars are rounded up to a cent; a limit that is enough already is not named."""
    waiting = CapReport(usd=0.05, tokens=1000, needed=CapUse(usd=0.0501, tokens=900))

    assert ("--usd 0.06", "") == (waiting.remedy, CapReport(usd=0.05).remedy)
    assert "budget: $0.0000 of $0.05 and 0 of 1,000 tokens" == waiting.line


def test_a_limit_in_dollars_needs_prices() -> None:
    """A cap made by hand without them is refused with the remedy."""
    with pytest.raises(ValidationError, match="needs the prices of the models, or an assumed price"):
        SpendingCap(usd=1)


def test_limits_are_changed_where_they_are_named() -> None:
    """The others stay, and the prices with them."""
    assert (2, None) == ((changed := CAP.changed(BudgetChange(usd=2))).usd, changed.tokens)
    assert (None, 5) == ((changed := CAP.changed(BudgetChange(any_usd=True, tokens=5))).usd, changed.tokens)
    assert changed.prices == CAP.prices
    assert UNUSED == CapUse()
