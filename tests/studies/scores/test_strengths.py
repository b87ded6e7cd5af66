"""Strengths of arms, recomputed by another library, and recovered where they are known."""

from io import StringIO
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from scipy import stats  # type: ignore[import-untyped]  # it has no annotations of its own

from starter.views import tables
from studies.comparison.preferences import Preference, arms_of
from studies.scores.strengths import control_length, fit_length_bias, fit_strengths
from studies.scores.summary import makers_of, summarise
from studies.scores.tables import score_tables
from tests.studies.scores.judged import judged, judgements

_KNOWN = {"council": 1.0, "debate": 0.2, "mixture": -0.2, "single": -1.0}


@pytest.fixture(scope="module")
def sm() -> Any:
    """Return statsmodels, which nothing but these tests imports."""
    return pytest.importorskip("statsmodels.api")


def test_known_strengths_lie_in_their_intervals() -> None:
    """Preferences drawn from known strengths give them back."""
    found = fit_strengths(judged(_KNOWN, 400))
    assert found is not None
    assert [one.arm for one in found.arms] == list(_KNOWN)
    for one in found.arms:
        assert one.low <= _KNOWN[one.arm] <= one.high
        assert one.high - one.low < 0.3
    assert found.p < 0.001
    assert sum(one.strength for one in found.arms) == pytest.approx(0, abs=1e-6)


def test_equal_arms_are_found_equal() -> None:
    """The score test finds no difference where there is none."""
    found = fit_strengths(judged(dict.fromkeys(_KNOWN, 0.0), 300))
    assert found is not None
    assert found.p > 0.05
    assert found.degrees == 3


def test_a_test_that_so_few_rows_cannot_decide_is_marked() -> None:
    """The statistic is at most the number of rows, so arms of which one always wins are equal to it over five rows."""
    apart = {"a": 2.0, "b": 1.0, "c": -1.0, "d": -2.0}
    few, many = (fit_strengths(judged(apart, rows, ties=0.3)) for rows in (5, 60))
    assert few is not None
    assert many is not None
    assert few.least_p == pytest.approx(float(stats.chi2.sf(5, 3)))
    assert (few.p >= few.least_p > 0.05, many.p < 0.001, many.least_p < 0.05) == (True, True, True)
    said = [
        [note.text for table in score_tables(summarise("study", *judgements(judged(apart, rows, ties=0.3))))
         for note in table.notes if "score test" in note.text]
        for rows in (5, 60)
    ]  # fmt: skip
    assert ["so few rows" in one for (one,) in said] == [True, False]
    assert "so few rows allow no p below 0.172" in said[0][0]


def _frame(preferences: list[Preference]) -> tuple[Any, Any, Any]:
    arms = arms_of(preferences)
    design = np.array([[(one.arm == arm) - float(one.other == arm) for arm in arms[1:]] for one in preferences])
    return design, np.array([one.value for one in preferences]), [one.row_id for one in preferences]


def test_strengths_are_those_of_a_generalised_linear_model(sm: Any) -> None:
    """Statsmodels gives the same differences and errors by cluster."""
    preferences = judged(_KNOWN, 120, ties=0.1)
    found = fit_strengths(preferences)
    assert found is not None
    design, wins, rows = _frame(preferences)
    model = sm.GLM(wins, design, family=sm.families.Binomial())
    places = {row: number for number, row in enumerate(dict.fromkeys(rows))}
    theirs = model.fit(
        cov_type="cluster", cov_kwds={"groups": np.array([places[one] for one in rows]), "use_correction": False}
    )
    ours = {one.arm: one.strength for one in found.arms}
    first = arms_of(preferences)[0]
    assert [ours[arm] - ours[first] for arm in arms_of(preferences)[1:]] == pytest.approx(list(theirs.params), abs=1e-5)
    mean = np.vstack([np.zeros(3), np.eye(3)]) - np.full((4, 3), 0.25)
    errors = np.sqrt(np.diag(mean @ theirs.cov_params() @ mean.T))
    spread = {one.arm: (one.high - one.low) / 2 / 1.959963984540054 for one in found.arms}
    assert [spread[arm] for arm in arms_of(preferences)] == pytest.approx(list(errors), rel=1e-4)


def test_the_test_of_equal_strengths_counts_rows() -> None:
    """Its figures are those of sums over rows, and repeats without anything new leave its p as it is."""
    preferences = judged(_KNOWN, 30, ties=0.2)
    found, repeated = fit_strengths(preferences), fit_strengths(preferences * 5)
    assert found is not None
    assert repeated is not None
    design, wins, rows = _frame(preferences)
    sums = {row: np.zeros(3) for row in rows}
    for line, win, row in zip(design, wins, rows, strict=True):
        sums[row] = sums[row] + line * (win - 0.5)
    total, spread = sum(sums.values()), sum(np.outer(one, one) for one in sums.values())
    assert found.statistic == pytest.approx(float(total @ np.linalg.solve(spread, total)))
    assert found.degrees == 3
    assert found.p == pytest.approx(float(stats.chi2.sf(found.statistic, 3)))
    assert pytest.approx((found.statistic, found.p)) == (repeated.statistic, repeated.p)


def test_an_arm_that_was_never_beaten_has_no_strength() -> None:
    """Its strength would be without bound, and a figure would be an accident of the method."""
    assert fit_strengths([one for one in judged({"a": 9.0, "b": -9.0}, 20) if one.value == 1.0]) is None
    assert fit_strengths([]) is None


def test_a_preference_for_length_is_found_and_taken_out(sm: Any) -> None:
    """The effect of length, its interval and p over rows are statsmodels', and the controlled rate is without it."""
    preferences = judged({"a": 0.5, "b": -0.5}, 800, longer=1.0)
    found = fit_length_bias(preferences)
    assert found is not None
    bias, controlled = found
    assert bias.low <= 1.0 <= bias.high
    assert bias.p < 0.001
    design, wins, _ = _frame(preferences)
    lengths = np.array([one.length - one.other_length for one in preferences], dtype=float)
    model = sm.GLM(wins, np.column_stack([design, lengths / lengths.std()]), family=sm.families.Binomial())
    _, codes = np.unique([one.row_id for one in preferences], return_inverse=True)
    theirs = model.fit(cov_type="cluster", cov_kwds={"groups": codes, "use_correction": False})
    assert bias.p == pytest.approx(theirs.pvalues[-1], rel=1e-3)
    assert (bias.low, bias.high) == pytest.approx(theirs.conf_int()[-1], abs=1e-4)
    assert bias.coefficient == pytest.approx(theirs.params[-1], abs=1e-5)
    assert controlled("a", "b") == pytest.approx(1 / (1 + np.exp(theirs.params[0])), abs=1e-5)
    assert fit_length_bias([one.model_copy(update={"length": 9, "other_length": 9}) for one in preferences]) is None


def test_the_effect_of_length_and_its_interval_agree() -> None:
    """Where the interval is on one side of zero, p is below 0.05, also where most pairs are ties."""
    mixed = judged({"a": 0.5, "b": -0.5}, 200, longer=1.0)
    preferences = [one.model_copy(update={"value": 0.5}) if n % 3 else one for n, one in enumerate(mixed)]
    found = fit_length_bias(preferences)
    assert found is not None
    bias, _ = found

    assert (bias.low > 0 or bias.high < 0) is (bias.p < 0.05)


def test_the_interval_at_equal_length_is_that_of_other_draws(sm: Any) -> None:
    """Rows are drawn anew and each sample is fitted by statsmodels: the intervals have the same ends."""
    preferences = judged({"a": 0.4, "b": 0.0, "c": -0.4}, 60, longer=0.8)
    found = control_length(preferences, seed=3)
    assert found is not None
    design, wins, rows = _frame(preferences)
    table = np.column_stack([design, [(one.length - one.other_length) / 200 for one in preferences]])
    places, rng, drawn = {row: at for at, row in enumerate(dict.fromkeys(rows))}, np.random.default_rng(11), []
    codes = np.array([places[row] for row in rows])
    for _ in range(200):
        counts = np.bincount(rng.integers(0, len(places), len(places)), minlength=len(places))[codes]
        of_b, of_c, _ = sm.GLM(wins, table, family=sm.families.Binomial(), freq_weights=counts).fit().params
        drawn.append([1 / (1 + np.exp(one)) for one in (of_b, of_c, of_c - of_b)])
    ends = np.quantile(np.array(drawn), [0.025, 0.975], axis=0).T
    for pair, (low, high) in zip([("a", "b"), ("a", "c"), ("b", "c")], ends, strict=True):
        rate = found[1][pair]
        assert rate.interval is not None
        assert (rate.interval.low, rate.interval.high) == pytest.approx((low, high), abs=0.03)
        assert rate.value is not None
        assert rate.interval.low < rate.value < rate.interval.high


def test_the_tables_of_long_names_fit_a_screen() -> None:
    """On a hundred columns every interval is whole, also at equal length."""
    report = summarise("study", *judgements(judged({"consensus-lab": 0.5, "self-consistency-lab": -0.5}, 40)))
    figures = report.scorers[0].preferences
    assert figures is not None
    console = Console(width=100, file=StringIO())
    console.print(tables.render(score_tables(report), is_dense=True))
    assert isinstance(console.file, StringIO)
    for one in (figures.rates[0].rate.interval, figures.rates[0].controlled.interval):
        assert one is not None
        assert f"{one.low:.3f} to {one.high:.3f}" in console.file.getvalue()


def test_a_tiny_p_is_shown_as_a_comparison_shows_it() -> None:
    """A screen has three decimals, or that it is smaller."""
    report = summarise("study", *judgements(judged(_KNOWN, 200)))
    notes = [note.text for table in score_tables(report) for note in table.notes]
    (equal,) = (note for note in notes if note.startswith("all equal"))
    assert equal.endswith(", p < 0.001")


def test_a_few_pairs_have_no_rate_at_equal_length() -> None:
    """Below ten preferences for each arm nothing is fitted, and the tables say so."""
    for rows, is_there in ((9, False), (10, True)):
        report = summarise("study", *judgements(judged({"a": 0.1, "b": 0.0, "c": -0.1}, rows, seed=2)))
        figures = report.scorers[0].preferences
        assert figures is not None
        assert (figures.length_bias is not None, figures.has_few) == (is_there, not is_there)
        assert all((one.controlled.value is not None) is is_there for one in figures.rates)
        assert ("Preferences by judge, at equal length" in [one.title for one in score_tables(report)]) is is_there
        notes = " ".join(note.text for table in score_tables(report) for note in table.notes)
        assert ("too few pairs for its effect: 27 pairs, and it takes 10 for each arm" in notes) is not is_there


@pytest.mark.parametrize("bias", [0.0, 0.3, 0.7])
def test_a_judge_s_position_bias_is_recovered(bias: float) -> None:
    """A judge that prefers the first answer in a known share of its judgements is found out."""
    preferences = judged({"council": 0.4, "single": -0.4}, 400, bias=bias)
    (judge,) = summarise("study", *judgements(preferences)).scorers
    assert judge.preferences is not None
    found = judge.preferences.position.first
    assert found.interval is not None
    assert found.interval.low <= bias <= found.interval.high
    assert judge.preferences.rates[0].inconsistent == sum(not one.is_consistent for one in preferences)
    values = [one.value for one in preferences if one.value is not None]
    assert judge.preferences.rates[0].rate.value == pytest.approx(sum(values) / len(values))


def test_a_grader_is_named_beside_every_arm_with_a_model_of_its_maker() -> None:
    """Also beside the arm that comes second in every pair, and by its chair, which is no model of the panel."""
    rows, scores = judgements(judged({"a": 0.5, "b": -0.5, "c": 0.0}, 3))
    chair: dict[str, Any] = {"seat": "chair", "name": None, "model": "openrouter:maker/three", "settings": {}}
    asked = [
        one.model_copy(update={"models": ("lab:other/one",), "seats": (chair,) * (one.arm == "c")}) for one in rows
    ]
    (found,) = summarise("study", asked, scores, {"judge": ["openrouter:maker/two"]}).scorers
    assert found.notes == ("graders and c have models of one maker (maker): they may prefer their own",)


def test_a_grader_is_named_beside_an_arm_of_which_a_deliberation_is_missing() -> None:
    """A deliberation without a line in the ledger has no models; the others of its arm have them."""
    rows, scores = judgements(judged({"a": 0.5, "b": -0.5}, 3))
    asked = [one.model_copy(update={"models": ("lab:maker/one",) * (one.row_id != rows[-1].row_id)}) for one in rows]
    (found,) = summarise("study", asked, scores, {"judge": ["openrouter:maker/two"]}).scorers
    assert [note[:16] for note in found.notes] == ["graders and a ha", "graders and b ha"]


@pytest.mark.parametrize(
    ("grader", "asked", "maker"),
    [
        ("ollama:qwen3:8b", "ollama:qwen3:32b", "qwen"),
        ("openrouter:qwen/qwen3-8b", "desk:Qwen/Qwen3-8B", "qwen"),
        ("cerebras:gpt-oss-120b", "openrouter:openai/gpt-oss-120b", "openai"),
        ("openai:o3-mini", "openrouter:openai/gpt-5", "openai"),
        ("ollama:llama3", "openrouter:meta-llama/llama-4-scout", "meta"),
        ("ollama:gemma3:4b", "openrouter:google/gemini-3-pro", "google"),
        ("xai:grok-4", "openrouter:x-ai/grok-4", "xai"),
        ("openrouter:mistralai/mistral-large", "mistral:codestral-2508", "mistral"),
        ("fireworks:accounts/fireworks/models/deepseek-v3", "desk:deepseek-ai/DeepSeek-R1", "deepseek"),
        ("bedrock:us.anthropic.claude-sonnet-4-v1:0", "anthropic:claude-opus-4-6", "anthropic"),
        ("hub:nousresearch/hermes-4-70b", "hub:nousresearch/hermes-3-llama-3.1-405b", "nousresearch"),
        ("desk:deepseek-r1-distill-llama-70b", "hub:meta-llama/Llama-3.3-70B", "meta"),
        ("desk:solar-10b", "ollama:solar:10.7b", "solar"),
    ],
)
def test_a_maker_is_found_under_the_names_of_every_provider(grader: str, asked: str, maker: str) -> None:
    """Sizes, versions, capitals, hubs and what a provider puts before a name make no other maker."""
    assert makers_of(grader) & makers_of(asked) == {maker}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("openrouter:openai/gpt-5", "openrouter:anthropic/claude-opus-4.6"),
        ("fireworks:accounts/fireworks/models/llama-v3p1-8b", "fireworks:accounts/fireworks/models/qwen3-8b"),
        ("lab:maker/a", "lab:other/a"),
    ],
)
def test_models_of_other_makers_share_none(one: str, other: str) -> None:
    """Neither a provider nor a name that two makers use is a maker."""
    assert not makers_of(one) & makers_of(other)
