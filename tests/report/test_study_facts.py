"""What a report says of its study: every number of it is counted once more from the rows."""

import re
from functools import cache
from html import unescape
from typing import Any

import pytest

from ledger.studies.records import RejectedRow
from ledger.studies.results import ResultRow
from protocols.study.model import Budget, RunSettings
from report.collect import StudyData
from report.study import study_page
from report.study_facts import StudyFacts, arms_section, methods
from studies.comparison.compare import compare_scored
from studies.comparison.scoring import LabelRule
from studies.scores.summary import summarise
from tests.fakes import reported
from tests.fakes.council_results import council_result
from tests.fakes.reported import collect
from tests.studies.scores.judged import judged, judgements

_ARM = {"workflow": "Council", "models": ["lab:a", "lab:b", "lab:b"], "chair": "lab:c"}
CONTENT: dict[str, Any] = {
    "seed": 11,
    "repeats": 1,
    "label": {"read": "choice", "choices": ["A", "B", "C", "D"]},
    "dataset": {"rows": 40, "sha256": "ab12" * 16},
    "arms": {
        "council": {**_ARM, "protocol": "council", "options": {"final_only": True}, "seats": {"p1": {"effort": "low"}}},
        "consensus": {**_ARM, "protocol": "consensus", "options": {}},
    },
}
HOSTILE = "<img src=x onerror=alert(1)>"


@cache
def _rows() -> list[ResultRow]:
    told = list(reported.study_rows(40, letters=100))
    return [one.model_copy(update={"version": "0.9.1", "protocol_version": "3"}) for one in told]


def _facts(rows: list[ResultRow], **fields: Any) -> StudyFacts:
    facts = reported.about(
        title="Councils beside samples",
        content=CONTENT,
        rows=40,
        rejected=2,
        terms=RunSettings(cap=Budget(usd=5.0, tokens=90_000)),
        **fields,
    )
    rejected = (RejectedRow(3, "its question is blank"), RejectedRow(9, "its question is blank"))
    return facts._replace(rejected=rejected)


@pytest.fixture(scope="module")
def described() -> tuple[str, str, list[ResultRow], StudyData]:
    """The page of a study, its methods paragraph, its rows and what was collected of them."""
    rows = _rows()
    seen = collect(rows, LabelRule.of(CONTENT))
    compared = compare_scored("study", seen.marks, CONTENT, baseline="single")
    scored_rows, scores = judgements(judged({"council": 0.5, "single": -0.5}, 30))
    graders = {"judge": ["lab:one", "lab:two"]}
    summary = summarise("study", scored_rows, scores, graders, protocols={"judge": "council"})
    facts = _facts(rows)._replace(scores=summary)
    facts.study.about["dataset"] = "questions.jsonl"
    return study_page(facts, seen, compared), methods(facts, seen, compared), rows, seen


def test_every_number_of_the_methods_is_counted_from_the_rows(
    described: tuple[str, str, list[ResultRow], StudyData],
) -> None:
    """Pandas counts the same; a number that is not among its counts would be an invention."""
    pd = pytest.importorskip("pandas")
    _, said, rows, _ = described
    frame = pd.DataFrame([one.model_dump(include={"arm", "verdict", "calls", "cost_usd", "expected"}) for one in rows])
    tokens = sum(one.prompt_tokens + one.completion_tokens for one in rows)
    completed = int(frame.verdict.notna().sum())
    counted = [
        (r"has ([\d,]+) rows; ([\d,]+) lines of it could not be used", (40, 2)),
        (r"asked once in ([\d,]+) arms", (frame.arm.nunique(),)),
        (r"([\d,]+) models had a seat", (len({model for one in rows for model in one.models}),)),
        (r"seed derived from ([\d,]+)\.", (11,)),
        (r"Of ([\d,]+) deliberations, ([\d,]+) completed, ([\d,]+) failed", (len(frame), completed, 200 - completed)),
        (r"with ([\d,]+) calls and ([\d,]+) tokens", (frame.calls.sum(), tokens)),
        (r"tokens \(\$([\d,]+)", (int(frame.cost_usd.sum()),)),
        (r"([\d,]+) deliberations have a label", (frame.expected.notna().sum(),)),
        (r"Holm over ([\d,]+) pairs", (frame.arm.nunique() - 1,)),
        (r"scored ([\d,]+) of ([\d,]+) pairs, each in both orders", (30, 30)),
    ]
    for pattern, expected in counted:
        found = re.search(pattern, said)
        assert found is not None, pattern
        assert tuple(int(one.replace(",", "")) for one in found.groups()) == expected
    assert "called by Parley 0.9.1" in said
    assert "(BCa where defined, to 5,000 rows, else percentiles; exact for all or none) with the seed 11." in said
    assert "were compared with single by accuracy over the rows" in said
    assert "The scorer judge (pairwise by a council of lab:one, lab:two)" in said


def test_models_that_answered_in_place_of_others_are_named() -> None:
    """A fallback is in no panel's models: without this the methods would say that a lost model took part alone."""
    result, rows = council_result(), _rows()
    spare, *others = dict.fromkeys(turn.model for turn in result.transcript.turns)
    seats = tuple({"seat": f"p{number}", "model": one} for number, one in enumerate(["lab:lost", *others], 1))
    changed = rows[0].model_copy(update={"result": result.model_dump(mode="json"), "seats": seats})
    assert f"In place of some of them answered {spare}." in _methods([changed, *rows[1:]])
    assert "In place of" not in _plain_methods()


def test_the_methods_count_every_seat_and_name_the_seeds_of_arms() -> None:
    """The chair, which wrote the verdict, is no model of a panel; an arm's own seed is in place of the study's."""
    rows = _rows()
    chair: dict[str, Any] = {"seat": "chair", "name": None, "model": "lab:writer", "settings": {}}
    seen = collect([rows[0].model_copy(update={"seats": (chair,)}), *rows[1:]], LabelRule.of(CONTENT))
    compared = compare_scored("study", seen.marks, CONTENT, baseline="single")
    own = {**CONTENT, "seed": None, "arms": {**CONTENT["arms"], "fast": {**_ARM, "options": {"seed": 3}}}}
    facts = _facts(rows)
    other = facts._replace(study=facts.study.model_copy(update={"content": own}))
    said = methods(facts, seen, compared)
    models = {*(model for one in rows for model in one.models), "lab:writer"}
    assert f"{len(models)} models had a seat (" in said
    assert "lab:writer" in said
    assert "Calls of fast had a seed derived from 3. No other seed was sent." in methods(other, seen, compared)


def test_the_methods_of_an_unfinished_study_state_what_was_planned_and_what_ended() -> None:
    """A row that waits counts as planned, not as asked, and so does an arm of which nothing ended."""
    rows = _rows()
    last = min(one.arm for one in rows)
    late = [one.model_copy(update={"verdict": None, "stop_reason": "open"}) if one.arm == last else one for one in rows]
    ended, said = sum(one.arm != last for one in rows), _methods(late)
    assert f"Every row was to be asked once in {len({one.arm for one in rows})} arms: " in said
    assert f"{last} (" in said
    assert f"; so far {ended} of {len(rows)} deliberations have ended." in said
    assert "Every row was asked once in " in _plain_methods()


@cache
def _plain_methods() -> str:
    return _methods(_rows())


def _methods(rows: list[ResultRow]) -> str:
    seen = collect(rows, LabelRule.of(CONTENT))
    return methods(_facts(rows), seen, compare_scored("study", seen.marks, CONTENT, baseline="single"))


def test_the_page_describes_its_study(described: tuple[str, str, list[ResultRow], StudyData]) -> None:
    """Title, dataset, skipped lines, limits, seats, options and versions are on it."""
    page, said, *_ = described
    text = re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", page)))
    assert "<h1>Councils beside samples</h1>" in page
    assert "questions.jsonl · 40 rows · 2 lines skipped · SHA-256 ab12ab12ab12" in text
    assert "$5.00 and 90,000 tokens" in text
    assert "line 3 was skipped: its question is blank" in text
    assert "lab:a, lab:b × 2" in text
    assert "final_only = true" in text
    assert "p1: effort = low" in text
    assert "council 3 · prompts 1@abcdef012345 · parley 0.9.1" in text
    assert said in text


def test_what_is_not_known_is_not_printed() -> None:
    """A study without title, dataset, content and scores has its name, and no empty headings."""
    seen = collect([reported.row()])
    page = study_page(reported.about("bare"), seen, compare_scored("bare", seen.marks, {}))
    assert "<h1>bare</h1>" in page
    for heading in ("<dt>Missing</dt>", "The arms as they were asked", "<h2>Scores</h2>", "Rows in which"):
        assert heading not in page
    assert "no seed" in page


@pytest.mark.parametrize(("protocol", "shown"), [("council", True), ("single", False), ("majority", False)])
def test_a_chair_is_shown_where_one_is_asked(protocol: str, *, shown: bool) -> None:
    """A vote asks no chair, so none is named beside it, though its panel has one."""
    arm = {**_ARM, "protocol": protocol, "chair": "lab:chair"}
    about = reported.about("chaired", content={"arms": {"one": arm}})
    seen = collect([reported.row()])
    page = study_page(about, seen, compare_scored("chaired", seen.marks, {}))
    assert shown is ("lab:chair" in page)


def test_a_debates_models_are_its_debaters() -> None:
    """Evaluator, summariser and judge are no debaters: each of their models is beside the synthesiser's, once."""
    models = ["lab:a", "lab:b", "lab:c", "lab:judge", "lab:c", "lab:judge"]
    about = reported.about(content={"arms": {"one": {"protocol": "debate", "models": models, "chair": "lab:c"}}})
    page = str(arms_section(about))
    assert "lab:a, lab:b, lab:c<" in page
    assert "lab:c, lab:judge<" in page
    assert "×" not in page


def test_what_users_wrote_of_a_study_is_text() -> None:
    """Names of datasets, reasons, options, seats and losses become no markup."""
    told = {"options": {HOSTILE: HOSTILE}, "seats": {HOSTILE: {"a": HOSTILE}}}
    arm = {**_ARM, "protocol": HOSTILE, "models": [HOSTILE], **told}
    facts = reported.about(content={"arms": {HOSTILE: arm}}, about={"title": HOSTILE, "dataset": HOSTILE})
    facts = facts._replace(rejected=(RejectedRow(1, HOSTILE),), losses={HOSTILE: 2})
    seen = collect([reported.row(models=(f"lab:{HOSTILE}",), version=HOSTILE)])
    page = study_page(facts, seen, compare_scored("study", seen.marks, {}))
    assert "<img" not in page
    assert page.count("&lt;img") > 8
