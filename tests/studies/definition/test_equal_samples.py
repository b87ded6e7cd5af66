"""Samples like the cost of another arm: decided by one basis for both sides, recorded, and never decided again."""

import re

import pytest

from ledger.store import Store
from ledger.studies.reading import StudyReader
from ledger.studies.writing import enter
from parley.errors import RequestError
from protocols.study.input_templates import merged
from protocols.study.learning import observe
from protocols.study.model import Amount, ArmUse
from studies.definition.equal_samples import Decided
from studies.definition.load import LoadedStudy
from tests.fakes.study_files import QUESTIONS, STUDY, study

LIKE = (
    STUDY + '[[arms]]\nname = "sc"\nprotocol = "self-consistency"\npanel = "lab"\n'
    'options = { samples = "like council-lab" }\n'
)


def use(usd: float, tokens: int, times: int = 3) -> ArmUse:
    """What so many deliberations took, each the same."""
    found = ArmUse()
    for _ in range(times):
        found = observe(found, Amount(usd=1, tokens=1), Amount(usd=usd, tokens=tokens), is_priced=usd > 0)
    return found


def samples(found: LoadedStudy) -> list[int]:
    """The samples of the arm in every argument that was prepared."""
    template = next(arm.template for arm in found.entered().arms if arm.arm == "sc")
    return [int(str(merged(template, one.changes)["samples"])) for one in found.prepared() if one.arm == "sc"]


def test_the_plan_decides_without_measurements() -> None:
    """The largest number whose plan is within the other's; one more would cost more."""
    found = study(LIKE)
    (decided,) = found.samples
    arms = {arm.name: arm for arm in found.arms}
    more = arms["sc"]._replace(options=arms["sc"].options.model_copy(update={"samples": decided.samples + 1}))
    cost = found.outlook.each(arms["council-lab"]).tokens

    assert (decided.like, decided.basis) == ("council-lab", "planned")
    assert samples(found) == [decided.samples] * 2
    assert found.outlook.each(arms["sc"]).tokens <= cost < found.outlook.each(more).tokens
    assert found.estimate.by_arm["sc"].tokens <= found.estimate.by_arm["council-lab"].tokens


@pytest.mark.parametrize(
    ("council", "single", "expected"),
    [
        (use(0.09, 900), use(0.01, 500), (9, "measured")),
        (use(0.095, 900), use(0.01, 500), (9, "measured")),
        (use(0.0, 900), use(0.0, 100), (9, "measured")),
        (use(0.01, 100), use(0.02, 500), (1, "measured")),
        (use(9.0, 900), use(0.01, 500), (64, "measured")),
    ],
)
def test_measurements_decide_where_both_sides_have_them(
    council: ArmUse, single: ArmUse, expected: tuple[int, str]
) -> None:
    """Mean cost over mean cost, cut to a whole number between 1 and the most; tokens where dollars are unknown."""
    (decided,) = study(LIKE).with_samples({}, {"council-lab": council, "single-lab": single}).samples

    assert (decided.samples, decided.basis) == expected


def test_one_measured_side_decides_nothing() -> None:
    """A measured council and a planned sample have two bases, so both are planned."""
    planned = study(LIKE).samples

    assert study(LIKE).with_samples({}, {"council-lab": use(9.0, 900_000)}).samples == planned


def test_a_sample_with_other_options_is_another_one() -> None:
    """What samples of any length took says nothing of those that end at a hundred tokens; both sides are planned."""
    learned = {"council-lab": use(0.09, 900), "single-lab": use(0.01, 500)}
    short = study(LIKE.replace('council-lab" }', 'council-lab", max_tokens = 100 }'))

    assert study(LIKE).with_samples({}, learned).samples[0].basis == "measured"
    assert short.with_samples({}, learned).samples == short.samples
    assert short.samples[0].basis == "planned"


async def test_what_is_in_the_ledger_stays(store: Store, url: str) -> None:
    """A study that continues, or grows, has the number with which it was entered, whatever was measured since."""
    first = study(LIKE).with_samples({}, {"council-lab": use(0.09, 900), "single-lab": use(0.01, 100)})
    await enter(store, first.entered(), first.rows(), first.prepared(), first.rejected)
    async with StudyReader(url) as reader:
        known = await reader.known("small")
    assert known is not None
    arms = known.content["arms"]
    assert isinstance(arms, dict)

    again = study(LIKE).with_samples(arms, {"council-lab": use(0.5, 900), "single-lab": use(0.01, 100)})

    assert again.samples == (Decided("sc", "council-lab", 9, "recorded"),)
    assert again.fingerprint == first.fingerprint
    assert samples(study(LIKE, f"{QUESTIONS}q3,What is 1 + 3? A) 4 B) 3,A\n").with_samples(arms, {})) == [9] * 3
    assert again.samples[0].sentence == "sc: samples = 9, like council-lab (recorded)"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("like council-lab", "like nothing", "name an arm with a cost of its own: council-lab, single-lab"),
        ("like council-lab", "like sc", "name an arm with a cost of its own"),
        ("self-consistency", "majority", "use self-consistency or vote"),
        ("like council-lab", "many", "cannot be used: write a whole number"),
    ],
)
def test_samples_that_cannot_be_decided_are_refused(old: str, new: str, said: str) -> None:
    """Before anything is asked, with the value and the remedy."""
    with pytest.raises(RequestError, match=re.escape(said)):
        study(LIKE.replace(old, new))


def test_dollars_of_which_a_part_is_unknown_are_not_compared() -> None:
    """A council with a model without a price costs more than is known of it, so that tokens decide."""
    known = LIKE.replace("rehearsal:one", "rehearsal:openai/gpt-5-mini")
    whole = known.replace(":two", ":google/gemini-3.1-flash-lite").replace(":three", ":deepseek/deepseek-v4.1-flash")
    councils = [next(arm for arm in found.arms if arm.name == "council-lab") for found in (study(known), study(whole))]
    unpriced, priced = study(known), study(whole)
    by_tokens = study(LIKE).samples

    assert priced.outlook.each(councils[1]).usd > 0
    assert (unpriced.outlook.each(councils[0]).usd, unpriced.samples) == (0.0, by_tokens)
